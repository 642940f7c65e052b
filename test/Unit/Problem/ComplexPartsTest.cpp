//===- ComplexPartsTest.cpp - Complex contractions as real ones -----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestContractions.h"

#include "tc/Problem/ComplexParts.h"

#include <gtest/gtest.h>

using namespace tc;
using namespace tc::model;
using namespace tc::model::test;

namespace {

PerTensor<int64_t> strideOf(const Contraction &contraction, const char *label) {
  return contraction.indices[*contraction.find(label)].stride;
}

using Strides = PerTensor<int64_t>;

TEST(ComplexParts, OfBoth) {
  Contraction real = toRealParts(complexMatmul());
  ASSERT_TRUE(real.parts && real.parts->summed);
  EXPECT_EQ(real.parts->expanded, Tensor::B);
  for (Tensor tensor : allTensors)
    EXPECT_EQ(real.elementType[tensor], ElementType::F64);
  EXPECT_EQ(real.factorType, ElementType::F64);
  EXPECT_EQ(real.accumulatorType, ElementType::F64);
  EXPECT_EQ(strideOf(real, "m"), (Strides{{8, 0, 12}}));
  EXPECT_EQ(strideOf(real, "k"), (Strides{{2, 12, 0}}));
  EXPECT_EQ(strideOf(real, "re_im"), (Strides{{0, 1, 1}}));
  EXPECT_EQ(strideOf(real, "re_im_k"), (Strides{{1, 0, 0}}));
  EXPECT_EQ(real.indices[real.parts->output].role, Role::N);
  EXPECT_EQ(real.indices[*real.parts->summed].role, Role::K);
  // Four real multiplications for a complex one, and two numbers an element.
  EXPECT_EQ(real.fusedMultiplyAdds(), 4 * 8 * 6 * 4);
  EXPECT_EQ(real.elements(Tensor::A), 2 * 8 * 4);
  EXPECT_EQ(real.elements(Tensor::B), 2 * 6 * 4);
  EXPECT_EQ(real.elements(Tensor::C), 2 * 8 * 6);
}

TEST(ComplexParts, OfOne) {
  for (Tensor complex : {Tensor::A, Tensor::B}) {
    Contraction contraction = complexMatmul();
    Tensor other = complex == Tensor::A ? Tensor::B : Tensor::A;
    contraction.elementType[other] = ElementType::F64;
    Contraction real = toRealParts(contraction);
    ASSERT_TRUE(real.parts);
    EXPECT_FALSE(real.parts->summed);
    EXPECT_EQ(real.parts->expanded, complex);
    EXPECT_EQ(real.indices[real.parts->output].role,
              complex == Tensor::A ? Role::M : Role::N);
    EXPECT_EQ(real.elements(other), contraction.elements(other));
    EXPECT_EQ(real.fusedMultiplyAdds(), 2 * 8 * 6 * 4);
  }
}

TEST(ComplexParts, OfNone) {
  Contraction real = toRealParts(complexMatmul(false, ElementType::F64));
  EXPECT_FALSE(real.parts);
  EXPECT_EQ(real.indices.size(), 3u);
  EXPECT_FALSE(joinParts(real).parts);
}

TEST(ComplexParts, NamesAreUnused) {
  Contraction contraction = complexMatmul();
  contraction.indices[0].label = "re_im";
  Contraction real = toRealParts(contraction);
  EXPECT_EQ(real.indices[real.parts->output].label, "re_im_");
}

TEST(ComplexParts, JoinedAlongTheOutput) {
  Contraction joined = joinParts(toRealParts(complexMatmul()));
  ASSERT_TRUE(joined.parts && joined.parts->summed);
  EXPECT_EQ(joined.indices.size(), 4u);
  EXPECT_EQ(joined.parts->expanded, Tensor::B);
  EXPECT_EQ(joined.indices[joined.parts->output].label, "n");
  EXPECT_EQ(joined.indices[joined.parts->output].extent, 12);
  EXPECT_EQ(strideOf(joined, "n"), (Strides{{0, 1, 1}}));
  EXPECT_EQ(joined.indices[*joined.parts->summed].label, "re_im_k");

  // With rows of C along M, A is expanded, but its rows are not.
  joined = joinParts(toRealParts(complexMatmul(/*swapsOutput=*/true)));
  EXPECT_EQ(joined.indices.size(), 5u);
  EXPECT_EQ(joined.parts->expanded, Tensor::A);
  EXPECT_EQ(joined.indices[joined.parts->output].role, Role::M);
  EXPECT_EQ(strideOf(joined, "re_im"), (Strides{{1, 0, 1}}));
  EXPECT_EQ(strideOf(joined, "re_im_k"), (Strides{{0, 1, 0}}));
}

TEST(ComplexParts, ThreeProducts) {
  Contraction three = toThreeProducts(complexMatmul());
  EXPECT_FALSE(three.parts);
  ASSERT_TRUE(three.threeProducts);
  const Index &products = three.indices[*three.threeProducts];
  EXPECT_EQ(products.label, "re_im_3m");
  EXPECT_EQ(products.extent, 3);
  EXPECT_EQ(products.role, Role::K);
  EXPECT_EQ(products.stride, (Strides{{0, 0, 0}}));
  EXPECT_EQ(three.elementType[Tensor::A], ElementType::C64);
  EXPECT_EQ(three.factorType, ElementType::F64);
  EXPECT_EQ(three.accumulatorType, ElementType::F64);
  EXPECT_EQ(three.fusedMultiplyAdds(), 3 * 8 * 6 * 4);

  // A schedule tells the form by the index that only it names.
  std::vector<TileExtent> k = {{"re_im_3m", 1}, {"k", 4}};
  EXPECT_EQ(formOf(complexMatmul(), k), ComplexForm::ThreeProducts);
  EXPECT_EQ(formOf(complexMatmul(false, ElementType::F64), k),
            ComplexForm::FourProducts);
  Contraction named = complexMatmul();
  named.indices[*named.find("k")].label = "re_im_3m";
  k = {{"re_im_3m", 4}};
  EXPECT_EQ(formOf(named, k), ComplexForm::FourProducts);
  k = {{"re_im_3m_", 1}, {"re_im_3m", 4}};
  EXPECT_EQ(formOf(named, k), ComplexForm::ThreeProducts);
}

} // namespace
