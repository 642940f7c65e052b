//===- PhasesTest.cpp - Times of kernels with all waits -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Phases.h"

#include "Machine/TestTargets.h"
#include "Problem/TestContractions.h"

using namespace tc;
using namespace tc::model;
using namespace tc::model::test;

namespace {

/// Multiprocessors whose latencies and rates make for round figures: nothing
/// waits but for the subject of a test.
Target roundTarget() {
  Target chip = target("sm_90");
  chip.multiprocessors = 1;
  chip.clockHertz = 1e9;
  chip.memoryLatencyCycles = 1000;
  chip.barrierCycles = 100;
  chip.sharedLatencyCycles = 50;
  chip.l2LatencyCycles = 640; // of 640 bytes of code: a cycle a byte
  chip.l2PortBytesPerCycle = 64;
  chip.l2BytesPerSecond = 64e9;
  chip.memoryBytesPerSecond = 32e9;
  chip.attainable.memoryCopies = 0.5;
  chip.attainable.sustainedF32 = chip.attainable.sustainedF64 = 1;
  return chip;
}

struct Kernel {
  Contraction contraction;
  KernelLayout layout;
  BlockWork work;
  Cost cost;
};

Kernel product(int64_t m, int64_t n, int64_t k, const Schedule &schedule,
               const Target &chip, ElementType type = ElementType::F64) {
  Kernel kernel;
  kernel.contraction =
      contract("mk", "kn", "mn", {{"m", m}, {"n", n}, {"k", k}}, type);
  Result<KernelLayout> layout = layOut(kernel.contraction, schedule, chip);
  if (!layout) {
    ADD_FAILURE() << layout.error();
    return kernel;
  }
  kernel.layout = *layout;
  kernel.work = countBlockWork(kernel.contraction, *layout, chip);
  kernel.cost =
      estimateCost(kernel.contraction, *layout,
                   countTraffic(kernel.contraction, *layout, chip), chip);
  return kernel;
}

double cyclesOf(const Kernel &kernel, const Target &chip) {
  return predictCycles(kernel.contraction, kernel.layout, kernel.cost,
                       kernel.work, chip);
}

// One block takes all its phases. Of two stations that take as long, so many
// blocks n keep each busy for n / (n + 1) of the time; where nothing else takes
// time, one station is busy always.
TEST(Phases, BlocksQueue) {
  BlockPhases block{100, 50, 250};
  EXPECT_DOUBLE_EQ(cyclesOfEach(block, 1), 400);
  // A second one finds the first at its stations for 1/4 and 1/8 of the time.
  EXPECT_DOUBLE_EQ(cyclesOfEach(block, 2), (100 * 1.25 + 50 * 1.125 + 250) / 2);
  for (int64_t blocks : {1, 2, 3, 8}) {
    auto n = static_cast<double>(blocks);
    EXPECT_NEAR(cyclesOfEach({100, 100, 0}, blocks), 100 * (n + 1) / n, 1e-9);
    EXPECT_NEAR(cyclesOfEach({100, 0, 0}, blocks), 100, 1e-9);
  }
  // Many of them hide all that they wait for.
  EXPECT_NEAR(cyclesOfEach(block, 32), 100, 1e-3);
}

// A block by itself, of one step: it works out offsets, waits for both tiles,
// which come from DRAM at 16 bytes a cycle, at a barrier, for the first
// fragments, multiplies and stores, 128 bytes a cycle.
TEST(Phases, OneBlockOfOneStep) {
  Target chip = roundTarget();
  Schedule schedule = {"sm_90", {{"m", 32}}, {{"n", 32}}, {{"k", 16}}, 4, 4};
  Kernel kernel = product(32, 32, 16, schedule, chip);
  ASSERT_EQ(kernel.layout.blocks, 1);
  ASSERT_EQ(kernel.layout.steps, 1);
  ASSERT_FALSE(kernel.layout.a.passesRegisters());
  ASSERT_FALSE(kernel.layout.b.passesRegisters());
  const BlockWork &work = kernel.work;
  StepCycles step = work.step(Stationary::Output);
  double warps = 2, tiles = 2 * 32 * 16 * 8 / 16.0;
  double depth = static_cast<double>(kernel.layout.stepDepth());
  // Two of four schedulers have a warp.
  double multiplying =
      2 * step.limit() + chip.barrierCycles + work.product.shared * depth / 16;
  double instructions = (work.product.issue + work.copyA.issue +
                         work.copyB.issue + work.offsets + work.store) *
                        4 / warps;
  double offsets = 4 * work.offsets * 4 / warps, stores = 32 * 32 * 8 / 128;
  EXPECT_NEAR(cyclesOf(kernel, chip),
              offsets + chip.memoryLatencyCycles + tiles + multiplying +
                  stores + instructions * 16,
              1e-6);
  // If they leave more slowly, at 2 bytes a cycle, the next block's loads wait
  // for that, but not for offsets besides.
  Target slow = chip;
  slow.memoryBytesPerSecond /= 8;
  kernel = product(32, 32, 16, schedule, slow);
  EXPECT_NEAR(cyclesOf(kernel, slow),
              32 * 32 * 8 / 2.0 + slow.memoryLatencyCycles + 8 * tiles +
                  multiplying + instructions * 16,
              1e-6);
}

// Steps take as long as their tiles are on the way, where that is longer.
TEST(Phases, LoadsOfLaterStepsOverlapProducts) {
  Target slow = roundTarget();
  slow.memoryLatencyCycles = 1;
  Target fast = slow;
  fast.memoryBytesPerSecond = 1e13;
  fast.l2BytesPerSecond = 64e9;
  // All rows of both tiles are whole lines.
  Schedule schedule = {"sm_90", {{"m", 64}}, {{"n", 64}}, {{"k", 16}}, 4, 4};
  auto perStep = [&](const Target &chip) {
    double few = cyclesOf(product(64, 64, 512, schedule, chip), chip);
    double many = cyclesOf(product(64, 64, 1024, schedule, chip), chip);
    return (many - few) / 32;
  };
  double tile = 2 * 64 * 16 * 8 / 16.0;
  double step = perStep(fast);
  slow.memoryBytesPerSecond /= 4;
  EXPECT_LT(step, 4 * tile);
  EXPECT_NEAR(perStep(slow), 4 * tile, 2);

  // With more stages, no step waits for the latency.
  slow.memoryLatencyCycles = 1000;
  Schedule deep = schedule;
  deep.stages = 5;
  Kernel shallow = product(64, 64, 1024, schedule, slow);
  Kernel deeper = product(64, 64, 1024, deep, slow);
  EXPECT_LT(cyclesOf(deeper, slow), cyclesOf(shallow, slow));
}

// Copies by way of registers are waited for in every other step.
TEST(Phases, CopiesByWayOfRegistersAreWaitedFor) {
  Target chip = roundTarget();
  Schedule schedule = {"sm_90", {{"m", 64}}, {{"n", 64}}, {{"k", 8}}, 4, 4};
  Kernel kernel = product(64, 64, 1024, schedule, chip);
  ASSERT_FALSE(kernel.layout.b.passesRegisters());
  double before = cyclesOf(kernel, chip);
  kernel.layout.b.instruction = CopyInstruction::Registers;
  auto steps = static_cast<double>(kernel.layout.steps);
  EXPECT_GT(cyclesOf(kernel, chip),
            before + (steps - 1) / 2 * chip.memoryLatencyCycles);
}

// The best library attains a part of the rate of f32, as operands lie in banks
// of registers.
TEST(Phases, BanksOfRegistersTakeTime) {
  Target chip = roundTarget(), banked = chip;
  banked.attainable.sustainedF32 = 0.8;
  Schedule schedule = {"sm_90", {{"m", 128}}, {{"n", 128}}, {{"k", 8}}, 8, 8};
  auto perStep = [&](const Target &target) {
    auto cycles = [&](int64_t k) {
      return cyclesOf(product(128, 128, k, schedule, target, ElementType::F32),
                      target);
    };
    return (cycles(2048) - cycles(1024)) / 128;
  };
  chip.memoryBytesPerSecond = banked.memoryBytesPerSecond = 1e13;
  double products = 128 * 128 * 8 / 128.0;
  EXPECT_NEAR(perStep(banked) - perStep(chip), products / 4, 1e-6);
}

} // namespace
