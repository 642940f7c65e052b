//===- ScheduleSearchTest.cpp - Tests of the search -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Suites.h"
#include "TestUtils.h"

#include "tc/Model/CostModel.h"
#include "tc/Model/ScheduleSearch.h"

#include <algorithm>
#include <cstdio>
#include <ctime>

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

/// Time of this process on a processor, which others don't lengthen as they do
/// the time on the clock.
double processorMilliseconds() {
  return 1000.0 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

Cost costOf(const Contraction &contraction, const KernelLayout &layout,
            const Target &target) {
  return estimateCost(contraction, layout,
                      countTraffic(contraction, layout, target), target);
}

/// Infinite for what the search may not choose.
double secondsOf(const Contraction &contraction, const Schedule &schedule,
                 const Target &target) {
  Result<KernelLayout> layout = layOut(contraction, schedule, target);
  if (!layout || !isAdmissible(*layout, target))
    return std::numeric_limits<double>::infinity();
  return costOf(contraction, *layout, target).seconds();
}

/// Tiles move hardly more sectors than the tensors have: they have long runs.
void expectLongRuns(const Contraction &contraction, const Schedule &schedule,
                    const Target &target) {
  Result<KernelLayout> layout = layOut(contraction, schedule, target);
  ASSERT_TRUE(layout);
  Traffic traffic = countTraffic(contraction, *layout, target);
  double once = 0;
  for (Tensor tensor : allTensors)
    once += traffic.sectorsOnce(tensor) *
            (tensor == Tensor::C ? traffic.visits[tensor] : 1);
  EXPECT_LE(once, 1.15 * compulsoryTraffic(contraction, target).total());
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

TEST(ScheduleSearch, TakesMilliseconds) {
  double total = 0, longest = 0;
  std::vector<SuiteCase> cases = allSuites();
  for (const SuiteCase &entry : cases) {
    double start = processorMilliseconds();
    find(entry.contraction, target("sm_90"));
    double time = processorMilliseconds() - start;
    total += time;
    longest = std::max(longest, time);
  }
  double average = total / static_cast<double>(cases.size());
  std::printf("search: %.2f ms on average, %.2f ms at most\n", average,
              longest);
  EXPECT_LT(average, 20);
  EXPECT_LT(longest, 100);
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
    double start = processorMilliseconds();
    Schedule schedule = find(contraction, target("sm_90"));
    double time = processorMilliseconds() - start;
    expectLongRuns(contraction, schedule, target("sm_90"));
    EXPECT_LT(time, 500) << extent;
  }
}

TEST(ScheduleSearch, LargeMatrixProduct) {
  Contraction product =
      contract("mk", "kn", "mn", {{"m", 5136}, {"n", 5120}, {"k", 5136}});
  Schedule schedule = find(product, target("sm_90"));
  EXPECT_GE(schedule.blockM() * schedule.blockN(), 64 * 128);
  EXPECT_EQ(schedule.registerM * schedule.registerN, 64);
  EXPECT_EQ(schedule.blockK(), 8);
  EXPECT_EQ(schedule.threads() % 32, 0);
}

TEST(ScheduleSearch, SkinnySidesAreTakenWhole) {
  // The tensor-times-matrix products of TCCG: N is 24.
  std::vector<SuiteCase> cases = tccgSuite(ElementType::F64);
  for (unsigned i = 0; i < 8; ++i) {
    Schedule schedule = find(cases[i].contraction, target("sm_90"));
    EXPECT_EQ(schedule.blockN(), 24) << cases[i].name;
    EXPECT_GE(schedule.blockM(), 96) << cases[i].name;
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
    EXPECT_EQ(cost.limit(), "DRAM");
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
  Schedule schedule = find(product, target("sm_90"));
  EXPECT_LE(schedule.blockM() * schedule.blockN(), 32 * 32);
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
      EXPECT_LE(chosen, 1.03 * secondsOf(contraction, other, target("sm_90")))
          << entry.name;
    }
  }
}

// On tiny contractions what is pruned matters more: a few threads may only copy
// so much at once, which limits the depth of K tiles. Count how often, and how
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
    for (unsigned i = 0; i < 100; ++i)
      best = std::min(best, secondsOf(contraction,
                                      randomSchedule(contraction, random),
                                      target("sm_90")));
    worse += chosen > 1.03 * best;
    worst = std::max(worst, chosen / best);
  }
  std::printf("search: %u of 300 worse than a random schedule, by up to %.2f\n",
              worse, worst);
  EXPECT_LT(worse, 45u);
  EXPECT_LT(worst, 3);
}

} // namespace
