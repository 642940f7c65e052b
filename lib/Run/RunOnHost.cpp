//===- RunOnHost.cpp - Running contractions on this machine's CPU ---------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunOnHost.h"
#include "Input.h"
#include "KernelResults.h"
#include "Stopwatch.h"
#include "WholeProgram.h"
#include "WorkProgress.h"

#include "tc/Compiler/HostCache.h"
#include "tc/Compiler/StrategyReport.h"
#include "tc/OnDemand/HostRun.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

#include <algorithm>
#include <limits>

#ifdef __GLIBC__
#include <malloc.h>
#endif

using namespace tc;
using namespace tc::run;
using namespace tc::runtime;

static std::string format(const char *pattern, double value) {
  char buffer[64];
  std::snprintf(buffer, sizeof(buffer), pattern, value);
  return buffer;
}

static double flopsOf(const Kernel &kernel) { return workOf(kernel).flops; }

static std::string timingText(const Timing &timing, const Kernel &kernel) {
  double best = timing.samples.front();
  return "best " + format("%.3f", best * 1e6) + " us, median " +
         format("%.3f", timing.median() * 1e6) + " us of " +
         std::to_string(timing.samples.size()) + ", " +
         format("%.4g", flopsOf(kernel) / best * 1e-9) + " GFLOP/s at best";
}

static Json timingJson(const Timing &timing, const Kernel &kernel) {
  Json json;
  json["best_seconds"] = timing.samples.front();
  json["median_seconds"] = timing.median();
  json["repeats"] = timing.samples.size();
  json["samples_seconds"] = timing.samples;
  json["flops_per_second"] = flopsOf(kernel) / timing.samples.front();
  return json;
}

/// Makes a call; its time.
static Result<double> timeOf(const std::function<Status()> &call) {
  Stopwatch stopwatch;
  if (Status status = call(); !status)
    return Error{status.error()};
  return stopwatch.seconds();
}

static void describe(const HostKernel &kernel, size_t i, bool explain,
                     Report &report, Json &json) {
  const Kernel &definition = kernel.definition;
  json["contraction"] = formulaOf(definition);
  json["extents"] = kernelToJson(definition)["extents"];
  json["schedule"] = kernel.schedule;
  json["threads"] = kernel.threads;
  json["panel_bytes"] = kernel.panelBytes;
  json.update(Json::parse(kernel.strategies));
  report.text += "contraction " + std::to_string(i) + "\n" +
                 reportLine("contraction", formulaOf(definition)) +
                 reportLine("extents", extentsOf(definition)) +
                 fusedCodeText(definition) + decisionsText(kernel);
  if (explain)
    report.text += cpuExplanationText(json);
}

/// A hash of the tensor's bytes: equal for results that are the same to the
/// bit.
static std::string checksumOf(const HostTensor &tensor) {
  llvm::ArrayRef<uint8_t> bytes(
      reinterpret_cast<const uint8_t *>(tensor.data()), tensor.bytes());
  return llvm::utohexstr(llvm::xxh3_64bits(bytes), /*LowerCase=*/true,
                         /*Width=*/16);
}

static Status runKernel(const HostKernel &kernel, const LoadedObject &code,
                        size_t i, KernelResults &results,
                        const Options &options, uint64_t seed,
                        const Progress &progress, Report &report, Json &json) {
  const Kernel &definition = kernel.definition;
  Result<Problem> problem =
      makeProblem(definition, problemOptions(options, definition, seed));
  if (!problem)
    return Error{problem.error()};
  if (std::string read = results.feed(i, definition, *problem); !read.empty())
    report.text += reportLine("results", read);
  std::function<Status()> call = prepareCall(code, i, kernel, *problem);
  if (Status status = call(); !status)
    return status;
  json["checksum"] = checksumOf(problem->c());
  results.keep(i, *problem);

  if (options.check) {
    CheckOptions check;
    check.samples =
        options.check->samples.value_or(affordableSamples(definition, {}));
    check.workers = options.workers;
    check.progress = checkProgress(progress);
    CheckReport result = checkOutput(definition, *problem, check);
    report.text += reportLine("check", result.summary());
    json["check"] = checkToJson(result);
    report.note("contraction " + std::to_string(i), result);
  }
  if (options.repeats) {
    Timing timing;
    for (int repeat = 0; repeat < *options.repeats; ++repeat) {
      Result<double> time = timeOf(call);
      if (!time)
        return Error{time.error()};
      timing.samples.push_back(*time);
    }
    std::sort(timing.samples.begin(), timing.samples.end());
    report.text += reportLine("time", timingText(timing, definition));
    json["time"] = timingJson(timing, definition);
  }
  return {};
}

/// Lets memory that contractions allocate and free stay with the process, as it
/// does in a program that calls them again and again: the system would clear
/// each page of large copies anew in each call.
static void keepFreedMemory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
#endif
}

/// True if a contraction is computed for several tiles.
static bool runsAgain(const HostProgram &program) {
  if (!program.program)
    return false;
  auto calls = llvm::count_if(program.program->steps, [](const auto &step) {
    return step.kernel.has_value();
  });
  return static_cast<size_t>(calls) > program.kernels.size();
}

/// Runs all slices or tiles, as a program that calls the code does.
static Status runSlices(LoadedProgram loaded, const Options &options,
                        uint64_t seed, const Warn &warn,
                        const Progress &progress, Report &report) {
  HostRunner runner(std::make_shared<const LoadedProgram>(std::move(loaded)));
  auto run = [&](ProgramMemory &memory) {
    std::vector<const void *> bases;
    bases.reserve(memory.parameters.size());
    for (const HostTensor &parameter : memory.parameters)
      bases.push_back(parameter.data());
    return runner.run(bases, /*workspace=*/nullptr);
  };
  return runWholeProgram(runner.program(), run, options, seed, warn, progress,
                         report);
}

Status run::runOnHost(const Options &options, const Warn &warn,
                      const Progress &progress, Report &report) {
  keepFreedMemory();
  Result<InputKind> kind = kindOf(options.input);
  if (!kind)
    return Error{kind.error()};
  if (*kind == InputKind::Package)
    return Error{"--target=cpu: " + options.input +
                 " is a package for a GPU; give a specification or MLIR"};
  Stopwatch stopwatch;
  Result<Source> source = readClosedInput(options, *kind);
  if (!source)
    return Error{source.error()};
  HostCacheOptions cache{options};
  cache.warn = warn;
  Result<LoadedProgram> loaded = compileOrFind(*source, options, cache);
  if (!loaded)
    return Error{loaded.error()};
  double compileSeconds = stopwatch.seconds();
  const HostProgram &program = loaded->program;
  auto takes = [&](Scalar Kernel::*factor) {
    return llvm::any_of(program.kernels, [&](const HostKernel &kernel) {
      return (kernel.definition.*factor).isArgument;
    });
  };
  if (*kind == InputKind::MLIR && !program.kernels.empty()) {
    if (options.alpha && !takes(&Kernel::alpha))
      return Error{"--alpha: no contraction of " + options.input +
                   " takes it as an argument"};
    if (options.beta && !takes(&Kernel::beta))
      return Error{"--beta: no contraction of " + options.input +
                   " takes it as an argument"};
  }

  uint64_t seed = options.seed.value_or(freshSeed());
  report.json["input"] = options.input;
  report.json["target"] = "cpu";
  report.json["seed"] = seed;
  report.json["compile_seconds"] = compileSeconds;
  report.json["cache"] = stringify(loaded->outcome);
  report.json["kernels"] = Json::array();
  report.json["nothing_launched"] = Json::array();
  report.text += "seed " + std::to_string(seed) + "\n";
  reportEmpty(program.empty, report);
  if (!program.kernels.empty()) {
    report.text +=
        std::string(loaded->outcome == CacheOutcome::Hit
                        ? "taken from the cache"
                        : "compiled") +
        " for this machine's CPU in " + milliseconds(compileSeconds) + ", " +
        std::to_string(program.object.object.size()) + " B of object code\n";
  }
  std::vector<runtime::Program> programs;
  std::vector<std::string> obstacles;
  if (program.program && program.kernels.size() > 1)
    programs.push_back(*program.program);
  if (!program.programObstacle.empty())
    obstacles.push_back(program.programObstacle);
  reportPrograms(programs, obstacles, report);
  if (options.explain) {
    Result<std::string> orders = explainOrdersForCpu(*source, options);
    if (!orders)
      return Error{orders.error()};
    report.text += *orders;
  }
  std::vector<TensorSources> sources;
  sources.reserve(program.kernels.size());
  for (const HostKernel &kernel : program.kernels)
    sources.push_back(kernel.sources);
  KernelResults results(std::move(sources));
  for (size_t i = 0; i < program.kernels.size(); ++i) {
    Json json;
    describe(program.kernels[i], i, options.explain, report, json);
    addSources(program.kernels[i].definition, program.kernels[i].sources, json);
    if (!options.compileOnly && !options.explain)
      if (Status status =
              runKernel(program.kernels[i], loaded->code, i, results, options,
                        seed, progress, report, json);
          !status)
        return status;
    report.json["kernels"].push_back(std::move(json));
  }
  bool isInParts = options.memoryLimit || runsAgain(program);
  if (isInParts && program.program && !options.compileOnly && !options.explain)
    return runSlices(std::move(*loaded), options, seed, warn, progress, report);
  return {};
}
