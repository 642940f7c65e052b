//===- ElementwisePlan.cpp - Plans of what is computed element by element -===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chooses the order of axes, functions, parts for threads, and whether stores
// pass the caches, and predicts the time of all that.
//
//===----------------------------------------------------------------------===//

#include "Elementwise.h"

#include "Factors.h"
#include "HostCore.h"
#include "Plan.h"
#include "ShortAxes.h"
#include "tc/Hierarchy/Blocks.h"

#include <algorithm>

using namespace tc;
using namespace tc::cpu;
using Axis = ElementwiseProblem::Axis;

static constexpr size_t inA = ElementwiseProblem::A,
                        inB = ElementwiseProblem::B,
                        inC = ElementwiseProblem::C,
                        inD = ElementwiseProblem::D;

/// The least cycles of a row of a tile, however short it is.
static constexpr double cyclesOfRow = 4;

/// Puts axes in the order of D's memory, where it goes forwards, and
/// makes one of those that lie behind one another in all tensors.
static void arrange(ElementwiseProblem &problem) {
  std::vector<Axis> &axes = problem.axes;
  axes.erase(std::remove_if(axes.begin(), axes.end(),
                            [](const Axis &axis) { return axis.extent == 1; }),
             axes.end());
  for (Axis &axis : axes)
    if (axis.stride[inD] < 0)
      for (size_t place : {inA, inB, inC, inD}) {
        problem.offset[place] += (axis.extent - 1) * axis.stride[place];
        axis.stride[place] = -axis.stride[place];
      }
  std::sort(axes.begin(), axes.end(), [](const Axis &a, const Axis &b) {
    return a.stride[inD] < b.stride[inD];
  });
  size_t kept = 0;
  for (size_t i = 1; i < axes.size(); ++i) {
    Axis &last = axes[kept];
    const Axis &next = axes[i];
    bool continues = true;
    for (size_t place : {inA, inB, inC, inD})
      continues &= next.stride[place] == last.stride[place] * last.extent;
    if (continues)
      last.extent *= next.extent;
    else
      axes[++kept] = next;
  }
  if (!axes.empty())
    axes.resize(kept + 1);
}

/// Exchanges A and B.
static void exchange(ElementwiseProblem &problem) {
  for (Axis &axis : problem.axes)
    std::swap(axis.stride[inA], axis.stride[inB]);
  std::swap(problem.type[inA], problem.type[inB]);
  std::swap(problem.conjugates[inA], problem.conjugates[inB]);
  std::swap(problem.offset[inA], problem.offset[inB]);
}

/// Decides for the problem of a plan, which it takes, how it is cut.
static void shareOut(ElementwisePlan &plan, ElementwiseProblem problem,
                     unsigned threads) {
  double count = 1;
  for (const Axis &axis : problem.axes)
    count *= static_cast<double>(axis.extent);
  plan.isEmpty = count == 0;
  auto bytesOf = [&](size_t place) {
    auto bytes = static_cast<double>(model::byteWidth(problem.type[place]));
    for (const Axis &axis : problem.axes)
      if (axis.stride[place] != 0)
        bytes *= static_cast<double>(axis.extent);
    return bytes;
  };
  const model::CpuTarget &core = coreOfHost();
  double ofD = bytesOf(inD);
  double read = bytesOf(inA) + (problem.hasB ? bytesOf(inB) : 0);
  // Little else needs the last cache where hardly anything is read. Cores
  // without AVX-512 have small second caches beside it: a matrix of 3 MB took
  // half of the time there.
  constexpr double littleRead = 0.125, moreOfAlone = 2;
  constexpr int64_t widestBytes = 32;
  const bool isAlone =
      core.vectorBytes <= widestBytes && read < littleRead * ofD;
  plan.streams = model::passesCaches(core, isAlone ? ofD / moreOfAlone : ofD);
  // Lines that stores do not pass the caches with are fetched first.
  // Short vectors compute less than the first cache moves, and short rows take
  // longer than their elements.
  const double rows =
      problem.axes.empty()
          ? 1
          : count / static_cast<double>(problem.axes.front().extent);
  plan.seconds =
      std::max({(read + (plan.streams ? 1 : 2) * ofD) / rateFrom(read + ofD),
                leastSecondsOf(count), rows * cyclesOfRow / core.clockHertz});
  if (!plan.isEmpty)
    plan.shortAxes = planShortAxes(problem, plan.moveByTables != nullptr);
  if (!problem.axes.empty() && !plan.isEmpty)
    plan.wanted = std::min(
        threadsThatPay(ofD, static_cast<double>(core.costs.leastShareBytes)),
        plan.shortAxes ? plan.shortAxes->tiles : problem.axes.back().extent);
  plan.parts = std::min<int64_t>(plan.wanted, threads);
  plan.problem = std::move(problem);
}

std::shared_ptr<const ElementwisePlan>
cpu::planElementwise(ElementwiseProblem problem, unsigned threads) {
  const InstructionSet &set = instructionSet();
  const bool isComplex = model::isComplex(problem.sums);
  for (size_t place : {inA, inB, inC, inD})
    if (model::isComplex(problem.type[place]) != isComplex &&
        (place != inB || problem.hasB))
      return nullptr;
  auto plan = std::make_shared<ElementwisePlan>();
  arrange(problem);
  if (problem.hasB && !problem.axes.empty()) {
    const ElementwiseProblem::PerPlace<int64_t> &inner =
        problem.axes.front().stride;
    plan->isExchanged = inner[inA] == 0 && inner[inB] != 0;
    if (plan->isExchanged)
      exchange(problem);
  }
  plan->real = realOf(problem.sums);
  for (size_t place : {inA, inB, inC}) {
    plan->load[place] = set.findLoad(problem.type[place], plan->real);
    plan->gather[place] =
        set.findPack(problem.type[place], plan->real,
                     isComplex ? Packing::PairRows : Packing::Plain);
    plan->mustLoad[place] =
        problem.type[place] != problem.sums || problem.conjugates[place];
  }
  plan->store = set.findStore(problem.type[inD], plan->real, problem.saturates);
  plan->finish =
      set.findFinish(problem.type[inD], plan->real, problem.saturates);
  plan->mustStore = problem.type[inD] != problem.sums;
  plan->combine = set.findCombine(plan->real, isComplex);
  shareOut(*plan, std::move(problem), threads);
  return plan;
}

std::shared_ptr<const ElementwisePlan> cpu::planMove(ElementwiseProblem problem,
                                                     unsigned threads) {
  auto plan = std::make_shared<ElementwisePlan>();
  arrange(problem);
  const Moves moves =
      instructionSet().findMoves(model::byteWidth(problem.sums));
  plan->load[inA] = moves.load;
  plan->combine = moves.combine;
  plan->store = moves.store;
  plan->moveByTables = moves.byTables;
  shareOut(*plan, std::move(problem), threads);
  return plan;
}
