//===- SkinnyPlan.cpp - Plans of sums that are read once ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Factors.h"
#include "SkinnyPlanner.h"
#include "SkinnyTask.h"
#include "Tables.h"

#include "tc/Support/Arithmetic.h"

#include <algorithm>
#include <iterator>
#include <tuple>

using namespace tc;
using namespace tc::cpu;
using model::ElementType;
using model::Tensor;
using Way = SkinnyWay;
using Access = SkinnyAccess;

/// The most sums that are added up by parts, and the least products of a part.
static constexpr int64_t mostSumsOfParts = 64, mostParts = 64;
static constexpr double leastProductsOfPart = 1 << 17;

void SkinnyPlanner::fill(SkinnyPlan &plan, unsigned threads) const {
  const InstructionSet &set = instructionSet();
  const Way &way = best;
  plan.isExchanged = way.isExchanged;
  plan.product = product;
  plan.hasSecond = way.isExchanged ? hasA : hasB;
  plan.alongSums = way.alongSums;
  plan.real = realOf(problem.accumulatorType);
  plan.parts = parts;
  plan.lanes = lanes;
  plan.vectorBlock = way.vectorBlock;
  plan.lineBlock = way.lineBlock;
  plan.rowBlock = way.rowBlock;
  plan.columnBlock = way.columnBlock;
  plan.kernels = way.widens ? *narrowKernels : set.findSkinny(plan.real);
  plan.one = way.widens ? narrowOneOf(problem.elementType[tensorOf(way, 0)])
                        : oneOf(plan.real);
  plan.finish = set.findFinish(problem.elementType[Tensor::C], plan.real,
                               problem.saturates);
  auto place = [&](Tensor t) {
    return way.isExchanged && t != Tensor::C
               ? (t == Tensor::A ? Tensor::B : Tensor::A)
               : t;
  };
  for (Tensor t : model::allTensors) {
    const Tensor from = place(t);
    plan.offset[t] = offset[from];
    plan.bytes[t] = model::byteWidth(problem.elementType[from]);
    plan.conjugates[t] = problem.conjugates[from];
    plan.isComplex[t] = model::isComplex(problem.elementType[from]);
  }
  for (size_t operand : {0, 1}) {
    const ElementType type = problem.elementType[tensorOf(way, operand)];
    plan.isInPlace[operand] = !isBrought(way.access[operand]);
    plan.load[operand] = set.findLoad(type, plan.real);
    plan.gather[operand] = set.findPack(
        type, plan.real, parts == 2 ? Packing::PairRows : Packing::Plain);
  }
  auto exchanged = [&](const Axis &axis) {
    Axis found = axis;
    for (Tensor t : model::allTensors)
      found.stride[t] = axis.stride[place(t)];
    return found;
  };
  auto axisOf = [&](size_t number) {
    return number == Way::none ? Axis() : exchanged(axes[number]);
  };
  std::vector<Axis> otherSums, otherResults;
  const bool sumsByTables = way.usesTables && way.alongSums;
  auto isOfVectors = [&](size_t i) {
    if (!way.usesTables)
      return i == way.vector;
    return sumsByTables ? std::find(way.tableAxes.begin(), way.tableAxes.end(),
                                    i) != way.tableAxes.end()
                        : !isSummed(axes[i]);
  };
  if (sumsByTables)
    for (size_t i : way.tableAxes)
      plan.vectors.push_back(exchanged(axes[i]));
  for (size_t i = 0; i < axes.size(); ++i) {
    if (isOfVectors(i)) {
      if (!sumsByTables)
        plan.vectors.push_back(exchanged(axes[i]));
    } else if (i != way.lines && i != way.rows && i != way.columns)
      (isSummed(axes[i]) ? otherSums : otherResults)
          .push_back(exchanged(axes[i]));
  }
  if (plan.usesTables())
    for (const Axis &axis : plan.vectors) {
      auto [a, b, c] = static_cast<const std::array<int64_t, 3> &>(axis.stride);
      plan.vectorDimensions.push_back({axis.extent, {a, b}});
      plan.resultDimensions.push_back({axis.extent, {c, c}});
    }
  plan.lines = axisOf(way.lines);
  plan.rows = axisOf(way.rows);
  plan.columns = axisOf(way.columns);

  plan.secondsAlone = seconds();
  plan.wanted = threadsThatPay(plan.secondsAlone, costs.leastShareSeconds);
  const auto most = std::min<int64_t>(plan.wanted, threads);
  double results = 1;
  for (const Axis &axis : axes)
    if (!isSummed(axis))
      results *= static_cast<double>(axis.extent);
  auto stepOf = [](const Axis &axis, int64_t block) {
    Axis step = {ceilDivide(axis.extent, block), axis.stride};
    for (Tensor t : model::allTensors)
      step.stride[t] *= block;
    return step;
  };
  Axis vector;
  vector.extent = plan.vectorCount();
  if (!plan.usesTables())
    vector.stride = plan.vectors.front().stride;
  plan.tileAxes.push_back(stepOf(plan.lines, plan.lineBlock));
  if (plan.alongSums)
    plan.tileAxes.push_back(stepOf(vector, plan.vectorBlock));
  plan.tileAxes.insert(plan.tileAxes.end(), otherSums.begin(), otherSums.end());
  plan.tiles = countOf(plan.tileAxes);
  plan.hasFewSums = plan.alongSums
                        ? plan.tiles == 1
                        : plan.tiles * plan.lineBlock <= SkinnyPlan::mostInSums;
  plan.mayBeDirect =
      !plan.alongSums && plan.tiles == 1 && !plan.usesTables() &&
      plan.vectors.front().stride[Tensor::C] == 1 &&
      problem.elementType[Tensor::C] == problem.accumulatorType &&
      !(product == Product::Paired && plan.conjugates[Tensor::A]);
  if (results <= static_cast<double>(mostSumsOfParts))
    plan.sumParts = std::clamp<int64_t>(
        static_cast<int64_t>(products / results / leastProductsOfPart), 1,
        std::min(mostParts, plan.tiles));
  auto makeBlocks = [&] {
    plan.resultBlockAxes = {stepOf(plan.columns, plan.columnBlock)};
    if (plan.alongSums)
      plan.resultBlockAxes.push_back(stepOf(plan.rows, plan.rowBlock));
    // For results of the same vectors of an operand, these wait in the caches.
    auto reuses = [&](const Axis &axis) {
      return !plan.alongSums &&
             (axis.stride[Tensor::A] == 0 ||
              (axis.stride[Tensor::B] == 0 && !isScaled(way)));
    };
    std::copy_if(otherResults.begin(), otherResults.end(),
                 std::back_inserter(plan.resultBlockAxes), reuses);
    plan.vectorAxis = plan.resultBlockAxes.size();
    if (!plan.alongSums)
      plan.resultBlockAxes.push_back(stepOf(vector, plan.vectorBlock));
    std::remove_copy_if(otherResults.begin(), otherResults.end(),
                        std::back_inserter(plan.resultBlockAxes), reuses);
    plan.resultBlocks = countOf(plan.resultBlockAxes);
  };
  makeBlocks();
  if (plan.sumParts == 1 && plan.resultBlocks < most) {
    // Rows are multiples of those that are added up together.
    int64_t &block = plan.alongSums ? plan.rowBlock : plan.vectorBlock;
    const int64_t unit = plan.alongSums ? dotRows : lanes;
    const int64_t values = plan.alongSums ? plan.rows.extent : vector.extent;
    const int64_t wanted =
        ceilDivide(values, ceilDivide(most, plan.resultBlocks));
    block = std::min(block, ceilDivide(wanted, unit) * unit);
    makeBlocks();
  }
  plan.threads =
      std::min(most, plan.sumParts > 1 ? plan.sumParts : plan.resultBlocks);
  plan.seconds = plan.secondsAlone / static_cast<double>(plan.threads);
  const bool isRowByRow = plan.hasSecond && plan.rows.stride[Tensor::B] != 0;
  if (!plan.isInPlace[0] || (isRowByRow && !plan.isInPlace[1])) {
    const int64_t volume = plan.vectorBlock * plan.lineBlock * parts *
                           realBytes[static_cast<unsigned>(plan.real)];
    plan.rowGroup = std::clamp<int64_t>(heldBytes / volume, 1, plan.rowBlock);
    if (plan.rowGroup >= dotRows)
      plan.rowGroup -= plan.rowGroup % dotRows;
  }
  Pieces counted(nullptr);
  const SkinnyMemory sizes(plan, counted);
  plan.taskBytes = counted.size();
  plan.sumBytes = sizes.pitch * plan.columnBlock *
                  realBytes[static_cast<unsigned>(plan.real)];
}

std::shared_ptr<const SkinnyPlan> cpu::planSkinny(const Problem &problem,
                                                  unsigned threads,
                                                  double secondsToBeat) {
  SkinnyPlanner planner(problem);
  if (!planner.collect() || planner.leastSeconds() >= secondsToBeat ||
      !planner.choose() || planner.seconds() >= secondsToBeat)
    return nullptr;
  auto plan = std::make_shared<SkinnyPlan>();
  planner.fill(*plan, threads);
  return plan;
}
