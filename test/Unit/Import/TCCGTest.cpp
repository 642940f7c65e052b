//===- TCCGTest.cpp - Tests of TCCG's input files -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The forms that the parser reads, and every diagnostic with its place.
//
//===----------------------------------------------------------------------===//

#include "NotationTest.h"

using namespace tc;
using namespace tc::notation;
using namespace tc::notation::test;

static ParsedContraction tccg(std::string_view text,
                              std::string_view extents = "") {
  Contractions result = parseValid(Notation::TCCG, text, extents);
  EXPECT_EQ(result.size(), 1u);
  return result.front();
}

TEST(TCCG, ReadsAFile) {
  ParsedContraction c = tccg("C[a,b,i,j] = A[i,m,a] * B[m,j,b]\n"
                             "a = 24\nb = 25\ni = 26\nj = 27\nm = 28\n");
  EXPECT_EQ(columnMajorLabelsOf(c, Tensor::C), List({"a", "b", "i", "j"}));
  EXPECT_EQ(columnMajorLabelsOf(c, Tensor::A), List({"i", "m", "a"}));
  EXPECT_EQ(columnMajorLabelsOf(c, Tensor::B), List({"m", "j", "b"}));
  EXPECT_EQ(extentsOf(c),
            Extents({{"a", 24}, {"b", 25}, {"i", 26}, {"j", 27}, {"m", 28}}));
  EXPECT_EQ(labelsOf(c, Tensor::C), List({"j", "i", "b", "a"}));
  EXPECT_EQ(labelsOf(c, Tensor::A), List({"a", "m", "i"}));
  EXPECT_EQ(labelsOf(c, Tensor::B), List({"b", "j", "m"}));
  EXPECT_EQ(c.record.alpha.value, 1.0);
  EXPECT_EQ(c.record.beta.value, 0.0);
}

TEST(TCCG, ReadsLongNamesAndAnyOrderOfLines) {
  ParsedContraction c = tccg("# sizes first\n"
                             "i0=2;j0=3; k0 = 4,j1=5\n\n"
                             "C0[ i0,j0 , j1]=A1[i0,k0]*B[j1,k0,j0]  # done");
  EXPECT_EQ(columnMajorLabelsOf(c, Tensor::C), List({"i0", "j0", "j1"}));
  EXPECT_EQ(extentsOf(c).at("j1"), 5);
  EXPECT_EQ(c.position.line, 4u);
}

TEST(TCCG, ReadsCoefficients) {
  const struct {
    std::string_view rightHandSide;
    double alpha, beta;
  } cases[] = {
      {"2.5 * A[a] * B[a]", 2.5, 0},
      {"-A[a] * B[a]", -1, 0},
      {"+A[a] * B[a] + C[]", 1, 1},
      {"A[a] * B[a] - C[]", 1, -1},
      {"-2*A[a]*B[a] - .5 * C[]", -2, -0.5},
      {"3 * C[] - 1e2 * A[a] * B[a]", -100, 3},
      {"-C[] + A[a] * B[a]", 1, -1},
      {"0 * A[a] * B[a] + 0 * C[]", 0, 0},
  };
  for (const auto &[text, alpha, beta] : cases) {
    ParsedContraction c = tccg("C[] = " + std::string(text), "a=3");
    EXPECT_EQ(c.record.alpha.value, alpha) << text;
    EXPECT_EQ(c.record.beta.value, beta) << text;
  }
}

TEST(TCCG, FactorsAreOfTheirType) {
  auto parseAs = [](model::ElementType type, const char *text,
                    Diagnostic &diagnostic) {
    ParseOptions options;
    options.elementType = type;
    return parse(Notation::TCCG, text, options, diagnostic);
  };
  Diagnostic diagnostic;
  auto parsed =
      parseAs(model::ElementType::I64,
              "C[] = -9223372036854775808 * A[a] * B[a]\na = 3", diagnostic);
  ASSERT_TRUE(parsed) << diagnostic.str();
  EXPECT_EQ(parsed->front().record.alpha.value.integer(),
            std::numeric_limits<int64_t>::min());
  EXPECT_FALSE(parseAs(model::ElementType::I32,
                       "C[] = 2.5 * A[a] * B[a]\na = 3", diagnostic));
  EXPECT_EQ(diagnostic.message, "alpha: '2.5' is no i32");
  EXPECT_EQ(diagnostic.position.column, 7u);
  EXPECT_FALSE(parseAs(model::ElementType::C32,
                       "C[] = A[a] * B[a] - 1e39 * C[]\na = 3", diagnostic));
  EXPECT_EQ(diagnostic.message, "beta: '-1e+39' is too large for c32");
  EXPECT_EQ(diagnostic.position.column, 21u);
}

TEST(TCCG, ReadsTheShortForm) {
  ParsedContraction c = tccg("abc-bda-dc", "a=2,b=3,c=4,d=5");
  EXPECT_EQ(columnMajorLabelsOf(c, Tensor::C), List({"a", "b", "c"}));
  EXPECT_EQ(columnMajorLabelsOf(c, Tensor::A), List({"b", "d", "a"}));
  EXPECT_EQ(columnMajorLabelsOf(c, Tensor::B), List({"d", "c"}));
  EXPECT_EQ(columnMajorLabelsOf(tccg("-ab-ab\na=2\nb=2"), Tensor::C), List());
  EXPECT_EQ(columnMajorLabelsOf(tccg("a-a-\na=2"), Tensor::B), List());
}

TEST(TCCG, RefusesWrongEquations) {
  const Refusal refusals[] = {
      {"", "1:1: expected a contraction such as 'C[a,b] = A[a,k] * B[k,b]', "
           "found end of input"},
      {"a = 24\n", "2:1: expected a contraction such as 'C[a,b] = A[a,k] * "
                   "B[k,b]', found end of input"},
      {"C[a = A[a] * B[a]", "1:5: expected ',' or ']', found '='"},
      {"C[a,] = A[a] * B[a]", "1:5: expected the name of an index, found ']'"},
      {"C[2] = A[a] * B[a]", "1:3: expected the name of an index, found '2'"},
      {"C[a] A[a] * B[a]", "1:6: expected '=', found 'A'"},
      {"C[a] += A[a] * B[a]", "1:6: '+=' is not part of this notation: add the "
                              "output on the right-hand side"},
      {"C[a] -= A[a] * B[a]", "1:6: '-=' is not part of this notation: add the "
                              "output on the right-hand side"},
      {"C[a] =", "1:7: expected a tensor, found end of input"},
      {"C[a] = 2 A[a] * B[a]", "1:10: expected '*', found 'A'"},
      {"C[a] = +-A[a] * B[a]", "1:9: expected a tensor, found '-'"},
      {"C[a] = A[a] * B", "1:16: expected '[', found end of input"},
      {"C[a] = A[a] * B[a", "1:18: expected ',' or ']', found end of input"},
      {"C[a] = A[a] * B[a] * D[a]",
       "1:20: more than two factors, and a contraction has two"},
      {"C[a] = A[a]", "1:8: a term with one tensor must be the output, with "
                      "its indices in the same order"},
      {"C[a,b] = A[a] * B[b] + C[b,a]",
       "1:24: a term with one tensor must be the output, with its indices in "
       "the same order"},
      {"C[a] = C[a]", "1:12: expected '+' or '-' and a product of two tensors, "
                      "found end of input"},
      {"C[a] = C[a] + A[a]*B[a] + C[a]", "1:27: the output is added twice"},
      {"C[a] = A[a]*B[a] + A[a]*B[a]",
       "1:20: second product: a contraction has one"},
      {"C[a] = C[a] * B[a]", "1:8: the output 'C' is also a factor"},
      {"C[a] = A[a] * C[a]", "1:15: the output 'C' is also a factor"},
      {"C[a] = A[a] * B[a];", "1:19: expected '+', '-' or the end of the line, "
                              "found ';'"},
      {"C[a] = A[a] * B[a]\nC[a] = A[a] * B[a]",
       "2:1: second contraction: a file holds one"},
      {"C[a,a] = A[a] * B[a]\na=2", "1:5: index 'a' occurs twice in the "
                                    "output"},
      {"C[a,b] = A[a] * B[a]\na=2\nb=3",
       "1:5: index 'b' is in the output but in no input"},
      {"C[a] = 1e999 * A[a] * B[a]", "1:8: number '1e999' is out of range"},
      {"C{a}", "1:2: expected '[', '-' or '=', found '{'"},
      {"{", "1:1: expected a contraction or the size of an index, found '{'"},
  };
  checkRefusals(Notation::TCCG, refusals);
}

TEST(TCCG, RefusesWrongShortForms) {
  const Refusal refusals[] = {
      {"abc-bda", "1:8: expected '-', found end of input"},
      {"abc-bda-dc-", "1:11: expected the end of the line, found '-'"},
      {"abc-b1a-dc", "1:6: '1' is not a letter, and an index is one letter "
                     "here"},
      {"a2c-bda-dc", "1:2: '2' is not a letter, and an index is one letter "
                     "here"},
      {"abc-bda-dc\nabc-bda-dc", "2:1: second contraction: a file holds one"},
      {"abc-bda-dc", "1:2: index 'b' has no extent: give it as 'b=...'", "a=1"},
      {"abx-bda-dc", "1:3: index 'x' is in the output but in no input"},
  };
  checkRefusals(Notation::TCCG, refusals);
}

TEST(TCCG, RefusesWrongSizes) {
  const Refusal refusals[] = {
      {"C[a] = A[a] * B[a]", "1:3: index 'a' has no extent: give it as "
                             "'a=...'"},
      {"C[a] = A[a] * B[a]\na = -2", "2:5: extent of 'a' is negative: -2"},
      {"C[a] = A[a] * B[a]\na = 2\na = 3", "3:1: extent of 'a' is given twice"},
      {"C[a] = A[a] * B[a]\na = 2\nb = 3", "3:1: index 'b' is in no tensor"},
      {"C[a] = A[a] * B[a]\na = 99999999999999999999",
       "2:5: extent of 'a' is above 2^63 - 1"},
      {"C[a] = A[a] * B[a]\na : 2", "2:3: expected '[', '-' or '=', found "
                                    "':'"},
      {"C[a] = A[a] * B[a]\na = 2 2", "2:7: expected ',' or a new line, found "
                                      "'2'"},
      {"C[a,b] = A[a] * B[b]\na = 4294967296\nb = 4294967296",
       "1:1: tensor 'C' has 2^63 - 1 bytes or more"},
      {"C[] = A[a,b] * B[b]\na = 4294967296\nb = 4294967296",
       "1:7: tensor 'A' has 2^63 - 1 bytes or more"},
  };
  checkRefusals(Notation::TCCG, refusals);
}
