//===- Skinny.h - Sums of products that are read once -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dot products, products of matrices and vectors, sums, and others whose
// elements are each used a few times: what they take is reading their operands.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CPURUNTIME_SKINNY_H
#define TC_LIB_CPURUNTIME_SKINNY_H

#include "Axes.h"
#include "Plan.h"

#include "tc/CpuRuntime/Contraction.h"
#include "tc/CpuRuntime/Team.h"

#include <array>
#include <memory>
#include <vector>

namespace tc::cpu {

/// A plan of such a problem: it does not change, and any number of threads may
/// run it at once.
struct SkinnyPlan {
  /// True if B comes first: an operand that is complex, where the other one is
  /// real, or that vectors go along.
  bool isExchanged = false;
  Product product = Product::Real;
  /// False if the second operand is one number.
  bool hasSecond = true;

  /// True if vectors go along what is summed, and else along C.
  bool alongSums = true;
  /// The indices that vectors go along. The places of several are in tables, of
  /// A and B, and of C.
  std::vector<Axis> vectors;
  std::vector<Dimension> vectorDimensions, resultDimensions;
  /// An index that is summed, whose values are the lines of a tile.
  Axis lines;
  /// Indices of C whose values are, along sums, rows of the first operand, and
  /// columns of the second one.
  Axis rows, columns;
  /// Steps from block to block of C, and from tile to tile of one. The first
  /// ones are those of columns and, along sums, of rows; and those of lines
  /// and, along sums, of vectors.
  std::vector<Axis> resultBlockAxes, tileAxes;
  /// The place of those of vectors along C.
  size_t vectorAxis = 0;
  /// The part of each in a tile.
  int64_t vectorBlock = 1, lineBlock = 1, rowBlock = 1, columnBlock = 1;
  /// Rows that are brought to a buffer at a time.
  int64_t rowGroup = 1;
  bool usesTables() const { return vectors.size() > 1; }
  /// Values of all indices that vectors go along.
  int64_t vectorCount() const;

  /// True if elements of an operand are used where they lie.
  std::array<bool, 2> isInPlace = {};
  std::array<LoadTile, 2> load = {};
  std::array<PackPanel, 2> gather = {};
  Finish finish = nullptr;
  SkinnyKernels kernels = {};
  /// The number one, as kernels read operands.
  const void *one = nullptr;
  Real real = Real::F64;
  /// Real numbers of an element, and of a vector.
  int64_t parts = 1, lanes = 1;
  model::PerTensor<bool> conjugates = {};
  model::PerTensor<bool> isComplex = {};
  model::PerTensor<int64_t> offset = {}, bytes = {};

  /// Blocks of C, and parts of their sums, each of which is added up by itself:
  /// how many does not depend on threads.
  int64_t resultBlocks = 1, sumParts = 1;
  /// Tiles of a block of C.
  int64_t tiles = 1;
  /// Products that are added up one after the other where vectors go along C,
  /// before they are added to totals.
  static constexpr int64_t mostInSums = 128;
  /// True if a sum is that of one tile or, along C, of no more products, so
  /// that there are no totals besides.
  bool hasFewSums = false;
  /// True if sums are those of one tile, along elements of C that lie side by
  /// side in the type of sums.
  bool mayBeDirect = false;
  /// The threads that share them out.
  int64_t threads = 1;
  /// The threads that pay, if there are as many.
  int64_t wanted = 1;
  /// Bytes of the memory of a task, and of the sums of a block.
  int64_t taskBytes = 0, sumBytes = 0;
  /// The approximate time of a run, and that of one thread.
  double seconds = 0, secondsAlone = 0;

  /// Computes C, as `Contraction::run` does.
  [[nodiscard]] Outcome run(const void *a, const void *b, void *c,
                            const void *alpha, const void *beta,
                            const Team &team) const;
};

/// The plan of a problem that sums, for so many threads at most; null if an
/// extent is zero, if a product of its types is not computed so, or if one
/// thread is predicted to take as long as that, or longer.
std::shared_ptr<const SkinnyPlan>
planSkinny(const Problem &problem, unsigned threads, double secondsToBeat);

} // namespace tc::cpu

#endif // TC_LIB_CPURUNTIME_SKINNY_H
