//===- AccessCountsMappingTest.cpp - Accesses of mapped tiles -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels whose blocks loop over tiles or share sums: closed forms, and sums
// over blocks against the whole grid. test/Unit/ModelSimulation has the
// simulator's word.
//
//===----------------------------------------------------------------------===//

#include "RandomCases.h"
#include "TestSchedules.h"

#include "tc/Gpu/Layout/AccessCounts.h"

using namespace tc;
using namespace tc::model;
using namespace tc::model::test;

namespace {

AccessCounts countProduct(int64_t m, int64_t n, int64_t k,
                          const GridMapping &mapping, int64_t tileK) {
  Contraction product =
      contract("mk", "kn", "mn", {{"m", m}, {"n", n}, {"k", k}});
  Result<KernelLayout> layout =
      layOut(product,
             {"sm_90", {{"m", 64}}, {{"n", 64}}, {{"k", tileK}}, 4, 4, mapping},
             target("sm_90"));
  if (!layout) {
    ADD_FAILURE() << layout.error();
    return {};
  }
  return countAccesses(product, *layout, target("sm_90"));
}

TEST(AccessCountsMapping, WalkInClosedForm) {
  // 4 x 3 blocks of up to 4 of the 10 tiles along N; 8 warps each.
  AccessCounts counts =
      countProduct(256, 640, 16, {0, Stationary::A, 4, 1}, 16);
  AccessCounts plain = countProduct(256, 640, 16, {}, 16);
  EXPECT_EQ(counts.blocks, 12);
  EXPECT_EQ(counts.loads[Tensor::A].bytes, 3 * 256 * 16 * 8);
  EXPECT_EQ(counts.loads[Tensor::B].bytes, plain.loads[Tensor::B].bytes);
  EXPECT_EQ(counts.stores.bytes, plain.stores.bytes);
  EXPECT_EQ(counts.sharedLoads.bytes, plain.sharedLoads.bytes);
  EXPECT_EQ(counts.sharedStores.bytes, (3 * 256 * 16 + 4 * 640 * 16) * 8);
  EXPECT_EQ(counts.threadFmas, 256.0 * 640 * 16);
  EXPECT_EQ(counts.barriers, 2 * 40);
  EXPECT_EQ(counts.barrierInstructions, 2 * 40 * 8);
}

TEST(AccessCountsMapping, SharedSumsInClosedForm) {
  // 2 x 2 tiles of C, of three parts each, of 4, 3 and 3 K tiles.
  AccessCounts counts =
      countProduct(128, 128, 80, {0, Stationary::Output, 1, 3}, 8);
  AccessCounts plain = countProduct(128, 128, 80, {}, 8);
  EXPECT_EQ(counts.blocks, 12);
  for (Tensor tensor : allTensors)
    EXPECT_EQ(counts.loads[tensor].sectors, plain.loads[tensor].sectors);
  EXPECT_EQ(counts.stores.sectors, plain.stores.sectors);
  EXPECT_EQ(counts.partStores.bytes, 3 * 128 * 128 * 8);
  EXPECT_EQ(counts.partStores.sectors, 3 * 128 * 128 / 4);
  EXPECT_EQ(counts.partStores.instructions, 3 * 128 * 128 / 2 / 32);
  EXPECT_EQ(counts.partLoads.bytes, counts.partStores.bytes);
  EXPECT_EQ(counts.atomics, 12);
  EXPECT_EQ(counts.barriers, plain.barriers + 2 * 12);
  // One thread writes whether the block is the last; all read it.
  EXPECT_EQ(counts.sharedStores.bytes, plain.sharedStores.bytes + 4 * 12);
  EXPECT_EQ(counts.sharedLoads.bytes, plain.sharedLoads.bytes + 4 * 256 * 12);
  EXPECT_EQ(counts.threadFmas, plain.threadFmas);
}

TEST(AccessCountsMapping, SomePartsAddNothingUp) {
  Contraction product =
      contract("mk", "kn", "mn", {{"m", 128}, {"n", 128}, {"k", 80}});
  Result<KernelLayout> layout = layOut(product,
                                       {"sm_90",
                                        {{"m", 64}},
                                        {{"n", 64}},
                                        {{"k", 8}},
                                        4,
                                        4,
                                        {0, Stationary::Output, 1, 3}},
                                       target("sm_90"));
  ASSERT_TRUE(layout) << layout.error();
  AccessCounts some =
      countAccesses(product, *layout, target("sm_90"), {0, 1, 4});
  EXPECT_EQ(some.stores.bytes, 0);
  EXPECT_EQ(some.partLoads.bytes, 0);
  EXPECT_EQ(some.partStores.bytes, 3 * 64 * 64 * 8);
  AccessCounts sum =
      countAccesses(product, *layout, target("sm_90"), {3, 4, 5});
  EXPECT_EQ(sum.stores.bytes, 64 * 64 * 8);
  EXPECT_EQ(sum.partLoads.bytes, 3 * 64 * 64 * 8);
}

void expectEqual(const GlobalRequests &a, const GlobalRequests &b) {
  EXPECT_EQ(a.instructions, b.instructions);
  EXPECT_EQ(a.sectors, b.sectors);
  EXPECT_EQ(a.bytes, b.bytes);
}

void expectEqual(const SharedRequests &a, const SharedRequests &b) {
  EXPECT_EQ(a.instructions, b.instructions);
  EXPECT_EQ(a.bytes, b.bytes);
  EXPECT_EQ(a.wavefronts, b.wavefronts);
  EXPECT_EQ(a.idealWavefronts, b.idealWavefronts);
}

TEST(AccessCountsMapping, TheGridIsTheSumOfItsBlocks) {
  std::mt19937 random(7);
  const unsigned trials = randomCases(1000);
  unsigned compared = 0;
  for (unsigned trial = 0; trial < trials; ++trial) {
    Contraction contraction = randomContraction(random);
    Schedule schedule = randomSchedule(contraction, random);
    mapRandomly(schedule, contraction, random);
    const Target &chip = target(trial % 2 ? "sm_90" : "sm_75");
    Result<KernelLayout> layout = layOut(contraction, schedule, chip);
    if (!layout || layout->blocks * layout->steps > 5000)
      continue;
    SCOPED_TRACE("trial " + std::to_string(trial));
    ++compared;
    std::vector<int64_t> blocks;
    for (int64_t block = 0; block < layout->blocks; ++block)
      blocks.push_back(block);
    AccessCounts grid = countAccesses(contraction, *layout, chip);
    AccessCounts sum = countAccesses(contraction, *layout, chip, blocks);
    EXPECT_EQ(grid.blocks, sum.blocks);
    for (Tensor tensor : allTensors)
      expectEqual(grid.loads[tensor], sum.loads[tensor]);
    expectEqual(grid.stores, sum.stores);
    expectEqual(grid.partStores, sum.partStores);
    expectEqual(grid.partLoads, sum.partLoads);
    EXPECT_EQ(grid.atomics, sum.atomics);
    expectEqual(grid.sharedLoads, sum.sharedLoads);
    expectEqual(grid.sharedStores, sum.sharedStores);
    EXPECT_EQ(grid.asynchronousCopies, sum.asynchronousCopies);
    EXPECT_EQ(grid.threadFmas, sum.threadFmas);
    EXPECT_EQ(grid.fmaInstructions, sum.fmaInstructions);
    EXPECT_EQ(grid.barriers, sum.barriers);
    if (HasFailure())
      break;
  }
  EXPECT_GT(compared, trials * 3 / 10);
}

} // namespace
