//===- Skinny.cpp - Products with few columns -----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products of matrices and vectors, dot products, and others of whose operands
// one has few rows: the other one is read once, where it lies.
//
//===----------------------------------------------------------------------===//

#include "Tables.h"

#include <algorithm>
#include <cstring>

using namespace tc;
using namespace tc::cpu;
using model::Tensor;

/// Rows and values of K of a block.
static constexpr int64_t mostRows = 2048, mostSums = 4096;

namespace {
struct SkinnyMemory {
  int64_t rowBlock, sumBlock;
  Table rows, columns, sums;
  char *factors, *totals;

  SkinnyMemory(const Plan &plan, Pieces &pieces)
      : rowBlock(std::min(mostRows, plan.rowCount)),
        sumBlock(std::clamp<int64_t>(plan.sumCount, 1, mostSums)) {
    rows.take(pieces, rowBlock);
    columns.take(pieces, plan.columnCount);
    sums.take(pieces, sumBlock);
    const int64_t bytes = realBytes[static_cast<unsigned>(plan.real)];
    factors = pieces.take<char>(plan.columnCount * sumBlock * bytes);
    totals = pieces.take<char>(plan.columnCount * rowBlock * bytes);
  }
};
} // namespace

int64_t cpu::bytesOfSkinnyTask(const Plan &plan) {
  Pieces pieces(nullptr);
  SkinnyMemory memory(plan, pieces);
  return pieces.size();
}

void cpu::runSkinnyTask(const Call &call, char *memory, Interval batches,
                        Interval rows) {
  const Plan &plan = call.plan;
  Pieces pieces(memory);
  SkinnyMemory parts(plan, pieces);
  const int64_t bytes = realBytes[static_cast<unsigned>(plan.real)];
  const int64_t columns = plan.columnCount;
  fill(plan.columns, {0, columns}, parts.columns);
  const bool isEven = plan.sums.size() == 1 && plan.sumCount > 0;
  if (isEven)
    fill(plan.sums, {0, parts.sumBlock}, parts.sums);
  // The beginnings of the rows and the factors that are there already, and the
  // number of factors.
  int64_t rowsAt = -1, sumsAt = -1, factorsOf = -1, packed = 0;
  Dimension along = plan.sums.empty() ? Dimension() : plan.sums.front();
  // A sum of nothing is still one.
  along.extent = std::max<int64_t>(along.extent, 1);
  const bool arePairs = along.stride[0] == 2 && along.extent >= plan.lanes &&
                        !plan.rows.empty() && plan.rows[0].stride[0] == 1 &&
                        plan.rows[0].extent % 2 == 0;
  for (int64_t batch = batches.first; batch < batches.first + batches.count;
       ++batch) {
    const model::PerTensor<char *> base = basesOf(call, batch);
    forBlocks(rows, parts.rowBlock, [&](Interval block) {
      if (rowsAt != block.first)
        fill(plan.rows, block, parts.rows);
      rowsAt = block.first;
      std::memset(parts.totals, 0,
                  static_cast<size_t>(columns * parts.rowBlock * bytes));
      forBlocks({0, plan.sumCount}, parts.sumBlock, [&](Interval sums) {
        // Along one index, all blocks are like the first.
        int64_t moved[2] = {};
        if (isEven)
          for (size_t side = 0; side < 2; ++side)
            moved[side] = sums.first * plan.sums[0].stride[side];
        if (!isEven && sumsAt != sums.first)
          fill(plan.sums, sums, parts.sums);
        const bool repeats =
            isEven && plan.sums[0].stride[1] == 0 && sums.count <= packed;
        bool isPacked = (sumsAt == sums.first || repeats) && factorsOf == batch;
        if (!isPacked)
          packed = sums.count;
        sumsAt = sums.first;
        factorsOf = batch;
        for (int64_t j = 0; j < columns; ++j) {
          char *factors = parts.factors + j * parts.sumBlock * bytes;
          const Tensor columnOperand = plan.columnOperand();
          if (!isPacked)
            plan.packColumns(
                {base[columnOperand] + moved[1] * plan.bytes[columnOperand],
                 parts.columns.offsets[0] + j, parts.columns.runs[0] + j, 1,
                 parts.sums.offsets[1], parts.sums.runs[1], sums.count, false},
                factors, 1);
          plan.addUp(
              {base[plan.rowOperand] + moved[0] * plan.bytes[plan.rowOperand],
               parts.rows.offsets[0], parts.rows.runs[0], block.count,
               parts.sums.offsets[0], parts.sums.runs[0], sums.count, factors,
               parts.totals + j * parts.rowBlock * bytes, arePairs,
               along.extent - sums.first % along.extent, along.extent});
        }
      });
      plan.finish({parts.totals, parts.rowBlock, base[Tensor::C],
                   parts.rows.offsets[1], parts.rows.runs[1], block.count,
                   parts.columns.offsets[1], columns, call.alpha, call.beta,
                   call.reads});
    });
  }
}
