//===- Elementwise.h - Element by element -----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CPURUNTIME_ELEMENTWISE_H
#define TC_LIB_CPURUNTIME_ELEMENTWISE_H

#include "Kernels.h"

#include "tc/CpuRuntime/Contraction.h"
#include "tc/CpuRuntime/Team.h"

#include <array>
#include <memory>
#include <vector>

namespace tc::cpu {

/// D = alpha * op(A) * op(B) + beta * op(C), in which nothing is summed and any
/// tensor may have its indices in any order, or not have some, but for D.
struct ElementwiseProblem {
  enum Place : size_t { A, B, C, D };
  template <typename T> using PerPlace = std::array<T, 4>;

  /// Strides in elements; zero where a tensor repeats its elements.
  struct Axis {
    int64_t extent;
    PerPlace<int64_t> stride;
  };
  std::vector<Axis> axes;
  PerPlace<model::ElementType> type = {};
  /// The type in which elements are multiplied, and that of alpha and beta.
  model::ElementType sums = {};
  PerPlace<bool> conjugates = {};
  PerPlace<int64_t> offset = {};
  /// The same as in `Problem`.
  bool saturates = true;
  /// False if A is multiplied by alpha only.
  bool hasB = true;
};

struct ShortAxes;

/// A plan of such a problem: it does not change, and any number of threads may
/// run it at once.
struct ElementwisePlan {
  /// The axis whose elements are closest in D comes first, and the operand that
  /// repeats its elements along that is B, not A, if there are both: they may
  /// be exchanged.
  ElementwiseProblem problem;
  bool isExchanged = false;
  bool isEmpty = false;

  /// The functions that read elements of A, B and C, and whether these must be
  /// called where elements lie side by side; and the function that brings
  /// elements to D.
  std::array<LoadTile, 3> load = {};
  std::array<bool, 3> mustLoad = {};
  StoreTile store = nullptr;
  bool mustStore = false;
  Combine combine = nullptr;
  Real real = Real::F64;
  /// Tiles of many short indices, if the problem is to have them, and their
  /// functions: elements are moved bit by bit, or are gathered, combined and
  /// brought to D.
  std::shared_ptr<const ShortAxes> shortAxes;
  MoveByTables moveByTables = nullptr;
  std::array<PackPanel, 3> gather = {};
  Finish finish = nullptr;

  /// Parts of the last axis, each for a thread.
  int64_t parts = 1;
  /// The threads that pay, if there are as many.
  int64_t wanted = 1;
  /// True if D is larger than the caches.
  bool streams = false;
  /// The approximate time of a run.
  double seconds = 0;

  /// Computes D. Null stands for an alpha of one; where `c` is null, it is not
  /// read. C may be D, where it lies alike.
  void run(const void *a, const void *b, const void *c, void *d,
           const void *alpha, const void *beta, const Team &team) const;
};

/// None if a complex number would be multiplied by a real one, which takes the
/// kernels of contractions.
std::shared_ptr<const ElementwisePlan>
planElementwise(ElementwiseProblem problem, unsigned threads);

/// D = A, bit by bit, without B and C: both have the type of `problem.sums`.
std::shared_ptr<const ElementwisePlan> planMove(ElementwiseProblem problem,
                                                unsigned threads);

} // namespace tc::cpu

#endif // TC_LIB_CPURUNTIME_ELEMENTWISE_H
