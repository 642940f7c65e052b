//===- DataMovementTest.cpp - Tests of data movement ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Closed forms of Li et al., SC 2019, and loop nests that are run tile by tile.
//
//===----------------------------------------------------------------------===//

#include "Problem/TestContractions.h"

#include "tc/Hierarchy/DataMovement.h"

#include <map>

using namespace tc;
using namespace tc::model;
using namespace tc::model::test;

namespace {

constexpr PerTensor<bool> alongM = {{true, false, true}},
                          alongN = {{false, true, true}},
                          alongK = {{true, true, false}},
                          alongAll = {{true, true, true}};

/// Nests loops around a tile of so many bytes, the innermost first.
TilingLoops nest(PerTensor<double> tile,
                 const std::vector<std::pair<double, PerTensor<bool>>> &loops) {
  TilingLoops result;
  for (const auto &[trips, moves] : loops) {
    result.push_back({trips, moves, tile});
    for (Tensor tensor : allTensors)
      if (moves[tensor])
        tile[tensor] *= trips;
  }
  return result;
}

double sum(const PerTensor<double> &bytes) {
  return bytes[0] + bytes[1] + bytes[2];
}

MemoryLevel level(double capacity, int64_t ways = 0) {
  return {"L1", static_cast<int64_t>(capacity), 8, ways, 0};
}

PerTensor<double> visits(const TilingLoops &loops, const MemoryLevel &level) {
  PerTensor<double> result;
  for (Tensor tensor : allTensors)
    result[tensor] = countVisits(loops, tensor, level);
  return result;
}

using Visits = PerTensor<double>;

// Table 1: loops i, j, k with k innermost. A loop whose tile spans the extent
// makes one trip.
TEST(DataMovement, Table1) {
  const double ni = 48, nj = 60, nk = 80, ti = 8, tj = 12, tk = 10;
  struct Row {
    double ti, tj, tk;
    Visits visits;
  };
  const Row rows[] = {{ti, tj, tk, {{nj / tj, ni / ti, 1}}},
                      {ti, tj, nk, {{1, ni / ti, 1}}},
                      {ti, nj, tk, {{1, ni / ti, 1}}},
                      {ti, nj, nk, {{1, 1, 1}}},
                      {ni, tj, tk, {{nj / tj, 1, 1}}},
                      {ni, tj, nk, {{1, 1, 1}}},
                      {ni, nj, tk, {{1, 1, 1}}},
                      {ni, nj, nk, {{1, 1, 1}}}};
  for (const Row &row : rows) {
    TilingLoops loops = nest(
        {{row.ti * row.tk, row.tj * row.tk, row.ti * row.tj}},
        {{nk / row.tk, alongK}, {nj / row.tj, alongN}, {ni / row.ti, alongM}});
    EXPECT_EQ(visits(loops, level(sum(loops.front().touched))), row.visits)
        << row.ti << " " << row.tj << " " << row.tk;
  }
}

TEST(DataMovement, TheInnermostLoopDecidesWhichTensorStays) {
  const std::pair<double, PerTensor<bool>> m = {6, alongM}, n = {5, alongN},
                                           k = {8, alongK};
  PerTensor<double> tile = {{80, 120, 96}};
  MemoryLevel tight = level(sum(tile));
  EXPECT_EQ(visits(nest(tile, {n, k, m}), tight), (Visits{{1, 6, 8}}));
  EXPECT_EQ(visits(nest(tile, {m, n, k}), tight), (Visits{{5, 1, 8}}));
  // The loops of one role act as one.
  EXPECT_EQ(visits(nest(tile, {n, n, m, k}), tight), (Visits{{1, 6, 8}}));
  // Nothing stays where the tile itself does not fit.
  EXPECT_EQ(visits(nest(tile, {n, k, m}), level(sum(tile) - 1)),
            (Visits{{5, 6, 8}}));
  // No tensor is used again along a batch.
  EXPECT_EQ(visits(nest(tile, {{7, alongAll}, m}), tight), (Visits{{1, 6, 1}}));
}

// Listing 3: the loop over K walks all of A's rows; if they fit with all else
// that it touches, the loop over N finds them again.
TEST(DataMovement, WhatFitsIsReusedByTheNextLoop) {
  PerTensor<double> tile = {{80, 120, 96}};
  TilingLoops loops = nest(tile, {{8, alongK}, {5, alongN}, {6, alongM}});
  double ofK = 8 * 80 + 8 * 120 + 96;
  EXPECT_EQ(visits(loops, level(ofK))[0], 1);
  EXPECT_EQ(visits(loops, level(ofK - 1))[0], 5);
  double ofN = 8 * 80 + 5 * 8 * 120 + 5 * 96;
  EXPECT_EQ(visits(loops, level(ofN))[1], 1);
  EXPECT_EQ(visits(loops, level(ofN - 1))[1], 6);
}

// 18, 7.5 and 4.2 KiB are fewer bytes than there are, but each tensor takes
// whole ways of 4 KiB: 5, 2 and 2.
TEST(DataMovement, TensorsTakeWholeWays) {
  PerTensor<double> bytes = {{18432, 7680, 4320}};
  EXPECT_TRUE(fits(level(32768), bytes));
  EXPECT_FALSE(fits(level(32768, 8), bytes));
  bytes[0] = 16384;
  EXPECT_TRUE(fits(level(32768, 8), bytes));
  EXPECT_FALSE(fits(level(28384), {{28384, 0, 1}}));
  // The outermost level is without limit.
  EXPECT_TRUE(fits(level(0), {{1e18, 1e18, 1e18}}));
}

TEST(DataMovement, TheLargestThatFits) {
  auto ofCount = [](int64_t count) {
    return PerTensor<double>{{8.0 * static_cast<double>(count), 100, 0}};
  };
  EXPECT_EQ(largestThatFits(level(1000), 1, 1000000, ofCount), 112);
  EXPECT_EQ(largestThatFits(level(1000), 1, 50, ofCount), 50);
  EXPECT_EQ(largestThatFits(level(1000), 200, 1000, ofCount), 200);
  EXPECT_EQ(largestThatFits(level(1000), 7, 3, ofCount), 7);
}

// Of 21 visits to L1, L2 serves 14 and L3 six; at first, all comes from memory.
TEST(DataMovement, EachVisitIsServedByTheInnermostLevelThatHasIt) {
  TilingLoops loops = nest(
      {{10, 10, 10}},
      {{2, alongM}, {3, alongN}, {5, alongK}, {7, alongN}, {11, alongAll}});
  // One trip of each loop touches 30, 50, 110, 310 and 990.
  Hierarchy hierarchy = {{"registers", 1, 1, 0, 0},
                         {"L1", 30, 1, 0, 1},
                         {"L2", 110, 1, 0, 8},
                         {"L3", 310, 1, 0, 4},
                         {"memory", 0, 1, 0, 2}};
  EXPECT_EQ(countVisits(loops, Tensor::A, hierarchy[1]), 21);
  EXPECT_EQ(countVisits(loops, Tensor::A, hierarchy[2]), 7);
  EXPECT_EQ(countVisits(loops, Tensor::A, hierarchy[3]), 1);
  EXPECT_EQ(secondsToFetch(hierarchy, loops, Tensor::A, 100, 4),
            14 * 100 / 8.0 + 6 * 100 / 4.0 + 100 / 2.0);
  // The second cache serves the rest if all of it lies there.
  EXPECT_EQ(secondsToFetch(hierarchy, loops, Tensor::A, 100, 2),
            21 * 100 / 8.0);
  EXPECT_EQ(secondsToFetch(hierarchy, loops, Tensor::A, 100, 1), 0);
  EXPECT_EQ(secondsToFetch(hierarchy, {}, Tensor::A, 100, 4), 100 / 2.0);
}

/// Runs loops and counts how often a tensor's tile differs from the one before.
class TileWalk {
public:
  explicit TileWalk(const TilingLoops &loops)
      : loops(loops), trips(loops.size()) {
    run(loops.size());
  }
  /// Tiles that were brought in, for each that there is.
  Visits visits() const {
    Visits result;
    for (Tensor tensor : allTensors)
      result[tensor] =
          brought[tensor] / static_cast<double>(seen[tensor].size());
    return result;
  }

private:
  void run(size_t depth) {
    if (depth == 0)
      return visit();
    for (trips[depth - 1] = 0; trips[depth - 1] < loops[depth - 1].trips;
         ++trips[depth - 1])
      run(depth - 1);
  }
  void visit() {
    for (Tensor tensor : allTensors) {
      std::vector<int> tile;
      for (size_t i = 0; i < loops.size(); ++i)
        if (loops[i].moves[tensor])
          tile.push_back(trips[i]);
      ++seen[tensor][tile];
      if (!present[tensor] || *present[tensor] != tile)
        ++brought[tensor];
      present[tensor] = std::move(tile);
    }
  }

  const TilingLoops &loops;
  std::vector<int> trips;
  PerTensor<double> brought = {};
  PerTensor<std::map<std::vector<int>, int>> seen;
  PerTensor<std::optional<std::vector<int>>> present;
};

TEST(DataMovement, AgreesWithLoopsThatAreRun) {
  std::mt19937 random(20261125);
  const PerTensor<bool> roles[] = {alongM, alongN, alongK, alongAll};
  for (unsigned trial = 0; trial < 500; ++trial) {
    std::vector<std::pair<double, PerTensor<bool>>> around(
        static_cast<size_t>(uniform(random, 0, 6)));
    for (auto &[trips, moves] : around) {
      trips = static_cast<double>(uniform(random, 1, 4));
      moves = roles[uniform(random, 0, 3)];
    }
    PerTensor<double> tile;
    for (double &bytes : tile)
      bytes = static_cast<double>(uniform(random, 1, 9));
    TilingLoops loops = nest(tile, around);
    EXPECT_EQ(visits(loops, level(sum(tile))), TileWalk(loops).visits())
        << "trial " << trial;
  }
}

} // namespace
