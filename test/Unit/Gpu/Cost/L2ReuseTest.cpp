//===- L2ReuseTest.cpp - Tests of reuse in the L2 cache -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A matrix product of 8 x 8 blocks of 64 x 64. A row of blocks has half a MiB
// of A, a column half a MiB of B, a block 1/32 MiB of C.
//
//===----------------------------------------------------------------------===//

#include "Machine/TestTargets.h"
#include "Problem/TestContractions.h"

#include "tc/Gpu/Cost/L2Reuse.h"

using namespace tc;
using namespace tc::model;
using namespace tc::model::test;

namespace {

constexpr int64_t MiB = 1 << 20;

/// Passes over A and over B with an L2 cache of that size.
std::pair<double, double> passes(int64_t l2Bytes, double concurrentBlocks,
                                 GridMapping mapping = {}, int64_t batches = 1,
                                 int64_t k = 1024) {
  Contraction product = contract(
      "xmk", "xkn", "xmn", {{"x", batches}, {"m", 512}, {"n", 512}, {"k", k}});
  Target chip = target("sm_90");
  chip.l2Bytes = l2Bytes;
  Schedule schedule{"sm_90", {{"m", 64}}, {{"n", 64}}, {{"k", 8}},
                    4,       4,           mapping};
  Result<KernelLayout> layout = layOut(product, schedule, chip);
  if (!layout) {
    ADD_FAILURE() << layout.error();
    return {};
  }
  PerTensor<double> result =
      dramPasses(product, *layout, countTraffic(product, *layout, chip),
                 concurrentBlocks, chip);
  EXPECT_EQ(result[Tensor::C], 1);
  return {result[Tensor::A], result[Tensor::B]};
}

using Pair = std::pair<double, double>;

TEST(L2Reuse, AllBlocksAtOnceShareEverything) {
  EXPECT_EQ(passes(1, 64), Pair(1, 1));
  EXPECT_EQ(passes(1, 1000), Pair(1, 1));
}

// A wave of two columns needs all of A (4 MiB), two columns of B and 16 blocks
// of C (half a MiB): 5.5 MiB between two uses of A.
TEST(L2Reuse, WavesOfSeveralColumns) {
  EXPECT_EQ(passes(11 * MiB / 2, 16), Pair(1, 1));
  EXPECT_EQ(passes(11 * MiB / 2 - 1, 16), Pair(4, 1));
  EXPECT_EQ(passes(1, 32), Pair(2, 1));
}

// A wave of half a column. Between two uses of A lies a column: 4 MiB of A,
// half a MiB of B, a quarter of C. Between two uses of B lies a wave: 2, 1/2
// and 1/8.
TEST(L2Reuse, WavesOfPartOfAColumn) {
  EXPECT_EQ(passes(19 * MiB / 4, 4), Pair(1, 1));
  EXPECT_EQ(passes(19 * MiB / 4 - 1, 4), Pair(8, 1));
  EXPECT_EQ(passes(21 * MiB / 8, 4), Pair(8, 1));
  EXPECT_EQ(passes(21 * MiB / 8 - 1, 4), Pair(8, 2));
  EXPECT_EQ(passes(1, 1), Pair(8, 8));
}

// Two groups of four rows; a wave is a square of 4 x 4 blocks: 2 + 2 + 1/2 MiB.
// Between two uses of B lies a group: 2 + 4 + 1 MiB.
TEST(L2Reuse, Rasterisation) {
  GridMapping groups{4, Stationary::Output, 1, 1};
  EXPECT_EQ(passes(7 * MiB, 16, groups), Pair(1, 1));
  EXPECT_EQ(passes(7 * MiB - 1, 16, groups), Pair(1, 2));
  EXPECT_EQ(passes(9 * MiB / 2, 16, groups), Pair(1, 2));
  EXPECT_EQ(passes(9 * MiB / 2 - 1, 16, groups), Pair(2, 2));
  // Both groups at once.
  EXPECT_EQ(passes(1, 64, groups), Pair(1, 1));
  // A group of more rows than there are is all of them.
  EXPECT_EQ(passes(1, 16, {100, Stationary::Output, 1, 1}), passes(1, 16));
}

TEST(L2Reuse, BatchesShareNothing) {
  EXPECT_EQ(passes(11 * MiB / 2, 16, {}, 3), Pair(1, 1));
  EXPECT_EQ(passes(11 * MiB / 2 - 1, 16, {}, 3), Pair(4, 1));
}

// Two blocks for each sum: the wave covers half as many outputs.
TEST(L2Reuse, SplitSumsTakeThePlacesOfOthers) {
  GridMapping split{0, Stationary::Output, 1, 2};
  EXPECT_EQ(passes(1, 32, split), passes(1, 16));
}

// A block that keeps A loops over all of N: there is one column of blocks,
// which loads A once.
TEST(L2Reuse, WhatIsStationaryIsVisitedOnce) {
  Contraction product =
      contract("mk", "kn", "mn", {{"m", 512}, {"n", 512}, {"k", 8}});
  Schedule schedule{"sm_90",
                    {{"m", 64}},
                    {{"n", 64}},
                    {{"k", 8}},
                    4,
                    4,
                    {0, Stationary::A, 8, 1}};
  Target chip = target("sm_90");
  chip.l2Bytes = 1;
  Result<KernelLayout> layout = layOut(product, schedule, chip);
  ASSERT_TRUE(layout) << layout.error();
  PerTensor<double> result = dramPasses(
      product, *layout, countTraffic(product, *layout, chip), 1, chip);
  EXPECT_EQ(result[Tensor::A], 1);
  EXPECT_EQ(result[Tensor::B], 8);
}

} // namespace
