//===- NetworkTest.cpp - Networks, paths and trees --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestNetworks.h"

#include "gtest/gtest.h"

#include <set>

using namespace tc;
using namespace tc::model;

/// Equation (1) of Nelson et al. (ICPP 2015).
static Network equationOne() {
  return networkOf(
      "lk,mj,ni,lmn->ijk",
      {{'i', 10}, {'j', 10}, {'k', 10}, {'l', 10}, {'m', 10}, {'n', 10}});
}

TEST(Network, ReportsWhatIsWrong) {
  auto error = [](std::vector<std::vector<std::string>> inputs,
                  std::vector<std::string> output,
                  std::vector<std::pair<std::string, int64_t>> extents) {
    return makeNetwork(inputs, output, extents, ElementType::F64).error();
  };
  EXPECT_EQ(error({}, {}, {}), "there is no input");
  EXPECT_EQ(error({{"i"}}, {}, {{"i", 2}, {"i", 3}}),
            "index 'i' has two extents");
  EXPECT_EQ(error({{"i"}}, {}, {{"i", 0}}), "index 'i' has the extent 0");
  EXPECT_EQ(error({{"i", "j"}}, {}, {{"i", 2}}), "index 'j' has no extent");
  EXPECT_EQ(error({{"i"}}, {"j"}, {{"i", 2}}), "index 'j' has no extent");
  EXPECT_EQ(error({{"i"}}, {"j"}, {{"i", 2}, {"j", 2}}),
            "index 'j' of the output is in no input");
  EXPECT_EQ(error({{"i"}}, {"i", "i"}, {{"i", 2}}),
            "index 'i' is twice in the output");
}

TEST(Network, CountsTrees) {
  EXPECT_EQ(countTrees(1), 1);
  EXPECT_EQ(countTrees(2), 1);
  EXPECT_EQ(countTrees(3), 3);
  EXPECT_EQ(countTrees(4), 15);
  EXPECT_EQ(countTrees(8), 135135);
  EXPECT_TRUE(std::isinf(countTrees(4096)));
}

TEST(Network, ListsEachTreeOnce) {
  std::vector<ContractionTree> trees = listTrees(equationOne());
  EXPECT_EQ(trees.size(), 15u);
  std::set<std::vector<unsigned>> firstSteps;
  for (const ContractionTree &tree : trees)
    firstSteps.insert(tree.nodes[4].operands);
  EXPECT_EQ(firstSteps.size(), 6u);

  std::mt19937_64 random(7);
  for (size_t inputs = 2; inputs <= 6; ++inputs) {
    Network network = drawNetwork(random, inputs);
    // The sets of inputs that the steps of a tree make.
    std::set<std::set<unsigned>> distinct;
    trees = listTrees(network);
    for (const ContractionTree &tree : trees) {
      std::vector<unsigned> masks;
      for (unsigned i = 0; i < tree.nodes.size(); ++i) {
        masks.push_back(i < inputs ? 1u << i : 0);
        for (unsigned operand : tree.nodes[i].operands)
          masks.back() |= masks[operand];
      }
      distinct.insert({masks.begin(), masks.end()});
    }
    EXPECT_EQ(trees.size(), countTrees(inputs));
    EXPECT_EQ(distinct.size(), trees.size());
  }
}

TEST(Network, SumsAnIndexWhereNothingElseHoldsIt) {
  Network network =
      networkOf("ij,jk,kl->il", {{'i', 2}, {'j', 3}, {'k', 5}, {'l', 7}});
  ContractionTree tree = *treeOf(network, {{1, 2}, {0, 1}});
  ASSERT_EQ(tree.nodes.size(), 5u);
  EXPECT_EQ(tree.nodes[3].operands, (std::vector<unsigned>{1, 2}));
  EXPECT_EQ(tree.nodes[3].indices, (IndexList{1, 3}));
  EXPECT_EQ(tree.nodes[4].operands, (std::vector<unsigned>{0, 3}));
  EXPECT_EQ(tree.nodes[4].indices, (IndexList{0, 3}));
  EXPECT_EQ(productsOf(network, tree, 3), 3 * 5 * 7);
  EXPECT_EQ(bytesOf(network, tree, 3), 8 * (3 * 5 + 5 * 7 + 3 * 7));
}

TEST(Network, KeepsWhatAThirdInputHolds) {
  Network network =
      networkOf("bij,bjk,bk->b", {{'b', 4}, {'i', 2}, {'j', 3}, {'k', 5}});
  ContractionTree tree = *treeOf(network, {{0, 1}, {0, 1}});
  // i is in one input alone, and summed at once.
  EXPECT_EQ(tree.nodes[3].indices, (IndexList{0, 3}));
}

TEST(Network, TakesPathsOfManyOperands) {
  Network network =
      networkOf("ij,jk,kl->il", {{'i', 2}, {'j', 3}, {'k', 5}, {'l', 7}});
  EXPECT_EQ(*treeOf(network, {{0, 1, 2}}), *treeOf(network, {{0, 1}, {1, 0}}));
  EXPECT_EQ(treeOf(network, {}).error(),
            "the path leaves 3 operands that are not contracted");
  EXPECT_EQ(treeOf(network, {{0, 3}}).error(),
            "step 0 of the path names operand 3, but there are 3");
  EXPECT_EQ(treeOf(network, {{0, 1}, {0, 0}}).error(),
            "step 1 of the path names operand 0 twice");
  EXPECT_EQ(treeOf(network, {{}}).error(),
            "step 0 of the path names no operand");
}

TEST(Network, PathsAndTreesAreTheSame) {
  std::mt19937_64 random(11);
  for (size_t inputs = 2; inputs <= 5; ++inputs) {
    Network network = drawNetwork(random, inputs);
    for (const ContractionTree &tree : listTrees(network))
      EXPECT_EQ(*treeOf(network, pathOf(tree)), tree);
  }
}
