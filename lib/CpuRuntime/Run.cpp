//===- Run.cpp - Loops around the micro-kernels ---------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The five loops of Goto and van de Geijn, "Anatomy of High-Performance Matrix
// Multiplication" (ACM TOMS 34, 2008), whose rows, columns and values of K lie
// where tables of offsets say: Matthews, "High-Performance Tensor Contraction
// without Transposition" (SIAM J. Sci. Comput. 40, 2018).
//
//===----------------------------------------------------------------------===//

#include "Copy.h"
#include "Direct.h"
#include "Elementwise.h"
#include "Factors.h"
#include "OperandSums.h"
#include "Skinny.h"
#include "Tables.h"
#include "tc/CpuRuntime/Team.h"
#include "tc/Support/Arithmetic.h"

#include <algorithm>
#include <atomic>
#include <complex>
#include <cstdlib>
#include <new>

using namespace tc;
using namespace tc::cpu;
using model::Tensor;

namespace {

/// The most that a part of a range has, which is cut in so many ways in
/// multiples of `step`.
int64_t largestPart(int64_t count, int64_t ways, int64_t step) {
  return ceilDivide(ceilDivide(count, step), ways) * step;
}

/// The memory of one task.
struct Memory {
  Table rows, columns, sums;
  /// Offsets in C of vectors of rows and of columns, in real numbers; those
  /// within a buffered tile; and whether the vectors of a panel of rows are
  /// each side by side, and make whole cache lines if C begins one.
  int64_t *vectorRows, *realColumns, *tileRows, *tileColumns;
  enum InPlace : char { No, Vectors, Lines };
  InPlace *inPlace;
  /// For each panel, true if its columns each begin a whole number of cache
  /// lines behind C's first element.
  bool *columnLines;
  char *rowPanels, *columnPanels, *waiting, *tile;
  /// Rows and columns of the largest block of a task.
  int64_t rowsHeld, columnsHeld;

  Memory(const Plan &plan, Pieces &pieces) {
    const int64_t bytes = realBytes[static_cast<unsigned>(plan.real)];
    int64_t sumBlock = std::min(plan.sumBlock, plan.sumCount);
    rowsHeld =
        std::min(plan.rowBlock,
                 largestPart(plan.rowCount, plan.grid.rows, plan.panelRows()));
    columnsHeld = std::min(
        plan.columnBlock,
        largestPart(plan.columnCount, plan.grid.columns, plan.kernel.columns));
    rows.take(pieces, rowsHeld);
    columns.take(pieces, columnsHeld);
    sums.take(pieces, sumBlock);
    realColumns = pieces.take<int64_t>(columnsHeld);
    vectorRows = pieces.take<int64_t>(rowsHeld * plan.rowParts / plan.lanes);
    tileRows = pieces.take<int64_t>(plan.kernel.rows / plan.lanes);
    tileColumns = pieces.take<int64_t>(plan.kernel.columns);
    inPlace = pieces.take<InPlace>(rowsHeld / plan.panelRows());
    columnLines = pieces.take<bool>(columnsHeld / plan.kernel.columns);
    int64_t steps = plan.stepsOf(sumBlock);
    int64_t rowsOfPanels = rowsHeld * plan.rowParts;
    rowPanels = pieces.take<char>(
        (plan.packsByPanel() ? plan.kernel.rows : rowsOfPanels) * steps *
        bytes);
    columnPanels = pieces.take<char>(columnsHeld * steps * bytes);
    tile = pieces.take<char>(plan.kernel.rows * plan.kernel.columns * bytes);
    waiting =
        pieces.take<char>(plan.waits ? rowsOfPanels * columnsHeld * bytes : 0);
  }
};

} // namespace

namespace {

/// One task: a part of the rows, columns and batches.
class Task {
public:
  Task(const Call &call, char *memory)
      : call(call), plan(call.plan), pieces(memory), memory(plan, pieces),
        bytes(realBytes[static_cast<unsigned>(plan.real)]),
        one(oneOf(plan.real)) {
    for (int64_t j = 0; j < plan.kernel.columns; ++j)
      this->memory.tileColumns[j] = j * plan.kernel.rows;
    for (int64_t v = 0; v < plan.kernel.rows / plan.lanes; ++v)
      this->memory.tileRows[v] = v * plan.lanes;
  }

  void run(Interval batches, Interval rows, Interval columns);

private:
  void runBatch(Interval rows, Interval columns);
  void describeRows(Interval rows);
  void packRows(Interval rows, Interval sums);
  void packPanel(int64_t row, int64_t rows, int64_t depthOfK);
  /// The panel of a block's rows.
  char *panelOf(int64_t row) const {
    return memory.rowPanels +
           (plan.packsByPanel() ? 0 : row * plan.rowParts * depth * bytes);
  }
  void packColumns(Interval columns, Interval sums);
  void multiply(Interval rows, Interval columns, Interval sums);
  void multiplyTile(int64_t row, int64_t rows, int64_t column, int64_t columns,
                    Interval sums);
  bool isLines(int64_t numbers) const {
    return numbers * bytes % Pieces::line == 0;
  }
  const int64_t *vectorsOf(int64_t row) const {
    return memory.vectorRows + row * plan.rowParts / plan.lanes;
  }
  std::optional<Store> storeInPlace(int64_t row, int64_t column,
                                    bool reads) const;

  const Call &call;
  const Plan &plan;
  Pieces pieces;
  Memory memory;
  int64_t bytes;
  const void *one;
  model::PerTensor<char *> base = {};
  /// True if C's first element begins a cache line.
  bool beginsLine = false;
  /// Steps of a kernel along the panels.
  int64_t depth = 0;
  /// The beginning of each table and panel, if it is filled.
  int64_t rowsAt = -1, columnsAt = -1, sumsAt = -1;
  std::pair<int64_t, int64_t> rowPanelsAt = {-1, -1}, columnPanelsAt = {-1, -1};
};

} // namespace

/// Finds out where vectors of rows of C are.
void Task::describeRows(Interval rows) {
  const Table &table = memory.rows;
  const int64_t height = plan.panelRows(), step = plan.lanes / plan.rowParts;
  int64_t *vector = memory.vectorRows;
  for (int64_t i = 0, panel = 0; i < rows.count; i += height, ++panel) {
    bool isFull = i + height <= rows.count && step > 0;
    bool areLines = table.runs[1][i] >= height ? isLines(plan.kernel.rows)
                                               : isLines(plan.lanes);
    Memory::InPlace &how = memory.inPlace[panel];
    how = isFull ? Memory::Vectors : Memory::No;
    for (int64_t row = i; isFull && row < i + height; row += step) {
      *vector = table.offsets[1][row] * plan.rowParts;
      areLines &= isLines(*vector) || (row > i && table.runs[1][i] >= height);
      if (table.runs[1][row] < step)
        how = Memory::No;
      ++vector;
    }
    if (how == Memory::Vectors && areLines)
      how = Memory::Lines;
    if (!isFull)
      vector += plan.kernel.rows / plan.lanes;
  }
}

void Task::packRows(Interval rows, Interval sums) {
  if (rowPanelsAt == std::make_pair(rows.first, sums.first))
    return;
  rowPanelsAt = {rows.first, sums.first};
  const Table &table = memory.rows;
  if (plan.packAcross)
    return plan.packAcross(
        {base[plan.rowOperand], table.offsets[0], table.runs[0], rows.count,
         memory.sums.offsets[0], memory.sums.runs[0], sums.count, false},
        plan.groupStride, memory.rowPanels, plan.kernel.rows);
  for (int64_t i = 0; i < rows.count; i += plan.panelRows())
    packPanel(i, rows.count, sums.count);
}

/// Fills the panel that begins with a row of a block of so many.
void Task::packPanel(int64_t row, int64_t rows, int64_t depthOfK) {
  plan.packRows({base[plan.rowOperand], memory.rows.offsets[0] + row,
                 memory.rows.runs[0] + row,
                 std::min(plan.panelRows(), rows - row), memory.sums.offsets[0],
                 memory.sums.runs[0], depthOfK,
                 plan.conjugates[plan.rowOperand]},
                panelOf(row), plan.kernel.rows);
}

void Task::packColumns(Interval columns, Interval sums) {
  if (columnPanelsAt == std::make_pair(columns.first, sums.first))
    return;
  columnPanelsAt = {columns.first, sums.first};
  const Table &table = memory.columns;
  char *panel = memory.columnPanels;
  const int64_t width = plan.kernel.columns;
  for (int64_t j = 0; j < columns.count; j += width) {
    PanelSource source = {base[plan.columnOperand()],
                          table.offsets[0] + j,
                          table.runs[0] + j,
                          std::min(width, columns.count - j),
                          memory.sums.offsets[1],
                          memory.sums.runs[1],
                          sums.count,
                          plan.conjugates[plan.columnOperand()]};
    plan.packColumns(source, panel, width);
    panel += width * depth * bytes;
  }
}

/// The store of a full tile whose rows lie side by side in C; none if C's
/// elements are converted, or factors are complex.
std::optional<Store> Task::storeInPlace(int64_t row, int64_t column,
                                        bool reads) const {
  Memory::InPlace how = memory.inPlace[row / plan.panelRows()];
  if (plan.isNarrow || !call.isReal || how == Memory::No)
    return std::nullopt;
  if (reads)
    return Store::Update;
  // Lines go past the caches as a whole.
  return plan.streams && beginsLine && how == Memory::Lines &&
                 memory.columnLines[column / plan.kernel.columns]
             ? Store::Stream
             : Store::Set;
}

void Task::multiplyTile(int64_t row, int64_t rows, int64_t column,
                        int64_t columns, Interval sums) {
  const bool isFirst = sums.first == 0;
  const bool isLast = sums.first + sums.count >= plan.sumCount;
  const char *a = panelOf(row);
  const char *b = memory.columnPanels + column * depth * bytes;
  const Kernel &kernel = plan.kernel;
  TileStore store = {nullptr, nullptr, memory.tileRows, memory.tileColumns,
                     one,     nullptr, Store::Set};
  if (plan.waits) {
    int64_t tile = column * memory.rowsHeld + row * kernel.columns;
    char *place = memory.waiting + tile * plan.rowParts * bytes;
    store.waiting = isFirst ? nullptr : place;
    store.c = place;
    if (!isLast)
      return kernel.multiply(depth, a, b, store);
  }
  const bool reads = plan.waits ? call.reads : call.reads || !isFirst;
  const void *beta = plan.waits || isFirst ? call.beta : one;
  if (rows == plan.panelRows() && columns == kernel.columns)
    if (std::optional<Store> kind = storeInPlace(row, column, reads)) {
      store.c = base[Tensor::C];
      store.rows = vectorsOf(row);
      store.columns = memory.realColumns + column;
      store.alpha = call.alpha;
      store.beta = beta;
      store.store = *kind;
      return kernel.multiply(depth, a, b, store);
    }
  store.c = memory.tile;
  kernel.multiply(depth, a, b, store);
  plan.finish({memory.tile, kernel.rows, base[Tensor::C],
               memory.rows.offsets[1] + row, memory.rows.runs[1] + row, rows,
               memory.columns.offsets[1] + column, columns, call.alpha, beta,
               reads});
}

void Task::multiply(Interval rows, Interval columns, Interval sums) {
  const int64_t height = plan.panelRows(), width = plan.kernel.columns;
  auto tile = [&](int64_t i, int64_t j) {
    multiplyTile(i, std::min(height, rows.count - i), j,
                 std::min(width, columns.count - j), sums);
  };
  if (plan.packsByPanel()) {
    for (int64_t i = 0; i < rows.count; i += height) {
      packPanel(i, rows.count, sums.count);
      tile(i, 0);
    }
    return;
  }
  if (plan.columnsInside) {
    for (int64_t i = 0; i < rows.count; i += height)
      for (int64_t j = 0; j < columns.count; j += width)
        tile(i, j);
    return;
  }
  for (int64_t j = 0; j < columns.count; j += width)
    for (int64_t i = 0; i < rows.count; i += height)
      tile(i, j);
}

void Task::runBatch(Interval rows, Interval columns) {
  rowPanelsAt = columnPanelsAt = {-1, -1};
  auto fillOnce = [](const std::vector<Dimension> &dimensions, Interval range,
                     const Table &table, int64_t &at) {
    if (at != range.first)
      fill(dimensions, range, table);
    at = range.first;
  };
  const Interval allSums = {0, plan.sumCount};
  forBlocks(columns, plan.columnBlock, [&](Interval columnBlock) {
    bool isNew = columnsAt != columnBlock.first;
    fillOnce(plan.columns, columnBlock, memory.columns, columnsAt);
    if (isNew)
      for (int64_t j = 0; j < columnBlock.count; ++j)
        memory.realColumns[j] = memory.columns.offsets[1][j] * plan.rowParts;
    for (int64_t j = 0; isNew && j < columnBlock.count; ++j) {
      bool &areLines = memory.columnLines[j / plan.kernel.columns];
      areLines = (j % plan.kernel.columns == 0 || areLines) &&
                 isLines(memory.realColumns[j]);
    }
    auto multiplyBlock = [&](Interval rowBlock, Interval sums) {
      if (rowsAt != rowBlock.first) {
        fill(plan.rows, rowBlock, memory.rows);
        describeRows(rowBlock);
        rowsAt = rowBlock.first;
      }
      fillOnce(plan.sums, sums, memory.sums, sumsAt);
      depth = plan.stepsOf(sums.count);
      packColumns(columnBlock, sums);
      if (!plan.packsByPanel())
        packRows(rowBlock, sums);
      multiply(rowBlock, columnBlock, sums);
    };
    if (plan.waits)
      forBlocks(rows, plan.rowBlock, [&](Interval rowBlock) {
        forBlocks(allSums, plan.sumBlock,
                  [&](Interval sums) { multiplyBlock(rowBlock, sums); });
      });
    else
      forBlocks(allSums, plan.sumBlock, [&](Interval sums) {
        forBlocks(rows, plan.rowBlock,
                  [&](Interval rowBlock) { multiplyBlock(rowBlock, sums); });
      });
  });
}

void Task::run(Interval batches, Interval rows, Interval columns) {
  for (int64_t i = 0; i < batches.count; ++i) {
    base = basesOf(call, batches.first + i);
    beginsLine =
        reinterpret_cast<uint64_t>(base[Tensor::C]) % Pieces::line == 0;
    runBatch(rows, columns);
  }
  // Stores past the caches are seen by others after this.
  if (plan.streams)
    std::atomic_thread_fence(std::memory_order_seq_cst);
}

/// The part of a range that is `number` of `ways`, in multiples of `step`.
static Interval partOf(int64_t count, int64_t ways, int64_t number,
                       int64_t step) {
  int64_t steps = (count + step - 1) / step;
  int64_t first = std::min(count, steps * number / ways * step);
  return {first, std::min(count, steps * (number + 1) / ways * step) - first};
}

/// The memory of one task of a plan.
static int64_t bytesOfTask(const Plan &plan) {
  Pieces pieces(nullptr);
  Memory sizes(plan, pieces);
  return pieces.size();
}

/// Does all tasks of a plan, by threads that each have memory for one.
static void runPlan(const Call &call, char *memory, const Team &team,
                    int64_t threads) {
  const Plan &plan = call.plan;
  const Grid &grid = plan.grid;
  const int64_t perTask = bytesOfTask(plan);
  team.run(grid.count(), threads, [&](int64_t number, int64_t thread) {
    int64_t ofRows = number / grid.batches % grid.rows,
            ofColumns = number / grid.batches / grid.rows;
    Interval rows = partOf(plan.rowCount, grid.rows, ofRows, plan.panelRows());
    Interval columns =
        partOf(plan.columnCount, grid.columns, ofColumns, plan.kernel.columns);
    Interval batches =
        partOf(plan.batchCount, grid.batches, number % grid.batches, 1);
    if (rows.count != 0 && columns.count != 0)
      Task(call, memory + thread * perTask).run(batches, rows, columns);
  });
}

Outcome Contraction::run(const void *a, const void *b, void *c,
                         const void *alpha, const void *beta) const {
  return wanted <= 1 ? runBy(Team(), a, b, c, alpha, beta)
                     : runShared(a, b, c, alpha, beta);
}

/// Runs it by several threads, or by fewer that there are at the moment.
Outcome Contraction::runShared(const void *a, const void *b, void *c,
                               const void *alpha, const void *beta) const {
  Team team(wanted, again ? Ask::Free : Ask::All);
  if (again && team.size() != planned) {
    // Another number of parts would pack more than that many threads need.
    try {
      const Contraction other(*again, static_cast<unsigned>(team.size()));
      team.shrink(other.threads());
      return other.runBy(team, a, b, c, alpha, beta);
    } catch (const std::bad_alloc &) {
      return Outcome::OutOfMemory;
    }
  }
  team.shrink(threads());
  return runBy(team, a, b, c, alpha, beta);
}

Outcome Contraction::runBy(const Team &team, const void *a, const void *b,
                           void *c, const void *alpha, const void *beta) const {
  const Real real = realOf(sums);
  const bool isComplex = model::isComplex(sums);
  const bool reads = beta && !isNumber(real, isComplex, beta, 0);
  if (copy && (!alpha || isNumber(real, isComplex, alpha, 1)) && !reads &&
      copy->applies(b)) {
    copy->run(a, c, team);
    return Outcome::Done;
  }
  if (elementwise) {
    elementwise->run(a, b, reads ? c : nullptr, c, alpha, beta, team);
    return Outcome::Done;
  }
  if (skinny)
    return skinny->run(a, b, c, alpha, beta, team);
  if (direct)
    return direct->run(a, b, c, alpha, beta, team);
  if (operandSums)
    return operandSums->run(a, b, c, alpha, beta);
  auto bytesFor = [&](int64_t threads) {
    int64_t bytes = 0;
    for (const Plan &plan : plans)
      if (!plan.isEmpty())
        bytes = std::max(bytes, std::min(threads, plan.grid.count()) *
                                    bytesOfTask(plan));
    return bytes;
  };
  int64_t threads = std::min<int64_t>(this->threads(), team.size());
  auto runAll = [&](char *memory) {
    for (const Plan &plan : plans) {
      if (plan.isEmpty())
        continue;
      const void *factor = alpha ? alpha : oneOf(plan.real);
      // Operands are only read through this.
      auto firstOf = [&](Tensor t, const void *pointer) {
        return static_cast<char *>(const_cast<void *>(pointer)) +
               plan.offset[t] * plan.bytes[t];
      };
      runPlan({plan,
               {{firstOf(Tensor::A, a), firstOf(Tensor::B, b),
                 firstOf(Tensor::C, c)}},
               factor,
               beta,
               reads,
               isReal(real, isComplex, factor) &&
                   (!reads || isReal(real, isComplex, beta))},
              memory, team, threads);
    }
  };
  // A small problem's panels are on the stack.
  constexpr int64_t small = 1 << 14;
  if (bytesFor(threads) <= small) {
    alignas(Pieces::line) char memory[small];
    runAll(memory);
    return Outcome::Done;
  }
  void *memory = nullptr;
  // Fewer threads take less.
  for (; threads > 0 && !memory; threads = memory ? threads : threads / 2)
    memory = std::aligned_alloc(static_cast<size_t>(Pieces::line),
                                static_cast<size_t>(bytesFor(threads)));
  if (!memory)
    return Outcome::OutOfMemory;
  runAll(static_cast<char *>(memory));
  std::free(memory);
  return Outcome::Done;
}
