//===- CommandLine.cpp - The options of tc-run ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"

#include "tc/Cpu/CpuSchedule.h"
#include "tc/Support/CommandLine.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <memory>

using namespace tc;
using namespace tc::run;
namespace cl = llvm::cl;
using llvm::StringRef;

static constexpr const char *overview =
    R"(compile, run and check tensor contractions

The input is a specification, as in 'abc,cd->abd' (einsum, row-major) or
'abd-abc-cd' (TCCG's C-A-B, column-major), or a file: .einsum, .tccg, .cogent,
.mlir, or the .json of a package or of PTX that others made.

The exit status is 0 only if all that was asked for held.
)";

namespace {

/// The options as LLVM parses them. One object lives while the command line is
/// read; nothing else refers to it.
struct ParsedOptions {
  cl::OptionCategory category{"tc-run options"};

  cl::opt<std::string> input{cl::Positional, cl::desc("SPEC|FILE"),
                             cl::cat(category)};
  cl::opt<std::string> extents{
      "extents",
      cl::desc("Extents of the indices, as in a=24,b=16; of MLIR, of those "
               "that types leave open"),
      cl::value_desc("list"), cl::cat(category)};
  cl::opt<std::string> shapes{
      "shapes",
      cl::desc("Shapes of the operands of an einsum specification, as in "
               "8x3x4,8x4x5"),
      cl::value_desc("list"), cl::cat(category)};
  // Options keep no copy of what describes them.
  std::string typeHelp =
      "Element type (default: f64): " + model::elementTypeNames();
  cl::opt<std::string> type{"type", cl::desc(typeHelp), cl::value_desc("type"),
                            cl::cat(category)};
  cl::opt<std::string> typeA{
      "type-a", cl::desc("Element type of A, where it has another"),
      cl::value_desc("type"), cl::cat(category)};
  cl::opt<std::string> typeB{
      "type-b", cl::desc("Element type of B, where it has another"),
      cl::value_desc("type"), cl::cat(category)};
  cl::opt<std::string> precision{
      "precision",
      cl::desc("Least precise arithmetic that is allowed with --type=f32: ieee "
               "(default), tf32, 3xtf32 or bf16x3"),
      cl::value_desc("precision"), cl::cat(category)};
  cl::opt<std::string> semiring{
      "semiring",
      cl::desc("What combines products, and what multiplies: plus_times "
               "(default), max_plus, min_plus, max_times, max_min, min_max, "
               "or_and or xor_and"),
      cl::value_desc("semiring"), cl::cat(category)};
  cl::opt<std::string> product{
      "product",
      cl::desc("What factors x and y become in place of x * y, as in "
               "abs(x - y), with --combine and --identity"),
      cl::value_desc("expression"), cl::cat(category)};
  cl::opt<std::string> combine{
      "combine",
      cl::desc("What sums x and y become in place of x + y, as in max(x, y)"),
      cl::value_desc("expression"), cl::cat(category)};
  cl::opt<std::string> identity{
      "identity",
      cl::desc("The number that --combine leaves others as they are with, as "
               "in -inf"),
      cl::value_desc("number"), cl::cat(category)};
  cl::opt<bool> conjugateA{
      "conjugate-a",
      cl::desc("Multiply the complex conjugates of A's elements"),
      cl::cat(category)};
  cl::opt<bool> conjugateB{
      "conjugate-b",
      cl::desc("Multiply the complex conjugates of B's elements"),
      cl::cat(category)};
  cl::opt<bool> allowThreeProducts{
      "allow-three-products",
      cl::desc("Complex products may be computed by three real ones"),
      cl::cat(category)};
  cl::opt<std::string> prologueA{
      "prologue-a",
      cl::desc("What an element x of A becomes before it is multiplied, as in "
               "relu(x)"),
      cl::value_desc("expression"), cl::cat(category)};
  cl::opt<std::string> prologueB{
      "prologue-b",
      cl::desc("What an element x of B becomes before it is multiplied"),
      cl::value_desc("expression"), cl::cat(category)};
  cl::opt<std::string> epilogue{
      "epilogue",
      cl::desc("What an element x of the result becomes before it is stored, "
               "as in relu(x + bias[j]), where bias is a tensor that is drawn "
               "like the others; c is what C held there"),
      cl::value_desc("expression"), cl::cat(category)};
  cl::opt<std::string> layout{
      "layout",
      cl::desc("Which index of a list has stride one: the last (row) or the "
               "first (col); by default what the notation has"),
      cl::value_desc("row|col"), cl::cat(category)};
  cl::opt<std::string> alpha{
      "alpha", cl::desc("Factor of the product, like 0.5 or 1-2i"),
      cl::value_desc("x"), cl::cat(category)};
  cl::opt<std::string> beta{"beta", cl::desc("Factor of the old C"),
                            cl::value_desc("x"), cl::cat(category)};

  cl::opt<std::string> chip{
      "chip", cl::desc("Chip, or target of an .mlir file, to compile for"),
      cl::value_desc("sm_NN"), cl::init("sm_90"), cl::cat(category)};
  cl::opt<std::string> targetFile{
      "target-file", cl::desc("Compile for the machine that a file describes"),
      cl::value_desc("file.json"), cl::cat(category)};
  cl::opt<std::string> targetInfo{
      "target-info",
      cl::desc("Print a target and run nothing: that of a chip or a file, or "
               "cpu for this machine's; by default the one to compile for"),
      cl::value_desc("sm_NN|cpu|file.json"), cl::ValueOptional,
      cl::cat(category)};
  cl::opt<std::string> schedule{
      "schedule",
      cl::desc("Schedule to obey instead of searching one, in the syntax of "
               "#tc.schedule<...>, or with --target=cpu of "
               "#tc.cpu_schedule<...>, with or without its name"),
      cl::value_desc("schedule"), cl::cat(category)};
  cl::opt<std::string> refine{
      "refine",
      cl::desc("Compile the N best schedules for a GPU to machine code, and "
               "take the one that is predicted from it to be fastest (1)"),
      cl::value_desc("N"), cl::cat(category)};
  cl::opt<bool> mergeSums{
      "merge-sums",
      cl::desc("Let one GPU kernel add up contractions that feed one another's "
               "C, where that is predicted to be faster (true)"),
      cl::init(true), cl::cat(category)};
  cl::opt<bool> reduce{
      "reduce",
      cl::desc("Add up all elements of C, after any epilogue, and store "
               "nothing but the sum"),
      cl::cat(category)};
  cl::opt<bool> anyAlignment{
      "any-alignment",
      cl::desc("Make second versions of GPU kernels, for tensors that are "
               "aligned to their elements only; launches choose"),
      cl::cat(category)};
  cl::opt<bool> anyShape{
      "any-shape",
      cl::desc("Make GPU kernels that take extents and strides as arguments, "
               "with versions for those that the first do not take; launches "
               "choose"),
      cl::cat(category)};
  cl::list<std::string> tunedFor{
      "tuned-for",
      cl::desc("Extents to tune such kernels for, instead of those of "
               "--extents; more than once for a version each"),
      cl::value_desc("a=24,b=16"), cl::cat(category)};
  cl::opt<std::string> strides{
      "strides",
      cl::desc("Strides of A, B and C to run such kernels with, by default "
               "those of contiguous tensors"),
      cl::value_desc("64,1;1,64;32,1"), cl::cat(category)};
  cl::opt<std::string> cache{
      "cache",
      cl::desc("With --target=cpu: folder of the cache of compiled code, or "
               "off; by default $TC_CACHE, else tc in the user's caches"),
      cl::value_desc("folder|off"), cl::cat(category)};
  cl::opt<std::string> cacheSize{
      "cache-size",
      cl::desc("With --target=cpu: MiB that the cache may take (256)"),
      cl::value_desc("n"), cl::cat(category)};
  cl::opt<bool> compileOnly{
      "compile-only",
      cl::desc("With --target=cpu: compile, for a later run to find the code "
               "in the cache, and run nothing"),
      cl::cat(category)};

  cl::opt<std::string> strategy{
      "strategy",
      cl::desc("With --target=cpu: how to compute: gett, ttgt, log or auto, "
               "which is as the model finds fastest (default)"),
      cl::value_desc("strategy"), cl::init("auto"), cl::cat(category)};
  cl::opt<std::string> workspaceLimit{
      "workspace-limit",
      cl::desc("With --target=cpu: most bytes that the copies of strategy ttgt "
               "may take; any number by default"),
      cl::value_desc("bytes"), cl::cat(category)};

  cl::opt<std::string> target{
      "target",
      cl::desc("Where to run: sim, the simulator (default), cuda, a device, or "
               "cpu, this machine's"),
      cl::value_desc("sim|cuda|cpu"), cl::init("sim"), cl::cat(category)};
  cl::opt<std::string> device{"device",
                              cl::desc("With --target=cuda: number of the "
                                       "device (0)"),
                              cl::value_desc("n"), cl::cat(category)};
  cl::opt<std::string> blocks{
      "blocks",
      cl::desc("With --target=sim: the thread blocks to run, a list of numbers "
               "and of first, middle, last and edge; all by default"),
      cl::value_desc("list"), cl::init("all"), cl::cat(category)};
  cl::opt<bool> leastAligned{
      "least-aligned",
      cl::desc("With --target=sim: place the tensors at addresses that are "
               "aligned as the kernel demands and no better"),
      cl::cat(category)};
  cl::opt<std::string> detect{
      "detect",
      cl::desc("With --target=sim: what to watch for, a list of uninitialized, "
               "shared-races, global-races, rewrites and unwritten, or none; "
               "all by default"),
      cl::value_desc("list"), cl::init("all"), cl::cat(category)};
  cl::opt<std::string> profile{
      "profile",
      cl::desc(
          "With --target=sim: show the loops, and the n PTX lines that are "
          "issued most (10)"),
      cl::value_desc("n"), cl::ValueOptional, cl::cat(category)};
  cl::opt<std::string> workers{
      "workers",
      cl::desc("Threads of the simulator, and of the host for operands and "
               "checks; by default one a core"),
      cl::value_desc("n"), cl::cat(category)};
  cl::opt<std::string> threads{
      "threads",
      cl::desc("With --target=cpu: threads that a contraction may use; by "
               "default one for each core that this process may use"),
      cl::value_desc("n"), cl::cat(category)};
  cl::opt<std::string> seed{
      "seed",
      cl::desc("Seed of the random operands; by default another each run"),
      cl::value_desc("n"), cl::cat(category)};
  cl::opt<std::string> check{
      "check",
      cl::desc("Compare C with a reference: this many elements, 'all', or as "
               "many as take about a second"),
      cl::value_desc("samples"), cl::ValueOptional, cl::cat(category)};
  cl::opt<std::string> bench{
      "bench",
      cl::desc("With --target=cuda: time this many runs (20), the L2 cache "
               "flushed before each; with --target=cpu: time as many, the "
               "caches as they are"),
      cl::value_desc("repeats"), cl::ValueOptional, cl::cat(category)};

  cl::opt<std::string> timeLimit{
      "time-limit",
      cl::desc("Seconds of this machine's processor that the simulation of a "
               "block may take before the kernel counts as hung (20)"),
      cl::value_desc("seconds"), cl::cat(category)};
  cl::opt<bool> json{"json", cl::desc("Report as one JSON object"),
                     cl::cat(category)};
  cl::opt<bool> explain{
      "explain", cl::desc("Print why the schedule is chosen, and run nothing"),
      cl::cat(category)};
  cl::opt<std::string> explainHtml{
      "explain-html", cl::desc("Write that as a page with pictures"),
      cl::value_desc("file.html"), cl::cat(category)};
  cl::opt<std::string> explainJson{
      "explain-json", cl::desc("Write that as JSON"),
      cl::value_desc("file.json"), cl::cat(category)};
  cl::opt<std::string> runnersUp{
      "runners-up",
      cl::desc("With --explain: schedules to show beside the chosen one (5)"),
      cl::value_desc("n"), cl::cat(category)};
  cl::opt<std::string> emit{
      "emit", cl::desc("Print the PTX and run nothing: --emit=ptx"),
      cl::value_desc("ptx"), cl::cat(category)};
  cl::opt<std::string> machineCode{
      "machine-code",
      cl::desc("Tell what ptxas makes of the kernels and run nothing: what "
               "their loops consist of (summary), the main loops, too "
               "(listing), or all as JSON (json); with --explain, as a part "
               "of that"),
      cl::value_desc("summary|listing|json"), cl::ValueOptional,
      cl::cat(category)};
  cl::opt<std::string> time{
      "time",
      cl::desc("Predict from the machine code how long the kernels take, and "
               "run nothing: what the time is spent on, with a timeline "
               "(summary), all as JSON (json), or the timeline alone as a "
               "picture (svg)"),
      cl::value_desc("summary|json|svg"), cl::ValueOptional, cl::cat(category)};
  cl::opt<std::string> package{
      "save-package",
      cl::desc("Write the package for tc-launch: this file, and the PTX beside "
               "it"),
      cl::value_desc("file.json"), cl::cat(category)};
  cl::opt<std::string> mlir{
      "save-mlir", cl::desc("Write the MLIR from which the PTX is made"),
      cl::value_desc("file.mlir"), cl::cat(category)};
  cl::opt<bool> ptxas{
      "ptxas",
      cl::desc("Ask ptxas for registers and spills, if it is installed (true)"),
      cl::init(true), cl::cat(category)};
};

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
      &parsed.chip,         &parsed.device,
      &parsed.blocks,       &parsed.detect,
      &parsed.leastAligned, &parsed.profile,
      &parsed.emit,         &parsed.machineCode,
      &parsed.time,         &parsed.timeLimit,
      &parsed.package,      &parsed.mlir,
      &parsed.ptxas,        &parsed.runnersUp,
      &parsed.explainHtml,  &parsed.explainJson,
      &parsed.reduce,       &parsed.anyAlignment,
      &parsed.anyShape,     std::addressof(parsed.tunedFor),
      &parsed.strides,      &parsed.refine};
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
                                &parsed.strategy,    &parsed.workspaceLimit};
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
  options.mergesSums = parsed.mergeSums;
  options.anyAlignment = parsed.anyAlignment;
  options.tunedFor.assign(parsed.tunedFor.begin(), parsed.tunedFor.end());
  options.anyShape = parsed.anyShape || !options.tunedFor.empty();
  options.strides = given(parsed.strides);
  options.reduces = parsed.reduce;
  if (options.anyShape && options.reduces)
    return Error{"--reduce: kernels that take extents as arguments store C"};
  options.strategy = parsed.strategy;
  if (options.strategy != "auto" && !model::symbolizeStrategy(options.strategy))
    read.fail(parsed.strategy, "is none of auto, gett, ttgt and log");
  read.integer(parsed.workspaceLimit, options.workspaceLimit, int64_t(0));
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
    // The first line says what is wrong; the others make suggestions.
    auto [program, rest] = StringRef(messages).split(": ");
    return Error{rest.split('\n').first.rtrim().str()};
  }
  return convert(parsed);
}
