//===- StepsTest.cpp - The contractions that steps are --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestNetworks.h"

#include "gtest/gtest.h"

using namespace tc;
using namespace tc::model;

static void expectSame(const Contraction &made, const Contraction &expected) {
  ASSERT_EQ(made.indices.size(), expected.indices.size());
  for (size_t i = 0; i < made.indices.size(); ++i) {
    const Index &one = made.indices[i], &other = expected.indices[i];
    EXPECT_EQ(one.label, other.label);
    EXPECT_EQ(one.extent, other.extent);
    EXPECT_EQ(one.role, other.role);
    EXPECT_EQ(one.stride, other.stride);
  }
  EXPECT_EQ(made.elementType, expected.elementType);
  EXPECT_EQ(made.factorType, expected.factorType);
  EXPECT_EQ(made.accumulatorType, expected.accumulatorType);
  EXPECT_EQ(made.semiring, expected.semiring);
  EXPECT_EQ(made.precision, expected.precision);
  EXPECT_EQ(made.needsWholeSums, expected.needsWholeSums);
  EXPECT_EQ(made.readsC, expected.readsC);
}

/// That of a step, and of the record that has labels.
static void expectAsOfRecord(const Network &network, const Step &step,
                             const Network *whole = nullptr) {
  Result<Contraction> made = contractionOf(network, step, whole);
  Result<ContractionRecord> record = recordOf(network, step, whole);
  ASSERT_EQ(static_cast<bool>(made), static_cast<bool>(record));
  if (made)
    expectSame(*made, joinIndices(contractionOf(*record)));
}

TEST(Steps, AreContractionsOfTheirRecords) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 200; ++round) {
    Network network = drawNetwork(random, 2 + random() % 5);
    network.outputType = round % 2 ? ElementType::F64 : ElementType::F32;
    for (Network::Index &index : network.indices)
      if (random() % 4 == 0)
        index.extent = 1;
    Network whole = network;
    for (Network::Index &index : whole.indices)
      index.extent *= 1 + static_cast<int64_t>(random() % 3);
    for (const ContractionTree &tree : listTrees(network)) {
      for (unsigned node = 0; node < tree.nodes.size(); ++node)
        if (!tree.nodes[node].isInput()) {
          expectAsOfRecord(network, stepOf(tree, node));
          expectAsOfRecord(network, stepOf(tree, node), &whole);
        }
      if (HasFatalFailure() || random() % 4 == 0)
        break;
    }
  }
}

TEST(Steps, MayHaveDiagonalsAndOneOperand) {
  const Network network =
      networkOf("iij,jkk,ll->ik", {{'i', 3}, {'j', 4}, {'k', 5}, {'l', 1}});
  expectAsOfRecord(network, {{{0, 0, 1}, {1, 2, 2}}, {0, 2}, true});
  expectAsOfRecord(network, {{{0, 0, 1}, {3, 3}}, {1, 0}, false});
  expectAsOfRecord(network, {{{1, 2, 2}}, {2}, true});
}

TEST(Steps, HaveTensorsOfSixtyThreeBits) {
  const Network network =
      networkOf("ij,jk->ik",
                {{'i', int64_t(1) << 31}, {'j', int64_t(1) << 31}, {'k', 2}});
  EXPECT_FALSE(contractionOf(network, {{{0, 1}, {1, 2}}, {0, 2}, true}));
  EXPECT_TRUE(contractionOf(network, {{{0, 2}, {2, 1}}, {0}, false}));
}
