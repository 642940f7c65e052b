//===- ComplexProductsTest.cpp - Products of complex matrices -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matrices that are packed in each way: numbers side by side along rows,
// columns or K, and apart; conjugates, real factors, and extents that fill
// panels, vectors and squares, or do not.
//
//===----------------------------------------------------------------------===//

#include "tc-c/CpuRuntime.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <random>
#include <type_traits>
#include <vector>

namespace {

using Wide = std::complex<long double>;

template <typename E> constexpr TcElementType typeOf() {
  if constexpr (std::is_same_v<E, float>)
    return TC_ELEMENT_F32;
  else if constexpr (std::is_same_v<E, double>)
    return TC_ELEMENT_F64;
  else if constexpr (std::is_same_v<E, std::complex<float>>)
    return TC_ELEMENT_C32;
  else
    return TC_ELEMENT_C64;
}

/// Distances along rows and columns.
struct Layout {
  int64_t ofRow, ofColumn;
  /// 0: side by side along a row; 1: along a column; 2: apart.
  static Layout of(int kind, int64_t rows, int64_t columns) {
    switch (kind) {
    case 0:
      return {columns, 1};
    case 1:
      return {1, rows};
    default:
      return {3 * columns + 1, 3};
    }
  }
  int64_t size(int64_t rows, int64_t columns) const {
    return (rows - 1) * ofRow + (columns - 1) * ofColumn + 1;
  }
};

/// Nothing lies behind the last element, so that sanitizers see what is read.
template <typename E>
std::vector<E> numbers(int64_t count, std::mt19937 &random) {
  std::normal_distribution<double> normal;
  std::vector<E> all(static_cast<size_t>(count));
  for (E &one : all)
    if constexpr (std::is_floating_point_v<E>)
      one = static_cast<E>(normal(random));
    else
      one = {static_cast<typename E::value_type>(normal(random)),
             static_cast<typename E::value_type>(normal(random))};
  return all;
}

template <typename A, typename B>
void check(int64_t m, int64_t n, int64_t k, int layout, int conjugates) {
  using C = std::conditional_t<std::is_floating_point_v<A>, B, A>;
  SCOPED_TRACE(testing::Message()
               << m << " x " << n << " x " << k << ", layout " << layout
               << ", conjugates " << conjugates << ", types " << typeOf<A>()
               << " and " << typeOf<B>());
  std::mt19937 random(static_cast<unsigned>(m * 7919 + n * 104729 + k));
  const Layout ofA = Layout::of(layout % 3, m, k),
               ofB = Layout::of(layout / 3 % 3, k, n),
               ofC = Layout::of(layout / 9, m, n);
  const auto a = numbers<A>(ofA.size(m, k), random);
  const auto b = numbers<B>(ofB.size(k, n), random);
  const C untouched(7);
  std::vector<C> c(static_cast<size_t>(ofC.size(m, n)), untouched);
  TcCpuIndex indices[] = {{m, {ofA.ofRow, 0, ofC.ofRow}},
                          {n, {0, ofB.ofColumn, ofC.ofColumn}},
                          {k, {ofA.ofColumn, ofB.ofRow, 0}}};
  ASSERT_EQ(tcCpuContract(indices, 3, typeOf<A>(), typeOf<B>(), typeOf<C>(),
                          conjugates, a.data(), b.data(), c.data(), nullptr,
                          nullptr, 1),
            0);
  auto wide = [](auto number, bool isConjugate) {
    const Wide found(number);
    return isConjugate ? std::conj(found) : found;
  };
  long double error = 0, norm = 0;
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      Wide sum = 0;
      for (int64_t p = 0; p < k; ++p)
        sum += wide(a[size_t(i * ofA.ofRow + p * ofA.ofColumn)],
                    conjugates & TC_CPU_CONJUGATE_A) *
               wide(b[size_t(p * ofB.ofRow + j * ofB.ofColumn)],
                    conjugates & TC_CPU_CONJUGATE_B);
      C &found = c[size_t(i * ofC.ofRow + j * ofC.ofColumn)];
      error += std::norm(Wide(found) - sum);
      norm += std::norm(sum);
      found = untouched;
    }
  const long double epsilon =
      std::is_same_v<typename C::value_type, float> ? 6e-8L : 1.1e-16L;
  EXPECT_LE(std::sqrt(error), 4 * epsilon *
                                  std::sqrt(static_cast<long double>(k)) *
                                  std::sqrt(norm));
  for (const C &other : c)
    EXPECT_EQ(other, untouched) << "between elements";
}

template <typename A, typename B> void checkAll() {
  for (int layout = 0; layout < 27; ++layout)
    for (int conjugates = 0; conjugates < 4; ++conjugates) {
      check<A, B>(32, 24, 32, layout, conjugates);
      check<A, B>(37, 29, 23, layout, conjugates);
      check<A, B>(16, 9, 67, layout, conjugates);
      check<A, B>(11, 50, 6, layout, conjugates);
      check<A, B>(61, 12, 1, layout, conjugates);
    }
}

TEST(ComplexProducts, AllLayouts) {
  checkAll<std::complex<float>, std::complex<float>>();
  checkAll<std::complex<double>, std::complex<double>>();
}

TEST(ComplexProducts, OfRealNumbers) {
  checkAll<std::complex<float>, float>();
  checkAll<double, std::complex<double>>();
}

/// Rows whose runs end within a vector, as those of two indices.
TEST(ComplexProducts, ShortRuns) {
  using E = std::complex<float>;
  constexpr int64_t inner = 5, outer = 7, n = 10, k = 21, pitch = 8;
  std::mt19937 random(5);
  const auto a = numbers<E>((k - 1) * outer * pitch + outer * pitch, random);
  const auto b = numbers<E>(k * n, random);
  std::vector<E> c(inner * outer * n);
  TcCpuIndex indices[] = {{inner, {1, 0, 1}},
                          {outer, {pitch, 0, inner}},
                          {n, {0, 1, inner * outer}},
                          {k, {outer * pitch, n, 0}}};
  ASSERT_EQ(tcCpuContract(indices, 4, TC_ELEMENT_C32, TC_ELEMENT_C32,
                          TC_ELEMENT_C32, 0, a.data(), b.data(), c.data(),
                          nullptr, nullptr, 1),
            0);
  for (int64_t j = 0; j < n; ++j)
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t i = 0; i < inner; ++i) {
        Wide sum = 0;
        for (int64_t p = 0; p < k; ++p)
          sum += Wide(a[size_t((p * outer + o) * pitch + i)]) *
                 Wide(b[size_t(p * n + j)]);
        const Wide found(c[size_t((j * outer + o) * inner + i)]);
        EXPECT_LE(std::abs(found - sum), 1e-5L);
      }
}

} // namespace
