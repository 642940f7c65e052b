//===- SharedOrdersTest.cpp - Orders of products that share steps ---------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestNetworks.h"

#include "tc/Program/OrderText.h"
#include "tc/Program/SharedOrders.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

using namespace tc;
using namespace tc::model;

static SharedOrders findOrders(const std::vector<SharingProduct> &products) {
  PricedSteps times;
  std::vector<Order> alone;
  for (const SharingProduct &product : products)
    alone.push_back(searchOrder(product.network, times)->order);
  return orderTogether(products, std::move(alone), times);
}

static SharingProduct makeProduct(const std::string &text,
                                  std::vector<size_t> tensors, int64_t last) {
  SharingProduct product;
  std::vector<std::pair<char, int64_t>> extents;
  for (char letter = 'a'; letter <= 'z'; ++letter)
    if (text.find(letter) != std::string::npos)
      extents.push_back({letter, letter == 'z' ? last : 20});
  product.network = networkOf(text, extents);
  product.tensors = std::move(tensors);
  product.isPlain = false;
  return product;
}

/// Alone, each begins from the right.
TEST(SharedOrders, ChangesTreesForWhatTheyHaveInCommon) {
  std::vector<SharingProduct> products = {
      makeProduct("ij,jk,kz->iz", {7, 3, 5}, 15),
      // The same matrices by other names, and elsewhere.
      makeProduct("cz,bc,ab->az", {4, 3, 7}, 15)};
  SharedOrders found = findOrders(products);
  EXPECT_EQ(found.isOther, (std::vector<bool>{true, true}));
  EXPECT_EQ(bracketsOf(found.orders[0].tree), "(2 (1 0))");
  EXPECT_EQ(bracketsOf(found.orders[1].tree), "(0 (1 2))");
  EXPECT_EQ(found.sharers[0], (std::vector<size_t>{1, 1, 1, 2, 1}));
  EXPECT_EQ(found.sharers[1], (std::vector<size_t>{1, 1, 1, 2, 1}));
  double common = 8000 + 3 * 1200, step = 6000 + 3 * (400 + 300 + 300);
  EXPECT_DOUBLE_EQ(found.secondsAlone, 4 * step);
  EXPECT_DOUBLE_EQ(found.seconds, common + 2 * step);
}

TEST(SharedOrders, LeavesTreesThatNothingIsFasterThan) {
  // Vectors at the right.
  std::vector<SharingProduct> products = {
      makeProduct("ij,jk,kz->iz", {7, 3, 5}, 1),
      makeProduct("ij,jk,kz->iz", {7, 3, 4}, 1)};
  SharedOrders found = findOrders(products);
  EXPECT_EQ(found.isOther, (std::vector<bool>{false, false}));
  EXPECT_EQ(found.seconds, found.secondsAlone);
  // Other sums of the same matrices, and others of the same form.
  products = {makeProduct("ij,jk,kz->iz", {7, 3, 5}, 15),
              makeProduct("ij,kj,kz->iz", {7, 3, 4}, 15),
              makeProduct("ij,jk,kz->iz", {7, 8, 4}, 15)};
  found = findOrders(products);
  EXPECT_EQ(found.isOther, (std::vector<bool>{false, false, false}));
}

TEST(SharedOrders, TakesWhatContractionsAndWholeProductsMake) {
  std::vector<SharingProduct> products = {
      makeProduct("ij,jk->ik", {7, 3}, 15),
      makeProduct("ij,jk,kz->iz", {7, 3, 5}, 15),
  };
  products[0].isFixed = true;
  // A product that is scaled or added to is not the one that others want.
  EXPECT_FALSE(findOrders(products).isOther[1]);
  products[0].isPlain = true;
  SharedOrders found = findOrders(products);
  EXPECT_EQ(found.isOther, (std::vector<bool>{false, true}));
  EXPECT_EQ(found.sharers[0].back(), 2u);

  products = {makeProduct("ij,jk,kz->iz", {7, 3, 5}, 15),
              makeProduct("ij,jk,kz,zl->il", {7, 3, 5, 6}, 15)};
  products[0].isPlain = true;
  found = findOrders(products);
  EXPECT_EQ(found.sharers[0].back(), 2u);
  std::string text = sharedText(products[1].network, found.orders[1],
                                found.sharers[1], nullptr);
  EXPECT_EQ(text, "  (0 (1 2)), [i, z], is made once for 2 products\n");
}

/// It would not be clear which of the two is meant.
TEST(SharedOrders, LeavesPartsThatHoldATensorTwice) {
  std::vector<SharingProduct> products = {
      makeProduct("ij,jk,kz->iz", {7, 7, 5}, 15),
      makeProduct("ij,jk,kz->iz", {7, 7, 4}, 15)};
  EXPECT_EQ(findOrders(products).isOther, (std::vector<bool>{false, false}));
}

/// Equal for steps with equal trees of equal tensors and sums.
static std::vector<std::string> describeSteps(const SharingProduct &product,
                                              const ContractionTree &tree) {
  std::vector<std::string> texts;
  std::vector<std::set<unsigned>> inputs;
  for (unsigned node = 0; node < tree.nodes.size(); ++node) {
    const TreeNode &step = tree.nodes[node];
    if (step.isInput()) {
      texts.push_back("t" + std::to_string(product.tensors[node]));
      inputs.push_back({node});
      continue;
    }
    std::set<unsigned> own = inputs[step.operands.front()];
    own.insert(inputs[step.operands.back()].begin(),
               inputs[step.operands.back()].end());
    std::map<size_t, unsigned> byTensor;
    for (unsigned input : own)
      byTensor[product.tensors[input]] = input;
    std::map<unsigned, size_t> names;
    std::string text;
    for (auto [tensor, input] : byTensor) {
      text += " " + std::to_string(tensor) + ":";
      for (unsigned index : product.network.inputs[input])
        text += std::to_string(
                    names.try_emplace(index, names.size()).first->second) +
                ",";
    }
    std::set<size_t> kept;
    for (unsigned index : step.indices)
      kept.insert(names.at(index));
    for (size_t name : kept)
      text += ">" + std::to_string(name);
    std::string x = texts[step.operands.front()],
                y = texts[step.operands.back()];
    bool isOwn = node + 1 == tree.nodes.size() || byTensor.size() < own.size();
    texts.push_back(
        "(" + std::min(x, y) + "*" + std::max(x, y) + text +
        (isOwn ? "!" + std::to_string(reinterpret_cast<uintptr_t>(&product))
               : "") +
        ")");
    inputs.push_back(std::move(own));
  }
  return texts;
}

TEST(SharedOrders, IsNeverSlowerAndSaysWhatItTakes) {
  std::mt19937_64 random(5);
  int faster = 0;
  for (int i = 0; i < 60; ++i) {
    // Random parts of one random network.
    Network whole = drawNetwork(random, 7);
    std::vector<SharingProduct> products;
    for (int number = 0; number < 4; ++number) {
      SharingProduct &product = products.emplace_back();
      product.network = whole;
      product.network.inputs.clear();
      for (size_t input = 0; input < 7; ++input)
        if (random() % 4 != 0 || product.tensors.size() + 7 - input < 3) {
          product.tensors.push_back(input);
          product.network.inputs.push_back(whole.inputs[input]);
        }
      IndexList output;
      for (unsigned index : whole.output)
        for (const IndexList &list : product.network.inputs)
          if (std::find(list.begin(), list.end(), index) != list.end()) {
            output.push_back(index);
            break;
          }
      product.network.output = output;
      product.isPlain = false;
    }
    SharedOrders found = findOrders(products);
    EXPECT_LE(found.seconds, found.secondsAlone);
    faster += found.seconds < found.secondsAlone;
    double seconds = 0;
    std::set<std::string> counted;
    for (size_t number = 0; number < products.size(); ++number) {
      const Order &order = found.orders[number];
      // A tree of the product, with the results that it should have.
      Result<ContractionTree> tree =
          treeOf(products[number].network, pathOf(order.tree));
      ASSERT_TRUE(tree) << tree.error();
      for (size_t node = 0; node < tree->nodes.size(); ++node) {
        IndexList wanted = tree->nodes[node].indices,
                  made = order.tree.nodes[node].indices;
        std::sort(wanted.begin(), wanted.end());
        std::sort(made.begin(), made.end());
        EXPECT_EQ(made, wanted);
      }
      EXPECT_EQ(order.tree.nodes.back().indices,
                products[number].network.output);
      std::vector<std::string> texts =
          describeSteps(products[number], order.tree);
      for (size_t node = 0; node < texts.size(); ++node)
        if (!order.tree.nodes[node].isInput() &&
            counted.insert(texts[node]).second)
          seconds += order.stepSeconds[node];
    }
    // Outer products are shared, too, but not looked for.
    EXPECT_LE(seconds, found.seconds * (1 + 1e-12));
  }
  EXPECT_GT(faster, 5);
}
