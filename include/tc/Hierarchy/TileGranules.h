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

#include <vector>

namespace tc::model {

/// Elements of a tensor in a granule of that many bytes; at least one.
int64_t elementsPer(int64_t granuleBytes, const Contraction &contraction,
                    Tensor tensor);

/// The sum, over all tiles into which `dims` cut a tensor, of the distinct
/// granules of that many bytes in the tile. Dimensions that the tensor does not
/// hold visit the same tile again. Exact, unless strides make rows of a tile
/// interleave: then each row counts for itself.
double countTileGranules(const Contraction &contraction, Tensor tensor,
                         const std::vector<TileDim> &dims,
                         int64_t granuleBytes);

} // namespace tc::model

#endif // TC_HIERARCHY_TILEGRANULES_H
