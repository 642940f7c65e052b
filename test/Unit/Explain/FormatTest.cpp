//===- FormatTest.cpp - Tests of figures as text --------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Explain/Format.h"

#include <gtest/gtest.h>

#include <limits>

using namespace tc::explain;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

TEST(Format, ThreeDigitsAndAPrefix) {
  EXPECT_EQ(secondsText(1.234e-5), "12.3 us");
  EXPECT_EQ(secondsText(2), "2.00 s");
  EXPECT_EQ(secondsText(0), "0 s");
  EXPECT_EQ(secondsText(-3e-3), "-3.00 ms");
  EXPECT_EQ(withPrefix(4.8e12, "B/s"), "4.80 TB/s");
  EXPECT_EQ(withPrefix(123456, ""), "123 k");
}

TEST(Format, RoundingCarriesIntoTheNextPrefix) {
  EXPECT_EQ(secondsText(9.996e-4), "1.00 ms");
  EXPECT_EQ(secondsText(9.994e-4), "999 us");
  EXPECT_EQ(secondsText(9.996e-6), "10.0 us");
  EXPECT_EQ(secondsText(9.996e-5), "100 us");
}

TEST(Format, BeyondThePrefixes) {
  EXPECT_EQ(secondsText(5e-12), "0.005 ns");
  EXPECT_EQ(withPrefix(5e18, "B"), "5000 PB");
}

TEST(Format, SmallCountsAndBytesAreExact) {
  EXPECT_EQ(countText(18432), "18432");
  EXPECT_EQ(countText(1234567), "1.23 M");
  EXPECT_EQ(bytesText(999), "999 B");
  EXPECT_EQ(bytesText(1000), "1.00 kB");
}

TEST(Format, CapacitiesArePowersOfTwo) {
  EXPECT_EQ(capacityText(512), "512 B");
  EXPECT_EQ(capacityText(16640), "16.25 KiB");
  EXPECT_EQ(capacityText(50 << 20), "50 MiB");
}

TEST(Format, RatiosAndParts) {
  EXPECT_EQ(ratioText(1.345), "1.34");
  EXPECT_EQ(ratioText(0.00379), "0.0038");
  EXPECT_EQ(ratioText(0), "0.00");
  EXPECT_EQ(ratioText(123.4), "123");
  EXPECT_EQ(percentText(0.8734), "87.3%");
  EXPECT_EQ(counted(1, "block"), "1 block");
  EXPECT_EQ(counted(0, "block"), "0 blocks");
}

TEST(Format, WhatIsNotFiniteIsADash) {
  for (double value : {infinite, -infinite, infinite - infinite}) {
    EXPECT_EQ(secondsText(value), "-");
    EXPECT_EQ(bytesText(value), "-");
    EXPECT_EQ(countText(value), "-");
    EXPECT_EQ(ratioText(value), "-");
    EXPECT_EQ(percentText(value), "-");
  }
}

TEST(Format, Typesetting) {
  EXPECT_EQ(typeset("12.3 us, 1.35 x the rest"),
            "12.3 \xc2\xb5s, 1.35 \xc3\x97 the rest");
  // Only whole words, and not where they are names.
  EXPECT_EQ(typeset("it uses xylem"), "it uses xylem");
  EXPECT_EQ(typeset("us"), "us");
}

TEST(Format, Escaping) {
  EXPECT_EQ(escape("<a b=\"c\">&'"), "&lt;a b=&quot;c&quot;&gt;&amp;&#39;");
  EXPECT_EQ(escape("a\nb"), "a\xef\xbf\xbd"
                            "b");
  EXPECT_EQ(escape("\xc3\x97"), "\xc3\x97");
}

} // namespace
