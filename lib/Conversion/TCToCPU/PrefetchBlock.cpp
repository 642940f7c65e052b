//===- PrefetchBlock.cpp - The cache lines of a block ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// While the macro-kernel multiplies, memory is idle; so the micro-kernel
// fetches the lines of the block that is packed next. Where they lie, relative
// to the block's first element, is the same for all blocks and stands in a
// table.
//
//===----------------------------------------------------------------------===//

#include "CpuBlock.h"

#include <cstdlib>
#include <functional>

using namespace tc;
using namespace tc::cpu;
using model::CpuIndex;

LineWalk cpu::walkLines(const model::CpuLayout &layout,
                        const model::CpuSide &side, int64_t lineElements) {
  /// What a table may hold, so that it leaves room to the panels.
  constexpr int64_t mostLines = 1 << 14;
  LineWalk walk;
  walk.count = 1;
  bool hasStrideOne = false;
  auto addIndices = [&](ArrayRef<CpuIndex> indices) {
    for (const CpuIndex &index : indices) {
      int64_t stride = index.stride[side.input], count = index.tile;
      if (count == 1 || stride == 0)
        continue;
      if (stride == 1) {
        hasStrideOne = true;
        stride = lineElements;
        count = (count + lineElements - 1) / lineElements;
      }
      walk.steps.push_back({count, stride});
      walk.count *= count;
    }
  };
  addIndices(side.indices);
  addIndices(layout.k);
  if (!hasStrideOne || walk.count > mostLines)
    return {};
  llvm::sort(walk.steps, [](const LineWalk::Step &a, const LineWalk::Step &b) {
    return std::abs(a.stride) > std::abs(b.stride);
  });
  return walk;
}

void cpu::buildLineOffsets(Emitter &emit, const LineWalk &walk, Value table) {
  std::function<void(size_t, Value, Value)> nest = [&](size_t i, Value number,
                                                       Value offset) {
    if (i == walk.steps.size())
      return emit.store(offset, table, number);
    const LineWalk::Step &step = walk.steps[i];
    emit.loop(emit.constant(step.count), [&](Value iteration) {
      nest(i + 1, emit.add(emit.mul(number, step.count), iteration),
           emit.add(offset, emit.mul(iteration, step.stride)));
    });
  };
  nest(0, emit.constant(0), emit.constant(0));
}
