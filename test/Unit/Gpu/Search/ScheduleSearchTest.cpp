//===- ScheduleSearchTest.cpp - Tests of the search -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gpu/Layout/TestSchedules.h"
#include "Problem/Suites.h"

#include "tc/Gpu/Cost/CostModel.h"
#include "tc/Gpu/Search/ScheduleSearch.h"
#include "tc/Problem/ComplexParts.h"

#include <algorithm>
#include <cstdio>
#include <set>

using namespace tc;
using namespace tc::model;
using namespace tc::model::test;

namespace {

/// The schedule found, which is checked to be feasible.
Schedule find(const Contraction &contraction, const Target &target) {
  Result<Schedule> schedule = searchSchedule(contraction, target);
  if (!schedule) {
    ADD_FAILURE() << schedule.error();
    return {};
  }
  EXPECT_EQ(schedule->target, target.name);
  Result<KernelLayout> layout = layOut(contraction, *schedule, target);
  EXPECT_TRUE(layout) << layout.error();
  return *schedule;
}

Cost costOf(const Contraction &contraction, const KernelLayout &layout,
            const Target &target) {
  return estimateCost(contraction, layout,
                      countTraffic(contraction, layout, target), target);
}

/// Infinite for schedules that the search may not choose.
double secondsOf(const Contraction &contraction, const Schedule &schedule,
                 const Target &target) {
  Result<KernelLayout> layout = layOut(contraction, schedule, target);
  if (!layout || !isAdmissible(*layout, target))
    return std::numeric_limits<double>::infinity();
  return costOf(contraction, *layout, target).steadySeconds();
}

/// Tiles move hardly more sectors than the tensors have: they have long runs.
/// If memory waits for the rest of the chip half of the time, shorter ones may
/// be worth their while.
void expectLongRuns(const Contraction &contraction, const Schedule &schedule,
                    const Target &target, double excess = 1.15) {
  Result<KernelLayout> layout = layOut(contraction, schedule, target);
  ASSERT_TRUE(layout);
  Traffic traffic = countTraffic(contraction, *layout, target);
  double once = 0;
  for (Tensor tensor : allTensors)
    once += traffic.sectorsOnce(tensor) *
            (tensor == Tensor::C ? traffic.visits[tensor] : 1);
  Cost cost = costOf(contraction, *layout, target);
  if (cost[Level::DRAM].seconds < cost.steadySeconds() / 2)
    excess *= 1.16;
  EXPECT_LE(once, excess * compulsoryTraffic(contraction, target).total());
}

std::vector<SuiteCase> allSuites() {
  std::vector<SuiteCase> cases = tccgSuite(ElementType::F64);
  for (std::vector<SuiteCase> more :
       {tccgSuite(ElementType::F32), nwchemSuite()})
    cases.insert(cases.end(), more.begin(), more.end());
  return cases;
}

TEST(ScheduleSearch, SuitesOnAllTargets) {
  std::vector<SuiteCase> cases = allSuites();
  ASSERT_EQ(cases.size(), 48u + 48u + 27u);
  for (const SuiteCase &entry : cases) {
    SCOPED_TRACE(entry.name);
    Schedule schedule = find(entry.contraction, target("sm_90"));
    expectLongRuns(entry.contraction, schedule, target("sm_90"));
    EXPECT_EQ(find(entry.contraction, target("sm_90")), schedule);
  }
  cases.resize(48);
  for (const Target &target : builtinTargets()) {
    for (const SuiteCase &entry : cases) {
      SCOPED_TRACE(target.name + ": " + entry.name);
      expectLongRuns(entry.contraction, find(entry.contraction, target),
                     target);
    }
  }
}

// The gradients of spectral elements (Nelson et al., "Generating efficient
// tensor contractions for GPUs", ICPP 2015, Lg3), whose extents divide hardly
// anything: a tile that reaches over them, or threads with odd numbers of
// results, keep inputs from being read twice.
TEST(ScheduleSearch, SmallTensorsInBulkMoveHardlyMoreThanTheyMust) {
  const std::vector<std::string> element = {"e", "k", "j", "i"};
  for (const char *chip : {"sm_80", "sm_90"})
    for (int64_t order = 4; order <= 15; ++order)
      for (size_t along : {1, 2, 3}) {
        SCOPED_TRACE(std::string(chip) + ", order " + std::to_string(order) +
                     ", along " + element[along]);
        const std::vector<std::string> matrix = {element[along], "l"};
        std::vector<std::string> input = element;
        input[along] = "l";
        Result<Contraction> gradient =
            makeContiguous({{matrix, input, element}},
                           {{"e", 10000},
                            {"i", order},
                            {"j", order},
                            {"k", order},
                            {"l", order}},
                           ElementType::F64);
        ASSERT_TRUE(gradient) << gradient.error();
        Schedule schedule = find(*gradient, target(chip));
        Result<KernelLayout> layout = layOut(*gradient, schedule, target(chip));
        ASSERT_TRUE(layout) << layout.error();
        double bytes = 0;
        for (Tensor tensor : allTensors)
          bytes += gradient->elements(tensor) *
                   static_cast<double>(byteWidth(ElementType::F64));
        Traffic traffic = countTraffic(*gradient, *layout, target(chip));
        double moved = 0;
        for (Tensor tensor : allTensors)
          moved += traffic.sectorsOnce(tensor) *
                   static_cast<double>(target(chip).sectorBytes);
        EXPECT_LE(moved, 1.06 * bytes);
        // The large input does not come from DRAM twice.
        Cost cost = costOf(*gradient, *layout, target(chip));
        EXPECT_LE(cost[Level::DRAM].bytes[Tensor::B],
                  traffic.lineBytesOnce(Tensor::B));
      }
}

// The bound, and not the budget, ends most searches: of thousands of tiles of a
// benchmark's contraction, few hundred have to be looked at. The bound knows
// nothing of the cost of lines beyond their sectors.
TEST(ScheduleSearch, EvaluatesSomeHundredKernels) {
  int64_t total = 0, mapped = 0, cut = 0;
  std::vector<SuiteCase> cases = allSuites();
  for (const SuiteCase &entry : cases) {
    Result<SearchResult> found = search(entry.contraction, target("sm_90"));
    ASSERT_TRUE(found) << found.error();
    const SearchStatistics &statistics = found->statistics;
    EXPECT_LE(statistics.expanded, statistics.branches) << entry.name;
    EXPECT_GE(statistics.evaluated, 1) << entry.name;
    total += statistics.evaluated - statistics.mapped;
    mapped += statistics.mapped;
    cut += statistics.isCut;
  }
  auto count = static_cast<double>(cases.size());
  double average = static_cast<double>(total) / count;
  double mappings = static_cast<double>(mapped) / static_cast<double>(total);
  std::printf("search: %.0f kernels on average, %.1f mappings of each, %lld of "
              "%zu searches cut off\n",
              average, mappings, static_cast<long long>(cut), cases.size());
  EXPECT_LT(average, 900);
  EXPECT_LT(mappings, 1.5);
  EXPECT_LT(static_cast<double>(cut), 0.14 * count);
}

// Of products so small that all tiles are looked at, there are as many kernels
// as ways to choose an extent of each tile and a divisor of those of M and N.
TEST(ScheduleSearch, EvaluatesNoKernelTwice) {
  auto splits = [](int64_t extent) {
    int64_t count = 0;
    for (int64_t tile = 1; tile <= extent; ++tile)
      for (int64_t part = 1; part <= tile; ++part)
        count += tile % part == 0;
    return count;
  };
  for (auto [m, n] :
       {std::pair(1, 1), std::pair(2, 1), std::pair(2, 2), std::pair(3, 3)}) {
    SCOPED_TRACE(std::to_string(m) + " x " + std::to_string(n));
    Result<SearchResult> found =
        search(contract("mk", "kn", "mn", {{"m", m}, {"n", n}, {"k", 1}}),
               target("sm_75"));
    ASSERT_TRUE(found) << found.error();
    EXPECT_EQ(found->statistics.evaluated - found->statistics.mapped,
              splits(m) * splits(n));
  }
}

TEST(ScheduleSearch, RunnersUpHaveOtherShapes) {
  Contraction product =
      contract("mk", "kn", "mn", {{"m", 1000}, {"n", 1000}, {"k", 1000}});
  SearchOptions options;
  options.runnersUp = 6;
  Result<SearchResult> found = search(product, target("sm_90"), options);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->candidates.size(), 7u);
  EXPECT_EQ(found->candidates[0].schedule, find(product, target("sm_90")));
  std::set<std::pair<int64_t, int64_t>> shapes;
  for (const Candidate &candidate : found->candidates)
    EXPECT_TRUE(
        shapes
            .insert({candidate.schedule.blockM(), candidate.schedule.blockN()})
            .second);
  for (unsigned i = 2; i < 7; ++i)
    EXPECT_LE(found->candidates[i - 1].cost.steadySeconds(),
              found->candidates[i].cost.steadySeconds());
  // The best of all other shapes, not just of those that were near: asking for
  // more does not change the first ones.
  options.runnersUp = 3;
  Result<SearchResult> fewer = search(product, target("sm_90"), options);
  ASSERT_TRUE(fewer);
  for (unsigned i = 0; i < 4; ++i)
    EXPECT_EQ(fewer->candidates[i].schedule, found->candidates[i].schedule);
}

// Of many near ties a search looks at some, and at which ones depends on how
// many kernels it has met.
TEST(ScheduleSearch, RunnersUpDoNotChangeTheChoice) {
  Contraction contraction = contract(
      "fbea", "ecfd", "dcba",
      {{"a", 72}, {"b", 72}, {"c", 72}, {"d", 72}, {"e", 72}, {"f", 72}});
  Schedule chosen = find(contraction, target("sm_90"));
  for (unsigned runnersUp : {1, 3, 7}) {
    for (bool distinguishesRegisterTiles : {false, true}) {
      SearchOptions options;
      options.runnersUp = runnersUp;
      options.distinguishesRegisterTiles = distinguishesRegisterTiles;
      Result<SearchResult> found =
          search(contraction, target("sm_90"), options);
      ASSERT_TRUE(found) << found.error();
      EXPECT_EQ(found->candidates[0].schedule, chosen);
      EXPECT_GT(found->candidates.size(), 1u);
      EXPECT_LE(found->candidates.size(), runnersUp + 1);
    }
  }
}

TEST(ScheduleSearch, MappingsAreTried) {
  // Few outputs and a long sum: only splitting it fills the chip.
  Contraction skinny =
      contract("mk", "kn", "mn", {{"m", 64}, {"n", 64}, {"k", 1 << 17}});
  SearchOptions options;
  Result<SearchResult> split = search(skinny, target("sm_90"));
  ASSERT_TRUE(split);
  EXPECT_GT(split->candidates[0].schedule.mapping.splitK, 1);
  options.splitsK = false;
  Result<SearchResult> whole = search(skinny, target("sm_90"), options);
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->candidates[0].schedule.mapping, GridMapping());
  EXPECT_GT(whole->candidates[0].cost.steadySeconds(),
            3 * split->candidates[0].cost.steadySeconds());

  // A large outer product of inputs that are read many times, from a slow L2
  // cache.
  Target slow = target("sm_90");
  slow.l2BytesPerSecond /= 2;
  Contraction outer =
      contract("mk", "kn", "mn", {{"m", 8192}, {"n", 8192}, {"k", 16}});
  Result<SearchResult> persistent = search(outer, slow);
  ASSERT_TRUE(persistent);
  EXPECT_GT(persistent->candidates[0].schedule.mapping.tilesPerBlock, 1);
  options = {};
  options.persistent = false;
  Result<SearchResult> plain = search(outer, slow, options);
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->candidates[0].schedule.mapping.tilesPerBlock, 1);
  EXPECT_LE(persistent->candidates[0].cost.steadySeconds(),
            plain->candidates[0].cost.steadySeconds() * (1 + nearTie));
  EXPECT_LT(persistent->candidates[0].cost[Level::L2].work,
            plain->candidates[0].cost[Level::L2].work);

  // Rasters are tried unless that is turned off.
  Target small = target("sm_90");
  small.l2Bytes = 1 << 20;
  small.memoryBytesPerSecond /= 20;
  Contraction large =
      contract("mk", "kn", "mn", {{"m", 8192}, {"n", 8192}, {"k", 8192}});
  Result<SearchResult> raster = search(large, small);
  ASSERT_TRUE(raster);
  EXPECT_GT(raster->candidates[0].schedule.mapping.rasterM, 0);
  options = {};
  options.rasterises = false;
  Result<SearchResult> unrastered = search(large, small, options);
  ASSERT_TRUE(unrastered);
  EXPECT_EQ(unrastered->candidates[0].schedule.mapping, GridMapping());
  EXPECT_LT(raster->candidates[0].cost.steadySeconds(),
            unrastered->candidates[0].cost.steadySeconds());
}

// Register tiles tell blocks of one shape apart if they are asked to.
TEST(ScheduleSearch, RunnersUpWithOtherRegisterTiles) {
  Contraction product =
      contract("mk", "kn", "mn", {{"m", 512}, {"n", 512}, {"k", 64}});
  SearchOptions options;
  options.runnersUp = 7;
  options.distinguishesRegisterTiles = true;
  Result<SearchResult> found = search(product, target("sm_90"), options);
  ASSERT_TRUE(found) << found.error();
  ASSERT_EQ(found->candidates.size(), 8u);
  std::set<std::pair<int64_t, int64_t>> blocks;
  std::set<std::array<int64_t, 4>> shapes;
  for (const Candidate &candidate : found->candidates) {
    const Schedule &schedule = candidate.schedule;
    blocks.insert({schedule.blockM(), schedule.blockN()});
    shapes.insert({schedule.blockM(), schedule.blockN(), schedule.registerM,
                   schedule.registerN});
  }
  EXPECT_EQ(shapes.size(), 8u);
  EXPECT_LT(blocks.size(), 8u);
  // The first choice does not depend on how many others are reported.
  EXPECT_EQ(found->candidates[0].schedule, find(product, target("sm_90")));
}

TEST(ScheduleSearch, ManyIndicesWithoutCollapsing) {
  // Ten indices of extents with many divisors, in orders that do not collapse.
  for (int64_t extent : {2, 12, 24, 30}) {
    Contraction contraction = contract("hjdfbag", "cieghj", "abcdefi",
                                       {{"a", extent},
                                        {"b", extent},
                                        {"c", extent},
                                        {"d", extent},
                                        {"e", extent},
                                        {"f", extent},
                                        {"g", extent},
                                        {"h", extent},
                                        {"i", extent},
                                        {"j", extent}});
    Schedule schedule = find(contraction, target("sm_90"));
    expectLongRuns(contraction, schedule, target("sm_90"), 1.4);
  }
}

TEST(ScheduleSearch, LargeMatrixProduct) {
  Contraction product =
      contract("mk", "kn", "mn", {{"m", 5136}, {"n", 5120}, {"k", 5136}});
  Schedule schedule = find(product, target("sm_90"));
  EXPECT_GE(schedule.blockM() * schedule.blockN(), 64 * 128);
  EXPECT_EQ(schedule.registerM * schedule.registerN, 64);
  EXPECT_EQ(schedule.instruction, Instruction::MmaM16N8K8);
  EXPECT_EQ(schedule.threads() % 32, 0);
}

TEST(ScheduleSearch, SkinnySidesAreTakenWhole) {
  // The tensor-times-matrix products of TCCG: N is 24.
  std::vector<SuiteCase> cases = tccgSuite(ElementType::F64);
  for (unsigned i = 0; i < 8; ++i) {
    Schedule schedule = find(cases[i].contraction, target("sm_90"));
    EXPECT_EQ(schedule.blockN(), 24) << cases[i].name;
    EXPECT_GE(schedule.blockM(), 64) << cases[i].name;
  }
}

TEST(ScheduleSearch, CoupledClusterTilesAreLarge) {
  std::vector<SuiteCase> cases = tccgSuite(ElementType::F64);
  for (unsigned i = 30; i < 48; ++i) {
    SCOPED_TRACE(cases[i].name);
    const Contraction &contraction = cases[i].contraction;
    Schedule schedule = find(contraction, target("sm_90"));
    EXPECT_GE(schedule.blockM(), 64);
    EXPECT_GE(schedule.blockN(), 64);
    Result<KernelLayout> layout =
        layOut(contraction, schedule, target("sm_90"));
    ASSERT_TRUE(layout);
    // C is by far the largest and has to be moved once.
    Cost cost = costOf(contraction, *layout, target("sm_90"));
    EXPECT_LE(cost[Level::DRAM].bytes[Tensor::A] +
                  cost[Level::DRAM].bytes[Tensor::B],
              0.05 * cost[Level::DRAM].bytes[Tensor::C]);
    EXPECT_EQ(layout->widthC, 2);
  }
}

TEST(ScheduleSearch, DegenerateContractions) {
  for (const Target &target : builtinTargets()) {
    SCOPED_TRACE(target.name);
    Schedule scalars = find(contract("", "", "", {}), target);
    EXPECT_EQ(scalars.threads(), 1);
    Schedule dot = find(contract("k", "k", "", {{"k", 1000}}), target);
    EXPECT_EQ(dot.threads(), 1);
    find(contract("mk", "k", "m", {{"m", 1000}, {"k", 1000}}), target);
    find(contract("m", "n", "mn", {{"m", 1000}, {"n", 1000}}), target);
    find(contract("x", "x", "x", {{"x", 1000}}), target);
    find(contract("mk", "kn", "mn", {{"m", 1}, {"n", 1}, {"k", 1}}), target);
    find(contract("mk", "kn", "mn", {{"m", 997}, {"n", 991}, {"k", 983}}),
         target);
    find(contract("mks", "kn", "mn",
                  {{"m", 64}, {"n", 64}, {"k", 64}, {"s", 5}}),
         target);
  }
}

TEST(ScheduleSearch, SmallProblemsSpreadOverMultiprocessors) {
  // 256 x 256 outputs would make four blocks of the large tile.
  Contraction product =
      contract("mk", "kn", "mn", {{"m", 256}, {"n", 256}, {"k", 4096}});
  SearchOptions options;
  options.splitsK = false;
  Result<SearchResult> whole = search(product, target("sm_90"), options);
  ASSERT_TRUE(whole);
  const Schedule &small = whole->candidates.front().schedule;
  EXPECT_LE(small.blockM() * small.blockN(), 32 * 32);
  // Shared sums allow larger tiles.
  Schedule shared = find(product, target("sm_90"));
  Result<KernelLayout> layout = layOut(product, shared, target("sm_90"));
  ASSERT_TRUE(layout);
  EXPECT_GE(layout->blocks, 0.9 * target("sm_90").multiprocessors);
  EXPECT_GT(shared.blockM() * shared.blockN(), 32 * 32);
}

// The contractions of TCCG that have few outputs and long sums.
TEST(ScheduleSearch, LongSumsAreShared) {
  std::vector<SuiteCase> cases = tccgSuite(ElementType::F64);
  for (unsigned i : {13, 14, 19}) {
    const SuiteCase &entry = cases[i - 1];
    EXPECT_GT(find(entry.contraction, target("sm_90")).mapping.splitK, 1)
        << entry.name;
  }
}

TEST(ScheduleSearch, ProductsOfPartsComeFirst) {
  Result<Schedule> found =
      searchSchedule(toThreeProducts(complexMatmul()), target("sm_90"));
  ASSERT_TRUE(found) << found.error();
  ASSERT_EQ(found->k.size(), 2u);
  EXPECT_EQ(found->k.front().label, "re_im_3m");
  EXPECT_EQ(found->k.front().extent, 1);
}

TEST(ScheduleSearch, TooManyBlocksAreAnError) {
  int64_t large = int64_t(1) << 29;
  Contraction batches =
      contract("xym", "xym", "xym", {{"x", large}, {"y", 4}, {"m", 2}});
  Result<Schedule> schedule = searchSchedule(batches, target("sm_90"));
  ASSERT_FALSE(schedule);
  EXPECT_EQ(schedule.error(),
            "no schedule for sm_90 is feasible; with tiles of one, schedule: "
            "number of blocks is 4294967296, but a grid allows 2147483647");
}

// The choice is not far from the best of many random schedules, which know
// nothing of how candidates are pruned. Near-ties may be settled by other
// constraints, hence the 3%.
TEST(ScheduleSearch, BeatsRandomSchedules) {
  std::mt19937 random(31);
  for (const SuiteCase &entry : tccgSuite(ElementType::F64)) {
    const Contraction &contraction = entry.contraction;
    double chosen = secondsOf(contraction, find(contraction, target("sm_90")),
                              target("sm_90"));
    for (unsigned i = 0; i < 200; ++i) {
      Schedule other = randomSchedule(contraction, random);
      mapRandomly(other, contraction, random);
      EXPECT_LE(chosen, 1.03 * secondsOf(contraction, other, target("sm_90")))
          << entry.name;
    }
  }
}

// On tiny contractions pruning matters more: a few threads may only copy so
// much at once, which limits the depth of K tiles. Count how often, and how
// much.
TEST(ScheduleSearch, PruningCostsLittleOnTinyContractions) {
  std::mt19937 random(32);
  unsigned worse = 0;
  double worst = 1;
  for (unsigned trial = 0; trial < 300; ++trial) {
    Contraction contraction = randomContraction(random);
    double chosen = secondsOf(contraction, find(contraction, target("sm_90")),
                              target("sm_90"));
    double best = chosen;
    for (unsigned i = 0; i < 200; ++i) {
      Schedule other = randomSchedule(contraction, random);
      // Half of them are mapped otherwise.
      if (i % 2 == 1)
        mapRandomly(other, contraction, random);
      best = std::min(best, secondsOf(contraction, other, target("sm_90")));
    }
    worse += chosen > 1.03 * best;
    worst = std::max(worst, chosen / best);
  }
  std::printf("search: %u of 300 worse than a random schedule, by up to %.2f\n",
              worse, worst);
  EXPECT_LT(worse, 8u);
  EXPECT_LT(worst, 1.6);
}

// The search shares the common parts of kernels; that must not show.
TEST(ScheduleSearchTest, CandidatesCostWhatTheirLayoutsDo) {
  std::mt19937 random(5);
  SearchOptions options;
  options.runnersUp = 20;
  options.distinguishesRegisterTiles = true;
  int count = 0;
  for (int i = 0; i < 20; ++i) {
    Contraction contraction = randomContraction(random);
    const Target &chip = target(i % 2 ? "sm_80" : "sm_90");
    Result<SearchResult> found = search(contraction, chip, options);
    ASSERT_TRUE(found) << found.error();
    for (const auto &[schedule, cost] : found->candidates) {
      Result<KernelLayout> layout = layOut(contraction, schedule, chip);
      ASSERT_TRUE(layout) << layout.error();
      EXPECT_TRUE(isAdmissible(*layout, chip));
      Cost expected = costOf(contraction, *layout, chip);
      EXPECT_DOUBLE_EQ(cost.steadySeconds(), expected.steadySeconds());
      EXPECT_DOUBLE_EQ(cost.executionSeconds, expected.executionSeconds);
      for (unsigned level = 0; level < numLevels; ++level)
        EXPECT_DOUBLE_EQ(cost.levels[level].work, expected.levels[level].work);
      ++count;
    }
  }
  EXPECT_GT(count, 100);
}

} // namespace
