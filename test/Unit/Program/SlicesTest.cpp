//===- SlicesTest.cpp - Parts of a product of many tensors ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestNetworks.h"

#include "tc/Program/OrderText.h"

#include "gtest/gtest.h"

#include <algorithm>

using namespace tc;
using namespace tc::model;

static OrderOptions limitedTo(double bytes) {
  OrderOptions options;
  options.memoryLimit = bytes;
  options.cutting = Cutting::All;
  return options;
}

TEST(Slices, OfWhichTheLastIsShorter) {
  Network network = networkOf("ij,jk->ik", {{'i', 7}, {'j', 12}, {'k', 5}});
  Slices slices = {{0, 3}, {1, 4}, {2, 5}};
  EXPECT_EQ(countParts(network, slices[0]), 3);
  EXPECT_EQ(countParts(network, slices[1]), 3);
  EXPECT_EQ(countParts(network, slices[2]), 1);
  EXPECT_EQ(raggedLength(network, slices[0]), 1);
  EXPECT_EQ(raggedLength(network, slices[1]), 0);
  EXPECT_EQ(countSlices(network, slices), 9);
  std::vector<SliceKind> kinds = kindsOfSlices(network, slices);
  ASSERT_EQ(kinds.size(), 2u);
  EXPECT_EQ(kinds[0].count, 6);
  EXPECT_EQ(kinds[0].network.indices[0].extent, 3);
  EXPECT_EQ(kinds[1].count, 3);
  EXPECT_EQ(kinds[1].network.indices[0].extent, 1);
  EXPECT_EQ(kinds[1].network.indices[1].extent, 4);
}

TEST(Slices, OfAllKindsMakeTheWhole) {
  std::mt19937_64 random(21);
  for (int i = 0; i < 100; ++i) {
    Network network = drawNetwork(random, 3);
    Slices slices;
    double whole = 1;
    for (unsigned index = 0; index < network.indices.size(); ++index) {
      int64_t extent = network.indices[index].extent;
      whole *= static_cast<double>(extent);
      slices.push_back({index, 1 + static_cast<int64_t>(random() % extent)});
    }
    double sum = 0, count = 0;
    for (const SliceKind &kind : kindsOfSlices(network, slices)) {
      double elements = kind.count;
      for (const Network::Index &index : kind.network.indices)
        elements *= static_cast<double>(index.extent);
      sum += elements;
      count += kind.count;
    }
    EXPECT_EQ(sum, whole);
    EXPECT_EQ(count, countSlices(network, slices));
  }
}

TEST(SliceSearch, CutsTheIndexThatTheTemporaryHolds) {
  // Either product of two is a matrix of 64 or 96 elements; of the first, the
  // rows are cut, as many as fit.
  Network network =
      networkOf("ij,jk,kl->il", {{'i', 8}, {'j', 50}, {'k', 8}, {'l', 12}});
  PricedSteps times;
  OrderOptions options = limitedTo(8 * 16);
  Result<OrderResult> found = searchOrder(network, times, options);
  ASSERT_TRUE(found) << found.error();
  EXPECT_EQ(found->order.peakBytes, 8 * 16);
  ASSERT_EQ(found->order.slices.size(), 1u);
  EXPECT_EQ(countSlices(network, found->order.slices), 4);
  // i in four parts: 4 (2 50 8 + 3 (2 50 + 50 8 + 2 8) +
  //                     2 8 12 + 3 (2 8 + 8 12 + 2 12))
  // or k: 4 (8 50 2 + 3 (8 50 + 50 2 + 8 2) + 8 2 12 + 3 (8 2 + 2 12 + 8 12)),
  // which is the same.
  EXPECT_EQ(found->order.seconds, 4 * (800 + 3 * 516 + 192 + 3 * 136));
  ASSERT_TRUE(found->unlimited);
  EXPECT_EQ(found->unlimited->seconds,
            3200 + 3 * (400 + 400 + 64) + 768 + 3 * (64 + 96 + 96));
  EXPECT_FALSE(found->isExact);
}

TEST(SliceSearch, MakesPartsAsLongAsFits) {
  // Of a prime extent: parts of 23 are the longest that fit.
  Network network = networkOf("ij,jk,k->i", {{'i', 2}, {'j', 101}, {'k', 103}});
  PricedSteps times;
  Result<OrderResult> found = searchOrder(network, times, limitedTo(8 * 30));
  ASSERT_TRUE(found) << found.error();
  // ij and jk make ik, of two elements for each k; jk and k make j, of one for
  // each j: the latter, in four parts of 26, the last of 23.
  EXPECT_EQ(pathOf(found->order.tree), (ContractionPath{{1, 2}, {0, 1}}));
  ASSERT_EQ(found->order.slices.size(), 1u);
  EXPECT_EQ(found->order.slices[0], (Slice{1, 26}));
  EXPECT_EQ(countParts(network, found->order.slices[0]), 4);
  EXPECT_EQ(raggedLength(network, found->order.slices[0]), 23);
  EXPECT_EQ(found->order.peakBytes, 8 * 26);
}

TEST(SliceSearch, KeepsAnyLimitThatIsPossible) {
  std::mt19937_64 random(22);
  int sliced = 0;
  for (int i = 0; i < 300; ++i) {
    size_t inputs = 3 + random() % 5;
    Network network = drawNetwork(random, inputs);
    PricedSteps times;
    Result<OrderResult> whole = searchOrder(network, times);
    ASSERT_TRUE(whole);
    // One temporary of one element, or two, of which one is made of the other.
    double least = inputs == 3 ? 8 : 16, most = whole->order.peakBytes;
    double limit = least + std::floor(static_cast<double>(random() % 1001) /
                                      1000 * std::max(most - least, 0.0));
    TooManySlices tooMany;
    OrderOptions options = limitedTo(i % 3 == 0 ? least : limit);
    options.tooManySlices = &tooMany;
    Result<OrderResult> found = searchOrder(network, times, options);
    if (!found && tooMany.slices > mostSlices) {
      EXPECT_EQ(found.error(), tooMany.text(*options.memoryLimit));
      options.memoryLimit = tooMany.enoughBytes;
      found = searchOrder(network, times, options);
    }
    ASSERT_TRUE(found) << found.error();
    const Order &order = found->order;
    EXPECT_LE(order.peakBytes, *options.memoryLimit);
    EXPECT_LE(countSlices(network, order.slices), mostSlices);
    EXPECT_GE(order.seconds, whole->order.seconds * (1 - 1e-12));
    EXPECT_GE(order.seconds, order.lowerBound);
    EXPECT_EQ(found->unlimited.has_value(), !order.slices.empty());
    sliced += !order.slices.empty();
    // All slices are what the tree and the slices say.
    Order again = judge(network, order.tree, times, order.slices);
    EXPECT_DOUBLE_EQ(again.seconds, order.seconds);
    EXPECT_EQ(again.peakBytes, order.peakBytes);
    unsigned ragged = 0;
    for (const Slice &slice : order.slices) {
      EXPECT_GE(slice.length, 1);
      EXPECT_LT(slice.length, network.indices[slice.index].extent);
      ragged += raggedLength(network, slice) != 0;
      EXPECT_EQ(std::count_if(order.slices.begin(), order.slices.end(),
                              [&](const Slice &other) {
                                return other.index == slice.index;
                              }),
                1);
    }
    EXPECT_LE(ragged, mostRaggedIndices);
    EXPECT_EQ(searchOrder(network, times, limitedTo(least - 1)).error(),
              "the temporaries take " + std::to_string(int(least)) +
                  " B at least, whatever they are cut into, more than " +
                  std::to_string(int(least) - 1) + " B");
  }
  EXPECT_GT(sliced, 100);
}

TEST(SliceSearch, NeedsNoMoreTimeWithMoreMemory) {
  // If no tree fits, parts are made longer: not a theorem of the greedy choice,
  // but so with a single temporary.
  Network network =
      networkOf("ij,jk,kl->il", {{'i', 30}, {'j', 31}, {'k', 32}, {'l', 33}});
  PricedSteps times;
  double before = std::numeric_limits<double>::infinity();
  for (double elements : {1, 2, 3, 5, 10, 30, 31, 100, 400, 500, 1000}) {
    Result<OrderResult> found =
        searchOrder(network, times, limitedTo(8 * elements));
    ASSERT_TRUE(found) << found.error();
    EXPECT_LE(found->order.seconds, before);
    before = found->order.seconds;
  }
}

TEST(SliceSearch, LeavesSumsWhole) {
  // If nothing may be added up, only indices of the output are cut, also if
  // sums would be rounded in between.
  Network network =
      networkOf("ij,jk,kl->il", {{'i', 30}, {'j', 31}, {'k', 32}, {'l', 33}});
  for (bool narrow : {false, true}) {
    PricedSteps times;
    OrderOptions options = limitedTo(8 * 40);
    options.cutting = narrow ? Cutting::All : Cutting::Output;
    if (narrow)
      network.outputType = ElementType::F16;
    Result<OrderResult> found = searchOrder(network, times, options);
    ASSERT_TRUE(found) << found.error();
    for (const Slice &slice : found->order.slices)
      EXPECT_TRUE(slice.index == 0 || slice.index == 3);
    // A row or a column of a product is left.
    options.memoryLimit = 8 * 31 - 1;
    EXPECT_EQ(
        searchOrder(network, times, options).error(),
        "the temporaries take 248 B at least, whatever they are cut into, "
        "more than 247 B");
  }
}

TEST(SliceSearch, RefusesMoreSlicesThanThereMayBe) {
  // 2^25 slices of one element for the least memory.
  Network network = networkOf(
      "ij,jk,kl->il",
      {{'i', 1 << 14}, {'j', 1 << 14}, {'k', 1 << 14}, {'l', 1 << 14}});
  ContractionPath path = {{0, 1}, {0, 1}};
  for (bool isGiven : {false, true}) {
    PricedSteps times;
    TooManySlices tooMany;
    OrderOptions options = limitedTo(64);
    options.tooManySlices = &tooMany;
    auto find = [&] {
      return isGiven ? completeOrder(network, *treeOf(network, path), times,
                                     options)
                     : searchOrder(network, times, options);
    };
    EXPECT_EQ(find().error(),
              "temporaries of 64 B ask for 33554432 slices, and at most "
              "16777216 are computed; 128 B would do");
    EXPECT_EQ(tooMany.slices, 1 << 25);
    EXPECT_EQ(tooMany.enoughBytes, 128);
    options.memoryLimit = 128;
    Result<OrderResult> found = find();
    ASSERT_TRUE(found) << found.error();
    EXPECT_LE(countSlices(network, found->order.slices), 1 << 24);
    options.memoryLimit = 127;
    EXPECT_FALSE(find());
  }
}

TEST(SliceSearch, SaysALimitThatWouldDo) {
  std::mt19937_64 random(5);
  int refused = 0;
  for (int i = 0; i < 40; ++i) {
    Network network = drawNetwork(random, 4 + i % 4);
    for (Network::Index &index : network.indices)
      index.extent *= 1 + static_cast<int64_t>(random() % 4000);
    PricedSteps times;
    TooManySlices tooMany;
    OrderOptions options = limitedTo(8 * (2 + random() % 4));
    options.tooManySlices = &tooMany;
    if (searchOrder(network, times, options) || tooMany.slices == 0)
      continue;
    ++refused;
    options.memoryLimit = tooMany.enoughBytes;
    Result<OrderResult> found = searchOrder(network, times, options);
    ASSERT_TRUE(found) << found.error();
    EXPECT_LE(countSlices(network, found->order.slices), mostSlices);
  }
  EXPECT_GT(refused, 5);
}

TEST(SliceSearch, KeepsATreeThatIsGiven) {
  Network network = networkOf("ij,jk,k->i", {{'i', 30}, {'j', 40}, {'k', 50}});
  ContractionPath path = {{0, 1}, {0, 1}};
  PricedSteps times;
  Result<OrderResult> found =
      completeOrder(network, *treeOf(network, path), times, limitedTo(8 * 300));
  ASSERT_TRUE(found) << found.error();
  EXPECT_EQ(pathOf(found->order.tree).size(), 2u);
  EXPECT_EQ(bracketsOf(found->order.tree), "(2 (0 1))");
  EXPECT_EQ(found->order.peakBytes, 8 * 300);
  EXPECT_EQ(countSlices(network, found->order.slices), 5);
  found = completeOrder(network, *treeOf(network, path), times);
  EXPECT_TRUE(found->order.slices.empty());
  EXPECT_EQ(found->order.peakBytes, 8 * 1500);
  EXPECT_EQ(
      completeOrder(network, *treeOf(network, path), times, limitedTo(7))
          .error(),
      "the temporaries take 8 B at least, whatever they are cut into, more "
      "than 7 B");
}

TEST(SliceSearch, CutsWhatIsTooLargeForAllTrees) {
  // A chain of 30 matrices.
  std::vector<std::vector<std::string>> lists;
  std::vector<std::pair<std::string, int64_t>> extents;
  for (int i = 0; i <= 30; ++i)
    extents.push_back({"x" + std::to_string(i), i % 2 ? 8 : 7});
  for (int i = 0; i < 30; ++i)
    lists.push_back({extents[i].first, extents[i + 1].first});
  Network network =
      *makeNetwork(lists, {"x0", "x30"}, extents, ElementType::F64);
  PricedSteps times;
  for (int limit : {16, 17}) {
    std::string error = searchOrder(network, times, limitedTo(limit)).error();
    EXPECT_NE(error.find("ask for over 281474976710656 slices, and at most "
                         "16777216 are computed; "),
              std::string::npos)
        << error;
  }
  for (int limit : {100, 500}) {
    Result<OrderResult> found = searchOrder(network, times, limitedTo(limit));
    ASSERT_TRUE(found) << found.error();
    EXPECT_LE(found->order.peakBytes, limit);
    EXPECT_GT(countSlices(network, found->order.slices), 1);
  }
  EXPECT_EQ(searchOrder(network, times, limitedTo(15)).error(),
            "the temporaries take 16 B at least, whatever they are cut into, "
            "more than 15 B");
}

TEST(OrderText, NamesSlices) {
  Network network = networkOf("ij,jk,k->i", {{'i', 2}, {'j', 101}, {'k', 103}});
  PricedSteps times;
  OrderResult found = *searchOrder(network, times, limitedTo(8 * 30));
  std::string text = orderText(network, found, "a machine");
  EXPECT_NE(text.find("s predicted, 208 B of temporaries\n"
                      "  4 slices: [j] in 4 parts of 26, the last of 23\n"
                      "  1 times the products and 1.0"),
            std::string::npos)
      << text;
  EXPECT_NE(
      text.find(" times the time of (0 (1 2)) without a limit, with 808 B "
                "of temporaries; the first slice:\n"
                "  [i] "),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("2.68e+03 products"), std::string::npos) << text;
  EXPECT_NE(text.find("  (0 (1 2)) is the best found of 3 trees; "),
            std::string::npos)
      << text;
}
