//===- PackageSimulation.h - Packages in the simulator ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_PACKAGESIMULATION_PACKAGESIMULATION_H
#define TC_PACKAGESIMULATION_PACKAGESIMULATION_H

#include "tc/Buffers/Problem.h"
#include "tc/Simulator/Simulator.h"

#include <functional>

namespace tc::runtime {

/// Checks that a description fits its PTX: target, entries, parameters, thread
/// counts, static shared memory. Errors name the JSON path at fault.
Status checkAgainstPTX(const Package &package, const sim::Module &module);

/// Checks that a description fits its cubin: that it is one, and has the
/// entries. Errors name the JSON path at fault.
Status checkAgainstCubin(const Package &package, std::string_view cubin);

/// Checks that a description fits its code, of either kind.
Status checkAgainstCode(const LoadedPackage &loaded);

struct SimulationOptions {
  /// Blocks to run; empty means all.
  std::vector<int64_t> blocks;
  /// Host threads; 0 means one a core.
  unsigned workers = 0;
  /// The errors to watch for.
  sim::Detectors detectors;
  /// True if tensors lie at addresses that are aligned as the kernel demands
  /// and no better, so that wider accesses show.
  bool leastAligned = false;
  /// See sim::LaunchConfig.
  uint64_t instructionLimit = sim::LaunchConfig().instructionLimit;
  double secondsPerBlock = sim::LaunchConfig().secondsPerBlock;
  /// True to count by instruction and by loop.
  bool profile = false;
  /// See sim::LaunchConfig.
  std::function<void(uint64_t done, uint64_t blocks)> progress;
};

/// Runs a kernel on the problem's tensors, in place.
Result<sim::Counters> simulate(const Kernel &kernel, const sim::Module &module,
                               Problem &problem,
                               const SimulationOptions &options);

} // namespace tc::runtime

#endif // TC_PACKAGESIMULATION_PACKAGESIMULATION_H
