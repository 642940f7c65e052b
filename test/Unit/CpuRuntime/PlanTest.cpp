//===- PlanTest.cpp - Tests of predicted times ----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The times that plans of contractions predict, which grow with the work and
// are bounded from below.
//
//===----------------------------------------------------------------------===//

#include "tc/CpuRuntime/Contraction.h"

#include "tc/Problem/Contraction.h"

#include <gtest/gtest.h>

#include <array>
#include <utility>

using namespace tc;
using namespace tc::cpu;
using model::ElementType;

namespace {

/// The product of two matrices, all of whose rows lie side by side.
Problem productOf(int64_t m, int64_t n, int64_t k, ElementType type) {
  Problem problem;
  problem.add(m, {{1, 0, 1}});
  problem.add(n, {{0, 1, m}});
  problem.add(k, {{m, n, 0}});
  problem.elementType = {{type, type, type}};
  problem.accumulatorType = model::accumulatorTypeOf(type);
  return problem;
}

TEST(Plan, PredictsNoLessThanTheLeast) {
  for (ElementType type :
       {ElementType::F32, ElementType::F64, ElementType::I32, ElementType::I64,
        ElementType::C64, ElementType::BF16})
    for (int64_t m : {1, 7, 96, 1000})
      for (int64_t n : {1, 2, 5, 300})
        for (int64_t k : {1, 24, 3000}) {
          double products = static_cast<double>(m * n * k);
          double seconds = Contraction(productOf(m, n, k, type), 1).seconds();
          EXPECT_GE(seconds, leastSecondsOf(products, type))
              << m << " x " << n << " x " << k;
        }
}

TEST(Plan, PredictsTheRateOfLargeProducts) {
  auto seconds = [](int64_t extent, ElementType type) {
    return Contraction(productOf(extent, extent, extent, type), 1).seconds();
  };
  double least = leastSecondsOf(2400.0 * 2400 * 2400);
  EXPECT_LT(seconds(2400, ElementType::F32), 1.5 * least);
  EXPECT_GT(seconds(2400, ElementType::F64),
            1.5 * seconds(2400, ElementType::F32));
  EXPECT_NEAR(seconds(2400, ElementType::F64) / seconds(1200, ElementType::F64),
              8, 1);
  // Integers take more instructions for a product.
  EXPECT_GT(seconds(1200, ElementType::I64),
            2 * seconds(1200, ElementType::F64));
}

// Loops without panels read an operand again for each column: they would be up
// to six times as slow.
TEST(Plan, ElementsThatAreUsedOftenArePacked) {
  for (ElementType type :
       {ElementType::F32, ElementType::F64, ElementType::C64, ElementType::I8})
    for (int64_t m : {20, 64, 500, 3000})
      for (int64_t n : {16, 40, 500})
        for (int64_t k : {8, 24, 600}) {
          Problem problem = productOf(m, n, k, type);
          EXPECT_FALSE(Contraction(problem, 1).isSkinny())
              << m << " x " << n << " x " << k;
          // A batch of large ones, too.
          problem.add(3, {{m * k, n * k, m * n}});
          if (m * n * k > 8192)
            EXPECT_FALSE(Contraction(problem, 1).isSkinny());
        }
}

TEST(Plan, ElementsThatAreUsedOnceAreNotPacked) {
  for (ElementType type :
       {ElementType::F32, ElementType::F64, ElementType::C64, ElementType::I8})
    for (auto [m, n, k] : {std::array<int64_t, 3>{1, 1, 100000},
                           {1000, 1, 1000},
                           {1, 1000, 1000},
                           {4, 4, 10000},
                           {4, 4, 4}}) {
      Problem problem = productOf(m, n, k, type);
      EXPECT_FALSE(Contraction(problem, 1).usesPanels())
          << m << " x " << n << " x " << k;
    }
}

// Panels do not pay where the caches hold all.
TEST(Plan, SmallProductsReadOperandsWhereTheyLie) {
  const bool hasSuchKernels = instructionSetName().substr(0, 3) == "avx";
  for (ElementType type :
       {ElementType::F32, ElementType::F64, ElementType::C32, ElementType::C64})
    for (int64_t m : {8, 64}) {
      EXPECT_EQ(Contraction(productOf(m, 16, 64, type), 1).isDirect(),
                hasSuchKernels)
          << m;
      EXPECT_FALSE(Contraction(productOf(m, 16, 5000, type), 1).isDirect());
    }
  EXPECT_FALSE(
      Contraction(productOf(64, 16, 64, ElementType::I32), 1).isDirect());
}

/// Products of a batch of matrices that lie one behind the other, with these
/// strides in C along the batch, rows and columns.
double secondsOfBatch(int64_t batch, int64_t side,
                      const std::array<int64_t, 3> &inC) {
  Problem problem;
  problem.add(batch, {{side * side, side * side, inC[0]}});
  problem.add(side, {{side, 0, inC[1]}});
  problem.add(side, {{0, 1, inC[2]}});
  problem.add(side, {{1, side, 0}});
  return Contraction(problem, 1).seconds();
}

TEST(Plan, ElementsOfResultsThatLieApartTakeLonger) {
  for (int64_t side : {4, 5, 8, 13, 16, 33}) {
    const int64_t batch = 2000, square = side * side;
    const double inOrder = secondsOfBatch(batch, side, {square, side, 1}),
                 columnsFirst = secondsOfBatch(batch, side, {square, 1, side}),
                 batchInside =
                     secondsOfBatch(batch, side, {1, side * batch, batch});
    EXPECT_LE(inOrder, columnsFirst) << side;
    EXPECT_LT(1.05 * inOrder, batchInside) << side;
  }
}

// Rows that lie between summed indices are added up together: with AVX2, a sum
// of lanes for each value of the outer one would take more than the products.
TEST(Plan, RowsBetweenSumsTakeNoLonger) {
  // The test cpu-runtime.avx2 runs all of these with that set on any machine.
  if (instructionSetName() != "avx2")
    return;
  auto seconds = [](int64_t ofRows, int64_t ofLines, int64_t factors,
                    ElementType type) {
    Problem problem;
    problem.add(16, {{32 * 32 * 32, 0, 32}});
    problem.add(32, {{ofRows, 0, 1}});
    problem.add(32, {{ofLines, 32 * factors, 0}});
    problem.add(32, {{1, factors, 0}});
    problem.elementType = {{type, type, type}};
    problem.accumulatorType = model::accumulatorTypeOf(type);
    return Contraction(problem, 1).seconds();
  };
  // Products, and sums of one operand.
  for (auto [type, factors] :
       {std::pair{ElementType::C64, 1}, {ElementType::F32, 0}})
    EXPECT_LT(seconds(32, 32 * 32, factors, type),
              1.25 * seconds(32 * 32, 32, factors, type));
}

// The end of a line that fills no vector takes longer to load than a vector.
TEST(Plan, PartsOfVectorsTakeLonger) {
  // The test cpu-runtime.avx2 runs all of these with that set on any machine.
  if (instructionSetName() != "avx2")
    return;
  auto seconds = [](int64_t extent) {
    Problem problem;
    problem.add(100, {{60 * extent, extent, 0}});
    problem.add(60, {{extent, 0, 1}});
    problem.add(extent, {{1, 1, 0}});
    return Contraction(problem, 1).seconds();
  };
  EXPECT_GT(seconds(3), seconds(4));
}

// Elements that lie side by side along a batch only are not packed, unless
// they are used often.
TEST(Plan, VectorsGoAlongBatches) {
  auto isSkinny = [](int64_t side, int64_t batches) {
    Problem problem;
    problem.add(side, {{side * batches, 0, side * batches}});
    problem.add(side, {{0, side * batches, batches}});
    problem.add(side, {{batches, batches, 0}});
    problem.add(batches, {{1, 1, 1}});
    problem.elementType = {
        {ElementType::F32, ElementType::F32, ElementType::F32}};
    problem.accumulatorType = ElementType::F32;
    return Contraction(problem, 1).isSkinny();
  };
  EXPECT_TRUE(isSkinny(16, 64));
  EXPECT_TRUE(isSkinny(32, 64));
  EXPECT_FALSE(isSkinny(32, 2));
  EXPECT_FALSE(isSkinny(128, 64));
}

} // namespace
