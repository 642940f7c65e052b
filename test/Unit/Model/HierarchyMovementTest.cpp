//===- HierarchyMovementTest.cpp - Tests of data movement -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Closed forms of the paper, and loop nests that are run tile by tile.
//
//===----------------------------------------------------------------------===//

#include "TestUtils.h"

#include "tc/Hierarchy/HierarchyMovement.h"

#include <algorithm>
#include <map>

using namespace tc;
using namespace tc::model;
using namespace tc::model::test;

namespace {

/// Positions of the indices of C[i, j] += A[i, k] * B[k, j].
enum : unsigned { I = 0, J = 1, K = 2 };

Contraction product(int64_t i, int64_t j, int64_t k) {
  return contract("ik", "kj", "ij", {{"i", i}, {"j", j}, {"k", k}});
}

/// Levels that hold just the schedule's tiles, with lines of one element.
Hierarchy tightHierarchy(const Contraction &contraction,
                         const HierarchySchedule &schedule) {
  Hierarchy hierarchy;
  for (unsigned level = 0; level < schedule.levels.size(); ++level) {
    PerTensor<double> tile = footprint(contraction, schedule, level);
    hierarchy.push_back(
        {"L" + std::to_string(level + 1),
         static_cast<int64_t>(8 * (tile[0] + tile[1] + tile[2])), 8, 0, 1});
  }
  hierarchy.push_back({"memory", 0, 8, 0, 1});
  return hierarchy;
}

std::vector<LevelMovement> move(const Contraction &contraction,
                                const HierarchySchedule &schedule) {
  Hierarchy hierarchy = tightHierarchy(contraction, schedule);
  Result<HierarchyCost> cost =
      estimateCost(contraction, hierarchy, schedule, OutputTraffic::Once);
  if (!cost) {
    ADD_FAILURE() << cost.error();
    return std::vector<LevelMovement>(schedule.levels.size());
  }
  return cost->levels;
}

PerTensor<double> moveOneLevel(const Contraction &contraction,
                               std::vector<int64_t> tile, unsigned innermost) {
  return move(contraction, {{{std::move(tile), innermost}}, std::nullopt, {}})
      .front()
      .elements;
}

// Table 1: loops i, j, k with k innermost. Where a tile spans an extent, the
// rows of the loops j2 and k2 are those of i2 with Ti1 = Ni (and Tj1 = Nj).
TEST(HierarchyMovement, Table1) {
  const double Ni = 48, Nj = 60, Nk = 80, Ti = 8, Tj = 12, Tk = 10;
  Contraction contraction = product(Ni, Nj, Nk);
  struct Row {
    double ti, tj, tk;
    PerTensor<double> moved;
  };
  const Row rows[] = {
      {Ti, Tj, Tk, {{Ni * Nk * Nj / Tj, Nj * Nk * Ni / Ti, Ni * Nj}}},
      {Ti, Tj, Nk, {{Ni * Nk, Nj * Nk * Ni / Ti, Ni * Nj}}},
      {Ti, Nj, Tk, {{Ni * Nk * Nj / Nj, Nj * Nk * Ni / Ti, Ni * Nj}}},
      {Ti, Nj, Nk, {{Ni * Nk, Nj * Nk, Ni * Nj}}},
      {Ni, Tj, Tk, {{Ni * Nk * Nj / Tj, Nj * Nk * Ni / Ni, Ni * Nj}}},
      {Ni, Tj, Nk, {{Ni * Nk, Nj * Nk, Ni * Nj}}},
      {Ni, Nj, Tk, {{Ni * Nk, Nj * Nk, Ni * Nj}}},
      {Ni, Nj, Nk, {{Ni * Nk, Nj * Nk, Ni * Nj}}},
  };
  for (const Row &row : rows)
    EXPECT_EQ(moveOneLevel(contraction,
                           {static_cast<int64_t>(row.ti),
                            static_cast<int64_t>(row.tj),
                            static_cast<int64_t>(row.tk)},
                           K),
              row.moved)
        << row.ti << " " << row.tj << " " << row.tk;
  // The rows of the loop i1: the tile alone.
  EXPECT_EQ(moveOneLevel(product(Ti, Tj, Tk),
                         {static_cast<int64_t>(Ti), static_cast<int64_t>(Tj),
                          static_cast<int64_t>(Tk)},
                         K),
            (PerTensor<double>{{Ti * Tk, Tj * Tk, Ti * Tj}}));
}

TEST(HierarchyMovement, TheInnermostLoopDecidesWhichTensorStays) {
  const double Ni = 48, Nj = 60, Nk = 80, Ti = 8, Tj = 12, Tk = 10;
  Contraction contraction = product(Ni, Nj, Nk);
  std::vector<int64_t> tile = {8, 12, 10};
  EXPECT_EQ(
      moveOneLevel(contraction, tile, J),
      (PerTensor<double>{{Ni * Nk, Nj * Nk * Ni / Ti, Ni * Nj * Nk / Tk}}));
  EXPECT_EQ(
      moveOneLevel(contraction, tile, I),
      (PerTensor<double>{{Ni * Nk * Nj / Tj, Nj * Nk, Ni * Nj * Nk / Tk}}));
}

TEST(HierarchyMovement, WhatFitsIsReusedByTheNextLoop) {
  // Listing 3: k2 walks all of A's rows; if they fit with all else that k2
  // touches, j2 finds them again.
  Contraction contraction = product(48, 60, 80);
  HierarchySchedule schedule{{{{8, 12, 10}, K}}, std::nullopt, {}};
  int64_t touched = 8 * (8 * 80 + 80 * 12 + 8 * 12);
  Hierarchy hierarchy = {{"L1", touched, 8, 0, 0}, {"memory", 0, 8, 0, 1}};
  EXPECT_EQ(countMovement(contraction, hierarchy, schedule)[0].elements[0],
            48 * 80);
  hierarchy[0].capacityBytes -= 8;
  EXPECT_EQ(countMovement(contraction, hierarchy, schedule)[0].elements[0],
            48 * 80 * (60 / 12));
  // The second loop's data, all of j, must fit for B to stay over i2.
  hierarchy[0].capacityBytes = 8 * (8 * 80 + 80 * 60 + 8 * 60);
  EXPECT_EQ(countMovement(contraction, hierarchy, schedule)[0].elements[1],
            60 * 80);
  hierarchy[0].capacityBytes -= 8;
  EXPECT_EQ(countMovement(contraction, hierarchy, schedule)[0].elements[1],
            60 * 80 * (48 / 8));
}

TEST(HierarchyMovement, RolesOfSeveralIndicesStayTogether) {
  // With c innermost, the loop over d follows: A, which has neither, stays.
  Contraction contraction =
      contract("aebf", "dfce", "abcd",
               {{"a", 8}, {"b", 8}, {"c", 8}, {"d", 8}, {"e", 8}, {"f", 8}});
  unsigned c = *contraction.find("c");
  std::vector<int64_t> tile(6, 2);
  PerTensor<double> moved = moveOneLevel(contraction, tile, c);
  double elements = 8 * 8 * 8 * 8;
  EXPECT_EQ(moved,
            (PerTensor<double>{{elements, elements * 16, elements * 16}}));
}

TEST(HierarchyMovement, InnerLevelsSeeAllOuterLoops) {
  // Two levels, C stationary in both. C enters the inner level once for each
  // tile of k of the outer level.
  const double Ni = 96, Nj = 96, Nk = 96;
  Contraction contraction = product(96, 96, 96);
  HierarchySchedule schedule{
      {{{4, 6, 2}, K}, {{24, 12, 16}, K}}, std::nullopt, {}};
  std::vector<LevelMovement> moved = move(contraction, schedule);
  EXPECT_EQ(moved[0].elements,
            (PerTensor<double>{
                {Ni * Nk * Nj / 6, Nj * Nk * Ni / 4, Ni * Nj * Nk / 16}}));
  EXPECT_EQ(
      moved[1].elements,
      (PerTensor<double>{{Ni * Nk * Nj / 12, Nj * Nk * Ni / 24, Ni * Nj}}));
  // Where the outer tile equals the inner one along i and j, the loops over k
  // are one, and C stays through both.
  schedule.levels[1].extents = {4, 6, 16};
  EXPECT_EQ(move(contraction, schedule)[0].elements[Tensor::C], Ni * Nj);
}

TEST(HierarchyMovement, CutOffTilesCountWithWhatIsLeft) {
  // i: 3 tiles (4, 4, 2), j: 2 tiles (5, 2).
  Contraction contraction = product(10, 7, 9);
  EXPECT_EQ(moveOneLevel(contraction, {4, 5, 3}, K),
            (PerTensor<double>{{10 * 9 * 2, 7 * 9 * 3, 70}}));
  // Within tiles of 7 and 3 along i, tiles of 4 are 2 and 1.
  HierarchySchedule nested{{{{4, 5, 3}, K}, {{7, 7, 3}, K}}, std::nullopt, {}};
  EXPECT_EQ(move(contraction, nested)[0].elements[Tensor::B], 7 * 9 * 3);
}

/// Runs the loops of a schedule down to the tiles of one level, and moves a
/// tile of a tensor in when it differs from the one before.
class TileWalk {
public:
  TileWalk(const Contraction &contraction, const HierarchySchedule &schedule,
           unsigned level)
      : contraction(contraction), schedule(schedule), level(level),
        start(contraction.indices.size(), 0) {
    for (const Index &index : contraction.indices)
      length.push_back(index.extent);
    run(schedule.levels.size(), 0);
  }

  PerTensor<double> moved = {};

private:
  /// The indices of a band of loops, outermost first.
  std::vector<unsigned> order(unsigned band) const {
    auto holders = [&](unsigned i) {
      const PerTensor<int64_t> &stride = contraction.indices[i].stride;
      return std::array<bool, 3>{stride[0] != 0, stride[1] != 0,
                                 stride[2] != 0};
    };
    unsigned innermost = schedule.levels[band].innermost;
    std::vector<unsigned> others, same;
    for (unsigned i = 0; i < start.size(); ++i)
      if (i != innermost)
        (holders(i) == holders(innermost) ? same : others).push_back(i);
    others.insert(others.end(), same.begin(), same.end());
    others.push_back(innermost);
    return others;
  }

  void run(unsigned band, unsigned depth) {
    if (depth == 0) {
      if (band == level)
        return visit();
      --band;
    }
    unsigned index = order(band)[depth];
    int64_t from = start[index], all = length[index];
    int64_t tile = schedule.levels[band].extents[index];
    for (int64_t at = 0; at < all; at += tile) {
      start[index] = from + at;
      length[index] = std::min(tile, all - at);
      run(band, (depth + 1) % start.size());
    }
    start[index] = from;
    length[index] = all;
  }

  void visit() {
    for (Tensor tensor : allTensors) {
      std::vector<int64_t> tile;
      double elements = 1;
      for (unsigned i = 0; i < start.size(); ++i)
        if (contraction.indices[i].stride[tensor] != 0) {
          tile.push_back(start[i]);
          elements *= static_cast<double>(length[i]);
        }
      if (!present[tensor] || *present[tensor] != tile)
        moved[tensor] += elements;
      present[tensor] = tile;
    }
  }

  const Contraction &contraction;
  const HierarchySchedule &schedule;
  unsigned level;
  std::vector<int64_t> start, length;
  PerTensor<std::optional<std::vector<int64_t>>> present;
};

TEST(HierarchyMovement, AgreesWithLoopsThatAreRun) {
  std::mt19937 random(20261121);
  const char *forms[][3] = {{"ik", "kj", "ij"},    {"aeb", "ecd", "abcd"},
                            {"xik", "xkj", "xij"}, {"akl", "lbk", "ab"},
                            {"iks", "kj", "ij"},   {"i", "j", "ij"}};
  unsigned equal = 0, below = 0;
  for (unsigned trial = 0; trial < 600; ++trial) {
    const auto &form = forms[trial % std::size(forms)];
    bool divides = trial % 2 == 0;
    Extents extents;
    for (char label : std::string("ijkxabcdels"))
      if ((std::string(form[0]) + form[1]).find(label) != std::string::npos)
        extents.push_back({std::string(1, label),
                           divides ? int64_t(1) << uniform(random, 0, 4)
                                   : uniform(random, 1, 9)});
    Contraction contraction = contract(form[0], form[1], form[2], extents);
    HierarchySchedule schedule;
    schedule.levels.resize(uniform(random, 1, 3));
    std::vector<int64_t> outer;
    for (const Index &index : contraction.indices)
      outer.push_back(index.extent);
    for (auto tile = schedule.levels.rbegin(); tile != schedule.levels.rend();
         ++tile) {
      for (int64_t &extent : outer)
        extent = divides ? std::max<int64_t>(1, extent >> uniform(random, 0, 2))
                         : uniform(random, 1, extent);
      tile->extents = outer;
      tile->innermost = uniform(random, 0, outer.size() - 1);
    }
    std::vector<LevelMovement> counted = move(contraction, schedule);
    for (unsigned level = 0; level < counted.size(); ++level) {
      PerTensor<double> run = TileWalk(contraction, schedule, level).moved;
      for (Tensor tensor : allTensors) {
        double count = counted[level].elements[tensor];
        if (divides)
          EXPECT_EQ(count, run[tensor]) << "trial " << trial;
        // Where what an extent leaves of an outer tile is a single inner tile,
        // more stays than the count assumes.
        EXPECT_GE(count, run[tensor]) << "trial " << trial;
        (count == run[tensor] ? equal : below)++;
      }
    }
  }
  EXPECT_GT(equal, 20 * below);
}

TEST(HierarchyMovement, RegisterTilesAreCountedThroughFlattenedTiles) {
  // 6 x 8 of C in registers, tiles of 12 x 16 x 10 in the level outside.
  const double Ni = 48, Nj = 64, Nk = 40;
  Contraction contraction = product(48, 64, 40);
  HierarchySchedule schedule{
      {{{}, K}, {{12, 16, 10}, J}}, RegisterTile{6, 8}, {}};
  EXPECT_EQ(move(contraction, schedule)[0].elements,
            (PerTensor<double>{
                {Ni * Nk * Nj / 8, Nj * Nk * Ni / 6, Ni * Nj * Nk / 10}}));
  // Padding: 12 rows are two tiles of 8, of which the second is half empty.
  schedule.registerTile->m = 8;
  EXPECT_EQ(move(contraction, schedule)[0].elements[Tensor::B],
            Nj * Nk * (48 / 12) * 2);
  // Rows are counted across indices: 3 x 2 of a and b are one tile of 6.
  Contraction four =
      contract("abk", "kj", "abj", {{"a", 3}, {"b", 8}, {"j", 8}, {"k", 4}});
  HierarchySchedule flat{{{{}, 3}, {{3, 2, 8, 4}, 0}}, RegisterTile{6, 8}, {}};
  EXPECT_EQ(move(four, flat)[0].elements[Tensor::B], 8 * 4 * 4);
}

TEST(HierarchyMovement, LinesFollowRuns) {
  // Tiles of 4 rows of 16 doubles: two lines of 64 bytes each.
  Contraction contraction = product(32, 32, 32);
  HierarchySchedule schedule{{{{4, 8, 16}, K}}, std::nullopt, {}};
  Hierarchy hierarchy = tightHierarchy(contraction, schedule);
  hierarchy[0].lineBytes = 64;
  LevelMovement moved = countMovement(contraction, hierarchy, schedule)[0];
  EXPECT_EQ(moved.lines,
            (PerTensor<double>{{32 * 32 / 8 * (32.0 / 8),
                                32 * 32 / 8 * (32.0 / 4), 32 * 32 / 8}}));
  // A run of four elements takes a line by itself, unless the tile is packed.
  schedule.levels[0].extents = {16, 4, 4};
  moved = countMovement(contraction, hierarchy, schedule)[0];
  EXPECT_EQ(moved.lines[Tensor::A], 32 * 32 / 4 * (32 / 4));
  schedule.packed[Tensor::A] = 0;
  moved = countMovement(contraction, hierarchy, schedule)[0];
  EXPECT_EQ(moved.lines[Tensor::A], 32 * 32 / 8 * (32 / 4));
}

TEST(HierarchyMovement, LinesOfTilesThatOuterTilesCut) {
  // Tiles of 24 along k are cut into 16 and 8, so there are five instead of
  // four; the count takes a fourth more lines for it, an upper bound.
  Contraction contraction = product(8, 8, 64);
  HierarchySchedule schedule{
      {{{8, 8, 16}, I}, {{8, 8, 24}, I}}, std::nullopt, {}};
  Hierarchy hierarchy = tightHierarchy(contraction, schedule);
  hierarchy[0].lineBytes = 64;
  LevelMovement moved = countMovement(contraction, hierarchy, schedule)[0];
  EXPECT_EQ(moved.lines[Tensor::A], 8 * 8 * 5.0 / 4);
}

// Equations 10 to 14.
TEST(HierarchyMovement, PackingIsRepeatedByLoopsAboveTheTensorsOwn) {
  const double Ni = 48, Nj = 60, Nk = 80;
  Contraction contraction = product(48, 60, 80);
  HierarchySchedule schedule{
      {{{4, 6, 5}, K}, {{8, 12, 10}, K}}, std::nullopt, {}};
  EXPECT_EQ(packedElements(contraction, schedule, Tensor::A), 0);
  // A buffer in memory is filled once.
  schedule.packed[Tensor::A] = 2;
  EXPECT_EQ(packedElements(contraction, schedule, Tensor::A), Ni * Nk);
  // Loops i, j, k: j stands above k, so A is packed for each tile of j.
  schedule.packed[Tensor::A] = 1;
  EXPECT_EQ(packedElements(contraction, schedule, Tensor::A),
            Ni * Nk * (Nj / 12));
  // B has i above j and k.
  schedule.packed[Tensor::B] = 1;
  EXPECT_EQ(packedElements(contraction, schedule, Tensor::B),
            Nj * Nk * (Ni / 8));
  // Loops i, k, j: no loop above A's own that it lacks.
  schedule.levels[1].innermost = J;
  EXPECT_EQ(packedElements(contraction, schedule, Tensor::A), Ni * Nk);
  // The inner level packs more often: smaller tiles of j, and k above them.
  schedule.packed[Tensor::A] = 0;
  EXPECT_EQ(packedElements(contraction, schedule, Tensor::A),
            Ni * Nk * (Nj / 6));
  // C is copied in and out.
  schedule.packed[Tensor::C] = 2;
  EXPECT_EQ(packedElements(contraction, schedule, Tensor::C), 2 * Ni * Nj);
}

TEST(HierarchyMovement, PackingCrossesEveryLevelInsideItsBuffer) {
  Contraction contraction = product(48, 60, 80);
  HierarchySchedule schedule{
      {{{4, 6, 5}, K}, {{8, 12, 10}, J}}, std::nullopt, {}};
  schedule.packed[Tensor::A] = 1;
  std::vector<LevelMovement> moved = move(contraction, schedule);
  double tensor = 48 * 80 * 8;
  double computation[2] = {moved[0].elements[Tensor::A] * 8,
                           moved[1].elements[Tensor::A] * 8};
  // Read through both levels, written from the inner to the outer one.
  EXPECT_EQ(moved[0].bytes(contraction, Tensor::A, OutputTraffic::Once),
            computation[0] + tensor);
  EXPECT_EQ(moved[1].bytes(contraction, Tensor::A, OutputTraffic::Once),
            computation[1] + tensor);
  EXPECT_EQ(moved[0].bytes(contraction, Tensor::A, OutputTraffic::ReadAndWrite),
            computation[0] + 2 * tensor);
  EXPECT_EQ(moved[1].bytes(contraction, Tensor::A, OutputTraffic::ReadAndWrite),
            computation[1] + tensor);
}

TEST(HierarchyMovement, OutputIsCountedAsAsked) {
  Contraction contraction = product(48, 60, 80);
  HierarchySchedule schedule{{{{8, 12, 10}, J}}, std::nullopt, {}};
  LevelMovement moved = move(contraction, schedule)[0];
  double once = 48 * 60 * 8;
  auto bytes = [&](OutputTraffic output) {
    return moved.bytes(contraction, Tensor::C, output);
  };
  // Eight tiles of k: C enters eight times.
  EXPECT_EQ(bytes(OutputTraffic::Once), 8 * once);
  EXPECT_EQ(bytes(OutputTraffic::ReadAndWrite), 15 * once);
  EXPECT_EQ(bytes(OutputTraffic::WriteAllocate), 16 * once);
  contraction.readsC = true;
  EXPECT_EQ(bytes(OutputTraffic::ReadAndWrite), 16 * once);
}

TEST(HierarchyMovement, TimeIsThatOfTheSlowestLevel) {
  Contraction contraction = product(96, 96, 96);
  HierarchySchedule schedule{
      {{{4, 6, 2}, K}, {{24, 12, 16}, K}}, std::nullopt, {}};
  Hierarchy hierarchy = tightHierarchy(contraction, schedule);
  hierarchy[1].bytesPerSecond = 1000;
  hierarchy[2].bytesPerSecond = 100;
  Result<HierarchyCost> cost =
      estimateCost(contraction, hierarchy, schedule, OutputTraffic::Once);
  ASSERT_TRUE(cost) << cost.error();
  double inner = 8.0 * 96 * 96 * (96.0 / 6 + 96.0 / 4 + 96.0 / 16) / 1000;
  double outer = 8.0 * 96 * 96 * (96.0 / 12 + 96.0 / 24 + 1) / 100;
  EXPECT_DOUBLE_EQ(cost->levelSeconds[0], inner);
  EXPECT_DOUBLE_EQ(cost->levelSeconds[1], outer);
  EXPECT_EQ(cost->limit(), 1u);
  EXPECT_DOUBLE_EQ(cost->seconds(), outer);

  schedule.levels[0].extents[0] = 25;
  EXPECT_EQ(estimateCost(contraction, hierarchy, schedule, OutputTraffic::Once)
                .error(),
            "level 'L1', index 'i': the tile's extent 25 exceeds the 24 of "
            "level 'L2'");
  hierarchy[2].bytesPerSecond = 0;
  EXPECT_EQ(estimateCost(contraction, hierarchy, schedule, OutputTraffic::Once)
                .error(),
            "level 'memory': bytesPerSecond is missing, but the level fills "
            "'L2'");
}

// Equations 6 and 7.
TEST(HierarchyMovement, TiesGoToTheNextMostConstrainedLevel) {
  // The slowest level of the first two is as slow, whichever it is.
  EXPECT_EQ(selectByLevels({{5, 10, 1}, {10, 4, 2}, {11, 0, 0}}, 0), 1u);
  // Within a tenth, the third is a tie as well, and its others are faster.
  EXPECT_EQ(selectByLevels({{5, 10, 1}, {10, 4, 2}, {11, 0, 0}}, 0.1), 2u);
  EXPECT_EQ(selectByLevels({{1, 2}, {2, 1}}, 0), 0u);
}

} // namespace
