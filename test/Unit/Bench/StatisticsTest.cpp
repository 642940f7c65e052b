//===- StatisticsTest.cpp - Figures of measurements -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Bench/Statistics.h"
#include "tc/Bench/Roofline.h"

#include <gtest/gtest.h>

using namespace tc;
using namespace tc::bench;

TEST(StatisticsTest, Quantiles) {
  EXPECT_EQ(quantile({3}, 0.25), 3);
  EXPECT_EQ(quantile({1, 2}, 0.5), 1.5);
  EXPECT_EQ(quantile({1, 2, 4}, 0.5), 2);
  EXPECT_EQ(quantile({0, 1, 2, 10}, 0.25), 0.75);
  EXPECT_EQ(quantile({0, 1, 2, 10}, 0), 0);
  EXPECT_EQ(quantile({0, 1, 2, 10}, 1), 10);
}

TEST(StatisticsTest, SummarySorts) {
  Summary summary = summarize({5, 1, 4, 2, 3});
  EXPECT_EQ(summary.least, 1);
  EXPECT_EQ(summary.lowerQuartile, 2);
  EXPECT_EQ(summary.median, 3);
  EXPECT_EQ(summary.upperQuartile, 4);
  EXPECT_EQ(summary.most, 5);
  EXPECT_EQ(summarize({}).median, 0);
}

TEST(StatisticsTest, EachContenderIsInEveryPlaceEquallyOften) {
  EXPECT_EQ(orderOfRound(3, 0), (std::vector<size_t>{0, 1, 2}));
  EXPECT_EQ(orderOfRound(3, 1), (std::vector<size_t>{1, 2, 0}));
  EXPECT_EQ(orderOfRound(3, 5), (std::vector<size_t>{2, 0, 1}));
  std::vector<std::vector<int>> counts(4, std::vector<int>(4));
  for (size_t round = 0; round < 20; ++round) {
    std::vector<size_t> order = orderOfRound(4, round);
    for (size_t place = 0; place < 4; ++place)
      ++counts[order[place]][place];
  }
  for (const std::vector<int> &ofContender : counts)
    EXPECT_EQ(ofContender, std::vector<int>(4, 5));
}

TEST(RooflineTest, PeaksOfTheH200) {
  const model::Target *target = targetOf(90);
  ASSERT_NE(target, nullptr);
  EXPECT_EQ(targetOf(1), nullptr);
  auto teraflops = [&](model::ElementType type,
                       model::Precision precision = model::Precision::IEEE) {
    return peakFlops(*target, type, precision, 132, 1980e6) * 1e-12;
  };
  using model::ElementType, model::Precision;
  EXPECT_NEAR(teraflops(ElementType::F64), 66.9, 0.1);
  EXPECT_NEAR(teraflops(ElementType::F32), 66.9, 0.1);
  EXPECT_NEAR(teraflops(ElementType::F32, Precision::TF32), 535.3, 0.1);
  EXPECT_NEAR(teraflops(ElementType::F32, Precision::TF32x3), 178.4, 0.1);
  EXPECT_NEAR(teraflops(ElementType::F32, Precision::BF16x3), 356.8, 0.1);
  EXPECT_NEAR(teraflops(ElementType::F16), 1070.5, 0.1);
  EXPECT_NEAR(teraflops(ElementType::BF16), 1070.5, 0.1);
}

TEST(RooflineTest, FloorIsTheLargerTime) {
  runtime::Work work{/*flops=*/100, /*bytes=*/30};
  Floor arithmetic = floorOf(work, 10, 10);
  EXPECT_EQ(arithmetic.seconds, 10);
  EXPECT_FALSE(arithmetic.isMemoryBound);
  Floor memory = floorOf(work, 100, 10);
  EXPECT_EQ(memory.seconds, 3);
  EXPECT_TRUE(memory.isMemoryBound);
}
