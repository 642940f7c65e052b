//===- ChainsTest.cpp - Chains of contractions by definition --------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Package/TestKernels.h"
#include "tc/Buffers/Problem.h"
#include "tc/Reference/Check.h"
#include "tc/Reference/Reference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>

using namespace tc;
using namespace tc::runtime;
using namespace tc::runtime::test;

TEST(ChainsTest, FeedOneAnother) {
  Kernel kernel = chainKernel();
  Result<Problem> problem = makeProblem(kernel, {});
  ASSERT_TRUE(problem) << problem.error();
  Reference reference(kernel, *problem);
  EXPECT_EQ(reference.sumLength(), 3 + 4);
  EXPECT_EQ(reference.roundingOfProduced(), 0);
  auto at = [&](size_t tensor, int64_t place) -> long double {
    return problem->tensors[tensor].as<double>()[place];
  };
  for (int64_t i = 0; i < 5; ++i)
    for (int64_t j = 0; j < 7; ++j) {
      long double sum = 0, squares = 0;
      for (int64_t k = 0; k < 3; ++k) {
        long double between = 0;
        for (int64_t z = 0; z < 4; ++z)
          between += at(0, i * 4 + z) * at(3, z * 3 + k);
        // Each is rounded to the type of the tensor between the two.
        auto stored = static_cast<double>(2 * std::fabs(between));
        sum += stored * at(1, k * 7 + j);
        squares += std::pow(stored * at(1, k * 7 + j), 2);
      }
      ReferenceValue value = reference.at({i, j});
      EXPECT_NEAR(static_cast<double>(value.value), static_cast<double>(sum),
                  1e-17);
      EXPECT_GE(value.magnitude, static_cast<double>(std::sqrt(squares)));
    }
}

TEST(ChainsTest, FeedComplexNumbers) {
  Kernel kernel = chainKernel(model::ElementType::C64);
  KernelContraction &link = kernel.others[0];
  link.epilogue.clear();
  link.alpha.value = {0.5, -2};
  link.conjugatesA = true;
  kernel.conjugatesB = true;
  Result<Problem> problem = makeProblem(kernel, {});
  ASSERT_TRUE(problem) << problem.error();
  Reference reference(kernel, *problem);
  using Complex = std::complex<long double>;
  auto at = [&](size_t tensor, int64_t place) -> Complex {
    const auto *parts = problem->tensors[tensor].as<double>();
    return {parts[2 * place], parts[2 * place + 1]};
  };
  for (int64_t i = 0; i < 5; ++i)
    for (int64_t j = 0; j < 7; ++j) {
      Complex sum = 0;
      double squares = 0;
      for (int64_t k = 0; k < 3; ++k) {
        Complex between = 0;
        for (int64_t z = 0; z < 4; ++z)
          between += std::conj(at(0, i * 4 + z)) * at(3, z * 3 + k);
        auto stored =
            static_cast<std::complex<double>>(Complex(0.5, -2) * between);
        Complex term = Complex(stored) * std::conj(at(1, k * 7 + j));
        sum += term;
        squares += static_cast<double>(std::norm(term));
      }
      for (int64_t part : {0, 1}) {
        ReferenceValue value = reference.at({i, j, part});
        EXPECT_NEAR(static_cast<double>(value.value),
                    static_cast<double>(part ? sum.imag() : sum.real()), 1e-15);
        EXPECT_GE(value.magnitude, 0.99 * std::sqrt(squares));
      }
    }
}

TEST(ChainsTest, MayRound) {
  Kernel kernel = chainKernel(model::ElementType::F16);
  Result<Problem> problem = makeProblem(kernel, {});
  ASSERT_TRUE(problem) << problem.error();
  EXPECT_EQ(Reference(kernel, *problem).roundingOfProduced(),
            std::ldexp(1, -11));
}

/// The chain, of so long a tensor between that it is computed as it is read.
static Kernel longChainKernel() {
  Kernel kernel = makeKernel({"i", "k"}, {"k", "j"}, {"i", "j"},
                             {{"i", 8192}, {"j", 20}, {"k", 4096}});
  Kernel link = makeKernel({"x", "z"}, {"z", "y"}, {"x", "y"},
                           {{"x", 8192}, {"y", 4096}, {"z", 3}});
  link.alpha.value = 2;
  setGroup(kernel, {link}, {model::feedEdge(1, 0, model::Tensor::A)});
  EXPECT_FALSE(isAffordable(kernel.tensors[0], 3));
  return kernel;
}

TEST(ChainsTest, AreComputedWhenRead) {
  for (bool softmax : {false, true}) {
    Kernel kernel = longChainKernel();
    if (softmax)
      kernel.edges[0].through = model::EdgeFunction::Softmax;
    Result<Problem> problem = makeProblem(kernel, {});
    ASSERT_TRUE(problem) << problem.error();
    Reference reference(kernel, *problem);
    auto at = [&](size_t tensor, int64_t place) -> long double {
      return problem->tensors[tensor].as<double>()[place];
    };
    for (int64_t i : {0, 1, 4711, 8191}) {
      std::vector<long double> row;
      for (int64_t k = 0; k < 4096; ++k) {
        long double between = 0;
        for (int64_t z = 0; z < 3; ++z)
          between += at(0, i * 3 + z) * at(3, z * 4096 + k);
        row.push_back(2 * between);
      }
      if (softmax) {
        long double sum = 0;
        for (long double &element : row)
          sum += element = std::exp(element);
        for (long double &element : row)
          element /= sum;
      }
      for (int64_t j : {0, 19}) {
        long double sum = 0;
        for (int64_t k = 0; k < 4096; ++k)
          sum += row[static_cast<size_t>(k)] * at(1, k * 20 + j);
        EXPECT_NEAR(static_cast<double>(reference.at({i, j}).value),
                    static_cast<double>(sum), 1e-12);
      }
    }
  }
}

/// For each element that is compared, a row of the intermediate result is
/// computed.
TEST(ChainsTest, CountForSamples) {
  Kernel kernel = chainKernel();
  EXPECT_EQ(affordableSamples(kernel, {}), 0);
  int64_t samples = affordableSamples(longChainKernel(), {});
  EXPECT_GT(samples, 0);
  EXPECT_LE(samples, 5e8 / (4096 * 3));
}
