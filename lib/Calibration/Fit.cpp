//===- Fit.cpp - Costs of a CPU from measured times -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Least squares of logarithms, by the method of Levenberg and Marquardt: all
// figures are positive, and what counts are ratios. Outliers count less. A term
// for each figure holds it near its first value where the observations say
// nothing of it.
//
//===----------------------------------------------------------------------===//

#include "tc/Calibration/Fit.h"

#include "tc/Machine/TargetCheck.h"
#include "tc/Machine/TargetFigures.h"

#include <algorithm>
#include <cmath>

using namespace tc;
using namespace tc::calibration;
using namespace tc::model;

namespace {

using Vector = std::vector<double>;
using Matrix = std::vector<Vector>;

/// The deviation that is assumed of a figure from its first value, next to that
/// of a prediction from a measured time, both as logarithms.
constexpr double figureSpread = 2.5, timeSpread = 0.05;

/// A deviation from which on a time counts less and less: it was disturbed, or
/// is one that the model cannot explain.
constexpr double outlier = 0.15;

/// The number that stands for zero, which has no logarithm.
constexpr double tiny = 1e-12;

/// A figure that is fitted, and its limits.
struct Parameter {
  double *value;
  double least, largest;
};

/// The costs of a CPU, then the rates of its caches and its memory.
std::vector<Parameter> parametersOf(CpuTarget &cpu) {
  std::vector<Parameter> parameters;
  // Counts decide, and take no time.
  auto add = [&](const Figure &figure, auto &value) {
    if constexpr (std::is_same_v<decltype(value), double &>)
      parameters.push_back(
          {&value, std::max(figure.least, tiny), figure.largest});
  };
  visitCpuCosts(cpu.costs, add);
  for (CpuCache &cache : cpu.caches)
    parameters.push_back({&cache.bytesPerSecond, minRate, largestRate});
  parameters.push_back({&cpu.memoryBytesPerSecond, minRate, largestRate});
  return parameters;
}

Vector logarithmsOf(CpuTarget cpu) {
  Vector logarithms;
  for (const Parameter &parameter : parametersOf(cpu))
    logarithms.push_back(std::log(std::max(*parameter.value, tiny)));
  return logarithms;
}

/// The CPU with other figures, within their limits, outer levels of memory no
/// faster than inner ones.
CpuTarget withFigures(CpuTarget cpu, const Vector &logarithms) {
  std::vector<Parameter> parameters = parametersOf(cpu);
  for (size_t i = 0; i < parameters.size(); ++i)
    *parameters[i].value = std::clamp(
        std::exp(logarithms[i]), parameters[i].least, parameters[i].largest);
  double inner = largestRate;
  for (CpuCache &cache : cpu.caches)
    inner = cache.bytesPerSecond = std::min(inner, cache.bytesPerSecond);
  cpu.memoryBytesPerSecond = std::min(inner, cpu.memoryBytesPerSecond);
  return cpu;
}

/// Logarithms of predicted over measured times.
Result<Vector> deviations(const CpuTarget &cpu,
                          const std::vector<Observation> &observations) {
  Vector result;
  for (const Observation &one : observations) {
    Result<CpuTime> time = predictTime(one.contraction, one.schedule, cpu);
    if (!time)
      return Error{time.error()};
    result.push_back(std::log(time->total() / one.seconds));
  }
  return result;
}

double squares(const Vector &values) {
  double sum = 0;
  for (double value : values)
    sum += value * value;
  return sum;
}

/// Solves a positive definite system, by elimination.
Vector solve(Matrix matrix, Vector right) {
  size_t count = right.size();
  for (size_t i = 0; i < count; ++i)
    for (size_t row = i + 1; row < count; ++row) {
      double factor = matrix[row][i] / matrix[i][i];
      for (size_t column = i; column < count; ++column)
        matrix[row][column] -= factor * matrix[i][column];
      right[row] -= factor * right[i];
    }
  for (size_t i = count; i-- > 0;) {
    for (size_t column = i + 1; column < count; ++column)
      right[i] -= matrix[i][column] * right[column];
    right[i] /= matrix[i][i];
  }
  return right;
}

class Fitter {
public:
  Fitter(const CpuTarget &start, const std::vector<Observation> &observations)
      : start(start), observations(observations), first(logarithmsOf(start)) {}

  Result<CpuTarget> run();

private:
  /// The values that are to become small: deviations, then the changes of
  /// figures.
  Result<Vector> residuals(const Vector &logarithms) const {
    Result<Vector> result =
        deviations(withFigures(start, logarithms), observations);
    if (!result)
      return result;
    // Cauchy's loss, as the square of the value that stands for the deviation.
    for (double &value : *result) {
      double ratio = value / outlier;
      value =
          std::copysign(outlier * std::sqrt(std::log1p(ratio * ratio)), value);
    }
    for (size_t i = 0; i < logarithms.size(); ++i)
      result->push_back((logarithms[i] - first[i]) * timeSpread / figureSpread);
    return result;
  }

  const CpuTarget &start;
  const std::vector<Observation> &observations;
  Vector first;
};

Result<CpuTarget> Fitter::run() {
  constexpr int maxSteps = 60;
  constexpr double difference = 1e-4, enough = 1e-7;
  Vector at = first;
  Result<Vector> here = residuals(at);
  if (!here)
    return Error{here.error()};
  double damping = 1e-2;
  for (int step = 0; step < maxSteps; ++step) {
    Matrix slopes;
    for (size_t i = 0; i < at.size(); ++i) {
      Vector moved = at;
      moved[i] += difference;
      Result<Vector> there = residuals(moved);
      if (!there)
        return Error{there.error()};
      for (size_t row = 0; row < there->size(); ++row)
        (*there)[row] = ((*there)[row] - (*here)[row]) / difference;
      slopes.push_back(std::move(*there));
    }
    auto product = [](const Vector &a, const Vector &b) {
      double sum = 0;
      for (size_t i = 0; i < a.size(); ++i)
        sum += a[i] * b[i];
      return sum;
    };
    Matrix matrix(at.size(), Vector(at.size()));
    Vector right(at.size());
    for (size_t i = 0; i < at.size(); ++i) {
      right[i] = -product(slopes[i], *here);
      for (size_t j = 0; j < at.size(); ++j)
        matrix[i][j] = product(slopes[i], slopes[j]);
    }
    double before = squares(*here), after = before;
    // A step is taken if it is an improvement, else a shorter one.
    for (int attempt = 0; attempt < 12 && after >= before; ++attempt) {
      Matrix damped = matrix;
      for (size_t i = 0; i < at.size(); ++i)
        damped[i][i] *= 1 + damping;
      Vector move = solve(std::move(damped), right), next = at;
      for (size_t i = 0; i < at.size(); ++i)
        next[i] += std::clamp(move[i], -1.0, 1.0);
      // A figure at a limit moves away from it at once.
      next = logarithmsOf(withFigures(start, next));
      Result<Vector> there = residuals(next);
      if (!there)
        return Error{there.error()};
      after = squares(*there);
      damping = after < before ? damping / 4 : damping * 4;
      if (after < before) {
        at = std::move(next);
        here = std::move(there);
      }
    }
    if (after >= before * (1 - enough))
      break;
  }
  return withFigures(start, at);
}

/// The most of the peak that any observation attains.
double attained(const CpuTarget &cpu,
                const std::vector<Observation> &observations) {
  double most = 0;
  for (const Observation &one : observations)
    most = std::max(most, one.contraction.fusedMultiplyAdds() /
                              (one.seconds * cpu.clockHertz *
                               cpu.productsPerCycle(one.contraction)));
  return most;
}

} // namespace

Result<Agreement>
calibration::compare(const CpuTarget &cpu,
                     const std::vector<Observation> &observations) {
  Result<Vector> all = deviations(cpu, observations);
  if (!all)
    return Error{all.error()};
  Agreement agreement;
  if (all->empty())
    return agreement;
  double sum = 0, within = 0;
  for (double deviation : *all) {
    sum += deviation;
    within += std::abs(deviation) <= std::log(1.2);
  }
  auto count = static_cast<double>(all->size());
  agreement.mean = std::exp(sum / count);
  agreement.partWithin = within / count;
  return agreement;
}

Result<CpuTarget>
calibration::fitFigures(const CpuTarget &start,
                        const std::vector<Observation> &observations) {
  for (const Observation &one : observations)
    if (!(one.seconds > 0) || !std::isfinite(one.seconds))
      return Error{"a contraction was measured to take " +
                   std::to_string(one.seconds) + " s"};
  CpuTarget cpu = start;
  // Vector units may be half of those assumed, and clocks higher than those
  // reported; neither is found where nothing is near the peak.
  constexpr double halfOfUnits = 0.55;
  while (attained(cpu, observations) < halfOfUnits &&
         cpu.fmaPerCycleF64 % 2 == 0 && cpu.fmaPerCycleF32 % 2 == 0 &&
         cpu.fmaPerCycleF64 * 8 > cpu.vectorBytes) {
    cpu.fmaPerCycleF32 /= 2;
    cpu.fmaPerCycleF64 /= 2;
  }
  cpu.clockHertz *= std::max(1.0, attained(cpu, observations));
  Result<CpuTarget> fitted = Fitter(cpu, observations).run();
  if (!fitted)
    return fitted;
  if (Status status = checkCpuTarget(*fitted); !status)
    return Error{"the fitted CPU cannot be: " + status.error()};
  return fitted;
}
