//===- FeaturesTest.cpp - Abilities of some chips -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Machine/Target.h"

#include <gtest/gtest.h>

#include <set>

using namespace tc;
using namespace tc::model;

namespace {

TEST(Features, HaveALineEachInTheirOrder) {
  std::set<std::string> names;
  for (size_t i = 0; i < allFeatures().size(); ++i) {
    const FeatureRow &row = allFeatures()[i];
    EXPECT_EQ(static_cast<size_t>(row.feature), i);
    EXPECT_EQ(&rowOf(row.feature), &row);
    EXPECT_LT(row.chips.least, row.chips.end) << row.name;
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_NE(std::string(row.source), "") << row.name;
  }
}

TEST(Features, AreThoseOfTheChip) {
  auto has = [](std::string_view name, Feature feature) {
    return (*findTarget(name))->has(feature);
  };
  EXPECT_FALSE(has("sm_75", Feature::AsyncCopy));
  EXPECT_TRUE(has("sm_80", Feature::AsyncCopy));
  EXPECT_FALSE(has("sm_86", Feature::Float8PairConversions));
  EXPECT_TRUE(has("sm_89", Feature::Float8PairConversions));
  EXPECT_FALSE(has("sm_89", Feature::WarpGroupMultiply));
  EXPECT_TRUE(has("sm_90", Feature::WarpGroupMultiply));
  EXPECT_TRUE(has("sm_110", Feature::WarpGroupMultiply));
  EXPECT_FALSE(has("sm_120", Feature::WarpGroupMultiply));
  EXPECT_TRUE(has("sm_90", Feature::HalfRateSmallDoubleMMA));
  EXPECT_FALSE(has("sm_100", Feature::HalfRateSmallDoubleMMA));
  EXPECT_TRUE(has("sm_120", Feature::DoubleRateIntegerAdds));
}

TEST(Features, TargetsAreFoundByCapability) {
  EXPECT_EQ(findTargetFor(74), nullptr);
  EXPECT_EQ(findTargetFor(-1), nullptr);
  EXPECT_EQ(findTargetFor(75)->name, "sm_75");
  EXPECT_EQ(findTargetFor(87)->name, "sm_86");
  EXPECT_EQ(findTargetFor(90)->name, "sm_90");
  EXPECT_EQ(findTargetFor(1000)->name, "sm_121");
}

} // namespace
