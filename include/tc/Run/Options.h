//===- Options.h - What tc-run is asked for ---------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUN_OPTIONS_H
#define TC_RUN_OPTIONS_H

#include "tc/OnDemand/CompileOptions.h"
#include "tc/OnDemand/ContractionOptions.h"
#include "tc/Simulator/Simulator.h"
#include "tc/Support/Result.h"

#include <complex>
#include <cstdint>
#include <optional>
#include <string>

namespace tc::run {

enum class Machine { Simulator, Cuda, Cpu };

/// How machine code is reported of: the figures of its loops, these with the
/// main loop's instructions, or all as JSON.
enum class MachineCodeForm { Summary, Listing, JSON };

/// How predicted times are reported: as text with a timeline, as JSON, or the
/// timeline as a picture.
enum class TimeForm { Summary, JSON, SVG };

/// A thing to print in place of running anything.
enum class Emission { PTX };

/// How results are checked.
struct Check {
  /// Elements to compare: 0 means all, nothing as many as are affordable.
  std::optional<int64_t> samples;
};

/// What the user asks for, as it was parsed and checked.
struct Options : CompileOptions, ContractionOptions, CacheOptions {
  /// A specification or the path of a file.
  std::string input;

  // What the contraction is.
  std::optional<std::string> extents, shapes, type, typeA, typeB, layout;
  std::optional<model::Constant> alpha, beta;

  // How it is compiled.
  std::string chip = "sm_90";
  /// Whether all elements of C are added up.
  bool reduces = false;
  /// The extents that kernels which take these as arguments are tuned for, one
  /// after the other, if they are not those that they run with.
  std::vector<std::string> tunedFor;
  /// The strides that such kernels run with, if tensors are not contiguous.
  std::optional<std::string> strides;

  // Where it runs, and what for.
  Machine machine = Machine::Simulator;
  int device = 0;
  std::string blocks = "all";
  bool leastAligned = false;
  unsigned workers = 0;
  sim::Detectors detectors;
  /// How many PTX lines a profile shows, if one is asked for.
  std::optional<unsigned> profile;
  std::optional<uint64_t> seed;
  /// Whether nothing is run once it is compiled.
  bool compileOnly = false;
  std::optional<Check> check;
  /// Timed runs, if any.
  std::optional<int> repeats;

  /// Of the host's processor, for the simulation of one block.
  double secondsPerBlock = sim::LaunchConfig().secondsPerBlock;

  // What is reported.
  /// The target to print instead of running anything.
  std::optional<std::string> targetInfo;
  bool json = false;
  std::optional<Emission> emit;
  /// How the machine code is reported of, if that is asked for.
  std::optional<MachineCodeForm> machineCode;
  /// How the time of the machine code is reported of, likewise.
  std::optional<TimeForm> time;
  /// Where to write the package, if anywhere.
  std::string package;
  /// Where to write the lowered MLIR, if anywhere.
  std::string mlir;
  /// Whether schedules are explained instead of compiled: printed, and written
  /// to files that have a name.
  bool explain = false;
  std::string explainHtml, explainJson;
  /// Schedules that are explained beside the chosen one.
  unsigned runnersUp = 5;
  bool explains() const {
    return explain || !explainHtml.empty() || !explainJson.empty();
  }
  /// Whether ptxas is asked for registers.
  bool assemble = true;
  /// The folder of files for a report of a bug, if they are asked for; and the
  /// command line that they quote.
  std::string bugReport;
  std::vector<std::string> arguments;
};

/// Parses the command line. Prints what --help and --version ask for and ends
/// the program, as LLVM's tools do. The error is empty where LLVM has printed
/// it.
Result<Options> parseCommandLine(int argc, char **argv);

} // namespace tc::run

#endif // TC_RUN_OPTIONS_H
