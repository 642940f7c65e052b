//===- GridOrder.h - Assignment of tiles to blocks --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one definition of how blocks are numbered and how they share out tiles
// along K. It is written over an arithmetic, so that the same text computes
// numbers for the model and the runtime, and code for the lowering.
//
// Tiles of C are numbered too: with tilesM and tilesN of them along M and N,
// the tile (m, n) of batch entry b is number m + tilesM * (n + tilesN * b).
// Along a role with several indices, m and n are numbers in mixed radix, whose
// last index is the fastest.
//
//===----------------------------------------------------------------------===//

#ifndef TC_GPU_LAYOUT_GRIDORDER_H
#define TC_GPU_LAYOUT_GRIDORDER_H

#include "tc/Gpu/Layout/Schedule.h"

#include <algorithm>

namespace tc::model {

/// The blocks of a grid.
struct BlockGrid {
  /// Blocks along M and N, and batch entries.
  int64_t m = 1, n = 1, batches = 1;
  GridMapping mapping;

  /// M rows of a full group of the raster.
  int64_t rows() const {
    return mapping.rasterM > 0 ? std::min(mapping.rasterM, m) : m;
  }
  /// Tiles that a block computes along M and along N.
  int64_t tilesPerBlockM() const {
    return mapping.stationary == Stationary::B ? mapping.tilesPerBlock : 1;
  }
  int64_t tilesPerBlockN() const {
    return mapping.stationary == Stationary::A ? mapping.tilesPerBlock : 1;
  }
};

/// The place of a block in its grid: the part of a sum that it adds up, and its
/// coordinates among the blocks along M, N and the batch.
template <typename Value> struct BlockPlace {
  Value part, m, n, batch;
};

/// The place of a block: the parts of one sum are neighbours; then blocks go
/// down the M rows of a group, through the group's columns along N, from group
/// to group (the last may have fewer rows), and through the batch.
///
/// `Arithmetic` has `divide`, `remainder` and `multiply` by a constant, `add`
/// and `selectLess(x, bound, yes, no)`, which is `x < bound ? yes : no`.
template <typename Arithmetic, typename Value>
BlockPlace<Value> placeOfBlock(const BlockGrid &grid, Value block,
                               Arithmetic &arithmetic) {
  BlockPlace<Value> place;
  place.part = arithmetic.remainder(block, grid.mapping.splitK);
  Value rest = arithmetic.divide(block, grid.mapping.splitK);
  // Of the last digit that there is, no remainder has to be taken.
  Value inPlane =
      grid.batches == 1 ? rest : arithmetic.remainder(rest, grid.m * grid.n);
  place.batch = grid.batches == 1 ? arithmetic.remainder(rest, 1)
                                  : arithmetic.divide(rest, grid.m * grid.n);
  int64_t rows = grid.rows();
  if (rows == grid.m || grid.n == 1) {
    place.m = grid.n == 1 ? inPlane : arithmetic.remainder(inPlane, grid.m);
    place.n = grid.n == 1 ? arithmetic.remainder(inPlane, 1)
                          : arithmetic.divide(inPlane, grid.m);
    return place;
  }
  Value group = arithmetic.divide(inPlane, rows * grid.n);
  Value inGroup = arithmetic.remainder(inPlane, rows * grid.n);
  place.m = arithmetic.remainder(inGroup, rows);
  place.n = arithmetic.divide(inGroup, rows);
  if (int64_t lastRows = grid.m % rows; lastRows != 0) {
    int64_t fullGroups = grid.m / rows;
    place.m = arithmetic.selectLess(group, fullGroups, place.m,
                                    arithmetic.remainder(inGroup, lastRows));
    place.n = arithmetic.selectLess(group, fullGroups, place.n,
                                    arithmetic.divide(inGroup, lastRows));
  }
  place.m = arithmetic.add(arithmetic.multiply(group, rows), place.m);
  return place;
}

/// A run of tiles.
template <typename Value> struct TileRange {
  Value first, count;
};

/// The K tiles, of `tiles` in all, that one of `parts` parts of a sum adds up.
/// Parts differ by one tile at most, the longer ones come first.
template <typename Arithmetic, typename Value>
TileRange<Value> tilesOfPart(int64_t tiles, int64_t parts, Value part,
                             Arithmetic &arithmetic) {
  int64_t least = tiles / parts, longer = tiles % parts;
  TileRange<Value> range;
  range.first = arithmetic.multiply(part, least);
  range.count = arithmetic.constant(least);
  if (longer == 0)
    return range;
  range.first = arithmetic.add(
      range.first,
      arithmetic.selectLess(part, longer, part, arithmetic.constant(longer)));
  range.count = arithmetic.selectLess(
      part, longer, arithmetic.constant(least + 1), range.count);
  return range;
}

/// The tiles, of `tiles` along one side, that the block with coordinate `at`
/// along that side computes: `tiles_per_block`, or the rest.
template <typename Arithmetic, typename Value>
TileRange<Value> tilesOfBlock(int64_t tiles, int64_t tilesPerBlock, Value at,
                              Arithmetic &arithmetic) {
  TileRange<Value> range;
  range.first = arithmetic.multiply(at, tilesPerBlock);
  range.count = arithmetic.constant(tilesPerBlock);
  if (int64_t left = tiles % tilesPerBlock; left != 0)
    range.count = arithmetic.selectLess(at, tiles / tilesPerBlock, range.count,
                                        arithmetic.constant(left));
  return range;
}

/// The arithmetic of plain numbers.
struct IntegerArithmetic {
  int64_t constant(int64_t value) const { return value; }
  int64_t add(int64_t a, int64_t b) const { return a + b; }
  int64_t multiply(int64_t a, int64_t factor) const { return a * factor; }
  int64_t divide(int64_t a, int64_t divisor) const { return a / divisor; }
  int64_t remainder(int64_t a, int64_t divisor) const { return a % divisor; }
  int64_t selectLess(int64_t a, int64_t bound, int64_t yes, int64_t no) const {
    return a < bound ? yes : no;
  }
};

/// The place of a block, in numbers.
BlockPlace<int64_t> placeOfBlock(const BlockGrid &grid, int64_t block);

/// The number of the block at a place.
int64_t blockAtPlace(const BlockGrid &grid, const BlockPlace<int64_t> &place);

/// The numbers of the tiles of C, of which there are `tilesM` along M and
/// `tilesN` along N, that a block works on, in the order in which it does.
std::vector<int64_t> tilesOfBlock(const BlockGrid &grid, int64_t tilesM,
                                  int64_t tilesN, int64_t block);

/// The first of the blocks that work on a tile of C; those that share its sum
/// follow it.
int64_t blockOfTile(const BlockGrid &grid, int64_t tilesM, int64_t tilesN,
                    int64_t tile);

} // namespace tc::model

#endif // TC_GPU_LAYOUT_GRIDORDER_H
