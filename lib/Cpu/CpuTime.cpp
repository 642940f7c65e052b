//===- CpuTime.cpp - The time of a CPU schedule ---------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts what the loops of a schedule multiply, pack, update and copy, in
// elements, cache lines and instructions, and adds up their times. Packing and
// its traffic are counted as in section 5 of Li et al., SC 2019: a buffer is
// filled once for each trip of the loops that it stands in. As its phases
// follow one another on one core, their times are added, other than that
// paper's.
//
//===----------------------------------------------------------------------===//

#include "tc/Cpu/CpuStores.h"
#include "tc/Cpu/CpuStrategy.h"
#include "tc/Problem/Semiring.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

using namespace tc;
using namespace tc::model;

namespace {

/// Instructions that take what a fused multiply-add takes, for a product and
/// what combines it with a sum. Integers are multiplied by two or three; minima
/// and maxima that leave NaN out compare and select.
double instructionsPerProduct(const Contraction &contraction) {
  if (contraction.semiring == Semiring::UserDefined)
    return static_cast<double>(contraction.userSemiring.operations);
  bool isNumber = isInteger(contraction.accumulatorType);
  double combining = 1;
  switch (productOf(contraction.semiring)) {
  case Product::Multiply:
    if (isNumber)
      return combining + (byteWidth(contraction.accumulatorType) > 4 ? 3 : 2);
    return contraction.semiring == Semiring::PlusTimes ? 1 : combining + 1;
  case Product::Add:
  case Product::And:
    return combining + 1;
  case Product::Max:
  case Product::Min:
    return combining + (isNumber ? 1 : 3);
  }
  return combining;
}

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
        home(rateFrom(residentBytes)) {}

  CpuTime run();

private:
  double rateFrom(double bytes) const;
  double widthOf(Tensor tensor) const {
    return static_cast<double>(byteWidth(contraction.elementType[tensor]));
  }
  double seconds(double cycles) const { return cycles / target.clockHertz; }
  double blocks(Role role) const;
  const std::vector<CpuIndex> &indicesOf(Role role) const {
    return role == Role::K ? layout.k : layout.side(role, schedule).indices;
  }
  double chunks(const CpuSide &side) const;
  double panels(const CpuSide &side) const;
  double lineUse(const CpuSide &side) const;
  double timesPacked(Role role) const;
  double secondsOfPanels() const;
  double partOfPartialLines() const;
  void addMultiply(CpuTime &time) const;
  void addOutput(CpuTime &time) const;
  void addPack(CpuTime &time, const CpuSide &side, Role role) const;
  void addSetup(CpuTime &time) const;

  const Contraction &contraction;
  const CpuSchedule &schedule;
  const CpuLayout &layout;
  const CpuTarget &target;
  const CpuCosts &costs;
  /// Of an element in a panel; elements of a vector; bytes of a cache line.
  double bytes, lanes, line;
  /// Bytes a second from where the tensors are.
  double home;
  double slices = 1, sumLoops = 1, depth = 1;
};

} // namespace

double CpuTarget::productsPerCycle(const Contraction &contraction) const {
  int64_t fmas = byteWidth(contraction.accumulatorType) == 8 ? fmaPerCycleF64
                                                             : fmaPerCycleF32;
  return static_cast<double>(fmas) / instructionsPerProduct(contraction);
}

/// The rate at which data is read that was used the last time so many bytes
/// ago.
static double rateOf(const CpuTarget &target, double bytes) {
  for (const CpuCache &cache : target.caches)
    if (bytes <= static_cast<double>(cache.bytes))
      return cache.bytesPerSecond;
  return target.memoryBytesPerSecond;
}

double Predictor::rateFrom(double footprint) const {
  return rateOf(target, footprint);
}

double Predictor::blocks(Role role) const {
  double count = 1;
  for (const CpuIndex &index : indicesOf(role))
    count *= static_cast<double>(index.blocks());
  return count;
}

/// The chunks of all blocks of a side.
double Predictor::chunks(const CpuSide &side) const {
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

/// The panels of all blocks; those of blocks that are cut off count by their
/// chunks.
double Predictor::panels(const CpuSide &side) const {
  return chunks(side) * static_cast<double>(side.panels()) /
         static_cast<double>(side.chunks());
}

/// The part of the time to read a block that its elements take.
double Predictor::lineUse(const CpuSide &side) const {
  std::vector<const CpuIndex *> indices;
  for (const auto *list : {&side.indices, &layout.k})
    for (const CpuIndex &index : *list)
      if (index.stride[side.input] != 0)
        indices.push_back(&index);
  std::sort(indices.begin(), indices.end(),
            [&](const CpuIndex *a, const CpuIndex *b) {
              return std::abs(a->stride[side.input]) <
                     std::abs(b->stride[side.input]);
            });
  int64_t run = 1;
  for (const CpuIndex *index : indices) {
    if (std::abs(index->stride[side.input]) != run)
      break;
    run *= index->tile;
    if (index->tile != index->extent)
      break;
  }
  double runBytes = static_cast<double>(run) * widthOf(side.input);
  return runBytes / (runBytes + line * costs.runStartLines);
}

/// How often each element of a side is packed in a slice: once for each block
/// of the other role whose loop is outside of the place where packing stands.
double Predictor::timesPacked(Role role) const {
  Role other = role == Role::M ? Role::N : Role::M;
  size_t place = 0, otherPlace = 0;
  for (size_t i = 0; i < schedule.order.size(); ++i) {
    Role loop = schedule.order[i];
    if (loop == other)
      otherPlace = i;
    else if (blocks(loop) > 1)
      place = i + 1;
  }
  return otherPlace < place ? blocks(other) : 1;
}

/// What a step of the micro-kernel takes of panels, weighed by the rate at
/// which the first cache is filled from where they are: seconds.
double Predictor::secondsOfPanels() const {
  auto blockBytes = [&](const CpuSide &side, int64_t panels) {
    return static_cast<double>(panels * side.width * layout.depth) * bytes;
  };
  const CpuSide &staying =
      schedule.columnsInnermost ? layout.rows : layout.columns;
  const CpuSide &streaming =
      schedule.columnsInnermost ? layout.columns : layout.rows;
  auto fetch = [&](const CpuSide &side) {
    return static_cast<double>(side.width) * bytes /
           rateFrom(blockBytes(side, side.panels()));
  };
  // What passes through evicts the panel that stays, if both don't fit.
  double both = blockBytes(staying, 1) + blockBytes(streaming, 1);
  auto first = static_cast<double>(target.caches.front().bytes);
  double time = fetch(streaming);
  if (both > first)
    time += fetch(staying);
  return time;
}

void Predictor::addMultiply(CpuTime &time) const {
  double tiles = panels(layout.rows) * panels(layout.columns) * slices;
  auto rows = static_cast<double>(schedule.registerRows);
  auto columns = static_cast<double>(schedule.registerColumns);
  double step = std::max(rows * columns / target.productsPerCycle(contraction),
                         (rows / lanes + columns) / costs.loadsPerCycle);
  time.multiply += seconds(tiles * depth * step / costs.kernelPart +
                           tiles * blocks(Role::K) * costs.tileCycles) +
                   tiles * depth * secondsOfPanels() * costs.panelPart;
}

/// Of the lines that stores past the caches go to, those that are not written
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
      panels(layout.rows) * panels(layout.columns) * slices * updates;
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
    perTile = vectors * (1 + lanes / chunk * costs.bufferedChunkCycles);
  // Sums of both parts of complex numbers wait in memory, are loaded again and
  // joined to pairs.
  if (layout.products > 1)
    perTile = 2 * perTile + vectors * costs.joinedVectorCycles;
  time.output += seconds(tiles * perTile);

  double size = contraction.elements(Tensor::C) * widthOf(Tensor::C);
  bool reads = contraction.readsC || !schedule.stream;
  double first = size * (reads ? 2 : 1) / home;
  if (schedule.stream)
    first *= 1 + (costs.partialLineStores - 1) * partOfPartialLines();
  // What is updated again was left when the block of columns, or the slice,
  // began.
  double revisited = size / slices;
  double again = size * (visits - 1) * 2 / rateFrom(std::max(revisited, 1.0));
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

void Predictor::addPack(CpuTime &time, const CpuSide &side, Role role) const {
  double elements = slices * depth;
  for (const CpuIndex &index : side.indices)
    elements *= static_cast<double>(index.extent);
  elements *= timesPacked(role);
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
  double written =
      elements * bytes /
      rateFrom(static_cast<double>(target.caches.front().bytes + 1));
  double computed = seconds(elements * perElement);
  // All factors of a number are made of it at once. What is packed again comes
  // from the cache that holds the whole input.
  elements /= static_cast<double>(layout.products);
  double once = std::min(elements, contraction.elements(side.input));
  double width = widthOf(side.input);
  double read =
      (once / home +
       (elements - once) / rateFrom(contraction.elements(side.input) * width)) *
      width / lineUse(side);
  time.pack += std::max(read, computed) + written;
}

void Predictor::addSetup(CpuTime &time) const {
  double entries = 0, panelBytes = 0;
  for (const CpuSide *side : {&layout.rows, &layout.columns}) {
    entries += chunks(*side);
    panelBytes +=
        static_cast<double>(side->panels() * side->width * layout.depth) *
        bytes;
  }
  time.setup += seconds(costs.callCycles + slices * costs.sliceCycles +
                        entries * costs.tableEntryCycles) +
                panelBytes / rateFrom(panelBytes);
}

CpuTime Predictor::run() {
  for (const auto *loops : {&layout.batch, &layout.loops})
    for (const CpuIndex &index : *loops) {
      slices *= static_cast<double>(index.extent);
      if (contraction.indices[*index.position].role == Role::K)
        sumLoops *= static_cast<double>(index.extent);
    }
  depth = static_cast<double>(layout.products);
  for (const CpuIndex &index : layout.k)
    depth *= static_cast<double>(index.extent);
  Role columnRole = schedule.rows == Role::M ? Role::N : Role::M;
  CpuTime time;
  addMultiply(time);
  addOutput(time);
  addPack(time, layout.rows, schedule.rows);
  addPack(time, layout.columns, columnRole);
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
  Result<Contraction> product = productOf(contraction, schedule);
  if (!product)
    return Error{product.error()};
  auto resident = static_cast<double>(workspaceBytes(contraction, schedule));
  for (Tensor tensor : allTensors)
    resident += contraction.elements(tensor) *
                static_cast<double>(byteWidth(contraction.elementType[tensor]));
  CpuSchedule multiplied = scheduleOfProduct(schedule);
  CpuTime time =
      Predictor(*product, multiplied, *layout, target, resident).run();
  double rate = rateOf(target, resident);
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
