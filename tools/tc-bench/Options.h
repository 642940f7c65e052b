//===- Options.h - The command line of tc-bench -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_TOOLS_TC_BENCH_OPTIONS_H
#define TC_TOOLS_TC_BENCH_OPTIONS_H

#include "tc/Bench/DeviceBench.h"
#include "tc/Bench/SimulatorBench.h"

#include <regex>

namespace tc::bench {

enum class Machine { Cuda, Simulator };

struct Options {
  std::string suite;
  Machine machine = Machine::Cuda;
  DeviceBenchOptions device;
  SimulatorBenchOptions simulator;
  /// Without it, each run has another; a resumed one has that of the first.
  std::optional<uint64_t> seed;
  /// Only cases in whose names it is found.
  std::optional<std::regex> only;
  /// Seconds after which no further case is begun.
  std::optional<double> timeLimit;
  /// The file that the results go to, if any, and the one that they continue.
  std::string output, resume;
  /// True if cases in which tc failed earlier are not measured again.
  bool keepFailed = false;
  bool json = false;
  /// True if a line says how far the run is; without it, a terminal has one.
  std::optional<bool> progress;
  /// True if refused cases, failed peers and cases not run are failures too.
  bool strict = false;
  bool help = false, version = false;
};

extern const char *const usage;

Result<Options> parseOptions(int argc, char **argv);

} // namespace tc::bench

#endif // TC_TOOLS_TC_BENCH_OPTIONS_H
