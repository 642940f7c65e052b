//===- tc-sim-mutate.cpp - Does the simulator find faults? ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plants faults in the kernels of packages, one at a time, runs each in the
// simulator with all detectors on, checks its results, and prints the outcome:
// a line of JSON for each.
//
//===----------------------------------------------------------------------===//

#include "Mutations.h"
#include "tc/PackageSimulation/PackageSimulation.h"
#include "tc/Reference/Check.h"

#include <nlohmann/json.hpp>

#include <atomic>
#include <cstdio>
#include <mutex>
#include <set>
#include <thread>

using namespace tc;
using namespace tc::runtime;
using namespace tc::mutation;
using Json = nlohmann::ordered_json;

namespace {

struct Options {
  std::vector<std::string> packages;
  std::uint64_t seed = 1;
  std::size_t count = 200;
  unsigned workers = 1;
  std::optional<Kind> only;
};

/// The outcome of a mutant.
struct Outcome {
  std::string how;    ///< "rejected", "stopped", "wrong", "rounding", "same"
  std::string detail; ///< the error, or why it may be as good as the original
};

/// A correct kernel, and its results for some seeds.
class Subject {
public:
  static Result<Subject> create(const std::string &path);

  Outcome judge(const Mutator &mutator, const Mutation &mutation) const;
  const std::string &code() const { return loaded.code; }
  const std::string &name() const { return loaded.package.name; }

private:
  /// The seeds of operands. The first decides; the others look closer at what
  /// it does not report from the original.
  static constexpr std::uint64_t operandSeeds[] = {1, 2, 3, 4};

  Result<Problem> run(const sim::Module &module, std::uint64_t seed,
                      std::uint64_t instructionLimit,
                      std::uint64_t *warpInstructions = nullptr) const;
  static bool haveSameBits(const HostTensor &a, const HostTensor &b) {
    return std::memcmp(a.data(), b.data(), a.bytes()) == 0;
  }

  LoadedPackage loaded;
  std::vector<Problem> results; ///< for each of the seeds
  std::uint64_t instructionLimit = 0;
};

} // namespace

/// Runs all kernels of the package; they are taken to be one.
Result<Problem> Subject::run(const sim::Module &module, std::uint64_t seed,
                             std::uint64_t limit,
                             std::uint64_t *warpInstructions) const {
  const Kernel &kernel = loaded.package.kernels[0];
  ProblemOptions problemOptions;
  problemOptions.seed = seed;
  problemOptions.alpha = 1.25;
  problemOptions.beta = -0.75;
  problemOptions.workers = 1;
  Result<Problem> problem = makeProblem(kernel, problemOptions);
  if (!problem)
    return problem;
  SimulationOptions options;
  options.workers = 1;
  options.leastAligned = true;
  options.instructionLimit = limit;
  Result<sim::Counters> counters = simulate(kernel, module, *problem, options);
  if (!counters)
    return Error{counters.error()};
  if (warpInstructions)
    *warpInstructions = counters->warpInstructions;
  return problem;
}

Result<Subject> Subject::create(const std::string &path) {
  Result<LoadedPackage> package = loadPackage(path);
  if (!package)
    return Error{package.error()};
  Subject subject;
  subject.loaded = std::move(*package);
  const LoadedPackage &loaded = subject.loaded;
  if (loaded.package.codeKind != CodeKind::PTX ||
      loaded.package.kernels.size() != 1)
    return Error{path + ": not PTX with one kernel"};
  Result<sim::Module> module = sim::Module::parse(loaded.code, loaded.codePath);
  if (!module)
    return Error{module.error()};
  for (std::uint64_t seed : operandSeeds) {
    std::uint64_t warpInstructions = 0;
    Result<Problem> result = subject.run(
        *module, seed, sim::LaunchConfig().instructionLimit, &warpInstructions);
    if (!result)
      return Error{result.error()};
    CheckReport report =
        checkOutput(loaded.package.kernels[0], *result, CheckOptions());
    if (!report.passed())
      return Error{path + ": the original is wrong: " + report.summary()};
    subject.results.push_back(std::move(*result));
    // More than all warps together need is more than any needs.
    subject.instructionLimit = 2 * warpInstructions + 1000;
  }
  return subject;
}

Outcome Subject::judge(const Mutator &mutator, const Mutation &mutation) const {
  Result<sim::Module> module =
      sim::Module::parse(mutation.text, loaded.codePath);
  if (!module)
    return {"rejected", module.error()};
  if (Status status = checkAgainstPTX(loaded.package, *module); !status)
    return {"rejected", status.error()};
  CheckOptions options;
  options.workers = 1;
  bool isSame = true;
  for (std::size_t i = 0; i < results.size(); ++i) {
    Result<Problem> result = run(*module, operandSeeds[i], instructionLimit);
    if (!result)
      return {"stopped", result.error()};
    if (haveSameBits(result->c(), results[i].c()))
      continue;
    isSame = false;
    CheckReport report =
        checkOutput(loaded.package.kernels[0], *result, options);
    if (!report.passed())
      return {"wrong", report.summary()};
  }
  if (!isSame)
    return {"rounding", "within the rounding errors of the original"};
  if (mutation.after.empty() && mutator.isResultUnused(mutation.line))
    return {"same", "the result is not used"};
  return {"same", "the same bits for " + std::to_string(results.size()) +
                      " sets of operands, nothing detected"};
}

/// Mutants that differ from each other, by the seeds that make them.
static std::vector<std::pair<std::uint64_t, Mutation>>
makeMutants(const Mutator &mutator, const Options &options) {
  std::vector<std::pair<std::uint64_t, Mutation>> mutants;
  std::set<std::string> texts;
  for (std::uint64_t seed = options.seed;
       mutants.size() < options.count &&
       seed < options.seed + 50 * options.count;
       ++seed)
    if (std::optional<Mutation> mutation = mutator.mutate(seed, options.only))
      if (texts.insert(mutation->text).second)
        mutants.emplace_back(seed, std::move(*mutation));
  return mutants;
}

static int runPackage(const std::string &path, const Options &options) {
  Result<Subject> subject = Subject::create(path);
  if (!subject) {
    std::fprintf(stderr, "tc-sim-mutate: %s\n", subject.error().c_str());
    return 1;
  }
  Mutator mutator(subject->code());
  auto mutants = makeMutants(mutator, options);
  std::vector<Outcome> outcomes(mutants.size());
  std::atomic<std::size_t> next{0};
  auto work = [&] {
    for (std::size_t i = next++; i < mutants.size(); i = next++)
      outcomes[i] = subject->judge(mutator, mutants[i].second);
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < options.workers; ++i)
    threads.emplace_back(work);
  for (std::thread &thread : threads)
    thread.join();
  for (std::size_t i = 0; i < mutants.size(); ++i) {
    const auto &[seed, mutation] = mutants[i];
    Json json = {{"package", path},
                 {"seed", seed},
                 {"kind", getName(mutation.kind)},
                 {"line", mutation.line},
                 {"before", mutation.before},
                 {"after", mutation.after},
                 {"outcome", outcomes[i].how},
                 {"detail", outcomes[i].detail}};
    std::puts(json.dump().c_str());
  }
  return 0;
}

static const char usage[] =
    "usage: tc-sim-mutate [--seed=N] [--count=N] [--kind=NAME] [--workers=N] "
    "PACKAGE.json...\n"
    "\n"
    "Plants COUNT (200) different faults in the kernel of each package, one "
    "at\n"
    "a time, and prints what came of each as a line of JSON. The seeds count\n"
    "up from N (1); --count=1 and a seed repeat a fault.\n";

int main(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    auto value = [&](const char *name) {
      std::string prefix = std::string(name) + "=";
      return argument.rfind(prefix, 0) == 0
                 ? std::optional<std::string>(argument.substr(prefix.size()))
                 : std::nullopt;
    };
    auto number = [](const std::string &text) {
      return std::strtoull(text.c_str(), nullptr, 10);
    };
    if (auto text = value("--seed")) {
      options.seed = number(*text);
    } else if (auto count = value("--count")) {
      options.count = number(*count);
    } else if (auto workers = value("--workers")) {
      options.workers = static_cast<unsigned>(number(*workers));
    } else if (auto kindName = value("--kind")) {
      for (std::size_t kind = 0; kind < numKinds; ++kind)
        if (getName(static_cast<Kind>(kind)) == *kindName)
          options.only = static_cast<Kind>(kind);
      if (!options.only) {
        std::fprintf(stderr, "tc-sim-mutate: unknown kind '%s'\n",
                     kindName->c_str());
        return 1;
      }
    } else if (argument[0] == '-') {
      std::fputs(usage, argument == "--help" ? stdout : stderr);
      return argument == "--help" ? 0 : 1;
    } else {
      options.packages.push_back(argument);
    }
  }
  if (options.packages.empty()) {
    std::fputs(usage, stderr);
    return 1;
  }
  for (const std::string &path : options.packages)
    if (int status = runPackage(path, options))
      return status;
  return 0;
}
