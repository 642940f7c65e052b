//===- Copy.h - Contractions that only move elements ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CPURUNTIME_COPY_H
#define TC_LIB_CPURUNTIME_COPY_H

#include "tc/CpuRuntime/Contraction.h"

#include <memory>
#include <vector>

namespace tc::cpu {

/// C = A with the indices in another order, if B is the number one and nothing
/// is added to C: no panels are packed then.
struct CopyPlan {
  /// Strides in A and C, in elements.
  struct Dimension {
    int64_t extent, ofA, ofC;
  };
  /// What lies closest in C comes first.
  std::vector<Dimension> dimensions;
  int64_t offsetA = 0, offsetB = 0, offsetC = 0;
  model::ElementType type = {}, typeOfB = {};
  /// Parts of the last dimension, each for a thread.
  int64_t parts = 1;

  /// Whether B is one, so that this computes the contraction.
  bool applies(const void *b) const;
  void run(const void *a, void *c) const;
};

/// The plan of a problem that is one if its B is one; null for others.
std::unique_ptr<const CopyPlan> planCopy(const Problem &problem,
                                         unsigned threads);

} // namespace tc::cpu

#endif // TC_LIB_CPURUNTIME_COPY_H
