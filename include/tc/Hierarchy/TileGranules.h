//===- TileGranules.h - Granules of memory in tiles -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_HIERARCHY_TILEGRANULES_H
#define TC_HIERARCHY_TILEGRANULES_H

#include "tc/Problem/Contraction.h"
#include "tc/Problem/Tile.h"

#include <array>
#include <vector>

namespace tc::model {

/// Elements of a tensor in a granule of that many bytes; at least one.
int64_t elementsPer(int64_t granuleBytes, const Contraction &contraction,
                    Tensor tensor);

/// The tiles into which dimensions cut a tensor. Those that it does not hold
/// visit the same tile again.
class TensorTiles {
public:
  TensorTiles(const Contraction &contraction, Tensor tensor,
              const std::vector<TileDim> &tileDims);

  /// The sum, over all tiles, of the distinct granules of that many bytes in
  /// the tile. Exact, unless strides make rows of a tile interleave: then each
  /// row counts for itself.
  double countGranules(int64_t granuleBytes) const;

  /// The tiles along one dimension that have the same extent.
  struct Group {
    int64_t extent; ///< of one tile
    int64_t count;  ///< tiles
    int64_t start;  ///< of the first tile, as a value of the index
    int64_t step;   ///< from one tile to the next
  };
  /// One dimension that the tensor holds, with the sign of its stride removed
  /// by counting the index from the other end.
  struct Dim {
    int64_t stride, extent;
    /// The whole tiles, if there are any, and one that is cut off.
    std::array<Group, 2> groups;
    unsigned groupCount = 0;
  };
  /// By ascending stride.
  const std::vector<Dim> &dims() const { return sorted; }
  /// The offset of the element with the least address.
  int64_t first() const { return firstElement; }
  double revisits() const { return visits; }

private:
  void addDim(const TileDim &tileDim, int64_t stride);

  int64_t elementBytes, firstElement;
  double visits = 1;
  std::vector<Dim> sorted;
};

/// `TensorTiles::countGranules` for one size of granules.
double countTileGranules(const Contraction &contraction, Tensor tensor,
                         const std::vector<TileDim> &dims,
                         int64_t granuleBytes);

} // namespace tc::model

#endif // TC_HIERARCHY_TILEGRANULES_H
