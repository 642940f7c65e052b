//===- ArithmeticTest.cpp - Arithmetic that saturates ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Support/Arithmetic.h"

#include <gtest/gtest.h>

using namespace tc;

TEST(Arithmetic, Saturates) {
  EXPECT_EQ(saturatingMultiply(int64_t(1) << 40, int64_t(1) << 40), saturated);
  EXPECT_EQ(saturatingAdd(saturated, 1), saturated);
  EXPECT_EQ(roundUp(13, 8), 16);
  EXPECT_EQ(roundUp(saturated, 16), saturated);
  EXPECT_EQ(ceilDivide(saturated, 1), saturated);
  EXPECT_EQ(magnitude(-3), 3);
  EXPECT_EQ(magnitude(INT64_MIN), saturated);
}
