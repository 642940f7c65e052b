//===- Results.h - Results of a benchmark -----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rows of a run and their JSON, which docs/tc-bench.md describes. Figures
// that follow from others (medians, rates) are written for whoever reads the
// file, and made anew when it is read here.
//
//===----------------------------------------------------------------------===//

#ifndef TC_BENCH_RESULTS_H
#define TC_BENCH_RESULTS_H

#include "tc/Bench/Roofline.h"
#include "tc/Bench/Suite.h"

#include <nlohmann/json.hpp>

namespace tc::bench {

using runtime::Json;

/// The verdict on a contender's result.
struct Verdict {
  bool passed = false;
  double relativeError = 0, tolerance = 0;
  /// In one line.
  std::string summary;
};

/// One contender on one case.
struct Outcome {
  std::string contender;
  /// The reason why there are no times; empty if there are.
  std::string error;
  std::optional<Verdict> verdict;
  /// ||c - tc's c|| / ||tc's c|| over sampled elements; absent for tc itself
  /// and for contenders that compute something else.
  std::optional<double> difference;
  /// Seconds of each timed run, in the order of the rounds.
  std::vector<double> samples;
  /// Details that only this contender has; an object.
  Json details = Json::object();
};

struct CaseResult {
  std::string name;
  /// As in "C[i,j] = A[i,k] * B[k,j]".
  std::string contraction;
  std::string type;
  std::vector<std::pair<std::string, int64_t>> extents;
  runtime::Work work;
  /// The reason why the compiler refused it; nothing else is known then.
  std::string refused;
  /// Absent where nothing is timed.
  std::optional<Floor> floor;
  /// The device's before and after the timed runs; null if unknown.
  Json conditions;
  std::vector<Outcome> outcomes;
  /// Counters of the simulator, by kernel, or null.
  Json simulation;

  /// Returns true if everything that was run is right and was measured.
  bool passed() const;
  const Outcome *find(std::string_view contender) const;
};

/// The part of a case's result that no run adds to. For a type that this
/// program does not know, contraction and work are missing.
CaseResult describeCase(const Suite &suite, const Case &test);

struct Results {
  std::string suite;
  /// "cuda" or "sim".
  std::string machine;
  /// The time at which the run began, as in "2026-11-21T19:15:00Z".
  std::string date;
  /// Objects: how it was measured, on what, with what, and how fast that could
  /// be at best.
  Json options = Json::object(), device = Json::object(),
       versions = Json::object(), ceilings = Json::object();
  /// Contenders that there are not, and why.
  std::vector<std::pair<std::string, std::string>> unavailable;
  std::vector<CaseResult> cases;
  /// Names of the cases that the time did not suffice for.
  std::vector<std::string> notRun;

  const CaseResult *find(std::string_view name) const;
};

std::string toJson(const Results &results);
/// Reads what `toJson` writes, and what is merged into it, strictly. Errors
/// name the JSON path at fault.
Result<Results> parseResults(std::string_view text);

/// Now, in UTC, as `Results::date` has it.
std::string currentDate();

} // namespace tc::bench

#endif // TC_BENCH_RESULTS_H
