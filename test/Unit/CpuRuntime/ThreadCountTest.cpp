//===- ThreadCountTest.cpp - Bits and numbers of threads ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products with few columns, whose rows are taken together in groups: a group
// that began where a thread's part begins would add up in another order.
//
//===----------------------------------------------------------------------===//

#include "tc-c/CpuRuntime.h"

#include "gtest/gtest.h"

#include <cstring>
#include <random>
#include <vector>

/// Compares C for several numbers of threads, bit by bit.
static void expectEqualBits(const std::vector<TcCpuIndex> &indices,
                            size_t elementsOfA, size_t elementsOfB,
                            size_t elementsOfC) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  std::vector<double> a(elementsOfA), b(elementsOfB);
  for (std::vector<double> *operand : {&a, &b})
    for (double &number : *operand)
      number = normal(random);
  auto computeBy = [&](int32_t threads) {
    std::vector<double> c(elementsOfC);
    EXPECT_EQ(tcCpuContract(indices.data(), int32_t(indices.size()),
                            TC_ELEMENT_F64, TC_ELEMENT_F64, TC_ELEMENT_F64, 0,
                            a.data(), b.data(), c.data(), nullptr, nullptr,
                            threads),
              0);
    return c;
  };
  const std::vector<double> one = computeBy(1);
  for (int32_t threads : {2, 3, 5, 8})
    EXPECT_EQ(std::memcmp(computeBy(threads).data(), one.data(),
                          elementsOfC * sizeof(double)),
              0)
        << threads << " threads";
}

// Each index is its extent, and its strides in A, B and C.

TEST(ThreadCount, MatrixTimesVector) {
  expectEqualBits({{96, {9001, 0, 1}}, {9001, {1, 1, 0}}}, 96 * 9001, 9001, 96);
}

TEST(ThreadCount, SumsAlongTheOuterIndex) {
  expectEqualBits({{20011, {50, 1, 0}}, {5, {10, 0, 1}}, {10, {1, 0, 5}}},
                  20011 * 50, 20011, 50);
}

TEST(ThreadCount, SumsAlongTheMiddleIndex) {
  expectEqualBits(
      {{9001, {13, 1, 0}}, {10, {13 * 9001, 0, 13}}, {13, {1, 0, 1}}},
      10 * 9001 * 13, 9001, 130);
}

TEST(ThreadCount, SumsOfEverySecondElement) {
  expectEqualBits({{9001, {2, 1, 0}}, {30, {2 * 9001, 0, 3}}, {3, {1, 0, 1}}},
                  30 * 9001 * 2 + 2, 9001, 90);
}
