//===- NarrowFloatTest.cpp - Floating point in few bits ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All values of the formats, and the numbers between them.
//
//===----------------------------------------------------------------------===//

#include "tc/Buffers/NarrowFloat.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

using namespace tc::runtime;

template <typename T> static typename T::Bits bitsOf(T value) {
  typename T::Bits bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

namespace {

/// The formats, with the bits of one, the first behind those of the largest
/// number, and those of numbers that are too large.
struct HalfFormat {
  using Type = Float16;
  static constexpr uint16_t one = 0x3C00, end = 0x7C00, overflow = end;
  static constexpr bool hasInfinity = true;
  static constexpr double least = 0x1p-24, greatest = 65504, epsilon = 0x1p-10;
};
struct BrainFormat {
  using Type = BFloat16;
  static constexpr uint16_t one = 0x3F80, end = 0x7F80, overflow = end;
  static constexpr bool hasInfinity = true;
  static constexpr double least = 0x1p-133, greatest = 0x1.FEp127,
                          epsilon = 0x1p-7;
};
struct E4M3Format {
  using Type = Float8E4M3FN;
  static constexpr uint8_t one = 0x38, end = 0x7F, overflow = end - 1;
  static constexpr bool hasInfinity = false;
  static constexpr double least = 0x1p-9, greatest = 448, epsilon = 0x1p-3;
};
struct E5M2Format {
  using Type = Float8E5M2;
  static constexpr uint8_t one = 0x3C, end = 0x7C, overflow = end - 1;
  static constexpr bool hasInfinity = true;
  static constexpr double least = 0x1p-16, greatest = 57344, epsilon = 0x1p-2;
};

template <typename Format> class NarrowFloatTest : public testing::Test {};
using Formats = testing::Types<HalfFormat, BrainFormat, E4M3Format, E5M2Format>;
TYPED_TEST_SUITE(NarrowFloatTest, Formats);

template <typename T>
constexpr uint32_t signBit = uint32_t(1) << (8 * sizeof(T) - 1);

} // namespace

TYPED_TEST(NarrowFloatTest, KnownValues) {
  using T = typename TypeParam::Type;
  auto valueOf = [](uint32_t bits) -> double { return T::ofBits(bits); };
  EXPECT_EQ(valueOf(TypeParam::one), 1);
  EXPECT_EQ(valueOf(TypeParam::one + 1), 1 + TypeParam::epsilon);
  EXPECT_EQ(valueOf(TypeParam::one | signBit<T>), -1);
  EXPECT_EQ(valueOf(1), TypeParam::least);
  EXPECT_EQ(valueOf(TypeParam::end - 1), TypeParam::greatest);
  EXPECT_EQ(T::largest(), TypeParam::greatest);
  EXPECT_EQ(T::countBelowOne(), TypeParam::one);
  EXPECT_EQ(std::isinf(valueOf(TypeParam::end)), TypeParam::hasInfinity);
  for (uint32_t bits = TypeParam::end + TypeParam::hasInfinity;
       bits < signBit<T>; ++bits)
    EXPECT_TRUE(std::isnan(valueOf(bits))) << bits;
  EXPECT_EQ(valueOf(0), 0);
  EXPECT_TRUE(std::signbit(valueOf(signBit<T>)));
}

/// By the definition of the formats in the Open Compute Project's
/// specification of OFP8, section 5.
template <typename T> static void expectFields(int exponentBits, int bias) {
  int fractionBits = 7 - exponentBits;
  for (int bits = 0; bits < 256; ++bits) {
    float value = T::ofBits(static_cast<uint8_t>(bits));
    if (!std::isfinite(value))
      continue;
    int exponent = bits >> fractionBits & ((1 << exponentBits) - 1);
    int fraction = bits & ((1 << fractionBits) - 1);
    double expected =
        exponent == 0
            ? std::exp2(1 - bias) * fraction / (1 << fractionBits)
            : std::exp2(exponent - bias) *
                  (1 + static_cast<double>(fraction) / (1 << fractionBits));
    EXPECT_EQ(value, bits < 128 ? expected : -expected) << bits;
  }
}

TEST(NarrowFloat, FieldsOfEightBits) {
  expectFields<Float8E4M3FN>(4, 7);
  expectFields<Float8E5M2>(5, 15);
}

TYPED_TEST(NarrowFloatTest, EveryValueSurvives) {
  using T = typename TypeParam::Type;
  for (uint32_t bits = 0; bits < 2 * signBit<T>; ++bits) {
    double value = T::ofBits(bits);
    if (std::isnan(value))
      EXPECT_TRUE(std::isnan(static_cast<float>(T(value)))) << bits;
    else if (std::isfinite(value))
      EXPECT_EQ(bitsOf(T(value)), bits);
  }
}

TYPED_TEST(NarrowFloatTest, RoundsToNearestAndTiesToEven) {
  using T = typename TypeParam::Type;
  for (uint32_t below = 0; below + 1 < TypeParam::end; ++below) {
    double low = T::ofBits(below), high = T::ofBits(below + 1);
    double middle = low + (high - low) / 2;
    uint32_t even = below % 2 == 0 ? below : below + 1;
    EXPECT_EQ(bitsOf(T(middle)), even);
    EXPECT_EQ(bitsOf(T(-middle)), even | signBit<T>);
    EXPECT_EQ(bitsOf(T(std::nextafter(middle, 0))), below);
    EXPECT_EQ(bitsOf(T(std::nextafter(middle, high))), below + 1);
  }
}

TYPED_TEST(NarrowFloatTest, TooLarge) {
  using T = typename TypeParam::Type;
  double greatest = TypeParam::greatest;
  double next =
      2 * greatest - static_cast<float>(T::ofBits(TypeParam::end - 2));
  double middle = greatest + (next - greatest) / 2;
  EXPECT_EQ(bitsOf(T(std::nextafter(middle, 0))), TypeParam::end - 1);
  for (double value : {middle, next, 2 * next, 1e300, double(INFINITY)}) {
    EXPECT_EQ(bitsOf(T(value)), TypeParam::overflow) << value;
    EXPECT_EQ(bitsOf(T(-value)), TypeParam::overflow | signBit<T>) << value;
  }
  EXPECT_EQ(bitsOf(T(std::numeric_limits<double>::denorm_min())), 0);
}
