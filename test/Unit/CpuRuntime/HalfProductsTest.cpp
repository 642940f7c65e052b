//===- HalfProductsTest.cpp - Products of matrices of 16 bits -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matrices whose elements of 16 bits are packed in each way: side by side along
// rows, columns or K, and apart; an odd number of them along K, and more than a
// block.
//
//===----------------------------------------------------------------------===//

#include "tc-c/CpuRuntime.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <random>
#include <string_view>
#include <vector>

namespace {

float floatOf(TcElementType type, uint16_t bits) {
  if (type == TC_ELEMENT_BF16) {
    const uint32_t pattern = uint32_t(bits) << 16;
    float value;
    std::memcpy(&value, &pattern, sizeof(value));
    return value;
  }
  // Of normal numbers.
  return std::ldexp(float((bits & 0x3ff) | 0x400),
                    int(bits >> 10 & 0x1f) - 25) *
         (bits & 0x8000 ? -1.0f : 1.0f);
}

/// Elements of a matrix, with a distance between neighbours along its rows and
/// along its columns.
struct Matrix {
  int64_t ofRow, ofColumn;
  std::vector<uint16_t> elements;

  Matrix(TcElementType type, int64_t rows, int64_t columns, int layout,
         std::mt19937 &random)
      : ofRow(layout == 1   ? 1
              : layout == 2 ? 3 * columns + 1
                            : columns),
        ofColumn(layout == 1   ? rows
                 : layout == 2 ? 3
                               : 1),
        elements(static_cast<size_t>((rows - 1) * ofRow +
                                     (columns - 1) * ofColumn + 1)) {
    // Normal numbers between 1/8 and 2, of either sign.
    const unsigned exponents = type == TC_ELEMENT_F16 ? 0x3000 : 0x3e00;
    const unsigned span = type == TC_ELEMENT_F16 ? 0x1000 : 0x200;
    for (uint16_t &element : elements)
      element = static_cast<uint16_t>(exponents + random() % span +
                                      (random() & 1) * 0x8000);
  }
};

void check(TcElementType type, int64_t m, int64_t n, int64_t k, int layout) {
  SCOPED_TRACE(testing::Message() << "type " << type << ", " << m << " x " << n
                                  << " x " << k << ", layout " << layout);
  std::mt19937 random(static_cast<unsigned>(m * 7919 + n * 104729 + k));
  Matrix a(type, m, k, layout % 3, random), b(type, k, n, layout / 3, random);
  std::vector<float> c(static_cast<size_t>(m * n));
  TcCpuIndex indices[] = {{m, {a.ofRow, 0, n}},
                          {n, {0, b.ofColumn, 1}},
                          {k, {a.ofColumn, b.ofRow, 0}}};
  ASSERT_EQ(tcCpuContract(indices, 3, type, type, TC_ELEMENT_F32, 0,
                          a.elements.data(), b.elements.data(), c.data(),
                          nullptr, nullptr, 1),
            0);
  double error = 0, norm = 0;
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t p = 0; p < k; ++p)
        sum += double(floatOf(
                   type, a.elements[size_t(i * a.ofRow + p * a.ofColumn)])) *
               floatOf(type, b.elements[size_t(p * b.ofRow + j * b.ofColumn)]);
      error += std::pow(c[size_t(i * n + j)] - sum, 2);
      norm += sum * sum;
    }
  EXPECT_LE(std::sqrt(error), 2e-7 * std::sqrt(double(k)) * std::sqrt(norm));
}

TEST(HalfProducts, AllLayouts) {
  for (TcElementType type : {TC_ELEMENT_F16, TC_ELEMENT_BF16})
    for (int layout = 0; layout < 9; ++layout) {
      check(type, 64, 48, 64, layout);
      check(type, 97, 33, 65, layout);
      check(type, 37, 101, 131, layout);
      check(type, 19, 23, 1100, layout);
      check(type, 48, 48, 1, layout);
      check(type, 48, 48, 3, layout);
    }
}

/// True if elements are multiplied two by two because that was asked for; none
/// if nothing was.
std::optional<bool> arePairsAskedFor() {
  const char *asked = std::getenv("TC_CPU_RUNTIME");
  if (!asked)
    return std::nullopt;
#ifdef __x86_64__
  return std::string_view(asked) == "avx512bf16" &&
         __builtin_cpu_supports("avx512bf16") != 0;
#else
  return false;
#endif
}

/// Instructions that multiply two by two count numbers as zero that are less
/// than the least normal one; where there are none, they are what they are.
TEST(HalfProducts, NumbersBelowNormalOnesAreZeroInPairs) {
  constexpr int64_t side = 64;
  // The half of the least normal number, and one.
  std::vector<uint16_t> a(side * side, 0x0040), b(side * side, 0x3f80);
  std::vector<float> c(side * side);
  TcCpuIndex indices[] = {
      {side, {side, 0, side}}, {side, {0, 1, 1}}, {side, {1, side, 0}}};
  ASSERT_EQ(tcCpuContract(indices, 3, TC_ELEMENT_BF16, TC_ELEMENT_BF16,
                          TC_ELEMENT_F32, 0, a.data(), b.data(), c.data(),
                          nullptr, nullptr, 1),
            0);
  const float exact = std::ldexp(float(side), -127);
  const std::optional<bool> arePairs = arePairsAskedFor();
  for (float sum : c)
    if (arePairs)
      EXPECT_EQ(sum, *arePairs ? 0 : exact);
    else
      EXPECT_TRUE(sum == 0 || sum == exact) << sum;
}

} // namespace
