//===- AheadOfTimeCosts.h - Costs of ahead-of-time kernels ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tuned numbers that kernels which are compiled ahead of time have besides
// `CpuCosts`, each with its source. No target has others: these kernels run on
// the machine at hand, whatever code is made for.
//
//===----------------------------------------------------------------------===//

#ifndef TC_MACHINE_AHEADOFTIMECOSTS_H
#define TC_MACHINE_AHEADOFTIMECOSTS_H

#include <cstdint>

namespace tc::model {

struct AheadOfTimeCosts {
  /// No rows are packed where one operand has at most so many columns and the
  /// other one as many rows as `manyRows`, or both have few and K is as long as
  /// `manyRows`. Intel Xeon with AVX-512, 2026-11-26: a matrix of
  /// 1000x1000 times a vector took 0.28 ms so, and 0.64 with panels.
  int64_t fewColumnsOfManyRows = 2, fewRowsAndColumns = 4, manyRows = 64;
  /// Columns from which on it does not matter how rows are packed, as each is
  /// used so often. Intel Xeon with AVX-512, TCCG, 2026-11-26.
  int64_t manyColumns = 1024;
  /// Values of K of a block: the least whose sums are worth storing, the most
  /// that gains, the most where rows are packed across, for longer blocks of
  /// rows, and the step. Intel Xeon with AVX-512, TCCG, 2026-11-26.
  int64_t leastDepth = 64, mostDepth = 512, mostDepthAcross = 128,
          depthStep = 4;
  /// The most bytes of a block of columns in a last cache that is larger.
  /// Guess, 2026-11.
  int64_t mostColumnBytes = int64_t(8) << 20;
  /// Results of more bytes than so many of the second cache are stored past the
  /// caches. Intel Xeon with AVX-512, TCCG, 2026-11-26.
  double streamedCaches = 4;
  /// Chunks that a vector is stored in where a tile crosses the end of a run of
  /// C. Guess, 2026-11.
  double chunksOfCutVector = 2;
  /// Of tiles that take as long, the one is taken that loads least: the weight
  /// of an element of rows and of one of columns that is loaded, in products.
  /// Intel Xeon with AVX-512, TCCG, 2026-11-26.
  double loadedRowWeight = 0.1, loadedColumnWeight = 0.3;
  /// Elements that are packed or stored, or added up where they lie, in a
  /// second. Intel Xeon with AVX-512, 2026-11-26.
  double elementsPerSecond = 3e9;
  /// The same of bytes, where nothing is summed. Intel Xeon with AVX-512,
  /// 2026-11-26.
  double bytesPerSecond = 8e9;
  /// The least time of a part of a product, and the least bytes of a part of a
  /// result, for which it is worth waking a thread. Intel Xeon with AVX-512, 2
  /// threads, 2026-11-26.
  double leastShareSeconds = 1.5e-5, leastShareBytes = 1 << 20;
};
inline constexpr AheadOfTimeCosts aheadOfTimeCosts;

} // namespace tc::model

#endif // TC_MACHINE_AHEADOFTIMECOSTS_H
