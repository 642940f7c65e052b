//===- CostModelTest.cpp - Tests of the cost model ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gpu/Layout/TestSchedules.h"

#include "tc/Gpu/Cost/CostModel.h"

using namespace tc;
using namespace tc::model;
using namespace tc::model::test;

namespace {

struct Kernel {
  Contraction contraction;
  KernelLayout layout;
  Cost cost;
};

Kernel product(int64_t m, int64_t n, int64_t k, const Schedule &schedule,
               ElementType type = ElementType::F64,
               const std::string &chip = "sm_90") {
  Kernel kernel;
  kernel.contraction =
      contract("mk", "kn", "mn", {{"m", m}, {"n", n}, {"k", k}}, type);
  Result<KernelLayout> layout =
      layOut(kernel.contraction, schedule, target(chip));
  if (!layout) {
    ADD_FAILURE() << layout.error();
    return kernel;
  }
  kernel.layout = *layout;
  kernel.cost = estimateCost(
      kernel.contraction, *layout,
      countTraffic(kernel.contraction, *layout, target(chip)), target(chip));
  return kernel;
}

Schedule tiles(int64_t m, int64_t n, int64_t k, int64_t registerM,
               int64_t registerN) {
  return {"sm_90", {{"m", m}}, {{"n", n}}, {{"k", k}}, registerM, registerN};
}

TEST(CostModel, CyclesOfOneStep) {
  // 128 x 128 x 8 multiply-adds at 64 a cycle.
  Kernel kernel = product(5136, 5120, 5136, tiles(128, 128, 8, 8, 8));
  EXPECT_EQ(kernel.cost.step.pipe, 128 * 128 * 8 / 64);
  // Eight warps load 4 + 4 times 16 bytes for each k, in 4 wavefronts each.
  // B's copy stores its elements as they are; A's is transposing.
  double loads = 8 * 8 * (4 + 4) * 4, copy = 128 * 8 * 8 / 128;
  EXPECT_GE(kernel.cost.step.shared, loads + 2 * copy);
  EXPECT_LE(kernel.cost.step.shared, loads + 5 * copy);
  EXPECT_EQ(kernel.cost.step.limit(), kernel.cost.step.shared);
  // Half the registers of a multiprocessor and a bit more.
  EXPECT_EQ(kernel.cost.occupancy.residentBlocks, 1);
}

TEST(CostModel, SmallRegisterTilesAreLimitedBySharedMemory) {
  Kernel kernel =
      product(4096, 4096, 4096, tiles(64, 64, 8, 2, 2), ElementType::F32);
  EXPECT_GT(kernel.cost.step.shared, kernel.cost.step.pipe);
  EXPECT_EQ(kernel.cost.step.limit(), kernel.cost.step.shared);
}

TEST(CostModel, ResidentBlocks) {
  // By the block count, by threads, by shared memory and by registers.
  EXPECT_EQ(
      product(64, 64, 8, tiles(8, 4, 8, 1, 1)).cost.occupancy.residentBlocks,
      32);
  EXPECT_EQ(
      product(64, 64, 8, tiles(32, 32, 8, 1, 1), ElementType::F64, "sm_75")
          .cost.occupancy.residentBlocks,
      1);
  // 32 KiB and the system's 1 KiB, of 100 KiB.
  EXPECT_EQ(
      product(64, 64, 64, tiles(32, 32, 64, 2, 2), ElementType::F64, "sm_86")
          .cost.occupancy.residentBlocks,
      3);
  EXPECT_EQ(product(256, 256, 8, tiles(64, 128, 8, 8, 8))
                .cost.occupancy.residentBlocks,
            2);
}

TEST(CostModel, TheLastWaveCosts) {
  // One block more than fit at once takes another wave.
  int64_t resident = 132;
  Schedule schedule = tiles(128, 128, 8, 8, 8);
  double one = product(128 * resident, 128, 4096, schedule).cost.wavesSeconds;
  double two =
      product(128 * (resident + 1), 128, 4096, schedule).cost.wavesSeconds;
  EXPECT_NEAR(two / one, 2, 1e-9);
}

TEST(CostModel, LatencyIsHiddenByOtherBlocks) {
  // Blocks of one warp: 32 of them share a multiprocessor.
  Schedule schedule = tiles(8, 8, 8, 2, 1);
  double few = product(8 * 132, 8, 4096, schedule).cost.wavesSeconds;
  double many = product(8 * 132, 8 * 8, 4096, schedule).cost.wavesSeconds;
  EXPECT_LT(many, 1.5 * few);
}

TEST(CostModel, LevelsOfAMatrixProduct) {
  // A small sum, so that storing C takes longest: 64 x 64 blocks.
  int64_t n = 4096, k = 8;
  Kernel kernel = product(n, n, k, tiles(64, 64, 8, 8, 8));
  const Cost &cost = kernel.cost;
  double c = 8.0 * n * n, a = 8.0 * n * k;
  const LevelCost &l2 = cost[Level::L2], &dram = cost[Level::DRAM];
  EXPECT_EQ(l2.bytes[Tensor::A], a * (n / 64));
  EXPECT_EQ(l2.bytes[Tensor::B], a * (n / 64));
  EXPECT_EQ(l2.bytes[Tensor::C], c);
  EXPECT_EQ(l2.work, 2 * a * (n / 64) + c);
  // Rows of A's tiles are half a line long.
  double lookups = a * (n / 64) / 64 + a * (n / 64) / 128 + c / 128;
  EXPECT_EQ(cost[Level::Lookup].work, lookups);
  EXPECT_DOUBLE_EQ(l2.seconds,
                   (l2.work + 42 * lookups) / target("sm_90").l2BytesPerSecond);
  // All of A and B stays in the L2 cache.
  EXPECT_EQ(dram.bytes[Tensor::A], a);
  EXPECT_EQ(dram.bytes[Tensor::B], a);
  EXPECT_EQ(dram.work, 2 * a + c);
  EXPECT_DOUBLE_EQ(dram.seconds, dram.work / 4.8e12);
  EXPECT_EQ(cost[Level::Pipe].work, 1.0 * n * n * k);
  EXPECT_EQ(cost.ranked().front(), cost.steadySeconds());
}

TEST(CostModel, TheLimitHasAName) {
  EXPECT_EQ(product(8192, 8192, 8, tiles(128, 128, 8, 8, 8)).cost.limit(),
            "DRAM");
  EXPECT_EQ(product(128 * 108, 1024, 4096, tiles(128, 128, 8, 8, 8),
                    ElementType::F64, "sm_80")
                .cost.limit(),
            "FMA");
  EXPECT_EQ(product(128, 128, 4096, tiles(128, 128, 8, 8, 8)).cost.limit(),
            "latency and waves");
  EXPECT_EQ(product(4096, 4096, 4096, tiles(64, 64, 32, 4, 2), ElementType::F32)
                .cost.limit(),
            "shared");
}

// A kept in shared memory is loaded once for every `tiles_per_block` tiles.
TEST(CostModel, PersistentSavesLoadsOfTheStationaryOperand) {
  Schedule plain = tiles(64, 64, 24, 4, 4), persistent = plain;
  persistent.mapping.stationary = Stationary::A;
  persistent.mapping.tilesPerBlock = 4;
  Kernel before = product(4096, 4096, 24, plain);
  Kernel after = product(4096, 4096, 24, persistent);
  EXPECT_EQ(after.layout.blocks * 4, before.layout.blocks);
  EXPECT_EQ(after.cost[Level::L2].bytes[Tensor::A] * 4,
            before.cost[Level::L2].bytes[Tensor::A]);
  EXPECT_EQ(after.cost[Level::L2].bytes[Tensor::B],
            before.cost[Level::L2].bytes[Tensor::B]);
  EXPECT_EQ(after.cost[Level::Pipe].work, before.cost[Level::Pipe].work);
  EXPECT_LT(after.cost[Level::Shared].work, before.cost[Level::Shared].work);
}

// A sum shared by blocks fills the chip, for partial sums through memory.
TEST(CostModel, SplittingKFillsTheChip) {
  Schedule plain = tiles(64, 64, 8, 4, 4), split = plain;
  split.mapping.splitK = 16;
  Kernel before = product(64, 64, 1 << 17, plain);
  Kernel after = product(64, 64, 1 << 17, split);
  EXPECT_EQ(after.layout.blocks, 16);
  EXPECT_EQ(after.layout.steps * 16, before.layout.steps);
  EXPECT_LT(after.cost.wavesSeconds, before.cost.wavesSeconds / 15);
  // Partial sums are loaded from the L2 cache as long as they fit.
  EXPECT_EQ(after.cost[Level::DRAM].bytes[Tensor::C], 8.0 * 64 * 64 * (1 + 16));
  EXPECT_EQ(after.cost[Level::L2].bytes[Tensor::C],
            8.0 * 64 * 64 * (1 + 2 * 16));
  Target small = target("sm_90");
  small.l2Bytes = 8 * 64 * 64 * 16 - 1;
  Cost cost =
      estimateCost(after.contraction, after.layout,
                   countTraffic(after.contraction, after.layout, small), small);
  EXPECT_EQ(cost[Level::DRAM].bytes[Tensor::C], 8.0 * 64 * 64 * (1 + 2 * 16));
}

// The last block adds parts up by itself: beyond some number, more do not pay.
TEST(CostModel, AddingPartsUpTakesTime) {
  Schedule split = tiles(64, 64, 8, 4, 4);
  auto seconds = [&](int64_t parts) {
    split.mapping.splitK = parts;
    return product(64, 64, 1 << 13, split).cost.wavesSeconds;
  };
  EXPECT_LT(seconds(8), seconds(2));
  EXPECT_GT(seconds(132), seconds(16));
}

// Stores of one tile cover the wait for the next one.
TEST(CostModel, PersistentOverlapsStoresWithLoads) {
  Schedule plain = tiles(64, 64, 24, 4, 4), persistent = plain;
  persistent.mapping = {0, Stationary::B, 8, 1};
  Kernel before = product(64 * 8, 64 * 132, 24, plain);
  Kernel after = product(64 * 8, 64 * 132, 24, persistent);
  const Target &chip = target("sm_90");
  // One block on each multiprocessor, which waits for memory at first.
  EXPECT_EQ(after.layout.blocks, 132);
  double waits =
      after.cost.wavesSeconds * chip.clockHertz - 8 * after.cost.step.limit();
  EXPECT_GE(waits, chip.memoryLatencyCycles + 16 * chip.barrierCycles);
  EXPECT_LE(waits, 8 * (chip.memoryLatencyCycles + 2 * chip.barrierCycles) +
                       before.cost.wavesSeconds * chip.clockHertz);
}

// Equations 6 and 7: near-ties go to the next most constrained level.
TEST(CostModel, TheNextConstraintSettlesTies) {
  Cost costs[4];
  auto set = [](Cost &cost, double dram, double l2, double issue) {
    cost[Level::DRAM].seconds = dram;
    cost[Level::L2].seconds = l2;
    cost[Level::Issue].seconds = issue;
  };
  set(costs[0], 1.00, 0.9, 0.1);
  set(costs[1], 1.02, 0.5, 0.4);
  set(costs[2], 0.51, 1.02, 0.2);
  set(costs[3], 1.10, 0.1, 0.1);
  std::vector<const Cost *> list;
  for (const Cost &cost : costs)
    list.push_back(&cost);
  EXPECT_EQ(chooseByConstraints(list, 0.03), 2u);
  EXPECT_EQ(chooseByConstraints(list, 0), 0u);
  // Of those that are as fast, the one with fewer instructions and wavefronts
  // of shared memory comes first.
  costs[1][Level::Issue].work = costs[2][Level::Issue].work = 100;
  costs[2][Level::Shared].work = 2;
  costs[0][Level::Issue].work = 200;
  EXPECT_EQ(chooseByConstraints(list, 0.03), 1u);
  costs[2][Level::Shared].work = 1;
  EXPECT_EQ(chooseByConstraints(list, 0.03), 2u);
  // All within the tolerance at all levels: the first.
  list = {&costs[1], &costs[1]};
  EXPECT_EQ(chooseByConstraints(list, 0.03), 0u);
}

TEST(CostModel, RooflineOfAMatrixProduct) {
  Contraction product =
      contract("mk", "kn", "mn", {{"m", 4096}, {"n", 4096}, {"k", 4096}});
  // On tensor cores.
  double peak = 132 * 128 * 1980e6;
  EXPECT_DOUBLE_EQ(rooflineSeconds(product, target("sm_90")),
                   4096.0 * 4096 * 4096 / peak);
  Contraction outer = contract("m", "n", "mn", {{"m", 4096}, {"n", 4096}});
  EXPECT_DOUBLE_EQ(rooflineSeconds(outer, target("sm_90")),
                   8.0 * (4096.0 * 4096 + 2 * 4096) / 4.8e12);
}

/// The traffic of the kernel if its tiles were mapped plainly.
Traffic plainTraffic(const Contraction &contraction, KernelLayout layout,
                     const Target &target) {
  layout.mapping = {};
  layout.gridM = tileCount(layout.m);
  layout.gridN = tileCount(layout.n);
  return countTraffic(contraction, layout, target);
}

TEST(CostModel, BoundsHold) {
  std::mt19937 random(5);
  unsigned plain = 0, persistent = 0, sharing = 0;
  for (unsigned trial = 0; trial < 4000; ++trial) {
    Contraction contraction = randomContraction(random);
    Schedule schedule = randomSchedule(contraction, random);
    mapRandomly(schedule, contraction, random);
    const Target &chip = builtinTargets()[trial % builtinTargets().size()];
    Result<KernelLayout> layout = layOut(contraction, schedule, chip);
    if (!layout)
      continue;
    Result<KernelLayout> threads = mapThreads(
        contraction, layout->blockM, layout->blockN, layout->registerM,
        layout->registerN, layout->instruction, chip);
    ASSERT_TRUE(threads);
    EXPECT_LE(threads->registers, layout->registers);
    Traffic traffic = countTraffic(contraction, *layout, chip);
    Cost cost = estimateCost(contraction, *layout, traffic, chip);
    MappedWork work;
    work.tiles = static_cast<double>(
        tileCount(layout->batch) * tileCount(layout->m) * tileCount(layout->n));
    work.tileCycles = static_cast<double>(tileCount(layout->k)) *
                      static_cast<double>(layout->blockK) *
                      boundCyclesPerK(contraction, *threads, chip);
    work.isPersistent = layout->mapping.stationary != Stationary::Output;
    if (layout->mapping.splitK > 1)
      work.partBytes = 2 * work.tiles *
                       static_cast<double>(layout->blockM * layout->blockN) *
                       byteWidth(contraction.accumulatorType);
    ++(work.isPersistent ? persistent : work.partBytes > 0 ? sharing : plain);
    double bound =
        boundSeconds(work, plainTraffic(contraction, *layout, chip), chip);
    EXPECT_LE(bound, cost.steadySeconds() * (1 + 1e-12)) << "trial " << trial;
  }
  EXPECT_GT(plain, 600u);
  EXPECT_GT(persistent, 600u);
  EXPECT_GT(sharing, 300u);
}

} // namespace
