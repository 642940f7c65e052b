//===- Phases.h - Time of a kernel with all its waits -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_GPU_COST_PHASES_H
#define TC_LIB_GPU_COST_PHASES_H

#include "tc/Gpu/Cost/BlockWork.h"

namespace tc::model {

/// The work of a block between its beginning and its end, in cycles of a
/// multiprocessor.
struct BlockPhases {
  /// It keeps the busiest of shared memory, schedulers and pipes busy.
  double multiplying = 0;
  /// It waits for data on their way, at its multiprocessor's share of the rates
  /// of the L2 cache and DRAM: of this, the part that it does not overlap with
  /// products.
  double moving = 0;
  /// It waits for nothing that other blocks use: for latencies, at barriers.
  double waiting = 0;

  double alone() const { return multiplying + moving + waiting; }
};

/// Cycles from the end of one block to that of the next, of so many that are on
/// a multiprocessor at once: while one waits for what another uses, it queues
/// (mean value analysis of closed networks: Reiser and Lavenberg, Journal of
/// the ACM 27, 1980).
double cyclesOfEach(const BlockPhases &block, int64_t blocks);

/// Cycles in which the multiprocessor with the most blocks runs them, with all
/// that they wait for, at the rates that are attained. `cost` has its levels.
double predictCycles(const Contraction &contraction, const KernelLayout &layout,
                     const Cost &cost, const BlockWork &work,
                     const Target &target);

} // namespace tc::model

#endif // TC_LIB_GPU_COST_PHASES_H
