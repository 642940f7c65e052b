//===- SemiringTest.cpp - Semirings and their neutral elements ------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Problem/SemiringArithmetic.h"

#include <gtest/gtest.h>

#include <limits>

using namespace tc::model;

namespace {

TEST(Semiring, Names) {
  for (Semiring semiring : allSemirings)
    EXPECT_EQ(symbolizeSemiring(stringify(semiring)), semiring);
  EXPECT_FALSE(symbolizeSemiring("plus"));
}

TEST(Semiring, NeutralElementsOfNumbers) {
  for (Semiring semiring : allSemirings) {
    EXPECT_EQ(appliesTo(semiring, ElementType::C64),
              semiring == Semiring::PlusTimes);
    if (!appliesTo(semiring, ElementType::F64))
      continue;
    double zero = zeroOf(semiring), one = oneOf(semiring);
    for (double x : {-3.5, 0.0, 7.25}) {
      EXPECT_EQ(combine(semiring, zero, x), x) << stringify(semiring);
      EXPECT_EQ(multiply(semiring, one, x), x) << stringify(semiring);
    }
    // Shared tiles are filled up by the product of a zero and a one.
    EXPECT_EQ(multiply(semiring, zero, one), zero) << stringify(semiring);
  }
}

TEST(Semiring, NeutralElementsOfIntegers) {
  for (Semiring semiring : allSemirings)
    for (ElementType type :
         {ElementType::I8, ElementType::I32, ElementType::I64}) {
      EXPECT_TRUE(appliesTo(semiring, type));
      int64_t zero = integerZeroOf(semiring, type);
      int64_t one = integerOneOf(semiring, type);
      for (int64_t x : {-128, -1, 0, 1, 127}) {
        EXPECT_EQ(combine(semiring, zero, x), x) << stringify(semiring);
        EXPECT_EQ(multiply(semiring, one, x), x) << stringify(semiring);
      }
    }
  EXPECT_EQ(integerZeroOf(Semiring::MaxPlus, ElementType::I8), -128);
  EXPECT_EQ(integerZeroOf(Semiring::MinPlus, ElementType::I32),
            std::numeric_limits<int32_t>::max());
  EXPECT_EQ(integerOneOf(Semiring::MaxMin, ElementType::I64),
            std::numeric_limits<int64_t>::max());
}

TEST(Semiring, BitwiseOnesTakeIntegersOnly) {
  for (ElementType type : allElementTypes)
    for (Semiring semiring : {Semiring::OrAnd, Semiring::XorAnd})
      EXPECT_EQ(appliesTo(semiring, type), isInteger(type));
}

TEST(Semiring, ZerosAndOnesOfIntegersAreExact) {
  constexpr int64_t highest = std::numeric_limits<int64_t>::max();
  constexpr int64_t lowest = std::numeric_limits<int64_t>::min();
  EXPECT_EQ(oneOf(Semiring::MaxMin, ElementType::I64).integer(), highest);
  EXPECT_EQ(zeroOf(Semiring::MinPlus, ElementType::I64).integer(), highest);
  EXPECT_EQ(zeroOf(Semiring::MaxPlus, ElementType::I64).integer(), lowest);
  EXPECT_EQ(zeroOf(Semiring::MaxPlus, ElementType::I8).integer(), -128);
  EXPECT_EQ(zeroOf(Semiring::MaxPlus, ElementType::F32),
            -std::numeric_limits<double>::infinity());
}

} // namespace
