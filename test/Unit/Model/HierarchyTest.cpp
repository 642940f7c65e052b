//===- HierarchyTest.cpp - Tests of hierarchies and their schedules -------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The message of every rule, footprints, and the levels of targets.
//
//===----------------------------------------------------------------------===//

#include "TestUtils.h"

#include "tc/Hierarchy/Hierarchy.h"
#include "tc/Machine/CpuTarget.h"

using namespace tc;
using namespace tc::model;
using namespace tc::model::test;

namespace {

Hierarchy caches() {
  return {{"L1", 32768, 64, 8, 0},
          {"L2", 262144, 64, 8, 50e9},
          {"memory", 0, 64, 0, 10e9}};
}

std::string checkedHierarchy(const Hierarchy &hierarchy) {
  Status status = checkHierarchy(hierarchy);
  return status ? "" : status.error();
}

TEST(Hierarchy, EveryMissingOrContradictoryFigureIsNamed) {
  EXPECT_EQ(checkedHierarchy(caches()), "");
  EXPECT_EQ(checkedHierarchy({caches().front()}),
            "a hierarchy needs at least two levels, but has 1");
  auto with = [](auto change) {
    Hierarchy hierarchy = caches();
    change(hierarchy);
    return checkedHierarchy(hierarchy);
  };
  EXPECT_EQ(with([](Hierarchy &h) { h[1].name = ""; }),
            "level 1: name is missing");
  EXPECT_EQ(with([](Hierarchy &h) { h[1].name = "L1"; }),
            "level 'L1': name is given twice");
  EXPECT_EQ(with([](Hierarchy &h) { h[0].capacityBytes = -1; }),
            "level 'L1': capacityBytes is -1, but must not be negative");
  EXPECT_EQ(with([](Hierarchy &h) { h[1].capacityBytes = 0; }),
            "level 'L2': capacityBytes is missing; only the outermost level "
            "can be without limit");
  EXPECT_EQ(with([](Hierarchy &h) { h[1].lineBytes = 0; }),
            "level 'L2': lineBytes is 0, but must be at least 1");
  EXPECT_EQ(with([](Hierarchy &h) { h[0].ways = -8; }),
            "level 'L1': ways is -8, but must not be negative");
  EXPECT_EQ(with([](Hierarchy &h) { h[0].capacityBytes = 32767; }),
            "level 'L1': capacityBytes (32767) is no multiple of lineBytes "
            "times ways (512)");
  EXPECT_EQ(with([](Hierarchy &h) {
              h[0].ways = 0;
              h[0].capacityBytes = 100;
            }),
            "level 'L1': capacityBytes (100) is no multiple of lineBytes (64)");
  EXPECT_EQ(with([](Hierarchy &h) { h[2].bytesPerSecond = 0; }),
            "level 'memory': bytesPerSecond is missing, but the level fills "
            "'L2'");
  EXPECT_EQ(with([](Hierarchy &h) { h[1].bytesPerSecond = 0.0 / 0.0; }),
            "level 'L2': bytesPerSecond is missing, but the level fills 'L1'");
}

Contraction product() {
  return contract("ik", "kj", "ij", {{"i", 96}, {"j", 80}, {"k", 64}});
}

HierarchySchedule schedule() {
  return {{{{8, 16, 32}, 2}, {{48, 40, 64}, 0}}, std::nullopt, {}};
}

TEST(Hierarchy, EveryRuleOfSchedulesHasItsMessage) {
  auto with = [](auto change) -> std::string {
    HierarchySchedule changed = schedule();
    change(changed);
    Status status = checkSchedule(product(), caches(), changed);
    return status ? "" : status.error();
  };
  EXPECT_EQ(with([](HierarchySchedule &) {}), "");
  EXPECT_EQ(with([](HierarchySchedule &s) { s.levels.pop_back(); }),
            "the schedule has tiles for 1 levels, but the hierarchy needs 2: "
            "one for each level but the outermost");
  EXPECT_EQ(with([](HierarchySchedule &s) { s.packed[Tensor::B] = 3; }),
            "B is packed at level 3, but the hierarchy has only 3");
  EXPECT_EQ(with([](HierarchySchedule &s) { s.levels[0].extents = {1, 1}; }),
            "level 'L1': the tile has 2 extents, but the contraction has 3 "
            "indices");
  EXPECT_EQ(with([](HierarchySchedule &s) { s.levels[1].innermost = 3; }),
            "level 'L2': the innermost loop is that of index 3, but the "
            "contraction has only 3");
  EXPECT_EQ(with([](HierarchySchedule &s) { s.levels[1].extents[1] = 81; }),
            "level 'L2', index 'j': the tile's extent 81 is not between 1 and "
            "80");
  EXPECT_EQ(with([](HierarchySchedule &s) { s.levels[0].extents[2] = 0; }),
            "level 'L1', index 'k': the tile's extent 0 is not between 1 and "
            "64");
  EXPECT_EQ(with([](HierarchySchedule &s) { s.levels[0].extents[0] = 49; }),
            "level 'L1', index 'i': the tile's extent 49 exceeds the 48 of "
            "level 'L2'");
  EXPECT_EQ(
      with([](HierarchySchedule &s) { s.levels[0].extents = {48, 40, 32}; }),
      "level 'L1': the tiles of A (12288 bytes), B (10240 bytes) and C "
      "(15360 bytes) take 37888 bytes, but the level has 32768");
  // 18, 7.5 and 4.2 KiB are fewer bytes than there are, but each tensor takes
  // whole ways of 4 KiB.
  EXPECT_EQ(
      with([](HierarchySchedule &s) { s.levels[0].extents = {36, 15, 64}; }),
      "level 'L1': the tiles of A (5 ways), B (2 ways) and C (2 ways) "
      "take 9 ways, but the level has 8");
  EXPECT_EQ(with([](HierarchySchedule &s) {
              s.registerTile = RegisterTile{0, 4};
              s.levels[0].extents.clear();
            }),
            "level 'L1': the register tile is 0 x 4, but both must be at least "
            "1");
  EXPECT_EQ(
      with([](HierarchySchedule &s) { s.registerTile = RegisterTile{6, 4}; }),
      "level 'L1': has both a register tile and extents");
}

TEST(Hierarchy, FootprintsAreProductsOfExtents) {
  PerTensor<double> inner = footprint(product(), schedule(), 0);
  EXPECT_EQ(inner[Tensor::A], 8 * 32);
  EXPECT_EQ(inner[Tensor::B], 32 * 16);
  EXPECT_EQ(inner[Tensor::C], 8 * 16);
  // Beyond the last tile lies the whole tensor.
  EXPECT_EQ(footprint(product(), schedule(), 2)[Tensor::B], 64 * 80);
  HierarchySchedule registers = schedule();
  registers.registerTile = RegisterTile{6, 8};
  EXPECT_EQ(footprint(product(), registers, 0)[Tensor::C], 48);
}

TEST(Hierarchy, LevelsOfAGpu) {
  Hierarchy hierarchy = memoryHierarchy(target("sm_90"));
  EXPECT_EQ(checkedHierarchy(hierarchy), "");
  ASSERT_EQ(hierarchy.size(), 4u);
  EXPECT_EQ(hierarchy[0].capacityBytes, 256 * 1024);
  EXPECT_EQ(hierarchy[1].capacityBytes,
            target("sm_90").multiprocessor.sharedBytes);
  EXPECT_EQ(hierarchy[2].capacityBytes, target("sm_90").l2Bytes);
  EXPECT_EQ(hierarchy[2].lineBytes, 32);
  EXPECT_EQ(hierarchy[1].bytesPerSecond,
            128 * target("sm_90").clockHertz * target("sm_90").multiprocessors);
  EXPECT_EQ(hierarchy[3].bytesPerSecond, target("sm_90").memoryBytesPerSecond);
  for (const Target &builtin : builtinTargets())
    EXPECT_EQ(checkedHierarchy(memoryHierarchy(builtin)), "") << builtin.name;
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
  EXPECT_EQ(checkedHierarchy(alone), "");
  ASSERT_EQ(alone.size(), 5u);
  EXPECT_EQ(alone[0].capacityBytes, 512);
  EXPECT_EQ(alone[3].capacityBytes, 12 * 1024 * 1024);
  EXPECT_EQ(alone[3].bytesPerSecond, 30e9);
  EXPECT_EQ(alone[4].bytesPerSecond, 15e9);
  // Five cores share it in whole sets of 16 lines; more than eight cores are
  // not on the same cache.
  Hierarchy shared = memoryHierarchy(cpu, 5);
  EXPECT_EQ(checkedHierarchy(shared), "");
  EXPECT_EQ(shared[3].capacityBytes, 12 * 1024 * 1024 / 5 / 1024 * 1024);
  EXPECT_EQ(shared[1].capacityBytes, 32768);
  EXPECT_EQ(memoryHierarchy(cpu, 64)[3].capacityBytes, 12 * 1024 * 1024 / 8);
}

} // namespace
