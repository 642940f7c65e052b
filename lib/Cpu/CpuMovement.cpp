//===- CpuMovement.cpp - The loops of a CPU schedule as tiling ------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Unrolls a schedule into the loops that the model of the hierarchy knows.
//
//===----------------------------------------------------------------------===//

#include "tc/Cpu/CpuMovement.h"

#include "DirectLoops.h"

#include "tc/Cpu/CpuStrategy.h"

#include <algorithm>
#include <cmath>

using namespace tc;
using namespace tc::model;

/// For each tensor, true if it holds indices of a role.
static PerTensor<bool> movedBy(Role role) {
  return {{role != Role::N, role != Role::M, role != Role::K}};
}

/// The loops over the panels of a block, and with them those over blocks.
static constexpr size_t panelLoops = 2, loopsOfSlice = 5;

static Tensor inputOf(Role role) {
  return role == Role::M ? Tensor::A : Tensor::B;
}

double tc::model::countChunks(const CpuSide &side) {
  const CpuIndex &first = side.indices.front();
  auto chunksIn = [&](int64_t elements) {
    return std::ceil(static_cast<double>(elements) /
                     static_cast<double>(side.chunk));
  };
  double count =
      static_cast<double>(first.blocks() - 1) * chunksIn(first.tile) +
      chunksIn(first.lastTile());
  for (size_t i = 1; i < side.indices.size(); ++i)
    count *= static_cast<double>(side.indices[i].extent);
  return count;
}

double tc::model::countPanels(const CpuSide &side) {
  return countChunks(side) * static_cast<double>(side.panels()) /
         static_cast<double>(side.chunks());
}

CpuLoops tc::model::tilingLoopsOf(const Contraction &contraction,
                                  const CpuSchedule &schedule,
                                  const CpuLayout &layout) {
  CpuLoops result;
  auto panelWidth = static_cast<double>(byteWidth(contraction.accumulatorType));
  auto outputWidth =
      static_cast<double>(byteWidth(contraction.elementType[Tensor::C]));
  bool rowsAreM = schedule.rows == Role::M;
  Role columnRole = rowsAreM ? Role::N : Role::M;
  auto rowsWidth = static_cast<double>(schedule.registerRows);
  auto columnsWidth = static_cast<double>(schedule.registerColumns);
  double m = rowsAreM ? rowsWidth : columnsWidth;
  double n = rowsAreM ? columnsWidth : rowsWidth;
  auto k = static_cast<double>(layout.depth);
  // Stores that go past the caches take no room there.
  PerTensor<double> touched = {{m * k * panelWidth, n * k * panelWidth,
                                schedule.stream ? 0 : m * n * outputWidth}};
  auto add = [&](double trips, const PerTensor<bool> &moves) {
    result.loops.push_back({trips, moves, touched});
    for (Tensor tensor : allTensors)
      if (moves[tensor])
        touched[tensor] *= trips;
  };
  auto blocks = [&](Role role) {
    return static_cast<double>(countBlocks(layout.indices(role, schedule)));
  };
  auto addPanels = [&](Role role) {
    add(std::max(1.0, countPanels(layout.side(role, schedule)) / blocks(role)),
        movedBy(role));
  };
  Role innermost = schedule.columnsInnermost ? columnRole : schedule.rows;
  addPanels(innermost);
  addPanels(innermost == columnRole ? schedule.rows : columnRole);
  result.insidePacking = {{panelLoops, panelLoops, 0}};
  for (size_t place = schedule.order.size(); place-- > 0;) {
    Role role = schedule.order[place];
    // Packing stands in the innermost loop that it depends on.
    for (Role side : {Role::M, Role::N}) {
      size_t &inside = result.insidePacking[inputOf(side)];
      bool depends = role == side || role == Role::K;
      if (inside == result.loops.size() && !(depends && blocks(role) > 1))
        ++inside;
    }
    add(blocks(role), movedBy(role));
  }
  for (const auto *outer : {&layout.loops, &layout.batch})
    for (auto index = outer->rbegin(); index != outer->rend(); ++index) {
      PerTensor<bool> moves = {};
      for (Tensor tensor : allTensors)
        moves[tensor] = index->stride[tensor] != 0;
      add(static_cast<double>(index->extent), moves);
    }
  return result;
}

double tc::model::timesPacked(const CpuLoops &loops, Tensor input) {
  double times = 1;
  for (size_t i = loops.insidePacking[input]; i < loopsOfSlice; ++i)
    if (!loops.loops[i].moves[input])
      times *= loops.loops[i].trips;
  return times;
}

PackedBytes tc::model::packedBytes(const Contraction &contraction,
                                   const CpuSide &side, const CpuLayout &layout,
                                   const CpuLoops &loops) {
  auto width = static_cast<double>(side.width) *
               static_cast<double>(byteWidth(contraction.accumulatorType));
  PackedBytes bytes;
  bytes.ofBlock = static_cast<double>(side.panels()) * width *
                  static_cast<double>(layout.depth);
  bytes.inAll = countPanels(side) * width *
                static_cast<double>(layout.products) *
                timesPacked(loops, side.input);
  for (const auto *list : {&layout.k, &layout.loops, &layout.batch})
    for (const CpuIndex &index : *list)
      bytes.inAll *= static_cast<double>(index.extent);
  return bytes;
}

double tc::model::residentBytes(const Contraction &contraction,
                                const CpuSchedule &schedule) {
  auto bytes = static_cast<double>(workspaceBytes(contraction, schedule));
  for (Tensor tensor : allTensors)
    bytes += contraction.elements(tensor) *
             static_cast<double>(byteWidth(contraction.elementType[tensor]));
  return bytes;
}

Result<std::vector<CpuLevelUse>>
tc::model::levelUses(const Contraction &contraction,
                     const CpuSchedule &schedule, const CpuTarget &target) {
  if (target.caches.empty())
    return Error{"target " + target.name + ": it has no caches"};
  Result<CpuLayout> layout = layOut(contraction, schedule);
  if (!layout)
    return Error{layout.error()};
  if (layout->callsLibrary)
    return Error{"the library decides what moves"};
  Result<Contraction> product = productOf(contraction, schedule);
  if (!product)
    return Error{product.error()};
  CpuSchedule multiplied = scheduleOfProduct(schedule);
  Hierarchy hierarchy = memoryHierarchy(target);
  CpuLoops loops;
  if (layout->direct)
    loops.loops = tilingLoopsOf(*product, *layout->direct);
  else
    loops = tilingLoopsOf(*product, multiplied, *layout);
  unsigned home = levelHolding(hierarchy, residentBytes(contraction, schedule));
  std::vector<CpuLevelUse> uses;
  for (unsigned level = 1; level + 1 < hierarchy.size(); ++level) {
    const MemoryLevel &memory = hierarchy[level];
    CpuLevelUse use{memory.name, memory.capacityBytes, {}, {}, 0};
    for (const TilingLoop &loop : loops.loops)
      if (fits(memory, loop.touched))
        use.tile = loop.touched;
    for (Tensor tensor : allTensors) {
      double size =
          product->elements(tensor) *
          static_cast<double>(byteWidth(product->elementType[tensor]));
      size_t inside = loops.insidePacking[tensor];
      TilingLoops ofBlock(loops.loops.begin(), loops.loops.begin() + inside);
      TilingLoops outside(loops.loops.begin() + inside, loops.loops.end());
      bool isPanel = false;
      if (tensor != Tensor::C && !layout->direct) {
        const CpuSide &side =
            layout->rows.input == tensor ? layout->rows : layout->columns;
        PackedBytes packed = packedBytes(*product, side, *layout, loops);
        isPanel = levelHolding(hierarchy, packed.ofBlock) > level;
        if (isPanel)
          use.moved[tensor] =
              packed.inAll * countVisits(ofBlock, tensor, memory);
      }
      if (!isPanel && home > level)
        use.moved[tensor] = size * countVisits(outside, tensor, memory);
      use.seconds += use.moved[tensor] / hierarchy[level + 1].bytesPerSecond;
    }
    uses.push_back(std::move(use));
  }
  return uses;
}
