//===- Options.h - Options of tc-run ----------------------------*- C++ -*-===//
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

/// Forms of reports of machine code: the figures of its loops, these with the
/// main loop's instructions, or all as JSON.
enum class MachineCodeForm { Summary, Listing, JSON };

/// Forms of reports of predicted times: as text with a timeline, as JSON, or
/// the timeline as a picture.
enum class TimeForm { Summary, JSON, SVG };

/// A thing to print in place of running anything.
enum class Emission { PTX };

/// Options of the check of results.
struct Check {
  /// Elements to compare: 0 means all, nothing as many as are affordable.
  std::optional<int64_t> samples;
};

/// Options of the user, as they were parsed and checked.
struct Options : CompileOptions, ContractionOptions, CacheOptions {
  /// A specification or the path of a file.
  std::string input;

  // Options of the contraction.
  std::optional<std::string> extents, shapes, type, typeA, typeB, layout;
  std::optional<model::Constant> alpha, beta;

  // Options of the compilation.
  std::string chip = "sm_90";
  /// True if all elements of C are added up.
  bool reduces = false;
  /// The extents that kernels which take these as arguments are tuned for, one
  /// after the other, if they are not those that they run with.
  std::vector<std::string> tunedFor;
  /// The strides that such kernels run with, if tensors are not contiguous.
  std::optional<std::string> strides;

  // Machine that runs the code, and purpose of the run.
  Machine machine = Machine::Simulator;
  int device = 0;
  std::string blocks = "all";
  bool leastAligned = false;
  unsigned workers = 0;
  sim::Detectors detectors;
  /// Number of PTX lines that a profile shows, if one is asked for.
  std::optional<unsigned> profile;
  std::optional<uint64_t> seed;
  /// True if nothing is run once it is compiled.
  bool compileOnly = false;
  std::optional<Check> check;
  /// Timed runs, if any.
  std::optional<int> repeats;

  /// Of the host's processor, for the simulation of one block.
  double secondsPerBlock = sim::LaunchConfig().secondsPerBlock;

  // Options of reports.
  /// The target to print instead of running anything.
  std::optional<std::string> targetInfo;
  bool json = false;
  std::optional<Emission> emit;
  /// Form of the report of the machine code, if that is asked for.
  std::optional<MachineCodeForm> machineCode;
  /// Form of the report of the time of the machine code, likewise.
  std::optional<TimeForm> time;
  /// File for the package, if one is asked for.
  std::string package;
  /// File for the lowered MLIR, if one is asked for.
  std::string mlir;
  /// True if schedules are explained instead of compiled: printed, and written
  /// to files that have a name.
  bool explain = false;
  std::string explainHtml, explainJson;
  /// Schedules that are explained beside the chosen one.
  unsigned runnersUp = 5;
  bool explains() const {
    return explain || !explainHtml.empty() || !explainJson.empty();
  }
  /// True if ptxas is asked for registers.
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
