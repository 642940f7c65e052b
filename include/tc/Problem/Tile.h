//===- Tile.h - Tiles along indices -----------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles of either machine along the indices of a contraction.
//
//===----------------------------------------------------------------------===//

#ifndef TC_PROBLEM_TILE_H
#define TC_PROBLEM_TILE_H

#include <cstdint>
#include <string>
#include <vector>

namespace tc::model {

/// The extent of a tile along one index.
struct TileExtent {
  std::string label;
  int64_t extent = 1;

  bool operator==(const TileExtent &other) const {
    return label == other.label && extent == other.extent;
  }
};

/// The product of the extents; saturates instead of overflowing.
int64_t extentsProduct(const std::vector<TileExtent> &tiles);

/// One index as a tile cuts it.
struct TileDim {
  unsigned index = 0; ///< position in Contraction::indices
  int64_t extent = 1; ///< of the tensor along the index
  int64_t tile = 1;   ///< of the tile along the index
  /// Distance by which a step along the index adds to the position: the product
  /// of the tiles that vary faster in the schedule's list.
  int64_t sharedTileStride = 1;
  /// Values of the index between neighbours, where a copy walks an index in two
  /// parts.
  int64_t step = 1;
  /// Number that the extent is a multiple of, where it is known at launch only
  /// and `extent` is representative; zero where it is known.
  int64_t multiple = 0;

  /// Tiles that cover the extent.
  int64_t tiles() const { return (extent + tile - 1) / tile; }
  /// True if that number is known to divide the extent.
  bool isDivisibleBy(int64_t number) const {
    return (multiple ? multiple : extent) % number == 0;
  }
  /// True if the last tile may be cut off by the extent.
  bool ragged() const { return !isDivisibleBy(tile * step); }
};

} // namespace tc::model

#endif // TC_PROBLEM_TILE_H
