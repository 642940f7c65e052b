//===- DynamicShapeTest.cpp - Tests of kernels for any shape --------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/TestTargets.h"
#include "Problem/TestContractions.h"

#include "tc/Gpu/Layout/DynamicShape.h"
#include "tc/Gpu/Search/ScheduleSearch.h"
#include "tc/Machine/Target.h"

using namespace tc::model;
using namespace tc::model::test;

namespace {

uint64_t upperHalf(uint64_t a, uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<uint64_t>(Wide(a) * b >> 64);
}

/// The arithmetic of kernels.
struct ByReciprocals {
  int64_t zero() const { return 0; }
  int64_t add(int64_t a, int64_t b) const { return a + b; }
  int64_t multiply(int64_t a, int64_t b) const { return a * b; }
  int64_t divide(int64_t a, int64_t b) const {
    return static_cast<int64_t>(
        upperHalf(2 * static_cast<uint64_t>(a), reciprocalOf(b)));
  }
  int64_t remainder(int64_t a, int64_t b) const { return a - divide(a, b) * b; }
  int64_t selectLess(int64_t a, int64_t bound, int64_t yes, int64_t no) const {
    return a < bound ? yes : no;
  }
};

TEST(DynamicShape, ReciprocalsDivide) {
  constexpr int64_t most = 2147483647;
  ByReciprocals arithmetic;
  auto check = [&](int64_t n, int64_t d) {
    EXPECT_EQ(arithmetic.divide(n, d), n / d) << n << " / " << d;
    EXPECT_EQ(arithmetic.remainder(n, d), n % d) << n << " % " << d;
  };
  std::vector<int64_t> divisors;
  for (int64_t d = 1; d < 300; ++d)
    divisors.push_back(d);
  for (int64_t power = 512; power <= most; power *= 2)
    for (int64_t d : {power - 1, power, power + 1})
      divisors.push_back(d);
  std::mt19937_64 random(1);
  for (int i = 0; i < 1000; ++i)
    divisors.push_back(1 + static_cast<int64_t>(random() % most));
  for (int64_t d : divisors) {
    for (int64_t n : {int64_t(0), int64_t(1), most - 1, most})
      check(n, d);
    // The numbers beside multiples are the ones that could go wrong.
    for (int i = 0; i < 20; ++i) {
      int64_t multiple = static_cast<int64_t>(random() % (most / d + 1)) * d;
      for (int64_t n : {multiple - 1, multiple, multiple + 1})
        if (n >= 0 && n <= most)
          check(n, d);
    }
  }
}

/// Divisors of a grid that is known here.
GridDivisors<int64_t, int64_t> divisorsOf(int64_t m, int64_t n,
                                          int64_t rasterM) {
  TileLists tiles;
  tiles.m = {{0, 1}};
  tiles.n = {{1, 1}};
  tiles.rasterM = rasterM;
  ShapeNumbers<int64_t> shape;
  shape.extents = {m, n};
  ShapeArithmetic arithmetic;
  auto value = [&](RunTimeQuantity quantity) {
    return valueOf({quantity}, tiles, shape, arithmetic);
  };
  return {
      value(RunTimeQuantity::GridM),     value(RunTimeQuantity::Plane),
      value(RunTimeQuantity::GroupRows), value(RunTimeQuantity::GroupSize),
      value(RunTimeQuantity::LastRows),  value(RunTimeQuantity::FullGroups)};
}

TEST(DynamicShape, BlocksAreWhereTheyAreInKnownGrids) {
  ByReciprocals arithmetic;
  for (int64_t m : {1, 2, 5, 8, 9})
    for (int64_t n : {1, 3, 4})
      for (int64_t batches : {1, 2})
        for (int64_t raster : {0, 1, 2, 3, 5, 9}) {
          TileLists tiles;
          tiles.m = {{0, 1}};
          tiles.n = {{1, 1}};
          tiles.batch = {{2, 1}};
          tiles.rasterM = raster;
          GridDivisors<int64_t, int64_t> divisors = divisorsOf(m, n, raster);
          BlockGrid grid{m, n, batches, {raster, Stationary::Output, 1, 1}};
          for (int64_t block = 0; block < m * n * batches; ++block) {
            BlockPlace<int64_t> expected = placeOfBlock(grid, block);
            BlockPlace<int64_t> place =
                placeOfBlock(tiles, divisors, block, arithmetic);
            EXPECT_EQ(place.m, expected.m);
            EXPECT_EQ(place.n, expected.n);
            EXPECT_EQ(place.batch, expected.batch);
          }
        }
}

TEST(DynamicShape, AuxiliariesWithoutIndicesNeedNoDivisor) {
  ByReciprocals arithmetic;
  TileLists onlyM, onlyN;
  onlyM.m = {{0, 4}};
  onlyN.n = {{0, 4}};
  GridDivisors<int64_t, int64_t> none{};
  EXPECT_EQ(placeOfBlock(onlyM, none, int64_t(7), arithmetic).m, 7);
  EXPECT_EQ(placeOfBlock(onlyN, none, int64_t(7), arithmetic).n, 7);
}

Schedule scheduleFor(const Contraction &contraction) {
  tc::Result<Schedule> schedule = searchSchedule(contraction, target("sm_90"));
  EXPECT_TRUE(schedule) << schedule.error();
  return *schedule;
}

TEST(DynamicShape, KernelsRelyOnMultiplesOnly) {
  Contraction contraction =
      contract("mk", "kn", "mn", {{"m", 96}, {"n", 80}, {"k", 48}});
  Schedule schedule;
  schedule.target = "sm_90";
  schedule.m = {{"m", 32}};
  schedule.n = {{"n", 16}};
  schedule.k = {{"k", 16}};
  schedule.registerM = 4;
  schedule.registerN = 2;
  schedule.stages = 4;
  auto layOutFor = [&](int64_t multiples) {
    contraction.runTime = DynamicShape{multiples, 32};
    tc::Result<KernelLayout> layout =
        layOut(contraction, schedule, target("sm_90"));
    EXPECT_TRUE(layout) << layout.error();
    return *layout;
  };
  KernelLayout layout = layOutFor(32);
  EXPECT_EQ(layout.m[0].multiple, 32);
  EXPECT_EQ(layout.n[0].multiple, 16);
  EXPECT_EQ(layout.k[0].multiple, 16);
  EXPECT_FALSE(layout.m[0].ragged() || layout.n[0].ragged() ||
               layout.k[0].ragged());
  EXPECT_EQ(layout.a.width, 2);
  EXPECT_EQ(layout.widthC, 2);
  // As many as there are, however few tiles the representative K has.
  EXPECT_EQ(layout.buffers, 4);
  unsigned m = *contraction.find("m"), k = *contraction.find("k");
  EXPECT_TRUE(isStrideFixed(contraction, layout, Tensor::A, k));
  EXPECT_FALSE(isStrideFixed(contraction, layout, Tensor::A, m));

  layout = layOutFor(1);
  EXPECT_TRUE(layout.m[0].ragged() && layout.n[0].ragged() &&
              layout.k[0].ragged());
  EXPECT_EQ(layout.a.width, 1);
  EXPECT_EQ(layout.b.width, 1);
  EXPECT_EQ(layout.widthC, 1);
  EXPECT_FALSE(isStrideFixed(contraction, layout, Tensor::A, k));
}

TEST(DynamicShape, ArgumentsAreWhatShapesSay) {
  Contraction contraction = contract(
      "bmk", "bkn", "bmn", {{"b", 3}, {"m", 64}, {"n", 32}, {"k", 40}});
  contraction.runTime = DynamicShape{1, 64};
  tc::Result<KernelLayout> layout =
      layOut(contraction, scheduleFor(contraction), target("sm_90"));
  ASSERT_TRUE(layout) << layout.error();
  ShapeNumbers<int64_t> shape = representativeShape(contraction);
  ShapeArithmetic arithmetic;
  TileLists tiles = tileListsOf(*layout);
  std::vector<RunTimeArgument> arguments =
      runTimeArguments(contraction, *layout);
  int64_t extents = 0, strides = 0;
  for (const RunTimeArgument &argument : arguments) {
    int64_t value = valueOf(argument, tiles, shape, arithmetic);
    const Index &index = contraction.indices[argument.index];
    switch (argument.quantity) {
    case RunTimeQuantity::Extent:
      ++extents;
      EXPECT_EQ(value, index.extent);
      EXPECT_EQ(argument.bytes, 4);
      break;
    case RunTimeQuantity::Stride:
      ++strides;
      EXPECT_EQ(value, index.stride[static_cast<Tensor>(argument.tensor)]);
      EXPECT_EQ(argument.bytes, 8);
      break;
    case RunTimeQuantity::Offset:
      EXPECT_EQ(value, 0);
      break;
    case RunTimeQuantity::Steps:
      EXPECT_EQ(value, layout->steps);
      break;
    case RunTimeQuantity::Plane:
      EXPECT_EQ(value, layout->gridM * layout->gridN);
      break;
    default:
      break;
    }
  }
  EXPECT_EQ(extents, 4);
  EXPECT_EQ(strides, 9);
  EXPECT_EQ(countBlocks(tiles, shape, arithmetic), layout->blocks);
}

TEST(DynamicShape, BlocksShareLongSumsAndDoNotWalk) {
  Contraction contraction =
      contract("mk", "kn", "mn", {{"m", 24}, {"n", 24}, {"k", 100000}});
  contraction.runTime = DynamicShape{};
  Schedule schedule = scheduleFor(contraction);
  EXPECT_GT(schedule.mapping.splitK, 1);
  tc::Result<KernelLayout> layout =
      layOut(contraction, schedule, target("sm_90"));
  ASSERT_TRUE(layout) << layout.error();
  ShapeArithmetic arithmetic;
  int64_t tiles = countBlocks(tileListsOf(*layout),
                              representativeShape(contraction), arithmetic);
  EXPECT_EQ(layout->blocks, tiles * schedule.mapping.splitK);

  schedule.mapping = {0, Stationary::A, 2, 1};
  layout = layOut(contraction, schedule, target("sm_90"));
  ASSERT_FALSE(layout);
  EXPECT_EQ(layout.error(), "schedule: extents are arguments, so that blocks "
                            "must not loop over tiles");

  // Launches of more tiles would have as many parts of each.
  contraction =
      contract("mk", "kn", "mn", {{"m", 512}, {"n", 512}, {"k", 512}});
  EXPECT_GT(scheduleFor(contraction).mapping.splitK, 1);
  contraction.runTime = DynamicShape{};
  EXPECT_EQ(scheduleFor(contraction).mapping.splitK, 1);
}

TEST(DynamicShape, QuantitiesHaveNames) {
  for (RunTimeQuantity quantity : allRunTimeQuantities)
    EXPECT_EQ(symbolizeRunTimeQuantity(stringify(quantity)), quantity);
  EXPECT_FALSE(symbolizeRunTimeQuantity("length"));
}

} // namespace
