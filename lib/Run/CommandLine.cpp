//===- CommandLine.cpp - The options of tc-run ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParsedOptions.h"

#include "tc/Run/Options.h"

#include "tc/Cpu/CpuSchedule.h"
#include "tc/Support/CommandLine.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <memory>

using namespace tc;
using namespace tc::run;
using llvm::StringRef;

static constexpr const char *overview =
    R"(compile, run and check tensor contractions

The input is a specification, as in 'abc,cd->abd' (einsum, row-major) or
'abd-abc-cd' (TCCG's C-A-B, column-major), or a file: .einsum, .tccg, .cogent,
.tensors and .octopi (programs of several statements), .mlir, or the .json of a
package or of PTX that others made.

The exit status is 0 only if all that was asked for held.
)";

namespace {

/// Reads a number of at least `least`; the first failure sticks.
class NumberReader {
public:
  template <typename T>
  void integer(const cl::opt<std::string> &option, std::optional<T> &to,
               T least) {
    if (option.getNumOccurrences() == 0)
      return;
    T value{};
    if (StringRef(option).getAsInteger(10, value) || value < least)
      return fail(option,
                  "is not an integer of at least " + std::to_string(least));
    to = value;
  }

  void number(const cl::opt<std::string> &option,
              std::optional<model::Constant> &to) {
    if (option.getNumOccurrences() == 0)
      return;
    to = model::parseConstant(option.getValue());
    if (!to)
      fail(option, "is not a finite number");
  }

  void fail(const cl::opt<std::string> &option, const std::string &message) {
    if (!error)
      error = Error{"--" + option.ArgStr.str() + ": '" + option.getValue() +
                    "' " + message};
  }

  std::optional<Error> error;
};

} // namespace

/// Which options go with --target-info.
static Status verifyTargetInfo(const Options &options) {
  if (!options.input.empty())
    return Error{"--target-info: prints a target only; it goes with no "
                 "specification or file"};
  if (options.check || options.repeats || options.emitPTX || options.profile ||
      options.machineCode || options.time || !options.package.empty() ||
      !options.mlir.empty())
    return Error{"--target-info: runs nothing, so there is nothing to check, "
                 "time, emit, profile or save"};
  if (!options.targetInfo->empty() && !options.targetFile.empty())
    return Error{"--target-file: --target-info names another target"};
  return {};
}

/// Which options go with --target=cpu.
static Status verifyCpu(const ParsedOptions &parsed) {
  if (parsed.strategy.getNumOccurrences() > 0 &&
      parsed.schedule.getNumOccurrences() > 0)
    return Error{"--strategy: the schedule that is given has one already"};
  const cl::Option *ofKernels[] = {
      &parsed.chip,          &parsed.device,
      &parsed.blocks,        &parsed.detect,
      &parsed.leastAligned,  &parsed.profile,
      &parsed.emit,          &parsed.machineCode,
      &parsed.time,          &parsed.timeLimit,
      &parsed.package,       &parsed.mlir,
      &parsed.ptxas,         &parsed.runnersUp,
      &parsed.explainHtml,   &parsed.explainJson,
      &parsed.reduce,        &parsed.anyAlignment,
      &parsed.dynamicShapes, std::addressof(parsed.tunedFor),
      &parsed.strides,       &parsed.refine};
  for (const cl::Option *option : ofKernels)
    if (option->getNumOccurrences() > 0)
      return Error{"--" + option->ArgStr.str() +
                   ": is about GPU kernels; it does not go with --target=cpu"};
  return {};
}

/// Which options go with --target=cpu alone.
static Status verifyNotCpu(const ParsedOptions &parsed) {
  const cl::Option *ofCode[] = {&parsed.cache,       &parsed.cacheSize,
                                &parsed.compileOnly, &parsed.threads,
                                &parsed.strategy,    &parsed.workspaceLimit,
                                &parsed.tileChains};
  for (const cl::Option *option : ofCode)
    if (option->getNumOccurrences() > 0)
      return Error{"--" + option->ArgStr.str() +
                   ": is about native code; it goes with --target=cpu"};
  return {};
}

/// Which options go together.
static Status verify(const Options &options) {
  bool isCuda = options.machine == Machine::Cuda;
  if (options.targetInfo)
    return verifyTargetInfo(options);
  if (options.input.empty())
    return Error{"no specification or file given; --help shows the usage"};
  if (options.repeats && options.machine == Machine::Simulator)
    return Error{"--bench: times are those of a device; add --target=cuda or "
                 "--target=cpu"};
  if (options.compileOnly && (options.check || options.repeats))
    return Error{"--compile-only: runs nothing, so there is nothing to check "
                 "or time"};
  if (options.blocks != "all" && isCuda)
    return Error{"--blocks: a device runs all blocks; use --target=sim"};
  if (options.leastAligned && isCuda)
    return Error{"--least-aligned: the driver places tensors on a device; use "
                 "--target=sim"};
  if (options.profile && isCuda)
    return Error{"--profile: a device does not count instructions; use "
                 "--target=sim"};
  if (options.emitPTX &&
      (options.check || options.repeats || options.json || options.profile))
    return Error{"--emit=ptx: prints PTX only; it goes with neither --check "
                 "nor --bench nor --json nor --profile"};
  if (options.machineCode &&
      (options.check || options.repeats || options.profile || options.emitPTX ||
       isCuda || (options.json && !options.explains())))
    return Error{"--machine-code: runs nothing, and has a form of its own for "
                 "JSON; it goes with neither --check nor --bench nor --json "
                 "nor --profile nor --emit nor --target=cuda"};
  if (options.time &&
      (options.check || options.repeats || options.json || options.profile ||
       options.emitPTX || options.machineCode || isCuda))
    return Error{"--time: runs nothing, and has a form of its own for JSON; it "
                 "goes with neither --check nor --bench nor --json nor "
                 "--profile nor --emit nor --machine-code nor --target=cuda"};
  return {};
}

/// Which options go with explanations.
static Status verifyExplain(const ParsedOptions &parsed,
                            const Options &options) {
  for (const auto *file : {&parsed.explainHtml, &parsed.explainJson})
    if (file->getNumOccurrences() > 0 && file->empty())
      return Error{"--" + file->ArgStr.str() + ": no file is named"};
  if (!options.explains())
    return parsed.runnersUp.getNumOccurrences() == 0
               ? Status()
               : Error{"--runners-up: shows nothing without --explain"};
  if (options.targetInfo)
    return Error{"--explain: --target-info prints a target only"};
  if (options.check || options.repeats || options.profile || options.emitPTX ||
      options.time || !options.package.empty() || !options.mlir.empty())
    return Error{"--explain: runs nothing; it goes with neither --check nor "
                 "--bench nor --profile nor --emit nor --time nor a file to "
                 "save"};
  if (options.machineCode && *options.machineCode != MachineCodeForm::Summary)
    return Error{"--machine-code: with --explain it has the explanation's "
                 "forms, and takes no value"};
  return {};
}

static std::optional<std::string> given(const cl::opt<std::string> &option) {
  if (option.getNumOccurrences() == 0)
    return std::nullopt;
  return option.getValue();
}

/// Whether options were given that are not this tool's own.
static bool anyOptionOfLLVM(cl::OptionCategory &own) {
  return llvm::any_of(cl::getRegisteredOptions(), [&](const auto &entry) {
    const cl::Option *option = entry.second;
    return option->getNumOccurrences() > 0 &&
           !llvm::is_contained(option->Categories, &own);
  });
}

static Result<Options> convert(ParsedOptions &parsed) {
  Options options;
  NumberReader read;
  options.input = parsed.input;
  options.extents = given(parsed.extents);
  options.shapes = given(parsed.shapes);
  options.type = given(parsed.type);
  options.typeA = given(parsed.typeA);
  options.typeB = given(parsed.typeB);
  options.precision = given(parsed.precision);
  options.semiring = given(parsed.semiring);
  options.userSemiring = {given(parsed.product), given(parsed.combine),
                          given(parsed.identity)};
  options.conjugatesA = parsed.conjugateA;
  options.conjugatesB = parsed.conjugateB;
  options.allowsThreeProducts = parsed.allowThreeProducts;
  options.saturates = parsed.saturate;
  options.prologueA = given(parsed.prologueA);
  options.prologueB = given(parsed.prologueB);
  options.epilogue = given(parsed.epilogue);
  options.layout = given(parsed.layout);
  read.number(parsed.alpha, options.alpha);
  read.number(parsed.beta, options.beta);
  options.chip = parsed.chip;
  options.targetFile = parsed.targetFile;
  options.targetInfo = given(parsed.targetInfo);
  if (parsed.chip.getNumOccurrences() > 0 && !options.targetFile.empty())
    return Error{"--chip: --target-file says what to compile for"};
  options.schedule = parsed.schedule;
  options.tuned = given(parsed.tuned);
  if (options.tuned && options.tuned->empty())
    return Error{"--tuned: no file is named"};
  options.mergesSums = parsed.fuseAccumulations;
  options.fusesChains = parsed.fuseChains;
  options.anyAlignment = parsed.anyAlignment;
  options.tunedFor.assign(parsed.tunedFor.begin(), parsed.tunedFor.end());
  options.dynamicShapes = parsed.dynamicShapes || !options.tunedFor.empty();
  options.strides = given(parsed.strides);
  options.reduces = parsed.reduce;
  options.strategy = parsed.strategy;
  if (options.strategy != "auto" && !model::symbolizeStrategy(options.strategy))
    read.fail(parsed.strategy,
              "is none of auto, gett, ttgt, loop_over_gemm and direct");
  read.integer(parsed.workspaceLimit, options.workspaceLimit, int64_t(0));
  options.tileChains = parsed.tileChains;
  if (options.tileChains != "auto" && options.tileChains != "always" &&
      options.tileChains != "never")
    read.fail(parsed.tileChains, "is none of auto, always and never");
  read.integer(parsed.memoryLimit, options.memoryLimit, int64_t(0));
  options.cache = given(parsed.cache);
  if (options.cache && options.cache->empty())
    return Error{"--cache: no folder is named"};
  // LLVM has options that change code. They stand in no key.
  if (anyOptionOfLLVM(parsed.category))
    options.cache = "off";
  std::optional<int64_t> cacheMebibytes;
  read.integer(parsed.cacheSize, cacheMebibytes, int64_t(1));
  if (cacheMebibytes)
    options.cacheBytes = std::min(*cacheMebibytes, int64_t(1) << 40) << 20;
  options.compileOnly = parsed.compileOnly;

  if (parsed.target == "cuda")
    options.machine = Machine::Cuda;
  else if (parsed.target == "cpu")
    options.machine = Machine::Cpu;
  else if (parsed.target != "sim")
    read.fail(parsed.target, "is none of sim, cuda and cpu");
  std::optional<int> device;
  read.integer(parsed.device, device, 0);
  options.device = device.value_or(0);
  options.blocks = parsed.blocks;
  Result<sim::Detectors> detectors = sim::Detectors::parse(parsed.detect);
  if (!detectors)
    return Error{"--detect: " + detectors.error()};
  if (parsed.detect.getNumOccurrences() > 0 && options.machine == Machine::Cuda)
    return Error{"--detect: a device has no detectors; use --target=sim"};
  options.detectors = *detectors;
  options.leastAligned = parsed.leastAligned;
  if (parsed.profile.getNumOccurrences() > 0) {
    options.profile = 10;
    if (!parsed.profile.empty())
      read.integer(parsed.profile, options.profile, 1u);
  }
  std::optional<unsigned> workers;
  read.integer(parsed.workers, workers, 1u);
  options.workers = workers.value_or(0);
  read.integer(parsed.threads, options.threads, 1u);
  std::optional<int> timeLimit;
  read.integer(parsed.timeLimit, timeLimit, 1);
  options.secondsPerBlock = timeLimit.value_or(options.secondsPerBlock);
  read.integer(parsed.seed, options.seed, uint64_t(0));

  options.check = parsed.check.getNumOccurrences() > 0;
  if (parsed.check == "all")
    options.samples = 0;
  else if (!parsed.check.empty())
    read.integer(parsed.check, options.samples, int64_t(1));
  if (parsed.bench.getNumOccurrences() > 0) {
    options.repeats = 20;
    if (!parsed.bench.empty())
      read.integer(parsed.bench, options.repeats, 1);
  }

  options.json = parsed.json;
  options.emitPTX = parsed.emit == "ptx";
  if (!options.emitPTX && parsed.emit.getNumOccurrences() > 0)
    read.fail(parsed.emit, "is not ptx");
  if (parsed.machineCode.getNumOccurrences() > 0) {
    if (parsed.machineCode.empty() || parsed.machineCode == "summary")
      options.machineCode = MachineCodeForm::Summary;
    else if (parsed.machineCode == "listing")
      options.machineCode = MachineCodeForm::Listing;
    else if (parsed.machineCode == "json")
      options.machineCode = MachineCodeForm::JSON;
    else
      read.fail(parsed.machineCode, "is none of summary, listing and json");
  }
  if (parsed.time.getNumOccurrences() > 0) {
    if (parsed.time.empty() || parsed.time == "summary")
      options.time = TimeForm::Summary;
    else if (parsed.time == "json")
      options.time = TimeForm::JSON;
    else if (parsed.time == "svg")
      options.time = TimeForm::SVG;
    else
      read.fail(parsed.time, "is none of summary, json and svg");
  }
  options.package = parsed.package;
  options.mlir = parsed.mlir;
  options.assemble = parsed.ptxas;
  options.bugReport = parsed.report;
  options.explain = parsed.explain;
  options.explainHtml = parsed.explainHtml;
  options.explainJson = parsed.explainJson;
  std::optional<unsigned> runnersUp;
  read.integer(parsed.runnersUp, runnersUp, 0u);
  options.runnersUp = runnersUp.value_or(options.runnersUp);
  std::optional<unsigned> refine;
  read.integer(parsed.refine, refine, 1u);
  options.refine = refine.value_or(options.refine);
  if (read.error)
    return *read.error;
  if (refine && !options.schedule.empty())
    return Error{"--refine: --schedule says which schedule to take"};
  if (options.tuned && !options.schedule.empty())
    return Error{"--tuned: --schedule says which schedule to take"};
  if (options.threads && !options.schedule.empty())
    return Error{"--threads: --schedule says for how many threads it is"};
  bool isCpu = options.machine == Machine::Cpu;
  if (Status status = isCpu ? verifyCpu(parsed) : verifyNotCpu(parsed); !status)
    return Error{status.error()};
  if (Status status = verify(options); !status)
    return Error{status.error()};
  if (Status status = verifyExplain(parsed, options); !status)
    return Error{status.error()};
  return options;
}

Result<Options> run::parseCommandLine(int argc, char **argv) {
  // LLVM's library brings an option by that name, about link-time optimisation.
  cl::getRegisteredOptions().erase("threads");
  ParsedOptions parsed;
  cl::HideUnrelatedOptions(parsed.category);
  cl::SetVersionPrinter(
      [](llvm::raw_ostream &os) { os << "tc-run " TC_VERSION "\n"; });
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  if (!cl::ParseCommandLineOptions(argc, argv, overview, &stream)) {
    // LLVM prints what is wrong with the value of an option by itself.
    if (messages.empty())
      return Error{""};
    // The first line says what is wrong; the others make suggestions.
    auto [program, rest] = StringRef(messages).split(": ");
    StringRef first = rest.split('\n').first.rtrim();
    StringRef suggested = rest.split("Did you mean ").second.split('\n').first;
    return Error{first.str() + (suggested.empty()
                                    ? ""
                                    : "; did you mean " + suggested.str())};
  }
  Result<Options> options = convert(parsed);
  if (options)
    options->arguments.assign(argv + 1, argv + argc);
  return options;
}
