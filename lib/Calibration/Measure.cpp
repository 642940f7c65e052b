//===- Measure.cpp - Times of contractions on this machine ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Calibration/Measure.h"

#include "tc/Analysis/ContractionDims.h"
#include "tc/Buffers/Problem.h"
#include "tc/Compiler/HostProgram.h"
#include "tc/Import/Notations.h"
#include "tc/InitAll.h"
#include "tc/Pipelines/Pipelines.h"
#include "tc/Support/MLIR/ErrorCollector.h"

#include "mlir/Pass/PassManager.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <limits>

#ifdef __GLIBC__
#include <malloc.h>
#endif

using namespace tc;
using namespace tc::calibration;

using Clock = std::chrono::steady_clock;

static double secondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

double calibration::measureClock() {
#if defined(__x86_64__) || defined(__aarch64__)
  double best = 0;
  for (int repeat = 0; repeat < 20; ++repeat) {
    constexpr int64_t rounds = 500000, additions = 8;
    int64_t sum = 0;
    auto begin = Clock::now();
    for (int64_t round = 0; round < rounds; ++round) {
      // Each addition waits a cycle for the one before it. The operand is no
      // constant, as there are CPUs that add constants up as they rename.
#if defined(__x86_64__)
      asm volatile("add %1, %0; add %1, %0; add %1, %0; add %1, %0;"
                   "add %1, %0; add %1, %0; add %1, %0; add %1, %0"
                   : "+r"(sum)
                   : "r"(round));
#else
      asm volatile("add %0, %0, %1; add %0, %0, %1; add %0, %0, %1;"
                   "add %0, %0, %1; add %0, %0, %1; add %0, %0, %1;"
                   "add %0, %0, %1; add %0, %0, %1"
                   : "+r"(sum)
                   : "r"(round));
#endif
    }
    best = std::max(best, static_cast<double>(rounds * additions) /
                              secondsSince(begin));
  }
  return best;
#else
  return 0;
#endif
}

namespace {

/// Compiles probes in one context.
class Prober {
public:
  explicit Prober(const model::CpuTarget &cpu)
      : cpu(cpu),
        context(makeRegistry(), mlir::MLIRContext::Threading::DISABLED) {}

  Result<Observation> run(const Probe &probe);

private:
  static mlir::DialectRegistry makeRegistry() {
    mlir::DialectRegistry registry;
    registerAllTC(registry);
    registerCPUExportDialects(registry);
    return registry;
  }

  Status schedule(mlir::ModuleOp module, const Probe &probe,
                  Observation &observation);

  const model::CpuTarget &cpu;
  mlir::MLIRContext context;
};

} // namespace

static Result<Source> sourceOf(const Probe &probe) {
  notation::Diagnostic diagnostic;
  notation::ParseOptions options;
  options.source = probe.spec;
  options.elementType = probe.type;
  std::optional<std::vector<notation::Extent>> extents =
      notation::parseExtents(probe.extents, probe.spec, diagnostic);
  if (!extents)
    return Error{diagnostic.str()};
  options.extents = std::move(*extents);
  Source source;
  source.name = probe.spec;
  std::optional<std::vector<notation::ParsedContraction>> parsed =
      notation::parseEinsum(probe.spec, options, diagnostic);
  if (!parsed)
    return Error{diagnostic.str()};
  source.contractions = std::move(*parsed);
  return source;
}

/// Has the probe's indices collapsed and chooses a schedule, which compilation
/// obeys.
Status Prober::schedule(mlir::ModuleOp module, const Probe &probe,
                        Observation &observation) {
  ErrorCollector errors(context);
  mlir::PassManager manager(&context);
  buildTCNormalize(manager);
  if (failed(manager.run(module)))
    return errors.get(probe.spec + ": cannot be brought into normal form");
  std::optional<model::Strategy> strategy =
      model::symbolizeStrategy(probe.strategy);
  if (!strategy)
    return Error{probe.spec + ": there is no strategy '" + probe.strategy +
                 "'"};
  Status status;
  module.walk([&](ContractOp op) {
    FailureOr<std::vector<model::Contraction>> forms = toCpuForms(op);
    if (failed(forms)) {
      status = errors.get(probe.spec + ": cannot be scheduled");
      return;
    }
    Result<std::vector<model::StrategyChoice>> choices =
        model::considerStrategies(*forms, cpu);
    if (!choices) {
      status = Error{probe.spec + ": " + choices.error()};
      return;
    }
    const model::StrategyChoice &choice =
        model::fastestStrategy(*choices, *strategy);
    if (!choice.unavailable.empty()) {
      status = Error{probe.spec + ": " + choice.unavailable};
      return;
    }
    observation.contraction = forms->front();
    observation.schedule = choice.schedule;
    op.setCpuScheduleAttr(CpuScheduleAttr::get(&context, choice.schedule));
  });
  return status;
}

/// Seconds that this thread has had of a processor: time that other programs
/// have of it does not count.
static double threadSeconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) +
         1e-9 * static_cast<double>(time.tv_nsec);
}

/// The best of calls that take a tenth of a second together: memory is slower
/// while others use it.
static Result<double> bestOf(const std::function<Status()> &call) {
  constexpr double budget = 0.08;
  constexpr int fewest = 6, most = 1000;
  double best = std::numeric_limits<double>::infinity();
  auto begin = Clock::now();
  for (int count = 0;
       count < fewest || (count < most && secondsSince(begin) < budget);
       ++count) {
    // Seconds of a thread that is interrupted are wrong by tens of
    // microseconds, also too few, which is much of a short call; some of those
    // are not interrupted.
    constexpr double shortCall = 2e-3;
    double ofThread = threadSeconds();
    auto start = Clock::now();
    if (Status status = call(); !status)
      return Error{status.error()};
    double seconds = secondsSince(start);
    if (seconds > shortCall)
      seconds = std::clamp(threadSeconds() - ofThread, shortCall / 2, seconds);
    best = std::min(best, seconds);
  }
  return best;
}

Result<Observation> Prober::run(const Probe &probe) {
  Result<Source> source = sourceOf(probe);
  if (!source)
    return Error{source.error()};
  Result<mlir::OwningOpRef<mlir::ModuleOp>> module =
      makeModule(context, *source);
  if (!module)
    return Error{module.error()};
  Observation observation;
  if (Status status = schedule(**module, probe, observation); !status)
    return Error{status.error()};
  CompileOptions options;
  options.threads = 1;
  Result<HostProgram> program = compileForCpu(**module, probe.spec, options);
  if (!program)
    return Error{program.error()};
  Result<LoadedObject> code = loadObject(program->object);
  if (!code)
    return Error{code.error()};
  const HostKernel &kernel = program->kernels.front();
  runtime::ProblemOptions problemOptions;
  problemOptions.seed = 1;
  Result<runtime::Problem> problem =
      runtime::makeProblem(kernel.definition, problemOptions);
  if (!problem)
    return Error{problem.error()};
  Result<double> seconds = bestOf(prepareCall(*code, 0, kernel, *problem));
  if (!seconds)
    return Error{seconds.error()};
  observation.seconds = *seconds;
  return observation;
}

/// Lets memory that contractions allocate and free stay with the process, as in
/// programs that call them again and again.
static void keepFreedMemory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
#endif
}

Result<std::vector<Observation>>
calibration::measure(const model::CpuTarget &cpu,
                     const std::vector<Probe> &probes,
                     const std::function<void(const Probe &, double)> &report) {
  keepFreedMemory();
  Prober prober(cpu);
  std::vector<Observation> observations;
  for (const Probe &probe : probes) {
    Result<Observation> observation = prober.run(probe);
    if (!observation)
      return Error{observation.error()};
    report(probe, observation->seconds);
    observations.push_back(std::move(*observation));
  }
  return observations;
}
