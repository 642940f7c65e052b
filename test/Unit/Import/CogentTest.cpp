//===- CogentTest.cpp - Tests of COGENT's statements ----------------------===//
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

static Contractions cogent(std::string_view text,
                           std::string_view extents = "") {
  return parseValid(Notation::Cogent, text, extents);
}

TEST(Cogent, ReadsAStatement) {
  Contractions result =
      cogent("t3 [a,16,b,17,c,18,d,19,e,20,f,21] -= sum(g,22) * t2 [g,f,e,c] "
             "* v2 [a,b,d,g];");
  ASSERT_EQ(result.size(), 1u);
  const ParsedContraction &c = result.front();
  EXPECT_EQ(columnMajorLabelsOf(c, Tensor::C),
            List({"a", "b", "c", "d", "e", "f"}));
  EXPECT_EQ(columnMajorLabelsOf(c, Tensor::A), List({"g", "f", "e", "c"}));
  EXPECT_EQ(columnMajorLabelsOf(c, Tensor::B), List({"a", "b", "d", "g"}));
  EXPECT_EQ(labelsOf(c, Tensor::A), List({"c", "e", "f", "g"}));
  EXPECT_EQ(extentsOf(c), Extents({{"a", 16},
                                   {"b", 17},
                                   {"c", 18},
                                   {"d", 19},
                                   {"e", 20},
                                   {"f", 21},
                                   {"g", 22}}));
  EXPECT_EQ(c.record.alpha.value, -1.0);
  EXPECT_EQ(c.record.beta.value, 1.0);
  EXPECT_EQ(c.name, "contract");
}

TEST(Cogent, ReadsEveryOperator) {
  Contractions result = cogent("c[a]=x[a,1]*y[a];c[a]+=x[a,2]*y[a];"
                               "c[a]-=x[a]*y[a,3];");
  ASSERT_EQ(result.size(), 3u);
  EXPECT_EQ(result[0].record.alpha.value, 1.0);
  EXPECT_EQ(result[0].record.beta.value, 0.0);
  EXPECT_EQ(result[1].record.alpha.value, 1.0);
  EXPECT_EQ(result[1].record.beta.value, 1.0);
  EXPECT_EQ(result[2].record.alpha.value, -1.0);
  EXPECT_EQ(result[2].record.beta.value, 1.0);
  EXPECT_EQ(result[0].name, "contract_1");
  EXPECT_EQ(result[2].name, "contract_3");
  EXPECT_EQ(extentsOf(result[1]).at("a"), 2);
  EXPECT_EQ(extentsOf(result[2]).at("a"), 3);
}

TEST(Cogent, IgnoresWhiteSpaceAndComments) {
  Contractions result = cogent("# first\n"
                               "first:\r\n"
                               "  t3\t[ a , 2 ,\n b]\n+= sum ( g,3, h )"
                               "*t2[g,a,h]# middle ;\n* v2[b,4,g,h,5]\n;\n"
                               "# end");
  ASSERT_EQ(result.size(), 1u);
  EXPECT_EQ(result[0].name, "first");
  EXPECT_EQ(columnMajorLabelsOf(result[0], Tensor::C), List({"a", "b"}));
  EXPECT_EQ(result[0].position.line, 2u);
}

TEST(Cogent, TakesExtentsOfTheUser) {
  Contractions result =
      cogent("t3[a,2,b] += sum(g,3,h)*t2[g,a,h]*v2[b,4,g,h];", "h=5,b=7");
  EXPECT_EQ(extentsOf(result[0]),
            Extents({{"a", 2}, {"b", 7}, {"g", 3}, {"h", 5}}));
}

TEST(Cogent, ReadsOuterProductsAndScalars) {
  Contractions result = cogent("t3 [a,2,b,3] += t1 [a] * v [b];\n"
                               "e [] += sum(a,2) * x [a] * y [a];\n"
                               "c [a,2] = sum [a] * v [];\n");
  ASSERT_EQ(result.size(), 3u);
  EXPECT_EQ(columnMajorLabelsOf(result[0], Tensor::C), List({"a", "b"}));
  EXPECT_EQ(columnMajorLabelsOf(result[1], Tensor::C), List());
  EXPECT_EQ(columnMajorLabelsOf(result[2], Tensor::B), List());
}

TEST(Cogent, NamesAreUnique) {
  Contractions result = cogent("contract_2: c[a,1] = x[a] * y[a];\n"
                               "c[a,1] = x[a] * y[a];");
  ASSERT_EQ(result.size(), 2u);
  EXPECT_EQ(result[0].name, "contract_2");
  EXPECT_EQ(result[1].name, "contract_2_");
}

TEST(Cogent, RefusesWrongStatements) {
  const Refusal refusals[] = {
      {"", "1:1: expected a statement, found end of input"},
      {"# only a comment", "1:17: expected a statement, found end of input"},
      {"c", "1:2: expected '[', found end of input"},
      {"c: ", "1:4: expected a tensor, found end of input"},
      {"c[a", "1:4: expected ',' or ']', found end of input"},
      {"c[a,", "1:5: expected the name of an index, found end of input"},
      {"c[a,2,]", "1:7: expected the name of an index, found ']'"},
      {"c[2]", "1:3: expected the name of an index, found '2'"},
      {"c[a,2,3]", "1:7: expected the name of an index, found '3'"},
      {"c[a] * ", "1:6: expected '+=', '-=' or '=', found '*'"},
      {"c[a] = 2 * x[a]", "1:8: expected 'sum' or a tensor, found '2'"},
      {"c[a] = sum(", "1:12: expected the name of an index, found end of "
                      "input"},
      {"c[a] = sum() * x[a] * y[a];",
       "1:12: expected the name of an index, found ')'"},
      {"c[a] = sum(g x[a]", "1:14: expected ',' or ')', found 'x'"},
      {"c[a] = sum(g) x[a]", "1:15: expected '*', found 'x'"},
      {"c[a] = x[a];", "1:12: expected '*', found ';'"},
      {"c[a] = x[a] * y[a]", "1:19: expected ';', found end of input"},
      {"c[a] = x[a] * y[a] * z[a];",
       "1:20: more than two factors, and a contraction has two"},
      {"c[a,1] = x[a] * y[a]; junk", "1:27: expected '[', found end of input"},
      {"c[a,1] = x[a] * y[a];\n$", "2:1: expected a statement, found '$'"},
      {"n: c[a,1] = x[a] * y[a]; n: c[a,1] = x[a] * y[a];",
       "1:26: name 'n' is already taken"},
      {"c[a,1] = c[a] * y[a];", "1:10: the output 'c' is also a factor"},
      {"c[a,1] = x[a] * c[a];", "1:17: the output 'c' is also a factor"},
  };
  checkRefusals(Notation::Cogent, refusals);
}

TEST(Cogent, RefusesWrongIndices) {
  const Refusal refusals[] = {
      {"c[a,2] = sum(g,2,g,2) * x[a,g] * y[g];",
       "1:18: index 'g' is summed twice"},
      {"c[a,2] = sum(a) * x[a] * y[a];",
       "1:14: index 'a' is summed and in the output"},
      {"c[a,2] = sum(g,3) * x[a] * y[a];",
       "1:14: index 'g' is summed but in no input"},
      {"c[a,2] = x[a,g,3] * y[g];",
       "1:14: index 'g' is neither in the output nor summed"},
      {"c[a,2] = x[a] * y[a,h,2];",
       "1:21: index 'h' is neither in the output nor summed"},
      {"c[a,2,a] = x[a] * y[a];", "1:7: index 'a' occurs twice in the output"},
      {"c[a,2,b,3] = x[a] * y[a];",
       "1:7: index 'b' is in the output but in no input"},
      {"c[a,2] = x[a,3] * y[a];", "1:14: index 'a' has extents 2 and 3"},
      {"c[a,2] = sum(g,3) * x[a,g] * y[g,4];",
       "1:34: index 'g' has extents 3 and 4"},
      {"c[a,-2] = x[a] * y[a];", "1:5: extent of 'a' is negative: -2"},
      {"c[a,2.0] = x[a] * y[a];", "1:5: extent of 'a' is not an integer: 2.0"},
      {"c[a,2x] = x[a] * y[a];",
       "1:5: expected the name of an index, found '2x'"},
      {"c[a,9999999999999999999] = x[a] * y[a];",
       "1:5: extent of 'a' is above 2^63 - 1"},
      {"c[a] = x[a] * y[a];", "1:3: index 'a' has no extent: give it as "
                              "'a=...'"},
      {"c[a,2] = x[a] * y[a];", "--extents:1:1: index 'z' is in no tensor",
       "z=2"},
      {"c[a,4294967296,b,4294967296] = x[a] * y[b];",
       "1:1: tensor 'c' has 2^63 - 1 bytes or more"},
  };
  checkRefusals(Notation::Cogent, refusals);
}

TEST(Cogent, KeepsLimits) {
  std::string list = "i0";
  for (unsigned i = 1; i < 65; ++i)
    list += ",i" + std::to_string(i);
  EXPECT_EQ(parseInvalid(Notation::Cogent, "c[" + list + "]"),
            "1:249: more than 64 indices");
  EXPECT_EQ(parseInvalid(Notation::Cogent, std::string(65, 'n') + ": c[]"),
            "1:1: name is longer than 64 characters");
  std::string many;
  for (unsigned i = 0; i < 4097; ++i)
    many += "c[]=x[]*y[];\n";
  EXPECT_EQ(parseInvalid(Notation::Cogent, many),
            "4097:1: more than 4096 statements");
}
