//===- DirectTime.cpp - The time of loops without panels --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts the instructions of all register tiles, whole ones and those that are
// cut off, and the bytes that enter the first cache from where the tensors are.
//
//===----------------------------------------------------------------------===//

#include "DirectLoops.h"

#include "tc/Cpu/CpuMovement.h"
#include "tc/Support/Arithmetic.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

using namespace tc;
using namespace tc::model;

namespace {

/// Tiles along an index that are alike.
struct Tiles {
  int64_t count = 0, elements = 0;
};

class DirectPredictor {
public:
  DirectPredictor(const Contraction &contraction, const CpuSchedule &schedule,
                  const CpuLayout &layout, const CpuTarget &target)
      : contraction(contraction), schedule(schedule), layout(layout),
        loops(*layout.direct), target(target), costs(target.costs) {}

  CpuTime run(double limit) const;

private:
  static std::vector<Tiles> tilesAlong(const CpuIndex &index);
  double productOfOthers(const std::vector<CpuIndex> &indices,
                         const CpuIndex *left) const;
  double loads(Tensor tensor, int64_t vectors, int64_t elements,
               int64_t columns) const;
  double shuffles(Tensor tensor, int64_t elements, int64_t columns) const;
  /// Elements are where they are: vectors cross lines, and take two accesses.
  double accesses(int64_t vectors) const {
    return static_cast<double>(vectors) *
           (1 + static_cast<double>(target.vectorBytes) /
                    static_cast<double>(target.caches.front().lineBytes));
  }
  double stepCycles(int64_t elements, int64_t columns) const;
  double outputCycles(int64_t elements, int64_t columns) const;
  std::vector<const CpuIndex *> loopsThatMove(Tensor tensor) const;
  bool tileStays(Tensor tensor) const;
  double lineUse(Tensor tensor) const;

  int64_t strideOf(const CpuIndex *index, Tensor tensor) const {
    return index ? index->stride[tensor] : 0;
  }
  const CpuIndex *columnIndex() const {
    return loops.columnPlace ? &loops.outputs[*loops.columnPlace] : nullptr;
  }

  const Contraction &contraction;
  const CpuSchedule &schedule;
  const CpuLayout &layout;
  const DirectLoops &loops;
  const CpuTarget &target;
  const CpuCosts &costs;
};

} // namespace

std::vector<Tiles> DirectPredictor::tilesAlong(const CpuIndex &index) {
  int64_t whole = index.extent / index.tile;
  std::vector<Tiles> tiles = {{whole, index.tile}};
  if (int64_t rest = index.extent % index.tile)
    tiles.push_back({1, rest});
  return tiles;
}

/// The trips of loops that the register tile has no part in.
double DirectPredictor::productOfOthers(const std::vector<CpuIndex> &indices,
                                        const CpuIndex *left) const {
  double product = 1;
  for (const CpuIndex &index : indices)
    if (&index != left && &index != columnIndex())
      product *= static_cast<double>(index.extent);
  return product;
}

/// Cycles for the loads of an input in a step: whole vectors, one number for
/// all lanes, or numbers that are brought together, with a load each.
double DirectPredictor::loads(Tensor tensor, int64_t vectors, int64_t elements,
                              int64_t columns) const {
  int64_t stride = loops.vector().stride[tensor];
  double ofColumn = stride == 0   ? 1
                    : stride == 1 ? accesses(vectors)
                                  : static_cast<double>(elements);
  bool isOfColumns = strideOf(columnIndex(), tensor) != 0;
  return ofColumn * static_cast<double>(isOfColumns ? columns : 1) /
         costs.directLoadsPerCycle;
}

/// Cycles for the shuffles that bring numbers of an input together, which
/// compete with products: less than packing takes, which stores, too. Those of
/// another type than sums are converted, one by one.
double DirectPredictor::shuffles(Tensor tensor, int64_t elements,
                                 int64_t columns) const {
  int64_t stride = loops.vector().stride[tensor];
  if (stride == 0 || stride == 1)
    return 0;
  bool isOfColumns = strideOf(columnIndex(), tensor) != 0;
  bool isConverted =
      contraction.elementType[tensor] != contraction.accumulatorType;
  return static_cast<double>(elements * (isOfColumns ? columns : 1)) *
         (isConverted ? costs.directElementCycles
                      : costs.transposedVectorCycles);
}

/// Cycles for the products of a register tile with one value of each summed
/// index, or a tile of them.
double DirectPredictor::stepCycles(int64_t elements, int64_t columns) const {
  int64_t vectors = ceilDivide(elements, schedule.lanes);
  double products = static_cast<double>(vectors * schedule.lanes * columns) /
                    target.productsPerCycle(contraction);
  double loaded = 0;
  for (Tensor input : {Tensor::A, Tensor::B}) {
    loaded += loads(input, vectors, elements, columns);
    products += shuffles(input, elements, columns);
  }
  double cycles = std::max(products, loaded);
  // A sum waits for the one before.
  return loops.summed.empty() ? cycles
                              : std::max(cycles, costs.multiplyAddLatency);
}

/// Cycles for a register tile's begin and end.
double DirectPredictor::outputCycles(int64_t elements, int64_t columns) const {
  int64_t vectors = ceilDivide(elements, schedule.lanes);
  double perColumn =
      accesses(vectors) * (contraction.readsC || loops.blocks() > 1 ? 2 : 1);
  if (loops.sumsVectors)
    perColumn = static_cast<double>(vectors) +
                std::log2(static_cast<double>(schedule.lanes)) *
                    costs.transposedVectorCycles * 2;
  else if (loops.vector().stride[Tensor::C] != 1)
    // Into the buffer, and from there one by one.
    perColumn = static_cast<double>(elements) * costs.directElementCycles;
  return costs.directTileCycles + perColumn * static_cast<double>(columns);
}

/// The loops that move a tensor, the innermost first. Those of a few trips make
/// so many streams, each of which runs along memory: they do not count.
std::vector<const CpuIndex *>
DirectPredictor::loopsThatMove(Tensor tensor) const {
  constexpr int64_t mostStreams = 16;
  std::vector<const CpuIndex *> moving;
  const CpuIndex *block =
      loops.blockPlace ? &loops.summed[*loops.blockPlace] : nullptr;
  for (const auto *list : {&loops.summed, &loops.outputs})
    for (auto index = list->rbegin(); index != list->rend(); ++index) {
      int64_t trips = &*index == block ? index->tile : index->blocks();
      bool isSummedTile = list == &loops.summed && trips <= mostStreams &&
                          std::abs(index->stride[tensor]) != 1;
      if (trips > 1 && index->stride[tensor] != 0 && !isSummedTile)
        moving.push_back(&*index);
    }
  return moving;
}

/// Returns true if the lines of a register tile stay in the first cache until
/// the next tile goes on with them: where strides are multiples of large powers
/// of two, lines share few sets.
bool DirectPredictor::tileStays(Tensor tensor) const {
  const CpuCache &cache = target.caches.front();
  if (cache.ways <= 0)
    return true;
  int64_t way = cache.bytes / cache.ways, lines = 1, sets = 1, distance = way;
  for (const CpuIndex *index : {&loops.vector(), columnIndex()}) {
    int64_t stride =
        std::abs(strideOf(index, tensor)) *
        static_cast<int64_t>(byteWidth(contraction.elementType[tensor]));
    if (stride == 0)
      continue;
    int64_t count = std::min(index->tile, index->extent);
    if (stride < cache.lineBytes) {
      count = ceilDivide(count * stride, cache.lineBytes);
      stride = cache.lineBytes;
    }
    lines *= count;
    sets *= std::min(count, way / std::gcd(stride, way));
    distance = std::gcd(distance, stride);
  }
  return lines <= std::min(sets, way / distance) * cache.ways;
}

/// The part of the time to read or write a tensor that its elements take.
double DirectPredictor::lineUse(Tensor tensor) const {
  std::vector<const CpuIndex *> indices;
  for (const auto *list : {&loops.outputs, &loops.summed})
    for (const CpuIndex &index : *list)
      if (index.stride[tensor] != 0)
        indices.push_back(&index);
  std::sort(indices.begin(), indices.end(),
            [&](const CpuIndex *a, const CpuIndex *b) {
              return std::abs(a->stride[tensor]) < std::abs(b->stride[tensor]);
            });
  // Elements that follow one another in memory, in a tile and from one trip of
  // the innermost loop to the next.
  std::vector<const CpuIndex *> moving = loopsThatMove(tensor);
  bool stays = tileStays(tensor);
  auto innermost = stays ? moving.begin() : moving.end();
  int64_t run = 1;
  for (const CpuIndex *index : indices) {
    if (std::abs(index->stride[tensor]) != run)
      break;
    // A line that does not stay is fetched anew for each vector.
    if (!stays && index != &loops.vector())
      break;
    bool isInnermost = innermost != moving.end() && *innermost == index;
    if (index->tile < index->extent && !isInnermost) {
      run *= index->tile;
      break;
    }
    innermost += isInnermost;
    run *= index->extent;
  }
  double runBytes =
      static_cast<double>(run) *
      static_cast<double>(byteWidth(contraction.elementType[tensor]));
  double line = static_cast<double>(target.caches.front().lineBytes);
  double lines =
      tensor == Tensor::C ? costs.storedRunStartLines : costs.runStartLines;
  return runBytes / (runBytes + line * lines);
}

CpuTime DirectPredictor::run(double limit) const {
  const CpuIndex &vector = loops.vector();
  std::vector<Tiles> columns = {{1, 1}};
  if (columnIndex())
    columns = tilesAlong(*columnIndex());
  double otherOutputs = productOfOthers(loops.outputs, &vector);
  double steps = productOfOthers(loops.summed, &vector);
  auto blocks = static_cast<double>(loops.blocks());
  double cycles = 0;
  for (const Tiles &column : columns) {
    double tiles = static_cast<double>(column.count) * otherOutputs, step = 0;
    for (const Tiles &rows : tilesAlong(vector)) {
      auto count = static_cast<double>(rows.count);
      double products =
          count * steps * stepCycles(rows.elements, column.elements) / blocks;
      if (loops.sumsVectors)
        step += products;
      else
        cycles += tiles * (products + count * outputCycles(rows.elements,
                                                           column.elements));
    }
    if (loops.sumsVectors)
      cycles +=
          tiles * (step + outputCycles(schedule.registerRows, column.elements));
  }
  auto threads = static_cast<double>(layout.threads);
  CpuTime time;
  time.multiply = blocks * cycles / target.clockHertz / threads;
  if (time.multiply >= limit)
    return time;

  Hierarchy hierarchy = memoryHierarchy(target);
  unsigned home = levelHolding(hierarchy, residentBytes(contraction, schedule));
  TilingLoops tiling = tilingLoopsOf(contraction, loops);
  double moved = 0;
  for (Tensor tensor : allTensors) {
    double bytes =
        contraction.elements(tensor) *
        static_cast<double>(byteWidth(contraction.elementType[tensor]));
    // C is fetched, and written back.
    double ways = tensor == Tensor::C ? 2 : 1;
    moved += ways * secondsToFetch(hierarchy, tiling, tensor, bytes, home) /
             lineUse(tensor);
  }
  moved /= threads;
  // The longer of the two hides most of the other.
  time.output = std::max(moved * costs.outputPart,
                         moved - time.multiply * (1 - costs.outputPart));
  time.setup = costs.directCallCycles / target.clockHertz;
  if (layout.threads > 1)
    time.setup += std::ceil(std::log2(threads)) * costs.teamSeconds;
  return time;
}

CpuTime tc::model::predictDirectTime(const Contraction &contraction,
                                     const CpuSchedule &schedule,
                                     const CpuLayout &layout,
                                     const CpuTarget &target, double limit) {
  return DirectPredictor(contraction, schedule, layout, target).run(limit);
}
