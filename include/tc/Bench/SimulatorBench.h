//===- SimulatorBench.h - Counting where there is no device -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_BENCH_SIMULATORBENCH_H
#define TC_BENCH_SIMULATORBENCH_H

#include "tc/Bench/Results.h"
#include "tc/Bench/Suite.h"

namespace tc::bench {

struct SimulatorBenchOptions {
  /// As tc-run's --blocks.
  std::string blocks = "first,middle,last,edge";
  uint64_t seed = 0;
  /// Host threads; 0 means one a core.
  unsigned workers = 0;
  /// Elements of C to compare; nothing means as many as take about a second.
  std::optional<int64_t> samples;
};

/// Fills in the fields that are the same for all cases.
void describe(const SimulatorBenchOptions &options, Results &results);

/// Simulates chosen blocks of a case's PTX, checks their results, and reports
/// their counters, beside ptxas's figures if the suite has them.
Result<CaseResult> simulateCase(const Suite &suite, const Case &test,
                                const SimulatorBenchOptions &options);

} // namespace tc::bench

#endif // TC_BENCH_SIMULATORBENCH_H
