//===- ConversionTest.cpp - Numbers of 16 bits ----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions and operations on fields convert the same numbers to the same.
//
//===----------------------------------------------------------------------===//

#include "tc-c/CpuRuntime.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace {

struct Format {
  TcElementType type;
  int fractionBits, bias;
  uint16_t one;
};
constexpr Format formats[] = {{TC_ELEMENT_F16, 10, 15, 0x3c00},
                              {TC_ELEMENT_BF16, 7, 127, 0x3f80}};

/// The number that fields of sign, exponent and fraction say.
double valueOf(const Format &format, unsigned pattern) {
  const int fraction =
      static_cast<int>(pattern & ((1u << format.fractionBits) - 1));
  const int exponent =
      static_cast<int>((pattern & 0x7fff) >> format.fractionBits);
  const double sign = pattern & 0x8000 ? -1 : 1;
  if (exponent == 2 * format.bias + 1)
    return fraction == 0 ? sign * std::numeric_limits<double>::infinity()
                         : std::numeric_limits<double>::quiet_NaN();
  const int units =
      exponent == 0 ? fraction : fraction + (1 << format.fractionBits);
  return sign * std::ldexp(units, std::max(exponent, 1) - format.bias -
                                      format.fractionBits);
}

std::vector<uint16_t> allPatterns() {
  std::vector<uint16_t> patterns(1 << 16);
  for (size_t i = 0; i < patterns.size(); ++i)
    patterns[i] = static_cast<uint16_t>(i);
  return patterns;
}

void expectSame(float found, double expected, unsigned pattern) {
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(found)) << pattern;
  } else {
    EXPECT_EQ(found, expected) << pattern;
    EXPECT_EQ(std::signbit(found), std::signbit(expected)) << pattern;
  }
}

/// Each element times one, as a result of its own and added to one zero.
TEST(Conversion, AllPatternsWiden) {
  const std::vector<uint16_t> patterns = allPatterns();
  const auto count = static_cast<int64_t>(patterns.size());
  for (const Format &format : formats)
    for (int64_t summed : {1, 2}) {
      // Of a pair, the second one is a zero of the same sign, -0 + -0 = -0.
      std::vector<uint16_t> elements;
      for (uint16_t pattern : patterns)
        for (int64_t i = 0; i < summed; ++i)
          elements.push_back(i == 0 ? pattern : pattern & 0x8000);
      std::vector<float> found(patterns.size());
      TcCpuIndex indices[] = {{count, {summed, 0, 1}}, {summed, {1, 0, 0}}};
      ASSERT_EQ(tcCpuContract(indices, 2, format.type, format.type,
                              TC_ELEMENT_F32, 0, elements.data(), &format.one,
                              found.data(), nullptr, nullptr, 1),
                0);
      for (size_t i = 0; i < patterns.size(); ++i)
        if (summed == 1 || (i & 0x7fff) != 0)
          expectSame(found[i], valueOf(format, patterns[i]), patterns[i]);
    }
}

/// Numbers between neighbours are rounded to the nearest one, and from the
/// middle to the even one.
TEST(Conversion, FloatsAreRounded) {
  for (const Format &format : formats) {
    std::vector<float> elements;
    std::vector<uint16_t> expected;
    auto add = [&](float element, unsigned pattern) {
      elements.push_back(element);
      expected.push_back(static_cast<uint16_t>(pattern));
    };
    const unsigned infinity = static_cast<unsigned>(2 * format.bias + 1)
                              << format.fractionBits;
    for (unsigned sign : {0u, 0x8000u}) {
      using Limits = std::numeric_limits<float>;
      const float one = sign ? -1.0f : 1.0f;
      add(one * Limits::infinity(), sign | infinity);
      add(std::copysign(Limits::quiet_NaN(), one),
          sign | infinity | 1u << (format.fractionBits - 1));
      for (unsigned pattern = 0; pattern < infinity; ++pattern) {
        const double low = valueOf(format, sign | pattern),
                     high =
                         pattern + 1 < infinity
                             ? valueOf(format, sign | (pattern + 1))
                             : 2 * low - valueOf(format, sign | (pattern - 1));
        const auto middle = static_cast<float>((low + high) / 2);
        add(static_cast<float>(low), sign | pattern);
        // The least numbers of BF16 are those of F32.
        if (middle == (low + high) / 2) {
          add(middle, sign | (pattern + (pattern & 1)));
          add(std::nextafter(middle, 0.0f), sign | pattern);
          add(std::nextafter(middle, middle * 4), sign | (pattern + 1));
        }
      }
    }
    const auto count = static_cast<int64_t>(elements.size());
    std::vector<uint16_t> found(elements.size());
    TcCpuIndex index = {count, {0, 1, 1}};
    ASSERT_EQ(tcCpuContract(&index, 1, format.type, TC_ELEMENT_F32, format.type,
                            0, &format.one, elements.data(), found.data(),
                            nullptr, nullptr, 1),
              0);
    for (size_t i = 0; i < elements.size(); ++i)
      ASSERT_EQ(found[i], expected[i]) << elements[i];
  }
}

} // namespace
