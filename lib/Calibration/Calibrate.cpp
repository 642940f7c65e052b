//===- Calibrate.cpp - Measured figures of the CPU at hand ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Calibration/Calibrate.h"

#include "tc/Machine/DetectCpu.h"
#include "tc/Machine/TargetFigures.h"
#include "tc/Machine/TargetFile.h"

#include <cstdio>

using namespace tc;
using namespace tc::calibration;
using namespace tc::model;

Result<Calibration> calibration::calibrate(
    const std::function<void(const Probe &, double)> &report) {
  Result<DetectedCpu> detected = detectCpu();
  if (!detected)
    return Error{detected.error()};
  Calibration result;
  result.detected = std::move(detected->target);
  CpuTarget start = result.detected;
  if (double clock = measureClock(); clock > 0) {
    // Rates that were assumed by the cycle are assumed so of the true clock.
    double ratio = clock / start.clockHertz;
    start.clockHertz = clock;
    start.memoryBytesPerSecond *= ratio;
    for (CpuCache &cache : start.caches)
      cache.bytesPerSecond *= ratio;
  }
  result.probes = makeProbes(start);
  Result<std::vector<Observation>> observations =
      measure(start, result.probes, report);
  if (!observations)
    return Error{observations.error()};
  result.observations = std::move(*observations);
  Result<CpuTarget> fitted = fitFigures(start, result.observations);
  if (!fitted)
    return Error{fitted.error()};
  result.cpu = std::move(*fitted);
  for (auto [cpu, agreement] : {std::pair(&result.detected, &result.before),
                                std::pair(&result.cpu, &result.after)}) {
    Result<Agreement> compared = compare(*cpu, result.observations);
    if (!compared)
      return Error{compared.error()};
    *agreement = *compared;
  }
  return result;
}

std::string calibration::writeCalibration(const Calibration &calibration,
                                          const std::string &date) {
  return writeTarget(calibration.cpu,
                     {"measured by tc-calibrate on " + date + ", one core",
                      "team_seconds, barrier_seconds, joined_vector_cycles and "
                      "moved_stride_one_weight are not measured"});
}

/// Text by a pattern of printf's.
template <typename... Values>
static std::string format(const char *pattern, Values... values) {
  char buffer[256];
  std::snprintf(buffer, sizeof(buffer), pattern, values...);
  return buffer;
}

namespace {

/// The figures of a CPU that are numbers, by name.
struct NumberCollector {
  std::string prefix;
  std::vector<std::pair<std::string, double>> numbers;

  template <typename T> void operator()(const Figure &figure, const T &value) {
    if constexpr (std::is_arithmetic_v<T>)
      numbers.emplace_back(prefix + std::string(figure.key),
                           static_cast<double>(value));
  }
};

} // namespace

static std::vector<std::pair<std::string, double>>
numbersOf(const CpuTarget &cpu) {
  NumberCollector collector;
  visitCpuFigures(cpu, collector);
  for (const CpuCache &cache : cpu.caches) {
    collector.prefix = cache.name + " ";
    visitCacheFigures(cache, collector);
  }
  return std::move(collector.numbers);
}

std::string calibration::describe(const Calibration &calibration) {
  std::string text = format("%-32s%12s%12s\n", "", "assumed", "measured");
  auto before = numbersOf(calibration.detected);
  auto after = numbersOf(calibration.cpu);
  for (size_t i = 0; i < before.size(); ++i)
    if (before[i].second != after[i].second)
      text += format("%-32s%12.4g%12.4g\n", before[i].first.c_str(),
                     before[i].second, after[i].second);
  text += format("%-32s%12.3f%12.3f\n", "predicted over measured",
                 calibration.before.mean, calibration.after.mean);
  text += format("%-32s%11.0f%%%11.0f%%\n", "predictions within 20%",
                 100 * calibration.before.partWithin,
                 100 * calibration.after.partWithin);
  return text;
}

Result<std::string>
calibration::describeProbes(const Calibration &calibration) {
  std::string text = format("%-12s%10s%10s  %s\n", "measured us", "assumed",
                            "fitted", "probe");
  for (size_t i = 0; i < calibration.probes.size(); ++i) {
    const Probe &probe = calibration.probes[i];
    const Observation &one = calibration.observations[i];
    Result<CpuTime> before =
        predictTime(one.contraction, one.schedule, calibration.detected);
    Result<CpuTime> after =
        predictTime(one.contraction, one.schedule, calibration.cpu);
    if (!before || !after)
      return Error{(before ? after : before).error()};
    text += format("%-12.1f%10.1f%10.1f  %s %s %s %s\n", one.seconds * 1e6,
                   before->total() * 1e6, after->total() * 1e6,
                   std::string(stringify(probe.type)).c_str(),
                   probe.strategy.c_str(), probe.spec.c_str(),
                   probe.extents.c_str());
  }
  return text;
}
