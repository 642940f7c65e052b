//===- Execution.h - Execution time of a kernel's blocks --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_GPU_COST_EXECUTION_H
#define TC_LIB_GPU_COST_EXECUTION_H

#include "tc/Gpu/Cost/BlockWork.h"

namespace tc::model {

/// Cycles in which the multiprocessors run all blocks, wave by wave, with the
/// latency that neither other blocks nor other warps hide, if all else
/// overlaps.
double wavesCycles(const Contraction &contraction, const KernelLayout &layout,
                   const Occupancy &occupancy, const BlockWork &work,
                   const Target &target);

/// Each warp belongs to the scheduler of one partition: how much longer the one
/// with the most takes than if warps could be shared out evenly.
double imbalance(int64_t warps, const Target &target);

/// Bytes of the partial sums of all blocks; zero if they share none.
double partialSumBytes(const Contraction &contraction,
                       const KernelLayout &layout);

} // namespace tc::model

#endif // TC_LIB_GPU_COST_EXECUTION_H
