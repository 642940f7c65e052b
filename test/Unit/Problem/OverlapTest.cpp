//===- OverlapTest.cpp - Elements of a tensor at one address --------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Problem/Overlap.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <set>

using namespace tc::model;

static std::optional<std::string>
overlapOf(const std::vector<int64_t> &extents,
          const std::vector<int64_t> &strides) {
  std::vector<std::string> labels;
  for (size_t i = 0; i < extents.size(); ++i)
    labels.emplace_back(1, static_cast<char>('i' + i));
  return describeOverlap(extents, strides, labels);
}

TEST(OverlapTest, NamesTheFewestDimensions) {
  EXPECT_EQ(overlapOf({2, 3}, {4, 0}), "stride 0 along index 'j' of extent 3");
  EXPECT_EQ(overlapOf({4, 4}, {2, -3}),
            "strides 2 along index 'i' and -3 along index 'j'");
  // No two of them lead to one address, but all three do.
  EXPECT_EQ(overlapOf({2, 2, 2}, {2, 3, 5}),
            "strides 2 along index 'i', 3 along index 'j' and 5 along index "
            "'k'");
  EXPECT_EQ(overlapOf({2, 100, 2, 2}, {7, 1000, 3, 4}),
            "strides 7 along index 'i', 3 along index 'k' and 4 along index "
            "'l'");
}

TEST(OverlapTest, LeavesOthersAsTheyAre) {
  EXPECT_FALSE(overlapOf({}, {}));
  // Nothing lies along an extent of one, or of nothing.
  EXPECT_FALSE(overlapOf({1, 3}, {0, 1}));
  EXPECT_FALSE(overlapOf({5, 0}, {0, 0}));
  EXPECT_FALSE(overlapOf({2, 2}, {2, 3}));
  EXPECT_FALSE(overlapOf({4, 4}, {-4, 1}));
  constexpr int64_t largest = std::numeric_limits<int64_t>::max();
  EXPECT_FALSE(overlapOf({2, 2, 2}, {largest, largest - 1, largest - 2}));
  EXPECT_EQ(overlapOf({2, 2}, {-largest - 1, -largest - 1}),
            "strides -9223372036854775808 along index 'i' and "
            "-9223372036854775808 along index 'j'");
}

TEST(OverlapTest, KnowsWhichTensorsAreNested) {
  EXPECT_TRUE(isPlainlyInjective({2, 3}, {3, 1}));
  EXPECT_TRUE(isPlainlyInjective({3, 1, 2}, {-1, 0, 3}));
  EXPECT_TRUE(isPlainlyInjective({0, 5}, {0, 0}));
  // No two elements are one here either, but it takes longer to say.
  EXPECT_FALSE(isPlainlyInjective({3, 3}, {3, 4}));
  EXPECT_FALSE(isPlainlyInjective({4, 4}, {2, 3}));
}

/// Returns true if two elements lie at one address, by trying all.
static bool collides(const std::vector<int64_t> &extents,
                     const std::vector<int64_t> &strides) {
  std::vector<int64_t> positions = {0};
  for (size_t i = 0; i < extents.size(); ++i) {
    std::vector<int64_t> further;
    for (int64_t position : positions)
      for (int64_t step = 0; step < extents[i]; ++step)
        further.push_back(position + step * strides[i]);
    positions = further;
  }
  return std::set(positions.begin(), positions.end()).size() < positions.size();
}

TEST(OverlapTest, AgreesWithAllElements) {
  std::mt19937 random(7);
  auto draw = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  int overlapping = 0, nested = 0;
  for (int i = 0; i < 20000; ++i) {
    std::vector<int64_t> extents(draw(0, 4)), strides(extents.size());
    for (size_t dim = 0; dim < extents.size(); ++dim) {
      extents[dim] = draw(0, 5);
      strides[dim] = draw(-40, 40);
    }
    bool expected = collides(extents, strides);
    EXPECT_EQ(overlapOf(extents, strides).has_value(), expected)
        << testing::PrintToString(extents) << testing::PrintToString(strides);
    overlapping += expected;
    if (isPlainlyInjective(extents, strides)) {
      ++nested;
      EXPECT_FALSE(expected);
    }
  }
  EXPECT_GT(overlapping, 1000);
  EXPECT_GT(nested, 1000);
}
