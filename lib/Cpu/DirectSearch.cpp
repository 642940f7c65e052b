//===- DirectSearch.cpp - The best loops without panels ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DirectLoops.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

using namespace tc;
using namespace tc::model;

namespace {

/// Tries each index along vectors and along columns, with the orders of loops
/// and the register tiles that go with them.
class DirectSearch {
public:
  DirectSearch(const Contraction &contraction, const CpuTarget &target,
               const VisitDirect &visit, const double &limit)
      : contraction(contraction), target(target), visit(visit), limit(limit),
        lanes(target.vectorBytes / byteWidth(contraction.accumulatorType)) {}

  void run();

private:
  std::vector<unsigned> sorted(bool summed) const;
  void tryVector(unsigned vector);
  void tryColumns(unsigned vector, std::optional<unsigned> column);
  void tryTiles(CpuSchedule schedule, int64_t rows, int64_t columns);
  const Index &at(unsigned position) const {
    return contraction.indices[position];
  }

  const Contraction &contraction;
  const CpuTarget &target;
  const VisitDirect &visit;
  const double &limit;
  int64_t lanes;
};

} // namespace

/// The indices of C, by their stride there, or those that are summed, by that
/// in the larger input; the largest first.
std::vector<unsigned> DirectSearch::sorted(bool summed) const {
  Tensor by = Tensor::C;
  if (summed)
    by = contraction.elements(Tensor::A) >= contraction.elements(Tensor::B)
             ? Tensor::A
             : Tensor::B;
  std::vector<unsigned> order;
  for (unsigned i = 0; i < contraction.indices.size(); ++i)
    if (at(i).extent > 1 && (at(i).role == Role::K) == summed)
      order.push_back(i);
  auto key = [&](unsigned i) {
    return std::pair(-std::abs(at(i).stride[by]), i);
  };
  std::sort(order.begin(), order.end(),
            [&](unsigned a, unsigned b) { return key(a) < key(b); });
  return order;
}

void DirectSearch::tryTiles(CpuSchedule schedule, int64_t rows,
                            int64_t columns) {
  // The parts of it that other tiles change are set below.
  schedule.registerRows = lanes;
  schedule.registerColumns = 1;
  Result<CpuLayout> layout = layOutDirect(contraction, schedule);
  if (!layout)
    return;
  DirectLoops &loops = *layout->direct;
  CpuIndex &vector =
      (loops.sumsVectors ? loops.summed : loops.outputs)[loops.vectorPlace];
  constexpr int64_t vectorCounts[] = {1, 2, 3, 4, 6, 8, 12, 16, 24};
  constexpr int64_t columnCounts[] = {1, 2, 3, 4, 6, 8, 12};
  for (int64_t vectors : vectorCounts) {
    // Beyond one vector, no tile is longer than the index.
    if (vectors > 1 && (vectors - 1) * lanes >= rows)
      break;
    for (int64_t count : columnCounts) {
      // Sums, factors along the vectors, and one along columns.
      if (count > columns ||
          vectors * count + vectors + 1 > target.vectorRegisters)
        break;
      schedule.registerRows = vector.tile = vectors * lanes;
      schedule.registerColumns = count;
      if (loops.columnPlace)
        loops.outputs[*loops.columnPlace].tile = count;
      if (!checkRegisterTile(schedule))
        continue;
      visit(schedule,
            predictDirectTime(contraction, schedule, *layout, target, limit)
                .total());
    }
  }
}

void DirectSearch::tryColumns(unsigned vector, std::optional<unsigned> column) {
  CpuSchedule schedule;
  schedule.target = target.name;
  schedule.strategy = Strategy::Direct;
  schedule.lanes = lanes;
  schedule.vectorIndex = at(vector).label;
  if (column)
    schedule.columnIndex = at(*column).label;
  std::vector<unsigned> outputs = sorted(/*summed=*/false);
  std::vector<unsigned> summed = sorted(/*summed=*/true);
  // Vectors that are summed are so innermost.
  auto place = std::find(summed.begin(), summed.end(), vector);
  if (place != summed.end())
    std::rotate(place, place + 1, summed.end());
  // Orders of outputs: C's own, and with the tiles along vectors, or along
  // columns, outside, so that elements that they load of an input stay.
  std::vector<std::vector<unsigned>> orders = {outputs};
  for (std::optional<unsigned> first :
       {std::optional<unsigned>(vector), column}) {
    auto found = std::find(outputs.begin(), outputs.end(),
                           first.value_or(contraction.indices.size()));
    if (found == outputs.end() || found == outputs.begin())
      continue;
    std::vector<unsigned> order = outputs;
    std::rotate(order.begin(), order.begin() + (found - outputs.begin()),
                order.begin() + (found - outputs.begin()) + 1);
    orders.push_back(std::move(order));
  }
  for (const std::vector<unsigned> &order : orders) {
    schedule.loops.clear();
    for (const std::vector<unsigned> *list : {&order, &std::as_const(summed)})
      for (unsigned i : *list)
        schedule.loops.push_back(at(i).label);
    schedule.k.clear();
    tryTiles(schedule, at(vector).extent, column ? at(*column).extent : 1);
    if (summed.empty() || summed.front() == vector ||
        contraction.needsWholeSums)
      continue;
    // Blocks of a few values let vectors run along memory where many are
    // summed.
    constexpr int64_t blocks[] = {4, 8, 16};
    for (int64_t block : blocks) {
      if (block >= at(summed.front()).extent)
        break;
      schedule.k = {{at(summed.front()).label, block}};
      tryTiles(schedule, at(vector).extent, column ? at(*column).extent : 1);
    }
  }
}

void DirectSearch::tryVector(unsigned vector) {
  tryColumns(vector, std::nullopt);
  for (unsigned i = 0; i < contraction.indices.size(); ++i)
    if (i != vector && at(i).extent > 1 && at(i).role != Role::K)
      tryColumns(vector, i);
}

void DirectSearch::run() {
  std::vector<unsigned> vectors;
  for (Tensor tensor : {Tensor::C, Tensor::A, Tensor::B})
    if (std::optional<unsigned> index = contraction.strideOneIndex(tensor))
      if (std::find(vectors.begin(), vectors.end(), *index) == vectors.end())
        vectors.push_back(*index);
  for (unsigned vector : vectors)
    tryVector(vector);
}

void tc::model::visitDirect(const Contraction &contraction,
                            const CpuTarget &target, const VisitDirect &visit,
                            const double &limit) {
  DirectSearch(contraction, target, visit, limit).run();
}

Result<CpuSchedule> tc::model::searchDirect(const Contraction &contraction,
                                            const CpuTarget &target) {
  if (contraction.hasPrologue[Tensor::A] || contraction.hasPrologue[Tensor::B])
    return Error{"it would apply a prologue again each time that it loads an "
                 "element"};
  std::optional<CpuSchedule> best;
  double least = HUGE_VAL;
  visitDirect(
      contraction, target,
      [&](const CpuSchedule &schedule, double seconds) {
        if (seconds >= least)
          return;
        least = seconds;
        best = schedule;
      },
      least);
  if (!best)
    return Error{"no tensor has an index of stride one"};
  return *best;
}

CpuSchedule tc::model::shareOutDirect(const Contraction &contraction,
                                      const CpuTarget &target,
                                      const CpuSchedule &schedule,
                                      int64_t threads) {
  CpuSchedule best = schedule;
  double least = HUGE_VAL;
  for (int64_t count = 1; count <= std::min(threads, maxCpuThreads); ++count) {
    CpuSchedule shared = schedule;
    shared.threads.batch = count;
    Result<CpuLayout> layout = layOutDirect(contraction, shared);
    if (!layout)
      break;
    double seconds =
        predictDirectTime(contraction, shared, *layout, target).total();
    if (seconds >= least)
      continue;
    least = seconds;
    best = std::move(shared);
  }
  return best;
}
