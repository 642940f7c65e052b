//===- HierarchySearchTest.cpp - Tests of the choice of tiles -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The search against enumerations of its own space and of all tiles there are,
// known optima, and its effort over the benchmark.
//
//===----------------------------------------------------------------------===//

#include "HierarchyCore.h"
#include "Suites.h"
#include "TestUtils.h"

#include "tc/Hierarchy/HierarchySearch.h"
#include "tc/Hierarchy/HierarchyTiles.h"
#include "tc/Support/Arithmetic.h"

#include <algorithm>
#include <cmath>
#include <functional>

using namespace tc;
using namespace tc::model;
using namespace tc::model::test;

namespace {

/// The level times of all feasible schedules.
class Enumeration {
public:
  Enumeration(const Contraction &contraction, const Hierarchy &hierarchy,
              const TileConstraints &constraints)
      : contraction(contraction), hierarchy(hierarchy),
        constraints(constraints) {
    schedule.registerTile = constraints.registerTile;
    schedule.levels.resize(hierarchy.size() - 1);
    for (LevelTile &tile : schedule.levels)
      tile.extents.assign(contraction.indices.size(), 1);
    if (constraints.registerTile)
      schedule.levels[0].extents.clear();
  }

  /// All tiles of all extents.
  void runAll(size_t index = 0) {
    if (index == contraction.indices.size())
      return visit();
    forEachNest(index, schedule.levels.size(),
                contraction.indices[index].extent);
  }

  /// The tiles of the roles' chains, within one another without a rest.
  void runChains(unsigned role = 0) {
    constexpr Role roles[] = {Role::M, Role::N, Role::K};
    if (role == 3)
      return visit();
    const auto &registers = constraints.registerTile;
    RoleChain chain = makeChain(contraction, roles[role],
                                !registers || role == 2 ? 1
                                : role == 0             ? registers->m
                                                        : registers->n);
    forEachChain(chain, schedule.levels.size(), chain.tiles.size() - 1,
                 [&] { runChains(role + 1); });
  }

  std::vector<std::vector<double>> times;

private:
  void forEachNest(size_t index, size_t outer, int64_t extent) {
    if (outer == (constraints.registerTile ? 1 : 0))
      return runAll(index + 1);
    for (int64_t tile = 1; tile <= extent; ++tile) {
      schedule.levels[outer - 1].extents[index] = tile;
      forEachNest(index, outer - 1, tile);
    }
  }

  void forEachChain(const RoleChain &chain, size_t outer, unsigned position,
                    const std::function<void()> &then) {
    if (outer == (constraints.registerTile ? 1 : 0))
      return then();
    for (unsigned p = 0; p <= position; ++p) {
      const RoleTile &inner = chain.tiles[p], &tile = chain.tiles[position];
      bool divides =
          chain.indices.empty() || inner.filled < tile.filled ||
          tile.extent % inner.extent == 0 ||
          tile.extent == contraction.indices[chain.indices[tile.filled]].extent;
      if (!divides)
        continue;
      chain.apply(contraction, p, schedule.levels[outer - 1].extents);
      forEachChain(chain, outer - 1, p, then);
    }
  }

  void visit() {
    if (!checkSchedule(contraction, hierarchy, schedule))
      return;
    visitInnermost(0);
  }

  /// Every choice of innermost loops, but that a micro-kernel sums in its, if
  /// there is anything to sum.
  void visitInnermost(size_t level) {
    if (level == schedule.levels.size())
      return evaluate();
    std::vector<unsigned> cases;
    if (level == 0 && constraints.registerTile &&
        contraction.extent(Role::K) > 1) {
      for (unsigned index : contraction.withRole(Role::K))
        if (schedule.levels[1].extents[index] > 1)
          cases = {index};
      if (cases.empty())
        return;
    } else {
      for (unsigned index = 0; index < contraction.indices.size(); ++index)
        cases.push_back(index);
    }
    for (unsigned index : cases) {
      schedule.levels[level].innermost = index;
      visitInnermost(level + 1);
    }
  }

  void evaluate() {
    std::vector<LevelMovement> moved =
        countMovement(contraction, hierarchy, schedule);
    std::vector<double> seconds;
    for (unsigned level = 0; level < moved.size(); ++level)
      seconds.push_back(moved[level].bytes(contraction, constraints.output) /
                        hierarchy[level + 1].bytesPerSecond);
    times.push_back(std::move(seconds));
  }

  const Contraction &contraction;
  const Hierarchy &hierarchy;
  const TileConstraints &constraints;
  HierarchySchedule schedule;
};

Contraction smallContraction(std::mt19937 &random, unsigned trial,
                             int64_t largest) {
  const char *forms[][3] = {{"ik", "kj", "ij"},    {"aek", "kj", "aej"},
                            {"xik", "xkj", "xij"}, {"akl", "lbk", "ab"},
                            {"i", "j", "ij"},      {"ik", "k", "i"}};
  const auto &form = forms[trial % std::size(forms)];
  std::string all = std::string(form[0]) + form[1];
  Extents extents;
  for (char label : std::string("ijkxabel"))
    if (all.find(label) != std::string::npos)
      extents.push_back({std::string(1, label), 0});
  // As many tiles of each, about.
  for (auto &[label, extent] : extents)
    extent = uniform(random, 1, extents.size() > 3 ? largest - 2 : largest);
  return contract(form[0], form[1], form[2], extents);
}

/// Two levels for tiles, with room for a few elements.
Hierarchy smallHierarchy(std::mt19937 &random, unsigned trial) {
  int64_t inner = uniform(random, 3, 20), outer = uniform(random, inner, 60);
  Hierarchy hierarchy = {
      {"L1", 8 * inner, 8, 0, 0},
      {"L2", 8 * outer, 8, 0, static_cast<double>(uniform(random, 1, 4))},
      {"memory", 0, 8, 0, 1}};
  // At times with few ways, of which each tensor takes one.
  if (trial % 3 == 0)
    hierarchy[0] = {"L1", roundUp(8 * inner, 32), 8, 4, 0};
  return hierarchy;
}

std::vector<double> ranked(std::vector<double> times) {
  std::sort(times.begin(), times.end(), std::greater<>());
  return times;
}

TEST(HierarchySearch, FindsTheOptimumOfItsSpace) {
  std::mt19937 random(20191117);
  for (unsigned trial = 0; trial < 36; ++trial) {
    Contraction contraction = smallContraction(random, trial, 9);
    Hierarchy hierarchy = smallHierarchy(random, trial);
    TileConstraints constraints;
    constraints.output = static_cast<OutputTraffic>(uniform(random, 0, 2));
    constraints.tolerance = trial % 2 == 0 ? 0 : 0.1;
    if (trial % 4 == 1) {
      constraints.registerTile =
          RegisterTile{uniform(random, 1, 3), uniform(random, 1, 2)};
      hierarchy.insert(hierarchy.begin(), {"registers", 8 * 11, 8, 0, 0});
      hierarchy[1] = {"L1", 8 * uniform(random, 16, 30), 8, 0, 3};
      hierarchy[2].capacityBytes += 8 * 16;
    }
    Result<TileChoice> choice =
        chooseTiles(contraction, hierarchy, constraints);
    ASSERT_TRUE(choice) << "trial " << trial << ": " << choice.error();
    Enumeration all(contraction, hierarchy, constraints);
    all.runChains();
    ASSERT_FALSE(all.times.empty()) << "trial " << trial;
    // The same filter as the search's, rank by rank.
    std::vector<double> found = ranked(choice->cost.levelSeconds);
    std::vector<std::vector<double>> left = all.times;
    for (std::vector<double> &times : left)
      times = ranked(times);
    for (unsigned rank = 0; rank < found.size(); ++rank) {
      double least = left.front()[rank];
      for (const std::vector<double> &times : left)
        least = std::min(least, times[rank]);
      double limit =
          rank + 1 < found.size() ? least * (1 + constraints.tolerance) : least;
      EXPECT_LE(found[rank], limit * (1 + 1e-12))
          << "trial " << trial << ", rank " << rank;
      left.erase(std::remove_if(left.begin(), left.end(),
                                [&](const std::vector<double> &times) {
                                  return times[rank] > limit;
                                }),
                 left.end());
    }
  }
}

// docs/model-hierarchy.md argues a factor of five.
TEST(HierarchySearch, LosesLittleAgainstAllTiles) {
  std::mt19937 random(20191119);
  unsigned equal = 0, trials = 36;
  for (unsigned trial = 0; trial < trials; ++trial) {
    Contraction contraction = smallContraction(random, trial, 6);
    Hierarchy hierarchy = smallHierarchy(random, trial);
    TileConstraints constraints;
    constraints.output = static_cast<OutputTraffic>(uniform(random, 0, 2));
    constraints.tolerance = 0;
    Result<TileChoice> choice =
        chooseTiles(contraction, hierarchy, constraints);
    ASSERT_TRUE(choice) << "trial " << trial << ": " << choice.error();
    Enumeration all(contraction, hierarchy, constraints);
    all.runAll();
    double least = ranked(all.times.front()).front();
    for (const std::vector<double> &times : all.times)
      least = std::min(least, ranked(times).front());
    EXPECT_GE(choice->cost.seconds(), least * (1 - 1e-12)) << "trial " << trial;
    EXPECT_LE(choice->cost.seconds(), 1.25 * least) << "trial " << trial;
    equal += choice->cost.seconds() <= least * (1 + 1e-12);
  }
  EXPECT_GE(equal, trials - 2);
}

Result<TileChoice> chooseOneLevel(int64_t extent, int64_t capacity) {
  Contraction product =
      contract("ik", "kj", "ij", {{"i", extent}, {"j", extent}, {"k", extent}});
  return chooseTiles(
      product, {{"cache", 8 * capacity, 8, 0, 0}, {"memory", 0, 8, 0, 1}});
}

TEST(HierarchySearch, MatrixProductsHaveSquareTilesOfC) {
  // Room for 64 x 64 of C, a column of A and a row of B: C stays and is written
  // once, A and B are read n / 64 times, 2 n^3 / 64 elements in all.
  const double n = 1024, tile = 64;
  Result<TileChoice> choice = chooseOneLevel(n, tile * tile + 2 * tile);
  ASSERT_TRUE(choice) << choice.error();
  EXPECT_EQ(choice->schedule.levels[0].extents,
            (std::vector<int64_t>{64, 64, 1}));
  EXPECT_EQ(choice->schedule.levels[0].innermost, 2u);
  EXPECT_EQ(choice->cost.seconds(), 8 * (2 * n * n * n / tile + n * n));
}

TEST(HierarchySearch, MatrixProductsApproachTheLowerBound) {
  // No order of the multiplications moves fewer than 2 n^3 / sqrt(S) elements,
  // up to lower order, through a memory of S.
  const double n = 2048;
  for (int64_t capacity : {300, 1000, 5000, 33000, 100000}) {
    Result<TileChoice> choice = chooseOneLevel(n, capacity);
    ASSERT_TRUE(choice) << choice.error();
    double bound =
        8 * (2 * n * n * n / std::sqrt(static_cast<double>(capacity)) + n * n);
    EXPECT_GE(choice->cost.seconds(), bound) << capacity;
    EXPECT_LE(choice->cost.seconds(), 1.5 * bound) << capacity;
  }
}

TEST(HierarchySearch, WhatFitsIsMovedOnce) {
  Result<TileChoice> choice = chooseOneLevel(32, 3 * 32 * 32);
  ASSERT_TRUE(choice) << choice.error();
  EXPECT_EQ(choice->cost.seconds(), 8 * 3 * 32 * 32);
}

TEST(HierarchySearch, SmallOutputsStayWhileTheSumIsStreamed) {
  // C fits beside one step of k in every level: A and B are read once.
  Contraction product =
      contract("ik", "kj", "ij", {{"i", 12}, {"j", 16}, {"k", 100000}});
  Hierarchy hierarchy = {{"L1", 32768, 64, 8, 0},
                         {"L2", 262144, 64, 8, 50e9},
                         {"memory", 0, 64, 0, 10e9}};
  Result<TileChoice> choice = chooseTiles(product, hierarchy);
  ASSERT_TRUE(choice) << choice.error();
  for (const LevelMovement &moved : choice->cost.levels)
    EXPECT_EQ(moved.elements,
              (PerTensor<double>{{12 * 100000, 16 * 100000, 12 * 16}}));
}

TEST(HierarchySearch, SaysWhichLevelIsTooSmall) {
  Contraction product =
      contract("ik", "kj", "ij", {{"i", 8}, {"j", 8}, {"k", 8}});
  Hierarchy hierarchy = {{"registers", 256, 8, 0, 0},
                         {"L1", 384, 8, 2, 1},
                         {"memory", 0, 8, 0, 1}};
  EXPECT_EQ(chooseTiles(product, hierarchy).error(),
            "no tiles are small enough: level 'L1': the tiles of A (1 ways), "
            "B (1 ways) and C (1 ways) take 3 ways, but the level has 2");
  hierarchy[1].ways = 0;
  TileConstraints constraints;
  constraints.registerTile = RegisterTile{4, 8};
  EXPECT_EQ(chooseTiles(product, hierarchy, constraints).error(),
            "no tiles are small enough: level 'registers': the tiles of A (32 "
            "bytes), B (64 bytes) and C (256 bytes) take 352 bytes, but the "
            "level has 256");
  constraints.registerTile = RegisterTile{2, 4};
  EXPECT_TRUE(chooseTiles(product, hierarchy, constraints));
  hierarchy[1].bytesPerSecond = 0;
  EXPECT_EQ(chooseTiles(product, hierarchy).error(),
            "level 'L1': bytesPerSecond is missing, but the level fills "
            "'registers'");
}

TEST(HierarchySearch, WrongConstraintsAreNamed) {
  Contraction product =
      contract("ik", "kj", "ij", {{"i", 8}, {"j", 8}, {"k", 8}});
  TileConstraints constraints;
  constraints.registerTile = RegisterTile{6, 0};
  EXPECT_EQ(chooseTiles(product, core(), constraints).error(),
            "the register tile is 6 x 0, but both must be at least 1");
  constraints.registerTile = std::nullopt;
  constraints.tolerance = -0.5;
  EXPECT_EQ(chooseTiles(product, core(), constraints).error(),
            "the tolerance is -0.500000, but must not be negative");
}

TEST(HierarchySearch, AMicroKernelRightBesideMemoryHasNothingToChoose) {
  Contraction product =
      contract("ik", "kj", "ij", {{"i", 12}, {"j", 16}, {"k", 10}});
  Hierarchy hierarchy = {core().front(), core().back()};
  Result<TileChoice> choice =
      chooseTiles(product, hierarchy, coreConstraints(ElementType::F64));
  ASSERT_TRUE(choice) << choice.error();
  EXPECT_EQ(choice->cost.levels[0].elements,
            (PerTensor<double>{{12 * 10 * 2, 16 * 10 * 2, 12 * 16}}));
}

TEST(HierarchySearch, IndicesOfOneInputAreSummedToo) {
  // A alone holds s.
  Contraction product = contract(
      "iks", "kj", "ij", {{"i", 200}, {"j", 300}, {"k", 50}, {"s", 40}});
  Result<TileChoice> choice =
      chooseTiles(product, core(), coreConstraints(ElementType::F64));
  ASSERT_TRUE(choice) << choice.error();
  EXPECT_GE(choice->cost.levels[3].elements[Tensor::A], 200 * 50 * 40);
}

TEST(HierarchySearch, TheBenchmarkTakesLittleEffort) {
  int64_t expanded = 0;
  for (ElementType type : {ElementType::F64, ElementType::F32})
    for (const SuiteCase &entry : tccgSuite(type)) {
      TileConstraints constraints = coreConstraints(type);
      Result<TileChoice> choice =
          chooseTiles(entry.contraction, core(), constraints);
      ASSERT_TRUE(choice) << entry.name << ": " << choice.error();
      expanded += choice->statistics.expanded;
      // A tile costs a few microseconds.
      EXPECT_LT(choice->statistics.expanded, 20000) << entry.name;
      // It gives the same again.
      Result<TileChoice> again =
          chooseTiles(entry.contraction, core(), constraints);
      EXPECT_EQ(choice->cost.levelSeconds, again->cost.levelSeconds);
      for (unsigned level = 0; level < choice->schedule.levels.size(); ++level)
        EXPECT_EQ(choice->schedule.levels[level].extents,
                  again->schedule.levels[level].extents)
            << entry.name;
    }
  EXPECT_LT(expanded, 96 * 1500);
}

TEST(HierarchySearch, AGpusLevelsAreLevels) {
  Contraction product =
      contract("ik", "kj", "ij", {{"i", 4096}, {"j", 4096}, {"k", 4096}});
  Hierarchy hierarchy = memoryHierarchy(target("sm_90"));
  Result<TileChoice> choice = chooseTiles(product, hierarchy);
  ASSERT_TRUE(choice) << choice.error();
  // All of it moves through the L2 cache in less time than the bytes of A and B
  // would take if no multiprocessor reused any.
  EXPECT_EQ(choice->cost.levels.size(), 3u);
  EXPECT_GE(choice->cost.levels[2].bytes(product, OutputTraffic::Once),
            3 * 8 * 4096.0 * 4096);
  EXPECT_LE(choice->cost.levels[1].bytes(product, OutputTraffic::Once),
            2 * 8 * 4096.0 * 4096 * 4096 / 64);
}

} // namespace
