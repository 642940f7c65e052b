//===- ScheduleSearch.h - Choosing a schedule -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_MODEL_SCHEDULESEARCH_H
#define TC_MODEL_SCHEDULESEARCH_H

#include "tc/Model/KernelLayout.h"

namespace tc::model {

/// Global memory traffic of a kernel.
struct Traffic {
  /// Sectors that each tensor's accesses move, C counted once for its store
  /// and once more if it is read.
  PerTensor<double> sectors = {};

  double total() const { return sectors[0] + sectors[1] + sectors[2]; }
};

/// Counts sectors from the lengths of contiguous runs in each tile (Kim et al.,
/// "A Code Generator for High-Performance Tensor Contractions on GPUs", CGO
/// 2019, algorithm 3, on 32-byte sectors instead of 128-byte transactions).
Traffic countTraffic(const Contraction &contraction, const KernelLayout &layout,
                     const Target &target);

/// The feasible schedule of least cost; deterministic. Fails if no schedule is
/// feasible, naming what every candidate exceeds.
Result<Schedule> searchSchedule(const Contraction &contraction,
                                const Target &target);

} // namespace tc::model

#endif // TC_MODEL_SCHEDULESEARCH_H
