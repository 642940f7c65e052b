//===- tc-bench.cpp - Measure suites of contractions ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Measures the packages of a suite on a CUDA device beside NVIDIA's libraries,
// or counts them in the simulator. Needs no compiler.
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "Progress.h"
#include "Summary.h"
#include "tc/Buffers/Problem.h"
#include "tc/Support/Files.h"
#include "tc/Support/Tool.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <unistd.h>

using namespace tc;
using namespace tc::bench;

namespace {

/// Runs cases and reports each when it is done.
class Benchmark {
public:
  Benchmark(const Options &options, Suite suite)
      : options(options), suite(std::move(suite)) {}

  /// All that is asked for; an error is what ends the program early.
  Status run();
  /// The reason why the exit status is not 0, if it is not.
  std::string failure() const;
  const Results &found() const { return results; }

private:
  Status resume();
  Status openMachine();
  Result<CaseResult> measure(const Case &test);
  CaseResult measureOrTell(const Case &test);
  const CaseResult *findEarlier(const Case &test) const;
  Status save() const;
  void report(const std::string &text) const;
  const std::string &outputPath() const {
    return options.output.empty() ? options.resume : options.output;
  }

  Options options;
  Suite suite;
  std::optional<DeviceBench> device;
  Results results;
  /// The results of the earlier run, if there was one.
  std::optional<Results> earlier;
};

} // namespace

void Benchmark::report(const std::string &text) const {
  if (options.json)
    return;
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

/// Reads the run that is to be continued and takes the seed from it.
Status Benchmark::resume() {
  if (options.resume.empty())
    return {};
  Result<std::string> text = readFile(options.resume);
  if (!text)
    return Error{text.error()};
  Result<Results> read = parseResults(*text);
  if (!read)
    return Error{options.resume + ": " + read.error()};
  earlier = std::move(*read);
  if (!options.seed && earlier->options.contains("seed") &&
      earlier->options["seed"].is_number_unsigned())
    options.seed = earlier->options["seed"].get<uint64_t>();
  return {};
}

/// The same suite, measured in the same way on the same kind of machine.
static Status checkContinues(const Results &earlier, const Results &now) {
  auto differ = [](const char *what, const Json &before, const Json &after) {
    return Error{std::string("cannot be resumed: its ") + what + " is " +
                 before.dump() + ", here it is " + after.dump()};
  };
  if (earlier.suite != now.suite)
    return differ("suite", earlier.suite, now.suite);
  if (earlier.machine != now.machine)
    return differ("machine", earlier.machine, now.machine);
  if (earlier.device.value("name", Json()) != now.device.value("name", Json()))
    return differ("device", earlier.device.value("name", Json()),
                  now.device.value("name", Json()));
  for (const auto &[key, value] : now.options.items())
    if (earlier.options.value(key, Json()) != value)
      return differ(key.c_str(), earlier.options.value(key, Json()), value);
  return {};
}

Status Benchmark::openMachine() {
  uint64_t seed = options.seed.value_or(runtime::freshSeed());
  options.device.seed = options.simulator.seed = seed;
  results.suite = suite.name;
  results.date = currentDate();
  results.versions["tc"] = TC_VERSION;
  if (options.machine == Machine::Simulator) {
    describe(options.simulator, results);
  } else {
    Result<DeviceBench> opened = DeviceBench::open(options.device);
    if (!opened)
      return Error{opened.error()};
    device = std::move(*opened);
    device->describe(results);
  }
  if (!earlier)
    return {};
  if (Status s = checkContinues(*earlier, results); !s)
    return Error{options.resume + ": " + s.error()};
  // Of contenders that scripts have added.
  for (const auto &[key, value] : earlier->versions.items())
    if (!results.versions.contains(key))
      results.versions[key] = value;
  return {};
}

Result<CaseResult> Benchmark::measure(const Case &test) {
  return device ? device->run(suite, test)
                : simulateCase(suite, test, options.simulator);
}

/// A row in any case: one that cannot be run says why.
CaseResult Benchmark::measureOrTell(const Case &test) {
  CaseResult failed = describeCase(suite, test);
  if (!test.refused.empty())
    return failed;
  Result<CaseResult> result = measure(test);
  if (result)
    return std::move(*result);
  failed.outcomes.emplace_back();
  failed.outcomes.back().contender = "tc";
  failed.outcomes.back().error = result.error();
  return failed;
}

/// The row of the earlier run, unless the package failed in it.
const CaseResult *Benchmark::findEarlier(const Case &test) const {
  const CaseResult *known = earlier ? earlier->find(test.name) : nullptr;
  const Outcome *ours = known ? known->find("tc") : nullptr;
  bool failed = ours && !ours->error.empty();
  return failed && !options.keepFailed ? nullptr : known;
}

Status Benchmark::save() const {
  return outputPath().empty() ? Status()
                              : replaceFile(outputPath(), toJson(results));
}

Status Benchmark::run() {
  auto begin = std::chrono::steady_clock::now();
  std::vector<const Case *> selected;
  for (const Case &test : suite.cases)
    if (!options.only || std::regex_search(test.name, *options.only))
      selected.push_back(&test);
  if (selected.empty())
    return Error{options.suite + ": --only leaves no case"};
  if (Status s = resume(); !s)
    return s;
  if (Status s = openMachine(); !s)
    return s;
  report(headText(results));
  // Whenever the program ends, the file lists the missing cases.
  for (const Case *test : selected)
    results.notRun.push_back(test->name);
  Progress progress(selected.size(),
                    options.progress.value_or(isatty(STDERR_FILENO) != 0));
  for (const Case *test : selected) {
    const CaseResult *known = findEarlier(*test);
    std::chrono::duration<double> passed =
        std::chrono::steady_clock::now() - begin;
    if (!known && options.timeLimit && passed.count() > *options.timeLimit)
      continue;
    progress.begin(test->name);
    results.cases.push_back(known ? *known : measureOrTell(*test));
    progress.finish(/*wasRun=*/!known);
    progress.clear();
    results.notRun.erase(
        std::find(results.notRun.begin(), results.notRun.end(), test->name));
    if (known)
      continue;
    report(rowText(results.cases.back()));
    if (Status s = save(); !s)
      return s;
    if (Status s = device ? device->check() : Status(); !s)
      return Error{test->name + ": the device is lost: " + s.error()};
  }
  report(tailText(results));
  return save();
}

std::string Benchmark::failure() const {
  for (const CaseResult &result : results.cases) {
    for (const Outcome &outcome : result.outcomes)
      if (!outcome.error.empty() &&
          (options.strict || outcome.contender == "tc"))
        return result.name + ": " + outcome.contender + ": " + outcome.error;
    if (options.strict && !result.refused.empty())
      return result.name + ": refused: " + result.refused;
  }
  if (options.strict && !results.unavailable.empty())
    return "no " + results.unavailable.front().first + ": " +
           results.unavailable.front().second;
  if (options.strict && !results.notRun.empty())
    return std::to_string(results.notRun.size()) +
           " cases not run for want of time";
  return "";
}

int main(int argc, char **argv) {
  Result<Options> options = parseOptions(argc, argv);
  if (!options)
    return failTool("tc-bench", options.error());
  if (options->help) {
    std::fputs(usage, stdout);
    return 0;
  }
  if (options->version) {
    std::puts("tc-bench " TC_VERSION);
    return 0;
  }
  Result<Suite> suite = loadSuite(options->suite);
  if (!suite)
    return failTool("tc-bench", suite.error());
  Benchmark benchmark(*options, std::move(*suite));
  if (Status s = benchmark.run(); !s)
    return failTool("tc-bench", s.error());
  if (options->json)
    std::fputs(toJson(benchmark.found()).c_str(), stdout);
  if (std::ferror(stdout) || std::fflush(stdout) != 0)
    return failTool("tc-bench", "cannot write the report");
  std::string failure = benchmark.failure();
  return failure.empty() ? 0 : failTool("tc-bench", failure);
}
