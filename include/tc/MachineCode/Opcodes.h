//===- Opcodes.h - Properties of machine instructions -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The opcodes of compute capabilities 7.5 to 12.0: the purpose of each, the
// pipe that executes it, and the time that this takes. Names are those of the
// CUDA Binary Utilities documentation, "Instruction Set Reference".
//
//===----------------------------------------------------------------------===//

#ifndef TC_MACHINECODE_OPCODES_H
#define TC_MACHINECODE_OPCODES_H

#include "tc/Machine/Target.h"
#include "tc/MachineCode/Listing.h"

namespace tc::sass {

/// The purpose of an instruction in a kernel that contracts tensors.
enum class Category : std::uint8_t {
  Multiply,     ///< fused multiply-adds, of numbers or of matrices
  Move,         ///< copies of registers and constants
  Conversion,   ///< between types of numbers
  Arithmetic,   ///< other floating-point arithmetic
  Integer,      ///< integers, which are addresses and counters as a rule
  Predicate,    ///< comparisons, and logic on predicates
  SharedLoad,   ///< from shared memory to registers
  SharedStore,  ///< from registers to shared memory
  GlobalLoad,   ///< from global memory to registers
  GlobalStore,  ///< from registers to global memory, atomics included
  AsyncCopy,    ///< from global to shared memory, or back
  LocalAccess,  ///< of local memory, which is where spills go
  ConstantLoad, ///< from constant memory
  Synchronise,  ///< barriers and fences, waits for copies
  Control,      ///< jumps, and what keeps warps together
  Special,      ///< special functions and registers, exchange between lanes
  Nop,          ///< nothing, as ptxas inserts it for the sake of timing: NOP,
                ///< and whatever `neverExecutes`
  Other,        ///< opcodes that are not known
};
inline constexpr std::size_t numCategories =
    static_cast<std::size_t>(Category::Other) + 1;

/// The unit that executes an instruction, within a quarter of the
/// multiprocessor but for `Memory`, which all quarters share.
enum class Pipe : std::uint8_t {
  Tensor,  ///< products of matrices
  FMA,     ///< products of 32 bits and less, of integers, too
  ALU,     ///< other operations on 32 bits
  FP64,    ///< numbers of 64 bits
  XU,      ///< special functions, and conversions of other widths
  Memory,  ///< queue to shared, global, local and constant memory
  Uniform, ///< operations on uniform registers
  Branch,  ///< jumps and barriers
  None,    ///< instructions that only need to be issued
};
inline constexpr std::size_t numPipes =
    static_cast<std::size_t>(Pipe::None) + 1;

/// As keys of JSON: "shared_load", "fp64".
std::string_view stringify(Category category);
std::string_view stringify(Pipe pipe);
/// As words of a report: "shared loads".
std::string_view describe(Category category);

/// An instruction that never executes is padding, as NOP is, whatever its
/// opcode: it takes the slot in which it is issued, and no pipe.
Category categoryOf(const Instruction &instruction);
Pipe pipeOf(const Instruction &instruction);

/// The multiply-adds of a matrix instruction of a whole warp; 0 of others.
/// HMMA.16816 has 16 * 8 * 16.
std::int64_t matrixMultiplyAdds(const Instruction &instruction);

/// Cycles for which an instruction of a warp keeps its pipe busy, so that no
/// other can begin there: from the rates of the target, which are those of
/// whole multiprocessors.
double busyCycles(const Instruction &instruction, const model::Target &target);

} // namespace tc::sass

#endif // TC_MACHINECODE_OPCODES_H
