//===- Copy.h - Contractions that only move elements ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CPURUNTIME_COPY_H
#define TC_LIB_CPURUNTIME_COPY_H

#include "Elementwise.h"

namespace tc::cpu {

/// C = A with the indices in another order, if B is the number one and nothing
/// is added to C: elements are moved bit by bit then.
struct CopyPlan {
  std::shared_ptr<const ElementwisePlan> moves;
  int64_t offsetB = 0;
  model::ElementType typeOfB = {};

  /// Returns true if B is one, so that this computes the contraction.
  bool applies(const void *b) const;
  void run(const void *a, void *c, const Team &team) const {
    moves->run(a, nullptr, nullptr, c, nullptr, nullptr, team);
  }
};

/// The plan of a problem that is one if its B is one; null for others.
std::unique_ptr<const CopyPlan> planCopy(const Problem &problem,
                                         unsigned threads);

} // namespace tc::cpu

#endif // TC_LIB_CPURUNTIME_COPY_H
