//===- BlocksTest.cpp - Tests of blocks that fill levels of memory --------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Hierarchy/Blocks.h"
#include "tc/Machine/CpuTarget.h"

#include <gtest/gtest.h>

using namespace tc;
using namespace tc::model;

namespace {

TEST(Blocks, HaveTheUsablePartOfWhatACoreHas) {
  CpuTarget cpu;
  cpu.vectorBytes = 32;
  cpu.vectorRegisters = 16;
  cpu.cores = 4;
  cpu.caches = {{"L1", 32768, 8, 64, 1, 100e9},
                {"L2", 262144, 8, 64, 1, 60e9},
                {"L3", 8 << 20, 16, 64, 8, 30e9}};
  Hierarchy levels = blockHierarchy(cpu);
  ASSERT_EQ(levels.size(), 5u);
  EXPECT_EQ(levels[1].capacityBytes, 32768);
  EXPECT_EQ(levels[2].capacityBytes, 131072);
  EXPECT_EQ(levels[3].capacityBytes, 1 << 20);
  EXPECT_EQ(levels[4].capacityBytes, 0);
  EXPECT_EQ(cacheOf(levels, 2).name, "L2");
  EXPECT_EQ(cacheOf(levels, 7).name, "L3");
  // Four times the second cache, all of it.
  EXPECT_FALSE(passesCaches(cpu, 4 * 262144));
  EXPECT_TRUE(passesCaches(cpu, 4 * 262144 + 1));
  cpu.costs.streamedCaches = 8;
  EXPECT_FALSE(passesCaches(cpu, 4 * 262144 + 1));
  cpu.caches.resize(1);
  levels = blockHierarchy(cpu);
  EXPECT_EQ(cacheOf(levels, 2).name, "L1");
  EXPECT_EQ(usablePartOf(cacheOf(levels, 1)).capacityBytes, 16384);
}

TEST(Blocks, GrowAlongEachSide) {
  MemoryLevel level = {"L2", 65536, 64, 0, 1e9};
  // 24 rows and 8 columns of 8 bytes: 256 bytes for each value of K, and sums.
  EXPECT_EQ(largestBlock(level, BlockSide::Depth, {24, 8, 0, 8}, 1, 1000),
            (65536 - 1536) / 256);
  EXPECT_EQ(largestBlock(level, BlockSide::Depth, {0, 8, 0, 8}, 1, 10000),
            65536 / 64);
  EXPECT_EQ(largestBlock(level, BlockSide::Rows, {0, 0, 64, 8}, 24, 1000), 128);
  EXPECT_EQ(largestBlock(level, BlockSide::Columns,
                         {0, 0, 64, 8, true, BlockSide::Columns}, 8, 1000),
            64);
  EXPECT_EQ(
      largestBlock(level, BlockSide::Columns, {64, 0, 0, 8, true}, 8, 1000),
      128);
  EXPECT_EQ(
      largestBlock(level, BlockSide::Columns, {64, 0, 0, 8, false}, 8, 1000),
      1000);
  // At least one unit, whatever it takes, and no more than there are.
  EXPECT_EQ(largestBlock(level, BlockSide::Rows, {0, 0, 1 << 20, 8}, 24, 48),
            24);
  EXPECT_EQ(largestBlock(level, BlockSide::Rows, {0, 0, 64, 8}, 24, 96), 96);
}

TEST(Blocks, AreEqualInWholeUnits) {
  EXPECT_EQ(equalBlock(100, 30, 8), 24);
  EXPECT_EQ(equalBlock(100, 64, 8), 56);
  EXPECT_EQ(equalBlock(100, 200, 8), 104);
  EXPECT_EQ(equalBlock(100, 8, 8), 8);
  EXPECT_EQ(equalBlock(0, 64, 8), 8);
  EXPECT_EQ(equalBlock(97, 96, 1), 49);
}

} // namespace
