//===- CostModelTest.cpp - Tests of the cost model ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestUtils.h"

#include "tc/Model/CostModel.h"

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
  EXPECT_EQ(kernel.cost.step.fma, 128 * 128 * 8 / 64);
  EXPECT_EQ(kernel.cost.step.limit(), kernel.cost.step.fma);
  // Eight warps, each for each k: along n, 16 lanes load 4 times 16 bytes, two
  // wavefronts each; along m, lanes share 2 addresses, one wavefront each. Then
  // the copies, of which A's is transposing.
  EXPECT_EQ(kernel.cost.step.shared,
            8 * 8 * (4 * 2 + 4) + 2 * (128 * 8 * 8 / 128) + 128 * 8 * 8 / 128);
  // Half the registers of a multiprocessor and a bit more.
  EXPECT_EQ(kernel.cost.residentBlocks, 1);
}

TEST(CostModel, SmallRegisterTilesAreLimitedBySharedMemory) {
  Kernel kernel =
      product(4096, 4096, 4096, tiles(64, 64, 8, 2, 2), ElementType::F32);
  EXPECT_GT(kernel.cost.step.shared, kernel.cost.step.fma);
  EXPECT_EQ(kernel.cost.step.limit(), kernel.cost.step.shared);
}

TEST(CostModel, ResidentBlocks) {
  // By the block count, by threads, by shared memory and by registers.
  EXPECT_EQ(product(64, 64, 8, tiles(8, 4, 8, 1, 1)).cost.residentBlocks, 32);
  EXPECT_EQ(
      product(64, 64, 8, tiles(32, 32, 8, 1, 1), ElementType::F64, "sm_75")
          .cost.residentBlocks,
      1);
  // 33 KiB and the system's 1 KiB, of 100 KiB.
  EXPECT_EQ(
      product(64, 64, 64, tiles(32, 32, 64, 2, 2), ElementType::F64, "sm_86")
          .cost.residentBlocks,
      2);
  EXPECT_EQ(product(256, 256, 8, tiles(64, 128, 8, 8, 8)).cost.residentBlocks,
            2);
}

TEST(CostModel, TheLastWaveCosts) {
  // One block more than fit at once takes another wave.
  int64_t resident = 132;
  Schedule schedule = tiles(128, 128, 8, 8, 8);
  double one = product(128 * resident, 128, 4096, schedule).cost.computeSeconds;
  double two =
      product(128 * (resident + 1), 128, 4096, schedule).cost.computeSeconds;
  EXPECT_NEAR(two / one, 2, 1e-9);
}

TEST(CostModel, LatencyIsHiddenByOtherBlocks) {
  // Blocks of one warp: 32 of them share a multiprocessor.
  Schedule schedule = tiles(8, 8, 8, 2, 1);
  double few = product(8 * 132, 8, 4096, schedule).cost.computeSeconds;
  double many = product(8 * 132, 8 * 8, 4096, schedule).cost.computeSeconds;
  EXPECT_LT(many, 1.5 * few);
}

TEST(CostModel, MemoryTimeIsTrafficOverBandwidth) {
  Kernel kernel = product(4096, 4096, 8, tiles(128, 128, 8, 8, 8));
  double bytes = 32 * kernel.cost.traffic.total();
  EXPECT_DOUBLE_EQ(kernel.cost.memorySeconds, bytes / 4.8e12);
  EXPECT_EQ(kernel.cost.seconds(), kernel.cost.memorySeconds);
}

TEST(CostModel, BoundsHold) {
  std::mt19937 random(5);
  unsigned checked = 0;
  for (unsigned trial = 0; trial < 2000; ++trial) {
    Contraction contraction = randomContraction(random);
    Schedule schedule = randomSchedule(contraction, random);
    const Target &chip = builtinTargets()[trial % builtinTargets().size()];
    Result<KernelLayout> layout = layOut(contraction, schedule, chip);
    if (!layout)
      continue;
    ++checked;
    Result<KernelLayout> threads =
        mapThreads(contraction, layout->blockM, layout->blockN,
                   layout->registerM, layout->registerN, chip);
    ASSERT_TRUE(threads);
    EXPECT_LE(threads->registers, layout->registers);
    Traffic traffic = countTraffic(contraction, *layout, chip);
    Cost cost = estimateCost(contraction, *layout, traffic, chip);
    double cycles = static_cast<double>(layout->steps * layout->blockK) *
                    boundCyclesPerK(contraction, *threads, chip);
    double bound = boundSeconds(static_cast<double>(layout->blocks), cycles,
                                traffic, chip);
    EXPECT_LE(bound, cost.seconds() * (1 + 1e-12)) << "trial " << trial;
  }
  EXPECT_GT(checked, 1000u);
}

} // namespace
