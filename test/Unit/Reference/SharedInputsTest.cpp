//===- SharedInputsTest.cpp - Several outputs by definition ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Package/TestKernels.h"
#include "tc/Buffers/Problem.h"
#include "tc/Reference/Check.h"
#include "tc/Reference/Reference.h"

#include <gtest/gtest.h>

#include <limits>

using namespace tc;
using namespace tc::runtime;
using namespace tc::runtime::test;

namespace {

class SharedInputsTest : public testing::Test {
protected:
  void SetUp() override {
    Result<Problem> made = makeProblem(kernel, {});
    ASSERT_TRUE(made) << made.error();
    problem.emplace(std::move(*made));
    for (int64_t i = 0; i < 5; ++i) {
      for (int64_t j = 0; j < 7; ++j) {
        double sum = 0;
        for (int64_t k = 0; k < 3; ++k)
          sum += at(0)[i * 3 + k] * at(1)[k * 7 + j];
        at(2)[i * 7 + j] = sum;
      }
      for (int64_t y = 0; y < 2; ++y) {
        double sum = 0;
        for (int64_t z = 0; z < 3; ++z)
          sum += at(3)[y * 3 + z] * at(0)[i * 3 + z];
        at(4)[y * 5 + i] = 2 * sum;
      }
    }
  }

  double *at(size_t tensor) { return problem->tensors[tensor].as<double>(); }
  CheckReport check(std::vector<int64_t> blocks = {}) {
    CheckOptions options;
    options.blocks = std::move(blocks);
    return checkOutput(kernel, *problem, options);
  }

  Kernel kernel = sharingKernel();
  std::optional<Problem> problem;
};

} // namespace

TEST_F(SharedInputsTest, AllOutputsAreCompared) {
  CheckReport report = check();
  EXPECT_TRUE(report.passed()) << report.summary();
  EXPECT_EQ(report.compared, 5 * 7 + 2 * 5);
}

TEST_F(SharedInputsTest, WrongNumbersOfABranchShow) {
  at(4)[3] += 1;
  EXPECT_FALSE(check().passed());
  at(4)[3] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(check().nonFinite.count, 1);
}

TEST_F(SharedInputsTest, BlocksOwnTilesOfEachOutput) {
  // The last block has the last row of A alone; the others' are stray.
  EXPECT_EQ(check({2}).owned, 7 + 2);
  EXPECT_EQ(check({2}).stray.count, 4 * 7 + 4 * 2);
}
