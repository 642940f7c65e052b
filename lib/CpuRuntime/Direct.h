//===- Direct.h - Products of elements where they lie -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products of tensors that the caches hold, in register tiles that read both
// operands where they lie: what panels would take to be filled does not pay.
// Only rows that lie apart are brought side by side. Small products are
// computed so by Heinecke et al., "LIBXSMM: Accelerating Small Matrix
// Multiplications by Runtime Code Generation" (SC 2016).
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CPURUNTIME_DIRECT_H
#define TC_LIB_CPURUNTIME_DIRECT_H

#include "Axes.h"
#include "Kernels.h"
#include "Plan.h"

#include "tc/CpuRuntime/Team.h"

#include <memory>
#include <vector>

namespace tc::cpu {

/// A plan of such a problem: it does not change, and any number of threads may
/// run it at once. Of its tensors, A has the rows and B the columns.
struct DirectPlan {
  /// True if the problem's B has the rows.
  bool isExchanged = false;
  /// The index along which elements of C lie side by side, and another one of
  /// C that B alone has.
  Axis rows, columns;
  /// Summed: an index, and the places of the values of others, in bytes.
  Axis terms;
  std::vector<DirectTile::Place> outer;
  /// Further indices: those of A, for each of which rows are packed, and those
  /// of B and C alone.
  std::vector<Axis> ofRows, ofColumns;
  int64_t rowValues = 1, columnValues = 1;

  const DirectKernels *kernels = nullptr;
  Real real = Real::F64;
  /// Real numbers of an element, and of a vector.
  int64_t parts = 1, lanes = 1;
  int64_t elementBytes = 8;
  model::PerTensor<int64_t> offset = {};
  model::PerTensor<bool> conjugates = {};

  /// Vectors of all rows, and the parts that these and the columns are cut
  /// into, as equal as may be.
  int64_t vectors = 1, panels = 1, columnTiles = 1;

  /// The function that fills panels of rows that lie apart; null if they lie
  /// side by side.
  PackPanel pack = nullptr;
  /// The places of rows and of summed values in A, and how many lie side by
  /// side from each on.
  std::vector<int64_t> rowOffsets, termOffsets;
  std::vector<int32_t> rowRuns, termRuns;
  /// Bytes of all packed rows of a value of K.
  int64_t packedTerm = 0;

  /// True if C's lines are fetched before products are added up.
  bool prefetches = false;
  /// True if panels are the inner loop, so that C is written along its memory.
  bool panelsInside = false;

  /// The threads that share it out, and those that pay.
  int64_t threads = 1, wanted = 1;
  /// The approximate time of a run, and that of one thread.
  double seconds = 0, secondsAlone = 0;

  /// Tiles of columns, for all of whose rows one thread multiplies.
  int64_t units() const { return rowValues * columnValues * columnTiles; }

  /// Computes C, as `Contraction::run` does.
  [[nodiscard]] Outcome run(const void *a, const void *b, void *c,
                            const void *alpha, const void *beta,
                            const Team &team) const;
};

/// The plan of a problem that sums, for so many threads at most; null if there
/// are no kernels for its types, if no index of C's memory is that of one
/// operand, or if one thread is predicted to take as long as that, or longer.
std::shared_ptr<const DirectPlan>
planDirect(const Problem &problem, unsigned threads, double secondsToBeat);

} // namespace tc::cpu

#endif // TC_LIB_CPURUNTIME_DIRECT_H
