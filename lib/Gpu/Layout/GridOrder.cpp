//===- GridOrder.cpp - Assignment of tiles to blocks ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The definition in numbers, and the way back from a tile to its blocks.
//
//===----------------------------------------------------------------------===//

#include "tc/Gpu/Layout/GridOrder.h"

namespace tc::model {

BlockPlace<int64_t> placeOfBlock(const BlockGrid &grid, int64_t block) {
  IntegerArithmetic arithmetic;
  return placeOfBlock(grid, block, arithmetic);
}

int64_t blockAtPlace(const BlockGrid &grid, const BlockPlace<int64_t> &place) {
  int64_t rows = grid.rows(), group = place.m / rows;
  int64_t rowsOfGroup = std::min(rows, grid.m - group * rows);
  int64_t inPlane =
      group * rows * grid.n + place.n * rowsOfGroup + (place.m - group * rows);
  return (place.batch * grid.m * grid.n + inPlane) * grid.mapping.splitK +
         place.part;
}

std::vector<int64_t> tilesOfBlock(const BlockGrid &grid, int64_t tilesM,
                                  int64_t tilesN, int64_t block) {
  IntegerArithmetic arithmetic;
  BlockPlace<int64_t> place = placeOfBlock(grid, block);
  TileRange<int64_t> m =
      tilesOfBlock(tilesM, grid.tilesPerBlockM(), place.m, arithmetic);
  TileRange<int64_t> n =
      tilesOfBlock(tilesN, grid.tilesPerBlockN(), place.n, arithmetic);
  std::vector<int64_t> tiles;
  for (int64_t tileN = n.first; tileN < n.first + n.count; ++tileN)
    for (int64_t tileM = m.first; tileM < m.first + m.count; ++tileM)
      tiles.push_back(tileM + tilesM * (tileN + tilesN * place.batch));
  return tiles;
}

int64_t blockOfTile(const BlockGrid &grid, int64_t tilesM, int64_t tilesN,
                    int64_t tile) {
  return blockAtPlace(grid, {0, tile % tilesM / grid.tilesPerBlockM(),
                             tile / tilesM % tilesN / grid.tilesPerBlockN(),
                             tile / (tilesM * tilesN)});
}

} // namespace tc::model
