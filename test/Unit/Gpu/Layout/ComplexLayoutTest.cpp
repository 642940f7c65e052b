//===- ComplexLayoutTest.cpp - Kernels for complex numbers ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/TestTargets.h"
#include "Problem/TestContractions.h"

#include "tc/Gpu/Layout/KernelLayout.h"
#include "tc/Problem/ComplexParts.h"

using namespace tc;
using namespace tc::model;
using namespace tc::model::test;

namespace {

/// Of the form with three products.
Schedule scheduleOfThree(std::vector<TileExtent> k) {
  Schedule schedule;
  schedule.target = "sm_90";
  schedule.m = {{"m", 8}};
  schedule.n = {{"n", 2}};
  schedule.k = std::move(k);
  schedule.registerM = 2;
  return schedule;
}

TEST(ComplexLayout, SharedTilesOfThreeProducts) {
  Contraction three = toThreeProducts(complexMatmul());
  Schedule schedule = scheduleOfThree({{"re_im_3m", 1}, {"k", 2}});
  Result<KernelLayout> layout = layOut(three, schedule, target("sm_90"));
  ASSERT_TRUE(layout) << layout.error();
  // An access loads one number, and stores a factor of half its size.
  for (const TiledCopy *tiledCopy : {&layout->a, &layout->b}) {
    EXPECT_EQ(tiledCopy->width, 1);
    EXPECT_EQ(tiledCopy->elementType, ElementType::F64);
    EXPECT_TRUE(tiledCopy->passesRegisters());
  }
  EXPECT_EQ(layout->a.accesses, 8 * 2);
  EXPECT_EQ(layout->b.accesses, 2 * 2);
  EXPECT_EQ(layout->steps, 3 * 2);
  // A sum has two steps, and begins with empty shared tiles.
  schedule.stages = 4;
  layout = layOut(three, schedule, target("sm_90"));
  ASSERT_TRUE(layout) << layout.error();
  EXPECT_EQ(layout->buffers, 2);
}

TEST(ComplexLayout, SchedulesOfThreeProducts) {
  Contraction three = toThreeProducts(complexMatmul());
  auto errorOf = [&](const Schedule &schedule) {
    Result<KernelLayout> layout = layOut(three, schedule, target("sm_90"));
    return layout ? std::string() : layout.error();
  };
  const char *place = "schedule: index 're_im_3m', over products of parts of "
                      "complex numbers, must have a tile of 1 and be the first "
                      "of K";
  EXPECT_EQ(errorOf(scheduleOfThree({{"k", 4}, {"re_im_3m", 1}})), place);
  EXPECT_EQ(errorOf(scheduleOfThree({{"re_im_3m", 3}, {"k", 4}})), place);
  Schedule split = scheduleOfThree({{"re_im_3m", 1}, {"k", 2}});
  split.mapping.splitK = 3;
  EXPECT_EQ(errorOf(split),
            "schedule: K is split over 3 blocks, but must not be where complex "
            "numbers are multiplied by three products");
}

Schedule schedule(int64_t part, int64_t summed, int64_t registerN) {
  Schedule schedule;
  schedule.target = "sm_90";
  schedule.m = {{"m", 8}};
  schedule.n = {{"n", 2}, {"re_im", part}};
  schedule.k = {{"k", 4}, {"re_im_k", summed}};
  schedule.registerM = 2;
  schedule.registerN = registerN;
  return schedule;
}

TEST(ComplexLayout, SharedTilesOfKernels) {
  Contraction real = toRealParts(complexMatmul());
  Result<KernelLayout> layout =
      layOut(real, schedule(2, 2, 2), target("sm_90"));
  ASSERT_TRUE(layout) << layout.error();
  // An access loads a number of B, and stores the two rows of its matrix.
  EXPECT_EQ(layout->b.width, 2);
  EXPECT_EQ(layout->b.accesses, 4 * 2);
  EXPECT_EQ(layout->b.copiesOfAccess(), 2);
  EXPECT_TRUE(layout->b.passesRegisters());
  EXPECT_FALSE(layout->a.passesRegisters());
  EXPECT_EQ(layout->a.accesses * layout->a.width, 8 * 4 * 2);
  EXPECT_EQ(layout->a.copiesOfAccess(), 1);
  EXPECT_EQ(layout->widthC, 2);
  EXPECT_TRUE(layout->storesAlongN);
}

TEST(ComplexLayout, SchedulesThatTearThemApart) {
  Contraction real = toRealParts(complexMatmul());
  const Target &sm90 = target("sm_90");
  auto errorOf = [&](const Contraction &contraction, const Schedule &schedule) {
    Result<KernelLayout> layout = layOut(contraction, schedule, sm90);
    return layout ? std::string() : layout.error();
  };
  EXPECT_EQ(errorOf(real, schedule(1, 2, 2)),
            "schedule: index 're_im', over the parts of complex numbers, must "
            "have a tile of 2 and be the last of N");
  EXPECT_EQ(errorOf(real, schedule(2, 1, 2)),
            "schedule: index 're_im_k', over the parts of complex numbers, "
            "must have a tile of 2, but it is 1");
  EXPECT_EQ(errorOf(real, schedule(2, 2, 1)),
            "schedule: register tile along N is 1, which does not divide into "
            "complex numbers");
  Schedule swapped = schedule(2, 2, 2);
  std::swap(swapped.n[0], swapped.n[1]);
  EXPECT_NE(errorOf(real, swapped), "");
  Contraction contraction = complexMatmul();
  contraction.elementType[Tensor::B] = ElementType::F64;
  Schedule ofA = schedule(2, 2, 2);
  ofA.k.pop_back();
  ofA.m.push_back(ofA.n.back());
  ofA.n.pop_back();
  EXPECT_EQ(errorOf(toRealParts(contraction), ofA),
            "schedule: A is complex and B is not: swap them");
}

} // namespace
