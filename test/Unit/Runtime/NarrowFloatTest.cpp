//===- NarrowFloatTest.cpp - Floating point in 16 bits ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All values of the formats, and the numbers between them.
//
//===----------------------------------------------------------------------===//

#include "tc/Runtime/NarrowFloat.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

using namespace tc::runtime;

template <typename T> static T ofBits(uint16_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

template <typename T> static uint16_t bitsOf(T value) {
  uint16_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

namespace {

/// The formats, with the bits of one and of infinity.
struct HalfFormat {
  using Type = Float16;
  static constexpr uint16_t one = 0x3C00, infinity = 0x7C00;
  static constexpr double least = 0x1p-24, greatest = 65504, epsilon = 0x1p-10;
};
struct BrainFormat {
  using Type = BFloat16;
  static constexpr uint16_t one = 0x3F80, infinity = 0x7F80;
  static constexpr double least = 0x1p-133, greatest = 0x1.FEp127,
                          epsilon = 0x1p-7;
};

template <typename Format> class NarrowFloatTest : public testing::Test {};
using Formats = testing::Types<HalfFormat, BrainFormat>;
TYPED_TEST_SUITE(NarrowFloatTest, Formats);

} // namespace

TYPED_TEST(NarrowFloatTest, KnownValues) {
  using T = typename TypeParam::Type;
  auto valueOf = [](uint16_t bits) -> double { return ofBits<T>(bits); };
  EXPECT_EQ(valueOf(TypeParam::one), 1);
  EXPECT_EQ(valueOf(TypeParam::one + 1), 1 + TypeParam::epsilon);
  EXPECT_EQ(valueOf(TypeParam::one | 0x8000), -1);
  EXPECT_EQ(valueOf(1), TypeParam::least);
  EXPECT_EQ(valueOf(TypeParam::infinity - 1), TypeParam::greatest);
  EXPECT_EQ(valueOf(TypeParam::infinity), INFINITY);
  EXPECT_TRUE(std::isnan(valueOf(TypeParam::infinity + 1)));
  EXPECT_EQ(valueOf(0), 0);
  EXPECT_TRUE(std::signbit(valueOf(0x8000)));
}

TYPED_TEST(NarrowFloatTest, EveryValueSurvives) {
  using T = typename TypeParam::Type;
  for (uint32_t bits = 0; bits <= 0xFFFF; ++bits) {
    double value = ofBits<T>(bits);
    if (std::isnan(value))
      EXPECT_TRUE(std::isnan(static_cast<float>(T(value)))) << bits;
    else
      EXPECT_EQ(bitsOf(T(value)), bits);
  }
}

TYPED_TEST(NarrowFloatTest, RoundsToNearestAndTiesToEven) {
  using T = typename TypeParam::Type;
  for (uint32_t below = 0; below + 1 < TypeParam::infinity; ++below) {
    double low = ofBits<T>(below), high = ofBits<T>(below + 1);
    double middle = low + (high - low) / 2;
    uint32_t even = below % 2 == 0 ? below : below + 1;
    EXPECT_EQ(bitsOf(T(middle)), even);
    EXPECT_EQ(bitsOf(T(-middle)), even | 0x8000);
    EXPECT_EQ(bitsOf(T(std::nextafter(middle, 0))), below);
    EXPECT_EQ(bitsOf(T(std::nextafter(middle, high))), below + 1);
  }
}

TYPED_TEST(NarrowFloatTest, TooLargeIsInfinite) {
  using T = typename TypeParam::Type;
  double greatest = TypeParam::greatest;
  double next = std::exp2(std::ilogb(greatest) + 1);
  double middle = greatest + (next - greatest) / 2;
  EXPECT_EQ(bitsOf(T(std::nextafter(middle, 0))), TypeParam::infinity - 1);
  for (double value : {middle, next, 1e300, double(INFINITY)}) {
    EXPECT_EQ(bitsOf(T(value)), TypeParam::infinity) << value;
    EXPECT_EQ(bitsOf(T(-value)), TypeParam::infinity | 0x8000) << value;
  }
  EXPECT_EQ(bitsOf(T(std::numeric_limits<double>::denorm_min())), 0);
}
