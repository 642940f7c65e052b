//===- Explanation.cpp - The reasons for a schedule -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Gpu/Search/Explanation.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

namespace tc::model {

namespace {

template <typename... Arguments>
std::string format(const char *pattern, Arguments... arguments) {
  char text[256];
  std::snprintf(text, sizeof(text), pattern, arguments...);
  return text;
}

/// "limited by DRAM, at 93% of the roofline".
std::string describeLimit(const Cost &cost, double rooflineSeconds) {
  return format("limited by %s, at %.0f%% of the roofline",
                std::string(cost.limit()).c_str(),
                100 * rooflineSeconds / cost.seconds());
}

/// The ratio of an amount of one kernel to another's: "1.31 times".
std::string times(double ratio) { return format("%.3g times", ratio); }

/// The part of the last wave that no blocks fill, of all waves.
double idlePart(const Occupancy &occupancy) {
  return 1 - occupancy.waves / std::ceil(occupancy.waves);
}

/// The reason why execution is longer than the levels' work, compared with a
/// faster kernel.
std::string explainWaiting(const ExplainedCandidate &slower,
                           const ExplainedCandidate &faster) {
  const Occupancy &occupancy = slower.cost.occupancy;
  if (occupancy.waves < 1)
    return format("its %lld blocks leave places for %.0f%% more empty",
                  static_cast<long long>(slower.layout.blocks),
                  100 / occupancy.waves - 100);
  if (occupancy.residentWarps < faster.cost.occupancy.residentWarps)
    return format("%lld warps, to which %s limit a multiprocessor, hide less "
                  "latency than %lld",
                  static_cast<long long>(occupancy.residentWarps),
                  std::string(occupancy.limitedBy).c_str(),
                  static_cast<long long>(faster.cost.occupancy.residentWarps));
  // The work that blocks are busy with between their waits.
  double most = 0, growth = 0;
  std::string_view busiest;
  for (Level level : {Level::Shared, Level::Issue, Level::Pipe}) {
    double slow = slower.cost[level].seconds, fast = faster.cost[level].seconds;
    if (slow - fast > most) {
      most = slow - fast;
      growth = slow / fast;
      busiest = stringify(level);
    }
  }
  if (growth > 1 + nearTie)
    return "its blocks keep " + std::string(busiest) + " busy for " +
           times(growth) + " as long";
  if (occupancy.residentBlocks < faster.cost.occupancy.residentBlocks)
    return format("a multiprocessor holds %lld of its blocks at a time, which "
                  "hides less of their waits than %lld",
                  static_cast<long long>(occupancy.residentBlocks),
                  static_cast<long long>(faster.cost.occupancy.residentBlocks));
  if (slower.layout.steps > faster.layout.steps)
    return format("it waits at %lld steps of K instead of %lld",
                  static_cast<long long>(slower.layout.steps),
                  static_cast<long long>(faster.layout.steps));
  if (idlePart(occupancy) > idlePart(faster.cost.occupancy))
    return format("its %.2f waves leave more of the chip idle than %.2f",
                  occupancy.waves, faster.cost.occupancy.waves);
  return "its blocks wait longer at barriers and for memory";
}

/// The level, or the execution of the blocks, that takes so long.
std::string partThatTakes(const Cost &cost, double seconds) {
  for (unsigned i = 0; i < numLevels; ++i)
    if (cost.levels[i].seconds == seconds)
      return std::string(stringify(static_cast<Level>(i)));
  return "latency and waves";
}

/// The reason why `slower` loses against `faster`: the level that takes
/// longest, and the one whose work differs most between the two.
std::string explainLoss(const ExplainedCandidate &slower,
                        const ExplainedCandidate &faster) {
  double ratio = slower.cost.seconds() / faster.cost.seconds();
  std::string limit(slower.cost.limit());
  if (ratio <= 1 + nearTie) {
    auto mine = slower.cost.ranked(), other = faster.cost.ranked();
    for (unsigned rank = 0; rank <= numLevels; ++rank)
      if (mine[rank] > other[rank] * (1 + nearTie))
        return format("as fast within %.0f%%, but its number %u constraint, "
                      "%s, takes %s as long",
                      100 * nearTie, rank + 1,
                      partThatTakes(slower.cost, mine[rank]).c_str(),
                      times(mine[rank] / other[rank]).c_str());
    return "as fast, and found later";
  }
  std::string slow = times(ratio) + " as long: ";
  for (unsigned i = 0; i < numLevels; ++i) {
    auto level = static_cast<Level>(i);
    if (limit != stringify(level))
      continue;
    double work = slower.cost[level].work / faster.cost[level].work;
    if (work <= 1 + nearTie)
      break;
    return slow + "limited by " + limit + ", where it has " + times(work) +
           " the " + std::string(unitOf(level));
  }
  return slow + explainWaiting(slower, faster);
}

Result<ExplainedCandidate> makeCandidate(const Contraction &contraction,
                                         const Target &target,
                                         const Schedule &schedule) {
  Result<KernelLayout> layout = layOut(contraction, schedule, target);
  if (!layout)
    return Error{layout.error()};
  Traffic traffic = countTraffic(contraction, *layout, target);
  Cost cost = estimateCost(contraction, *layout, traffic, target);
  return ExplainedCandidate{schedule, std::move(*layout), cost, ""};
}

/// The judge's opinion of two schedules, and the model's.
std::string explainJudgement(const ExplainedCandidate &candidate,
                             const ExplainedCandidate &first) {
  double predicted = candidate.cost.seconds() / first.cost.seconds();
  if (!candidate.judgedSeconds)
    return "not judged; the model has it take " + times(predicted) + " as long";
  if (!first.judgedSeconds)
    return "judged alone";
  return times(*candidate.judgedSeconds / *first.judgedSeconds) +
         " as long to the judge, " + times(predicted) + " to the model";
}

/// The schedules that are explained: those that a judge has ordered, then those
/// of the search, so many in all besides one that is given.
std::vector<Schedule> listSchedules(const SearchResult &found,
                                    const Schedule *given,
                                    const JudgedSchedules *judged,
                                    size_t count) {
  std::vector<Schedule> schedules;
  auto add = [&](const Schedule &schedule) {
    bool isThere = (given && schedule == *given) ||
                   std::find(schedules.begin(), schedules.end(), schedule) !=
                       schedules.end();
    if (!isThere && schedules.size() < count)
      schedules.push_back(schedule);
  };
  if (judged)
    for (const Schedule &schedule : judged->schedules)
      add(schedule);
  for (const Candidate &candidate : found.candidates)
    add(candidate.schedule);
  return schedules;
}

/// The reason why a kernel is not chosen that is predicted to be faster: the
/// search compares by the steady time.
std::string explainOtherTime(const Cost &cost, const Cost &first) {
  return times(cost.seconds() / first.seconds()) +
         " as long, but its levels and waves take " +
         times(cost.steadySeconds() / first.steadySeconds()) + " as long";
}

Result<Explanation> explainAll(const Contraction &contraction,
                               const Target &target, const Schedule *given,
                               const JudgedSchedules *judged,
                               unsigned runnersUp,
                               const std::string &givenName = "given") {
  Explanation result;
  result.givenName = givenName;
  result.contraction = contraction;
  result.target = target;
  Traffic least = compulsoryTraffic(contraction, target);
  for (Tensor tensor : allTensors)
    result.compulsoryBytes[tensor] =
        least.sectors[tensor] * static_cast<double>(target.sectorBytes);
  result.rooflineSeconds = rooflineSeconds(contraction, target);
  if (given) {
    Result<ExplainedCandidate> candidate =
        makeCandidate(contraction, target, *given);
    if (!candidate)
      return Error{candidate.error()};
    result.candidates.push_back(std::move(*candidate));
  }

  SearchOptions options;
  options.runnersUp = runnersUp;
  auto start = std::chrono::steady_clock::now();
  Result<SearchResult> found = search(contraction, target, options);
  std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  result.searchSeconds = time.count();
  if (!found)
    return Error{found.error()};
  result.statistics = found->statistics;
  result.isGiven = given && !(found->candidates.front().schedule == *given);
  for (const Schedule &schedule :
       listSchedules(*found, given, judged, size_t(1) + runnersUp)) {
    Result<ExplainedCandidate> explained =
        makeCandidate(contraction, target, schedule);
    if (!explained)
      return Error{explained.error()};
    result.candidates.push_back(std::move(*explained));
  }
  if (judged) {
    result.judge = judged->judge;
    for (ExplainedCandidate &candidate : result.candidates)
      for (size_t i = 0; i < judged->schedules.size(); ++i)
        if (judged->schedules[i] == candidate.schedule)
          candidate.judgedSeconds = judged->seconds[i];
  }

  for (ExplainedCandidate &candidate : result.candidates) {
    ExplainedCandidate &first = result.candidates.front();
    if (&candidate == &first)
      candidate.reason = describeLimit(first.cost, result.rooflineSeconds);
    else if (judged)
      candidate.reason = explainJudgement(candidate, first);
    else if (!given && candidate.cost.seconds() < first.cost.seconds())
      candidate.reason = explainOtherTime(candidate.cost, first.cost);
    else if (candidate.cost.seconds() < first.cost.seconds())
      candidate.reason =
          times(candidate.cost.seconds() / first.cost.seconds()) +
          " as long as the " + givenName + " schedule, " +
          describeLimit(candidate.cost, result.rooflineSeconds);
    else
      candidate.reason = explainLoss(candidate, first);
  }
  return result;
}

} // namespace

Result<Explanation> explain(const Contraction &contraction,
                            const Target &target, unsigned runnersUp) {
  return explainAll(contraction, target, nullptr, nullptr, runnersUp);
}

Result<Explanation> explain(const Contraction &contraction,
                            const Target &target, const Schedule &schedule,
                            unsigned runnersUp, const std::string &name) {
  return explainAll(contraction, target, &schedule, nullptr, runnersUp, name);
}

Result<Explanation> explain(const Contraction &contraction,
                            const Target &target, const JudgedSchedules &judged,
                            unsigned runnersUp) {
  return explainAll(contraction, target, nullptr, &judged, runnersUp);
}

} // namespace tc::model
