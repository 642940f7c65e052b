//===- ConstantsTest.cpp - Tests of numbers that users write ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Problem/Constants.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace tc;
using namespace tc::model;

namespace {

constexpr int64_t least = std::numeric_limits<int64_t>::min();
constexpr int64_t greatest = std::numeric_limits<int64_t>::max();
constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(Constants, IntegersOf64BitsAreExact) {
  const std::pair<const char *, int64_t> texts[] = {
      {"0", 0},
      {"-0", 0},
      {"000", 0},
      {"0e99999999999999999999", 0},
      {"+7", 7},
      {"1e3", 1000},
      {"1.25e2", 125},
      {"12500e-2", 125},
      {"0.0010e+3", 1},
      {"9007199254740993", 9007199254740993},
      {"-9007199254740993.000", -9007199254740993},
      {"9.007199254740993e15", 9007199254740993},
      {"9223372036854775807", greatest},
      {"-9223372036854775808", least},
  };
  for (auto [text, integer] : texts) {
    std::optional<Constant> constant = parseConstant(text);
    ASSERT_TRUE(constant) << text;
    EXPECT_EQ(constant->integer(), integer) << text;
    EXPECT_EQ(constant->real(), static_cast<double>(integer)) << text;
    EXPECT_EQ(stringify(*constant), std::to_string(integer)) << text;
  }
}

TEST(Constants, NothingElseIsAnInteger) {
  for (const char *text :
       {"0.5", "1e-3", "9223372036854775808", "-9223372036854775809",
        "9007199254740993.5", "1.00000000000000000000000001", "1e19",
        "4611686018427387905.25", "1e300", "1e-400", "1e-99999999999999999999",
        "2i", "1+1i"}) {
    std::optional<Constant> constant = parseConstant(text);
    ASSERT_TRUE(constant) << text;
    EXPECT_EQ(constant->integer(), std::nullopt) << text;
  }
  EXPECT_EQ(Constant(0x1p63).integer(), std::nullopt);
  EXPECT_EQ(Constant(-0x1p63).integer(), least);
  EXPECT_EQ(Constant(NAN).integer(), std::nullopt);
  EXPECT_EQ(Constant(1, 1).integer(), std::nullopt);
}

TEST(Constants, ReadsWholeTexts) {
  EXPECT_EQ(parseConstant("-2.5i"), Constant(0, -2.5));
  EXPECT_EQ(parseConstant("1.5-2i"), Constant(1.5, -2));
  EXPECT_EQ(parseConstant("-1e-3+1i"), Constant(-1e-3, 1));
  EXPECT_EQ(parseConstant("3+0i")->integer(), 3);
  EXPECT_EQ(parseConstant("0.1"), 0.1);
  EXPECT_EQ(parseConstant("1e-400"), 0);
  for (const char *text :
       {"",     "-",   "x",    "1x",    "1.5-2",    "1i2", "i",
        "inf",  "nan", "-inf", "1e999", "1+1e999i", " 1",  "1 ",
        "0x10", "--1", "+-1",  "1,5",   "1e",       "."})
    EXPECT_EQ(parseConstant(text), std::nullopt) << text;
}

TEST(Constants, TakesTheBeginningOfATextWithoutSign) {
  std::string_view text = "1.5*x";
  EXPECT_EQ(takeConstant(text), 1.5);
  EXPECT_EQ(text, "*x");
  text = "9223372036854775808)";
  EXPECT_EQ(takeConstant(text, /*isNegative=*/true)->integer(), least);
  EXPECT_EQ(text, ")");
  for (std::string_view none : {"-1", "inf", "", "1e999"}) {
    text = none;
    EXPECT_FALSE(takeConstant(text)) << none;
    EXPECT_EQ(text, none);
  }
}

TEST(Constants, ComparesIntegersExactly) {
  EXPECT_EQ(Constant::ofInteger(5), 5.0);
  EXPECT_NE(Constant::ofInteger(greatest), Constant::ofInteger(greatest - 1));
  EXPECT_NE(Constant::ofInteger(greatest), Constant::ofInteger(least));
  EXPECT_NE(Constant(1), Constant(1, 1));
}

/// The error about a constant, or nothing.
std::string errorOf(const Constant &constant, ElementType type) {
  Status status = checkConstant(constant, type);
  return status ? "" : status.error();
}

TEST(Constants, AreNumbersOfTheirTypeOrAnError) {
  EXPECT_EQ(errorOf(2147483647, ElementType::I32), "");
  EXPECT_EQ(errorOf(-2147483648.0, ElementType::I32), "");
  for (double number :
       {2147483648.0, -2147483649.0, 1.5, infinity, static_cast<double>(NAN)})
    EXPECT_EQ(errorOf(number, ElementType::I32),
              "'" + stringify(Constant(number)) + "' is no i32");
  EXPECT_EQ(errorOf(Constant::ofInteger(greatest), ElementType::I64), "");
  EXPECT_EQ(errorOf(Constant::ofInteger(least), ElementType::I64), "");
  EXPECT_EQ(errorOf(0x1p63, ElementType::I64),
            "'9223372036854775808' is no i64");
  EXPECT_EQ(errorOf(0.5, ElementType::I64), "'0.5' is no i64");
  EXPECT_EQ(
      errorOf(*parseConstant("1.0000000000000000000001"), ElementType::I64),
      "nearly '1' is no i64");

  EXPECT_EQ(errorOf(0.1, ElementType::F32), "");
  EXPECT_EQ(errorOf(1e-60, ElementType::F32), "");
  EXPECT_EQ(errorOf(std::numeric_limits<float>::max(), ElementType::F32), "");
  for (double number : {infinity, -infinity, static_cast<double>(NAN)})
    EXPECT_EQ(errorOf(number, ElementType::F32), "") << number;
  EXPECT_EQ(errorOf(1e39, ElementType::F32), "'1e+39' is too large for f32");
  EXPECT_EQ(errorOf(-1e39, ElementType::F32), "'-1e+39' is too large for f32");
  EXPECT_EQ(errorOf(1e300, ElementType::F64), "");

  EXPECT_EQ(errorOf(Constant(0, 1e39), ElementType::C32),
            "'0+1e+39i' is too large for c32");
  EXPECT_EQ(errorOf(Constant(1e39, 1e39), ElementType::C64), "");
  for (ElementType type :
       {ElementType::F32, ElementType::F64, ElementType::I32, ElementType::I64})
    EXPECT_EQ(errorOf(Constant(1, 1), type), "'1+1i' is complex, which no " +
                                                 std::string(stringify(type)) +
                                                 " is");
}

TEST(Constants, IdentitiesMayBeEndsOfRanges) {
  EXPECT_TRUE(checkIdentity(infinity, ElementType::I32));
  EXPECT_EQ(integerOf(infinity, ElementType::I32), 2147483647);
  EXPECT_EQ(integerOf(-infinity, ElementType::I64), least);
  EXPECT_EQ(integerOf(Constant::ofInteger(greatest), ElementType::I64),
            greatest);
  EXPECT_EQ(checkIdentity(0.5, ElementType::I32).error(), "'0.5' is no i32");
  EXPECT_EQ(checkIdentity(1e39, ElementType::F32).error(),
            "'1e+39' is too large for f32");
  EXPECT_EQ(checkIdentity(NAN, ElementType::F64).error(), "'nan' is no number");
}

TEST(Constants, AreWrittenAsTheyAreRead) {
  for (double number : {0.1, -1.0 / 3, 1e-300, 1e40, 0x1p70})
    EXPECT_EQ(parseConstant(stringify(Constant(number))), number);
  EXPECT_EQ(stringify(Constant(1.5)), "1.5");
  EXPECT_EQ(stringify(Constant(1.5, -2)), "1.5-2i");
  EXPECT_EQ(stringify(Constant(0, 2)), "0+2i");
}

} // namespace
