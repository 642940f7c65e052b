//===- GridMappingTest.cpp - Mapping of tiles to blocks -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/TestTargets.h"
#include "Problem/TestContractions.h"

#include "tc/Gpu/Layout/Workspace.h"

using namespace tc;
using namespace tc::model;
using namespace tc::model::test;

namespace {

Result<KernelLayout> map(const GridMapping &mapping, int64_t k = 8) {
  Contraction product = contract("xmk", "xkn", "xmn",
                                 {{"x", 3}, {"m", 320}, {"n", 448}, {"k", 64}});
  return layOut(product,
                {"sm_90", {{"m", 64}}, {{"n", 64}}, {{"k", k}}, 4, 4, mapping},
                target("sm_90"));
}

std::string errorOf(const GridMapping &mapping, int64_t k = 8) {
  Result<KernelLayout> layout = map(mapping, k);
  return layout ? "" : layout.error();
}

TEST(GridMapping, PlainIsOneBlockForEachTile) {
  Result<KernelLayout> layout = map({});
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->gridM, 5);
  EXPECT_EQ(layout->gridN, 7);
  EXPECT_EQ(layout->blocks, 3 * 5 * 7);
  EXPECT_EQ(layout->steps, 8);
}

TEST(GridMapping, RasterKeepsTheGrid) {
  Result<KernelLayout> layout = map({2, Stationary::Output, 1, 1});
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->blocks, 3 * 5 * 7);
}

TEST(GridMapping, PersistentBlocksAreFewer) {
  Result<KernelLayout> alongN = map({0, Stationary::A, 3, 1}, 64);
  ASSERT_TRUE(alongN);
  EXPECT_EQ(alongN->gridM, 5);
  EXPECT_EQ(alongN->gridN, 3);
  Result<KernelLayout> alongM = map({0, Stationary::B, 5, 1}, 64);
  ASSERT_TRUE(alongM);
  EXPECT_EQ(alongM->gridM, 1);
  EXPECT_EQ(alongM->gridN, 7);
}

TEST(GridMapping, SplitSumsHaveFewerSteps) {
  Result<KernelLayout> layout = map({0, Stationary::Output, 1, 3});
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->steps, 3);
  EXPECT_EQ(layout->blocks, 3 * 3 * 5 * 7);
}

TEST(GridMapping, SplitSumsMeetInAWorkspace) {
  Contraction product = contract("xmk", "xkn", "xmn",
                                 {{"x", 3}, {"m", 320}, {"n", 448}, {"k", 64}});
  Result<KernelLayout> layout = map({0, Stationary::Output, 1, 3});
  ASSERT_TRUE(layout);
  WorkspaceLayout workspace = workspaceOf(product, *layout);
  EXPECT_EQ(workspace.counters, 3 * 5 * 7);
  EXPECT_EQ(workspace.partialsOffset, 512); // 420 bytes, in whole lines
  EXPECT_EQ(workspace.elementsPerBlock, 64 * 64);
  EXPECT_EQ(workspace.bytes, 512 + 3 * 3 * 5 * 7 * 64 * 64 * 8);
  EXPECT_EQ(workspaceOf(product, *map({})).bytes, 0);
}

TEST(GridMapping, Errors) {
  EXPECT_EQ(errorOf({-1, Stationary::Output, 1, 1}),
            "schedule: group of M tiles in the raster is -1, but must be at "
            "least 0");
  EXPECT_EQ(errorOf({0, Stationary::A, 0, 1}, 64),
            "schedule: tiles_per_block is 0, but must be at least 1");
  EXPECT_EQ(errorOf({0, Stationary::Output, 2, 1}),
            "schedule: tiles_per_block is 2, but must be 1 where the output is "
            "stationary");
  EXPECT_EQ(errorOf({0, Stationary::B, 2, 1}),
            "schedule: B is stationary, but K has 8 tiles instead of one");
  EXPECT_EQ(errorOf({0, Stationary::Output, 1, 9}),
            "schedule: K is split over 9 blocks, but has 8 tiles");
  EXPECT_EQ(errorOf({0, Stationary::Output, 1, 0}),
            "schedule: K is split over 0 blocks, but has 8 tiles");
}

} // namespace
