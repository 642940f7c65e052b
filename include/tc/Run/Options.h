//===- Options.h - What tc-run is asked for ---------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUN_OPTIONS_H
#define TC_RUN_OPTIONS_H

#include "tc/Import/ParsedContraction.h"
#include "tc/OnDemand/CompileOptions.h"
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

/// What the user asks for, as it was parsed and checked.
struct Options {
  /// A specification or the path of a file.
  std::string input;

  // What the contraction is.
  std::optional<std::string> extents, shapes, type, typeA, typeB;
  std::optional<std::string> precision, semiring, layout;
  notation::SemiringTexts userSemiring;
  std::optional<std::string> prologueA, prologueB, epilogue;
  std::optional<model::Constant> alpha, beta;
  bool conjugatesA = false, conjugatesB = false;
  bool allowsThreeProducts = false;
  /// Whether numbers beyond the range of an 8-bit float become its largest one.
  bool saturates = true;

  // How it is compiled.
  std::string chip = "sm_90";
  /// A description of the machine to compile for, instead of a chip.
  std::string targetFile;
  std::string schedule;
  /// The tuning database to consult, if the user says.
  std::optional<std::string> tuned;
  /// The best schedules that are compiled to machine code, whose time decides.
  unsigned refine = 1;
  /// Whether one kernel may add up several contractions.
  bool mergesSums = true;
  bool fusesChains = true;
  /// Whether all elements of C are added up.
  bool reduces = false;
  /// Whether kernels have versions for tensors that are not aligned.
  bool anyAlignment = false;
  /// Whether kernels take extents and strides as arguments; and the extents
  /// that they are tuned for, one after the other, if these are not those that
  /// they run with.
  bool dynamicShapes = false;
  std::vector<std::string> tunedFor;
  /// The strides that such kernels run with, if tensors are not contiguous.
  std::optional<std::string> strides;
  /// For a CPU: "auto", or the name of a strategy; the bytes that its copies
  /// may take, if there is a limit.
  std::string strategy = "auto";
  std::optional<int64_t> workspaceLimit;
  /// Bytes that temporaries of a product of many tensors may take, if there is
  /// a limit.
  std::optional<int64_t> memoryLimit;
  /// For a CPU: whether contractions that feed one another are computed in
  /// tiles: "auto", "always" or "never".
  std::string tileChains = "auto";
  /// The folder of the cache of code for the CPU, or "off", if the user says.
  std::optional<std::string> cache;
  int64_t cacheBytes = defaultCacheBytes;

  // Where it runs, and what for.
  Machine machine = Machine::Simulator;
  int device = 0;
  std::string blocks = "all";
  bool leastAligned = false;
  unsigned workers = 0;
  /// With Machine::Cpu: threads that chosen schedules may use; by default one
  /// for each core that this process may use.
  std::optional<unsigned> threads;
  sim::Detectors detectors;
  /// How many PTX lines a profile shows, if one is asked for.
  std::optional<unsigned> profile;
  std::optional<uint64_t> seed;
  /// Whether nothing is run once it is compiled.
  bool compileOnly = false;
  bool check = false;
  /// Elements to compare: 0 means all, nothing as many as are affordable.
  std::optional<int64_t> samples;
  /// Timed runs, if any.
  std::optional<int> repeats;

  /// Of the host's processor, for the simulation of one block.
  double secondsPerBlock = sim::LaunchConfig().secondsPerBlock;

  // What is reported.
  /// The target to print instead of running anything.
  std::optional<std::string> targetInfo;
  bool json = false;
  bool emitPTX = false;
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
