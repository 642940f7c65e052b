//===- LargeOrdersTest.cpp - Orders of many tensors -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RandomCases.h"
#include "TestNetworks.h"
#include "WorkingTree.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <functional>

using namespace tc;
using namespace tc::model;

/// Connected, with indices of up to four tensors and the result's. Many have an
/// extent of two, and the others few each.
static Network drawLargeNetwork(std::mt19937_64 &random, size_t inputs) {
  std::vector<std::vector<std::string>> lists(inputs);
  std::vector<std::pair<std::string, int64_t>> extents;
  std::vector<std::string> output;
  auto addIndex = [&](std::vector<size_t> holders) {
    const std::string label = "x" + std::to_string(extents.size());
    extents.push_back(
        {label, random() % 3 ? 2 : static_cast<int64_t>(1 + random() % 7)});
    std::sort(holders.begin(), holders.end());
    holders.erase(std::unique(holders.begin(), holders.end()), holders.end());
    for (size_t holder : holders)
      lists[holder].push_back(label);
    if (random() % 16 == 0)
      output.push_back(label);
  };
  for (size_t i = 1; i < inputs; ++i)
    addIndex({i, random() % i});
  for (size_t i = 0; i < inputs / 2; ++i)
    addIndex({random() % inputs, random() % inputs});
  for (size_t i = 0; i < inputs / 8; ++i)
    addIndex({random() % inputs, random() % inputs, random() % inputs,
              random() % inputs});
  return *makeNetwork(lists, output, extents, ElementType::F64);
}

/// A lattice of tensors in a plane, with a bond between neighbours.
static Network squareLattice(int side, const std::function<int64_t()> &extent) {
  std::vector<std::vector<std::string>> lists(static_cast<size_t>(side * side));
  std::vector<std::pair<std::string, int64_t>> extents;
  auto bond = [&](int first, int second) {
    extents.push_back({"x" + std::to_string(extents.size()), extent()});
    for (int place : {first, second})
      lists[static_cast<size_t>(place)].push_back(extents.back().first);
  };
  for (int x = 0; x < side; ++x)
    for (int y = 0; y < side; ++y) {
      if (x + 1 < side)
        bond(x * side + y, (x + 1) * side + y);
      if (y + 1 < side)
        bond(x * side + y, x * side + y + 1);
    }
  return *makeNetwork(lists, {}, extents, ElementType::F64);
}

static OrderOptions searchedFor(double seconds) {
  OrderOptions options;
  options.searchSeconds = seconds;
  return options;
}

/// Prices are not seconds, but how many products there are.
class Products : public StepTimes {
public:
  double lowerBound(double products, double bytes) const override {
    return products;
  }
  size_t affordablePredictions() const override { return 100000; }

protected:
  Result<double> predict(const Contraction &contraction) const override {
    return contraction.fusedMultiplyAdds();
  }
};

TEST(LargeOrders, AreAsGoodAsTheBestOfAllTreesWhereTheseAreKnown) {
  std::mt19937_64 random(13);
  const unsigned networks = test::randomCases(60);
  unsigned best = 0;
  for (unsigned i = 0; i < networks; ++i) {
    const Network network = drawLargeNetwork(random, 9 + random() % 4);
    Products exactTimes, times;
    exactTimes.sumsOperands = times.sumsOperands = false;
    const Result<OrderResult> exact = searchOrder(network, exactTimes);
    OrderOptions options = searchedFor(0.05);
    options.mostExactInputs = 2;
    const Result<OrderResult> found = searchOrder(network, times, options);
    ASSERT_TRUE(exact && found);
    EXPECT_GE(found->order.seconds, exact->order.seconds * (1 - 1e-12));
    best += found->order.seconds <= exact->order.seconds * (1 + 1e-9);
  }
  EXPECT_GE(best, networks * 9 / 10);
}

// A row that is swept over the lattice has as many bonds as that has tensors,
// and one more where a tensor is taken in: three to the 13th elements, of nine
// products each.
TEST(LargeOrders, SweepLatticesWithoutLargerTemporariesThanARow) {
  const Network network = squareLattice(12, [] { return 3; });
  Products times;
  const Result<OrderResult> found =
      searchOrder(network, times, searchedFor(0.5));
  ASSERT_TRUE(found);
  double largest = 0;
  for (const TreeNode &node : found->order.tree.nodes)
    largest = std::max(largest, network.elements(node.indices));
  EXPECT_LE(largest, std::pow(3, 13));
  EXPECT_LE(found->order.lowerBound, 144 * std::pow(3, 14));
}

// The tree counts times and bytes itself, apart from what annealing works with.
TEST(LargeOrders, AreAnnealedWithinTheMemoryThatTheyTook) {
  std::mt19937_64 random(14);
  const unsigned networks = test::randomCases(40);
  unsigned faster = 0, largerWithoutLimit = 0;
  for (unsigned i = 0; i < networks; ++i) {
    const Network network =
        i % 2 ? drawLargeNetwork(random, 16 + random() % 30)
              : squareLattice(static_cast<int>(4 + random() % 4), [&] {
                  return static_cast<int64_t>(2 + random() % 3);
                });
    Products times;
    WorkingTree first(network, times);
    SearchBudget enough(1e9), ofFirst(1e5), ofLimited(5e6), ofUnlimited(5e6);
    ASSERT_TRUE(contractOneByOne(first, enough));
    constexpr double temperature = 0.5;
    anneal(first, random, temperature, std::nullopt, ofFirst);
    const double bytes = first.peakBytes(), most = first.seconds() * (1 + 1e-9);
    WorkingTree limited = first, unlimited = first;
    anneal(limited, random, temperature, bytes, ofLimited);
    EXPECT_LE(limited.peakBytes(), bytes);
    EXPECT_LE(limited.seconds(), most);
    anneal(unlimited, random, temperature, std::nullopt, ofUnlimited);
    EXPECT_LE(unlimited.seconds(), most);
    faster += limited.seconds() < 0.9 * most;
    largerWithoutLimit += unlimited.peakBytes() > bytes;
  }
  EXPECT_GE(faster, networks / 2);
  EXPECT_GE(largerWithoutLimit, networks / 40);
}

TEST(LargeOrders, AreTheSameEachTimeAndOtherwiseWithAnotherSeed) {
  std::mt19937_64 random(15);
  const Network network = drawLargeNetwork(random, 120);
  auto treeOfSeed = [&](uint64_t seed) {
    Products times;
    OrderOptions options = searchedFor(0.05);
    options.seed = seed;
    return searchOrder(network, times, options)->order.tree;
  };
  EXPECT_EQ(treeOfSeed(1), treeOfSeed(1));
  EXPECT_FALSE(treeOfSeed(1) == treeOfSeed(2));
}

// Of more tensors than are annealed at once, the steps that take most are.
TEST(LargeOrders, AreImprovedWhereTheyTakeMost) {
  std::mt19937_64 random(16);
  std::vector<std::vector<std::string>> lists;
  std::vector<std::pair<std::string, int64_t>> extents;
  // A dense part at one end of a long chain.
  const Network dense = drawLargeNetwork(random, 60);
  for (const Network::Index &index : dense.indices)
    extents.push_back({index.label, index.extent});
  for (const IndexList &input : dense.inputs) {
    lists.emplace_back();
    for (unsigned index : input)
      lists.back().push_back(dense.indices[index].label);
  }
  for (int i = 0; i < 1500; ++i) {
    const std::string last = "c" + std::to_string(i);
    extents.push_back({last, 2});
    lists.back().push_back(last);
    lists.push_back({last});
  }
  const Network network = *makeNetwork(lists, {}, extents, ElementType::F64);
  Products times;
  OrderOptions options = searchedFor(0);
  options.mostSearchSeconds = 0;
  const Result<OrderResult> greedy = searchOrder(network, times, options);
  const Result<OrderResult> found =
      searchOrder(network, times, searchedFor(0.3));
  ASSERT_TRUE(greedy && found);
  EXPECT_LT(found->order.lowerBound, 0.8 * greedy->order.lowerBound);
  EXPECT_EQ(*treeOf(network, pathOf(found->order.tree)), found->order.tree);
}
