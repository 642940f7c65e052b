//===- RunExtentsTest.cpp - Tests of extents that runs say ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Import/RunExtents.h"

#include "NotationTest.h"

using namespace tc;
using namespace tc::notation;

static ParsedProgram parse(const char *text) {
  Diagnostic diagnostic;
  std::optional<ParsedProgram> program =
      parseProgram(ProgramNotation::Tensors, text, ParseOptions(), diagnostic);
  EXPECT_TRUE(program) << diagnostic.str();
  return program ? *program : ParsedProgram();
}

using RunExtents = std::vector<std::pair<std::string, int64_t>>;

/// Each number is of one extent alone: neither that of another one which is
/// unknown, as k's, nor a known one, as j's.
TEST(RunExtentsTest, NumbersStandForOneExtent) {
  ParsedProgram program = parse("k = ?, i = ?, j = 160, l = ?1, m = 1\n"
                                "T[i,k] = A[i,j] * B[j,k] * s[m]\n"
                                "y[i] = T[i,k] * x[k,l]\n");
  EXPECT_EQ(closeExtents(program),
            (RunExtents{{"i", 128}, {"k", 192}, {"l", 2}}));
  EXPECT_TRUE(program.unknown.empty());
  const model::TensorRecord &b = program.tensors[program.arguments[1]].record;
  EXPECT_EQ(b.extents, (std::vector<int64_t>{160, 192}));
  EXPECT_EQ(b.strides, (std::vector<int64_t>{192, 1}));
  const model::TensorRecord &x =
      program.steps[1].product.record.tensors[model::Tensor::B];
  EXPECT_EQ(x.extents, (std::vector<int64_t>{192, 2}));
  EXPECT_EQ(x.strides, (std::vector<int64_t>{2, 1}));
}

/// Indices in one place of a tensor have one extent, whatever they are called.
TEST(RunExtentsTest, PlacesOfTensorsUniteExtents) {
  ParsedProgram program = parse("i = ?7, j = ?7, p = ?7, q = ?7, r = ?7\n"
                                "T[i,j] = A[i,j] * x[r]\n"
                                "S[q,p] = A[p,q] * y[q] * z[r]\n"
                                "output T, S\n");
  EXPECT_EQ(closeExtents(program), (RunExtents{{"i", 7}, {"j", 8}, {"r", 9}}));
  auto extentsOf = [&](const char *name) {
    for (const ProgramTensor &tensor : program.tensors)
      if (tensor.name == name)
        return tensor.record.extents;
    return std::vector<int64_t>();
  };
  EXPECT_EQ(extentsOf("A"), (std::vector<int64_t>{7, 8}));
  EXPECT_EQ(extentsOf("S"), (std::vector<int64_t>{8, 7}));
  EXPECT_EQ(extentsOf("y"), (std::vector<int64_t>{8}));
  EXPECT_EQ(extentsOf("z"), extentsOf("x"));
}

TEST(RunExtentsTest, KnownExtentsStayAsTheyAre) {
  ParsedProgram program = parse("i = 3, j = 4\ny[i] = A[i,j]\n");
  EXPECT_TRUE(closeExtents(program).empty());
  EXPECT_EQ(program.tensors[program.arguments[0]].record.extents,
            (std::vector<int64_t>{3, 4}));
}
