//===- ScheduleTest.cpp - Tests of schedules ------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Gpu/Layout/Schedule.h"
#include "tc/Support/Arithmetic.h"

#include <gtest/gtest.h>

using namespace tc;
using namespace tc::model;

TEST(Schedule, ProductsSaturate) {
  int64_t large = int64_t(1) << 40;
  EXPECT_EQ(extentsProduct({{"a", 3}, {"b", 4}}), 12);
  EXPECT_EQ(extentsProduct({}), 1);
  EXPECT_EQ(extentsProduct({{"a", large}, {"b", large}}), saturated);
}
