//===- Ranking.h - Does the model order schedules rightly? ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Draws random feasible schedules and compares the order of their predicted
// sectors with that of their counted ones.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_MODELSIMULATION_RANKING_H
#define TC_TEST_MODELSIMULATION_RANKING_H

#include "SimulatedKernel.h"

#include <random>

namespace tc::model::test {

/// Global sectors of kernels that compute the same with different schedules.
struct Ranking {
  /// Of the whole grid, by `countAccesses` and by `countTraffic`.
  std::vector<double> accesses, traffic;
  /// Of some blocks, scaled up to the grid.
  std::vector<double> counted;
};

/// Compiles that many schedules for a target, and simulates up to twelve random
/// blocks of each.
Result<Ranking> rankRandomSchedules(mlir::MLIRContext &context,
                                    const Contraction &contraction,
                                    const Target &target, unsigned schedules,
                                    std::mt19937 &random);

/// Spearman's rank correlation. Equal values share the mean of their ranks.
double rankCorrelation(const std::vector<double> &a,
                       const std::vector<double> &b);

} // namespace tc::model::test

#endif // TC_TEST_MODELSIMULATION_RANKING_H
