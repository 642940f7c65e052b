//===- OrderSearchTest.cpp - The order of contractions ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RandomCases.h"
#include "TestNetworks.h"

#include "tc/Machine/CpuTarget.h"
#include "tc/Machine/Target.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace tc;
using namespace tc::model;

/// The least time, and the least memory, of all trees.
static std::pair<double, double> leastOfAll(const Network &network,
                                            double memoryLimit) {
  PricedSteps times;
  double seconds = std::numeric_limits<double>::infinity(), bytes = seconds;
  for (const ContractionTree &tree : listTrees(network)) {
    Order order = judge(network, tree, times);
    bytes = std::min(bytes, order.peakBytes);
    if (order.peakBytes <= memoryLimit)
      seconds = std::min(seconds, order.seconds);
  }
  return {seconds, bytes};
}

TEST(OrderSearch, FindsTheBestOfAllTrees) {
  std::mt19937_64 random(3);
  const unsigned networks = test::randomCases(200);
  for (unsigned i = 0; i < networks; ++i) {
    Network network = drawNetwork(random, 2 + random() % 5);
    auto [seconds, bytes] =
        leastOfAll(network, std::numeric_limits<double>::infinity());
    PricedSteps times;
    Result<OrderResult> found = searchOrder(network, times);
    ASSERT_TRUE(found) << found.error();
    EXPECT_TRUE(found->isExact);
    EXPECT_DOUBLE_EQ(found->order.seconds, seconds);
    EXPECT_LE(found->order.lowerBound, seconds);
    for (const Order &other : found->runnersUp)
      EXPECT_GE(other.seconds, seconds);
  }
}

TEST(OrderSearch, FindsTheBestOfThoseThatFitTheMemory) {
  std::mt19937_64 random(4);
  const unsigned networks = test::randomCases(200);
  unsigned slower = 0;
  for (unsigned i = 0; i < networks; ++i) {
    Network network = drawNetwork(random, 3 + random() % 4);
    PricedSteps times;
    double unlimited = searchOrder(network, times)->order.seconds;
    double bytes =
        leastOfAll(network, std::numeric_limits<double>::infinity()).second;
    OrderOptions options;
    options.memoryLimit = bytes;
    Result<OrderResult> found = searchOrder(network, times, options);
    ASSERT_TRUE(found) << found.error();
    EXPECT_LE(found->order.peakBytes, bytes);
    EXPECT_DOUBLE_EQ(found->order.seconds, leastOfAll(network, bytes).first);
    slower += found->order.seconds > unlimited;
    options.memoryLimit = bytes - 1;
    EXPECT_EQ(searchOrder(network, times, options).error(),
              "the temporaries of every order take more than " +
                  std::to_string(int64_t(bytes) - 1) + " B");
  }
  EXPECT_GT(slower, networks / 10);
}

TEST(OrderSearch, TakesNoMorePredictionsWithALimitThatDoesNotBind) {
  std::mt19937_64 random(8);
  for (int i = 0; i < 20; ++i) {
    Network network = drawNetwork(random, 3 + random() % 15);
    PricedSteps times, again;
    Result<OrderResult> found = searchOrder(network, times);
    ASSERT_TRUE(found);
    OrderOptions options;
    options.memoryLimit = found->order.peakBytes;
    options.cutting = Cutting::All;
    Result<OrderResult> limited = searchOrder(network, again, options);
    ASSERT_TRUE(limited);
    EXPECT_EQ(limited->order.tree, found->order.tree);
    EXPECT_EQ(limited->predictions, found->predictions);
    EXPECT_TRUE(limited->order.slices.empty());
  }
}

TEST(OrderSearch, TakesAboutTheTimeThatIsAskedFor) {
  std::mt19937_64 random(9);
  const Network network = drawNetwork(random, 12);
  auto predictionsIn = [&](double seconds) {
    PricedSteps times;
    OrderOptions options;
    options.searchSeconds = seconds;
    return searchOrder(network, times, options)->predictions;
  };
  // Steps of the trees that are compared at the end are worked out anyway.
  EXPECT_LT(predictionsIn(0.1), predictionsIn(1));
}

TEST(OrderSearch, TakesFewPredictionsForManyInputs) {
  // A ring, as of a matrix product state with periodic ends.
  std::string text;
  std::vector<std::pair<char, int64_t>> extents;
  for (int i = 0; i < 14; ++i) {
    text +=
        std::string(i ? "," : "") + char('a' + i) + char('a' + (i + 1) % 14);
    extents.push_back({char('a' + i), 2 + (i * 7) % 11});
  }
  Network network = networkOf(text + "->", extents);
  PricedSteps times;
  OrderOptions options;
  options.mostPredictions = 1000;
  Result<OrderResult> found = searchOrder(network, times, options);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->isExact);
  EXPECT_EQ(found->order.tree.nodes.size(), 27u);
}

TEST(OrderSearch, SaysWhenPredictionsAreSpent) {
  std::mt19937_64 random(5);
  Network network = drawNetwork(random, 7);
  PricedSteps times;
  OrderOptions options;
  options.mostPredictions = 3;
  Result<OrderResult> found = searchOrder(network, times, options);
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->isExact);
}

TEST(OrderSearch, FindsATreeWhereverPredictionsEnd) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 200; ++i) {
    Network network = drawNetwork(random, 4 + random() % 4);
    PricedSteps times;
    OrderOptions options;
    options.mostPredictions = random() % 40;
    Result<OrderResult> found = searchOrder(network, times, options);
    ASSERT_TRUE(found) << *options.mostPredictions;
  }
}

TEST(OrderSearch, AnnealsWhatIsTooLargeForAllTrees) {
  // As many matrices, of which the exact order of a chain is known.
  constexpr size_t count = 40;
  std::mt19937_64 random(6);
  std::vector<std::vector<std::string>> lists;
  std::vector<std::pair<std::string, int64_t>> extents;
  auto label = [](size_t i) { return "x" + std::to_string(i); };
  for (size_t i = 0; i <= count; ++i)
    extents.push_back({label(i), static_cast<int64_t>(1 + random() % 60)});
  for (size_t i = 0; i < count; ++i)
    lists.push_back({label(i), label(i + 1)});
  Network network =
      *makeNetwork(lists, {label(0), label(count)}, extents, ElementType::F64);
  // Godbole's recurrence, in products.
  std::vector<std::vector<double>> least(count, std::vector<double>(count));
  for (size_t length = 1; length < count; ++length)
    for (size_t first = 0; first + length < count; ++first) {
      size_t last = first + length;
      double best = std::numeric_limits<double>::infinity();
      for (size_t middle = first; middle < last; ++middle)
        best = std::min(best, least[first][middle] + least[middle + 1][last] +
                                  double(extents[first].second *
                                         extents[middle + 1].second *
                                         extents[last + 1].second));
      least[first][last] = best;
    }
  PricedSteps times;
  Result<OrderResult> found = searchOrder(network, times);
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->isExact);
  EXPECT_GE(found->order.lowerBound, least[0][count - 1] * (1 - 1e-12));
  EXPECT_LE(found->order.lowerBound, least[0][count - 1] * 1.1);
  EXPECT_EQ(*treeOf(network, pathOf(found->order.tree)), found->order.tree);
}

/// A cubic lattice of tensors with bonds of two.
static Network cubicLattice(int side) {
  std::vector<std::vector<std::string>> lists(
      static_cast<size_t>(side * side * side));
  std::vector<std::pair<std::string, int64_t>> extents;
  auto place = [&](int x, int y, int z) {
    return static_cast<size_t>((x * side + y) * side + z);
  };
  auto bond = [&](size_t first, size_t second) {
    extents.push_back({"x" + std::to_string(extents.size()), 2});
    lists[first].push_back(extents.back().first);
    lists[second].push_back(extents.back().first);
  };
  for (int x = 0; x < side; ++x)
    for (int y = 0; y < side; ++y)
      for (int z = 0; z < side; ++z) {
        if (x + 1 < side)
          bond(place(x, y, z), place(x + 1, y, z));
        if (y + 1 < side)
          bond(place(x, y, z), place(x, y + 1, z));
        if (z + 1 < side)
          bond(place(x, y, z), place(x, y, z + 1));
      }
  return *makeNetwork(lists, {}, extents, ElementType::F64);
}

// Slices of the lattice meet in 16 bonds, and so no order can do with less than
// about 2^16 elements: the greedy order alone makes 2^22, of 10^9.4 products.
TEST(OrderSearch, FindsGoodOrdersOfLattices) {
  Network network = cubicLattice(4);
  PricedSteps times;
  OrderOptions options;
  // Prices are not seconds.
  options.leastSearchSeconds = options.mostSearchSeconds = 0.3;
  Result<OrderResult> found = searchOrder(network, times, options);
  ASSERT_TRUE(found);
  EXPECT_LE(found->order.lowerBound, std::pow(10, 7.8));
  double largest = 0;
  for (const TreeNode &node : found->order.tree.nodes)
    largest = std::max(largest, network.elements(node.indices));
  EXPECT_LE(largest, 0x1p17);
  // Chances and the length of the search are the same each time.
  Result<OrderResult> again = searchOrder(network, times, options);
  ASSERT_TRUE(again);
  EXPECT_EQ(found->order.tree, again->order.tree);
  options.mostSearchSeconds = 0;
  Result<OrderResult> greedy = searchOrder(network, times, options);
  ASSERT_TRUE(greedy);
  EXPECT_GT(greedy->order.lowerBound, found->order.lowerBound);
}

TEST(OrderSearch, TakesAnyNumberOfInputs) {
  enum Kind { Chain, Unconnected, OneIndex };
  for (Kind kind : {Chain, Unconnected, OneIndex}) {
    constexpr int count = 1500;
    std::vector<std::vector<std::string>> lists;
    std::vector<std::pair<std::string, int64_t>> extents;
    auto label = [](int i) { return "x" + std::to_string(i); };
    for (int i = 0; i < count; ++i)
      lists.push_back(kind == Chain ? std::vector{label(i), label(i + 1)}
                      : kind == Unconnected ? std::vector{label(i)}
                                            : std::vector{label(0)});
    const int indices = kind == Chain         ? count + 1
                        : kind == Unconnected ? count
                                              : 1;
    for (int i = 0; i < indices; ++i)
      extents.push_back({label(i), 2});
    Network network = *makeNetwork(lists, {}, extents, ElementType::F64);
    PricedSteps times;
    OrderOptions options;
    options.leastSearchSeconds = options.mostSearchSeconds = 0.05;
    Result<OrderResult> found = searchOrder(network, times, options);
    ASSERT_TRUE(found) << kind;
    EXPECT_EQ(*treeOf(network, pathOf(found->order.tree)), found->order.tree);
  }
}

TEST(OrderSearch, KeepsTemporariesOfLargeTreesWithinTheLimit) {
  std::vector<std::vector<std::string>> lists;
  std::vector<std::pair<std::string, int64_t>> extents;
  for (int i = 0; i < 30; ++i) {
    lists.push_back({"x" + std::to_string(i), "x" + std::to_string(i + 1)});
    extents.push_back({"x" + std::to_string(i), 8});
  }
  extents.push_back({"x30", 8});
  Network network =
      *makeNetwork(lists, {"x0", "x30"}, extents, ElementType::F64);
  PricedSteps times;
  OrderOptions options;
  // Any product but the last is made of another one.
  options.memoryLimit = 1023;
  EXPECT_EQ(
      searchOrder(network, times, options).error(),
      "the temporaries of the order that was found take 1024 B, more than "
      "1023 B");
  options.memoryLimit = 1024;
  EXPECT_TRUE(searchOrder(network, times, options));
}

TEST(OrderSearch, OrdersStepsForMemory) {
  // The product of two products: that which takes more to make comes first.
  Network network = networkOf(
      "ab,bc,cd,de,ef->af",
      {{'a', 2}, {'b', 100}, {'c', 100}, {'d', 2}, {'e', 50}, {'f', 50}});
  PricedSteps times;
  // ((bc cd) (ab)) needs 200 elements at once, (de ef) 100 that live on.
  Order order =
      judge(network, *treeOf(network, {{3, 4}, {1, 2}, {0, 2}, {0, 1}}), times);
  EXPECT_EQ(order.peakBytes, 8 * (200 + 4));
  EXPECT_EQ(order.tree.nodes[5].operands, (std::vector<unsigned>{1, 2}));
}

TEST(OrderSearch, OfOneInputIsOneStep) {
  Network network = networkOf("iij->ji", {{'i', 4}, {'j', 5}});
  PricedSteps times;
  Result<OrderResult> found = searchOrder(network, times);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->order.tree.nodes.size(), 2u);
  EXPECT_EQ(found->order.tree.nodes[1].indices, network.output);
  EXPECT_EQ(found->order.peakBytes, 0);
}

TEST(OrderSearch, ChoosesByTheModelsOfMachines) {
  // (A B) v or A (B v): two small products beat one large one anywhere.
  Network network =
      networkOf("ij,jk,k->i", {{'i', 300}, {'j', 400}, {'k', 500}});
  const Target &gpu = **findTarget("sm_90");
  CpuTarget cpu;
  cpu.name = "test";
  cpu.cores = 1;
  cpu.clockHertz = 3e9;
  cpu.vectorBytes = 32;
  cpu.vectorRegisters = 16;
  cpu.fmaPerCycleF64 = 8;
  cpu.fmaPerCycleF32 = 16;
  cpu.caches = {{"L1d", 32768, 8, 64, 1, 1e11},
                {"L2", 524288, 8, 64, 1, 5e10},
                {"L3", 16777216, 16, 64, 1, 2e10}};
  cpu.memoryBytesPerSecond = 1e10;
  for (bool onGpu : {true, false}) {
    std::unique_ptr<StepTimes> times =
        onGpu ? makeStepTimes(gpu, ElementType::F64, Precision::IEEE)
              : makeStepTimes(cpu, ElementType::F64, 1);
    Result<OrderResult> found = searchOrder(network, *times);
    ASSERT_TRUE(found);
    EXPECT_EQ(pathOf(found->order.tree), (ContractionPath{{1, 2}, {0, 1}}));
    EXPECT_GE(found->order.seconds, found->order.lowerBound);
    EXPECT_GT(found->order.lowerBound, 0);
  }
}
