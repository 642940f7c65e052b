//===- CpuStores.h - Stores of sums to C on a CPU ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The elements of a register tile that lie side by side in C, and the number of
// them that one store can write that bypasses the caches.
//
//===----------------------------------------------------------------------===//

#ifndef TC_CPU_CPUSTORES_H
#define TC_CPU_CPUSTORES_H

#include "tc/Cpu/CpuSchedule.h"

namespace tc::model {

/// Elements along a side's first index, all of it, if panels consist of such
/// runs; else all of a panel.
int64_t runInPanel(const CpuSide &side);

/// With CpuSchedule::stream: elements of each store that bypasses the caches,
/// if C's base is aligned to as many; zero where C's strides rule it out, or
/// without CpuSchedule::stream. More than a chunk of rows are vectors that run
/// on from one column to the next, as C does.
int64_t streamedElements(const Contraction &contraction,
                         const CpuSchedule &schedule, const CpuLayout &layout);

/// Bytes that C's base has to be a multiple of for `streamedElements`: those of
/// a store, or of a cache line where each run begins at one if C does.
int64_t alignmentToStream(const Contraction &contraction,
                          int64_t streamedElements);

/// Elements of C, side by side, that are stored one after the other before
/// others are.
int64_t storedRun(const CpuSchedule &schedule, const CpuLayout &layout);

} // namespace tc::model

#endif // TC_CPU_CPUSTORES_H
