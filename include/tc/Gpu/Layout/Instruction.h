//===- Instruction.h - Multiply instructions and their rates ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The instructions that a target has for a contraction's types. The shapes, and
// the types that go with them, are those of `mma.sync` in the PTX ISA, version
// 9.0, section 9.7.15.5.
//
//===----------------------------------------------------------------------===//

#ifndef TC_GPU_LAYOUT_INSTRUCTION_H
#define TC_GPU_LAYOUT_INSTRUCTION_H

#include "tc/Gpu/Layout/Schedule.h"
#include "tc/Machine/Target.h"

namespace tc::model {

/// The product that one instruction of a warp computes: rows x depth by depth x
/// columns.
struct InstructionShape {
  int64_t rows = 1, columns = 1, depth = 1;
};

/// Lanes of a warp along the rows and along the columns of `mma.sync`.
inline constexpr int64_t matrixLaneRows = 8, matrixLaneColumns = 4;

/// Neighbours in a row of a matrix that `ldmatrix` loads: halves, 16 bytes.
inline constexpr int64_t matrixRowElements = 8;
/// The most of these matrices that one load has.
inline constexpr int64_t matricesOfLoad = 4;

/// One multiply-add for FMA.
InstructionShape shapeOf(Instruction instruction);
inline bool isMatrixInstruction(Instruction instruction) {
  return instruction != Instruction::FMA;
}

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
/// an instruction of the shape that shapeOf() gives each.
int64_t instructionsPerProduct(const Contraction &contraction,
                               Instruction instruction);

/// The instructions worth a look for a contraction: the target's fastest matrix
/// instructions for its types, if any, the deeper first, as far as one access
/// loads what a lane needs along K; then FMA.
std::vector<Instruction> instructionsFor(const Contraction &contraction,
                                         const Target &target);

} // namespace tc::model

#endif // TC_GPU_LAYOUT_INSTRUCTION_H
