//===- CpuRanking.cpp - Many schedules by predicted time ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The candidates for a search that measures: it may find a schedule fast that
// the model does not.
//
//===----------------------------------------------------------------------===//

#include "DirectLoops.h"
#include "Products.h"
#include "RelatedSchedules.h"

#include "tc/Problem/ComplexParts.h"

#include <algorithm>
#include <set>

using namespace tc;
using namespace tc::model;

/// A text that no other schedule of a contraction has.
static std::string textOf(const CpuSchedule &schedule) {
  std::string text;
  auto add = [&](int64_t number) { text += std::to_string(number) + " "; };
  auto addLabels = [&](const std::vector<std::string> &labels) {
    for (const std::string &label : labels)
      text += label + " ";
    text += ";";
  };
  add(static_cast<int64_t>(schedule.strategy));
  for (const std::vector<std::string> &labels : schedule.transpose)
    addLabels(labels);
  addLabels(schedule.loops);
  addLabels({schedule.vectorIndex, schedule.columnIndex});
  add(schedule.rows == Role::M);
  for (Role role : {Role::M, Role::N, Role::K}) {
    for (const TileExtent &tile : schedule.tiles(role)) {
      text += tile.label + " ";
      add(tile.extent);
    }
    text += ";";
  }
  for (Role role : schedule.order)
    add(static_cast<int64_t>(role));
  for (int64_t number :
       {int64_t(schedule.columnsInnermost), schedule.registerRows,
        schedule.registerColumns, schedule.lanes, int64_t(schedule.stream),
        schedule.threads.batch, schedule.threads.m, schedule.threads.n})
    add(number);
  return text;
}

namespace {

/// Gathers the schedules of one form.
class Ranking {
public:
  Ranking(const Contraction &contraction, const CpuTarget &target,
          int64_t workspaceLimit, int64_t threads,
          std::vector<CpuCandidate> &candidates)
      : contraction(contraction), target(target),
        workspaceLimit(workspaceLimit), threads(threads),
        candidates(candidates) {
    for (const CpuCandidate &candidate : candidates)
      known.insert(textOf(candidate.schedule));
  }

  Status addGETT() {
    return add(contraction, [](CpuSchedule &) {});
  }
  Status addTTGT();
  Status addLoG(const std::vector<std::string> &loops);
  void addDirect();

private:
  template <typename Finish>
  Status add(const Contraction &product, Finish finish);
  void addOne(const CpuSchedule &schedule);

  const Contraction &contraction;
  const CpuTarget &target;
  int64_t workspaceLimit, threads;
  std::vector<CpuCandidate> &candidates;
  std::set<std::string> known;
};

} // namespace

/// Adds the schedules of a product, which `finish` makes those of the
/// contraction, and the schedules that are related to them.
template <typename Finish>
Status Ranking::add(const Contraction &product, Finish finish) {
  Result<std::vector<CpuCandidate>> found =
      enumerateCpuSchedules(product, target);
  if (!found)
    return Error{found.error()};
  for (const CpuCandidate &candidate : *found)
    for (CpuSchedule &schedule :
         relatedSchedules(product, candidate.schedule)) {
      finish(schedule);
      addOne(schedule);
    }
  return {};
}

/// Adds a schedule if it is another one and can be obeyed.
void Ranking::addOne(const CpuSchedule &schedule) {
  if (!checkWorkspace(contraction, schedule, workspaceLimit) ||
      !layOut(contraction, schedule))
    return;
  Result<CpuSchedule> shared =
      shareOutProduct(contraction, target, schedule, threads);
  if (!shared || !known.insert(textOf(*shared)).second)
    return;
  if (Result<CpuTime> time = predictTime(contraction, *shared, target))
    candidates.push_back({std::move(*shared), *time});
}

Status Ranking::addTTGT() {
  if (contraction.hasEpilogue)
    return {};
  CpuSchedule copies;
  copies.strategy = Strategy::TTGT;
  copies.transpose = chooseTranspositions(contraction, target.costs);
  // TTGT without copies is GETT under another name.
  bool copiesAny =
      std::any_of(copies.transpose.begin(), copies.transpose.end(),
                  [](const auto &labels) { return !labels.empty(); });
  if (!copiesAny)
    return {};
  Result<Contraction> product = productOf(contraction, copies);
  if (!product)
    return Error{product.error()};
  return add(*product, [&](CpuSchedule &schedule) {
    schedule.strategy = Strategy::TTGT;
    schedule.transpose = copies.transpose;
  });
}

Status Ranking::addLoG(const std::vector<std::string> &loops) {
  return add(sliceOf(contraction, loops), [&](CpuSchedule &schedule) {
    schedule.strategy = Strategy::LoG;
    schedule.loops = loops;
  });
}

/// The best ones for one thread: there are thousands.
void Ranking::addDirect() {
  std::vector<CpuSchedule> found;
  std::vector<std::pair<double, size_t>> order;
  visitDirect(contraction, target,
              [&](const CpuSchedule &schedule, double seconds) {
                order.emplace_back(seconds, found.size());
                found.push_back(schedule);
              });
  std::sort(order.begin(), order.end());
  constexpr size_t most = 100;
  for (size_t i = 0; i < std::min(order.size(), most); ++i)
    addOne(found[order[i].second]);
}

Result<std::vector<CpuCandidate>> tc::model::rankCpuSchedules(
    const std::vector<Contraction> &forms, const CpuTarget &target,
    std::optional<int64_t> workspaceLimit, int64_t threads, size_t most) {
  Result<std::vector<StrategyChoice>> choices =
      considerStrategies(forms, target, workspaceLimit, threads);
  if (!choices)
    return Error{choices.error()};
  const StrategyChoice &chosen = fastestStrategy(*choices);
  std::vector<CpuCandidate> candidates = {{chosen.schedule, chosen.time}};
  for (const Contraction &form : forms) {
    int64_t limit =
        workspaceLimit ? *workspaceLimit : defaultWorkspaceLimit(form, target);
    Ranking ranking(form, target, limit, threads, candidates);
    if (Status status = ranking.addGETT(); !status)
      return Error{status.error()};
    if (isComplexProduct(form))
      continue;
    ranking.addDirect();
    if (Status status = ranking.addTTGT(); !status)
      return Error{status.error()};
    for (const StrategyChoice &choice : *choices)
      if (choice.strategy == Strategy::LoG && !choice.schedule.loops.empty())
        if (Status status = ranking.addLoG(choice.schedule.loops); !status)
          return Error{status.error()};
  }
  // Candidates that are as fast come in the order in which they were found.
  std::vector<std::pair<double, size_t>> order;
  for (size_t i = 1; i < candidates.size(); ++i)
    order.emplace_back(candidates[i].time.total(), i);
  std::sort(order.begin(), order.end());
  std::vector<CpuCandidate> ranked = {candidates.front()};
  for (auto [time, i] : order)
    if (ranked.size() < most)
      ranked.push_back(std::move(candidates[i]));
  return ranked;
}
