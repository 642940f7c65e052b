//===- TensorsTest.cpp - Tests of programs --------------------------------===//
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

static ParsedProgram tensors(std::string_view text,
                             std::string_view extents = "",
                             ParseOptions options = {}) {
  return parseValid(ProgramNotation::Tensors, text, extents,
                    std::move(options));
}

TEST(Tensors, ReadsStatements) {
  ParsedProgram result = tensors("# extents\n"
                                 "i = 2, j = 3, k = 4, l = 5\n"
                                 "m = 6\n"
                                 "T[i,l] = A[i,j] * B[j,k] * C[k,l]  # three\n"
                                 "D[i,m] += 0.5 * T[i,l] * E[l,m]\n");
  EXPECT_EQ(stepsOf(result), List({"T[i,l] = 1 * A[i,j] * B[j,k] * C[k,l]",
                                   "D[i,m] += 0.5 * T[i,l] * E[l,m]"}));
  EXPECT_EQ(namesOf(result, result.arguments), List({"A", "B", "C", "D", "E"}));
  EXPECT_EQ(namesOf(result, result.results), List({"D"}));
  EXPECT_EQ(result.name, "program");
  EXPECT_EQ(result.steps[1].product.position.line, 5u);
  ASSERT_EQ(result.tensors.size(), 6u);
  EXPECT_EQ(result.tensors[0].name, "T");
  EXPECT_EQ(result.tensors[0].record.extents, std::vector<int64_t>({2, 5}));
}

TEST(Tensors, ReadsSumsAndSigns) {
  ParsedProgram result =
      tensors("i=2;j=3\n"
              "w[i] = -2 * a[i] * x[] +\n  b[i,j] * y[j] - c[i]; v[] -= w[i]\n"
              "v[] += - 3 * w[i] * w[i]");
  EXPECT_EQ(stepsOf(result),
            List({"w[i] = -2 * a[i] * x[]", "w[i] += 1 * b[i,j] * y[j]",
                  "w[i] += -1 * c[i]", "v[] += -1 * w[i]",
                  "v[] += -3 * w[i] * w[i]"}));
  EXPECT_EQ(result.steps[2].product.operands, 1u);
  EXPECT_EQ(namesOf(result, result.arguments),
            List({"a", "x", "b", "y", "c", "v"}));
  EXPECT_EQ(namesOf(result, result.results), List({"v"}));
}

TEST(Tensors, MakesProductsAsTextsSayThem) {
  ParseOptions options;
  options.precision = model::Precision::TF32;
  const ParsedProgram text =
      tensors("type = f32; i = 2; j = 3; k = 4; l = 5\n"
              "result[l,i] = operand0[i,j] * operand1[j,k,k] * operand2[] * "
              "operand3[l]\n",
              "", options);
  Diagnostic diagnostic;
  const std::vector<std::vector<std::string>> labels = {
      {"i", "j"}, {"j", "k", "k"}, {}, {"l"}, {"l", "i"}};
  std::vector<Extent> extents = {
      {"i", 2, {}}, {"j", 3, {}}, {"k", 4, {}}, {"l", 5, {}}};
  const auto made = makeProduct(labels, extents, model::ElementType::F32,
                                options, diagnostic);
  ASSERT_TRUE(made) << diagnostic.str();
  EXPECT_EQ(made->name, text.name);
  EXPECT_EQ(stepsOf(*made), stepsOf(text));
  EXPECT_EQ(made->arguments, text.arguments);
  EXPECT_EQ(made->results, text.results);
  EXPECT_TRUE(made->unknown.empty());
  EXPECT_EQ(made->steps[0].inputs, text.steps[0].inputs);
  EXPECT_EQ(made->steps[0].output, text.steps[0].output);
  EXPECT_EQ(made->steps[0].product.record.precision, options.precision);
  ASSERT_EQ(made->tensors.size(), text.tensors.size());
  for (size_t i = 0; i < text.tensors.size(); ++i) {
    EXPECT_EQ(made->tensors[i].name, text.tensors[i].name);
    const model::TensorRecord &record = made->tensors[i].record,
                              &expected = text.tensors[i].record;
    EXPECT_EQ(record.type, expected.type);
    EXPECT_EQ(record.labels, expected.labels);
    EXPECT_EQ(record.extents, expected.extents);
    EXPECT_EQ(record.strides, expected.strides);
  }
  extents[2].extent = -4;
  EXPECT_FALSE(makeProduct(labels, extents, model::ElementType::F32, options,
                           diagnostic));
  EXPECT_EQ(diagnostic.str(),
            "<input>:1:1: error: extent of 'k' is negative: -4");
  extents.resize(2);
  EXPECT_FALSE(makeProduct(labels, extents, model::ElementType::F32, options,
                           diagnostic));
  EXPECT_EQ(diagnostic.message, "index 'l' has no extent: give it as 'l=...'");
}

TEST(Tensors, ContinuesLines) {
  ParsedProgram result = tensors("i = 2,\n j = 3\n\n"
                                 "C[\ni,\n j ] =\n A[i] *\n\n B[j]\r\n");
  EXPECT_EQ(stepsOf(result), List({"C[i,j] = 1 * A[i] * B[j]"}));
}

TEST(Tensors, ReadsSettings) {
  ParsedProgram result =
      tensors("name = f; layout = col, type = f32\ni = 2, j = 3\n"
              "output B, C\n"
              "B[j,i] = A[i,j]; C[] = B[i,j]",
              "j=2");
  EXPECT_EQ(result.name, "f");
  EXPECT_EQ(stepsOf(result), List({"B[i,j] = 1 * A[j,i]", "C[] = 1 * B[j,i]"}));
  EXPECT_EQ(namesOf(result, result.results), List({"B", "C"}));
  EXPECT_EQ(result.tensors[0].record.type, model::ElementType::F32);
}

TEST(Tensors, TensorsMayHaveTheNamesOfSettings) {
  ParsedProgram result = tensors("output = 2, i = 3\n"
                                 "output[i] = type[i,output] * name[]\n");
  EXPECT_EQ(stepsOf(result), List({"output[i] = 1 * type[i,output] * name[]"}));
}

TEST(Tensors, OptionsTakePrecedence) {
  ParseOptions options;
  options.elementType = model::ElementType::F32;
  options.layout = Layout::ColumnMajor;
  options.precision = model::Precision::TF32;
  ParsedProgram result =
      tensors("type = f64, i = 9, j = 3\nB[j,i] = A[i,j]", "i=2", options);
  EXPECT_EQ(stepsOf(result), List({"B[i,j] = 1 * A[j,i]"}));
  EXPECT_EQ(result.tensors[0].record.extents, std::vector<int64_t>({2, 3}));
  EXPECT_EQ(result.steps[0].product.record.precision, model::Precision::TF32);
  EXPECT_EQ(result.steps[0].product.record.tensors[Tensor::A].type,
            model::ElementType::F32);
}

TEST(Tensors, SemiringsHaveOneAndZero) {
  ParseOptions options;
  options.semiring = model::Semiring::MinPlus;
  ParsedProgram result = tensors("i=2\nD[i] += A[i] * B[i]", "", options);
  const model::ContractionRecord &record = result.steps[0].product.record;
  EXPECT_EQ(record.alpha.value, 0.0);
  EXPECT_EQ(record.beta.value, 0.0);
  EXPECT_TRUE(record.readsC);
  EXPECT_EQ(
      parseInvalid(ProgramNotation::Tensors, "i=2\nD[i] -= A[i]", "", options),
      "2:9: alpha can only be 0 or 1 in the text for semiring min_plus, "
      "where they mean its zero and one");
}

TEST(Tensors, ResultsAreWhatNoLaterStatementReads) {
  // The first use reads the old contents of D.
  ParsedProgram result = tensors("i=2\nX[i] = D[i]; D[i] += A[i]; Y[i] = X[i]; "
                                 "Z[i] = A[i]");
  EXPECT_EQ(namesOf(result, result.arguments), List({"D", "A"}));
  EXPECT_EQ(namesOf(result, result.results), List({"D", "Y", "Z"}));
}

TEST(Tensors, RefusesWrongText) {
  const Refusal refusals[] = {
      {"",
       "1:1: expected a statement such as 'C[i,j] = A[i,k] * B[k,j]', found "
       "end of input"},
      {"i = 2\n# nothing", "2:10: expected a statement such as 'C[i,j] = "
                           "A[i,k] * B[k,j]', found end "
                           "of input"},
      {"$", "1:1: expected a statement, the extent of an index or a setting, "
            "found '$'"},
      {"C", "1:2: expected '[' or '=', found end of input"},
      {"C[i j]", "1:5: expected ',' or ']', found 'j'"},
      {"C[i,]", "1:5: expected the name of an index, found ']'"},
      {"C[2]", "1:3: expected the name of an index, found '2'"},
      {"C[i] * A", "1:6: expected '=', '+=' or '-=', found '*'"},
      {"C[i] =", "1:7: expected a tensor, found end of input"},
      {"C[i] = 2", "1:9: expected '*', found end of input"},
      {"C[i] = 1e999 * A[i]", "1:8: number '1e999' is out of range"},
      {"C[i] = A[i] * 2", "1:15: expected a tensor, found '2'"},
      {"C[i] = A", "1:9: expected '[', found end of input"},
      {"C[i] = A[i] B[i]",
       "1:13: expected '*', '+', '-' or the end of the line, found 'B'"},
      {"C[i] = A[i] + -B[i]", "1:15: expected a tensor, found '-'"},
      {"i = 2 j = 3", "1:7: expected ',' or a new line, found 'j'"},
      {"i = x", "1:5: expected the extent of 'i', found 'x'"},
      {"i = 2, i = 3", "1:8: extent of 'i' is given twice"},
      {"type = f8", "1:8: unsupported element type 'f8': expected f8e4m3fn, "
                    "f8e5m2, f16, bf16, f32, f64, i8, i32, i64, c32 or c64"},
      {"layout = up", "1:10: unknown layout 'up': expected 'row' or 'col'"},
      {"name = f, name = g", "1:11: 'name' is given twice"},
      {"name = 2", "1:8: expected a name, found '2'"},
      {"output A\noutput B", "2:1: 'output' is given twice"},
      {"output A, A", "1:11: 'A' is an output twice"},
      {"output A, 2", "1:11: expected a tensor, found '2'"},
      {"output A B", "1:10: expected ',' or the end of the line, found 'B'"},
  };
  checkRefusals(ProgramNotation::Tensors, refusals);
}

TEST(Tensors, RefusesWrongTensors) {
  const Refusal refusals[] = {
      {"i=2,j=2\nC[i,j] = A[i,j]\nD[i] = C[i] * B[i]",
       "3:8: tensor 'C' has 1 index, but in line 2 2"},
      {"i=2,j=2\nC[i] = A[i,j] * A[i]",
       "2:17: tensor 'A' has 1 index, but in line 2 2"},
      {"i=2\nC[i] = A[i]\nC[i] = B[i]",
       "3:1: tensor 'C' is defined twice, first in line 2"},
      {"i=2\nC[i] = T[i] * A[i]\nT[i] = B[i]",
       "2:8: tensor 'T' is a factor before line 3 defines it"},
      {"i=2\nT[i] = U[i]\nU[i] = T[i]",
       "2:8: tensor 'U' is a factor before line 3 defines it"},
      {"i=2\nT[i] += A[i]\nT[i] = B[i]",
       "2:1: tensor 'T' is added to before line 3 defines it"},
      {"i=2\nT[i] = T[i] * A[i]", "2:8: the output 'T' is also a factor"},
      {"i=2\nT[i] += A[i] + 2 * T[i]", "2:20: the output 'T' is also a factor"},
      {"i=2\noutput D\nC[i] = A[i]", "2:8: output 'D' is in no statement"},
      {"i=2\noutput A\nC[i] = A[i]",
       "2:8: output 'A' is computed by no statement"},
      {"i=2\noutput C\nC[i] = A[i]\nD[i] = A[i]",
       "4:1: tensor 'D' is computed, but no later statement reads it and it is "
       "no output"},
      {"i=2\noutput C\nD[i] = A[i]\nC[i] = D[i]\nD[i] += A[i]",
       "5:1: tensor 'D' is computed, but no later statement reads it and it is "
       "no output"},
  };
  checkRefusals(ProgramNotation::Tensors, refusals);
}

TEST(Tensors, RefusesWrongIndices) {
  const Refusal refusals[] = {
      {"C[i] = A[i]", "1:3: index 'i' has no extent: give it as 'i=...'"},
      {"i=2\nC[i] = A[i] * B[i,k]",
       "2:19: index 'k' has no extent: give it as 'k=...'"},
      {"i=2,j=2\nC[i,j] = A[i]",
       "2:5: index 'j' is in the output but in no input"},
      {"i=2\nC[i,i] = A[i]", "2:5: index 'i' occurs twice in the output"},
      {"i=2,z=3\nC[i] = A[i]", "1:5: index 'z' is in no tensor"},
      {"i=2\nC[i] = A[i]", "--extents:1:1: index 'z' is in no tensor", "z=3"},
      {"i=2,j=3\nC[i] = A[i,j]\nD[j] = C[j]",
       "3:10: index 'j' of 'C' has extent 3, but 'i' in its place in line 2 "
       "has "
       "2"},
      {"i=3,j=2\nC[i] = A[i]\nD[i,j] = B[i] * C[j]",
       "3:19: index 'j' of 'C' has extent 2, but 'i' in its place in line 2 "
       "has "
       "3"},
      {"i=4294967296,j=4294967296\nC[] = A[i,j]",
       "2:7: tensor 'A' has 2^63 - 1 bytes or more"},
      {"i=2,type=i32\nC[i] = 0.5 * A[i]", "2:8: alpha: '0.5' is no i32"},
      {"i=2,type=i64\nC[i] = A[i] - 1e19 * A[i]",
       "2:15: alpha: '-1e+19' is no i64"},
  };
  checkRefusals(ProgramNotation::Tensors, refusals);
}

TEST(Tensors, RefusesOptionsOfContractions) {
  auto refuse = [](auto change) {
    ParseOptions options;
    change(options);
    return parseInvalid(ProgramNotation::Tensors, "i=2\nC[i] = A[i]", "",
                        options);
  };
  EXPECT_EQ(refuse([](ParseOptions &options) {
              options.elementTypeB = model::ElementType::F32;
            }),
            "1:1: types that differ are of a single contraction, and this is a "
            "program");
  EXPECT_EQ(refuse([](ParseOptions &options) {
              options.fused.epilogue = *model::parseEpilogue("relu(x)");
            }),
            "1:1: prologues, epilogues and semirings of your own are of a "
            "single contraction, and this is a program");
  EXPECT_EQ(refuse([](ParseOptions &options) { options.conjugatesA = true; }),
            "1:1: conjugates are of a single contraction, and this is a "
            "program");
  EXPECT_EQ(
      refuse([](ParseOptions &options) { options.allowsThreeProducts = true; }),
      "1:1: three real products for a complex one are of a single contraction, "
      "and this is a program");
  EXPECT_EQ(refuse([](ParseOptions &options) {
              options.shapes = {{{2, 3}, {1, 1}}};
            }),
            "--shapes:1:1: shapes are of einsum specifications; here indices "
            "have extents");
  EXPECT_EQ(refuse([](ParseOptions &options) {
              options.precision = model::Precision::TF32;
            }),
            "2:1: precision tf32 applies to f32, but the element type is f64");
}

TEST(Tensors, KeepsLimits) {
  std::string list = "i0";
  for (unsigned i = 1; i < 65; ++i)
    list += ",i" + std::to_string(i);
  EXPECT_EQ(parseInvalid(ProgramNotation::Tensors, "c[" + list + "]"),
            "1:249: more than 64 indices");
  std::string sum = "c[] = x[]", product = "c[] = x[]";
  for (unsigned i = 0; i < 4096; ++i)
    sum += "+x[]";
  for (unsigned i = 0; i < 16384; ++i)
    product += "*x[]";
  EXPECT_EQ(parseInvalid(ProgramNotation::Tensors, sum),
            "1:16391: more than 4096 products");
  EXPECT_EQ(parseInvalid(ProgramNotation::Tensors, product),
            "1:65543: more than 16384 factors");
  EXPECT_EQ(
      parseInvalid(ProgramNotation::Tensors, std::string((1 << 20) + 1, ' ')),
      "1:1: text has more than 1048576 bytes");
}

TEST(Tensors, FilesHaveExtensions) {
  EXPECT_EQ(programNotationOfFile("a/b.tensors"), ProgramNotation::Tensors);
  EXPECT_EQ(programNotationOfFile("b.octopi"), ProgramNotation::Octopi);
  EXPECT_EQ(programNotationOfFile(".octopi"), std::nullopt);
  EXPECT_EQ(programNotationOfFile("b.tccg"), std::nullopt);
}
