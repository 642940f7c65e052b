//===- LinksTest.cpp - Chains of contractions by definition ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Package/TestKernels.h"
#include "tc/Reference/Problem.h"
#include "tc/Reference/Reference.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace tc;
using namespace tc::runtime;
using namespace tc::runtime::test;

TEST(LinksTest, FeedOneAnother) {
  Kernel kernel = chainKernel();
  Result<Problem> problem = makeProblem(kernel, {});
  ASSERT_TRUE(problem) << problem.error();
  Reference reference(kernel, *problem);
  EXPECT_EQ(reference.sumLength(), 3 + 4);
  EXPECT_EQ(reference.roundingOfLinks(), 0);
  auto at = [&](size_t tensor, int64_t place) -> long double {
    return problem->tensors[tensor].as<double>()[place];
  };
  for (int64_t i = 0; i < 5; ++i)
    for (int64_t j = 0; j < 7; ++j) {
      long double sum = 0, squares = 0;
      for (int64_t k = 0; k < 3; ++k) {
        long double between = 0;
        for (int64_t z = 0; z < 4; ++z)
          between += at(0, i * 4 + z) * at(3, z * 3 + k);
        // Each is rounded to the type of the tensor between the two.
        auto stored = static_cast<double>(2 * std::fabs(between));
        sum += stored * at(1, k * 7 + j);
        squares += std::pow(stored * at(1, k * 7 + j), 2);
      }
      ReferenceValue value = reference.at({i, j});
      EXPECT_NEAR(static_cast<double>(value.value), static_cast<double>(sum),
                  1e-17);
      EXPECT_GE(value.magnitude, static_cast<double>(std::sqrt(squares)));
    }
}

TEST(LinksTest, MayRound) {
  Kernel kernel = chainKernel(model::ElementType::F16);
  Result<Problem> problem = makeProblem(kernel, {});
  ASSERT_TRUE(problem) << problem.error();
  EXPECT_EQ(Reference(kernel, *problem).roundingOfLinks(), std::ldexp(1, -11));
}
