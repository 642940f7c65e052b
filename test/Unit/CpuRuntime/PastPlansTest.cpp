//===- PastPlansTest.cpp - Plans of earlier calls -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc-c/CpuRuntime.h"

#include <gtest/gtest.h>

#include <complex>
#include <numeric>
#include <vector>

namespace {

/// The sum of the products of every `step`-th number of both.
template <typename T>
T dot(TcElementType type, const std::vector<T> &a, const std::vector<T> &b,
      int64_t count, int64_t step, int32_t flags = 0, int32_t threads = 1) {
  T sum = T(-1);
  TcCpuIndex index = {count, {step, step, 0}};
  EXPECT_EQ(tcCpuContract(&index, 1, type, type, type, flags, a.data(),
                          b.data(), &sum, nullptr, nullptr, threads),
            0);
  return sum;
}

template <typename T>
T expected(const std::vector<T> &a, const std::vector<T> &b, int64_t count,
           int64_t step) {
  T sum = 0;
  for (int64_t i = 0; i < count; ++i)
    sum += a[i * step] * b[i * step];
  return sum;
}

TEST(PastPlansTest, EachCallHasThePlanOfItsShape) {
  std::vector<double> a(400), b(400);
  std::iota(a.begin(), a.end(), 1);
  std::iota(b.begin(), b.end(), -7);
  // More shapes than are kept, in turns.
  for (int round = 0; round < 3; ++round)
    for (int64_t count = 0; count <= 100; ++count)
      for (int64_t step : {1, 2, 3})
        EXPECT_EQ(dot(TC_ELEMENT_F64, a, b, count, step),
                  expected(a, b, count, step))
            << count << " of every " << step;
}

TEST(PastPlansTest, TypesAndFlagsTellCallsApart) {
  using Complex = std::complex<double>;
  std::vector<Complex> a = {{1, 2}, {3, -1}}, b = {{0, 1}, {2, 2}};
  std::vector<int64_t> c = {3, 4, 5, 6};
  std::vector<double> d = {3, 4, 5, 6};
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(dot(TC_ELEMENT_C64, a, b, 2, 1), (Complex{6, 5}));
    EXPECT_EQ(dot(TC_ELEMENT_C64, a, b, 2, 1, TC_CPU_CONJUGATE_A),
              (Complex{6, 9}));
    EXPECT_EQ(dot(TC_ELEMENT_C64, a, b, 2, 1, TC_CPU_CONJUGATE_B),
              (Complex{6, -9}));
    EXPECT_EQ(dot(TC_ELEMENT_I64, c, c, 2, 1), 25);
    EXPECT_EQ(dot(TC_ELEMENT_F64, d, d, 2, 1), 25);
    EXPECT_EQ(dot(TC_ELEMENT_F64, d, d, 2, 1, 0, 0), 25);
  }
}

TEST(PastPlansTest, WrongCallsAreRefusedEachTime) {
  std::vector<double> a(4, 1), c(1);
  TcCpuIndex index = {-1, {1, 1, 0}};
  for (int round = 0; round < 2; ++round)
    EXPECT_EQ(tcCpuContract(&index, 1, TC_ELEMENT_F64, TC_ELEMENT_F64,
                            TC_ELEMENT_F64, 0, a.data(), a.data(), c.data(),
                            nullptr, nullptr, 1),
              TC_ERROR_INVALID_ARGUMENT);
}

} // namespace
