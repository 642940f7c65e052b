//===- SkinnyWays.cpp - Ways to loop over sums that are read once ---------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each index is tried as that which vectors go along, and as lines that of
// whose values an operand's elements are closest. Several short indices are one
// whose places are in tables. The way that is predicted to take least is taken.
//
//===----------------------------------------------------------------------===//

#include "Factors.h"
#include "Odometer.h"
#include "SkinnyPlanner.h"

#include "tc/Hierarchy/Blocks.h"
#include "tc/Support/Arithmetic.h"

#include <algorithm>
#include <cmath>
#include <tuple>

using namespace tc;
using namespace tc::cpu;
using model::ElementType;
using model::Tensor;
using Way = SkinnyWay;
using Access = SkinnyAccess;

/// The most of each in a tile.
static constexpr int64_t mostLines = 128, mostRows = 512, mostColumns = 8,
                         transposedLines = 32;

/// The most numbers in each lane of a tile that is added up.
static constexpr int64_t mostInLanes = 2048;

/// Elements that lie so many bytes apart share a set of the first cache; of
/// others, it has so many lines until their further elements are used.
static constexpr int64_t setDistance = 4096, linesThatWait = 256;

/// Bytes of a run that memory is read by as fast as by longer ones.
static constexpr int64_t farRunBytes = 1024;

bool SkinnyPlanner::collect() {
  std::optional<Axes> found = axesOf(problem);
  if (!found)
    return false;
  axes = std::move(found->axes);
  offset = found->offset;
  products = found->products;
  for (const Axis &axis : axes) {
    hasA |= axis.stride[Tensor::A] != 0;
    hasB |= axis.stride[Tensor::B] != 0;
  }
  const ElementType sums = problem.accumulatorType;
  parts = model::isComplex(sums) ? 2 : 1;
  lanes = instructionSet().vectorBytes /
          realBytes[static_cast<unsigned>(realOf(sums))];
  const bool complexA = model::isComplex(problem.elementType[Tensor::A]),
             complexB = model::isComplex(problem.elementType[Tensor::B]);
  if (complexA || complexB)
    product = complexA && complexB && hasA && hasB ? Product::Complex
                                                   : Product::Paired;
  const ElementType ofA = problem.elementType[Tensor::A],
                    ofB = problem.elementType[Tensor::B];
  if (sums == ElementType::F32 && (!hasA || !hasB || ofA == ofB))
    narrowKernels = instructionSet().findNarrowSkinny(hasA ? ofA : ofB);
  return axes.size() + 4 <= mostAxes && (hasA || hasB);
}

int64_t SkinnyPlanner::vectorCountOf(const Way &way) const {
  if (!way.usesTables)
    return extentOf(way.vector);
  int64_t count = 1;
  if (way.alongSums)
    for (size_t axis : way.tableAxes)
      count *= axes[axis].extent;
  else
    for (const Axis &axis : axes)
      if (!isSummed(axis))
        count *= axis.extent;
  return count;
}

/// Neighbours in either operand are close, whatever the order of the other one.
void SkinnyPlanner::chooseTableAxes(Way &way) const {
  auto key = [&](size_t number) {
    const int64_t ofFirst = std::abs(axes[number].stride[tensorOf(way, 0)]),
                  ofSecond = std::abs(axes[number].stride[tensorOf(way, 1)]);
    return std::make_tuple(ofFirst == 0    ? ofSecond
                           : ofSecond == 0 ? ofFirst
                                           : std::min(ofFirst, ofSecond),
                           ofFirst, ofSecond);
  };
  way.tableAxes.clear();
  for (size_t i = 0; i < axes.size(); ++i)
    if (isSummed(axes[i]))
      way.tableAxes.push_back(i);
  std::sort(way.tableAxes.begin(), way.tableAxes.end(),
            [&](size_t a, size_t b) { return key(a) < key(b); });
  // As many as fill a tile, unless much less would.
  const int64_t most =
      tileBytes / parts /
      realBytes[static_cast<unsigned>(realOf(problem.accumulatorType))];
  int64_t count = 1;
  size_t kept = 0;
  while (kept < way.tableAxes.size() &&
         count * axes[way.tableAxes[kept]].extent <= most)
    count *= axes[way.tableAxes[kept++]].extent;
  if (kept > 1 && 4 * count >= most)
    way.tableAxes.resize(kept);
}

/// Returns true if an operand's elements are closer along lines than along
/// vectors.
bool SkinnyPlanner::isCloserAlongLines(const Way &way, Tensor t) const {
  if (way.usesTables || way.lines == Way::none)
    return false;
  const int64_t stride = std::abs(axes[way.lines].stride[t]);
  return stride != 0 && stride < std::abs(axes[way.vector].stride[t]);
}

/// Returns true if the second operand has one number for a line of vectors
/// along C.
bool SkinnyPlanner::isScaled(const Way &way) const {
  const Tensor t = tensorOf(way, 1);
  if (!way.usesTables)
    return axes[way.vector].stride[t] == 0;
  return std::all_of(axes.begin(), axes.end(), [&](const Axis &axis) {
    return isSummed(axis) || axis.stride[t] == 0;
  });
}

/// Returns true if elements of an operand that lie apart are loaded one by one
/// from where they lie: complex numbers of 16 bytes that one product each has.
bool SkinnyPlanner::isUsedApart(const Way &way, size_t operand) const {
  const Tensor t = tensorOf(way, operand);
  if (!way.alongSums || way.usesTables ||
      problem.accumulatorType != ElementType::C64 ||
      problem.elementType[t] != ElementType::C64 ||
      axes[way.vector].stride[t] == 0)
    return false;
  if (operand == 0 ? way.columns != Way::none
                   : way.rows != Way::none && axes[way.rows].stride[t] == 0)
    return false;
  // Lines of the caches wait for their other elements.
  return !isCloserAlongLines(way, t) ||
         axes[way.vector].stride[t] * model::byteWidth(ElementType::C64) %
                 setDistance !=
             0;
}

Access SkinnyPlanner::accessOf(const Way &way, size_t operand) const {
  const Tensor t = tensorOf(way, operand);
  const bool isThere = t == Tensor::A ? hasA : hasB;
  const bool isType =
      way.widens || problem.elementType[t] == problem.accumulatorType;
  if (operand == 1 && !isThere)
    return Access::InPlace;
  const bool isPair = product == Product::Paired && operand == 1;
  auto stride = [&](size_t axis) {
    return axis == Way::none ? 0 : axes[axis].stride[t];
  };
  if (operand == 1 && !way.alongSums && isScaled(way))
    return isType && !isPair ? Access::InPlace : Access::Copied;
  if (way.usesTables)
    return Access::Table;
  if (isPair)
    return Access::Strided;
  if (stride(way.vector) == 1)
    return isType ? Access::InPlace : Access::Copied;
  if (isUsedApart(way, operand))
    return Access::Apart;
  return std::abs(stride(way.lines)) == 1 ? Access::Transposed
                                          : Access::Strided;
}

/// Returns true if rows that are closer than lines are not walked along memory:
/// with AVX2, those that are multiplied together by the same columns are one
/// longer run of it, and sums of lanes for each line take more. Only there was
/// that measured.
bool SkinnyPlanner::areAddedTogether(const Way &way) const {
  if (instructionSet().isa != model::CpuIsa::AVX2 || !way.alongSums ||
      way.lines == Way::none || extentOf(way.rows) < dotRows ||
      axes[way.rows].stride[tensorOf(way, 1)] != 0)
    return false;
  const Tensor first = tensorOf(way, 0);
  const int64_t width = model::byteWidth(problem.elementType[first]),
                ofRow = std::abs(axes[way.rows].stride[first]);
  // From memory, short runs wait.
  const auto last =
      static_cast<double>(model::cacheOf(levelsOfHost(), 3).capacityBytes);
  const bool isNear = elementsOf(first) * static_cast<double>(width) < last / 2;
  return ofRow < std::abs(axes[way.lines].stride[first]) &&
         (isNear || dotRows * ofRow * width >= farRunBytes);
}

void SkinnyPlanner::chooseBlocks(Way &way) const {
  const int64_t bytes =
      parts * realBytes[static_cast<unsigned>(realOf(problem.accumulatorType))];
  bool areBrought = false, areTransposed = false, waitsForLines = false;
  for (size_t operand : {0, 1}) {
    const Access access = way.access[operand];
    areBrought |= isBrought(access);
    // Elements that are closer along lines are brought along these.
    const bool isAcross = isCloserAlongLines(way, tensorOf(way, operand));
    areTransposed |=
        access == Access::Transposed || (access == Access::Strided && isAcross);
    waitsForLines |= access == Access::Apart && isAcross;
  }
  const int64_t vectors = vectorCountOf(way), lines = extentOf(way.lines);
  const bool isReused = way.columns != Way::none;
  const bool hasVectors = !way.alongSums && !isScaled(way);
  // A tile that is not used again may be longer.
  const bool passes =
      way.alongSums && !areBrought && !isReused && extentOf(way.rows) == 1;
  int64_t room = (areBrought ? tileBytes
                  : passes   ? mostInLanes * instructionSet().vectorBytes
                             : heldBytes) /
                 bytes;
  if (waitsForLines)
    room = std::min(room, linesThatWait);
  // Tiles of several columns wait, too.
  if (isReused && hasVectors)
    room /= 4;
  int64_t leastLines = areTransposed            ? transposedLines
                       : way.alongSums          ? 1
                       : areBrought || isReused ? 8
                                                : 2;
  leastLines = std::min(leastLines, lines);
  const int64_t unit = std::max<int64_t>(1, lanes / parts);
  int64_t most = std::max(unit, room / leastLines / unit * unit);
  way.vectorBlock = std::min(vectors, most);
  if (vectors > most)
    way.vectorBlock =
        ceilDivide(ceilDivide(vectors, ceilDivide(vectors, most)), unit) * unit;
  way.lineBlock = std::max(leastLines, room / way.vectorBlock);
  if (!way.alongSums)
    way.lineBlock =
        areBrought || isReused ? std::min(way.lineBlock, mostLines) : mostLines;
  // Rows that are closer than lines are walked along memory.
  if (way.alongSums && way.rows != Way::none && way.lines != Way::none &&
      !areTransposed && !areAddedTogether(way))
    for (size_t operand : {0, 1}) {
      const Tensor t = tensorOf(way, operand);
      if (axes[way.rows].stride[t] != 0 &&
          std::abs(axes[way.rows].stride[t]) <
              std::abs(axes[way.lines].stride[t]) &&
          !isBrought(way.access[operand]))
        way.lineBlock = 1;
    }
  way.lineBlock = std::min(way.lineBlock, lines);
  way.rowBlock = std::min(extentOf(way.rows), mostRows);
  way.columnBlock = std::min(extentOf(way.columns), mostColumns);
}

/// The wanted axis of most values that has no place yet.
size_t SkinnyPlanner::largest(bool (*isWanted)(const Axis &axis, Tensor first),
                              const Way &way) const {
  size_t found = Way::none;
  for (size_t i = 0; i < axes.size(); ++i)
    if (i != way.vector && i != way.lines && i != way.rows &&
        isWanted(axes[i], tensorOf(way, 0)) && extentOf(i) > extentOf(found))
      found = i;
  return found;
}

/// Finds places for all other indices, and keeps the way if it is the best.
void SkinnyPlanner::consider(Way way) {
  const Tensor first = tensorOf(way, 0), second = tensorOf(way, 1);
  if (!way.usesTables) {
    // An operand whose elements are closest along another index is transposed.
    for (size_t i = 0; i < axes.size() && way.lines == Way::none; ++i)
      if (i != way.vector && isSummed(axes[i]))
        for (Tensor t : {first, second})
          if (std::abs(axes[i].stride[t]) == 1 &&
              std::abs(axes[way.vector].stride[t]) != 1 &&
              (way.alongSums || axes[way.vector].stride[t] != 0))
            way.lines = i;
  }
  if (way.lines == Way::none && !(way.usesTables && way.alongSums))
    way.lines = largest(
        [](const Axis &axis, Tensor) { return axis.stride[Tensor::C] == 0; },
        way);
  const bool tablesOfResults = way.usesTables && !way.alongSums;
  if (way.alongSums) {
    way.rows = largest(
        [](const Axis &axis, Tensor first) {
          const Tensor second = first == Tensor::A ? Tensor::B : Tensor::A;
          return axis.stride[Tensor::C] != 0 && axis.stride[first] != 0 &&
                 axis.stride[second] == 0;
        },
        way);
    if (way.rows == Way::none)
      way.rows = largest(
          [](const Axis &axis, Tensor first) {
            return axis.stride[Tensor::C] != 0 && axis.stride[first] != 0;
          },
          way);
  }
  const bool isRowByRow =
      way.rows != Way::none && axes[way.rows].stride[second] != 0;
  if (!isRowByRow && !tablesOfResults)
    way.columns = largest(
        [](const Axis &axis, Tensor first) {
          return axis.stride[Tensor::C] != 0 && axis.stride[first] == 0;
        },
        way);
  auto findAccess = [&] {
    for (size_t operand : {0, 1})
      way.access[operand] = accessOf(way, operand);
  };
  way.widens = narrowKernels.has_value();
  findAccess();
  if (way.widens && way.access != Way().access) {
    way.widens = false;
    findAccess();
  }
  chooseBlocks(way);
  way.cycles = cyclesOf(way);
  way.waits = cyclesOfWaits(way);
  if (way.allCycles() < best.allCycles())
    best = way;
}

bool SkinnyPlanner::choose() {
  for (bool isExchanged : {false, true}) {
    Way way;
    way.isExchanged = isExchanged;
    const Tensor first = tensorOf(way, 0);
    // The first operand has elements, and is the complex one.
    if (!(first == Tensor::A ? hasA : hasB))
      continue;
    if (product == Product::Paired &&
        !model::isComplex(problem.elementType[first]))
      continue;
    for (size_t i = 0; i < axes.size(); ++i) {
      if (axes[i].stride[first] == 0)
        continue;
      way.alongSums = isSummed(axes[i]);
      way.vector = i;
      consider(way);
    }
    // Those of a real operand that lie twice have no tables.
    if (product == Product::Paired && hasA && hasB)
      continue;
    way.usesTables = true;
    way.vector = Way::none;
    for (bool alongSums : {true, false}) {
      way.alongSums = alongSums;
      size_t count = 0;
      bool isThere = false;
      for (const Axis &axis : axes) {
        count += isSummed(axis) == alongSums;
        isThere |= isSummed(axis) == alongSums && axis.stride[first] != 0;
      }
      if (count > 1 && isThere) {
        if (alongSums)
          chooseTableAxes(way);
        consider(way);
      }
    }
  }
  return best.cycles < std::numeric_limits<double>::infinity();
}
