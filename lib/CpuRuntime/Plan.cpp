//===- Plan.cpp - Decisions ahead of a run --------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plan.h"

#include "Factors.h"
#include "HostCore.h"

#include "tc/Hierarchy/Blocks.h"
#include "tc/Machine/CpuCycles.h"
#include "tc/Support/Arithmetic.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

using namespace tc;
using namespace tc::cpu;
using model::ElementType;
using model::Tensor;

/// Puts dimensions in the order of one of their strides, and makes one of those
/// that lie behind one another in both tensors.
static void arrange(std::vector<Dimension> &dimensions, size_t by) {
  auto key = [&](const Dimension &dimension) {
    return std::make_tuple(std::abs(dimension.stride[by]),
                           std::abs(dimension.stride[1 - by]),
                           dimension.extent);
  };
  std::sort(
      dimensions.begin(), dimensions.end(),
      [&](const Dimension &a, const Dimension &b) { return key(a) < key(b); });
  size_t kept = 0;
  for (size_t i = 1; i < dimensions.size(); ++i) {
    Dimension &last = dimensions[kept];
    const Dimension &next = dimensions[i];
    if (next.stride[0] == last.extent * last.stride[0] &&
        next.stride[1] == last.extent * last.stride[1])
      last.extent *= next.extent;
    else
      dimensions[++kept] = next;
  }
  if (!dimensions.empty())
    dimensions.resize(kept + 1);
}

/// The least stride along any of the dimensions in one of the tensors.
static int64_t leastStride(const std::vector<Dimension> &dimensions,
                           size_t tensor) {
  int64_t least = std::numeric_limits<int64_t>::max();
  for (const Dimension &dimension : dimensions)
    least = std::min(least, std::abs(dimension.stride[tensor]));
  return least;
}

/// Elements that lie side by side in C, from the first row on.
static int64_t runOfRows(const std::vector<Dimension> &rows) {
  return rows.empty() || rows[0].stride[1] != 1 ? 1 : rows[0].extent;
}

/// Times `movedElementCycles` for elements that are each in a line of the
/// caches of its own, and their bytes at most: measured on an AMD EPYC with
/// AVX-512, where larger ones took no longer.
static constexpr double timesApart = 5;

/// The same for runs of less than a vector, or of complex numbers that cross
/// the end of one: measured on an AMD EPYC with AVX2.
static constexpr double timesOfShortRuns = 4;
static constexpr int64_t mostBytesApart = 8;

/// The same for complex numbers, whose parts are packed twice in rows: measured
/// on an AMD EPYC with AVX2.
static constexpr double timesOfComplex = 2.5;

bool cpu::isInside(const Index &index) {
  return index.stride == model::PerTensor<int64_t>{{1, 1, 1}};
}

namespace {
class Planner {
public:
  Planner(const Problem &problem, Plan &plan) : problem(problem), plan(plan) {}

  void distribute();
  void chooseKernel();
  void groupRows();
  void chooseBlocks();
  void shareOut(unsigned threads);

private:
  double stepCycles(const Kernel &kernel) const;
  double secondsOfShare(const Grid &grid) const;

  const Problem &problem;
  Plan &plan;
  const model::CpuCosts &costs = coreOfHost().costs;
};
} // namespace

/// Makes rows, columns, sums and batches of the indices.
void Planner::distribute() {
  plan.offset = problem.offset;
  std::vector<Dimension> ofA, ofB;
  for (const Index &given : problem.indices) {
    if (given.extent == 1)
      continue;
    Index index;
    index.extent = given.extent;
    index.stride = given.stride;
    // Turned round, so that elements of C, or else of A or B, lie forwards.
    for (Tensor t : {Tensor::C, Tensor::A, Tensor::B}) {
      if (index.stride[t] == 0)
        continue;
      if (index.stride[t] < 0)
        for (Tensor each : model::allTensors) {
          plan.offset[each] += (index.extent - 1) * index.stride[each];
          index.stride[each] = -index.stride[each];
        }
      break;
    }
    auto [a, b, c] = static_cast<std::array<int64_t, 3> &>(index.stride);
    if (c == 0)
      plan.sums.push_back({index.extent, {a, b}});
    else if (b == 0)
      ofA.push_back({index.extent, {a, c}});
    else if (a == 0)
      ofB.push_back({index.extent, {b, c}});
    else
      plan.batches.push_back(index);
  }
  bool turned = leastStride(ofB, 1) < leastStride(ofA, 1);
  plan.rowOperand = turned ? Tensor::B : Tensor::A;
  plan.rows = turned ? ofB : ofA;
  plan.columns = turned ? ofA : ofB;
  if (turned)
    for (Dimension &dimension : plan.sums)
      std::swap(dimension.stride[0], dimension.stride[1]);
  arrange(plan.rows, 1);
  arrange(plan.columns, 1);
  // Panels of columns are filled along the operand's memory: columns of C may
  // come in any order.
  auto along = std::find_if(plan.columns.begin(), plan.columns.end(),
                            [](const Dimension &dimension) {
                              return std::abs(dimension.stride[0]) == 1;
                            });
  if (along != plan.columns.end())
    std::rotate(plan.columns.begin(), along, along + 1);
  arrange(plan.sums, leastStride(plan.sums, 1) < leastStride(plan.sums, 0));
  std::sort(plan.batches.begin(), plan.batches.end(),
            [](const Index &a, const Index &b) {
              return a.stride[Tensor::C] < b.stride[Tensor::C];
            });
  plan.rowCount = countOf(plan.rows);
  plan.columnCount = countOf(plan.columns);
  plan.sumCount = countOf(plan.sums);
  plan.batchCount = countOf(plan.batches);
}

/// If elements of the rows' operand lie side by side along another index than
/// those of C, makes groups of a vector's lanes along C's, so that squares of
/// the two are transposed in registers.
void Planner::groupRows() {
  std::vector<Dimension> &rows = plan.rows;
  if (rows.size() < 2 || rows[0].stride[1] != 1 ||
      rows[0].extent % plan.lanes != 0 ||
      plan.columnCount >= costs.manyColumns || plan.isComplex ||
      problem.elementType[plan.rowOperand] != problem.accumulatorType)
    return;
  auto along = std::find_if(
      rows.begin() + 1, rows.end(),
      [](const Dimension &dimension) { return dimension.stride[0] == 1; });
  if (along == rows.end())
    return;
  std::rotate(rows.begin() + 1, along, along + 1);
  plan.groupStride = rows[0].stride[0];
  plan.packAcross = instructionSet().findPackAcross(plan.real);
  Dimension groups = {rows[0].extent / plan.lanes,
                      {rows[0].stride[0] * plan.lanes, plan.lanes}};
  rows[0].extent = plan.lanes;
  if (groups.extent > 1)
    rows.insert(std::find_if(rows.begin() + 2, rows.end(),
                             [&](const Dimension &dimension) {
                               return dimension.stride[1] > groups.stride[1];
                             }),
                groups);
}

/// Cycles for a register tile and one value of K.
double Planner::stepCycles(const Kernel &kernel) const {
  return model::tileStepCycles({static_cast<double>(kernel.rows),
                                static_cast<double>(kernel.columns),
                                static_cast<double>(plan.lanes),
                                plan.productsPerCycle, costs.loadsPerCycle},
                               costs);
}

void Planner::chooseKernel() {
  const InstructionSet &set = instructionSet();
  plan.isComplex = model::isComplex(problem.accumulatorType);
  plan.real = realOf(problem.accumulatorType);
  ElementType rowType = problem.elementType[plan.rowOperand],
              columnType = problem.elementType[plan.columnOperand()];
  Packing rowPacking = Packing::Plain, columnPacking = Packing::Plain;
  if (plan.isComplex) {
    plan.rowParts = 2;
    bool twoParts = model::isComplex(columnType);
    plan.sumParts = twoParts ? 2 : 1;
    rowPacking = twoParts ? Packing::ComplexRows : Packing::PairRows;
    columnPacking = twoParts ? Packing::ComplexColumns : Packing::Plain;
  }
  plan.lanes = set.vectorBytes / realBytes[static_cast<unsigned>(plan.real)];
  plan.packRows = set.findPack(rowType, plan.real, rowPacking);
  plan.packColumns = set.findPack(columnType, plan.real, columnPacking);
  const bool multipliesPairs = set.pairs && rowType == ElementType::BF16 &&
                               columnType == ElementType::BF16 &&
                               plan.real == Real::F32;
  if (multipliesPairs) {
    plan.stepValues = 2;
    plan.packRows = plan.packColumns = set.pairs->pack;
  }
  plan.finish = set.findFinish(problem.elementType[Tensor::C], plan.real,
                               problem.saturates);
  plan.isNarrow = problem.elementType[Tensor::C] != problem.accumulatorType;
  plan.conjugates = problem.conjugates;
  for (Tensor t : model::allTensors)
    plan.bytes[t] = model::byteWidth(problem.elementType[t]);

  groupRows();

  plan.productsPerCycle = productsPerCycleOf(plan.real);

  // The tile that takes least, with what it computes in vain.
  double least = std::numeric_limits<double>::infinity();
  int64_t rows = plan.rowCount * plan.rowParts;
  int64_t run = runOfRows(plan.rows) * plan.rowParts;
  double depth =
      static_cast<double>(std::max<int64_t>(1, plan.stepsOf(plan.sumCount)));
  for (const Kernel &kernel :
       multipliesPairs ? set.pairs->kernels
                       : set.kernels[static_cast<unsigned>(plan.real)]) {
    double cut = run % plan.lanes == 0
                     ? 0
                     : std::min(1.0, static_cast<double>(kernel.rows) /
                                         static_cast<double>(run));
    double tiles =
        static_cast<double>(ceilDivide(rows, kernel.rows)) *
        static_cast<double>(ceilDivide(plan.columnCount, kernel.columns));
    // A tile that crosses the end of a run goes through a buffer.
    int64_t columnVectors = kernel.rows / plan.lanes;
    auto vectors = static_cast<double>(columnVectors * kernel.columns);
    double chunk = static_cast<double>(plan.lanes) / costs.chunksOfCutVector;
    double store =
        vectors * (1 - cut +
                   cut * model::storeCyclesOfChunks(
                             chunk, static_cast<double>(plan.lanes), costs));
    double cycles =
        model::multiplyCycles(tiles, depth, 1, stepCycles(kernel), costs) +
        tiles * store;
    auto ofRows = static_cast<double>(kernel.rows),
         ofColumns = static_cast<double>(kernel.columns);
    cycles *= 1 + costs.loadedRowWeight / ofColumns +
              costs.loadedColumnWeight / ofRows;
    if (cycles < least) {
      least = cycles;
      plan.kernel = kernel;
    }
  }
}

void Planner::chooseBlocks() {
  const model::Hierarchy &levels = levelsOfHost();
  const model::MemoryLevel &second = model::cacheOf(levels, 2);
  const int64_t bytes = realBytes[static_cast<unsigned>(plan.real)];
  // Half of the first cache is for a panel of columns: those of rows pass
  // through.
  int64_t depth =
      model::largestBlock(model::usablePartOf(model::cacheOf(levels, 1)),
                          model::BlockSide::Depth,
                          {0, plan.kernel.columns, 0, bytes}, costs.leastDepth,
                          costs.mostDepth) *
      plan.stepValues / plan.sumParts;
  // Longer blocks of rows, which read on along the memory of their operand.
  if (plan.packAcross)
    depth = std::min(depth, costs.mostDepthAcross);
  plan.sumBlock = model::equalBlock(plan.sumCount, depth, costs.depthStep);
  model::Block block;
  block.depth = std::max<int64_t>(
      1, plan.stepsOf(std::min(plan.sumCount, plan.sumBlock)));
  block.bytes = bytes;
  auto largest = [&](const model::MemoryLevel &level, model::BlockSide side,
                     int64_t count, int64_t unit) {
    return model::largestBlock(level, side, block, unit,
                               ceilDivide(count, unit) * unit);
  };
  int64_t rowLimit = largest(second, model::BlockSide::Rows,
                             plan.rowCount * plan.rowParts, plan.kernel.rows);
  plan.rowBlock = model::equalBlock(plan.rowCount, rowLimit / plan.rowParts,
                                    plan.panelRows());
  // Blocks of columns lie in the last cache, and wait there for all blocks of
  // rows; if there is one only, they pass through the second, as does what
  // they are packed from.
  model::MemoryLevel room = second;
  if (plan.rowCount <= plan.rowBlock) {
    block.packed = model::BlockSide::Columns;
  } else {
    room = levels[levels.size() - 2];
    room.capacityBytes =
        std::max(std::min(room.capacityBytes, costs.mostColumnBytes),
                 second.capacityBytes);
  }
  int64_t columnLimit = largest(room, model::BlockSide::Columns,
                                plan.columnCount, plan.kernel.columns);
  plan.waits = plan.isNarrow && plan.sumBlock < plan.sumCount;
  // Sums that wait lie in the second cache, too.
  if (plan.waits)
    columnLimit = std::min(
        columnLimit,
        model::largestBlock(second, model::BlockSide::Columns,
                            {plan.rowBlock * plan.rowParts, 0, 0, bytes},
                            plan.kernel.columns, columnLimit));
  plan.columnBlock =
      model::equalBlock(plan.columnCount, columnLimit, plan.kernel.columns);
  double bytesOfC = static_cast<double>(plan.rowCount) *
                    static_cast<double>(plan.columnCount) *
                    static_cast<double>(plan.batchCount) *
                    static_cast<double>(plan.bytes[Tensor::C]);
  plan.streams = plan.sumBlock >= plan.sumCount &&
                 model::passesCaches(coreOfHost(), bytesOfC);
  // C is written along its memory.
  int64_t next = std::numeric_limits<int64_t>::max();
  if (!plan.rows.empty()) {
    const Dimension &first = plan.rows.front();
    if (first.extent > plan.panelRows())
      next = first.stride[1] * plan.panelRows();
    else if (plan.rows.size() > 1)
      next = plan.rows[1].stride[1];
  }
  plan.columnsInside = leastStride(plan.columns, 1) < next;
}

/// The approximate time of a thread's part.
double Planner::secondsOfShare(const Grid &grid) const {
  auto part = [](int64_t count, int64_t ways, int64_t step) {
    int64_t steps = (count + step - 1) / step;
    return static_cast<double>(
        std::min(count, (steps + ways - 1) / ways * step));
  };
  double batches = part(plan.batchCount, grid.batches, 1);
  double rows = part(plan.rowCount, grid.rows, plan.panelRows());
  double columns = part(plan.columnCount, grid.columns, plan.kernel.columns);
  double sums = static_cast<double>(plan.sumCount);
  double tiles = std::ceil(rows * static_cast<double>(plan.rowParts) /
                           static_cast<double>(plan.kernel.rows)) *
                 std::ceil(columns / static_cast<double>(plan.kernel.columns));
  double blocks = std::ceil(sums / static_cast<double>(plan.sumBlock));
  double cycles = model::multiplyCycles(
                      tiles, static_cast<double>(plan.stepsOf(plan.sumCount)),
                      blocks, stepCycles(plan.kernel), costs) +
                  costs.panelBatchCycles;
  // Elements of C of which none lie side by side are stored one by one.
  const bool isApart = plan.rowCount > 1 && leastStride(plan.rows, 1) > 1 &&
                       plan.bytes[Tensor::C] <= mostBytesApart;
  const int64_t run = runOfRows(plan.rows) * plan.rowParts;
  const bool crosses =
      plan.rowParts == 2 && run > plan.lanes && run < 2 * plan.lanes;
  const bool areShort = instructionSet().isa == model::CpuIsa::AVX2 &&
                        run > 1 && (run < plan.lanes || crosses) &&
                        (run < plan.rowCount || plan.isNarrow);
  const bool isOfBatch =
      plan.bytes[Tensor::C] <= mostBytesApart &&
      std::any_of(plan.batches.begin(), plan.batches.end(), isInside);
  // The lines of results of such a batch are in a cache already, as are those
  // of operands: with AVX2, these elements take no longer.
  const bool isNearApart =
      isOfBatch && instructionSet().isa == model::CpuIsa::AVX2;
  double moved =
      (rows + columns) * sums + rows * columns *
                                    (isApart && !isNearApart ? timesApart
                                     : areShort              ? timesOfShortRuns
                                                             : 1);
  if (isOfBatch)
    moved *= timesApart;
  if (plan.sumParts == 2 && instructionSet().isa == model::CpuIsa::AVX2)
    moved *= timesOfComplex;
  return batches * (cycles + moved * costs.movedElementCycles) /
         coreOfHost().clockHertz;
}

void Planner::shareOut(unsigned threads) {
  double alone = secondsOfShare({});
  plan.wanted = threadsThatPay(alone, costs.leastShareSeconds);
  const auto most = std::min<int64_t>(plan.wanted, threads);
  plan.secondsAlone = alone;
  double &least = plan.seconds = alone;
  for (int64_t batches = 1; batches <= std::min(most, plan.batchCount);
       ++batches)
    for (int64_t rows = 1; rows <= most / batches; ++rows) {
      Grid grid = {batches, rows, most / batches / rows};
      if (double seconds = secondsOfShare(grid); seconds < 0.99 * least) {
        least = seconds;
        plan.grid = grid;
      }
    }
}

Plan cpu::planOf(const Problem &problem, unsigned threads) {
  Plan plan;
  Planner planner(problem, plan);
  planner.distribute();
  planner.chooseKernel();
  planner.chooseBlocks();
  planner.shareOut(threads);
  return plan;
}
