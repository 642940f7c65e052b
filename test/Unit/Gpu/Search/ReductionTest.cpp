//===- ReductionTest.cpp - Outputs of which all elements are added up -----===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/TestTargets.h"
#include "Problem/TestContractions.h"

#include "tc/Gpu/Cost/Traffic.h"
#include "tc/Gpu/Layout/AccessCounts.h"
#include "tc/Gpu/Layout/Workspace.h"
#include "tc/Gpu/Search/ScheduleSearch.h"
#include "tc/Gpu/Search/SumSearch.h"
#include "tc/Machine/Target.h"

using namespace tc;
using namespace tc::model;
using namespace tc::model::test;

static const Extents extents = {{"m", 64}, {"n", 48}, {"k", 24}};

static Schedule scheduleOf(int64_t tile) {
  Schedule schedule;
  schedule.target = "sm_90";
  schedule.m = {{"m", tile}};
  schedule.n = {{"n", tile}};
  schedule.k = {{"k", 2}};
  return schedule;
}

TEST(ReductionTest, OneNumberIsLeft) {
  Contraction reduced = reduceOutput(contract("mk", "kn", "mn", extents));
  EXPECT_TRUE(reduced.reducesC);
  EXPECT_EQ(reduced.span(Tensor::C), 1);
  EXPECT_EQ(reduced.elements(Tensor::C), 1);
  EXPECT_FALSE(reduced.strideOneIndex(Tensor::C));
  // Roles and inputs are as they were.
  EXPECT_EQ(reduced.extent(Role::M), 64);
  EXPECT_EQ(reduced.strideOneIndex(Tensor::B), reduced.find("n"));
}

TEST(ReductionTest, BlocksMeetInTheWorkspace) {
  for (auto [type, bytes] :
       {std::pair(ElementType::F64, 8), std::pair(ElementType::F16, 4),
        std::pair(ElementType::I8, 4)}) {
    Contraction reduced =
        reduceOutput(contract("mk", "kn", "mn", extents, type));
    // 256 threads, whose shared tiles are smaller than their sums.
    Result<KernelLayout> layout =
        layOut(reduced, scheduleOf(16), target("sm_90"));
    ASSERT_TRUE(layout) << layout.error();
    EXPECT_EQ(layout->widthC, 1);
    EXPECT_EQ(layout->reductionBytes, 256 * bytes);
    EXPECT_EQ(layout->sharedBytes,
              std::max(256 * bytes, static_cast<int>(layout->buffers *
                                                     layout->bufferBytes)));
    WorkspaceLayout workspace = workspaceOf(reduced, *layout);
    EXPECT_EQ(workspace.counters, 1);
    EXPECT_EQ(workspace.elementsPerBlock, 1);
    EXPECT_EQ(workspace.partialsOffset, workspaceAlignment);
    EXPECT_EQ(workspace.bytes, workspaceAlignment + 4 * 3 * bytes);
  }
}

TEST(ReductionTest, BlocksNeitherWalkNorShareSums) {
  Contraction reduced = reduceOutput(contract("mk", "kn", "mn", extents));
  Schedule split = scheduleOf(16);
  split.mapping.splitK = 2;
  const std::string error = "schedule: the output is added up, so that blocks "
                            "must neither loop over tiles nor share sums";
  EXPECT_EQ(layOut(reduced, split, target("sm_90")).error(), error);
  Schedule persistent = scheduleOf(16);
  persistent.k = {{"k", 24}};
  persistent.mapping.stationary = Stationary::A;
  persistent.mapping.tilesPerBlock = 2;
  EXPECT_EQ(layOut(reduced, persistent, target("sm_90")).error(), error);
  // A long sum of few elements would be shared.
  Contraction plain =
      contract("mk", "kn", "mn", {{"m", 24}, {"n", 24}, {"k", 100000}});
  Result<Schedule> stored = searchSchedule(plain, target("sm_90"));
  Result<Schedule> added = searchSchedule(reduceOutput(plain), target("sm_90"));
  ASSERT_TRUE(stored && added);
  EXPECT_GT(stored->mapping.splitK, 1);
  EXPECT_EQ(added->mapping.splitK, 1);
}

TEST(ReductionTest, NothingIsStored) {
  Contraction plain = contract("mk", "kn", "mn", extents);
  Contraction reduced = reduceOutput(plain);
  const Target &chip = target("sm_90");
  KernelLayout stored = *layOut(plain, scheduleOf(16), chip);
  KernelLayout added = *layOut(reduced, scheduleOf(16), chip);
  Traffic before = countTraffic(plain, stored, chip);
  Traffic after = countTraffic(reduced, added, chip);
  // Four elements of f64 a sector.
  EXPECT_EQ(before.sectors[Tensor::C], 64 * 48 / 4);
  EXPECT_EQ(after.sectors[Tensor::C], 0);
  EXPECT_EQ(after.sectors[Tensor::A], before.sectors[Tensor::A]);
  EXPECT_EQ(after.sectors[Tensor::B], before.sectors[Tensor::B]);
}

TEST(ReductionTest, OneKernelOfASumIsWorthMore) {
  Extents sizes = {{"m", 4096}, {"n", 4096}, {"k", 16}};
  std::vector<Contraction> terms = {contract("mk", "kn", "mn", sizes),
                                    contract("nk", "km", "mn", sizes)};
  terms[1].readsC = true;
  Result<SumSearchResult> stored = searchSum(terms, target("sm_90"));
  Result<SumSearchResult> added =
      searchSum(terms, target("sm_90"), /*reducesC=*/true);
  ASSERT_TRUE(stored && added);
  EXPECT_LT(added->seconds, stored->seconds);
  EXPECT_EQ(added->separateSeconds, stored->separateSeconds);
}
