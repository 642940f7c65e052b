//===- SemiringLayoutTest.cpp - Layouts and rates beyond plus_times -------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/TestTargets.h"
#include "Problem/TestContractions.h"

#include "tc/Gpu/Layout/KernelLayout.h"
#include "tc/Problem/SemiringArithmetic.h"

#include <limits>

using namespace tc;
using namespace tc::model;
using namespace tc::model::test;

namespace {

Contraction product(Semiring semiring, ElementType type, int64_t k = 64) {
  Contraction contraction =
      contract("mk", "kn", "mn", {{"m", 256}, {"n", 256}, {"k", k}}, type);
  contraction.semiring = semiring;
  return contraction;
}

Schedule schedule(Instruction instruction = Instruction::FMA) {
  Schedule result{"sm_90", {{"m", 64}}, {{"n", 64}}, {{"k", 8}}, 4, 4};
  result.instruction = instruction;
  return result;
}

/// The value that fills up a shared tile of that type, in the type of the sums.
template <typename Number> Number fillValue(Fill fill, ElementType type) {
  using Limits = std::numeric_limits<Number>;
  int64_t least = type == ElementType::I8 ? -128 : 0;
  switch (fill) {
  case Fill::Zero:
    return 0;
  case Fill::One:
    return 1;
  case Fill::Least:
    return Limits::has_infinity ? -Limits::infinity()
           : least              ? Number(least)
                                : Limits::min();
  case Fill::Greatest:
    return Limits::has_infinity ? Limits::infinity()
           : least              ? Number(-least - 1)
                                : Limits::max();
  }
  return 0;
}

/// The product of both fills changes no product of numbers.
template <typename Number>
void expectNeutral(ElementType type, const std::vector<Number> &numbers) {
  for (Semiring semiring : allSemirings) {
    if (!appliesTo(semiring, type))
      continue;
    Contraction contraction = product(semiring, type);
    auto fill = multiply(
        semiring,
        fillValue<Number>(sharedTileFill(contraction, Tensor::A), type),
        fillValue<Number>(sharedTileFill(contraction, Tensor::B), type));
    for (Number x : numbers)
      for (Number y : numbers) {
        Number sum = multiply(semiring, x, y);
        EXPECT_EQ(combine(semiring, fill, sum), sum)
            << stringify(semiring) << " of " << x << " and " << y;
      }
  }
}

TEST(SemiringLayout, FillsAreNeutral) {
  expectNeutral<double>(ElementType::F32, {-1e100, -2.5, 0, 1, 7});
  expectNeutral<int32_t>(ElementType::I8, {-128, -127, -1, 0, 1, 126, 127});
  expectNeutral<int32_t>(ElementType::I32, {-40000, -1, 0, 1, 30000});
  expectNeutral<int64_t>(ElementType::I64, {-40000, -1, 0, 1, 30000});
}

TEST(SemiringLayout, CopiesFillWithZerosOnly) {
  auto asynchronous = [](Semiring semiring, int64_t k) {
    Result<KernelLayout> layout = layOut(product(semiring, ElementType::F32, k),
                                         schedule(), target("sm_90"));
    EXPECT_TRUE(layout) << layout.error();
    return std::pair(!layout->a.passesRegisters(),
                     !layout->b.passesRegisters());
  };
  // Tiles of 8 leave an extent of 60.
  using Pair = std::pair<bool, bool>;
  EXPECT_EQ(asynchronous(Semiring::PlusTimes, 60), Pair(true, true));
  EXPECT_EQ(asynchronous(Semiring::MinPlus, 64), Pair(true, true));
  EXPECT_EQ(asynchronous(Semiring::MinPlus, 60), Pair(false, true));
  EXPECT_EQ(asynchronous(Semiring::MaxMin, 60), Pair(false, true));
  EXPECT_EQ(asynchronous(Semiring::MaxTimes, 60), Pair(false, false));
}

TEST(SemiringLayout, MatrixInstructionsSumProducts) {
  auto errorOf = [](Semiring semiring, ElementType type) {
    Result<KernelLayout> layout =
        layOut(product(semiring, type), schedule(Instruction::MmaM16N8K4),
               target("sm_90"));
    return layout ? "no error" : layout.error();
  };
  EXPECT_EQ(errorOf(Semiring::MaxPlus, ElementType::F64),
            "schedule: instruction 'mma_m16n8k4' sums products, but the "
            "semiring is 'max_plus'");
  EXPECT_EQ(errorOf(Semiring::PlusTimes, ElementType::I32),
            "schedule: instruction 'mma_m16n8k4' multiplies f64, not i32");
  for (auto [semiring, type] : {std::pair(Semiring::MinPlus, ElementType::F64),
                                std::pair(Semiring::MaxTimes, ElementType::F16),
                                std::pair(Semiring::PlusTimes, ElementType::I8),
                                std::pair(Semiring::OrAnd, ElementType::I64)})
    EXPECT_EQ(instructionsFor(product(semiring, type), target("sm_90")),
              std::vector(1, Instruction::FMA));
}

TEST(SemiringLayout, WithoutInfinitySharedTilesHoldTheEndsOfTheRange) {
  auto fills = [](Semiring semiring, ElementType type) {
    Contraction contraction = product(semiring, type);
    return std::pair(sharedTileFill(contraction, Tensor::A),
                     sharedTileFill(contraction, Tensor::B));
  };
  EXPECT_EQ(fills(Semiring::MaxPlus, ElementType::F8E4M3FN),
            std::pair(Fill::Least, Fill::Least));
  EXPECT_EQ(fills(Semiring::MinPlus, ElementType::F8E4M3FN),
            std::pair(Fill::Greatest, Fill::Greatest));
  EXPECT_EQ(fills(Semiring::MaxTimes, ElementType::F8E4M3FN),
            std::pair(Fill::Least, Fill::Greatest));
  EXPECT_EQ(fills(Semiring::MaxPlus, ElementType::F8E5M2),
            std::pair(Fill::Least, Fill::Zero));
}

TEST(SemiringLayout, RatesAreThoseOfTheUnits) {
  auto rate = [](Semiring semiring, ElementType type) {
    return *multiplyAddsPerCycle(product(semiring, type), Instruction::FMA,
                                 target("sm_90"));
  };
  auto instructions = [](Semiring semiring, ElementType type) {
    return instructionsPerProduct(product(semiring, type), Instruction::FMA);
  };
  // 128 multiply-adds of f32 a cycle and 64 of f64; 64 of all else.
  EXPECT_EQ(rate(Semiring::PlusTimes, ElementType::F32), 128);
  EXPECT_EQ(rate(Semiring::PlusTimes, ElementType::F64), 64);
  EXPECT_EQ(rate(Semiring::MinPlus, ElementType::F16), 64);
  EXPECT_EQ(rate(Semiring::MaxMin, ElementType::F32), 32);
  EXPECT_EQ(rate(Semiring::MinPlus, ElementType::F64), 32);
  EXPECT_EQ(rate(Semiring::PlusTimes, ElementType::I8), 64);
  EXPECT_EQ(rate(Semiring::MaxPlus, ElementType::I32), 32);
  EXPECT_EQ(rate(Semiring::OrAnd, ElementType::I32), 64);
  EXPECT_EQ(rate(Semiring::PlusTimes, ElementType::I64), 16);
  EXPECT_EQ(instructions(Semiring::PlusTimes, ElementType::F64), 1);
  EXPECT_EQ(instructions(Semiring::MinPlus, ElementType::F32), 2);
  EXPECT_EQ(instructions(Semiring::MinPlus, ElementType::F64), 4);
  EXPECT_EQ(instructions(Semiring::XorAnd, ElementType::I32), 1);
  EXPECT_EQ(instructions(Semiring::MaxTimes, ElementType::I64), 8);
}

TEST(SemiringLayout, UserDefinedOnesArePaddedOrMasked) {
  auto layoutOf = [](int64_t k, std::optional<PerTensor<Fill>> padding) {
    Contraction contraction =
        product(Semiring::UserDefined, ElementType::F32, k);
    contraction.userSemiring.padding = padding;
    Result<KernelLayout> layout =
        layOut(contraction, schedule(), target("sm_90"));
    EXPECT_TRUE(layout) << layout.error();
    return std::tuple(masksProducts(contraction, *layout), layout->a.fill,
                      layout->b.fill, !layout->b.passesRegisters());
  };
  // Tiles of 8 leave an extent of 60.
  PerTensor<Fill> padding = {{Fill::Zero, Fill::Greatest, Fill::Zero}};
  EXPECT_EQ(layoutOf(60, padding),
            std::tuple(false, Fill::Zero, Fill::Greatest, false));
  EXPECT_EQ(layoutOf(60, std::nullopt),
            std::tuple(true, Fill::Zero, Fill::Zero, true));
  EXPECT_EQ(layoutOf(64, std::nullopt),
            std::tuple(false, Fill::Zero, Fill::Zero, true));
}

TEST(SemiringLayout, UserDefinedOnesTakeTheirOperations) {
  Contraction contraction = product(Semiring::UserDefined, ElementType::F32);
  contraction.userSemiring.operations = 4;
  EXPECT_EQ(
      *multiplyAddsPerCycle(contraction, Instruction::FMA, target("sm_90")),
      32);
  EXPECT_EQ(instructionsPerProduct(contraction, Instruction::FMA), 4);
  EXPECT_EQ(instructionsFor(contraction, target("sm_90")),
            std::vector(1, Instruction::FMA));
}

} // namespace
