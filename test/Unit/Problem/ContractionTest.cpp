//===- ContractionTest.cpp - Tests of contractions ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestContractions.h"

#include "tc/Support/Arithmetic.h"

#include <sstream>

using namespace tc;
using namespace tc::model;
using namespace tc::model::test;

namespace {

std::string errorOf(const std::string &a, const std::string &b,
                    const std::string &c, const Extents &extents) {
  Result<Contraction> result = makeContiguous(
      {{labels(a), labels(b), labels(c)}}, extents, ElementType::F64);
  return result ? "no error" : result.error();
}

TEST(Contraction, RolesAndStrides) {
  Contraction contraction =
      contract("xik", "xkj", "xij", {{"i", 3}, {"j", 5}, {"k", 7}, {"x", 2}});
  ASSERT_EQ(contraction.indices.size(), 4u);
  const Index &x = contraction.indices[*contraction.find("x")];
  const Index &i = contraction.indices[*contraction.find("i")];
  const Index &j = contraction.indices[*contraction.find("j")];
  const Index &k = contraction.indices[*contraction.find("k")];
  EXPECT_EQ(x.role, Role::Batch);
  EXPECT_EQ(i.role, Role::M);
  EXPECT_EQ(j.role, Role::N);
  EXPECT_EQ(k.role, Role::K);
  EXPECT_EQ(x.stride, (PerTensor<int64_t>{{21, 35, 15}}));
  EXPECT_EQ(i.stride, (PerTensor<int64_t>{{7, 0, 5}}));
  EXPECT_EQ(j.stride, (PerTensor<int64_t>{{0, 1, 1}}));
  EXPECT_EQ(k.stride, (PerTensor<int64_t>{{1, 5, 0}}));
  EXPECT_EQ(contraction.strideOneIndex(Tensor::A), contraction.find("k"));
  EXPECT_EQ(contraction.strideOneIndex(Tensor::C), contraction.find("j"));
  EXPECT_EQ(contraction.span(Tensor::A), 2 * 3 * 7);
  EXPECT_EQ(contraction.elements(Tensor::B), 2 * 5 * 7);
  EXPECT_EQ(contraction.fusedMultiplyAdds(), 2 * 3 * 5 * 7);
  EXPECT_EQ(contraction.extent(Role::M), 3);
  EXPECT_EQ(contraction.withRole(Role::K),
            std::vector<unsigned>{*contraction.find("k")});
  EXPECT_FALSE(contraction.find("z"));
}

TEST(Contraction, EmptyRoles) {
  Contraction dot = contract("k", "k", "", {{"k", 9}});
  EXPECT_EQ(dot.extent(Role::M), 1);
  EXPECT_EQ(dot.span(Tensor::C), 1);
  EXPECT_FALSE(dot.strideOneIndex(Tensor::C));

  Contraction scalars = contract("", "", "", {});
  EXPECT_TRUE(scalars.indices.empty());
  EXPECT_EQ(scalars.fusedMultiplyAdds(), 1);
}

TEST(Contraction, ExtentsOfOneHaveNoStrideOneIndex) {
  Contraction product =
      contract("mk", "kn", "mn", {{"m", 4}, {"k", 1}, {"n", 4}});
  // k has stride one in A, but nothing lies along it.
  EXPECT_EQ(product.strideOneIndex(Tensor::A), product.find("m"));
}

TEST(Contraction, DiagonalsAddStrides) {
  Contraction trace = contract("iik", "k", "i", {{"i", 4}, {"k", 3}});
  EXPECT_EQ(trace.indices[*trace.find("i")].stride[Tensor::A], 3 + 12);
  EXPECT_EQ(trace.span(Tensor::A), 4 * 4 * 3);
  EXPECT_EQ(trace.elements(Tensor::A), 4 * 3);
}

TEST(Contraction, LabelsInOneInputAreSummed) {
  Contraction sum =
      contract("mks", "kn", "mn", {{"m", 2}, {"k", 3}, {"s", 4}, {"n", 5}});
  const Index &s = sum.indices[*sum.find("s")];
  EXPECT_EQ(s.role, Role::K);
  EXPECT_EQ(s.stride, (PerTensor<int64_t>{{1, 0, 0}}));
}

TEST(Contraction, ErrorsNameTheLabel) {
  EXPECT_EQ(
      errorOf("mk", "kn", "mnz", {{"m", 2}, {"n", 2}, {"k", 2}, {"z", 2}}),
      "index 'z' of C is in neither A nor B");
  EXPECT_EQ(errorOf("mk", "kn", "mn", {{"m", 2}, {"n", 2}}),
            "index 'k' of A has no extent");
  EXPECT_EQ(errorOf("mk", "kn", "mn", {{"m", 2}, {"n", 0}, {"k", 2}}),
            "extents: index 'n' has extent 0, but must have at least 1");
  EXPECT_EQ(errorOf("k", "k", "", {{"k", 2}, {"k", 3}}),
            "extents: index 'k' is given twice");
  EXPECT_EQ(errorOf("k", "k", "", {{"k", 2}, {"q", 3}}),
            "extents: index 'q' is in no tensor");
  EXPECT_EQ(errorOf("-", "-", "", {{"-", 2}}),
            "extents: '-' is not an index name");
}

TEST(Contraction, SizesThatOverflowAreRefused) {
  int64_t large = int64_t(1) << 30;
  EXPECT_EQ(errorOf("mk", "kn", "mn", {{"m", large}, {"n", 2}, {"k", large}}),
            "the bytes of A exceed 64 bits");
  // One element less than 2^60 doubles.
  EXPECT_EQ(
      errorOf("mk", "kn", "mn", {{"m", large - 1}, {"n", 2}, {"k", large}}),
      "no error");
  EXPECT_EQ(errorOf("abcde", "", "abcde",
                    {{"a", large},
                     {"b", large},
                     {"c", large},
                     {"d", large},
                     {"e", large}}),
            "the bytes of A exceed 64 bits");
  // A sum of strides that overflows, too.
  EXPECT_EQ(errorOf("aaaa", "", "", {{"a", int64_t(1) << 40}}),
            "the bytes of A exceed 64 bits");
}

TEST(Contraction, Labels) {
  for (const char *good : {"a", "A", "_", "p4", "h_3"})
    EXPECT_TRUE(isValidLabel(good)) << good;
  for (const char *bad : {"", "4p", "a-b", "a b", "é"})
    EXPECT_FALSE(isValidLabel(bad)) << bad;
}

TEST(Contraction, ElementTypes) {
  for (ElementType type : allElementTypes)
    EXPECT_EQ(symbolizeElementType(stringify(type)), type);
  EXPECT_FALSE(symbolizeElementType("f8"));
  EXPECT_EQ(elementTypeNames(),
            "f8e4m3fn, f8e5m2, f16, bf16, f32, f64, i8, i32, i64, c32 or c64");
  EXPECT_EQ(byteWidth(ElementType::F8E4M3FN), 1);
  EXPECT_EQ(byteWidth(ElementType::F8E5M2), 1);
  EXPECT_EQ(byteWidth(ElementType::F16), 2);
  EXPECT_EQ(byteWidth(ElementType::BF16), 2);
  EXPECT_EQ(byteWidth(ElementType::F32), 4);
  EXPECT_EQ(byteWidth(ElementType::F64), 8);
  EXPECT_EQ(byteWidth(ElementType::I8), 1);
  EXPECT_EQ(byteWidth(ElementType::I32), 4);
  EXPECT_EQ(byteWidth(ElementType::I64), 8);
  EXPECT_EQ(byteWidth(ElementType::C32), 8);
  EXPECT_EQ(byteWidth(ElementType::C64), 16);
  EXPECT_EQ(fractionBits(ElementType::F8E4M3FN), 3);
  EXPECT_EQ(fractionBits(ElementType::F8E5M2), 2);
  EXPECT_EQ(fractionBits(ElementType::F16), 10);
  EXPECT_EQ(fractionBits(ElementType::BF16), 7);
  EXPECT_EQ(fractionBits(ElementType::F32), 23);
  EXPECT_EQ(fractionBits(ElementType::F64), 52);
  EXPECT_EQ(minExponent(ElementType::F8E4M3FN), -6);
  EXPECT_EQ(minExponent(ElementType::F8E5M2), -14);
  EXPECT_EQ(minExponent(ElementType::F16), -14);
  EXPECT_EQ(minExponent(ElementType::BF16), -126);
  EXPECT_EQ(minExponent(ElementType::F32), -126);
  EXPECT_EQ(minExponent(ElementType::F64), -1022);
  EXPECT_EQ(fractionBits(ElementType::C32), 23);
  EXPECT_EQ(minExponent(ElementType::C64), -1022);
  for (ElementType type : allElementTypes)
    EXPECT_EQ(isComplex(type), realTypeOf(type) != type) << stringify(type);
  for (ElementType type : allElementTypes) {
    EXPECT_EQ(isFloat8(type), byteWidth(type) == 1 && !isInteger(type));
    EXPECT_EQ(hasInfinity(type),
              !isInteger(type) && type != ElementType::F8E4M3FN);
  }
}

TEST(Contraction, SumsAndOutputs) {
  for (ElementType input : allElementTypes) {
    ElementType sums = byteWidth(input) >= 8 ? input
                       : isInteger(input)    ? ElementType::I32
                                             : ElementType::F32;
    EXPECT_EQ(accumulatorTypeOf(input), sums) << stringify(input);
    for (ElementType output : allElementTypes)
      EXPECT_EQ(mayStoreAs(input, output),
                output == sums ||
                    (byteWidth(sums) == 4 && byteWidth(output) < 4 &&
                     isInteger(input) == isInteger(output)))
          << stringify(input) << " " << stringify(output);
    Result<Contraction> contraction = makeContiguous(
        {{labels("i"), labels(""), labels("i")}}, {{"i", 2}}, input);
    ASSERT_TRUE(contraction);
    EXPECT_EQ(contraction->accumulatorType, sums);
    EXPECT_EQ(contraction->elementType[Tensor::C], input);
    EXPECT_EQ(contraction->precision, Precision::IEEE);
  }
}

TEST(Contraction, FactorsHaveTheLeastTypeOfBoth) {
  const std::string types = "f8e4m3fn f8e5m2 f16 bf16 f32 f64 i8 i32 i64";
  // A row for each type of A, of the factors with each type of B.
  const char *const table[] = {"f8e4m3fn f16 f16 bf16 f32 f64 - - -",
                               "f16 f8e5m2 f16 bf16 f32 f64 - - -",
                               "f16 f16 f16 f32 f32 f64 - - -",
                               "bf16 bf16 f32 bf16 f32 f64 - - -",
                               "f32 f32 f32 f32 f32 f64 - - -",
                               "f64 f64 f64 f64 f64 f64 - - -",
                               "- - - - - - i8 i32 i64",
                               "- - - - - - i32 i32 i64",
                               "- - - - - - i64 i64 i64"};
  std::istringstream rows(types);
  std::string a, b, factors;
  for (const char *row : table) {
    rows >> a;
    std::istringstream columns(types), entries(row);
    while (columns >> b && entries >> factors)
      EXPECT_EQ(
          commonTypeOf(*symbolizeElementType(a), *symbolizeElementType(b)),
          symbolizeElementType(factors))
          << a << " " << b;
  }
  EXPECT_TRUE(holds(ElementType::F64, ElementType::BF16));
  EXPECT_FALSE(holds(ElementType::F16, ElementType::BF16));
  EXPECT_FALSE(holds(ElementType::F64, ElementType::I8));

  auto errorOf = [](ElementType ofA, ElementType ofB, ElementType ofC) {
    Result<ElementType> type = factorTypeOf({{ofA, ofB, ofC}});
    return type ? std::string(stringify(*type)) : type.error();
  };
  EXPECT_EQ(errorOf(ElementType::F16, ElementType::BF16, ElementType::F32),
            "f32");
  EXPECT_EQ(errorOf(ElementType::F16, ElementType::I8, ElementType::F32),
            "no type holds the elements of both A and B, which are f16 and i8: "
            "convert one of them");
  EXPECT_EQ(errorOf(ElementType::F64, ElementType::F32, ElementType::F32),
            "element type of C must be f64 for factors of f64, but is f32");
  EXPECT_EQ(
      errorOf(ElementType::I8, ElementType::I8, ElementType::I64),
      "element type of C must be i8 or i32 for factors of i8, but is i64");
}

TEST(Contraction, Precisions) {
  for (Precision precision : allPrecisions) {
    EXPECT_EQ(symbolizePrecision(stringify(precision)), precision);
    for (ElementType type : allElementTypes)
      EXPECT_EQ(appliesTo(precision, type),
                precision == Precision::IEEE ||
                    realTypeOf(type) == ElementType::F32)
          << stringify(precision) << " " << stringify(type);
  }
  EXPECT_EQ(symbolizePrecision("3xtf32"), Precision::TF32x3);
  EXPECT_FALSE(symbolizePrecision("tf16"));
  EXPECT_EQ(precisionNames(), "ieee, tf32, 3xtf32 or bf16x3");
  EXPECT_EQ(partProducts(Precision::TF32), 1);
  EXPECT_EQ(partProducts(Precision::TF32x3), 3);
  EXPECT_EQ(partProducts(Precision::BF16x3), 3);
}

} // namespace
