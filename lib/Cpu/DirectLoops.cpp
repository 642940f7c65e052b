//===- DirectLoops.cpp - Loops without panels -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DirectLoops.h"

#include "tc/Support/Arithmetic.h"

#include <algorithm>

using namespace tc;
using namespace tc::model;

Status tc::model::checkRegisterTile(const CpuSchedule &schedule) {
  if (schedule.lanes > 64 || !isPowerOfTwo(schedule.lanes))
    return Error{"cpu_schedule: 'lanes' must be a power of two up to 64, but "
                 "is " +
                 std::to_string(schedule.lanes)};
  if (schedule.registerRows < 1 || schedule.registerColumns < 1)
    return Error{"cpu_schedule: the register tile must be at least 1 x 1, but "
                 "is " +
                 std::to_string(schedule.registerRows) + " x " +
                 std::to_string(schedule.registerColumns)};
  if (schedule.registerRows % schedule.lanes != 0)
    return Error{"cpu_schedule: the rows of the register tile, " +
                 std::to_string(schedule.registerRows) +
                 ", must be a multiple of 'lanes', " +
                 std::to_string(schedule.lanes)};
  constexpr int64_t maxVectors = 64;
  if (schedule.registerRows / schedule.lanes > maxVectors ||
      schedule.registerColumns > maxVectors ||
      schedule.registerRows / schedule.lanes * schedule.registerColumns >
          maxVectors)
    return Error{"cpu_schedule: a register tile of " +
                 std::to_string(schedule.registerRows) + " x " +
                 std::to_string(schedule.registerColumns) +
                 " needs more than " + std::to_string(maxVectors) +
                 " vector registers of " + std::to_string(schedule.lanes) +
                 " elements"};
  return {};
}

/// Checks that there are no decisions about parts that this strategy lacks.
static Status checkAbsent(const Contraction &contraction,
                          const CpuSchedule &schedule) {
  for (Tensor tensor : allTensors)
    if (!schedule.transpose[tensor].empty())
      return Error{"cpu_schedule: 'transpose' needs strategy = ttgt"};
  if (!schedule.m.empty() || !schedule.n.empty() || schedule.k.size() > 1)
    return Error{
        "cpu_schedule: strategy = direct has no blocks but one along a "
        "summed index, in 'k'"};
  if (!schedule.k.empty() && contraction.needsWholeSums)
    return Error{"cpu_schedule: strategy = direct can have no block of 'k', as "
                 "C cannot hold sums of a part of the products"};
  if (schedule.stream)
    return Error{"cpu_schedule: strategy = direct stores through the cache"};
  if (contraction.hasPrologue[Tensor::A] || contraction.hasPrologue[Tensor::B])
    return Error{"cpu_schedule: strategy = direct has no prologue"};
  return {};
}

Result<CpuLayout> tc::model::layOutDirect(const Contraction &contraction,
                                          const CpuSchedule &schedule) {
  if (Status status = checkAbsent(contraction, schedule); !status)
    return Error{status.error()};
  if (Status status = checkRegisterTile(schedule); !status)
    return Error{status.error()};
  CpuLayout layout;
  DirectLoops loops;
  bool hasVector = false;
  for (const std::string &label : schedule.loops) {
    std::optional<unsigned> position = contraction.find(label);
    if (!position)
      return Error{"cpu_schedule: 'loops' names '" + label +
                   "', which is no index"};
    if (std::count(schedule.loops.begin(), schedule.loops.end(), label) > 1)
      return Error{"cpu_schedule: 'loops' names index '" + label + "' twice"};
    const Index &index = contraction.indices[*position];
    bool isSummed = index.role == Role::K;
    if (!isSummed && !loops.summed.empty())
      return Error{"cpu_schedule: 'loops' names '" + label +
                   "', an index of C, inside of a summed one"};
    std::vector<CpuIndex> &list = isSummed ? loops.summed : loops.outputs;
    int64_t tile = 1;
    if (label == schedule.vectorIndex) {
      hasVector = true;
      loops.sumsVectors = isSummed;
      loops.vectorPlace = list.size();
      tile = schedule.registerRows;
    }
    if (label == schedule.columnIndex) {
      if (isSummed || label == schedule.vectorIndex)
        return Error{"cpu_schedule: 'columns' must be an index of C other than "
                     "'vector', but is '" +
                     label + "'"};
      loops.columnPlace = list.size();
      tile = schedule.registerColumns;
    }
    if (!schedule.k.empty() && label == schedule.k.front().label) {
      tile = schedule.k.front().extent;
      if (!isSummed || label == schedule.vectorIndex || tile < 1 ||
          tile > index.extent)
        return Error{"cpu_schedule: 'k' must have a block of 1 to " +
                     std::to_string(index.extent) + " of '" + label +
                     "', a summed index other than 'vector', but has " +
                     std::to_string(tile)};
      loops.blockPlace = list.size();
    }
    list.push_back({position, index.extent, tile, index.stride});
  }
  if (!schedule.k.empty() && !loops.blockPlace)
    return Error{"cpu_schedule: 'k' names '" + schedule.k.front().label +
                 "', which is none of 'loops'"};
  for (const Index &index : contraction.indices)
    if (index.extent > 1 && std::count(schedule.loops.begin(),
                                       schedule.loops.end(), index.label) == 0)
      return Error{"cpu_schedule: 'loops' does not name index '" + index.label +
                   "'"};
  if (!hasVector)
    return Error{"cpu_schedule: 'vector' must be one of 'loops', but is '" +
                 schedule.vectorIndex + "'"};
  if (!loops.columnPlace &&
      (schedule.registerColumns > 1 || !schedule.columnIndex.empty()))
    return Error{"cpu_schedule: 'columns' must be one of 'loops', but is '" +
                 schedule.columnIndex + "'"};
  if (loops.sumsVectors && loops.vectorPlace + 1 != loops.summed.size())
    return Error{"cpu_schedule: 'loops' must end with '" +
                 schedule.vectorIndex + "', as vectors are summed along it"};
  layout.threads = schedule.threads.batch;
  if (schedule.threads.m != 1 || schedule.threads.n != 1)
    return Error{"cpu_schedule: with strategy = direct, 'threads' shares all "
                 "loops over C out as 'batch'"};
  // Loops are as few as make enough trips for equal shares.
  constexpr int64_t tripsOfThread = 8;
  int64_t trips = 1;
  while (layout.threads > 1 && loops.sharedOut < loops.outputs.size() &&
         trips < tripsOfThread * layout.threads)
    trips *= loops.outputs[loops.sharedOut++].blocks();
  if (layout.threads < 1 || layout.threads > std::min(trips, maxCpuThreads))
    return Error{"cpu_schedule: 'threads' shares the loops over C out in " +
                 std::to_string(layout.threads) + " ways, but they make " +
                 std::to_string(trips) + (trips == 1 ? " trip" : " trips")};
  layout.batch = loops.outputs;
  layout.k = loops.summed;
  for (CpuSide *side : {&layout.rows, &layout.columns})
    side->indices.emplace_back();
  layout.direct = std::move(loops);
  return layout;
}

TilingLoops tc::model::tilingLoopsOf(const Contraction &contraction,
                                     const DirectLoops &loops) {
  TilingLoops result;
  const CpuIndex *block =
      loops.blockPlace ? &loops.summed[*loops.blockPlace] : nullptr;
  PerTensor<double> touched = {};
  for (Tensor tensor : allTensors) {
    touched[tensor] =
        static_cast<double>(byteWidth(contraction.elementType[tensor]));
    for (const auto *list : {&loops.outputs, &loops.summed})
      for (const CpuIndex &index : *list)
        if (index.stride[tensor] != 0 && &index != block)
          touched[tensor] *=
              static_cast<double>(std::min(index.tile, index.extent));
  }
  auto add = [&](const CpuIndex &index, int64_t trips) {
    TilingLoop loop;
    loop.trips = static_cast<double>(trips);
    loop.touched = touched;
    for (Tensor tensor : allTensors) {
      loop.moves[tensor] = index.stride[tensor] != 0;
      if (loop.moves[tensor])
        touched[tensor] *= loop.trips;
    }
    result.push_back(loop);
  };
  for (const auto *list : {&loops.summed, &loops.outputs})
    for (auto index = list->rbegin(); index != list->rend(); ++index)
      add(*index, &*index == block ? index->tile : index->blocks());
  if (block)
    add(*block, block->blocks());
  return result;
}
