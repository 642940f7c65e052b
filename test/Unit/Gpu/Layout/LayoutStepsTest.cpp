//===- LayoutStepsTest.cpp - Tests of steps of a layout -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests the assumptions of a search between the steps: layouts that it leaves
// out would not have been feasible, and parts that it takes from another kernel
// are those that this one would have had.
//
//===----------------------------------------------------------------------===//

#include "Gpu/Layout/TestSchedules.h"

#include "tc/Gpu/Layout/LayoutSteps.h"
#include "tc/Problem/ComplexParts.h"

#include <gtest/gtest.h>

#include <optional>
#include <set>

using namespace tc;
using namespace tc::model;
using namespace tc::model::test;

namespace {

BlockTile tileOf(const KernelLayout &layout) {
  BlockTile tile;
  tile.m = layout.m;
  tile.n = layout.n;
  tile.k = layout.k;
  tile.registerM = layout.registerM;
  tile.registerN = layout.registerN;
  tile.instruction = layout.instruction;
  return tile;
}

KernelLayout arranged(const Contraction &contraction, const BlockTile &tile,
                      const Target &chip) {
  KernelLayout layout;
  if (Status status = mapTile(contraction, tile, chip, layout); !status) {
    ADD_FAILURE() << status.error();
    return {};
  }
  layout.a =
      SharedTileCopies(contraction, layout, /*ofN=*/false, chip).unpadded();
  layout.b =
      SharedTileCopies(contraction, layout, /*ofN=*/true, chip).unpadded();
  arrangeSharedTiles(contraction, layout);
  return layout;
}

/// Random contractions, some of complex numbers, some of halves.
Contraction randomOfAnyType(std::mt19937 &random) {
  Contraction contraction = randomContraction(random);
  constexpr ElementType types[] = {ElementType::F64, ElementType::F32,
                                   ElementType::F16, ElementType::C64};
  ElementType type = types[uniform(random, 0, 3)];
  contraction.elementType = {{type, type, type}};
  contraction.factorType = type;
  contraction.accumulatorType = accumulatorTypeOf(type);
  return toRealParts(contraction);
}

TEST(LayoutSteps, RegistersAreAtLeastTheLeast) {
  std::mt19937 random(21);
  int count = 0, tight = 0;
  for (int i = 0; i < 4000; ++i) {
    Contraction contraction = randomOfAnyType(random);
    const Target &chip = target(i % 2 ? "sm_80" : "sm_90");
    Result<KernelLayout> layout =
        layOut(contraction, randomSchedule(contraction, random), chip);
    if (!layout)
      continue;
    int64_t least = leastRegisters(
        contraction, arranged(contraction, tileOf(*layout), chip), chip);
    ASSERT_LE(least, layout->registers) << i;
    ++count;
    tight += least == layout->registers;
  }
  EXPECT_GT(count, 500);
  // Mostly, all threads make accesses at constant distances.
  EXPECT_GT(2 * tight, count);
}

TEST(LayoutSteps, BlocksThatMayBeSharedOutAre) {
  Contraction contraction =
      contract("mk", "kn", "mn", {{"m", 64}, {"n", 64}, {"k", 64}});
  int64_t fitting = 0;
  for (Instruction instruction :
       {Instruction::FMA, Instruction::MmaM8N8K4, Instruction::MmaM16N8K16})
    for (int64_t threadsM : {1, 4, 8, 12, 16})
      for (int64_t threadsN : {1, 4, 8, 12, 16})
        for (int64_t registerM : {1, 2, 3, 4})
          for (int64_t registerN : {1, 2, 3, 4}) {
            bool may = false;
            for (bool rowsAlongM : {false, true})
              may |= mayShareOut(instruction, rowsAlongM, threadsM, threadsN,
                                 registerM, registerN);
            EXPECT_EQ(may, static_cast<bool>(mapThreads(
                               contraction, threadsM * registerM,
                               threadsN * registerN, registerM, registerN,
                               instruction, target("sm_90"))));
            fitting += may;
          }
  EXPECT_GT(fitting, 400);
  EXPECT_LT(fitting, 1200);
}

// Loads may be wider than any copy that passes no registers.
TEST(LayoutSteps, CopiesAreNoWiderThanTheirInstruction) {
  Target chip = target("sm_90");
  chip.widestAccessBytes = 32;
  Contraction contraction =
      contract("mk", "kn", "mn", {{"m", 64}, {"n", 64}, {"k", 64}});
  Result<KernelLayout> layout =
      layOut(contraction,
             {"sm_90", {{"m", 64}}, {{"n", 64}}, {{"k", 16}}, 4, 4}, chip);
  ASSERT_TRUE(layout) << layout.error();
  for (const TiledCopy &copy : {layout->a, layout->b}) {
    EXPECT_EQ(copy.instruction, CopyInstruction::CpAsync16);
    EXPECT_EQ(copy.width, 2);
  }
}

// The kernels of two tiles that only differ along N copy A alike, as long as
// they have as many threads, and fragments that lie alike.
TEST(LayoutSteps, PaddingDependsOnOneSide) {
  Contraction contraction =
      contract("mk", "kn", "mn", {{"m", 96}, {"n", 96}, {"k", 64}});
  std::vector<KernelLayout> layouts;
  for (auto [blockN, registerN] : {std::pair(16, 2), std::pair(32, 4)}) {
    Schedule schedule{"sm_90",     {{"m", 32}}, {{"n", blockN}},
                      {{"k", 16}}, 4,           registerN};
    Result<KernelLayout> layout =
        layOut(contraction, schedule, target("sm_90"));
    ASSERT_TRUE(layout) << layout.error();
    layouts.push_back(*layout);
  }
  EXPECT_EQ(layouts[0].threads, layouts[1].threads);
  EXPECT_EQ(layouts[0].a.rowLength, layouts[1].a.rowLength);
  EXPECT_EQ(layouts[0].a.threads, layouts[1].a.threads);
  EXPECT_EQ(layouts[0].a.accessesPerThread, layouts[1].a.accessesPerThread);
  EXPECT_NE(layouts[0].b.rowLength, layouts[1].b.rowLength);
}

void expectSameCopy(const TiledCopy &copy, const TiledCopy &expected) {
  EXPECT_EQ(copy.rowLength, expected.rowLength);
  EXPECT_EQ(copy.fragmentWidth, expected.fragmentWidth);
  EXPECT_EQ(copy.threads, expected.threads);
  EXPECT_EQ(copy.accessesPerThread, expected.accessesPerThread);
  ASSERT_EQ(copy.order.size(), expected.order.size());
  for (size_t i = 0; i < copy.order.size(); ++i) {
    EXPECT_EQ(copy.order[i].index, expected.order[i].index) << i;
    EXPECT_EQ(copy.order[i].tile, expected.order[i].tile) << i;
    EXPECT_EQ(copy.order[i].step, expected.order[i].step) << i;
  }
}

// Copies that were padded for other fragments and other instructions before are
// those that a kernel has by itself.
TEST(LayoutSteps, CopiesDoNotDependOnThoseBefore) {
  const Target &chip = target("sm_90");
  int kernels = 0, lengths = 0;
  for (auto [spec, columns] :
       {std::pair("mk", "kn"), std::pair("km", "nk"), std::pair("mk", "nk")}) {
    Contraction contraction =
        contract(spec, columns, "mn", {{"m", 1024}, {"n", 96}, {"k", 320}});
    for (bool ofN : {false, true}) {
      std::optional<SharedTileCopies> copies;
      std::set<int64_t> seen;
      for (Instruction instruction : instructionsFor(contraction, chip))
        for (auto [registerM, registerN] :
             {std::pair(4, 4), std::pair(8, 2), std::pair(2, 8),
              std::pair(4, 4), std::pair(16, 1)}) {
          Schedule schedule{"sm_90",     {{"m", 64}}, {{"n", 32}},
                            {{"k", 32}}, registerM,   registerN};
          schedule.instruction = instruction;
          Result<KernelLayout> layout = layOut(contraction, schedule, chip);
          if (!layout)
            continue;
          KernelLayout ready = arranged(contraction, tileOf(*layout), chip);
          if (!copies)
            copies.emplace(contraction, ready, ofN, chip);
          TiledCopy copy = copies->pad(contraction, ready, chip).copy;
          expectSameCopy(copy, ofN ? layout->b : layout->a);
          seen.insert(copy.rowLength);
          ++kernels;
        }
      lengths += static_cast<int>(seen.size());
    }
  }
  EXPECT_GT(kernels, 40);
  // Fragments do have a say.
  EXPECT_GT(lengths, 6);
}

} // namespace
