//===- MultiplyAtom.h - Instructions that multiply --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A table of the instructions that kernels multiply with: their shapes, and the
// threads and places that operands are spread over. Layouts, costs and
// lowerings ask for a column and never for a certain instruction.
//
//===----------------------------------------------------------------------===//

#ifndef TC_GPU_ATOMS_MULTIPLYATOM_H
#define TC_GPU_ATOMS_MULTIPLYATOM_H

#include "tc/Gpu/Atoms/Completion.h"

#include <cstddef>
#include <optional>
#include <string_view>

namespace tc::model {

/// Threads of a warp, as PTX has them for `mma.sync` and shuffles; the figure
/// of a target is for costs.
inline constexpr int64_t warpThreads = 32;

/// The instruction that multiplies: fused multiply-adds of single threads, or
/// the tensor core operation `mma.sync` of that shape (rows x columns x depth)
/// for whole warps.
enum class Instruction : unsigned {
  FMA,
  MmaM8N8K4,
  MmaM16N8K4,
  MmaM16N8K8,
  MmaM16N8K16,
  MmaM16N8K32
};

/// The product that one instruction computes: rows x depth by depth x columns.
struct InstructionShape {
  int64_t rows = 1, columns = 1, depth = 1;

  constexpr int64_t multiplyAdds() const { return rows * columns * depth; }
};

/// Threads of an instruction along the rows and along the columns of its sums;
/// those along the columns also share out what is summed over.
struct LaneGrid {
  int64_t rows = 1, columns = 1;
};

/// The memory that an instruction takes factors from.
enum class FactorPlace : std::uint8_t { Registers, SharedMemory };

/// Lanes of a warp along the rows and along the columns of `mma.sync`.
inline constexpr LaneGrid warpLanes = {8, 4};

/// One line of the table.
struct MultiplyAtom {
  Instruction instruction = Instruction::FMA;
  /// As schedules write it: "mma_m16n8k8".
  std::string_view name;
  InstructionShape shape;
  /// Threads that take part: one, or those of a warp.
  int64_t threads = 1;
  LaneGrid lanes;
  FactorPlace factors = FactorPlace::Registers;
  /// The moment from which its sums may be read.
  Completion completion = Completion::InOrder;

  /// Several threads have parts of the factors and the sums of one instruction.
  constexpr bool isCollective() const { return threads > 1; }
  /// Sums of one instruction that a thread has along the rows and the columns.
  constexpr int64_t sumRows() const { return shape.rows / lanes.rows; }
  constexpr int64_t sumColumns() const { return shape.columns / lanes.columns; }
  /// Values of k of one instruction that a thread has of either factor.
  constexpr int64_t laneDepth() const { return shape.depth / lanes.columns; }
};

/// All lines, in the order of the instructions. The shapes of `mma.sync`, and
/// the lanes that have their elements, are those of the PTX ISA, version 9.0,
/// section 9.7.15.5.
inline constexpr MultiplyAtom multiplyAtoms[] = {
    {Instruction::FMA, "fma", {1, 1, 1}, 1, {1, 1}},
    {Instruction::MmaM8N8K4, "mma_m8n8k4", {8, 8, 4}, warpThreads, warpLanes},
    {Instruction::MmaM16N8K4,
     "mma_m16n8k4",
     {16, 8, 4},
     warpThreads,
     warpLanes},
    {Instruction::MmaM16N8K8,
     "mma_m16n8k8",
     {16, 8, 8},
     warpThreads,
     warpLanes},
    {Instruction::MmaM16N8K16,
     "mma_m16n8k16",
     {16, 8, 16},
     warpThreads,
     warpLanes},
    {Instruction::MmaM16N8K32,
     "mma_m16n8k32",
     {16, 8, 32},
     warpThreads,
     warpLanes},
};

constexpr const MultiplyAtom &atomOf(Instruction instruction) {
  return multiplyAtoms[static_cast<size_t>(instruction)];
}

/// "fma", "mma_m8n8k4", ...
constexpr std::string_view stringify(Instruction instruction) {
  return atomOf(instruction).name;
}
/// The instruction of that name, if there is one.
std::optional<Instruction> symbolizeInstruction(std::string_view name);

/// "registers", "shared memory".
std::string_view stringify(FactorPlace place);

/// Rows of a matrix that `ldmatrix` loads, and neighbours in each: halves, 16
/// bytes.
inline constexpr int64_t matrixRowElements = 8;
/// The most of these matrices that one load has.
inline constexpr int64_t matricesOfLoad = 4;

} // namespace tc::model

#endif // TC_GPU_ATOMS_MULTIPLYATOM_H
