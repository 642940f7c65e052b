//===- Blocks.cpp - Blocks of panels that fill levels of memory -----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Hierarchy/Blocks.h"

#include "tc/Machine/CpuTarget.h"
#include "tc/Support/Arithmetic.h"

#include <algorithm>

namespace tc::model {

MemoryLevel usablePartOf(MemoryLevel level) {
  constexpr double usablePart = 0.5;
  level.capacityBytes = static_cast<int64_t>(
      usablePart * static_cast<double>(level.capacityBytes));
  return level;
}

Hierarchy blockHierarchy(const CpuTarget &target) {
  Hierarchy hierarchy = memoryHierarchy(target, target.cores);
  for (size_t level = 2; level < hierarchy.size(); ++level)
    hierarchy[level] = usablePartOf(std::move(hierarchy[level]));
  return hierarchy;
}

const MemoryLevel &cacheOf(const Hierarchy &hierarchy, size_t number) {
  // Registers come before them, and memory behind.
  return hierarchy[std::min(number, hierarchy.size() - 2)];
}

bool passesCaches(const CpuTarget &target, double bytes) {
  const auto second = static_cast<double>(
      cacheOf(memoryHierarchy(target, target.cores), 2).capacityBytes);
  return bytes > target.costs.streamedCaches * second;
}

PerTensor<double> bytesOf(const Block &block) {
  auto product = [&](int64_t a, int64_t b) {
    return static_cast<double>(a) * static_cast<double>(b) *
           static_cast<double>(block.bytes);
  };
  PerTensor<double> bytes = {
      {product(block.rows, block.depth), product(block.columns, block.depth),
       block.hasSums ? product(block.rows, block.columns) : 0}};
  if (block.packed)
    bytes[*block.packed == BlockSide::Rows ? Tensor::A : Tensor::B] *= 2;
  return bytes;
}

int64_t largestBlock(const MemoryLevel &level, BlockSide side, Block block,
                     int64_t least, int64_t most) {
  int64_t &extent = side == BlockSide::Rows      ? block.rows
                    : side == BlockSide::Columns ? block.columns
                                                 : block.depth;
  return largestThatFits(level, least, most, [&](int64_t count) {
    extent = count;
    return bytesOf(block);
  });
}

int64_t equalBlock(int64_t extent, int64_t limit, int64_t unit) {
  extent = std::max<int64_t>(extent, 1);
  int64_t blocks = ceilDivide(extent, limit / unit * unit);
  return ceilDivide(ceilDivide(extent, blocks), unit) * unit;
}

} // namespace tc::model
