//===- CpuStrategySearch.cpp - The best schedule of each strategy ---------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each strategy but the last ends in a product that GETT computes, and takes
// its blocks from the search for GETT.
//
//===----------------------------------------------------------------------===//

#include "DirectLoops.h"
#include "Products.h"

#include "tc/Problem/ComplexParts.h"

#include <algorithm>

using namespace tc;
using namespace tc::model;

Contraction tc::model::sliceOf(const Contraction &contraction,
                               const std::vector<std::string> &loops) {
  Contraction slice = contraction;
  slice.indices.clear();
  for (const Index &index : contraction.indices) {
    bool isLoop =
        std::find(loops.begin(), loops.end(), index.label) != loops.end();
    if (!isLoop)
      slice.indices.push_back(index);
    else if (index.role == Role::K)
      slice.readsC = true;
  }
  return slice;
}

/// Copies that change nothing about the contraction but for its cost are no
/// reason to fail: this accepts all that GETT does.
static Result<CpuSchedule> searchTTGT(const Contraction &contraction,
                                      const CpuTarget &target) {
  if (contraction.hasEpilogue)
    return Error{"it has no place for an epilogue"};
  CpuSchedule copies;
  copies.strategy = Strategy::TTGT;
  copies.transpose = chooseTranspositions(contraction, target.costs);
  Result<Contraction> product = productOf(contraction, copies);
  if (!product)
    return Error{product.error()};
  Result<CpuSchedule> schedule = searchCpuSchedule(*product, target);
  if (!schedule)
    return schedule;
  schedule->strategy = Strategy::TTGT;
  schedule->transpose = std::move(copies.transpose);
  return schedule;
}

/// The loops around the matrix product of least predicted time.
static Result<CpuSchedule> searchLoG(const Contraction &contraction,
                                     const CpuTarget &target) {
  Result<std::vector<std::vector<std::string>>> lists =
      enumerateLoops(contraction);
  if (!lists)
    return Error{lists.error()};
  std::optional<CpuSchedule> best;
  double least = 0;
  for (std::vector<std::string> &loops : *lists) {
    bool sums =
        std::any_of(loops.begin(), loops.end(), [&](const std::string &label) {
          return contraction.indices[*contraction.find(label)].role == Role::K;
        });
    if (sums && contraction.needsWholeSums)
      continue;
    Result<CpuSchedule> schedule =
        searchCpuSchedule(sliceOf(contraction, loops), target);
    if (!schedule)
      return schedule;
    schedule->strategy = Strategy::LoG;
    schedule->loops = std::move(loops);
    Result<CpuTime> time = predictTime(contraction, *schedule, target);
    if (!time)
      return Error{time.error()};
    if (best && time->total() >= least)
      continue;
    least = time->total();
    best = std::move(*schedule);
  }
  if (!best)
    return Error{
        "loops over K would leave sums of a part of the products in C"};
  return *best;
}

/// The best schedule of a strategy for one thread.
static Result<CpuSchedule> search(Strategy strategy,
                                  const Contraction &contraction,
                                  const CpuTarget &target) {
  switch (strategy) {
  case Strategy::GETT:
    break;
  case Strategy::TTGT:
    return searchTTGT(contraction, target);
  case Strategy::LoG:
    return searchLoG(contraction, target);
  case Strategy::Direct:
    return searchDirect(contraction, target);
  case Strategy::Library:
    return Error{"its schedule is the library's own"};
  }
  return searchCpuSchedule(contraction, target);
}

Result<CpuSchedule> tc::model::shareOutProduct(const Contraction &contraction,
                                               const CpuTarget &target,
                                               const CpuSchedule &schedule,
                                               int64_t threads) {
  if (schedule.strategy == Strategy::Direct)
    return shareOutDirect(contraction, target, schedule, threads);
  Result<Contraction> product = productOf(contraction, schedule);
  if (!product)
    return Error{product.error()};
  CpuSchedule multiplied = scheduleOfProduct(schedule);
  if (schedule.strategy == Strategy::LoG) {
    *product = sliceOf(*product, schedule.loops);
    multiplied.strategy = Strategy::GETT;
    multiplied.loops.clear();
  }
  CpuSchedule shared = shareOut(*product, target, multiplied, threads);
  shared.strategy = schedule.strategy;
  shared.transpose = schedule.transpose;
  shared.loops = schedule.loops;
  return shared;
}

/// Returns true if elements of an input do not lie side by side along the
/// vectors of direct loops.
static bool gathersVectors(const Contraction &contraction,
                           const CpuSchedule &schedule) {
  std::optional<unsigned> vector = contraction.find(schedule.vectorIndex);
  if (!vector)
    return false;
  const PerTensor<int64_t> &stride = contraction.indices[*vector].stride;
  return std::any_of(allTensors.begin(), allTensors.end(), [&](Tensor tensor) {
    return tensor != Tensor::C && stride[tensor] != 0 && stride[tensor] != 1;
  });
}

/// Fills in the outcome of a strategy for a contraction. The schedule for one
/// thread decides all that bits depend on; it is shared out afterwards.
static Status consider(StrategyChoice &choice, const Contraction &contraction,
                       const CpuTarget &target, int64_t threads) {
  Result<CpuSchedule> alone = search(choice.strategy, contraction, target);
  // A requirement of all strategies is missing.
  if (!alone && choice.strategy == Strategy::GETT)
    return Error{alone.error()};
  if (!alone) {
    choice.unavailable = alone.error();
    return {};
  }
  Result<CpuTime> timeAlone = predictTime(contraction, *alone, target);
  if (!timeAlone)
    return Error{timeAlone.error()};
  choice.oneThreadSeconds = timeAlone->total();
  if (choice.strategy == Strategy::Direct)
    choice.gathers = gathersVectors(contraction, *alone);
  Result<CpuSchedule> shared =
      shareOutProduct(contraction, target, *alone, threads);
  if (!shared)
    return Error{shared.error()};
  choice.schedule = std::move(*shared);
  choice.workspaceBytes = workspaceBytes(contraction, choice.schedule);
  Result<CpuTime> time = predictTime(contraction, choice.schedule, target);
  if (!time)
    return Error{time.error()};
  choice.time = *time;
  return {};
}

Result<std::vector<StrategyChoice>> tc::model::considerStrategies(
    const Contraction &contraction, const CpuTarget &target,
    std::optional<int64_t> workspaceLimit, int64_t threads) {
  std::vector<StrategyChoice> choices;
  for (Strategy strategy : allStrategies) {
    if (strategy == Strategy::Library)
      continue;
    StrategyChoice choice;
    choice.strategy = strategy;
    choice.threeProducts = contraction.threeProducts.has_value();
    if (isComplexProduct(contraction) && strategy != Strategy::GETT) {
      choice.unavailable = "complex numbers need strategy gett";
      choices.push_back(std::move(choice));
      continue;
    }
    if (Status status = consider(choice, contraction, target, threads); !status)
      return Error{status.error()};
    if (!choice.unavailable.empty()) {
      choices.push_back(std::move(choice));
      continue;
    }
    if (Status status = checkWorkspace(
            contraction, choice.schedule,
            workspaceLimit ? *workspaceLimit
                           : defaultWorkspaceLimit(contraction, target));
        !status)
      choice.unavailable = status.error();
    choices.push_back(std::move(choice));
  }
  return choices;
}

Result<std::vector<StrategyChoice>> tc::model::considerStrategies(
    const std::vector<Contraction> &forms, const CpuTarget &target,
    std::optional<int64_t> workspaceLimit, int64_t threads) {
  Result<std::vector<StrategyChoice>> choices =
      considerStrategies(forms.front(), target, workspaceLimit, threads);
  for (size_t form = 1; choices && form < forms.size(); ++form) {
    Result<std::vector<StrategyChoice>> others =
        considerStrategies(forms[form], target, workspaceLimit, threads);
    if (!others)
      return others;
    choices->push_back(std::move(others->front()));
  }
  return choices;
}

std::string StrategyChoice::name() const {
  return std::string(stringify(strategy)) + (threeProducts ? "-3m" : "");
}

/// The fastest of those that are considered; one of them at least is.
static const StrategyChoice &
fastestOf(const std::vector<const StrategyChoice *> &considered) {
  // Predictions are not that exact; GETT, the first, copies least, and four
  // products round least.
  constexpr double minGain = 1.05;
  const StrategyChoice *first = considered.front(), *best = first;
  auto gains = [&](const StrategyChoice &choice) {
    return choice.oneThreadSeconds * minGain < first->oneThreadSeconds;
  };
  auto isFaster = [&](const StrategyChoice &choice, double seconds) {
    return choice.unavailable.empty() && choice.objection.empty() &&
           !choice.threeProducts && gains(choice) &&
           choice.oneThreadSeconds < seconds;
  };
  auto isLibrary = [](const StrategyChoice *choice) {
    return choice->strategy == Strategy::Library;
  };
  for (const StrategyChoice *choice : considered)
    if (!isLibrary(choice) && isFaster(*choice, best->oneThreadSeconds))
      best = choice;
  // Gathered numbers come from lines, and pages, of which predictions do not
  // know whether they are still there: of `ij,ji->` with 1000 values, they took
  // 1.8 times what was predicted. The library transposes tiles.
  constexpr double gatheredDoubt = 2;
  const double seconds =
      best->oneThreadSeconds * (best->gathers ? gatheredDoubt : 1);
  for (const StrategyChoice *choice : considered)
    if (isLibrary(choice) && isFaster(*choice, seconds))
      best = choice;
  // Of complex numbers, whoever allows three products asks for them.
  for (const StrategyChoice *choice : considered)
    if (choice->threeProducts && gains(*choice) &&
        (!isLibrary(best) || choice->oneThreadSeconds < best->oneThreadSeconds))
      return *choice;
  return *best;
}

const StrategyChoice &
tc::model::fastestStrategy(const std::vector<StrategyChoice> &choices) {
  std::vector<const StrategyChoice *> considered;
  considered.reserve(choices.size());
  for (const StrategyChoice &choice : choices)
    considered.push_back(&choice);
  return fastestOf(considered);
}

const StrategyChoice &
tc::model::fastestStrategy(const std::vector<StrategyChoice> &choices,
                           Strategy strategy) {
  std::vector<const StrategyChoice *> considered;
  for (const StrategyChoice &choice : choices)
    if (choice.strategy == strategy)
      considered.push_back(&choice);
  return fastestOf(considered);
}
