//===- Blocks.h - Blocks of panels that fill levels of memory ---*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The largest blocks of packed panels, as in BLIS, that lie in caches of a CPU.
// Both code that is generated for a contraction and kernels that are compiled
// ahead of time get theirs here: what they put into a cache beside a block is
// their own.
//
//===----------------------------------------------------------------------===//

#ifndef TC_HIERARCHY_BLOCKS_H
#define TC_HIERARCHY_BLOCKS_H

#include "tc/Hierarchy/DataMovement.h"

#include <optional>

namespace tc::model {

/// Half of a level. It is what blocks are made for where other data passes
/// through the same cache and evicts some of them before all is full, as pages
/// lie anywhere.
MemoryLevel usablePartOf(MemoryLevel level);

/// The levels of a CPU that blocks are made for, as all cores that share a
/// cache may work at the same time: the usable part of those behind the first.
Hierarchy blockHierarchy(const CpuTarget &target);

/// The cache of that number, from one, or the last one if there are fewer.
const MemoryLevel &cacheOf(const Hierarchy &hierarchy, size_t number);

/// Returns true if a result of so many bytes may be stored past the caches of a
/// CPU where it is not read: they would not hold it until it is.
bool passesCaches(const CpuTarget &target, double bytes);

/// The side along which a block grows.
enum class BlockSide : std::uint8_t { Rows, Columns, Depth };

/// The panels that lie in a level at the same time: of `rows` and of `columns`,
/// both for `depth` values of K, and the sums that they add up to.
struct Block {
  int64_t rows = 0, columns = 0, depth = 0;
  /// Of an element in a panel.
  int64_t bytes = 1;
  bool hasSums = true;
  /// The side, rows or columns, whose panels are being packed: their source
  /// passes through the level, too.
  std::optional<BlockSide> packed = std::nullopt;
};

/// Of rows, in the place of A, of columns, in that of B, and of sums; whichever
/// inputs these are.
PerTensor<double> bytesOf(const Block &block);

/// The largest extent along a side, from `least` to `most`, with which a block
/// fits a level; `least` itself if nothing larger does.
int64_t largestBlock(const MemoryLevel &level, BlockSide side, Block block,
                     int64_t least, int64_t most);

/// The extent of blocks, in whole units, that cut an extent in as few as a
/// limit of at least one unit allows, as equal as possible.
int64_t equalBlock(int64_t extent, int64_t limit, int64_t unit);

} // namespace tc::model

#endif // TC_HIERARCHY_BLOCKS_H
