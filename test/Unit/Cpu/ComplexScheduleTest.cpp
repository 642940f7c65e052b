//===- ComplexScheduleTest.cpp - Complex numbers on CPUs ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Problem/TestContractions.h"

#include "tc/Cpu/CpuSchedule.h"
#include "tc/Problem/ComplexParts.h"

using namespace tc;
using namespace tc::model;
using namespace tc::model::test;

namespace {

TEST(ComplexSchedule, OfFourProducts) {
  Contraction joined = joinParts(toRealParts(complexMatmul()));
  CpuSchedule good;
  good.rows = Role::N;
  good.m = {{"m", 8}};
  good.n = {{"n", 12}};
  good.k = {{"k", 4}, {"re_im_k", 2}};
  good.lanes = good.registerRows = 8;
  good.registerColumns = 4;
  Result<CpuLayout> layout = layOut(joined, good);
  ASSERT_TRUE(layout) << layout.error();
  EXPECT_EQ(layout->rows.packing, Packing::Copy);
  EXPECT_EQ(layout->rows.chunk % 2, 0);
  CpuSchedule odd = good;
  odd.n = {{"n", 5}};
  EXPECT_EQ(layOut(joined, odd).error(),
            "cpu_schedule: the tile of index 'n', over the parts of complex "
            "numbers, must be even, but is 5");
  CpuSchedule columns = good;
  columns.rows = Role::M;
  EXPECT_EQ(layOut(joined, columns).error(),
            "cpu_schedule: index 'n', over the parts of complex numbers, must "
            "be the last of the rows");
  CpuSchedule loops = good;
  loops.strategy = Strategy::LoG;
  EXPECT_EQ(layOut(joined, loops).error(),
            "cpu_schedule: complex numbers need strategy = gett");
}

TEST(ComplexSchedule, OfThreeProducts) {
  Contraction three = toThreeProducts(complexMatmul());
  CpuSchedule good;
  good.rows = Role::N;
  good.m = {{"m", 8}};
  good.n = {{"n", 5}};
  good.k = {{"re_im_3m", 3}, {"k", 2}};
  good.lanes = good.registerRows = 8;
  good.registerColumns = 4;
  Result<CpuLayout> layout = layOut(three, good);
  ASSERT_TRUE(layout) << layout.error();
  // Rows are whole numbers, and panels hold three factors of each.
  EXPECT_EQ(layout->rows.packing, Packing::Copy);
  EXPECT_EQ(layout->columns.packing, Packing::Transpose);
  EXPECT_EQ(layout->products, 3);
  EXPECT_EQ(layout->depth, 3 * 2);
  ASSERT_EQ(layout->k.size(), 1u);
  EXPECT_EQ(layout->k.front().blocks(), 2);
  EXPECT_EQ(layout->panelBytes(three), (8 + 2 * 4) * (3 * 2) * 8);

  const char *place = "cpu_schedule: index 're_im_3m', over products of parts "
                      "of complex numbers, must be the first of 'k', with a "
                      "tile of 3";
  CpuSchedule last = good;
  std::swap(last.k.front(), last.k.back());
  EXPECT_EQ(layOut(three, last).error(), place);
  CpuSchedule one = good;
  one.k.front().extent = 1;
  EXPECT_EQ(layOut(three, one).error(), place);
  for (Strategy strategy : {Strategy::LoG, Strategy::TTGT}) {
    CpuSchedule other = good;
    other.strategy = strategy;
    EXPECT_EQ(layOut(three, other).error(),
              "cpu_schedule: complex numbers need strategy = gett");
  }

  // Nothing else need be summed.
  Result<Contraction> outer =
      makeContiguous({{labels("m"), labels("n"), labels("mn")}},
                     {{"m", 8}, {"n", 6}}, ElementType::C64);
  good.k = {{"re_im_3m", 3}};
  layout = layOut(toThreeProducts(*outer), good);
  ASSERT_TRUE(layout) << layout.error();
  EXPECT_EQ(layout->depth, 3);
  EXPECT_EQ(layout->k.size(), 1u);
}

} // namespace
