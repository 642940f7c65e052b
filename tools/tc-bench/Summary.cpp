//===- Summary.cpp - Results for people -------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Summary.h"
#include "tc/Bench/Statistics.h"

#include <cmath>
#include <cstdio>
#include <map>

using namespace tc;
using namespace tc::bench;

template <typename... T>
static std::string format(const char *pattern, T... values) {
  char buffer[256];
  std::snprintf(buffer, sizeof(buffer), pattern, values...);
  return buffer;
}

static double medianOf(const Outcome &outcome) {
  return summarize(outcome.samples).median;
}

/// Of the kernel, as the events around it measure; 0 if there is none.
static double predictedSecondsOf(const Outcome &outcome) {
  auto time = outcome.details.find("predicted_time");
  return time != outcome.details.end() && time->is_object()
             ? time->value("seconds", 0.0)
             : 0;
}

std::string bench::headText(const Results &results) {
  std::string text = "suite " + results.suite + " on " +
                     results.device["name"].get<std::string>() + ", seed " +
                     results.options["seed"].dump() + "\n";
  if (results.ceilings.contains("copy_bytes_per_second"))
    text +=
        format("copies move %.4g GB/s, read and written\n",
               results.ceilings["copy_bytes_per_second"].get<double>() * 1e-9);
  for (const auto &[contender, reason] : results.unavailable)
    text += "no " + contender + ": " + reason + "\n";
  return text;
}

/// "0.87 of 12" as a cell, or dashes.
static std::string numberText(const Json &value, const char *pattern) {
  return value.is_number() ? format(pattern, value.get<double>()) : "-";
}

static std::string simulationText(const Json &simulation) {
  const Json &loop = simulation["main_loop"];
  std::string text =
      "math " +
      numberText(loop.is_object() ? loop["math_share"] : Json(), "%.3f") +
      " of the main loop, wavefronts " +
      numberText(simulation["wavefronts_over_ideal"], "%.3f") +
      " of the ideal, sectors used";
  for (const auto &[tensor, use] : simulation["sector_use"].items())
    text += " " + tensor + " " + numberText(use, "%.2f");
  if (const Json &code = simulation["machine_code"]; code.is_object())
    text += ", machine code " +
            numberText(code["others_per_multiply"], "%.2f") +
            " others per multiply";
  return text + ", registers " + numberText(simulation["registers"], "%.0f") +
         ", spilled bytes " +
         numberText(simulation["spill_store_bytes"], "%.0f");
}

std::string bench::rowText(const CaseResult &result) {
  std::string text = format("%-32s", result.name.c_str());
  if (!result.refused.empty())
    return text + " refused: " + result.refused + "\n";
  std::string failures;
  for (const Outcome &outcome : result.outcomes) {
    if (!outcome.error.empty()) {
      failures += "  " + outcome.contender + ": " + outcome.error + "\n";
      continue;
    }
    double seconds = medianOf(outcome);
    text += format(" %s %.2f us", outcome.contender.c_str(), seconds * 1e6);
    if (outcome.contender == "tc")
      text += format(" (%.5g GFLOP/s, %.3f of the floor's rate)",
                     result.work.flops / seconds * 1e-9,
                     result.floor ? result.floor->seconds / seconds : 0);
    if (double predicted = predictedSecondsOf(outcome); predicted > 0)
      text += format(" predicted %.2f us", predicted * 1e6);
  }
  if (result.simulation.is_object())
    text += " " + simulationText(result.simulation);
  return text + "\n" + failures;
}

std::string bench::tailText(const Results &results) {
  std::string text;
  // By contender: the sum of the logarithms of its time over tc's, and the
  // number of cases that have both.
  std::map<std::string, std::pair<double, int>> sums;
  size_t refused = 0, failed = 0;
  double predictedSum = 0;
  int predictedCount = 0;
  for (const CaseResult &result : results.cases) {
    refused += !result.refused.empty();
    const Outcome *ours = result.find("tc");
    failed += ours && !ours->error.empty();
    if (!ours || ours->samples.empty())
      continue;
    if (double predicted = predictedSecondsOf(*ours); predicted > 0) {
      predictedSum += std::log(medianOf(*ours) / predicted);
      ++predictedCount;
    }
    for (const Outcome &outcome : result.outcomes) {
      if (outcome.contender == "tc" || outcome.samples.empty())
        continue;
      auto &[sum, count] = sums[outcome.contender];
      sum += std::log(medianOf(outcome) / medianOf(*ours));
      ++count;
    }
  }
  for (const auto &[contender, sum] : sums)
    text +=
        format("tc is %.3f times as fast as %s (geometric mean of %d)\n",
               std::exp(sum.first / sum.second), contender.c_str(), sum.second);
  if (predictedCount > 0)
    text += format("tc takes %.3f times as long as was predicted (geometric "
                   "mean of %d)\n",
                   std::exp(predictedSum / predictedCount), predictedCount);
  text += std::to_string(results.cases.size()) + " cases, " +
          std::to_string(failed) + " failed, " + std::to_string(refused) +
          " refused, " + std::to_string(results.notRun.size()) +
          " not run for want of time\n";
  return text;
}
