//===- CpuMovementTest.cpp - Data movement of CPU schedules ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Closed forms of the loops of GETT, and a count of packed elements.
//
//===----------------------------------------------------------------------===//

#include "Problem/TestContractions.h"

#include "tc/Cpu/CpuMovement.h"

using namespace tc;
using namespace tc::model;
using namespace tc::model::test;

namespace {

/// Three caches, so that blocks of `schedule` fit as BLIS has them: a panel of
/// rows and one of columns the first, a block of rows the second, one of
/// columns the third, and nothing all of the tensors.
CpuTarget cpu() {
  CpuTarget target;
  target.name = "test";
  target.vectorBytes = 64;
  target.vectorRegisters = 32;
  target.clockHertz = 2e9;
  target.fmaPerCycleF32 = 32;
  target.fmaPerCycleF64 = 16;
  target.memoryBytesPerSecond = 1e9;
  target.caches = {{"L1", 32 * 1024, 8, 64, 1, 8e9},
                   {"L2", 256 * 1024, 8, 64, 1, 4e9},
                   {"L3", 2048 * 1024, 16, 64, 1, 2e9}};
  return target;
}

Contraction product() {
  return contract("km", "nk", "nm", {{"m", 960}, {"n", 800}, {"k", 400}});
}

CpuSchedule schedule() {
  CpuSchedule schedule;
  schedule.target = "test";
  schedule.rows = Role::M;
  schedule.m = {{"m", 192}};
  schedule.n = {{"n", 400}};
  schedule.k = {{"k", 100}};
  schedule.registerRows = 24;
  schedule.registerColumns = 8;
  schedule.lanes = 8;
  return schedule;
}

std::vector<CpuLevelUse> use(const CpuSchedule &schedule) {
  Result<std::vector<CpuLevelUse>> uses = levelUses(product(), schedule, cpu());
  if (!uses) {
    ADD_FAILURE() << uses.error();
    return std::vector<CpuLevelUse>(3);
  }
  return *uses;
}

constexpr double sizeA = 960 * 400 * 8, sizeB = 800 * 400 * 8,
                 sizeC = 960 * 800 * 8;

TEST(CpuMovement, LoopsOfGett) {
  CpuLoops loops =
      tilingLoopsOf(product(), schedule(), *layOut(product(), schedule()));
  // Panels of rows, then of columns, then blocks of M, K and N.
  ASSERT_EQ(loops.loops.size(), 5u);
  const double trips[] = {8, 50, 5, 4, 2};
  const PerTensor<double> touched[] = {
      {{24 * 100 * 8, 8 * 100 * 8, 24 * 8 * 8}},
      {{192 * 100 * 8, 8 * 100 * 8, 192 * 8 * 8}},
      {{192 * 100 * 8, 400 * 100 * 8, 192 * 400 * 8}},
      {{960 * 100 * 8, 400 * 100 * 8, 960 * 400 * 8}},
      {{sizeA, 400 * 400 * 8, 960 * 400 * 8}}};
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(loops.loops[i].trips, trips[i]) << i;
    EXPECT_EQ(loops.loops[i].touched, touched[i]) << i;
  }
  EXPECT_EQ(loops.insidePacking[Tensor::A], 2u);
  EXPECT_EQ(loops.insidePacking[Tensor::B], 3u);
  EXPECT_EQ(timesPacked(loops, Tensor::A), 2);
  EXPECT_EQ(timesPacked(loops, Tensor::B), 1);
}

TEST(CpuMovement, LoopsThatMakeOneTripAreNone) {
  CpuSchedule whole = schedule();
  whole.m = {{"m", 960}};
  whole.k = {{"k", 400}};
  CpuLoops loops = tilingLoopsOf(product(), whole, *layOut(product(), whole));
  // All of A is packed once, outside of the loop over blocks of N.
  EXPECT_EQ(loops.insidePacking[Tensor::A], 5u);
  EXPECT_EQ(timesPacked(loops, Tensor::A), 1);
}

TEST(CpuMovement, LevelsOfGett) {
  std::vector<CpuLevelUse> levels = use(schedule());
  ASSERT_EQ(levels.size(), 3u);
  // L1: panels of A pass through for each panel of columns, packed twice for
  // the two blocks of N; panels of columns stay, once for each block of M.
  EXPECT_EQ(levels[0].moved[Tensor::A], 2 * sizeA * 50);
  EXPECT_EQ(levels[0].moved[Tensor::B], sizeB * 5);
  EXPECT_EQ(levels[0].moved[Tensor::C], sizeC * 4);
  // L2 holds the block of rows, so that A is read there for packing alone, once
  // for each block of N.
  EXPECT_EQ(levels[1].tile[Tensor::A], 192 * 100 * 8);
  EXPECT_EQ(levels[1].moved[Tensor::A], 2 * sizeA);
  EXPECT_EQ(levels[1].moved[Tensor::B], sizeB * 5);
  // L3 holds the block of columns.
  EXPECT_EQ(levels[2].tile[Tensor::B], 400 * 100 * 8);
  EXPECT_EQ(levels[2].moved[Tensor::B], sizeB);
  EXPECT_EQ(levels[2].moved[Tensor::C], sizeC * 4);
  EXPECT_DOUBLE_EQ(levels[2].seconds, (2 * sizeA + sizeB + 4 * sizeC) / 1e9);
}

TEST(CpuMovement, WhatStaysIsWhatTheInnermostLoopDoesNotMove) {
  CpuSchedule turned = schedule();
  turned.columnsInnermost = true;
  std::vector<CpuLevelUse> levels = use(turned);
  EXPECT_EQ(levels[0].moved[Tensor::A], 2 * sizeA);
  EXPECT_EQ(levels[0].moved[Tensor::B], sizeB * (960 / 24));
}

TEST(CpuMovement, BlocksOfCStayWhereBlocksOfKFollowOneAnother) {
  CpuSchedule inner = schedule();
  inner.order = {Role::N, Role::M, Role::K};
  inner.m = {{"m", 96}};
  inner.n = {{"n", 200}};
  std::vector<CpuLevelUse> levels = use(inner);
  // 96 x 200 of C, with 100 x (96 + 200) of A and B, fit L3.
  EXPECT_EQ(levels[2].moved[Tensor::C], sizeC);
  EXPECT_EQ(levels[1].moved[Tensor::C], sizeC * 4);
}

TEST(CpuMovement, StoresPastTheCachesTakeNoRoom) {
  CpuSchedule streams = schedule();
  streams.k = {{"k", 400}};
  streams.stream = true;
  CpuLoops loops =
      tilingLoopsOf(product(), streams, *layOut(product(), streams));
  EXPECT_EQ(loops.loops[1].touched[Tensor::C], 0);
}

TEST(CpuMovement, TensorsThatFitACacheAreReadFromIt) {
  Contraction small =
      contract("km", "nk", "nm", {{"m", 96}, {"n", 80}, {"k", 40}});
  CpuSchedule whole = schedule();
  whole.m = {{"m", 96}};
  whole.n = {{"n", 80}};
  whole.k = {{"k", 40}};
  Result<std::vector<CpuLevelUse>> levels = levelUses(small, whole, cpu());
  ASSERT_TRUE(levels) << levels.error();
  // 118 KB: into L1 from L2, and nothing further out.
  EXPECT_EQ((*levels)[0].moved[Tensor::C], 96 * 80 * 8);
  EXPECT_EQ((*levels)[1].moved, (PerTensor<double>{{0, 0, 0}}));
  EXPECT_EQ((*levels)[2].seconds, 0);
}

TEST(CpuMovement, Errors) {
  CpuTarget none = cpu();
  none.caches.clear();
  Result<std::vector<CpuLevelUse>> levels =
      levelUses(product(), schedule(), none);
  ASSERT_FALSE(levels);
  EXPECT_EQ(levels.error(), "target test: it has no caches");
  CpuSchedule wrong = schedule();
  wrong.m = {{"m", 1000}};
  EXPECT_FALSE(levelUses(product(), wrong, cpu()));
}

} // namespace
