//===- Direct.cpp - Runs of products of elements where they lie -----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Direct.h"

#include "Factors.h"
#include "Odometer.h"
#include "Tables.h"

#include "tc/Support/Arithmetic.h"

#include <algorithm>
#include <cstdlib>

using namespace tc;
using namespace tc::cpu;
using model::Tensor;

namespace {
/// The arguments of a run, the operand of rows first.
struct DirectCall {
  const DirectPlan &plan;
  model::PerTensor<char *> base;
  const void *alpha, *beta;
  bool reads;
};

/// A thread's part.
class DirectTask {
public:
  DirectTask(const DirectCall &call, char *packed);
  /// Computes some of the units.
  void run(int64_t first, int64_t end);

private:
  void pack();
  void multiply(int64_t firstTile, int64_t endTile);

  const DirectCall &call;
  const DirectPlan &plan;
  char *packed;
  DirectTile tile = {};
  /// Bytes of a vector.
  const int64_t vectorBytes;
  Odometer<Axis> ofRows, ofColumns;
};
} // namespace

DirectTask::DirectTask(const DirectCall &given, char *memory)
    : call(given), plan(given.plan), packed(memory),
      vectorBytes(plan.lanes * realBytes[static_cast<unsigned>(plan.real)]),
      ofRows(plan.ofRows), ofColumns(plan.ofColumns) {
  tile.columnStep = plan.columns.stride[Tensor::B] * plan.elementBytes;
  tile.columnStepOfC = plan.columns.stride[Tensor::C] * plan.elementBytes;
  tile.terms = plan.terms.extent;
  tile.rowTerm = plan.pack ? plan.packedTerm
                           : plan.terms.stride[Tensor::A] * plan.elementBytes;
  tile.columnTerm = plan.terms.stride[Tensor::B] * plan.elementBytes;
  tile.outer = plan.outer.data();
  tile.outerTerms = static_cast<int64_t>(plan.outer.size());
  tile.alpha = call.alpha;
  tile.beta = call.beta;
  tile.reads = call.reads;
  tile.prefetches = plan.prefetches;
  tile.conjugatesRows = plan.conjugates[Tensor::A];
  tile.conjugatesColumns = plan.conjugates[Tensor::B];
}

/// Brings rows side by side.
void DirectTask::pack() {
  plan.pack(
      {call.base[Tensor::A] + ofRows.offset[Tensor::A] * plan.elementBytes,
       plan.rowOffsets.data(), plan.rowRuns.data(), plan.rows.extent,
       plan.termOffsets.data(), plan.termRuns.data(),
       static_cast<int64_t>(plan.termOffsets.size()), false},
      packed, plan.vectors * plan.lanes);
}

/// Multiplies all rows and some tiles of columns.
void DirectTask::multiply(int64_t firstTile, int64_t endTile) {
  const char *rows =
      plan.pack
          ? packed
          : call.base[Tensor::A] + ofRows.offset[Tensor::A] * plan.elementBytes;
  const char *columns = call.base[Tensor::B] + (ofRows.offset[Tensor::B] +
                                                ofColumns.offset[Tensor::B]) *
                                                   plan.elementBytes;
  char *c = call.base[Tensor::C] +
            (ofRows.offset[Tensor::C] + ofColumns.offset[Tensor::C]) *
                plan.elementBytes;
  // Parts of the same number, or of one more for the first ones.
  const int64_t width = plan.columns.extent / plan.columnTiles,
                wider = plan.columns.extent % plan.columnTiles,
                height = plan.vectors / plan.panels,
                higher = plan.vectors % plan.panels,
                last = plan.rows.extent * plan.parts -
                       (plan.vectors - 1) * plan.lanes;
  // A whole vector that begins before the end of the last one computes the same
  // numbers again. Where C is read, they must not be stored twice.
  const bool shares =
      last < plan.lanes && height > 1 && !plan.kernels->masks && !call.reads;
  auto multiplyTile = [&](int64_t panel, int64_t j) {
    const int64_t vectors = height + (panel < higher ? 1 : 0),
                  place =
                      (panel * height + std::min(panel, higher)) * vectorBytes,
                  count = width + (j < wider ? 1 : 0),
                  column = j * width + std::min(j, wider);
    tile.rows = rows + place;
    const bool isLast = panel + 1 == plan.panels;
    tile.lastRows = isLast && !shares ? last : plan.lanes;
    tile.lastShared = isLast && shares ? plan.lanes - last : 0;
    tile.columns = columns + column * tile.columnStep;
    tile.c = c + place + column * tile.columnStepOfC;
    plan.kernels->multiply[vectors - 1][count - 1](tile);
  };
  if (plan.panelsInside) {
    for (int64_t j = firstTile; j < endTile; ++j)
      for (int64_t panel = 0; panel < plan.panels; ++panel)
        multiplyTile(panel, j);
    return;
  }
  for (int64_t panel = 0; panel < plan.panels; ++panel)
    for (int64_t j = firstTile; j < endTile; ++j)
      multiplyTile(panel, j);
}

void DirectTask::run(int64_t first, int64_t end) {
  const int64_t perRows = plan.columnValues * plan.columnTiles;
  ofRows.goTo(first / perRows);
  ofColumns.goTo(first % perRows / plan.columnTiles);
  int64_t firstTile = first % plan.columnTiles;
  int64_t column = first % perRows / plan.columnTiles;
  bool isPacked = !plan.pack;
  for (int64_t unit = first; unit < end; firstTile = 0) {
    if (!isPacked)
      pack();
    const int64_t tiles = std::min(plan.columnTiles - firstTile, end - unit);
    multiply(firstTile, firstTile + tiles);
    unit += tiles;
    isPacked = true;
    if (++column < plan.columnValues) {
      ofColumns.advance();
      continue;
    }
    column = 0;
    ofColumns.goTo(0);
    ofRows.advance();
    isPacked = !plan.pack;
  }
}

Outcome DirectPlan::run(const void *a, const void *b, void *c,
                        const void *alpha, const void *beta,
                        const Team &team) const {
  if (isExchanged)
    std::swap(a, b);
  // Operands are only read through this.
  auto firstOf = [&](Tensor t, const void *pointer) {
    return static_cast<char *>(const_cast<void *>(pointer)) +
           offset[t] * elementBytes;
  };
  const DirectCall call = {
      *this,
      {{firstOf(Tensor::A, a), firstOf(Tensor::B, b), firstOf(Tensor::C, c)}},
      alpha ? alpha : oneOf(real),
      beta,
      beta && !isNumber(real, parts == 2, beta, 0)};
  const int64_t perTask =
      ceilDivide(packedTerm * static_cast<int64_t>(termOffsets.size()),
                 Pieces::line) *
      Pieces::line;
  auto runAll = [&](char *memory, int64_t most) {
    const int64_t all = units();
    team.run(threads, most, [&](int64_t number, int64_t thread) {
      DirectTask(call, memory + thread * perTask)
          .run(all * number / threads, all * (number + 1) / threads);
    });
  };
  constexpr int64_t small = 1 << 14;
  int64_t most = std::min(threads, team.size());
  if (most * perTask <= small) {
    alignas(Pieces::line) char memory[small];
    runAll(memory, most);
    return Outcome::Done;
  }
  void *memory = nullptr;
  // Fewer threads take less.
  for (; most > 0 && !memory; most = memory ? most : most / 2)
    memory = std::aligned_alloc(static_cast<size_t>(Pieces::line),
                                static_cast<size_t>(most * perTask));
  if (!memory)
    return Outcome::OutOfMemory;
  runAll(static_cast<char *>(memory), most);
  std::free(memory);
  return Outcome::Done;
}
