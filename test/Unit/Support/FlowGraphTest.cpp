//===- FlowGraphTest.cpp - Tests of dominators and loops ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Support/FlowGraph.h"

#include <gtest/gtest.h>

using namespace tc;

namespace {

using Nodes = std::vector<std::uint32_t>;

NaturalLoops loopsOf(const FlowEdges &edges) {
  std::optional<NaturalLoops> loops = findNaturalLoops(edges, 0);
  EXPECT_TRUE(loops);
  return loops.value_or(NaturalLoops());
}

TEST(FlowGraphTest, Reverse) {
  EXPECT_EQ(reverse({{1, 2}, {2}, {}}), (FlowEdges{{}, {0}, {0, 1}}));
}

TEST(FlowGraphTest, Dominators) {
  // A diamond, a tail, and node 5, which nothing reaches.
  FlowEdges edges = {{1, 2}, {3}, {3}, {4}, {}, {3}};
  std::optional<Dominators> found = findDominators(edges, reverse(edges), 0);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->parent, (Nodes{0, 0, 0, 0, 3, noNode}));
  EXPECT_EQ(found->order.size(), 5u);
  EXPECT_EQ(found->order.front(), 0u);
  for (std::uint32_t i = 0; i < found->order.size(); ++i)
    EXPECT_EQ(found->number[found->order[i]], i);
  EXPECT_EQ(found->number[5], noNode);
}

// The graph of figure 4 of Cooper, Harvey and Kennedy, "A Simple, Fast
// Dominance Algorithm", which is not reducible.
TEST(FlowGraphTest, DominatorsOfIrreducibleGraph) {
  FlowEdges edges = {{1, 2}, {3}, {4, 5}, {4}, {3, 5}, {4}};
  std::optional<Dominators> found = findDominators(edges, reverse(edges), 0);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->parent, (Nodes{0, 0, 0, 0, 0, 0}));
  // No header dominates the jump back to it.
  EXPECT_TRUE(loopsOf(edges).loops.empty());
}

TEST(FlowGraphTest, NestedLoops) {
  // 1 to 4 are a loop with 2 and 3 as one inside; 4 also leaves.
  NaturalLoops loops = loopsOf({{1}, {2}, {3}, {2, 4}, {1, 5}, {}});
  ASSERT_EQ(loops.loops.size(), 2u);
  EXPECT_EQ(loops.loops[0].header, 1u);
  EXPECT_EQ(loops.loops[0].parent, noNode);
  EXPECT_EQ(loops.loops[0].depth, 1u);
  EXPECT_EQ(loops.loops[1].header, 2u);
  EXPECT_EQ(loops.loops[1].parent, 0u);
  EXPECT_EQ(loops.loops[1].depth, 2u);
  EXPECT_EQ(loops.innermost, (Nodes{noNode, 0, 1, 1, 0, noNode}));
}

TEST(FlowGraphTest, LoopsThatShareAHeaderAreOne) {
  NaturalLoops loops = loopsOf({{1}, {2, 3}, {1}, {1, 4}, {}});
  ASSERT_EQ(loops.loops.size(), 1u);
  EXPECT_EQ(loops.innermost, (Nodes{noNode, 0, 0, 0, noNode}));
}

TEST(FlowGraphTest, LoopOfOneNodeAndTheUnreachable) {
  NaturalLoops loops = loopsOf({{0, 1}, {}, {2}});
  ASSERT_EQ(loops.loops.size(), 1u);
  EXPECT_EQ(loops.innermost, (Nodes{0, noNode, noNode}));
}

} // namespace
