//===- TermsTest.cpp - Sums of contractions by definition -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Package/TestKernels.h"
#include "tc/Buffers/Problem.h"
#include "tc/Reference/Reference.h"

#include <gtest/gtest.h>

using namespace tc;
using namespace tc::runtime;
using namespace tc::runtime::test;

/// Adds the terms up, element by element, in numbers of another type.
template <typename T, typename Wide>
static void expectReference(model::ElementType type) {
  Kernel kernel = sumKernel(type);
  Result<Problem> problem = makeProblem(kernel, {});
  ASSERT_TRUE(problem) << problem.error();
  Reference reference(kernel, *problem);
  EXPECT_EQ(reference.sumLength(), 3 + 4);
  auto at = [&](size_t tensor, int64_t place) {
    return static_cast<Wide>(problem->tensors[tensor].as<T>()[place]);
  };
  for (int64_t i = 0; i < 5; ++i)
    for (int64_t j = 0; j < 7; ++j) {
      Wide sum = at(2, i * 7 + j);
      for (int64_t k = 0; k < 3; ++k)
        sum += 2 * at(0, i * 3 + k) * at(1, k * 7 + j);
      for (int64_t z = 0; z < 4; ++z)
        sum -= at(3, j * 4 + z) * at(4, z * 5 + i);
      auto expected = static_cast<T>(sum);
      EXPECT_EQ(static_cast<T>(reference.at({i, j}).value), expected);
    }
}

TEST(TermsTest, AreAddedUp) {
  expectReference<double, long double>(model::ElementType::F64);
  // Integers wrap around.
  expectReference<int64_t, uint64_t>(model::ElementType::I64);
}
