//===- CpuTime.cpp - The time of a CPU schedule ---------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts the elements, cache lines and instructions that the loops of a
// schedule multiply, pack, update and copy, and adds up their times. The data
// that enters each cache follows from the tiling loops (DataMovement.h);
// packing is counted as in section 5 of Li et al., SC 2019: a buffer is filled
// once for each trip of the loops that it stands in. As its phases follow one
// another on one core, their times are added, other than that paper's.
//
//===----------------------------------------------------------------------===//

#include "DirectLoops.h"

#include "tc/Cpu/CpuMovement.h"
#include "tc/Cpu/CpuStores.h"
#include "tc/Cpu/CpuStrategy.h"
#include "tc/Machine/CpuCycles.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

using namespace tc;
using namespace tc::model;

namespace {

/// Cycles for an element of a square that is transposed in registers: each
/// vector is loaded and stored, and shuffled with the others in steps.
double transposedElementCycles(double square, const CpuCosts &costs) {
  return (std::log2(square) + 2) * costs.transposedVectorCycles / square;
}

/// Works out the parts of the time of a schedule without copies.
class Predictor {
public:
  Predictor(const Contraction &contraction, const CpuSchedule &schedule,
            const CpuLayout &layout, const CpuTarget &target,
            double residentBytes)
      : contraction(contraction), schedule(schedule), layout(layout),
        target(target), costs(target.costs),
        bytes(static_cast<double>(byteWidth(contraction.accumulatorType))),
        lanes(static_cast<double>(schedule.lanes)),
        line(static_cast<double>(target.caches.front().lineBytes)),
        hierarchy(memoryHierarchy(target)),
        loops(tilingLoopsOf(contraction, schedule, layout)),
        home(levelHolding(hierarchy, residentBytes)) {}

  CpuTime run();

private:
  /// The rate at which a level that holds so many bytes fills the next.
  double rateFrom(double footprint) const {
    return hierarchy[levelHolding(hierarchy, footprint)].bytesPerSecond;
  }
  double widthOf(Tensor tensor) const {
    return static_cast<double>(byteWidth(contraction.elementType[tensor]));
  }
  double seconds(double cycles) const { return cycles / target.clockHertz; }
  double blocks(Role role) const;
  const std::vector<CpuIndex> &indicesOf(Role role) const {
    return role == Role::K ? layout.k : layout.side(role, schedule).indices;
  }
  double lineUse(Tensor tensor) const;
  double secondsOfPanels(const CpuSide &side) const;
  double partOfPartialLines() const;
  void addMultiply(CpuTime &time) const;
  void addOutput(CpuTime &time) const;
  void addPack(CpuTime &time, const CpuSide &side) const;
  void addSetup(CpuTime &time) const;

  const Contraction &contraction;
  const CpuSchedule &schedule;
  const CpuLayout &layout;
  const CpuTarget &target;
  const CpuCosts &costs;
  /// Bytes of an element in a panel; elements of a vector; bytes of a cache
  /// line.
  double bytes, lanes, line;
  Hierarchy hierarchy;
  CpuLoops loops;
  /// The level of the hierarchy where the tensors are.
  unsigned home;
  double slices = 1, sumLoops = 1, depth = 1;
};

} // namespace

double Predictor::blocks(Role role) const {
  double count = 1;
  for (const CpuIndex &index : indicesOf(role))
    count *= static_cast<double>(index.blocks());
  return count;
}

/// The part of the time to read or to store a block that its elements take.
double Predictor::lineUse(Tensor tensor) const {
  struct Part {
    const CpuIndex *index;
    /// The number of elements of the index that may still be side by side.
    int64_t *left;
  };
  // C is stored by register tiles, one after the other along the inner side.
  int64_t rowsLeft = std::numeric_limits<int64_t>::max(),
          columnsLeft = rowsLeft, allLeft = rowsLeft;
  if (tensor == Tensor::C) {
    rowsLeft = schedule.registerRows;
    if (!schedule.columnsInnermost)
      columnsLeft = schedule.registerColumns;
  }
  std::vector<Part> parts;
  auto add = [&](const std::vector<CpuIndex> &indices, int64_t &left) {
    for (const CpuIndex &index : indices)
      if (index.stride[tensor] != 0)
        parts.push_back({&index, &left});
  };
  add(layout.rows.indices, rowsLeft);
  add(layout.columns.indices, columnsLeft);
  add(layout.k, allLeft);
  std::sort(parts.begin(), parts.end(), [&](const Part &a, const Part &b) {
    return std::abs(a.index->stride[tensor]) <
           std::abs(b.index->stride[tensor]);
  });
  int64_t run = 1;
  for (const Part &part : parts) {
    if (std::abs(part.index->stride[tensor]) != run)
      break;
    int64_t taken = std::min(part.index->tile, *part.left);
    *part.left /= taken;
    run *= taken;
    if (taken != part.index->extent)
      break;
  }
  double runBytes = static_cast<double>(run) * widthOf(tensor);
  double lines =
      tensor == Tensor::C ? costs.storedRunStartLines : costs.runStartLines;
  return runBytes / (runBytes + line * lines);
}

/// The time for bringing the panels of a side into the first cache, again and
/// again, by themselves.
double Predictor::secondsOfPanels(const CpuSide &side) const {
  TilingLoops ofBlock(loops.loops.begin(),
                      loops.loops.begin() + loops.insidePacking[side.input]);
  PackedBytes packed = packedBytes(contraction, side, layout, loops);
  return secondsToFetch(hierarchy, ofBlock, side.input, packed.inAll,
                        levelHolding(hierarchy, packed.ofBlock));
}

void Predictor::addMultiply(CpuTime &time) const {
  double tiles =
      countPanels(layout.rows) * countPanels(layout.columns) * slices;
  auto rows = static_cast<double>(schedule.registerRows);
  auto columns = static_cast<double>(schedule.registerColumns);
  double step = tileStepCycles({rows, columns, lanes,
                                target.productsPerCycle(contraction),
                                costs.loadsPerCycle},
                               costs);
  time.multiply +=
      seconds(multiplyCycles(tiles, depth, blocks(Role::K), step, costs)) +
      (secondsOfPanels(layout.rows) + secondsOfPanels(layout.columns)) *
          costs.panelPart;
}

/// The part of the lines that stores past the caches go to which is not written
/// whole at once.
double Predictor::partOfPartialLines() const {
  double run =
      static_cast<double>(storedRun(schedule, layout)) * widthOf(Tensor::C);
  return std::fmod(run, line) / run;
}

void Predictor::addOutput(CpuTime &time) const {
  double updates = layout.buffersSums ? 1 : blocks(Role::K);
  double visits = updates * sumLoops;
  double tiles =
      countPanels(layout.rows) * countPanels(layout.columns) * slices * updates;
  double vectors = static_cast<double>(schedule.registerRows) / lanes *
                   static_cast<double>(schedule.registerColumns);
  double chunk = static_cast<double>(layout.rows.chunk);
  bool isContiguous =
      layout.rows.indices.front().stride[Tensor::C] == 1 && chunk > 1;
  // A load where C is read, and a store; chunks that are no vectors go through
  // a buffer.
  double perTile = vectors * (visits > 1 || contraction.readsC ? 2 : 1);
  if (!isContiguous)
    perTile = vectors * (1 + lanes * costs.gatheredElementCycles);
  else if (chunk < lanes / 2)
    perTile = vectors * storeCyclesOfChunks(chunk, lanes, costs);
  // Sums of both parts of complex numbers wait in memory, are loaded again and
  // joined to pairs.
  if (layout.products > 1)
    perTile = 2 * perTile + vectors * costs.joinedVectorCycles;
  time.output += seconds(tiles * perTile);

  double size = contraction.elements(Tensor::C) * widthOf(Tensor::C);
  // Each time, C is fetched and written back; where it is not read and stores
  // go past the caches, it is not fetched at first. Waiting sums stand in for
  // it between blocks of K.
  double first = size / hierarchy[home].bytesPerSecond / lineUse(Tensor::C);
  double again = 0;
  if (!layout.buffersSums)
    again = 2 * (secondsToFetch(hierarchy, loops.loops, Tensor::C, size, home) -
                 secondsToFetch(hierarchy, {}, Tensor::C, size, home));
  if (contraction.readsC || !schedule.stream)
    first *= 2;
  if (schedule.stream)
    first *= 1 + (costs.partialLineStores - 1) * partOfPartialLines();
  // Sums that wait for the next block of K are loaded and stored by whole
  // tiles.
  if (layout.buffersSums) {
    double waits = tiles * (blocks(Role::K) - 1);
    double tileBytes = vectors * lanes * bytes;
    auto buffer = static_cast<double>(layout.bufferedSums()) * bytes;
    time.output += seconds(waits * vectors * 2);
    again += waits * tileBytes * 2 / rateFrom(buffer);
  }
  // C is fetched and written back while panels are multiplied.
  double moved = first + again;
  time.output += std::max(moved * costs.outputPart, moved - time.multiply);
}

void Predictor::addPack(CpuTime &time, const CpuSide &side) const {
  double elements = slices * depth;
  for (const CpuIndex &index : side.indices)
    elements *= static_cast<double>(index.extent);
  elements *= timesPacked(loops, side.input);
  double chunk = static_cast<double>(side.chunk);
  double perElement = 0;
  switch (side.packing) {
  case Packing::Copy:
    perElement = costs.copiedVectorCycles / chunk;
    break;
  case Packing::Transpose: {
    auto square = static_cast<double>(side.transposedExtent);
    perElement = transposedElementCycles(square, costs);
    break;
  }
  case Packing::Gather:
    perElement = costs.gatheredElementCycles;
    break;
  }
  // Blocks are written to the level that holds them, the second at least; each
  // line is fetched first.
  double block = packedBytes(contraction, side, layout, loops).ofBlock;
  unsigned level = std::max(2U, levelHolding(hierarchy, block));
  double written = 2 * elements * bytes / hierarchy[level].bytesPerSecond;
  double computed = seconds(elements * perElement);
  // A panel that is packed again is read from where it still is.
  TilingLoops outside(loops.loops.begin() + loops.insidePacking[side.input],
                      loops.loops.end());
  double size = contraction.elements(side.input) * widthOf(side.input);
  double read = secondsToFetch(hierarchy, outside, side.input, size, home) /
                lineUse(side.input);
  time.pack += std::max(read, computed) + written;
}

void Predictor::addSetup(CpuTime &time) const {
  double entries = 0, panelBytes = 0;
  for (const CpuSide *side : {&layout.rows, &layout.columns}) {
    entries += countChunks(*side);
    panelBytes += packedBytes(contraction, *side, layout, loops).ofBlock;
  }
  time.setup += seconds(costs.callCycles + slices * costs.sliceCycles +
                        entries * costs.tableEntryCycles) +
                panelBytes / rateFrom(panelBytes);
}

CpuTime Predictor::run() {
  for (const auto *outer : {&layout.batch, &layout.loops})
    for (const CpuIndex &index : *outer) {
      slices *= static_cast<double>(index.extent);
      if (contraction.indices[*index.position].role == Role::K)
        sumLoops *= static_cast<double>(index.extent);
    }
  depth = static_cast<double>(layout.products);
  for (const CpuIndex &index : layout.k)
    depth *= static_cast<double>(index.extent);
  CpuTime time;
  addMultiply(time);
  addOutput(time);
  addPack(time, layout.rows);
  addPack(time, layout.columns);
  auto threads = static_cast<double>(layout.threads);
  for (double *shared : {&time.multiply, &time.output, &time.pack})
    *shared /= threads;
  addSetup(time);
  return time;
}

/// The time to copy a tensor in another order of indices: each element is read
/// once and written once, which also fetches the line that it is written to.
static double timeOfCopy(const Contraction &contraction, Tensor tensor,
                         const std::vector<std::string> &order,
                         const CpuSchedule &schedule, const CpuTarget &target,
                         double rate) {
  double elements = contraction.elements(tensor);
  auto bytes = static_cast<double>(byteWidth(contraction.elementType[tensor]));
  std::optional<unsigned> last = contraction.find(order.back());
  std::optional<unsigned> strideOne = contraction.strideOneIndex(tensor);
  auto lanes = static_cast<double>(schedule.lanes);
  double perElement = target.costs.gatheredElementCycles;
  if (strideOne == last)
    perElement =
        target.costs.copiedVectorCycles /
        std::min(lanes, static_cast<double>(contraction.indices[*last].extent));
  else if (strideOne && last) {
    double square =
        std::min({lanes, static_cast<double>(contraction.indices[*last].extent),
                  static_cast<double>(contraction.indices[*strideOne].extent)});
    perElement = transposedElementCycles(square, target.costs);
  }
  return std::max(3 * elements * bytes / rate,
                  elements * perElement / target.clockHertz);
}

Result<CpuTime> tc::model::predictTime(const Contraction &contraction,
                                       const CpuSchedule &schedule,
                                       const CpuTarget &target) {
  if (target.caches.empty())
    return Error{"target " + target.name + ": it has no caches"};
  Result<CpuLayout> layout = layOut(contraction, schedule);
  if (!layout)
    return Error{layout.error()};
  if (layout->callsLibrary)
    return Error{"the library predicts its time itself"};
  if (layout->direct)
    return predictDirectTime(contraction, schedule, *layout, target);
  Result<Contraction> product = productOf(contraction, schedule);
  if (!product)
    return Error{product.error()};
  double resident = residentBytes(contraction, schedule);
  CpuSchedule multiplied = scheduleOfProduct(schedule);
  CpuTime time =
      Predictor(*product, multiplied, *layout, target, resident).run();
  Hierarchy hierarchy = memoryHierarchy(target);
  double rate = hierarchy[levelHolding(hierarchy, resident)].bytesPerSecond;
  // Memory for copies is fresh, and zeroed before it is there.
  time.transpose +=
      static_cast<double>(workspaceBytes(contraction, schedule)) / rate;
  for (Tensor tensor : allTensors) {
    if (schedule.transpose[tensor].empty())
      continue;
    double copies = tensor == Tensor::C && contraction.readsC ? 2 : 1;
    time.transpose +=
        copies * timeOfCopy(contraction, tensor, schedule.transpose[tensor],
                            schedule, target, rate);
  }
  return time;
}
