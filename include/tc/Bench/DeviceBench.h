//===- DeviceBench.h - Measuring on a device --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_BENCH_DEVICEBENCH_H
#define TC_BENCH_DEVICEBENCH_H

#include "tc/Bench/Contender.h"
#include "tc/Package/Conditions.h"

namespace tc::bench {

/// The way in which the L2 cache is emptied of operands before each run.
enum class Flush {
  Read, ///< reading other memory; nothing is left to be written back
  Write ///< writing other memory
};

struct DeviceBenchOptions {
  int device = 0;
  /// Timed runs of each contender on each case, after `warmUps` that are not.
  int repeats = 20, warmUps = 3;
  Flush flush = Flush::Read;
  uint64_t seed = 0;
  /// Elements of C that each contender's result is compared at; nothing means
  /// as many as take about a second.
  std::optional<int64_t> samples;
  /// Names of the peers to measure beside tc: "cublas", "cutensor" and
  /// "cutensor-best".
  std::vector<std::string> peers = {"cublas", "cutensor", "cutensor-best"};
  /// Paths of the libraries; empty if they are to be searched for.
  std::string cublasPath, cutensorPath;
};

/// A device, made ready for measuring, and the peers that there are.
class DeviceBench {
public:
  /// Opens the device and the peers, and measures the copy bandwidth. A peer
  /// that cannot be opened is no error; `describe` says why.
  static Result<DeviceBench> open(const DeviceBenchOptions &options);

  /// Fills in the fields that are the same for all cases.
  void describe(Results &results) const;

  /// Checks that the device still works: a fault of one kernel ends that for
  /// the whole program.
  Status check() const;

  /// Runs all contenders on a case: each alone, its result checked; then those
  /// whose result is right by turns, timed. An error is that of a case that
  /// cannot be run at all; a failure of one contender is in its outcome.
  Result<CaseResult> run(const Suite &suite, const Case &test);

private:
  struct State;
  explicit DeviceBench(std::shared_ptr<State> state)
      : state(std::move(state)) {}

  std::shared_ptr<State> state;
};

} // namespace tc::bench

#endif // TC_BENCH_DEVICEBENCH_H
