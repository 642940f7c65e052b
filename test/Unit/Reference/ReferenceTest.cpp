//===- ReferenceTest.cpp - Operands and the oracle --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Reference/Reference.h"
#include "Package/TestKernels.h"
#include "tc/Buffers/Parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <set>

using namespace tc;
using namespace tc::runtime;
using namespace tc::runtime::test;

//===----------------------------------------------------------------------===//
// Random numbers and parallel loops
//===----------------------------------------------------------------------===//

TEST(RandomTest, PhiloxKnownAnswers) {
  // From the test vectors of the Random123 library (kat_vectors).
  using Words = std::array<uint32_t, 4>;
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}),
            (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
                   {0xffffffff, 0xffffffff}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                   {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(RandomTest, UniformOnTheInterval) {
  Random random(42, 0);
  double sum = 0, squares = 0;
  const int count = 100000;
  for (int i = 0; i < count; ++i) {
    double x = random.uniform<double>(i);
    float y = random.uniform<float>(i);
    ASSERT_TRUE(x >= -1 && x < 1);
    ASSERT_TRUE(y >= -1 && y < 1);
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / count, 0, 0.01);
  EXPECT_NEAR(squares / count, 1. / 3, 0.01);
}

TEST(RandomTest, HalvesAreUniformToo) {
  Random random(42, 0);
  std::map<float, int> halves, brains;
  const int count = 1 << 18;
  for (int i = 0; i < count; ++i) {
    ++halves[random.uniform<Float16>(i)];
    ++brains[random.uniform<BFloat16>(i)];
  }
  auto expectUniform = [&](const std::map<float, int> &values, int steps) {
    ASSERT_EQ(values.size(), 2u * steps);
    for (auto [value, times] : values) {
      EXPECT_TRUE(value >= -1 && value < 1) << value;
      EXPECT_EQ(value * steps, std::round(value * steps)) << value;
      // Six standard deviations.
      double expected = 0.5 * count / steps;
      EXPECT_NEAR(times, expected, 6 * std::sqrt(expected)) << value;
    }
  };
  expectUniform(halves, 1024);
  expectUniform(brains, 128);
}

template <typename T> static void expectAllBelowOne() {
  Random random(42, 0);
  const int count = 1 << 16;
  std::map<std::pair<float, bool>, int> times;
  for (int i = 0; i < count; ++i) {
    float value = random.uniform<T>(i);
    EXPECT_LT(std::fabs(value), 1);
    ++times[{value, std::signbit(value)}];
  }
  EXPECT_EQ(times.size(), 2 * T::countBelowOne());
  double expected = double(count) / (2 * T::countBelowOne());
  for (auto [value, n] : times)
    EXPECT_NEAR(n, expected, 6 * std::sqrt(expected)) << value.first;
}

TEST(RandomTest, NumbersOfEightBitsAreEquallyLikely) {
  expectAllBelowOne<Float8E4M3FN>();
  expectAllBelowOne<Float8E5M2>();
}

TEST(RandomTest, SeedStreamAndPositionMatter) {
  std::set<uint64_t> values;
  for (uint64_t seed : {uint64_t(0), uint64_t(1), uint64_t(1) << 40})
    for (uint32_t stream : {0u, 1u})
      for (uint64_t position : {uint64_t(0), uint64_t(1), uint64_t(1) << 40})
        values.insert(Random(seed, stream).bits(position));
  EXPECT_EQ(values.size(), 18u);
}

template <typename T> static void expectFillsLikeEach() {
  Random random(7, 2);
  for (uint64_t begin : {0, 1, 2})
    for (uint64_t end : {0, 1, 2, 8, 9, 128, 131, 257, 400}) {
      std::vector<T> filled(401, T(0)), each = filled;
      random.fill(filled.data(), begin, end);
      for (uint64_t p = begin; p < end; ++p)
        each[p] = random.uniform<T>(p);
      EXPECT_EQ(filled, each) << begin << " to " << end;
    }
}

TEST(RandomTest, FillsRangesWithTheNumbersOfTheirPositions) {
  expectFillsLikeEach<double>();
  expectFillsLikeEach<float>();
  expectFillsLikeEach<int64_t>();
  expectFillsLikeEach<int8_t>();
}

TEST(ParallelTest, VisitsEachOnce) {
  for (unsigned workers : {1u, 3u}) {
    std::vector<std::atomic<int>> visits(1000);
    parallelFor(1000, workers, 7, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        ++visits[i];
    });
    for (const std::atomic<int> &visit : visits)
      ASSERT_EQ(visit, 1);
  }
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

TEST(HostTensorTest, GapsAreNaNAndElementsAreNot) {
  Kernel kernel = matmulKernel();
  TensorArgument &a = kernel.tensors[0];
  a.strides = {7, 2};
  a.offset = 3;
  for (unsigned workers : {1u, 2u}) {
    ProblemOptions options;
    options.workers = workers;
    Result<Problem> problem = makeProblem(kernel, options);
    ASSERT_TRUE(problem);
    const HostTensor &tensor = problem->tensors[0];
    std::set<int64_t> elements;
    for (int64_t i = 0; i < 5; ++i)
      for (int64_t k = 0; k < 3; ++k)
        elements.insert(3 + 7 * i + 2 * k);
    ASSERT_EQ(tensor.geometry().bufferElements(), 3 + 28 + 4 + 1);
    for (int64_t p = 0; p < tensor.geometry().bufferElements(); ++p) {
      double value = tensor.as<double>()[p];
      EXPECT_EQ(std::isnan(value), elements.count(p) == 0) << p;
      EXPECT_EQ(tensor.bits<double>(p), tensor.initialBits<double>(p)) << p;
    }
  }
}

TEST(HostTensorTest, AllTypesShowGapsAndPoison) {
  for (model::ElementType type : model::allElementTypes) {
    Kernel kernel = makeKernel({"i"}, {"i"}, {"i"}, {{"i", 4}}, type);
    kernel.tensors[0].strides = {2};
    Problem problem = std::move(*makeProblem(kernel, {}));
    dispatch(type, [&](auto zero) {
      using T = decltype(zero);
      // Both parts of a complex number lie in a gap.
      int parts = model::isComplex(type) ? 2 : 1;
      for (int p = 0; p < 7; ++p)
        EXPECT_EQ(problem.tensors[0].bits<T>(p) == Pattern<T>::gap,
                  p / parts % 2 == 1);
      if (!model::isInteger(type)) {
        for (int p = 0; p < 7; ++p) {
          auto value = static_cast<float>(problem.tensors[0].as<T>()[p]);
          EXPECT_EQ(std::isnan(value), p / parts % 2 == 1);
        }
        EXPECT_TRUE(std::isnan(static_cast<float>(problem.c().as<T>()[3])));
      }
      EXPECT_EQ(problem.c().bits<T>(3), Pattern<T>::poison);
      EXPECT_NE(Pattern<T>::gap, Pattern<T>::poison);
      EXPECT_EQ(problem.c().bytes(), 4 * model::byteWidth(type));
    });
  }
}

TEST(HostTensorTest, PoisonOnlyWithoutBeta) {
  Kernel kernel = matmulKernel();
  Result<Problem> problem = makeProblem(kernel, {});
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->c().contents(), Contents::Poison);
  EXPECT_EQ(problem->c().bits<double>(34), Pattern<double>::poison);
  EXPECT_TRUE(std::isnan(problem->c().as<double>()[0]));

  setBeta(kernel, {0.5, false});
  problem = makeProblem(kernel, {});
  EXPECT_EQ(problem->c().contents(), Contents::Random);
  EXPECT_FALSE(std::isnan(problem->c().as<double>()[0]));

  // An argument is zero only if the caller says so.
  setBeta(kernel, {0, true});
  ProblemOptions options;
  options.beta = 2;
  EXPECT_EQ(makeProblem(kernel, options)->c().contents(), Contents::Random);
  options.beta = 0;
  EXPECT_EQ(makeProblem(kernel, options)->c().contents(), Contents::Poison);
}

TEST(HostTensorTest, SeedsAndTensorsDiffer) {
  Kernel kernel = makeKernel({"i"}, {"i"}, {}, {{"i", 64}});
  ProblemOptions options;
  Problem first = std::move(*makeProblem(kernel, options));
  Problem again = std::move(*makeProblem(kernel, options));
  options.seed = 1;
  Problem other = std::move(*makeProblem(kernel, options));
  auto same = [](const HostTensor &x, const HostTensor &y) {
    return std::memcmp(x.data(), y.data(), x.bytes()) == 0;
  };
  EXPECT_TRUE(same(first.tensors[0], again.tensors[0]));
  EXPECT_FALSE(same(first.tensors[0], other.tensors[0]));
  EXPECT_FALSE(same(first.tensors[0], first.tensors[1]));
}

TEST(HostTensorTest, Reset) {
  TensorArgument argument;
  argument.name = "C";
  argument.labels = {"i"};
  argument.extents = {9};
  argument.strides = {2};
  Result<HostTensor> tensor =
      HostTensor::create(argument, Contents::Random, Random(3, 2));
  ASSERT_TRUE(tensor) << tensor.error();
  std::memset(tensor->data(), 0, tensor->bytes());
  tensor->reset();
  for (int64_t p = 0; p < 17; ++p)
    EXPECT_EQ(tensor->bits<double>(p), tensor->initialBits<double>(p)) << p;
}

TEST(HostTensorTest, WhatLittleWritesIsPoisonAsWell) {
  // Whole mappings of pages, and a part of one.
  for (int64_t elements : {int64_t(1) << 19, int64_t(1234567)})
    for (model::ElementType type :
         {model::ElementType::F64, model::ElementType::F32,
          model::ElementType::F16, model::ElementType::I8}) {
      TensorArgument argument;
      argument.name = "C";
      argument.type = type;
      argument.labels = {"i", "j"};
      argument.extents = {elements, 4};
      argument.strides = {4, 1};
      Result<HostTensor> tensor =
          HostTensor::create(argument, Contents::Poison, Random(3, 2),
                             /*workers=*/1, Written::Little);
      ASSERT_TRUE(tensor) << tensor.error();
      int64_t written = elements * 2 + 1;
      dispatch(type, [&](auto zero) {
        using T = decltype(zero);
        tensor->as<T>()[written] = zero;
        for (int64_t p = 0; p < 4 * elements; ++p)
          if ((tensor->bits<T>(p) == Pattern<T>::poison) != (p != written))
            FAIL() << "position " << p << " of " << 4 * elements;
        tensor->reset(/*workers=*/1);
        EXPECT_EQ(tensor->bits<T>(written), Pattern<T>::poison);
      });
    }
}

TEST(HostTensorTest, TooLargeIsAnError) {
  Kernel kernel = matmulKernel();
  kernel.tensors[0].offset = int64_t(1) << 58;
  Result<Problem> problem = makeProblem(kernel, {});
  ASSERT_FALSE(problem);
  EXPECT_EQ(problem.error().rfind("the tensors need 2305843009213694520 bytes, "
                                  "the machine has ",
                                  0),
            0u)
      << problem.error();
}

TEST(HostTensorTest, SpreadOverGigabytesIsAnError) {
  Kernel kernel = makeKernel({"i"}, {"i"}, {}, {{"i", 5}});
  auto errorAtStride = [&](int64_t stride) {
    kernel.tensors[0].strides = {stride};
    Result<Problem> problem = makeProblem(kernel, {});
    return problem ? std::string() : problem.error();
  };
  // Four steps of 64 MiB.
  EXPECT_EQ(errorAtStride((int64_t(1) << 23) - 1), "");
  EXPECT_EQ(errorAtStride(int64_t(1) << 23),
            "tensor A spreads 40 bytes over 268435464: beyond 268435456, at "
            "most 64 times as many are filled");
}

TEST(HostTensorTest, OverlappingInputsAreFilled) {
  // A broadcast, and a window that slides by one.
  Kernel kernel =
      makeKernel({"i", "k", "x"}, {"k"}, {"i"}, {{"i", 4}, {"k", 3}, {"x", 5}});
  kernel.tensors[0].strides = {1, 1, 0};
  Result<Problem> problem = makeProblem(kernel, {});
  ASSERT_TRUE(problem);
  ASSERT_EQ(problem->tensors[0].geometry().bufferElements(), 6);
  for (int64_t p = 0; p < 6; ++p)
    EXPECT_FALSE(std::isnan(problem->tensors[0].as<double>()[p])) << p;
}

//===----------------------------------------------------------------------===//
// The oracle
//===----------------------------------------------------------------------===//

/// Overwrites a tensor's elements, in the order of their positions.
static void set(HostTensor &tensor, const std::vector<double> &values) {
  ASSERT_EQ(static_cast<int64_t>(values.size()),
            tensor.geometry().bufferElements());
  for (size_t i = 0; i < values.size(); ++i)
    tensor.as<double>()[i] = values[i];
}

TEST(ReferenceTest, MatrixProductByHand) {
  Kernel kernel = makeKernel({"i", "k"}, {"k", "j"}, {"i", "j"},
                             {{"i", 2}, {"j", 2}, {"k", 3}});
  kernel.alpha.value = 2;
  Problem problem = std::move(*makeProblem(kernel, {}));
  set(problem.tensors[0], {1, 2, 3, 4, 5, 6});
  set(problem.tensors[1], {7, 8, 9, 10, 11, 12});
  Reference reference(kernel, problem);
  EXPECT_EQ(reference.sumLength(), 3);
  EXPECT_EQ(reference.at({0, 0}).value, 2 * 58);
  EXPECT_EQ(reference.at({0, 1}).value, 2 * 64);
  EXPECT_EQ(reference.at({1, 0}).value, 2 * 139);
  EXPECT_EQ(reference.at({1, 1}).value, 2 * 154);
  // 2 * sqrt(7^2 + 18^2 + 33^2)
  EXPECT_DOUBLE_EQ(reference.at({0, 0}).magnitude, 2 * std::sqrt(1462.));
}

TEST(ReferenceTest, ShortestPathsByHand) {
  Kernel kernel = makeKernel({"i", "k"}, {"k", "j"}, {"i", "j"},
                             {{"i", 2}, {"j", 2}, {"k", 3}});
  kernel.semiring = model::Semiring::MinPlus;
  kernel.alpha.value = 1;
  kernel.beta.value = std::numeric_limits<double>::infinity();
  Problem problem = std::move(*makeProblem(kernel, {}));
  EXPECT_EQ(problem.c().contents(), Contents::Poison);
  set(problem.tensors[0], {1, 2, 3, 4, 5, 6});
  set(problem.tensors[1], {7, 1, -9, 10, 11, -12});
  Reference reference(kernel, problem);
  EXPECT_EQ(reference.at({0, 0}).value, 1 + 2 - 9);
  EXPECT_EQ(reference.at({0, 1}).value, 1 + 3 - 12);
  EXPECT_EQ(reference.at({1, 0}).value, 1 + 5 - 9);
  // 1 + (6 + 12)
  EXPECT_DOUBLE_EQ(reference.at({1, 1}).magnitude, 19);
}

TEST(ReferenceTest, IntegersWrapAround) {
  Kernel kernel =
      makeKernel({"k"}, {"k"}, {}, {{"k", 3}}, model::ElementType::I8);
  EXPECT_EQ(kernel.accumulatorType, model::ElementType::I32);
  Problem problem = std::move(*makeProblem(kernel, {}));
  auto set = [&](size_t tensor, std::vector<int> values) {
    for (size_t i = 0; i < values.size(); ++i)
      problem.tensors[tensor].as<int8_t>()[i] = static_cast<int8_t>(values[i]);
  };
  set(0, {100, -100, 3});
  set(1, {100, 50, -1});
  // Sums are wider than stored elements.
  EXPECT_EQ(Reference(kernel, problem).at({}).value,
            static_cast<int8_t>(10000 - 5000 - 3));
  kernel.semiring = model::Semiring::XorAnd;
  problem.alpha = -1;
  EXPECT_EQ(Reference(kernel, problem).at({}).value,
            static_cast<int8_t>((100 & 100) ^ (-100 & 50) ^ (3 & -1)));
  kernel.semiring = model::Semiring::MaxPlus;
  problem.alpha = 0;
  problem.beta = std::numeric_limits<int32_t>::min();
  EXPECT_EQ(Reference(kernel, problem).at({}).value, static_cast<int8_t>(200));

  kernel = makeKernel({"k"}, {"k"}, {}, {{"k", 2}}, model::ElementType::I64);
  problem = std::move(*makeProblem(kernel, {}));
  constexpr int64_t large = std::numeric_limits<int64_t>::max();
  for (HostTensor &tensor : problem.tensors)
    tensor.as<int64_t>()[0] = large;
  problem.tensors[0].as<int64_t>()[1] = 5;
  problem.tensors[1].as<int64_t>()[1] = large;
  // Modulo 2^64, large^2 + 5 large is 1 + (large - 4).
  EXPECT_EQ(Reference(kernel, problem).at({}).value,
            static_cast<long double>(large - 3));
}

TEST(ReferenceTest, FactorsAreExactOrAnError) {
  Kernel kernel =
      makeKernel({"k"}, {"k"}, {}, {{"k", 1}}, model::ElementType::I64);
  kernel.alpha.isArgument = kernel.beta.isArgument = true;
  ProblemOptions options;
  constexpr int64_t odd = (int64_t(1) << 53) + 1;
  options.alpha = model::Constant::ofInteger(odd);
  Problem problem = std::move(*makeProblem(kernel, options));
  for (HostTensor &tensor : problem.tensors)
    tensor.as<int64_t>()[0] = 1;
  EXPECT_EQ(Reference(kernel, problem).at({}).value,
            static_cast<long double>(odd));
  std::vector<std::vector<std::byte>> bytes = scalarArguments(kernel, problem);
  int64_t passed = 0;
  ASSERT_EQ(bytes[0].size(), sizeof passed);
  std::memcpy(&passed, bytes[0].data(), sizeof passed);
  EXPECT_EQ(passed, odd);
  options.alpha = 1.5;
  EXPECT_EQ(makeProblem(kernel, options).error(), "alpha: '1.5' is no i64");
  options.alpha = 1;
  options.beta = 0x1p63;
  EXPECT_EQ(makeProblem(kernel, options).error(),
            "beta: '9223372036854775808' is no i64");

  kernel = makeKernel({"k"}, {"k"}, {}, {{"k", 1}}, model::ElementType::F32);
  kernel.beta.isArgument = true;
  options.beta = 1e40;
  EXPECT_EQ(makeProblem(kernel, options).error(),
            "beta: '1e+40' is too large for f32");
  options.beta = model::Constant(1, 1);
  EXPECT_EQ(makeProblem(kernel, options).error(),
            "beta: '1+1i' is complex, which no f32 is");
}

TEST(ReferenceTest, UserSemiringsByHand) {
  Kernel kernel = makeKernel({"k"}, {"k"}, {}, {{"k", 3}});
  kernel.semiring = model::Semiring::UserDefined;
  kernel.product = "abs(x - y)";
  kernel.combine = "max(x, y)";
  kernel.identity = -std::numeric_limits<double>::infinity();
  kernel.prologueB = "2 * x";
  Problem problem = std::move(*makeProblem(kernel, {}));
  set(problem.tensors[0], {1, -2, 3});
  set(problem.tensors[1], {2, 3, 0.5});
  ReferenceValue largest = Reference(kernel, problem).at({});
  EXPECT_EQ(largest.value, 8);
  EXPECT_EQ(largest.magnitude, 8);

  kernel = makeKernel({"k"}, {"k"}, {}, {{"k", 3}}, model::ElementType::I8);
  kernel.semiring = model::Semiring::UserDefined;
  kernel.product = "abs(x - y)";
  kernel.combine = "x + y";
  kernel.epilogue = "x + c";
  kernel.tensors[2].isRead = true;
  problem = std::move(*makeProblem(kernel, {}));
  for (size_t tensor : {0, 1})
    for (size_t i = 0; i < 3; ++i)
      problem.tensors[tensor].as<int8_t>()[i] =
          static_cast<int8_t>(tensor == 0 ? 100 : -20);
  auto old = static_cast<int64_t>(problem.c().as<int8_t>()[0]);
  EXPECT_EQ(Reference(kernel, problem).at({}).value,
            static_cast<int8_t>(360 + old));
}

TEST(ReferenceTest, BetaTakesTheInitialOutput) {
  Kernel kernel = makeKernel({"i"}, {}, {"i"}, {{"i", 3}});
  setBeta(kernel, {-0.5, false});
  Problem problem = std::move(*makeProblem(kernel, {}));
  std::vector<double> before(problem.c().as<double>(),
                             problem.c().as<double>() + 3);
  // A kernel's output does not change the reference.
  set(problem.c(), {100, 100, 100});
  Reference reference(kernel, problem);
  double b = problem.tensors[1].as<double>()[0];
  for (int64_t i = 0; i < 3; ++i) {
    double a = problem.tensors[0].as<double>()[i];
    EXPECT_DOUBLE_EQ(static_cast<double>(reference.at({i}).value),
                     a * b - 0.5 * before[i]);
  }
}

TEST(ReferenceTest, DiagonalsAndSumsOfOneOperand) {
  // c[j] = sum_{i,x,k} A[i,i,x] * B[k,j]
  Kernel kernel = makeKernel({"i", "i", "x"}, {"k", "j"}, {"j"},
                             {{"i", 2}, {"x", 2}, {"k", 2}, {"j", 2}});
  Problem problem = std::move(*makeProblem(kernel, {}));
  set(problem.tensors[0], {1, 2, 30, 40, 50, 60, 7, 8});
  set(problem.tensors[1], {1, 2, 3, 4});
  Reference reference(kernel, problem);
  EXPECT_EQ(reference.at({0}).value, (1 + 2 + 7 + 8) * (1 + 3));
  EXPECT_EQ(reference.at({1}).value, (1 + 2 + 7 + 8) * (2 + 4));
}

TEST(ReferenceTest, DiagonalOfTheOutput) {
  // c[i,i,j] = A[i] * B[i,j]
  Kernel kernel =
      makeKernel({"i"}, {"i", "j"}, {"i", "i", "j"}, {{"i", 2}, {"j", 2}});
  Problem problem = std::move(*makeProblem(kernel, {}));
  set(problem.tensors[0], {2, 3});
  set(problem.tensors[1], {5, 7, 11, 13});
  Reference reference(kernel, problem);
  EXPECT_EQ(reference.at({0, 1}).value, 2 * 7);
  EXPECT_EQ(reference.at({1, 0}).value, 3 * 11);
  EXPECT_EQ(reference.at({1, 1}).value, 3 * 13);
}

TEST(ReferenceTest, BatchOuterAndInnerProducts) {
  Kernel outer = makeKernel({"i"}, {"j"}, {"j", "i"}, {{"i", 2}, {"j", 2}});
  Problem problem = std::move(*makeProblem(outer, {}));
  set(problem.tensors[0], {2, 3});
  set(problem.tensors[1], {5, 7});
  EXPECT_EQ(Reference(outer, problem).at({0, 1}).value, 15);

  Kernel batch = makeKernel({"i"}, {"i"}, {"i"}, {{"i", 2}});
  problem = std::move(*makeProblem(batch, {}));
  set(problem.tensors[0], {2, 3});
  set(problem.tensors[1], {5, 7});
  EXPECT_EQ(Reference(batch, problem).at({0}).value, 10);
  EXPECT_EQ(Reference(batch, problem).at({1}).value, 21);

  Kernel inner = makeKernel({"i"}, {"i"}, {}, {{"i", 2}});
  problem = std::move(*makeProblem(inner, {}));
  set(problem.tensors[0], {2, 3});
  set(problem.tensors[1], {5, 7});
  EXPECT_EQ(Reference(inner, problem).at({}).value, 31);
}

TEST(ReferenceTest, ManySummedIndicesInAnyOrder) {
  Kernel kernel = makeKernel({"p", "i", "q", "r"}, {"r", "p", "q"}, {"i"},
                             {{"i", 3}, {"p", 2}, {"q", 3}, {"r", 4}});
  Problem problem = std::move(*makeProblem(kernel, {}));
  const double *a = problem.tensors[0].as<double>();
  const double *b = problem.tensors[1].as<double>();
  Reference reference(kernel, problem);
  for (int64_t i = 0; i < 3; ++i) {
    double expected = 0;
    for (int64_t p = 0; p < 2; ++p)
      for (int64_t q = 0; q < 3; ++q)
        for (int64_t r = 0; r < 4; ++r)
          expected += a[((p * 3 + i) * 3 + q) * 4 + r] * b[(r * 2 + p) * 3 + q];
    EXPECT_NEAR(static_cast<double>(reference.at({i}).value), expected, 1e-14);
  }
}

TEST(ReferenceTest, SumsAreMoreThanDoublyPrecise) {
  // 2^54 + 1 - 2^54: lost in double, kept in long double where it has 64 bits.
  if (std::numeric_limits<long double>::digits < 64)
    GTEST_SKIP() << "long double has no more than double here";
  Kernel kernel = makeKernel({"k"}, {}, {}, {{"k", 3}});
  Problem problem = std::move(*makeProblem(kernel, {}));
  set(problem.tensors[0], {0x1p54, 1, -0x1p54});
  set(problem.tensors[1], {1});
  EXPECT_EQ(Reference(kernel, problem).at({}).value, 1);
}

TEST(ReferenceTest, MixedTypes) {
  Kernel kernel = makeKernel({"i"}, {"i"}, {}, {{"i", 2}});
  kernel.tensors[0].type = model::ElementType::F32;
  Problem problem = std::move(*makeProblem(kernel, {}));
  problem.tensors[0].as<float>()[0] = 0.5f;
  problem.tensors[0].as<float>()[1] = 4;
  set(problem.tensors[1], {6, 7});
  EXPECT_EQ(Reference(kernel, problem).at({}).value, 31);
}

TEST(ReferenceTest, HalvesByHand) {
  for (model::ElementType type :
       {model::ElementType::F16, model::ElementType::BF16}) {
    Kernel kernel = makeKernel({"i"}, {"i"}, {}, {{"i", 2}}, type);
    setBeta(kernel, {0.1, false});
    Problem problem = std::move(*makeProblem(kernel, {}));
    dispatch(type, [&](auto zero) {
      using T = decltype(zero);
      for (int i = 0; i < 2; ++i) {
        problem.tensors[0].as<T>()[i] = static_cast<T>(1 + 0x1p-7 * i);
        problem.tensors[1].as<T>()[i] = static_cast<T>(3 - 0x1p-6 * i);
      }
      double old = problem.c().as<T>()[0];
      // Factors are in the type of the sums.
      EXPECT_EQ(Reference(kernel, problem).at({}).value,
                3 + (1 + 0x1p-7L) * (3 - 0x1p-6L) +
                    static_cast<long double>(0.1f) * old);
    });
  }
}

TEST(ReferenceTest, AlphaIsRoundedToTheTypeOfTheSums) {
  Kernel kernel = makeKernel({}, {}, {}, {}, model::ElementType::F32);
  kernel.alpha.value = 0.1;
  Problem problem = std::move(*makeProblem(kernel, {}));
  problem.tensors[0].as<float>()[0] = problem.tensors[1].as<float>()[0] = 1;
  EXPECT_EQ(static_cast<double>(Reference(kernel, problem).at({}).value),
            static_cast<double>(0.1f));
}
