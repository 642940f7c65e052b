//===- SkinnyTask.h - One task of sums that are read once -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CPURUNTIME_SKINNYTASK_H
#define TC_LIB_CPURUNTIME_SKINNYTASK_H

#include "Odometer.h"
#include "Skinny.h"
#include "Tables.h"

#include "tc/Support/Arithmetic.h"

#include <algorithm>
#include <array>

namespace tc::cpu {

/// The memory of one task.
struct SkinnyMemory {
  Table vectors, results;
  int64_t *columnOffsets;
  /// Tiles of the operands that are brought, and sums.
  std::array<char *, 2> tiles;
  char *totals, *lost, *sums;
  /// Real numbers between columns of sums.
  int64_t pitch;

  SkinnyMemory(const SkinnyPlan &plan, Pieces &pieces) {
    const int64_t bytes = realBytes[static_cast<unsigned>(plan.real)];
    const int64_t volume = plan.vectorBlock * plan.lineBlock;
    const int64_t rows = plan.alongSums ? plan.rowBlock : plan.vectorBlock;
    if (plan.usesTables())
      vectors.take(pieces, plan.vectorBlock);
    results.take(pieces, rows);
    columnOffsets = pieces.take<int64_t>(plan.columnBlock);
    auto take = [&](bool isThere, int64_t elements) {
      return pieces.take<char>(isThere ? elements * plan.parts * bytes : 0);
    };
    tiles[0] = take(!plan.isInPlace[0], volume * plan.rowGroup);
    tiles[1] = take(!plan.isInPlace[1],
                    volume * std::max(plan.rowGroup, plan.columnBlock));
    pitch = ceilDivide(rows * plan.parts, plan.lanes) * plan.lanes;
    const int64_t ofSums = pitch * plan.columnBlock * bytes;
    totals = pieces.take<char>(ofSums);
    lost = pieces.take<char>(plan.hasFewSums ? 0 : ofSums);
    // Few products are added up in the totals themselves.
    sums = plan.hasFewSums ? totals
                           : pieces.take<char>(plan.alongSums ? 0 : ofSums);
  }
};

/// The arguments of a run.
struct SkinnyCall {
  const SkinnyPlan &plan;
  /// The operands, the first one first, and C.
  model::PerTensor<char *> base;
  const void *alpha, *beta, *factor;
  bool reads;
  /// True if C is the sums themselves.
  bool isPlain = false;
};

/// One task: blocks of C, or a part of the sums of one.
class SkinnyTask {
public:
  SkinnyTask(const SkinnyCall &call, char *memory);

  /// Adds up some tiles of a block.
  void addUp(int64_t block, Interval tiles);
  /// Adds up what is added up already for the same block by parts.
  void addUpParts(int64_t block, char *all);
  /// Brings sums to C.
  void finish();
  /// The sums, of which there are `plan.sumBytes`.
  const char *sums() const { return memory.totals; }
  void settle() {
    if (!plan.hasFewSums)
      plan.kernels.settle({memory.totals, memory.lost, nullptr, ofSums()});
  }

private:
  int64_t ofSums() const { return memory.pitch * columns; }
  void enter(int64_t block);
  void fillVectors(int64_t first, int64_t count);
  void dot(const model::PerTensor<int64_t> &offset, int64_t count,
           int64_t lines);
  void addLines(const model::PerTensor<int64_t> &offset, int64_t count,
                int64_t lines);
  void flush();
  char *at(size_t operand, int64_t offset) const {
    auto t = static_cast<model::Tensor>(operand);
    return call.base[t] + offset * plan.bytes[t];
  }
  void bring(size_t operand, int64_t offset, int64_t count, int64_t lines,
             int64_t place) const;
  void bringColumns(int64_t offset, int64_t count, int64_t lines) const;

  const SkinnyCall &call;
  const SkinnyPlan &plan;
  Pieces pieces;
  SkinnyMemory memory;
  const int64_t bytes;
  /// True if sums are added up where they belong in C.
  const bool isDirect;
  Odometer<Axis> results, summed;
  /// The values of the block of C that is added up, and the vectors that the
  /// table has.
  int64_t rows = 0, columns = 0, vectorsAt = -1;
  /// The block's number; none precedes the first one.
  int64_t blockAt = -2;
  /// Products that sums have had since they were zero.
  int64_t inSums = 0;
};

} // namespace tc::cpu

#endif // TC_LIB_CPURUNTIME_SKINNYTASK_H
