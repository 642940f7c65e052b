//===- LibraryCalls.cpp - Contractions that a library computes ------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The library plans a contraction itself, and its plan says how long it takes:
// so there is one prediction for it, whoever calls it.
//
//===----------------------------------------------------------------------===//

#include "LibraryCalls.h"

#include "tc/Cpu/CpuStrategy.h"
#include "tc/CpuRuntime/Contraction.h"

#include <algorithm>

using namespace tc;
using namespace tc::model;

Result<CpuLayout> tc::model::layOutLibrary(const Contraction &contraction,
                                           const CpuSchedule &schedule) {
  if (contraction.semiring != Semiring::PlusTimes)
    return Error{"cpu_schedule: strategy = library has no semiring " +
                 std::string(stringify(contraction.semiring))};
  if (contraction.hasEpilogue)
    return Error{"cpu_schedule: strategy = library has no epilogue"};
  CpuSchedule whole;
  whole.target = schedule.target;
  whole.strategy = Strategy::Library;
  whole.threads.batch = schedule.threads.batch;
  if (!(schedule == whole))
    return Error{"cpu_schedule: with strategy = library, nothing else is "
                 "decided than 'threads' of 'batch'"};
  if (schedule.threads.batch < 1 || schedule.threads.batch > maxCpuThreads)
    return Error{"cpu_schedule: with strategy = library, 'threads' must be 1 "
                 "to " +
                 std::to_string(maxCpuThreads) + ", but is " +
                 std::to_string(schedule.threads.batch)};
  CpuLayout layout;
  layout.callsLibrary = true;
  layout.threads = schedule.threads.batch;
  return layout;
}

StrategyChoice
tc::model::considerLibrary(const Result<Contraction> &contraction,
                           const CpuTarget &target, int64_t threads,
                           std::string objection) {
  StrategyChoice choice;
  choice.strategy = Strategy::Library;
  if (!contraction) {
    choice.unavailable = contraction.error();
    return choice;
  }
  std::optional<cpu::Problem> problem = cpu::problemOf(*contraction);
  if (!problem) {
    choice.unavailable = "the library computes sums of products alone";
    return choice;
  }
  const cpu::Contraction plan(
      *problem,
      static_cast<unsigned>(std::clamp<int64_t>(threads, 1, maxCpuThreads)));
  const cpu::Contraction::Prediction predicted = plan.prediction();
  const double call = target.costs.callCycles / target.clockHertz;
  choice.schedule.target = target.name;
  choice.schedule.strategy = Strategy::Library;
  choice.schedule.threads.batch = predicted.threads;
  choice.time.multiply = predicted.seconds;
  choice.time.setup = call;
  choice.oneThreadSeconds = predicted.secondsAlone + call;
  choice.objection = std::move(objection);
  if (choice.objection.empty() && !plan.isElementwise() && !plan.isSkinny())
    choice.objection = "it would pack panels, too";
  return choice;
}
