//===- DirectPlan.cpp - Plans of products of elements where they lie ------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each index of C that one operand has alone is tried as columns, with rows
// where they lie and packed, in tiles of each number of vectors. The way that
// is predicted to take least is taken.
//
//===----------------------------------------------------------------------===//

#include "Direct.h"
#include "Factors.h"
#include "HostCore.h"
#include "Odometer.h"
#include "Tables.h"

#include "tc/Hierarchy/Blocks.h"
#include "tc/Machine/CpuCycles.h"
#include "tc/Support/Arithmetic.h"

#include <algorithm>
#include <limits>
#include <numeric>

using namespace tc;
using namespace tc::cpu;
using model::Tensor;

/// The most bytes of packed rows.
static constexpr int64_t mostPackedBytes = 1 << 16;

/// Reading ahead does not reach runs of less bytes that lie pages behind the
/// last one.
static constexpr int64_t lineBytes = 64, shortRunBytes = 512, pageBytes = 4096;

/// The part of the time for a line far away that is left where C's are fetched
/// ahead: measured on an AMD EPYC with AVX2.
static constexpr double fetchedAheadPart = 0.15;

/// Cycles for the elements of one value of K that a tile reads where those of
/// the next lie powers of two of bytes behind, less than a page, in both
/// operands: the few sets of the first cache that their lines share do not keep
/// them for the next tile. Measured on an AMD EPYC with AVX2.
static constexpr double evictedTermCycles = 2.5;

namespace {
/// Indices in their places, and what they take.
struct DirectWay {
  static constexpr size_t none = std::numeric_limits<size_t>::max();
  size_t rows = none, columns = none, terms = none;
  bool isPacked = false;
  int64_t vectors = 1, panels = 1, columnTiles = 1;
  double seconds = std::numeric_limits<double>::infinity();
};

class DirectPlanner {
public:
  explicit DirectPlanner(const Problem &problem) : problem(problem) {}

  bool collect();
  /// The time of multiplications alone, if vectors are full.
  double leastSeconds() const;
  bool choose();
  double seconds() const { return best.seconds; }
  void fill(DirectPlan &plan, unsigned threads) const;

private:
  void consider(DirectWay way);
  double cyclesOf(const DirectWay &way) const;
  double cyclesOfFarLines(const DirectWay &way, Tensor t) const;
  double secondsOfTraffic(const DirectWay &way) const;
  double elementsOf(Tensor t) const {
    double elements = 1;
    for (const Axis &axis : axes.axes)
      if (axis.stride[t] != 0)
        elements *= static_cast<double>(axis.extent);
    return elements;
  }
  /// Half of the second cache, in bytes, and whether a tensor has more.
  static double halfOfSecond() {
    return static_cast<double>(
               model::cacheOf(levelsOfHost(), 2).capacityBytes) /
           2;
  }
  bool isFar(Tensor t) const {
    return elementsOf(t) * static_cast<double>(elementBytes) > halfOfSecond();
  }
  bool isOfRows(const Axis &axis) const { return axis.stride[first] != 0; }
  static bool isSummed(const Axis &axis) { return axis.stride[Tensor::C] == 0; }
  int64_t extentOf(size_t axis) const {
    return axis == DirectWay::none ? 1 : axes.axes[axis].extent;
  }
  int64_t bytesOf(size_t axis, Tensor t) const {
    return axis == DirectWay::none
               ? 0
               : std::abs(axes.axes[axis].stride[t]) * elementBytes;
  }

  const Problem &problem;
  const model::CpuCosts &costs = coreOfHost().costs;
  const DirectKernels *kernels = nullptr;
  Axes axes;
  /// The operand that has the rows, and the other one.
  Tensor first = Tensor::A, second = Tensor::B;
  size_t rows = DirectWay::none;
  Real real = Real::F64;
  int64_t parts = 1, lanes = 1, elementBytes = 8, vectorBytes = 64;
  /// Values of K, and of all further indices of rows and of columns.
  int64_t terms = 1;
  double rowValues = 1, columnValues = 1;
  DirectWay best;
};
} // namespace

/// Finds the rows: elements of C lie side by side along them.
bool DirectPlanner::collect() {
  for (Tensor t : model::allTensors)
    if (problem.elementType[t] != problem.accumulatorType)
      return false;
  real = realOf(problem.accumulatorType);
  const bool isComplex = model::isComplex(problem.accumulatorType);
  const InstructionSet &set = instructionSet();
  kernels = set.findDirect(real, isComplex);
  if (!kernels)
    return false;
  std::optional<Axes> found = axesOf(problem);
  if (!found || found->axes.size() + 4 > mostAxes)
    return false;
  axes = std::move(*found);
  parts = isComplex ? 2 : 1;
  lanes = set.vectorBytes / realBytes[static_cast<unsigned>(real)];
  elementBytes = model::byteWidth(problem.accumulatorType);
  vectorBytes = set.vectorBytes;
  for (size_t i = 0; i < axes.axes.size(); ++i) {
    const Axis &axis = axes.axes[i];
    if (isSummed(axis)) {
      if (axis.extent > costs.mostDepth || terms > costs.mostDepth)
        return false;
      terms *= axis.extent;
      continue;
    }
    const bool inA = axis.stride[Tensor::A] != 0,
               inB = axis.stride[Tensor::B] != 0;
    if (axis.stride[Tensor::C] != 1 || inA == inB)
      continue;
    rows = i;
    if (inB)
      std::swap(first, second);
  }
  if (rows == DirectWay::none || terms == 1 || terms > costs.mostDepth)
    return false;
  // Larger results pass the caches elsewhere.
  if (model::passesCaches(coreOfHost(), elementsOf(Tensor::C) *
                                            static_cast<double>(elementBytes)))
    return false;
  for (size_t i = 0; i < axes.axes.size(); ++i)
    if (i != rows && !isSummed(axes.axes[i]))
      (isOfRows(axes.axes[i]) ? rowValues : columnValues) *=
          static_cast<double>(extentOf(i));
  return true;
}

double DirectPlanner::leastSeconds() const {
  return axes.products * static_cast<double>(parts * parts) /
         productsPerCycleOf(real) / coreOfHost().clockHertz;
}

/// Cycles of instructions.
double DirectPlanner::cyclesOf(const DirectWay &way) const {
  auto number = [](int64_t count) { return static_cast<double>(count); };
  const double columns = number(extentOf(way.columns)), depth = number(terms),
               panels = number(way.panels), tiles = number(way.columnTiles),
               lane = number(lanes), height = number(way.vectors) / panels,
               width = columns / tiles * number(parts);
  const double step =
      model::tileStepCycles({height * lane, width, lane,
                             productsPerCycleOf(real), costs.loadsPerCycle},
                            costs);
  const double ofTile = depth * step / costs.kernelPart +
                        costs.inPlaceTileCycles +
                        height * width / number(parts);
  const double units = rowValues * columnValues / number(extentOf(way.columns));
  double cycles = units * (costs.inPlaceTileCycles + panels * tiles * ofTile);
  if (way.isPacked) {
    // A line of the caches is read for each element.
    const bool isApart =
        std::min(bytesOf(rows, first), bytesOf(way.terms, first)) >= lineBytes;
    cycles += rowValues * (costs.skinnyTileCycles +
                           depth * number(extentOf(rows) * parts) *
                               (isApart ? costs.gatheredElementCycles
                                        : costs.movedElementCycles));
  }
  for (Tensor t : {first, second})
    cycles += cyclesOfFarLines(way, t);
  return cycles;
}

/// Cycles for short runs of elements that lie pages apart along K, which
/// nothing reads ahead.
double DirectPlanner::cyclesOfFarLines(const DirectWay &way, Tensor t) const {
  if (bytesOf(way.terms, t) < pageBytes)
    return 0;
  int64_t run = elementBytes;
  for (size_t i = 0; i < axes.axes.size(); ++i)
    if (bytesOf(i, t) != 0 && bytesOf(i, t) <= lineBytes)
      run = std::max(run, bytesOf(i, t) * extentOf(i));
  if (run >= shortRunBytes)
    return 0;
  return elementsOf(t) * static_cast<double>(elementBytes) /
         static_cast<double>(run) * costs.farLineCycles;
}

/// The part of the time for lines of the caches that is not hidden behind
/// multiplications.
double DirectPlanner::secondsOfTraffic(const DirectWay &way) const {
  constexpr int64_t line = lineBytes, page = pageBytes;
  auto number = [](int64_t count) { return static_cast<double>(count); };
  const auto firstBytes = number(
      static_cast<int64_t>(model::cacheOf(levelsOfHost(), 1).capacityBytes));
  // Lines of all values of K and those of another index.
  auto linesOf = [&](size_t axis, Tensor t) {
    int64_t count = extentOf(axis), bytes = bytesOf(axis, t),
            others = extentOf(way.terms), otherBytes = bytesOf(way.terms, t);
    if (bytes > otherBytes) {
      std::swap(bytes, otherBytes);
      std::swap(count, others);
    }
    const double along =
        std::min(number(count), number(count) * number(bytes) / line + 1);
    // Lines go on where the next ones begin.
    return number(terms / extentOf(way.terms)) *
           (otherBytes < line ? number(ceilDivide(others * otherBytes, line))
                              : number(others) * along);
  };
  // Lines that are as far apart share a set of the first cache.
  auto fits = [&](double lines, int64_t termBytes) {
    const double apart =
        termBytes < line ? 0 : number(std::gcd(termBytes, page));
    return lines * line <= firstBytes / 2 &&
           number(terms) * apart <= firstBytes;
  };
  const double units = rowValues * columnValues / number(extentOf(way.columns));
  double seconds = 0;
  auto add = [&](double lines, double from) {
    seconds += costs.panelPart * lines * line / rateFrom(from);
  };
  // Short runs of a tile, of one value of K each, from lines that the first
  // cache does not hold until they are used again.
  auto addRuns = [&](double passes, int64_t termBytes) {
    if (termBytes >= pageBytes)
      seconds += passes * number(terms) * costs.refetchedLineCycles /
                 coreOfHost().clockHertz;
  };
  // Rows of A, for each value of their further indices.
  const int64_t termOfRows =
      way.isPacked ? way.vectors * vectorBytes : bytesOf(way.terms, first);
  const double ofRows = linesOf(rows, first);
  const double panels = number(way.panels), tiles = number(way.columnTiles);
  add(rowValues * ofRows, rowValues * ofRows * line);
  const double held = way.isPacked ? number(way.vectors * terms) : ofRows;
  if (!fits(held, termOfRows)) {
    const double passes = fits(held / panels, termOfRows) ? 1 : tiles;
    add((units * passes - rowValues) * held, held * line);
    addRuns(units * passes * panels, termOfRows);
  }
  // Columns of B, again for all panels.
  const double ofColumns = linesOf(way.columns, second);
  const double ofAllColumns = elementsOf(second) / number(terms) /
                              number(extentOf(way.columns)) * ofColumns * line;
  if (ofAllColumns > firstBytes / 2)
    add(units * ofColumns, ofAllColumns);
  const int64_t termOfColumns = bytesOf(way.terms, second);
  if (!fits(ofColumns, termOfColumns)) {
    const double passes = fits(ofColumns / tiles, termOfColumns) ? 1 : panels;
    add(units * (panels - 1) * ofColumns, ofColumns * line);
    addRuns(units * passes * tiles, termOfColumns);
  }
  // Lines of both operands share sets.
  auto crowds = [&](int64_t termBytes) {
    const int64_t apart = std::gcd(termBytes, page);
    return termBytes < page && apart >= shortRunBytes &&
           number(terms * apart) > firstBytes;
  };
  if (instructionSet().isa == model::CpuIsa::AVX2 && crowds(termOfRows) &&
      crowds(termOfColumns))
    seconds += units * panels * tiles * number(terms) * evictedTermCycles /
               coreOfHost().clockHertz;
  // C is written once.
  const double bytesOfC = elementsOf(Tensor::C) * number(elementBytes);
  seconds += costs.outputPart * bytesOfC / rateFrom(bytesOfC);
  if (isFar(Tensor::C) && extentOf(rows) * elementBytes < shortRunBytes &&
      bytesOf(way.columns, Tensor::C) >= shortRunBytes)
    seconds +=
        elementsOf(Tensor::C) / number(extentOf(rows)) * costs.farLineCycles *
        (instructionSet().isa == model::CpuIsa::AVX2 ? fetchedAheadPart : 1) /
        coreOfHost().clockHertz;
  return seconds;
}

void DirectPlanner::consider(DirectWay way) {
  way.rows = rows;
  // The longest loop; packed rows are transposed along memory.
  auto isBetter = [&](size_t i) {
    if (way.terms == DirectWay::none)
      return true;
    if (way.isPacked && bytesOf(way.terms, first) == elementBytes)
      return false;
    return extentOf(i) > extentOf(way.terms) ||
           (way.isPacked && bytesOf(i, first) == elementBytes);
  };
  for (size_t i = 0; i < axes.axes.size(); ++i)
    if (isSummed(axes.axes[i]) && isBetter(i))
      way.terms = i;
  way.vectors = ceilDivide(extentOf(rows) * parts, lanes);
  if (way.isPacked && way.vectors * vectorBytes * terms > mostPackedBytes)
    return;
  for (int64_t height = 1;
       height <= std::min(way.vectors, DirectKernels::mostVectors); ++height) {
    way.panels = ceilDivide(way.vectors, height);
    if (ceilDivide(way.vectors, way.panels) != height)
      continue;
    way.columnTiles =
        ceilDivide(extentOf(way.columns), kernels->columns[height - 1]);
    way.seconds =
        cyclesOf(way) / coreOfHost().clockHertz + secondsOfTraffic(way);
    if (way.seconds < best.seconds)
      best = way;
  }
}

bool DirectPlanner::choose() {
  const bool mustPack = axes.axes[rows].stride[first] != 1;
  auto considerBoth = [&](size_t columns) {
    DirectWay way;
    way.columns = columns;
    way.isPacked = true;
    consider(way);
    way.terms = DirectWay::none;
    way.isPacked = false;
    if (!mustPack)
      consider(way);
  };
  bool hasColumns = false;
  for (size_t i = 0; i < axes.axes.size(); ++i)
    if (!isSummed(axes.axes[i]) && !isOfRows(axes.axes[i])) {
      hasColumns = true;
      considerBoth(i);
    }
  if (!hasColumns)
    considerBoth(DirectWay::none);
  return best.seconds < std::numeric_limits<double>::infinity();
}

void DirectPlanner::fill(DirectPlan &plan, unsigned threads) const {
  plan.isExchanged = first == Tensor::B;
  const model::PerTensor<Tensor> from = {{first, second, Tensor::C}};
  auto ordered = [&](const Axis &axis) {
    Axis found = axis;
    for (Tensor t : model::allTensors)
      found.stride[t] = axis.stride[from[t]];
    return found;
  };
  plan.kernels = kernels;
  plan.real = real;
  plan.parts = parts;
  plan.lanes = lanes;
  plan.elementBytes = elementBytes;
  for (Tensor t : model::allTensors) {
    plan.offset[t] = axes.offset[from[t]];
    plan.conjugates[t] = problem.conjugates[from[t]];
  }
  plan.vectors = best.vectors;
  plan.panels = best.panels;
  plan.columnTiles = best.columnTiles;
  std::vector<Dimension> sums;
  for (size_t i = 0; i < axes.axes.size(); ++i) {
    const Axis axis = ordered(axes.axes[i]);
    if (i == rows)
      plan.rows = axis;
    else if (i == best.columns)
      plan.columns = axis;
    else if (i == best.terms)
      plan.terms = axis;
    else if (isSummed(axis))
      sums.push_back(
          {axis.extent, {axis.stride[Tensor::A], axis.stride[Tensor::B]}});
    else
      (axis.stride[Tensor::A] != 0 ? plan.ofRows : plan.ofColumns)
          .push_back(axis);
  }
  plan.rowValues = countOf(plan.ofRows);
  plan.columnValues = countOf(plan.ofColumns);
  // Places of all values of K, those of the inner index first.
  const int64_t outer = countOf(sums);
  sums.insert(sums.begin(),
              {plan.terms.extent,
               {plan.terms.stride[Tensor::A], plan.terms.stride[Tensor::B]}});
  std::vector<int64_t> places[2];
  std::vector<int32_t> runs[2];
  auto fillTable = [&](const std::vector<Dimension> &dimensions,
                       int64_t count) {
    for (size_t side : {0, 1}) {
      places[side].resize(static_cast<size_t>(count));
      runs[side].resize(static_cast<size_t>(count));
    }
    cpu::fill(dimensions, {0, count},
              {{places[0].data(), places[1].data()},
               {runs[0].data(), runs[1].data()}});
  };
  fillTable(sums, terms);
  const int64_t packedTerm = plan.vectors * vectorBytes;
  for (int64_t o = 0; o < outer; ++o) {
    const auto at = static_cast<size_t>(o * plan.terms.extent);
    plan.outer.push_back({best.isPacked ? int64_t(at) * packedTerm
                                        : places[0][at] * elementBytes,
                          places[1][at] * elementBytes});
  }
  if (best.isPacked) {
    plan.pack = instructionSet().findPack(problem.accumulatorType, real,
                                          parts == 2 ? Packing::PairRows
                                                     : Packing::Plain);
    plan.packedTerm = packedTerm;
    plan.termOffsets = std::move(places[0]);
    plan.termRuns = std::move(runs[0]);
    fillTable({{plan.rows.extent, {plan.rows.stride[Tensor::A], 1}}},
              plan.rows.extent);
    plan.rowOffsets = std::move(places[0]);
    plan.rowRuns = std::move(runs[0]);
  }
  plan.prefetches = isFar(Tensor::C);
  plan.panelsInside =
      plan.prefetches && static_cast<double>(plan.rows.extent * terms *
                                             elementBytes) <= halfOfSecond();
  plan.secondsAlone = best.seconds;
  plan.wanted = threadsThatPay(plan.secondsAlone, costs.leastShareSeconds);
  plan.threads =
      std::min({plan.wanted, static_cast<int64_t>(threads), plan.units()});
  plan.seconds = plan.secondsAlone / static_cast<double>(plan.threads);
}

std::shared_ptr<const DirectPlan> cpu::planDirect(const Problem &problem,
                                                  unsigned threads,
                                                  double secondsToBeat) {
  DirectPlanner planner(problem);
  if (!planner.collect() || planner.leastSeconds() >= secondsToBeat ||
      !planner.choose() || planner.seconds() >= secondsToBeat)
    return nullptr;
  auto plan = std::make_shared<DirectPlan>();
  planner.fill(*plan, threads);
  return plan;
}
