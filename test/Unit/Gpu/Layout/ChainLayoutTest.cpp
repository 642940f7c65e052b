//===- ChainLayoutTest.cpp - Tiles that stay on the chip ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/TestTargets.h"
#include "Problem/TestContractions.h"

#include "tc/Gpu/Layout/ChainLayout.h"
#include "tc/Machine/Target.h"

#include <gtest/gtest.h>

using namespace tc;
using namespace tc::model;
using namespace tc::model::test;

namespace {

/// Attention of 8 queries and 12 keys, 8 numbers each, with tiles of 4 queries.
class ChainLayoutTest : public testing::Test {
protected:
  static KernelLayout layoutFor(const Contraction &contraction, int64_t tileM,
                                int64_t tileN, int64_t tileK, int64_t registerM,
                                int64_t registerN,
                                Instruction instruction = Instruction::FMA) {
    Schedule schedule;
    schedule.target = "sm_90";
    for (const Index &index : contraction.indices) {
      if (index.role == Role::M)
        schedule.m.push_back({index.label, tileM});
      else if (index.role == Role::N)
        schedule.n.push_back({index.label, tileN});
      else
        schedule.k.push_back({index.label, tileK});
    }
    schedule.registerM = registerM;
    schedule.registerN = registerN;
    schedule.instruction = instruction;
    Result<KernelLayout> layout =
        layOut(contraction, schedule, target("sm_90"));
    EXPECT_TRUE(layout) << layout.error();
    return *layout;
  }

  void SetUp() override {
    static_cast<GroupEdge &>(edge) = feedEdge(1, 0, Tensor::A);
    edge.indices =
        linkIndices(scores, {"q", "k"}, values, {"q", "k"}, Tensor::A);
  }

  static constexpr int64_t numberBytes = 8;
  Contraction scores =
      contract("qd", "kd", "qk", {{"q", 8}, {"k", 12}, {"d", 8}});
  Contraction values =
      contract("qk", "kd", "qd", {{"q", 8}, {"k", 12}, {"d", 8}});
  /// Of 2 x 2 threads with 2 x 2 sums each, and 2 x 4.
  KernelLayout first = layoutFor(scores, 4, 4, 8, 2, 2);
  KernelLayout second = layoutFor(values, 4, 8, 4, 2, 4);
  IndexedEdge edge;
};

} // namespace

TEST_F(ChainLayoutTest, StepsBehindTheLinksBefore) {
  EXPECT_TRUE(checkFeed(scores, first, values, second, edge));
  EXPECT_TRUE(isStepped(second, edge));
  EXPECT_EQ(second.steps, 3);
  ChainPlaces places = placeChain({&first, &second}, values, edge);
  EXPECT_EQ(places.lastOffset, first.sharedBytes);
  EXPECT_EQ(places.bytes, first.sharedBytes + second.bufferBytes);
  // The eight sums of the last link, of two registers each, are beside those.
  EXPECT_EQ(places.registers,
            std::max(second.registers, first.registers + 2 * 8));
  // One step needs nothing of that.
  KernelLayout whole = layoutFor(values, 4, 8, 16, 2, 4);
  EXPECT_FALSE(isStepped(whole, edge));
  ChainPlaces shared = placeChain({&first, &whole}, values, edge);
  EXPECT_EQ(shared.lastOffset, 0);
  EXPECT_EQ(shared.bytes, std::max(first.sharedBytes, whole.sharedBytes));
}

TEST_F(ChainLayoutTest, RowsOfASoftmax) {
  edge.through = EdgeFunction::Softmax;
  EXPECT_TRUE(checkFeed(scores, first, values, second, edge));
  SoftmaxRows rows = softmaxRows(first, values, edge.indices);
  EXPECT_FALSE(rows.alongN);
  EXPECT_EQ(rows.rows, 4);
  EXPECT_EQ(rows.sharers, 2);
  // Four threads are no warp, so that all meet in shared memory.
  EXPECT_EQ(rows.lanes, 1);
  EXPECT_EQ(rows.count(), 4 * (1 + 2));
  ChainPlaces places = placeChain({&first, &second}, values, edge);
  EXPECT_EQ(places.statisticsOffset, first.sharedBytes + second.bufferBytes);
  EXPECT_EQ(places.bytes, places.statisticsOffset + 12 * numberBytes);
  std::vector<int64_t> strides = rowStrides(scores, first, rows);
  EXPECT_EQ(strides[*scores.find("q")], 1);
  EXPECT_EQ(strides[*scores.find("k")], 0);
}

TEST_F(ChainLayoutTest, LanesOfASoftmax) {
  // A warp has 4 x 8 threads, of which 8 neighbours, or 4, have a row.
  KernelLayout layout = layoutFor(scores, 8, 16, 8, 2, 2);
  ASSERT_EQ(layout.threads, 32);
  SoftmaxRows rows = softmaxRows(layout, values, edge.indices);
  EXPECT_EQ(rows.sharers, layout.threadsN);
  EXPECT_EQ(rows.lanes, layout.threadsN);
  EXPECT_EQ(rows.laneStride, layout.lanesAlongN ? 1 : layout.threadsM);
  EXPECT_EQ(rows.slots(), 1);
  EXPECT_EQ(rows.count(), 2 * 8);
}

TEST_F(ChainLayoutTest, KeepsWhatStepsDoNotMove) {
  EXPECT_EQ(keptInput(first, values, edge), Tensor::A);
  // Keys times queries: the other one.
  Contraction turned =
      contract("kd", "qd", "kq", {{"q", 8}, {"k", 12}, {"d", 8}});
  IndexedEdge other = edge;
  other.indices =
      linkIndices(turned, {"k", "q"}, values, {"k", "q"}, Tensor::A);
  EXPECT_EQ(keptInput(layoutFor(turned, 4, 4, 8, 2, 2), values, other),
            Tensor::B);
  // Two tiles of the first link's own sum go by for each step.
  EXPECT_EQ(keptInput(layoutFor(scores, 4, 4, 4, 2, 2), values, edge),
            std::nullopt);
}

TEST_F(ChainLayoutTest, RefusesWhatNoKernelDoes) {
  Contraction more =
      contract("qk", "kdx", "qd", {{"q", 8}, {"k", 12}, {"d", 8}, {"x", 4}});
  IndexedEdge ofMore = edge;
  ofMore.indices = linkIndices(scores, {"q", "k"}, more, {"q", "k"}, Tensor::A);
  Status summed =
      checkFeed(scores, first, more, layoutFor(more, 4, 8, 4, 2, 4), ofMore);
  ASSERT_FALSE(summed);
  EXPECT_EQ(summed.error(),
            "sums over index x, which the one before does not have");
  edge.to = 2;
  Status steps = checkFeed(scores, first, values, second, edge);
  ASSERT_FALSE(steps);
  EXPECT_NE(steps.error().find("it is not the last one, but takes 3 steps"),
            std::string::npos);
  edge.through = EdgeFunction::Softmax;
  KernelLayout whole = layoutFor(values, 4, 8, 16, 2, 4);
  KernelLayout wide = layoutFor(scores, 4, 16, 8, 2, 8);
  Status softmax = checkFeed(scores, wide, values, whole, edge);
  ASSERT_FALSE(softmax);
  EXPECT_EQ(softmax.error(), "takes a softmax, so it must be the last one");
  edge.to = 0;
  Contraction narrower = values;
  narrower.accumulatorType = ElementType::F32;
  Status types = checkFeed(scores, first, narrower, second, edge);
  ASSERT_FALSE(types);
  EXPECT_EQ(types.error(),
            "takes a softmax, so its sums must be of the type of "
            "those of the one before, f64, but are of f32");
}

TEST_F(ChainLayoutTest, StaysInRegistersOfRows) {
  Extents extents = {{"q", 64}, {"k", 64}, {"d", 64}};
  scores = contract("qd", "kd", "qk", extents, ElementType::F16);
  values = contract("qk", "kd", "qd", extents, ElementType::F16);
  auto instruction = Instruction::MmaM16N8K16;
  // Two warps below one another, each with all keys of 16 of 32 queries.
  KernelLayout rows = layoutFor(scores, 32, 16, 16, 2, 4, instruction);
  KernelLayout products = layoutFor(values, 32, 64, 16, 2, 16, instruction);
  ASSERT_EQ(rows.threads, 64);
  EXPECT_TRUE(staysInRegisters(rows, products, edge));
  ChainPlaces places = placeChain({&rows, &products}, values, edge);
  EXPECT_EQ(places.bytes,
            std::max<int64_t>(0, rows.sharedBytes - products.tileBOffsetBytes) +
                products.bufferBytes);
  // Warps beside one another have half the keys, or half the values, each.
  KernelLayout wide = layoutFor(scores, 16, 32, 16, 2, 4, instruction);
  KernelLayout ofWide = layoutFor(values, 16, 64, 32, 2, 8, instruction);
  ASSERT_EQ(wide.threads, 64);
  EXPECT_FALSE(staysInRegisters(wide, ofWide, edge));
  KernelLayout halves = layoutFor(values, 32, 64, 16, 4, 8, instruction);
  EXPECT_FALSE(staysInRegisters(rows, halves, edge));
  // A sum in one step has shared tiles that are used again.
  KernelLayout all = layoutFor(scores, 32, 64, 16, 2, 16, instruction);
  KernelLayout atOnce = layoutFor(values, 32, 64, 64, 2, 16, instruction);
  EXPECT_FALSE(staysInRegisters(all, atOnce, edge));
}
