//===- HierarchyTest.cpp - Tests of levels of memory ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The levels of targets.
//
//===----------------------------------------------------------------------===//

#include "Machine/TestTargets.h"

#include "tc/Hierarchy/Hierarchy.h"
#include "tc/Machine/CpuTarget.h"

#include <gtest/gtest.h>

using namespace tc;
using namespace tc::model;
using namespace tc::model::test;

namespace {

TEST(Hierarchy, LevelsOfAGpu) {
  Hierarchy hierarchy = memoryHierarchy(target("sm_90"));
  ASSERT_EQ(hierarchy.size(), 4u);
  EXPECT_EQ(hierarchy[0].capacityBytes, 256 * 1024);
  EXPECT_EQ(hierarchy[1].capacityBytes,
            target("sm_90").multiprocessor.sharedBytes);
  EXPECT_EQ(hierarchy[2].capacityBytes, target("sm_90").l2Bytes);
  EXPECT_EQ(hierarchy[2].lineBytes, 32);
  EXPECT_EQ(hierarchy[1].bytesPerSecond,
            128 * target("sm_90").clockHertz * target("sm_90").multiprocessors);
  EXPECT_EQ(hierarchy[3].bytesPerSecond, target("sm_90").memoryBytesPerSecond);
}

TEST(Hierarchy, LevelsOfACpu) {
  CpuTarget cpu;
  cpu.vectorBytes = 32;
  cpu.vectorRegisters = 16;
  cpu.caches = {{"L1", 32768, 8, 64, 1, 100e9},
                {"L2", 262144, 8, 64, 1, 60e9},
                {"L3", 12 * 1024 * 1024, 16, 64, 8, 30e9}};
  cpu.memoryBytesPerSecond = 15e9;
  Hierarchy alone = memoryHierarchy(cpu);
  ASSERT_EQ(alone.size(), 5u);
  EXPECT_EQ(alone[0].capacityBytes, 512);
  EXPECT_EQ(alone[3].capacityBytes, 12 * 1024 * 1024);
  EXPECT_EQ(alone[3].bytesPerSecond, 30e9);
  EXPECT_EQ(alone[4].bytesPerSecond, 15e9);
  // Five cores share it in whole sets of 16 lines; more than eight cores are
  // not on the same cache.
  Hierarchy shared = memoryHierarchy(cpu, 5);
  EXPECT_EQ(shared[3].capacityBytes, 12 * 1024 * 1024 / 5 / 1024 * 1024);
  EXPECT_EQ(shared[1].capacityBytes, 32768);
  EXPECT_EQ(memoryHierarchy(cpu, 64)[3].capacityBytes, 12 * 1024 * 1024 / 8);
}

} // namespace
