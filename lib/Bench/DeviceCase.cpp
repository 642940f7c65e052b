//===- DeviceCase.cpp - One case on a device --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CasePackage.h"
#include "DeviceBenchState.h"
#include "tc/Bench/Statistics.h"
#include "tc/Reference/Check.h"

#include <cmath>

using namespace tc;
using namespace tc::bench;
using namespace tc::runtime;

namespace {

/// The package of the case, which owns the operands of all contenders.
class Compiled final : public Contender {
public:
  Compiled(DeviceKernel kernel, Kernel definition, Json facts)
      : Contender("tc", std::move(definition)), kernel(std::move(kernel)),
        facts(std::move(facts)) {}

  Status launch(const Operands &operands) override { return kernel.launch(); }
  Json details() const override { return facts; }

  DeviceKernel kernel;

private:
  Json facts;
};

/// A contender and its outcome.
struct Runner {
  explicit Runner(std::string name) { outcome.contender = std::move(name); }

  std::unique_ptr<Contender> contender;
  Outcome outcome;
  /// Sampled elements of its result.
  std::vector<double> elements;

  bool isWell() const { return outcome.error.empty(); }
};

} // namespace

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// Elements of C at places that depend on the seed alone.
static std::vector<double> sampleElements(const Problem &problem) {
  constexpr int count = 4096;
  // A stream that neither tensors nor checks use.
  Random random(problem.seed, /*stream=*/2000);
  const HostTensor &c = problem.c();
  std::vector<double> elements;
  for (int i = 0; i < count; ++i) {
    int64_t position = random.bits(i) % c.geometry().bufferElements();
    elements.push_back(dispatch(c.type(), [&](auto zero) {
      return static_cast<double>(c.as<decltype(zero)>()[position]);
    }));
  }
  return elements;
}

/// ||a - b|| / ||b||
static double relativeDifference(const std::vector<double> &a,
                                 const std::vector<double> &b) {
  double difference = 0, size = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    difference += (a[i] - b[i]) * (a[i] - b[i]);
    size += b[i] * b[i];
  }
  return difference == 0 ? 0 : std::sqrt(difference / size);
}

/// Runs a contender once and judges the result that it leaves in C. `problem`
/// has the operands, as they are on the device.
static Status check(Runner &runner, DeviceKernel &owner, Problem &problem,
                    const Device &device, const DeviceBenchOptions &options) {
  problem.c().reset();
  if (Status s = owner.restore(problem); !s)
    return s;
  if (Status s = runner.contender->launch(owner.tensors()); !s)
    return s;
  if (Status s = synchronize(device); !s)
    return s;
  if (Status s = owner.fetch(problem); !s)
    return s;
  const Kernel &definition = runner.contender->definition();
  CheckOptions checkOptions;
  checkOptions.samples =
      options.samples.value_or(affordableSamples(definition, {}));
  checkOptions.ranOnDevice = true;
  CheckReport report = checkOutput(definition, problem, checkOptions);
  runner.outcome.verdict = {report.passed(), report.relativeError,
                            report.tolerance, report.summary()};
  if (!report.passed())
    return Error{"wrong result: " + report.summary()};
  if (runner.contender->computesTheCase())
    runner.elements = sampleElements(problem);
  return {};
}

//===----------------------------------------------------------------------===//
// The contenders of a case
//===----------------------------------------------------------------------===//

static Json factsOf(const DeviceKernel &prepared, const Kernel &kernel,
                    CodeKind kind, const Case &test) {
  Json facts = {{"code", stringify(kind)},
                {"registers", prepared.registersPerThread()},
                {"local_bytes", prepared.localBytesPerThread()}};
  Json all = kernelToJson(kernel);
  for (const char *key : {"grid", "block", "static_shared_bytes",
                          "dynamic_shared_bytes", "schedule"})
    facts[key] = all[key];
  // Both are of the suite's cubin, even where the driver compiled the PTX.
  facts["machine_code"] = test.machineCode ? toJson(*test.machineCode) : Json();
  facts["predicted_time"] =
      test.predictedTime ? toJson(*test.predictedTime) : Json();
  return facts;
}

static Result<std::unique_ptr<Compiled>>
loadCompiled(const Device &device, const LoadedPackage &package,
             const Case &test, const Kernel &definition,
             const Problem &problem) {
  const Kernel &kernel = package.package.kernels[0];
  Result<DeviceModule> module = DeviceModule::load(device, package);
  if (!module)
    return Error{module.error()};
  Result<DeviceKernel> prepared =
      DeviceKernel::prepare(*module, kernel, problem);
  if (!prepared)
    return Error{prepared.error()};
  Json facts = factsOf(*prepared, kernel, package.package.codeKind, test);
  return std::make_unique<Compiled>(std::move(*prepared), definition,
                                    std::move(facts));
}

/// Appends the peers that there are; one that cannot do the case says why.
static void addPeers(const std::vector<NamedPeer> &peers, const Task &task,
                     std::vector<Runner> &runners) {
  for (const NamedPeer &named : peers) {
    if (!named.peer)
      continue;
    Runner runner(named.name);
    Result<std::unique_ptr<Contender>> contender = named.peer->prepare(task);
    if (contender)
      runner.contender = std::move(*contender);
    else
      runner.outcome.error = contender.error();
    runners.push_back(std::move(runner));
  }
}

/// Lets a contender choose its way, and checks it.
static Status admit(Runner &runner, DeviceKernel &owner, Problem &problem,
                    const Stopwatch &stopwatch, const Device &device,
                    const DeviceBenchOptions &options) {
  if (Status s = runner.contender->tune(owner.tensors(), stopwatch); !s)
    return s;
  if (runner.contender->computesTheCase())
    return check(runner, owner, problem, device, options);
  // The same numbers in the same order, seen as matrices.
  ProblemOptions problemOptions;
  problemOptions.seed = options.seed;
  Result<Problem> product =
      makeProblem(runner.contender->definition(), problemOptions);
  if (!product)
    return Error{product.error()};
  return check(runner, owner, *product, device, options);
}

/// All that are well, by turns.
static void timeByTurns(std::vector<Runner> &runners, const Operands &operands,
                        const Stopwatch &stopwatch,
                        const DeviceBenchOptions &options) {
  for (int round = 0; round < options.warmUps + options.repeats; ++round) {
    for (size_t i : orderOfRound(runners.size(), round)) {
      Runner &runner = runners[i];
      if (!runner.isWell())
        continue;
      Result<double> seconds =
          stopwatch([&] { return runner.contender->launch(operands); });
      if (!seconds) {
        runner.outcome.error = seconds.error();
        runner.outcome.samples.clear();
      } else if (round >= options.warmUps) {
        runner.outcome.samples.push_back(*seconds);
      }
    }
  }
}

Result<CaseResult> DeviceBench::run(const Suite &suite, const Case &test) {
  Result<Kernel> definition = definitionOf(suite, test);
  if (!definition)
    return Error{definition.error()};
  const Device &device = state->device;
  const DeviceBenchOptions &options = state->options;
  const model::Target *target = targetOf(device.computeCapability());
  if (!target)
    return Error{"the peak rates of sm_" +
                 std::to_string(device.computeCapability()) + " are unknown"};
  CaseResult result = describeCase(suite, test);
  result.floor =
      floorOf(result.work,
              state->peak(*target, definition->tensors[0].type, test.precision),
              state->copyBytesPerSecond);

  // A cubin runs on the major version that it is for.
  unsigned capability = computeCapabilityOf(suite.target).value_or(0);
  bool fits = capability / 10 == device.computeCapability() / 10;
  Result<LoadedPackage> package = loadCasePackage(
      suite, test, *definition, fits ? CodeKind::Cubin : CodeKind::PTX);
  if (!package)
    return Error{package.error()};
  definition->accumulatorType = package->package.kernels[0].accumulatorType;
  ProblemOptions problemOptions;
  problemOptions.seed = options.seed;
  Result<Problem> problem = makeProblem(*definition, problemOptions);
  if (!problem)
    return Error{problem.error()};
  Result<std::unique_ptr<Compiled>> compiled =
      loadCompiled(device, *package, test, *definition, *problem);
  if (!compiled)
    return Error{compiled.error()};
  DeviceKernel &owner = (*compiled)->kernel;

  std::vector<Runner> runners;
  runners.emplace_back("tc");
  runners[0].contender = std::move(*compiled);
  addPeers(state->peers, {*definition, test.precision}, runners);
  Stopwatch stopwatch = [&](const std::function<Status()> &enqueue) {
    return state->measure(enqueue);
  };
  for (Runner &runner : runners) {
    if (!runner.isWell())
      continue;
    if (Status s = admit(runner, owner, *problem, stopwatch, device, options);
        !s)
      runner.outcome.error = s.error();
    runner.outcome.details = runner.contender->details();
    if (&runner != &runners[0] && !runner.elements.empty() &&
        !runners[0].elements.empty())
      runner.outcome.difference =
          relativeDifference(runner.elements, runners[0].elements);
  }

  Json before = conditionsToJson(state->monitor.read());
  timeByTurns(runners, owner.tensors(), stopwatch, options);
  result.conditions = {{"before", std::move(before)},
                       {"after", conditionsToJson(state->monitor.read())}};
  for (Runner &runner : runners)
    result.outcomes.push_back(std::move(runner.outcome));
  return result;
}
