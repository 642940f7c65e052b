//===- ExactSumsTest.cpp - Ways of elements that are read once ------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shapes that have ways of their own to the kernels, with small integers, whose
// sums are exact in any order.
//
//===----------------------------------------------------------------------===//

#include "TestNumbers.h"

#include "tc/CpuRuntime/Contraction.h"

#include "gtest/gtest.h"

#include <array>
#include <complex>
#include <cstdlib>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

using namespace tc;
using namespace tc::cpu;
using namespace tc::test;
using model::ElementType;
using model::PerTensor;
using model::Tensor;

namespace {

using Exact = std::complex<int64_t>;

template <typename T> constexpr bool isComplexNumber = false;
template <typename T> constexpr bool isComplexNumber<std::complex<T>> = true;

template <typename T> T numberOf(Exact value) {
  if constexpr (isComplexNumber<T>)
    return {typename T::value_type(value.real()),
            typename T::value_type(value.imag())};
  else if constexpr (std::is_integral_v<T>)
    return static_cast<T>(value.real());
  else
    return T(static_cast<float>(value.real()));
}

template <typename T> Exact smallNumber(int64_t i) {
  return {(i * 7 + i / 11) % 5 - 2, isComplexNumber<T> ? (i * 3) % 4 - 1 : 0};
}

/// One index of a problem.
struct Axis {
  int64_t extent;
  PerTensor<int64_t> stride;
};

/// A tensor in just as much memory as its elements take.
template <typename T> struct Memory {
  std::vector<T> elements;
  std::vector<Exact> exact;
  int64_t zero = 0;

  Memory(const std::vector<Axis> &axes, Tensor tensor) {
    int64_t last = 0;
    for (const Axis &axis : axes) {
      const int64_t distance = (axis.extent - 1) * axis.stride[tensor];
      (distance < 0 ? zero : last) += std::abs(distance);
    }
    for (int64_t i = 0; i <= zero + last; ++i) {
      exact.push_back(smallNumber<T>(i + 5 * static_cast<int64_t>(tensor)));
      elements.push_back(numberOf<T>(exact.back()));
    }
  }
  T *first() { return elements.data() + zero; }
};

/// Checks C = A * B, and C = 3 A * B + 2 C.
template <typename T>
void check(ElementType type, const std::vector<Axis> &axes) {
  Problem problem;
  problem.elementType = {{type, type, type}};
  problem.accumulatorType = model::accumulatorTypeOf(type);
  for (const Axis &axis : axes)
    problem.add(axis.extent, axis.stride);
  for (bool updates : {false, true}) {
    Memory<T> a(axes, Tensor::A), b(axes, Tensor::B), c(axes, Tensor::C);
    std::vector<Exact> sums(c.exact.size());
    std::vector<bool> isWritten(c.exact.size());
    std::vector<int64_t> values(axes.size());
    for (size_t i = 0; i < axes.size();) {
      PerTensor<int64_t> at = {{a.zero, b.zero, c.zero}};
      for (size_t j = 0; j < axes.size(); ++j)
        for (Tensor t : model::allTensors)
          at[t] += values[j] * axes[j].stride[t];
      sums[size_t(at[Tensor::C])] +=
          a.exact[size_t(at[Tensor::A])] * b.exact[size_t(at[Tensor::B])];
      isWritten[size_t(at[Tensor::C])] = true;
      for (i = 0; i < axes.size() && ++values[i] == axes[i].extent; ++i)
        values[i] = 0;
    }
    const std::vector<std::byte> alpha =
        factorOf(Number(3), problem.accumulatorType);
    const std::vector<std::byte> beta =
        factorOf(Number(2), problem.accumulatorType);
    ASSERT_EQ(Contraction(problem, 1)
                  .run(a.first(), b.first(), c.first(),
                       updates ? alpha.data() : nullptr,
                       updates ? beta.data() : nullptr),
              Outcome::Done);
    for (size_t i = 0; i < sums.size(); ++i) {
      Exact expected = c.exact[i];
      if (isWritten[i])
        expected =
            updates ? Exact(3) * sums[i] + Exact(2) * c.exact[i] : sums[i];
      ASSERT_TRUE(c.elements[i] == numberOf<T>(expected))
          << "element " << i << " of type " << static_cast<int>(type)
          << ", updated: " << updates;
    }
  }
}

void checkAllTypes(const std::vector<Axis> &axes) {
  check<double>(ElementType::F64, axes);
  check<float>(ElementType::F32, axes);
  check<runtime::Float16>(ElementType::F16, axes);
  check<runtime::BFloat16>(ElementType::BF16, axes);
  check<int8_t>(ElementType::I8, axes);
  check<int32_t>(ElementType::I32, axes);
  check<int64_t>(ElementType::I64, axes);
  check<std::complex<float>>(ElementType::C32, axes);
  check<std::complex<double>>(ElementType::C64, axes);
}

} // namespace

TEST(ExactSums, OfElementsThatLieApart) {
  for (int64_t step : {-5, -4, -3, -2, -1, 2, 3, 4, 5})
    for (int64_t count : {2, 7, 64, 65, 129, 1000}) {
      SCOPED_TRACE(std::to_string(count) + " elements, step " +
                   std::to_string(step));
      checkAllTypes({{count, {{step, 1, 0}}}});
      checkAllTypes({{count, {{step, 0, 1}}}, {3, {{0, 1, 0}}}});
    }
}

TEST(ExactSums, OfShortLines) {
  for (int64_t count = 1; count < 36; ++count) {
    SCOPED_TRACE(std::to_string(count) + " elements");
    checkAllTypes({{140, {{count, 1, 0}}}, {count, {{1, 0, 1}}}});
    checkAllTypes({{13, {{count, 0, 0}}}, {count, {{1, 0, 1}}}});
    checkAllTypes({{count, {{1, 1, 0}}}, {9, {{count, 0, 1}}}});
    checkAllTypes({{count, {{1, 1, 0}}}, {9, {{count, count, 1}}}});
  }
}

// The trace of a product, whose second factor is read across its rows: some lie
// where they share sets of the caches.
TEST(ExactSums, AcrossRows) {
  for (auto [rows, pitch] :
       {std::pair<int64_t, int64_t>{31, 31}, {250, 253}, {256, 256}})
    checkAllTypes({{rows, {{pitch, 1, 0}}}, {rows, {{1, pitch, 0}}}});
}

// Indices a, b and c: sums over a, in the order of c, b.
TEST(ExactSums, InAnotherOrderThanTheOperand) {
  auto axesOf = [](int64_t a, int64_t b, int64_t c) -> std::vector<Axis> {
    return {{a, {{b * c, 0, 0}}}, {b, {{c, 0, 1}}}, {c, {{1, 0, b}}}};
  };
  checkAllTypes(axesOf(16, 70, 64));
  checkAllTypes(axesOf(33, 50, 17));
  // Sums that are moved pay where there is more to add up.
  check<int8_t>(ElementType::I8, axesOf(64, 256, 64));
  check<int32_t>(ElementType::I32, axesOf(65, 255, 61));
  check<std::complex<float>>(ElementType::C32, axesOf(65, 255, 31));
}

TEST(ExactSums, OfShortIndicesReversed) {
  for (auto [extent, rank] : {std::pair<int64_t, int>{2, 13}, {3, 8}, {5, 5}}) {
    SCOPED_TRACE(extent);
    std::vector<Axis> axes;
    int64_t forwards = 1, backwards = 1;
    for (int i = 1; i < rank; ++i)
      backwards *= extent;
    for (int i = 0; i < rank; ++i) {
      axes.push_back({extent, {{backwards, forwards, 0}}});
      forwards *= extent;
      backwards /= extent;
    }
    checkAllTypes(axes);
    // The same for each of three results.
    axes.push_back({3, {{forwards, 0, 1}}});
    checkAllTypes(axes);
  }
}

// Indices ab, ef and cd: products for each pair cd, which lies inside of both.
TEST(ExactSums, OfOuterProductsOverPairs) {
  for (auto [ab, cd, ef] :
       {std::array<int64_t, 3>{9, 16, 64}, {5, 37, 70}, {3, 130, 33}}) {
    SCOPED_TRACE(cd);
    checkAllTypes(
        {{ab, {{cd, 0, cd * ef}}}, {ef, {{0, cd, 1}}}, {cd, {{1, 1, ef}}}});
  }
}
