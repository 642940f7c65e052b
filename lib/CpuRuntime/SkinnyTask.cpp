//===- SkinnyTask.cpp - Tiles of sums that are read once ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block of C is added up tile by tile: of vectors, lines, rows and columns.
// Long sums are those of tiles, which are added up without loss.
//
//===----------------------------------------------------------------------===//

#include "SkinnyTask.h"

#include "Factors.h"

#include "tc/Support/Arithmetic.h"

#include <algorithm>
#include <cstring>

using namespace tc;
using namespace tc::cpu;
using model::Tensor;

SkinnyTask::SkinnyTask(const SkinnyCall &call, char *given)
    : call(call), plan(call.plan), pieces(given), memory(plan, pieces),
      bytes(realBytes[static_cast<unsigned>(plan.real)]),
      isDirect(plan.mayBeDirect && call.isPlain), results(plan.resultBlockAxes),
      summed(plan.tileAxes) {
  for (int64_t j = 0; j < plan.columnBlock; ++j)
    memory.columnOffsets[j] = j * plan.columns.stride[Tensor::C];
  if (!plan.alongSums && plan.usesTables())
    return;
  const Axis &row = plan.alongSums ? plan.rows : plan.vectors.front();
  const int64_t stride = row.stride[Tensor::C],
                count = plan.alongSums ? plan.rowBlock : plan.vectorBlock;
  for (int64_t i = 0; i < count; ++i) {
    memory.results.offsets[0][i] = i * stride;
    memory.results.runs[0][i] =
        stride == 1 ? static_cast<int32_t>(count - i) : 1;
  }
}

/// Finds out where the values of a block of vectors are.
void SkinnyTask::fillVectors(int64_t first, int64_t count) {
  if (!plan.usesTables() || vectorsAt == first)
    return;
  vectorsAt = first;
  fill(plan.vectorDimensions, {first, count}, memory.vectors);
  if (!plan.alongSums)
    fill(plan.resultDimensions, {first, count}, memory.results);
}

/// Brings a tile of an operand to its buffer, behind `place` elements.
void SkinnyTask::bring(size_t operand, int64_t offset, int64_t count,
                       int64_t lines, int64_t place) const {
  const auto t = static_cast<Tensor>(operand);
  const Axis &line = plan.lines;
  char *to = memory.tiles[operand] + place * plan.parts * bytes;
  const int64_t lineBytes = count * plan.parts * bytes;
  const char *from = at(operand, offset);
  if (plan.usesTables()) {
    const int64_t none = 0;
    const int32_t alone = 1;
    for (int64_t i = 0; i < lines; ++i)
      plan.gather[operand]({from + i * line.stride[t] * plan.bytes[t], &none,
                            &alone, 1, memory.vectors.offsets[operand],
                            memory.vectors.runs[operand], count, false},
                           to + i * lineBytes, plan.parts);
    return;
  }
  const int64_t along = plan.vectors.front().stride[t], across = line.stride[t];
  if (plan.product == Product::Paired && !plan.isComplex[t]) {
    // Real numbers lie twice side by side.
    for (int64_t i = 0; i < lines; ++i)
      plan.load[operand](
          {from + i * across * plan.bytes[t], 0, along, 2, count, false, false},
          to + i * lineBytes);
    return;
  }
  plan.load[operand]({from, along, across, count, lines,
                      std::abs(across) < std::abs(along) && lines > 1, false},
                     to);
}

/// Brings the tile of each column of the second operand.
void SkinnyTask::bringColumns(int64_t offset, int64_t count,
                              int64_t lines) const {
  for (int64_t j = 0; j < columns; ++j)
    bring(1, offset + j * plan.columns.stride[Tensor::B], count, lines,
          j * count * lines);
}

/// Adds products up whose vectors go along sums.
void SkinnyTask::dot(const model::PerTensor<int64_t> &offset, int64_t count,
                     int64_t lines) {
  const int64_t volume = count * lines;
  DotTile tile = {};
  tile.count = count;
  tile.lines = lines;
  tile.pitch = memory.pitch / plan.parts;
  tile.conjugatesA = plan.conjugates[Tensor::A];
  tile.conjugatesB = plan.conjugates[Tensor::B];
  tile.isOnly = plan.hasFewSums;
  tile.columns = columns;
  tile.stepA = plan.isInPlace[0] ? plan.vectors.front().stride[Tensor::A] : 1;
  tile.lineA = plan.isInPlace[0] ? plan.lines.stride[Tensor::A] : count;
  tile.rowA = plan.isInPlace[0] ? plan.rows.stride[Tensor::A] : volume;
  const int64_t rowB = plan.rows.stride[Tensor::B];
  const bool isRowByRow = plan.hasSecond && rowB != 0;
  if (plan.hasSecond) {
    const bool isInPlace = plan.isInPlace[1];
    tile.stepB = isInPlace ? plan.vectors.front().stride[Tensor::B] : 1;
    tile.lineB = isInPlace ? plan.lines.stride[Tensor::B] : count;
    tile.columnB = isInPlace ? plan.columns.stride[Tensor::B] : volume;
    tile.rowB = !isRowByRow ? 0 : isInPlace ? rowB : volume;
    tile.b = memory.tiles[1];
    if (!isRowByRow && !isInPlace)
      bringColumns(offset[Tensor::B], count, lines);
  }
  const bool isWhole = plan.isInPlace[0] && (!isRowByRow || plan.isInPlace[1]);
  const int64_t group = isWhole ? rows : plan.rowGroup;
  for (int64_t i = 0; i < rows; i += group) {
    tile.rows = std::min(group, rows - i);
    const int64_t firstA = offset[Tensor::A] + i * plan.rows.stride[Tensor::A],
                  firstB = offset[Tensor::B] + i * rowB;
    tile.a = plan.isInPlace[0] ? at(0, firstA) : memory.tiles[0];
    for (int64_t r = 0; r < tile.rows && !plan.isInPlace[0]; ++r)
      bring(0, firstA + r * plan.rows.stride[Tensor::A], count, lines,
            r * volume);
    if (plan.hasSecond && plan.isInPlace[1])
      tile.b = at(1, firstB);
    for (int64_t r = 0; r < tile.rows && isRowByRow && !plan.isInPlace[1]; ++r)
      bring(1, firstB + r * rowB, count, lines, r * volume);
    tile.totals = memory.totals + i * plan.parts * bytes;
    tile.lost = memory.lost + i * plan.parts * bytes;
    plan.kernels.dot[static_cast<unsigned>(plan.product)](tile);
  }
}

/// Adds products up whose vectors go along C.
void SkinnyTask::addLines(const model::PerTensor<int64_t> &offset,
                          int64_t count, int64_t lines) {
  AddTile tile = {};
  tile.count = count;
  tile.lines = lines;
  tile.columns = columns;
  tile.pitch =
      isDirect ? plan.columns.stride[Tensor::C] : memory.pitch / plan.parts;
  tile.sums = isDirect ? at(2, offset[Tensor::C]) : memory.sums;
  tile.sets = inSums == 0;
  tile.isPadded = !isDirect;
  tile.conjugatesA = plan.conjugates[Tensor::A];
  tile.conjugatesB = plan.conjugates[Tensor::B];
  tile.a = plan.isInPlace[0] ? at(0, offset[Tensor::A]) : memory.tiles[0];
  tile.lineA = plan.isInPlace[0] ? plan.lines.stride[Tensor::A] : count;
  if (!plan.isInPlace[0])
    bring(0, offset[Tensor::A], count, lines, 0);
  tile.multiplies = plan.hasSecond;
  tile.scales = true;
  for (const Axis &axis : plan.vectors)
    tile.scales &= !plan.hasSecond || axis.stride[Tensor::B] == 0;
  // One for all lines.
  tile.b = plan.one;
  const int64_t columnB = plan.columns.stride[Tensor::B];
  if (plan.hasSecond && plan.isInPlace[1]) {
    tile.b = at(1, offset[Tensor::B]);
    tile.lineB = plan.lines.stride[Tensor::B];
    tile.columnB = columnB;
  } else if (plan.hasSecond && !tile.scales) {
    tile.lineB = count;
    tile.columnB = count * lines;
    tile.b = memory.tiles[1];
    bringColumns(offset[Tensor::B], count, lines);
  } else if (plan.hasSecond) {
    // The number of each line.
    tile.lineB = 1;
    tile.columnB = lines;
    const int64_t lineB = plan.lines.stride[Tensor::B];
    const bool isPaired =
        plan.product == Product::Paired && !plan.isComplex[Tensor::B];
    for (int64_t j = 0; j < columns; ++j) {
      const char *from = at(1, offset[Tensor::B] + j * columnB);
      char *to = memory.tiles[1] + j * lines * plan.parts * bytes;
      if (isPaired)
        plan.load[1]({from, 0, lineB, 2, lines, false, false}, to);
      else
        plan.load[1]({from, lineB, 0, lines, 1, false, false}, to);
    }
    tile.b = memory.tiles[1];
  }
  plan.kernels.addLines[static_cast<unsigned>(plan.product)](tile);
  inSums += lines;
  if (inSums >= SkinnyPlan::mostInSums && !plan.hasFewSums)
    flush();
}

void SkinnyTask::flush() {
  if (inSums > 0)
    plan.kernels.addToTotals(
        {memory.totals, memory.lost, memory.sums, ofSums()});
  inSums = 0;
}

/// Goes to a block of C, which is the next one as a rule.
void SkinnyTask::enter(int64_t block) {
  if (block == blockAt + 1)
    results.advance();
  else
    results.goTo(block);
  blockAt = block;
  columns =
      std::min(plan.columnBlock,
               plan.columns.extent - results.valueOf(0) * plan.columnBlock);
  const int64_t first =
      plan.alongSums ? results.valueOf(1) * plan.rowBlock
                     : results.valueOf(plan.vectorAxis) * plan.vectorBlock;
  rows = plan.alongSums
             ? std::min(plan.rowBlock, plan.rows.extent - first)
             : std::min(plan.vectorBlock, plan.vectorCount() - first);
  if (!plan.alongSums)
    fillVectors(first, rows);
  if (!plan.hasFewSums) {
    const auto size = static_cast<size_t>(ofSums() * bytes);
    std::memset(memory.totals, 0, size);
    std::memset(memory.lost, 0, size);
  }
  inSums = 0;
}

void SkinnyTask::addUp(int64_t block, Interval tiles) {
  enter(block);
  summed.goTo(tiles.first);
  for (int64_t tile = 0; tile < tiles.count; ++tile, summed.advance()) {
    model::PerTensor<int64_t> offset;
    for (Tensor t : model::allTensors)
      offset[t] = results.offset[t] + summed.offset[t];
    const int64_t lines = std::min(
        plan.lineBlock, plan.lines.extent - summed.valueOf(0) * plan.lineBlock);
    if (!plan.alongSums) {
      addLines(offset, rows, lines);
      continue;
    }
    const int64_t first = summed.valueOf(1) * plan.vectorBlock;
    const int64_t count =
        std::min(plan.vectorBlock, plan.vectorCount() - first);
    fillVectors(first, count);
    dot(offset, count, lines);
  }
  if (!plan.alongSums && !plan.hasFewSums)
    flush();
}

void SkinnyTask::addUpParts(int64_t block, char *all) {
  enter(block);
  for (int64_t i = 0; i < plan.sumParts; ++i)
    plan.kernels.addToTotals(
        {memory.totals, memory.lost, all + i * plan.sumBytes, ofSums()});
}

void SkinnyTask::finish() {
  if (isDirect)
    return;
  settle();
  const bool conjugates =
      plan.product == Product::Paired && plan.conjugates[Tensor::A];
  if (call.factor || conjugates)
    plan.kernels.scale[plan.parts - 1](
        {memory.totals, ofSums() / plan.parts, conjugates, call.factor});
  plan.finish(
      {memory.totals, memory.pitch,
       call.base[Tensor::C] + results.offset[Tensor::C] * plan.bytes[Tensor::C],
       memory.results.offsets[0], memory.results.runs[0], rows,
       memory.columnOffsets, columns, call.alpha, call.beta, call.reads});
}
