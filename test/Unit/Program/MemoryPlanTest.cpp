//===- MemoryPlanTest.cpp - Places of temporaries ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestNetworks.h"

#include "tc/Program/MemoryPlan.h"

#include "gtest/gtest.h"

using namespace tc;
using namespace tc::model;

TEST(MemoryPlan, UsesMemoryAgain) {
  // A chain of which each temporary is as large: two live at the same time.
  Network network =
      networkOf("ab,bc,cd,de,ef->af",
                {{'a', 8}, {'b', 8}, {'c', 8}, {'d', 8}, {'e', 8}, {'f', 8}});
  ContractionTree tree = *treeOf(network, {{0, 1}, {0, 3}, {0, 2}, {0, 1}});
  Result<MemoryPlan> plan = planMemory(network, tree, 64);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->bytes, 2 * 8 * 8 * 8);
  EXPECT_EQ(plan->offsets[5], plan->offsets[7]);
  EXPECT_NE(plan->offsets[5], plan->offsets[6]);
}

TEST(MemoryPlan, SeparatesWhatLivesAtTheSameTime) {
  std::mt19937_64 random(8);
  for (int i = 0; i < 300; ++i) {
    Network network = drawNetwork(random, 3 + random() % 6);
    PricedSteps times;
    Order order = searchOrder(network, times)->order;
    const ContractionTree &tree = order.tree;
    Result<MemoryPlan> plan = planMemory(network, tree, 16);
    ASSERT_TRUE(plan);
    EXPECT_GE(double(plan->bytes), order.peakBytes);
    std::vector<unsigned> used(tree.nodes.size());
    for (unsigned node = 0; node < tree.nodes.size(); ++node)
      for (unsigned operand : tree.nodes[node].operands)
        used[operand] = node;
    auto bytes = [&](unsigned node) {
      return int64_t(8 * network.elements(tree.nodes[node].indices));
    };
    unsigned first = unsigned(network.inputs.size()),
             last = unsigned(tree.nodes.size() - 1);
    for (unsigned x = first; x < last; ++x) {
      EXPECT_EQ(plan->offsets[x] % 16, 0);
      EXPECT_LE(plan->offsets[x] + bytes(x), plan->bytes);
      for (unsigned y = x + 1; y < last; ++y)
        if (y <= used[x])
          EXPECT_TRUE(plan->offsets[x] + bytes(x) <= plan->offsets[y] ||
                      plan->offsets[y] + bytes(y) <= plan->offsets[x]);
    }
  }
}

TEST(MemoryPlan, RefusesWhatNoMemoryHolds) {
  Network network = networkOf(
      "ab,cd,b,d->ac",
      {{'a', int64_t(1) << 40}, {'b', 1 << 20}, {'c', 1 << 20}, {'d', 1}});
  EXPECT_EQ(planMemory(network, *treeOf(network, {{0, 1}, {0, 1}, {0, 1}}), 64)
                .error(),
            "temporaries of more than 2^63 - 1 bytes");
}
