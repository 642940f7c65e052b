//===- MultiplyRates.h - Rates of multiply instructions ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The instructions that a target has for a contraction's types, and how fast it
// runs them. The types that go with shapes are those of `mma.sync` in the PTX
// ISA, version 9.0, section 9.7.15.5.
//
//===----------------------------------------------------------------------===//

#ifndef TC_GPU_ATOMS_MULTIPLYRATES_H
#define TC_GPU_ATOMS_MULTIPLYRATES_H

#include "tc/Gpu/Atoms/MultiplyAtom.h"
#include "tc/Machine/Target.h"
#include "tc/Problem/Contraction.h"

#include <vector>

namespace tc::model {

/// The element type of shared tiles for an instruction: that of the factors,
/// except that 8-bit floats, all of which are halves, are held as halves where
/// halves are multiplied.
ElementType sharedTileTypeOf(const Contraction &contraction,
                             Instruction instruction);

/// Multiply-adds a cycle and multiprocessor, or the operations that take their
/// place in the contraction's semiring. Fails, naming the type, the semiring or
/// the target, if the target has no such instruction for the contraction's
/// types, semiring and precision.
Result<double> multiplyAddsPerCycle(const Contraction &contraction,
                                    Instruction instruction,
                                    const Target &target);

/// Instructions of a warp that one product and its combination with a sum take,
/// of which each multiplies the atom's shape.
int64_t instructionsPerProduct(const Contraction &contraction,
                               Instruction instruction);

/// Matrix instructions of the target that ptxas makes of one of a schedule, for
/// the contraction's types: one where the target has it, more where it is made
/// of smaller ones.
int64_t nativeInstructionsOf(const Contraction &contraction,
                             Instruction instruction, const Target &target);

/// The instructions worth a look for a contraction: the target's fastest matrix
/// instructions for its types, if any, the deeper first, as far as one access
/// loads what a lane needs along K; then FMA.
std::vector<Instruction> instructionsFor(const Contraction &contraction,
                                         const Target &target);

} // namespace tc::model

#endif // TC_GPU_ATOMS_MULTIPLYRATES_H
