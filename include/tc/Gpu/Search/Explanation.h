//===- Explanation.h - The reasons for a schedule ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything that there is to say about the choice of a schedule, for tools to
// render.
//
//===----------------------------------------------------------------------===//

#ifndef TC_GPU_SEARCH_EXPLANATION_H
#define TC_GPU_SEARCH_EXPLANATION_H

#include "tc/Gpu/Search/ScheduleSearch.h"

namespace tc::model {

struct ExplainedCandidate {
  Schedule schedule;
  KernelLayout layout;
  Cost cost;
  /// The reason why it was chosen or was not, in one sentence.
  std::string reason;
  /// The time that a judge behind the cost predicts, if it was asked.
  std::optional<double> judgedSeconds = std::nullopt;
};

/// Schedules about which a judge was asked that stands behind the cost.
struct JudgedSchedules {
  /// The name of its measure.
  std::string judge;
  /// Its choice first; no seconds where it could say nothing.
  std::vector<Schedule> schedules;
  std::vector<std::optional<double>> seconds;
};

struct Explanation {
  Contraction contraction;
  Target target;
  /// Bytes of each tensor's sectors if each is moved once; of C, twice where it
  /// is read.
  PerTensor<double> compulsoryBytes = {};
  /// No kernel is faster: see `rooflineSeconds` in CostModel.h.
  double rooflineSeconds = 0;
  /// The explained schedule first.
  std::vector<ExplainedCandidate> candidates;
  /// True if the first candidate was given, and the search chose another one,
  /// which comes second.
  bool isGiven = false;
  /// The name of the first candidate then.
  std::string givenName = "given";
  /// The name of the measure of the judge that chose among the search's best;
  /// empty if the model's cost did.
  std::string judge;
  SearchStatistics statistics;
  /// Wall-clock time of the search.
  double searchSeconds = 0;
};

/// Explains the schedule that the search chooses, beside as many runners-up
/// (the best kernels of other block shapes). Fails if no schedule is feasible.
Result<Explanation> explain(const Contraction &contraction,
                            const Target &target, unsigned runnersUp);

/// Explains a given schedule, beside the one that the search chooses and its
/// runners-up. `name` says where it is from. Fails if the schedule cannot be
/// obeyed.
Result<Explanation> explain(const Contraction &contraction,
                            const Target &target, const Schedule &schedule,
                            unsigned runnersUp,
                            const std::string &name = "given");

/// Explains the choice of a judge, beside as many of the others about which it
/// was asked, and after these of the search's runners-up.
Result<Explanation> explain(const Contraction &contraction,
                            const Target &target, const JudgedSchedules &judged,
                            unsigned runnersUp);

} // namespace tc::model

#endif // TC_GPU_SEARCH_EXPLANATION_H
