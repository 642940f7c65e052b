//===- ReductionTest.cpp - Sums of all elements, compared -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Package/TestKernels.h"
#include "tc/Buffers/Problem.h"
#include "tc/Reference/Check.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace tc;
using namespace tc::runtime;
using namespace tc::runtime::test;

/// Adds up the stored elements of the tile that begins at i and j.
template <typename T, typename Sum>
static Sum sumOfTile(const Problem &problem, int64_t firstI, int64_t firstJ,
                     int64_t extentI, int64_t extentJ) {
  const T *a = problem.tensors[0].as<T>(), *b = problem.tensors[1].as<T>();
  Sum total = 0;
  for (int64_t i = firstI; i < std::min<int64_t>(firstI + extentI, 5); ++i)
    for (int64_t j = firstJ; j < std::min<int64_t>(firstJ + extentJ, 7); ++j) {
      Sum element = 0;
      for (int64_t k = 0; k < 3; ++k)
        element += static_cast<Sum>(a[i * 3 + k]) * b[k * 7 + j];
      total += 2 * element;
    }
  return total;
}

TEST(ReductionTest, TheSumIsCompared) {
  Kernel kernel = reducingKernel();
  Result<Problem> problem = makeProblem(kernel, {});
  ASSERT_TRUE(problem) << problem.error();
  double *c = problem->c().as<double>();
  CheckReport report = checkOutput(kernel, *problem, {});
  EXPECT_FALSE(report.passed());
  EXPECT_EQ(report.unwritten.count, 1);

  auto sum = sumOfTile<double, long double>(*problem, 0, 0, 5, 7);
  *c = static_cast<double>(sum);
  report = checkOutput(kernel, *problem, {});
  EXPECT_TRUE(report.passed()) << report.summary();
  EXPECT_EQ(report.summary().substr(0, 41),
            "passed: the sum of all 35 elements, relat");
  // The error of a single element of the last bits of a float shows.
  *c += 1e-10;
  report = checkOutput(kernel, *problem, {});
  EXPECT_FALSE(report.passed());
  EXPECT_EQ(report.largestAt, "C");
  *c = std::numeric_limits<double>::infinity();
  report = checkOutput(kernel, *problem, {});
  EXPECT_FALSE(report.passed());
  EXPECT_EQ(report.nonFinite.count, 1);
}

TEST(ReductionTest, EpilogueComesFirst) {
  Kernel kernel = reducingKernel(model::ElementType::F64, "x * x");
  Result<Problem> problem = makeProblem(kernel, {});
  ASSERT_TRUE(problem) << problem.error();
  long double sum = 0;
  for (int64_t i = 0; i < 5; ++i)
    for (int64_t j = 0; j < 7; ++j) {
      auto element = sumOfTile<double, long double>(*problem, i, j, 1, 1);
      sum += element * element;
    }
  *problem->c().as<double>() = static_cast<double>(sum);
  CheckReport report = checkOutput(kernel, *problem, {});
  EXPECT_TRUE(report.passed()) << report.summary();
}

TEST(ReductionTest, IntegersWrapAround) {
  Kernel kernel = reducingKernel(model::ElementType::I32);
  Result<Problem> problem = makeProblem(kernel, {});
  ASSERT_TRUE(problem) << problem.error();
  int32_t *c = problem->c().as<int32_t>();
  *c = static_cast<int32_t>(sumOfTile<int32_t, uint32_t>(*problem, 0, 0, 5, 7));
  CheckReport report = checkOutput(kernel, *problem, {});
  EXPECT_TRUE(report.passed()) << report.summary();
  *c ^= 1;
  EXPECT_FALSE(checkOutput(kernel, *problem, {}).passed());
}

TEST(ReductionTest, FloatsOf8BitsSaturate) {
  // Each element is 448 at the most, and so is their sum.
  Kernel kernel = reducingKernel(model::ElementType::F8E4M3FN, "10000 + x");
  Result<Problem> problem = makeProblem(kernel, {});
  ASSERT_TRUE(problem) << problem.error();
  auto *c = reinterpret_cast<uint8_t *>(problem->c().data());
  *c = 0x7e;
  CheckReport report = checkOutput(kernel, *problem, {});
  EXPECT_TRUE(report.passed()) << report.summary();
  EXPECT_EQ(report.relativeError, 0);
  // 128.
  *c = 0x70;
  EXPECT_FALSE(checkOutput(kernel, *problem, {}).passed());
}

TEST(ReductionTest, PartsOfBlocksAreCompared) {
  Kernel kernel = reducingKernel();
  Result<Problem> problem = makeProblem(kernel, {});
  ASSERT_TRUE(problem) << problem.error();
  problem->workspace.resize(kernel.workspace->bytes, std::byte(0xff));
  // Three tiles along i, two along j: block 4 has rows 2 and 3, the last three
  // columns.
  CheckOptions options;
  options.blocks = {0, 4};
  auto leave = [&](int64_t block, long double sum) {
    auto part = static_cast<double>(sum);
    std::memcpy(problem->workspace.data() + 128 + 8 * block, &part, 8);
  };
  leave(0, sumOfTile<double, long double>(*problem, 0, 0, 2, 4));
  CheckReport report = checkOutput(kernel, *problem, options);
  EXPECT_FALSE(report.passed());
  EXPECT_EQ(report.nonFinite.first, "block 4");
  leave(4, sumOfTile<double, long double>(*problem, 2, 4, 2, 4));
  report = checkOutput(kernel, *problem, options);
  EXPECT_TRUE(report.passed()) << report.summary();
  EXPECT_EQ(report.sums, 2);
  EXPECT_EQ(report.owned, 8 + 6);
  // The total is for the last of all blocks to store.
  *problem->c().as<double>() = 0;
  EXPECT_EQ(checkOutput(kernel, *problem, options).stray.first, "C");
}
