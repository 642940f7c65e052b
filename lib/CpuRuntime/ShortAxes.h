//===- ShortAxes.h - Tiles of many short indices ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Element by element, where the indices along memory are short in D or in an
// operand: tiles are of several indices of each, and tables say where their
// elements lie.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CPURUNTIME_SHORTAXES_H
#define TC_LIB_CPURUNTIME_SHORTAXES_H

#include "Elementwise.h"

namespace tc::cpu {

/// Tiles that are alike. Offsets are in elements.
struct ShortAxes {
  template <typename T> using PerPlace = ElementwiseProblem::PerPlace<T>;

  /// Elements of a tile, in the order of D's memory.
  int64_t count = 0;
  PerPlace<std::vector<int64_t>> offsets;
  /// For each element, those from it on that lie side by side.
  PerPlace<std::vector<int32_t>> runs;
  /// Elements that lie side by side in A, for each of those that lie side by
  /// side in D, and the other way round, if these are of different indices and
  /// elements are moved: a tile is a matrix that is transposed. Empty
  /// otherwise.
  std::vector<int64_t> linesOfA, linesOfD;
  /// Indices outside of tiles, the closest in D first, and their values.
  std::vector<ElementwiseProblem::Axis> outer;
  int64_t tiles = 1;

  /// Computes the tiles from one on, up to another.
  void run(const ElementwisePlan &plan,
           const ElementwiseProblem::PerPlace<char *> &at, int64_t first,
           int64_t end, const void *alpha, const void *beta, bool readsC) const;

private:
  /// Moves the elements of a tile that is a matrix.
  void transpose(const ElementwisePlan &plan, const char *from, char *to) const;
};

/// The tiles of a problem whose axes are arranged, and whose elements are moved
/// bit by bit or computed with; null if other tiles are as good, as those of
/// long indices are.
std::shared_ptr<const ShortAxes>
planShortAxes(const ElementwiseProblem &problem, bool moves);

} // namespace tc::cpu

#endif // TC_LIB_CPURUNTIME_SHORTAXES_H
