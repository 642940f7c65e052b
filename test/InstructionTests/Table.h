//===- Table.h - Building the table of instruction tests --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared code of the files that describe instructions: the values that operands
// are tried on, and tests of instructions that work lane by lane.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_INSTRUCTIONTESTS_TABLE_H
#define TC_TEST_INSTRUCTIONTESTS_TABLE_H

#include "ExactNumber.h"
#include "Instructions.h"

namespace tc::isa {

using Table = std::vector<Instruction>;

// One function for each chapter, in the file of its name.
void addIntegerInstructions(Table &table);
void addBitInstructions(Table &table);
void addFloatInstructions(Table &table);
void addApproximations(Table &table);
void addComparisons(Table &table);
void addConversions(Table &table);
void addMoves(Table &table);
void addMemoryAccesses(Table &table);
void addAsyncCopies(Table &table);
void addWarpInstructions(Table &table);
void addVotes(Table &table);
void addAtomicInstructions(Table &table);
void addMbarriers(Table &table);
void addMatrixInstructions(Table &table);
void addHalfInstructions(Table &table);
void addNarrowConversions(Table &table);
void addControlFlow(Table &table);

/// The type that a suffix names: "s32", "f16x2", "pred".
Type typeOf(const std::string &name);

/// Values at which instructions on a type may go wrong: zeros, ones, limits,
/// patterns; of floating point also subnormals, ties, infinities and NaNs.
std::vector<Bits> edgesOf(Type type);
/// Amounts of shifts and places of bit fields, within a width and beyond it.
std::vector<Bits> shiftAmounts();
/// Numbers that follow from `seed`, of so many bits.
std::vector<Bits> randomBits(std::uint64_t seed, std::size_t count,
                             unsigned bits);

/// The value of the low bits as the type has it.
Wide integerOf(Bits bits, Type type);
/// The bits of a value in the type, modulo its width.
Bits truncated(Wide value, Type type);
inline Bits onesOf(unsigned bits) { return ~Bits(0) >> (64 - bits); }

/// Declares the shared variable `memory`, and points %n1 to the 32 bytes of it
/// that belong to a thread.
inline constexpr char sharedMemory[] = ".shared .align 32 .b8 memory[4096];\n";
inline constexpr char sharedPlace[] =
    "mov.u32 %n0, %tid.x; mov.u32 %n1, memory; mad.lo.u32 %n1, %n0, 32, %n1;\n";

/// The result of an instruction for the operands of one thread.
using LaneReference = std::function<Expected(const Row &)>;
Reference laneByLane(LaneReference reference);

/// Adds the test of `NAME %d, %a, %b, ...;` on all edges of the operands' types
/// and returns it, to be refined.
Instruction &addTest(Table &table, const Section &section,
                     const std::string &name, Type result,
                     const std::vector<Type> &operands,
                     LaneReference reference);

} // namespace tc::isa

#endif // TC_TEST_INSTRUCTIONTESTS_TABLE_H
