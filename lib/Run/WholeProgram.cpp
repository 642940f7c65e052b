//===- WholeProgram.cpp - Runs and checks all slices of a product ---------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WholeProgram.h"
#include "Input.h"
#include "Stopwatch.h"
#include "WorkProgress.h"

#include "tc/Buffers/Parallel.h"
#include "tc/Compiler/HostCache.h"
#include "tc/Problem/Semiring.h"
#include "tc/Reference/Check.h"
#include "tc/Reference/ErrorSums.h"
#include "tc/Reference/Reference.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace tc;
using namespace tc::run;
using runtime::HostTensor;
using runtime::Kernel;
using runtime::Problem;
using runtime::Program;

//===----------------------------------------------------------------------===//
// The reference
//===----------------------------------------------------------------------===//

namespace {

/// The program without a limit of memory, and what it computes.
struct Whole {
  LoadedProgram loaded;
  std::vector<Kernel> kernels;

  const Program &program() const { return *loaded.program.program; }
};

} // namespace

static Result<Whole> compileWhole(const Options &options, const Warn &warn) {
  Result<InputKind> kind = kindOf(options.input);
  if (!kind)
    return Error{kind.error()};
  Result<Source> source = readInput(options, *kind);
  if (!source)
    return Error{source.error()};
  CompileOptions host;
  host.threads = options.threads;
  host.tileChains = "never";
  HostCacheOptions cache{options};
  cache.warn = warn;
  Result<LoadedProgram> loaded = compileOrFind(*source, host, cache);
  if (!loaded)
    return Error{loaded.error()};
  if (!loaded->program.program)
    return Error{loaded->program.programObstacle};
  Whole whole{std::move(*loaded), {}};
  for (const HostKernel &kernel : whole.loaded.program.kernels)
    whole.kernels.push_back(kernel.definition);
  return whole;
}

static double flopsOf(const Whole &whole) {
  double flops = 0;
  for (const runtime::ProgramStep &step : whole.program().steps)
    if (step.kernel)
      flops += workOf(whole.kernels[*step.kernel]).flops;
  return flops;
}

/// Computes an output by definition.
/// @param least  what floating-point elements are at the least
static void computeByDefinition(const runtime::Reference &reference,
                                HostTensor &c, unsigned workers,
                                long double least) {
  runtime::PositionDecoder decoder(c.geometry());
  int64_t grain = std::max<int64_t>(1, 200'000 / (reference.sumLength() + 50));
  runtime::dispatch(c.type(), [&](auto zero) {
    using T = decltype(zero);
    runtime::parallelFor(
        c.geometry().bufferElements(), workers, grain,
        [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i)
            if (auto coordinates = decoder.coordinates(i)) {
              long double value = reference.at(*coordinates).value;
              if constexpr (std::is_integral_v<T>)
                c.as<T>()[i] = static_cast<T>(value);
              else
                c.as<T>()[i] = static_cast<T>(static_cast<double>(
                    std::isnan(value) ? value : std::max(value, least)));
            }
        });
  });
}

/// Meaning of the outputs that are computed by definition: results, or the
/// sizes of what leads to them, which are at least the least normal number, as
/// numbers below that are rounded as coarsely.
enum class Meaning { Results, Sizes };

static long double leastOf(const HostTensor &c, Meaning meaning) {
  return meaning == Meaning::Sizes
             ? runtime::leastNormal(c.type())
             : -std::numeric_limits<long double>::infinity();
}

/// Computes all outputs by definition.
static Status computeByDefinition(const Kernel &kernel, Problem &problem,
                                  unsigned workers,
                                  Meaning meaning = Meaning::Results) {
  for (unsigned node : runtime::groupOf(kernel).storedNodes()) {
    HostTensor &c = problem.tensors[*runtime::placesOf(kernel, node)[2]];
    computeByDefinition(runtime::Reference(kernel, problem, node), c, workers,
                        leastOf(c, meaning));
  }
  return {};
}

/// True if a result is no larger than what the same contraction makes of the
/// sizes of all numbers, which its rounding errors are relative to.
static bool addsProducts(const Kernel &kernel) {
  return kernel.semiring == model::Semiring::PlusTimes &&
         kernel.prologueA.empty() && kernel.prologueB.empty() &&
         kernel.epilogue.empty() && !kernel.hasOtherCode;
}

static model::Constant sizeOf(const model::Constant &number) {
  return std::abs(number.value());
}

/// Makes numbers their sizes; of complex ones, the real part. Infinities are
/// exact, and count nothing.
static void takeSizes(HostTensor &tensor, bool isComplex) {
  runtime::dispatch(tensor.type(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (!std::is_integral_v<T>) {
      int64_t parts = isComplex ? 2 : 1;
      for (int64_t i = 0; i < tensor.geometry().bufferElements(); i += parts) {
        T *element = tensor.as<T>() + i;
        double size = std::fabs(static_cast<double>(element[0]));
        if (isComplex)
          size = std::hypot(size, static_cast<double>(element[1]));
        element[0] = static_cast<T>(std::isfinite(size) ? size : 0.0);
        if (!isComplex)
          continue;
        element[1] = T();
      }
    }
  });
}

/// Output of the program for the sizes of its parameters.
static Result<ProgramMemory>
runOnSizes(const Whole &whole, uint64_t seed,
           const runtime::ProblemOptions &options) {
  Program program = whole.program();
  std::vector<Kernel> kernels = whole.kernels;
  for (Kernel &kernel : kernels) {
    kernel.alpha.value = sizeOf(kernel.alpha.value);
    kernel.beta.value = sizeOf(kernel.beta.value);
  }
  for (runtime::ProgramStep &step : program.steps)
    for (auto *factor : {&step.alpha, &step.beta})
      if (*factor)
        *factor = sizeOf(**factor);
  Result<ProgramMemory> memory = makeMemory(program, seed, options.workers);
  if (!memory)
    return memory;
  for (size_t i = 0; i < program.parameters.size(); ++i)
    takeSizes(memory->parameters[i],
              model::isComplex(program.parameters[i].type));
  Status status = runSteps(
      program, kernels, options, *memory,
      [&](size_t, const Kernel &kernel, Problem &problem) {
        return computeByDefinition(kernel, problem, options.workers,
                                   Meaning::Sizes);
      },
      [](size_t) {});
  if (!status)
    return Error{status.error()};
  return memory;
}

//===----------------------------------------------------------------------===//
// The comparison
//===----------------------------------------------------------------------===//

/// Error bounds of all steps, relative to the sizes of the numbers.
static runtime::ErrorBounds boundsOf(const Whole &whole) {
  runtime::ErrorBounds bounds;
  for (const runtime::ProgramStep &step : whole.program().steps) {
    if (!step.kernel)
      continue;
    const Kernel &kernel = whole.kernels[*step.kernel];
    double results = 1;
    for (int64_t extent : kernel.tensors[2].extents)
      results *= static_cast<double>(extent);
    // Operations, which are as many as products or a few times as many.
    double length = std::max(1.0, workOf(kernel).flops / results);
    runtime::ErrorBounds ofStep =
        runtime::errorBounds(kernel.accumulatorType, kernel.precision,
                             static_cast<int64_t>(std::min(length, 1e18)));
    // Values stored in between may have fewer bits than sums have.
    auto stored = static_cast<double>(runtime::outputRounding(
        kernel.accumulatorType, kernel.tensors[2].type, 1));
    bounds.norm += ofStep.norm + 4 * stored;
    bounds.element += ofStep.element + 4 * stored;
  }
  return bounds;
}

static long double numberAt(const HostTensor &tensor, int64_t position) {
  return runtime::dispatch(tensor.type(), [&](auto zero) {
    return static_cast<long double>(tensor.as<decltype(zero)>()[position]);
  });
}

static bool isPoison(const HostTensor &tensor, int64_t position) {
  return runtime::dispatch(tensor.type(), [&](auto zero) {
    using T = decltype(zero);
    return tensor.contents() == runtime::Contents::Poison &&
           tensor.bits<T>(position) == runtime::Pattern<T>::poison;
  });
}

/// @param sizes  what errors are relative to; of all elements alike if there
///               are none
static runtime::CheckReport compare(const HostTensor &result,
                                    const HostTensor &expected,
                                    const HostTensor *sizes, bool isComplex,
                                    const runtime::ErrorBounds &bounds) {
  runtime::CheckReport report;
  int64_t count = result.geometry().bufferElements();
  auto sizeOf = [](long double number) {
    return std::isfinite(number) ? std::fabs(number) : 0;
  };
  long double largest = 0;
  for (int64_t i = 0; i < count; ++i)
    if (result.contains(i))
      largest = std::max(largest, sizeOf(numberAt(expected, i)));
  auto note = [&](runtime::Fault &fault, int64_t position) {
    if (fault.count++ == 0)
      fault.first = "position " + std::to_string(position);
  };
  /// True if a number, or both parts of it, is finite.
  auto isFinite = [&](const HostTensor &tensor, int64_t i) {
    return isComplex ? std::isfinite(numberAt(tensor, i & ~1)) &&
                           std::isfinite(numberAt(tensor, i | 1))
                     : std::isfinite(numberAt(tensor, i));
  };
  runtime::ErrorSums sums;
  for (int64_t i = 0; i < count; ++i) {
    if (!result.contains(i))
      continue;
    ++report.owned;
    long double number = numberAt(result, i), wanted = numberAt(expected, i);
    long double error = runtime::errorOf(number, wanted, result.type());
    // The multiplication decides which part of a complex number is an infinity
    // or a NaN.
    if (isComplex && !isFinite(result, i) && !isFinite(expected, i))
      error = 0;
    if (isPoison(result, i))
      note(report.unwritten, i);
    else if (!std::isfinite(number) && error != 0)
      note(report.nonFinite, i);
    // The size of a complex number is in the place of its real part. One that
    // is beyond the type's range is about as large as that.
    long double size = 0;
    if (!model::isInteger(result.type())) {
      size = sizes ? numberAt(*sizes, isComplex ? i & ~1 : i) : 1 + largest;
      size = std::clamp(size, runtime::leastNormal(result.type()),
                        runtime::largestFinite(result.type()));
    }
    if (error != 0 || std::isfinite(wanted))
      sums.add(error, wanted, size, /*rounding=*/0);
    double relative = runtime::relativeErrorOf(error, size, /*rounding=*/0);
    if (report.largestAt.empty() || relative > report.largestError) {
      report.largestError = relative;
      report.largestAt = "position " + std::to_string(i);
    }
  }
  report.owned /= isComplex ? 2 : 1;
  report.compared = report.owned;
  report.relativeError = sums.relativeError();
  report.tolerance = sums.tolerance(bounds.norm);
  report.largestTolerance = bounds.element;
  return report;
}

//===----------------------------------------------------------------------===//
// The report
//===----------------------------------------------------------------------===//

/// "y in 10 slices": each writes the parameter once.
static std::string describeSlices(const Program &program, runtime::Json &json) {
  std::string text;
  for (size_t i = 0; i < program.parameters.size(); ++i) {
    const runtime::ProgramParameter &parameter = program.parameters[i];
    auto slices =
        std::count_if(program.steps.begin(), program.steps.end(),
                      [&](const runtime::ProgramStep &step) {
                        return step.kernel &&
                               step.tensors[2].kind ==
                                   runtime::ProgramPlace::Kind::Parameter &&
                               step.tensors[2].parameter == i;
                      });
    if (slices == 0)
      continue;
    text += (text.empty() ? "" : ", ") + parameter.name + " in " +
            std::to_string(slices) + (slices == 1 ? " slice" : " slices");
    json["slices"][parameter.name] = slices;
  }
  return text;
}

/// Compares what has been computed with the reference.
static Status check(const Program &program, const ProgramMemory &computed,
                    const Options &options, uint64_t seed, const Warn &warn,
                    const Progress &progress, runtime::Report &report,
                    runtime::Json &json) {
  Result<Whole> whole = compileWhole(options, warn);
  if (!whole) {
    report.text += runtime::reportLine("check", "none: " + whole.error());
    json["check"] = nullptr;
    return {};
  }
  runtime::ProblemOptions problem;
  problem.workers = options.workers;
  Result<ProgramMemory> expected =
      makeMemory(whole->program(), seed, options.workers);
  if (!expected)
    return Error{expected.error()};
  constexpr double mostFlops = 2e9;
  bool isDefinition = flopsOf(*whole) <= mostFlops;
  auto runKernel = [&](size_t number, const Kernel &kernel, Problem &operands) {
    if (isDefinition)
      return computeByDefinition(kernel, operands, options.workers);
    return prepareCall(whole->loaded.code, number,
                       whole->loaded.program.kernels[number], operands)();
  };
  size_t steps = whole->program().steps.size();
  WorkProgress told("computed the reference of", "steps", progress);
  if (Status status =
          runSteps(whole->program(), whole->kernels, problem, *expected,
                   runKernel, [&](size_t done) { told(done, steps); });
      !status)
    return status;
  std::optional<ProgramMemory> sizes;
  if (isDefinition &&
      std::all_of(whole->kernels.begin(), whole->kernels.end(), addsProducts)) {
    Result<ProgramMemory> found = runOnSizes(*whole, seed, problem);
    if (!found)
      return Error{found.error()};
    sizes = std::move(*found);
  }
  for (size_t i = 0; i < program.parameters.size(); ++i) {
    const runtime::ProgramParameter &parameter = program.parameters[i];
    if (!parameter.isWritten)
      continue;
    runtime::CheckReport result =
        compare(computed.parameters[i], expected->parameters[i],
                sizes ? &sizes->parameters[i] : nullptr,
                model::isComplex(parameter.type), boundsOf(*whole));
    report.text +=
        runtime::reportLine("check", parameter.name + " " + result.summary());
    json["check"][parameter.name] = runtime::checkToJson(result);
    report.note("program " + program.name + ", " + parameter.name, result);
  }
  return {};
}

Status
run::runWholeProgram(const Program &program,
                     const std::function<Status(ProgramMemory &memory)> &run,
                     const Options &options, uint64_t seed, const Warn &warn,
                     const Progress &progress, runtime::Report &report) {
  Result<ProgramMemory> memory = makeMemory(program, seed, options.workers);
  if (!memory)
    return Error{memory.error()};
  runtime::Json json;
  Stopwatch stopwatch;
  if (Status status = run(*memory); !status)
    return status;
  double seconds = stopwatch.seconds();
  std::string slices = describeSlices(program, json);
  report.text += "whole program " + program.name + "\n" +
                 runtime::reportLine(
                     "run", std::to_string(program.steps.size()) + " steps, " +
                                slices + ", in " + shortTime(seconds));
  json["name"] = program.name;
  json["steps"] = program.steps.size();
  json["seconds"] = seconds;
  if (options.check)
    if (Status status = check(program, *memory, options, seed, warn, progress,
                              report, json);
        !status)
      return status;
  report.json["whole_programs"].push_back(std::move(json));
  return {};
}
