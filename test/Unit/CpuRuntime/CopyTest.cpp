//===- CopyTest.cpp - Contractions that only move elements ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/CpuRuntime/Contraction.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

using namespace tc;
using namespace tc::cpu;
using model::ElementType;
using model::Tensor;

namespace {

/// A copy of random extents, orders and strides, of which some are negative,
/// leave gaps, or repeat elements of A.
struct Copy {
  Copy(unsigned seed, ElementType type, bool hasShortIndices = false)
      : random(seed) {
    problem.elementType = {{type, type, type}};
    problem.accumulatorType = model::accumulatorTypeOf(type);
    size_t rank = hasShortIndices ? 5 + upTo(7) : upTo(5);
    int64_t most = hasShortIndices ? (rank <= 8 ? 4 : 2)
                   : rank <= 2     ? 300
                   : rank == 3     ? 50
                                   : 12;
    for (size_t i = 0; i < rank; ++i)
      problem.add(1 + int64_t(upTo(size_t(most))), {});
    places[Tensor::A] = layOut(Tensor::A, true);
    places[Tensor::C] = layOut(Tensor::C, false);
  }

  size_t upTo(size_t most) {
    return std::uniform_int_distribution<size_t>(0, most)(random);
  }

  /// Chooses strides and the offset; returns how many places there are.
  size_t layOut(Tensor tensor, bool mayRepeat) {
    std::vector<size_t> order(problem.indices.size());
    std::iota(order.begin(), order.end(), size_t(0));
    std::shuffle(order.begin(), order.end(), random);
    int64_t stride = 1 + int64_t(upTo(3) == 0);
    for (size_t i : order) {
      Index &index = problem.indices[i];
      if (mayRepeat && upTo(9) == 0)
        continue;
      bool isNegative = upTo(4) == 0;
      index.stride[tensor] = isNegative ? -stride : stride;
      if (isNegative)
        problem.offset[tensor] += stride * (index.extent - 1);
      stride *= index.extent + int64_t(upTo(4) == 0);
    }
    return size_t(stride) + 1;
  }

  /// Calls `visit` with where each element is in A and in C.
  template <typename Visit> void forEach(Visit visit) const {
    std::vector<int64_t> at(problem.indices.size());
    for (;;) {
      int64_t a = problem.offset[Tensor::A], c = problem.offset[Tensor::C];
      for (size_t i = 0; i < at.size(); ++i) {
        a += at[i] * problem.indices[i].stride[Tensor::A];
        c += at[i] * problem.indices[i].stride[Tensor::C];
      }
      visit(size_t(a), size_t(c));
      size_t i = 0;
      while (i < at.size() && ++at[i] == problem.indices[i].extent)
        at[i++] = 0;
      if (i == at.size())
        return;
    }
  }

  std::mt19937 random;
  Problem problem;
  model::PerTensor<size_t> places = {};
};

/// `one` is the number; what it is multiplied with moves bit by bit, so that
/// even what is no number stays as it is.
template <typename T> void checkBits(ElementType type, T one) {
  for (unsigned seed = 0; seed < 90; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Copy copy(seed, type, /*hasShortIndices=*/seed % 3 == 0);
    std::vector<T> a(copy.places[Tensor::A]), c(copy.places[Tensor::C]);
    auto *bytes = reinterpret_cast<unsigned char *>(a.data());
    for (size_t i = 0; i < a.size() * sizeof(T); ++i)
      bytes[i] = static_cast<unsigned char>(copy.random());
    std::vector<T> expected = c;
    copy.forEach([&](size_t from, size_t to) { expected[to] = a[from]; });
    Contraction contraction(copy.problem, 1 + seed % 3);
    ASSERT_EQ(contraction.run(a.data(), &one, c.data()), Outcome::Done);
    ASSERT_EQ(std::memcmp(c.data(), expected.data(), c.size() * sizeof(T)), 0);
  }
}

/// Moves a tensor without gaps to one whose indices are in another order.
template <typename T>
void checkOrder(ElementType type, T one, const std::vector<int64_t> &extents,
                const std::vector<size_t> &order, size_t offset) {
  const size_t rank = extents.size();
  std::vector<int64_t> ofA(rank), ofC(rank);
  int64_t count = 1;
  for (size_t i = rank; i-- > 0; count *= extents[i])
    ofA[i] = count;
  count = 1;
  for (size_t i = rank; i-- > 0; count *= extents[order[i]])
    ofC[order[i]] = count;
  Problem problem;
  problem.elementType = {{type, type, type}};
  problem.accumulatorType = model::accumulatorTypeOf(type);
  for (size_t i = 0; i < rank; ++i)
    problem.add(extents[i], {{ofA[i], 0, ofC[i]}});
  // Elements before and behind C stay as they are.
  const size_t most = size_t(count) + 128;
  std::vector<T> a(most), memory(most);
  for (size_t i = 0; i < most; ++i)
    std::memcpy(&a[i], &i, std::min(sizeof(T), sizeof(i)));
  size_t begin = 0;
  while (reinterpret_cast<uintptr_t>(&memory[begin]) % 64 != 0)
    ++begin;
  begin += offset;
  std::vector<T> expected = memory;
  for (int64_t i = 0; i < count; ++i) {
    int64_t to = 0;
    for (size_t axis = 0; axis < rank; ++axis)
      to += i / ofA[axis] % extents[axis] * ofC[axis];
    expected[begin + size_t(to)] = a[size_t(i)];
  }
  Contraction contraction(problem, 2);
  ASSERT_EQ(contraction.run(a.data(), &one, &memory[begin]), Outcome::Done);
  ASSERT_EQ(std::memcmp(memory.data(), expected.data(), most * sizeof(T)), 0);
}

/// Orders in which lines of A and of C are of other indices, and orders in
/// which they are not.
template <typename T> void checkOrders(ElementType type, T one) {
  for (const std::vector<int64_t> &extents :
       std::vector<std::vector<int64_t>>{std::vector<int64_t>(16, 2),
                                         std::vector<int64_t>(10, 3),
                                         {10, 10, 10, 10, 40},
                                         {24, 24, 9, 10},
                                         {15, 12, 16, 12, 10},
                                         {21, 11, 23, 31},
                                         {3, 5, 50, 7, 40}}) {
    std::vector<size_t> order(extents.size());
    std::iota(order.rbegin(), order.rend(), size_t(0));
    std::mt19937 random(1);
    for (int i = 0; i < 4; ++i) {
      SCOPED_TRACE(std::to_string(extents[0]) + ", order " + std::to_string(i));
      checkOrder(type, one, extents, order, size_t(i % 2));
      std::shuffle(order.begin(), order.end(), random);
    }
  }
}

struct Complex {
  double real, imaginary;
};

} // namespace

TEST(CpuRuntimeCopy, Bits) {
  checkBits<double>(ElementType::F64, 1);
  checkBits<float>(ElementType::F32, 1);
  checkBits<uint16_t>(ElementType::F16, 0x3c00);
  checkBits<uint16_t>(ElementType::BF16, 0x3f80);
  checkBits<int8_t>(ElementType::I8, 1);
  checkBits<int32_t>(ElementType::I32, 1);
  checkBits<int64_t>(ElementType::I64, 1);
  checkBits<Complex>(ElementType::C64, {1, 0});
}

TEST(CpuRuntimeCopy, ShortIndicesInOtherOrders) {
  checkOrders<double>(ElementType::F64, 1);
  checkOrders<float>(ElementType::F32, 1);
  checkOrders<uint16_t>(ElementType::F16, 0x3c00);
  checkOrders<int8_t>(ElementType::I8, 1);
  checkOrders<Complex>(ElementType::C64, {1, 0});
}

TEST(CpuRuntimeCopy, LinesPastTheCaches) {
  std::vector<size_t> order(21);
  std::iota(order.rbegin(), order.rend(), size_t(0));
  for (size_t offset : {0, 1}) {
    checkOrder<double>(ElementType::F64, 1, std::vector<int64_t>(21, 2), order,
                       offset);
    // Rows that begin and end within vectors.
    for (int64_t columns : {40, 67, 197})
      checkOrder<float>(ElementType::F32, 1, {50, columns, 900}, {1, 0, 2},
                        offset);
    checkOrder<uint16_t>(ElementType::F16, 0x3c00, {50, 901, 67}, {1, 0, 2},
                         offset);
  }
}

TEST(CpuRuntimeCopy, OtherFactors) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Copy copy(seed, ElementType::F64, /*hasShortIndices=*/seed % 3 == 0);
    std::vector<double> a(copy.places[Tensor::A]), old(copy.places[Tensor::C]);
    for (double &value : a)
      value = double(copy.upTo(200)) - 100;
    for (double &value : old)
      value = double(copy.upTo(200)) - 100;
    for (double b : {1.0, 2.0})
      for (double alpha : {1.0, -3.0})
        for (double beta : {0.0, 1.0}) {
          std::vector<double> c = old, expected = old;
          copy.forEach([&](size_t from, size_t to) {
            expected[to] = alpha * b * a[from] + beta * old[to];
          });
          Contraction contraction(copy.problem, 1);
          ASSERT_EQ(contraction.run(a.data(), &b, c.data(), &alpha, &beta),
                    Outcome::Done);
          ASSERT_EQ(c, expected);
        }
  }
}
