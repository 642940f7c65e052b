//===- GridOrderTest.cpp - Tiles of each block ----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Gpu/Layout/GridOrder.h"

#include <gtest/gtest.h>

#include <set>

using namespace tc::model;

namespace {

BlockGrid gridOf(int64_t m, int64_t n, int64_t batches,
                 const GridMapping &mapping) {
  BlockGrid grid{m, n, batches, mapping};
  grid.m = (m + grid.tilesPerBlockM() - 1) / grid.tilesPerBlockM();
  grid.n = (n + grid.tilesPerBlockN() - 1) / grid.tilesPerBlockN();
  return grid;
}

TEST(GridOrder, PlainBlocksAreTiles) {
  BlockGrid grid = gridOf(3, 4, 2, {});
  for (int64_t block = 0; block < 24; ++block)
    EXPECT_EQ(tilesOfBlock(grid, 3, 4, block), std::vector<int64_t>{block});
}

TEST(GridOrder, RasterGoesThroughGroupsOfRows) {
  // Five rows in groups of two, the last of one; two columns.
  BlockGrid grid = gridOf(5, 2, 1, {2, Stationary::Output, 1, 1});
  std::vector<std::pair<int64_t, int64_t>> places;
  for (int64_t block = 0; block < 10; ++block) {
    BlockPlace<int64_t> place = placeOfBlock(grid, block);
    places.emplace_back(place.m, place.n);
  }
  using Places = decltype(places);
  EXPECT_EQ(places, (Places{{0, 0},
                            {1, 0},
                            {0, 1},
                            {1, 1},
                            {2, 0},
                            {3, 0},
                            {2, 1},
                            {3, 1},
                            {4, 0},
                            {4, 1}}));
}

TEST(GridOrder, PartsOfASumAreNeighbours) {
  BlockGrid grid = gridOf(2, 2, 1, {0, Stationary::Output, 1, 3});
  BlockPlace<int64_t> place = placeOfBlock(grid, 7);
  EXPECT_EQ(place.part, 1);
  EXPECT_EQ(place.m, 0);
  EXPECT_EQ(place.n, 1);
}

TEST(GridOrder, EveryTileIsWorkedOnByEachPartOnce) {
  for (int64_t m : {1, 2, 5, 7})
    for (int64_t n : {1, 3, 4})
      for (int64_t batches : {1, 2})
        for (int64_t raster : {0, 1, 2, 3, 5, 9})
          for (auto [stationary, tilesPerBlock] :
               {std::pair(Stationary::Output, 1), std::pair(Stationary::A, 2),
                std::pair(Stationary::B, 3)})
            for (int64_t split : {1, 4}) {
              BlockGrid grid = gridOf(
                  m, n, batches, {raster, stationary, tilesPerBlock, split});
              int64_t blocks = grid.m * grid.n * batches * split;
              std::multiset<std::pair<int64_t, int64_t>> seen;
              for (int64_t block = 0; block < blocks; ++block) {
                BlockPlace<int64_t> place = placeOfBlock(grid, block);
                EXPECT_EQ(blockAtPlace(grid, place), block);
                for (int64_t tile : tilesOfBlock(grid, m, n, block)) {
                  seen.insert({tile, place.part});
                  EXPECT_EQ(blockOfTile(grid, m, n, tile), block - place.part);
                }
              }
              ASSERT_EQ(seen.size(), size_t(m * n * batches * split));
              for (int64_t tile = 0; tile < m * n * batches; ++tile)
                for (int64_t part = 0; part < split; ++part)
                  EXPECT_EQ(seen.count({tile, part}), 1u);
            }
}

TEST(GridOrder, PartsShareOutTheTilesEvenly) {
  IntegerArithmetic arithmetic;
  for (int64_t tiles : {1, 7, 12})
    for (int64_t parts = 1; parts <= tiles; ++parts) {
      int64_t next = 0, least = tiles, most = 0;
      for (int64_t part = 0; part < parts; ++part) {
        TileRange<int64_t> range = tilesOfPart(tiles, parts, part, arithmetic);
        EXPECT_EQ(range.first, next);
        next += range.count;
        least = std::min(least, range.count);
        most = std::max(most, range.count);
      }
      EXPECT_EQ(next, tiles);
      EXPECT_LE(most - least, 1);
      EXPECT_EQ(most, (tiles + parts - 1) / parts);
    }
}

TEST(GridOrder, TheLastWalkIsShorter) {
  IntegerArithmetic arithmetic;
  EXPECT_EQ(tilesOfBlock(7, 3, int64_t(1), arithmetic).count, 3);
  EXPECT_EQ(tilesOfBlock(7, 3, int64_t(2), arithmetic).first, 6);
  EXPECT_EQ(tilesOfBlock(7, 3, int64_t(2), arithmetic).count, 1);
}

} // namespace
