//===- SkinnyTimes.cpp - Predicted times of ways to loop over sums --------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Adds up cycles of loads, products and stores for each tile, and time in which
// memory is waited for.
//
//===----------------------------------------------------------------------===//

#include "Factors.h"
#include "SkinnyPlanner.h"

#include "tc/Hierarchy/Blocks.h"

#include <algorithm>
#include <cmath>

using namespace tc;
using namespace tc::cpu;
using model::Tensor;
using Way = SkinnyWay;
using Access = SkinnyAccess;

/// Reading ahead does not reach a line of less than so many bytes that lies
/// pages behind the last one.
static constexpr int64_t shortLineBytes = 512, pageBytes = 4096;

/// Cycles to store an element of C that does not lie beside the last one, by
/// where that one is, if few of them come one after the other: in another line
/// of the caches, or near; or near, and they fill a vector. Measured on an
/// Intel Xeon with AVX-512.
static constexpr double storedFarCycles = 3.5, storedNearCycles = 1.25,
                        storedOfVectorCycles = 0.5;
static constexpr int64_t lineBytes = 64, manyStored = 64;

/// The same for a byte of many, where squares are not stored by masks: measured
/// on an AMD EPYC with AVX2.
static constexpr double storedByteCycles = 0.16;

/// The same for an element of many that is narrower than sums, which are
/// converted one by one: measured on an AMD EPYC with AVX2.
static constexpr double storedNarrowCycles = 4.5;

/// Cycles for a complex number that is loaded by itself.
static constexpr double apartElementCycles = 1;

/// Cycles to load the part of a vector at the end of a line of less than two:
/// measured on an AMD EPYC with AVX2.
static constexpr double partOfVectorCycles = 4;

/// Results that the first cache keeps beside the operands.
static constexpr int64_t nearBytes = 1 << 14;

/// Cycles for an element that is brought to a tile.
double SkinnyPlanner::cyclesToBring(const Way &way, size_t operand) const {
  const Tensor t = tensorOf(way, operand);
  const double numbers = static_cast<double>(parts),
               lane = static_cast<double>(lanes);
  switch (way.access[operand]) {
  case Access::InPlace:
    return 0;
  case Access::Apart:
    return apartElementCycles;
  case Access::Copied:
    return costs.copiedVectorCycles * numbers / lane;
  case Access::Transposed: {
    // A line of the caches has more of narrower numbers.
    const int64_t width =
        model::byteWidth(model::realTypeOf(problem.elementType[t]));
    return costs.transposedElementCycles * numbers *
           static_cast<double>(std::max<int64_t>(2, width)) / 8;
  }
  case Access::Table:
    return costs.lookedUpElementCycles * numbers;
  case Access::Strided:
    break;
  }
  // A line of the caches is read for each element.
  const int64_t stride =
      way.vector == Way::none ? 0 : axes[way.vector].stride[t];
  return std::abs(stride) * model::byteWidth(problem.elementType[t]) >= 64
             ? costs.gatheredElementCycles
             : costs.stridedElementCycles * numbers;
}

/// Cycles for elements of C along which vectors go, but that lie apart.
double SkinnyPlanner::cyclesToStore(const Way &way) const {
  if (way.alongSums || way.usesTables)
    return 0;
  const int64_t stride = axes[way.vector].stride[Tensor::C];
  if (stride == 1)
    return 0;
  const int64_t bytes =
                    stride * model::byteWidth(problem.elementType[Tensor::C]),
                count = extentOf(way.vector);
  // Columns fill the lines.
  const bool fillsLines =
      way.columns != Way::none && axes[way.columns].stride[Tensor::C] == 1;
  const double bytesOfC =
      elementsOf(Tensor::C) *
      static_cast<double>(model::byteWidth(problem.elementType[Tensor::C]));
  const bool staysNear = bytesOfC <= static_cast<double>(nearBytes);
  if (!staysNear && (bytes >= pageBytes ||
                     (bytes >= lineBytes && count < manyStored && !fillsLines)))
    return elementsOf(Tensor::C) * storedFarCycles;
  if (count >= manyStored) {
    if (instructionSet().isa != model::CpuIsa::AVX2)
      return 0;
    // Squares are stored where columns lie side by side.
    if (bytes >= lineBytes && !fillsLines)
      return elementsOf(Tensor::C) * storedFarCycles;
    return problem.elementType[Tensor::C] == problem.accumulatorType
               ? bytesOfC * storedByteCycles
               : elementsOf(Tensor::C) * storedNarrowCycles;
  }
  return elementsOf(Tensor::C) *
         (count * parts < lanes ? storedNearCycles : storedOfVectorCycles);
}

double SkinnyPlanner::cyclesOf(const Way &way) const {
  auto number = [](int64_t count) { return static_cast<double>(count); };
  const double vectors = number(vectorCountOf(way)),
               rows = number(extentOf(way.rows)),
               columns = number(extentOf(way.columns));
  const bool isShared =
      way.rows != Way::none && axes[way.rows].stride[tensorOf(way, 1)] == 0;
  const double forms = product == Product::Complex ? 2 : 1;
  // Loads of a product of vectors.
  const bool hasSecond = way.isExchanged ? hasA : hasB;
  double loads = 1;
  // Those of a block of rows are used for the columns of one, and the other way
  // round.
  if (way.alongSums && hasSecond)
    loads = isShared ? 1 / std::clamp(columns, 1.0, number(dotColumns)) +
                           1 / number(dotRows)
                     : 2;
  const double ofLoads = loads * (1 / costs.directLoadsPerCycle +
                                  (way.widens ? costs.widenedVectorCycles : 0));
  const double lines = products / vectors;
  // Parts of complex numbers are exchanged and joined, too.
  const bool isScaledLine = !way.alongSums && isScaled(way);
  const double steps = forms == 1     ? 1
                       : isScaledLine ? costs.joinedPartsWeight * forms
                                      : costs.exchangedPartsWeight * forms;
  // Elements that are added up alone take no longer than their loads.
  const double ofProduct =
      hasSecond ? number(lanes) / costs.skinnyPart /
                      productsPerCycleOf(realOf(problem.accumulatorType))
                : 0;
  const double ofVector = steps * std::max(ofLoads, ofProduct);
  const double ofLine =
      std::ceil(vectors * number(parts) / number(lanes)) * ofVector +
      costs.skinnyLineCycles;
  double cycles = lines * ofLine;
  const int64_t ofShortLine = vectorCountOf(way) * parts;
  if (areAddedTogether(way) && way.access == Way().access &&
      ofShortLine < 2 * lanes && ofShortLine % lanes != 0)
    cycles += lines * partOfVectorCycles;
  // Each brought element is used for all columns, or for all rows; with AVX2,
  // it counts that each block of columns brings its own. Only there was that
  // measured.
  const double usesOfFirst = instructionSet().isa == model::CpuIsa::AVX2
                                 ? number(way.columnBlock)
                                 : columns;
  cycles += products / usesOfFirst * cyclesToBring(way, 0);
  if (hasSecond) {
    double uses = way.alongSums ? (isShared ? rows : 1) : 1;
    if (!way.alongSums && way.access[1] == Access::Copied)
      uses = vectors;
    cycles += products / uses * cyclesToBring(way, 1);
  }
  const double tiles =
      products / (number(way.vectorBlock) * number(way.lineBlock) *
                  number(way.rowBlock) * number(way.columnBlock));
  // Tables are filled for a block of vectors, and kept while there is no other:
  // along C, for all that is added up there.
  if (way.usesTables)
    cycles += (way.alongSums && number(way.vectorBlock) < vectors
                   ? tiles * number(way.vectorBlock)
                   : vectors) *
              (way.alongSums ? 1 : 2) * costs.tableEntryCycles;
  // Elements are brought by tiles, too: of each row, and of each column.
  double brought = 0;
  if (isBrought(way.access[0]))
    brought += number(way.alongSums ? way.rowBlock : 1);
  if (isBrought(way.access[1]))
    brought += number(way.columnBlock);
  cycles += tiles * (1 + brought) * costs.skinnyTileCycles;
  if (way.alongSums)
    cycles += products / number(way.vectorBlock) / number(way.lineBlock) *
              costs.addedLanesCycles * forms;
  return cycles + cyclesToStore(way);
}

/// Cycles for short lines along C that lie pages apart, each when it is read
/// for the first time.
double SkinnyPlanner::cyclesOfWaits(const Way &way) const {
  if (way.alongSums || way.usesTables || way.lines == Way::none)
    return 0;
  double cycles = 0;
  for (size_t operand : {0, 1}) {
    const Tensor t = tensorOf(way, operand);
    const int64_t width = model::byteWidth(problem.elementType[t]);
    if (axes[way.vector].stride[t] == 1 &&
        way.vectorBlock * width < shortLineBytes &&
        std::abs(axes[way.lines].stride[t]) * width >= pageBytes)
      cycles += elementsOf(t) / static_cast<double>(extentOf(way.vector)) *
                costs.farLineCycles;
  }
  return cycles;
}

double SkinnyPlanner::seconds() const {
  const double hertz = coreOfHost().clockHertz;
  return best.waits / hertz +
         std::max({best.cycles / hertz, bytesMoved() / rateFrom(bytesMoved()),
                   leastSecondsOf(products)});
}

double SkinnyPlanner::leastSeconds() const {
  return products * static_cast<double>(parts) / static_cast<double>(lanes) /
         costs.directLoadsPerCycle / coreOfHost().clockHertz;
}

/// Bytes of all tensors.
double SkinnyPlanner::bytesMoved() const {
  double bytes = 0;
  for (Tensor t : model::allTensors)
    bytes += elementsOf(t) *
             static_cast<double>(model::byteWidth(problem.elementType[t]));
  return bytes;
}

double SkinnyPlanner::elementsOf(Tensor t) const {
  double elements = 1;
  for (const Axis &axis : axes)
    if (axis.stride[t] != 0)
      elements *= static_cast<double>(axis.extent);
  return elements;
}
