//===- OperandSumsTest.cpp - Sums of one operand ahead of products --------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestNetworks.h"

#include "tc/Problem/Semiring.h"
#include "tc/Program/OrderText.h"

#include "gtest/gtest.h"

using namespace tc;
using namespace tc::model;

/// A contraction of contiguous tensors of two lists of letters, each index of
/// which is ten long.
static ContractionRecord recordOf(const std::string &a, const std::string &b,
                                  const std::string &c,
                                  const PerTensor<ElementType> &types) {
  ContractionRecord record;
  for (auto [tensor, list] : {std::pair(Tensor::A, a), std::pair(Tensor::B, b),
                              std::pair(Tensor::C, c)}) {
    TensorRecord &made = record.tensors[tensor];
    made.type = types[tensor];
    for (char letter : list) {
      made.labels.push_back(std::string(1, letter));
      made.extents.push_back(10);
    }
    made.strides = contiguousStrides(made.extents);
  }
  record.factorType = *factorTypeOf(types);
  return record;
}

static constexpr PerTensor<ElementType> doubles = {
    {ElementType::F64, ElementType::F64, ElementType::F64}};

using Ways = std::vector<PerTensor<bool>>;

TEST(OperandSums, AreThoseThatMultiplyProducts) {
  auto ways = [](const std::string &a, const std::string &b,
                 const std::string &c) {
    return waysToSumFirst(recordOf(a, b, c, doubles));
  };
  EXPECT_EQ(ways("ij", "kl", ""),
            Ways({{{true, false}}, {{false, true}}, {{true, true}}}));
  EXPECT_EQ(ways("ij", "k", "ik"), Ways({{{true, false}}}));
  EXPECT_EQ(ways("k", "ij", "ik"), Ways({{{false, true}}}));
  EXPECT_EQ(ways("ij", "jk", "ik"), Ways());
  EXPECT_EQ(ways("ij", "i", ""), Ways());
  EXPECT_EQ(ways("ij", "", ""), Ways());
  EXPECT_EQ(ways("ij", "k", "ijk"), Ways());
}

TEST(OperandSums, KeepTheIndicesThatOthersHold) {
  ContractionRecord record = recordOf("kxbii", "bkj", "bij", doubles);
  record.alpha = {3.0, false};
  record.hasPrologue[Tensor::A] = record.hasEpilogue = true;
  OperandSums made = sumFirst(record, {{true, false}});
  ASSERT_TRUE(made.sums[Tensor::A]);
  EXPECT_FALSE(made.sums[Tensor::B]);
  using Labels = std::vector<std::string>;
  const ContractionRecord &sums = *made.sums[Tensor::A];
  EXPECT_EQ(sums.tensors[Tensor::A].labels, record.tensors[Tensor::A].labels);
  EXPECT_EQ(sums.tensors[Tensor::B].labels, Labels());
  EXPECT_EQ(sums.tensors[Tensor::C].labels, Labels({"k", "b", "i"}));
  EXPECT_EQ(sums.tensors[Tensor::C].strides,
            (std::vector<int64_t>{100, 10, 1}));
  EXPECT_TRUE(sums.hasPrologue[Tensor::A]);
  EXPECT_FALSE(sums.hasEpilogue);
  EXPECT_EQ(made.product.tensors[Tensor::A].labels, Labels({"k", "b", "i"}));
  EXPECT_EQ(made.product.tensors[Tensor::B].labels, Labels({"b", "k", "j"}));
  EXPECT_FALSE(made.product.hasPrologue[Tensor::A]);
  EXPECT_TRUE(made.product.hasEpilogue);
  EXPECT_EQ(made.product.alpha.value, 3.0);
}

TEST(OperandSums, HaveTheTypeOfSums) {
  using T = ElementType;
  auto types = [](T a, T b, T c) {
    OperandSums made =
        sumFirst(recordOf("ij", "kl", "ik", {{a, b, c}}), {{true, true}});
    return std::vector<T>{
        made.sums[Tensor::A]->factorType, made.product.tensors[Tensor::A].type,
        made.sums[Tensor::B]->factorType, made.product.tensors[Tensor::B].type,
        made.product.factorType};
  };
  EXPECT_EQ(types(T::F16, T::F16, T::F16),
            (std::vector<T>{T::F16, T::F32, T::F16, T::F32, T::F32}));
  EXPECT_EQ(types(T::F32, T::F64, T::F64),
            (std::vector<T>{T::F64, T::F64, T::F64, T::F64, T::F64}));
  EXPECT_EQ(types(T::F32, T::C32, T::C32),
            (std::vector<T>{T::F32, T::F32, T::C32, T::C32, T::C32}));
  EXPECT_EQ(types(T::I8, T::I8, T::I8),
            (std::vector<T>{T::I8, T::I32, T::I8, T::I32, T::I32}));
}

TEST(OperandSums, AreOfSemiringsThatDistribute) {
  using S = Semiring;
  std::vector<S> floats, integers;
  for (S semiring : allSemirings) {
    if (productDistributes(semiring, ElementType::F32) &&
        appliesTo(semiring, ElementType::F32))
      floats.push_back(semiring);
    if (productDistributes(semiring, ElementType::I32))
      integers.push_back(semiring);
  }
  EXPECT_EQ(floats, (std::vector<S>{S::PlusTimes, S::MaxPlus, S::MinPlus}));
  EXPECT_EQ(integers, (std::vector<S>{S::PlusTimes, S::MaxMin, S::MinMax,
                                      S::OrAnd, S::XorAnd}));
  EXPECT_FALSE(productDistributes(S::UserDefined, ElementType::F32));
}

TEST(OperandSums, ComeFirstWhereThatIsFaster) {
  PricedSteps times;
  auto choose = [&](const std::string &a, const std::string &b,
                    const std::string &c) {
    return times.chooseSums(recordOf(a, b, c, doubles));
  };
  // 100 elements are read and summed, and 10 left, which is 403 and then
  // 1e3 + 3 * 120, or 1e4 + 3 * 210 of all.
  SumsFirst chosen = choose("ij", "kl", "ikl");
  EXPECT_TRUE(chosen.operands[Tensor::A]);
  EXPECT_FALSE(chosen.operands[Tensor::B]);
  EXPECT_LT(chosen.seconds, chosen.secondsOfAll);
  chosen = choose("ij", "kl", "ik");
  EXPECT_TRUE(chosen.operands[Tensor::A] && chosen.operands[Tensor::B]);
  EXPECT_FALSE(choose("ij", "jk", "ik").any());
  times.sumsOperands = false;
  EXPECT_FALSE(choose("ij", "kl", "ik").any());
}

TEST(OperandSums, CountInTheOrder) {
  Network network = networkOf(
      "ij,kl,lm->km", {{'i', 10}, {'j', 10}, {'k', 4}, {'l', 5}, {'m', 6}});
  PricedSteps times;
  OrderResult found = *searchOrder(network, times);
  std::string text = orderText(network, found, "a machine");
  EXPECT_NE(text.find("  sums input 0 over [i, j] first\n"), std::string::npos)
      << text;
  PricedSteps all;
  all.sumsOperands = false;
  OrderResult slower = *searchOrder(network, all);
  EXPECT_GT(slower.order.seconds, found.order.seconds);
  EXPECT_EQ(orderText(network, slower, "a machine").find("first"),
            std::string::npos);
}
