//===- OctopiTest.cpp - Tests of OCTOPI's statements ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The statements of Nelson and others, Generating Efficient Tensor Contractions
// for GPUs (ICPP 2015), and every diagnostic with its place.
//
//===----------------------------------------------------------------------===//

#include "NotationTest.h"

using namespace tc;
using namespace tc::notation;
using namespace tc::notation::test;

static ParsedProgram octopi(std::string_view text,
                            std::string_view extents = "") {
  return parseValid(ProgramNotation::Octopi, text, extents);
}

TEST(Octopi, ReadsEquation1) {
  for (const char *form :
       {"V[i j k] += A[l k] B[m j] C[n i] U[l m n]\n",
        "V[i j k] += Sum([l m n], A[l k] * B[m j] * C[n i] * U[l m n])\n",
        "V[i, j, k] +=\n  Sum([l, m, n],\n    A[l,k]*B[m,j] *\n C[n i] "
        "U[l m n]\n  );\n"}) {
    ParsedProgram result =
        octopi(std::string("define: n = j = m = i = l = k = 10\n") + form);
    EXPECT_EQ(stepsOf(result),
              List({"V[i,j,k] += 1 * A[l,k] * B[m,j] * C[n,i] * U[l,m,n]"}));
    EXPECT_EQ(namesOf(result, result.arguments),
              List({"V", "A", "B", "C", "U"}));
    EXPECT_EQ(namesOf(result, result.results), List({"V"}));
    EXPECT_EQ(result.tensors[0].record.extents,
              std::vector<int64_t>({10, 10, 10}));
  }
}

TEST(Octopi, ReadsWhatEquation1Becomes) {
  // T1 and T2 are zero before, which += leaves to the caller.
  ParsedProgram result = octopi("dim i j k l m n = 10\n"
                                "T1[i l m] = C[n i] * U[l m n]\n"
                                "T2[j i l] = B[m j] * T1[i l m]\n"
                                "V[i j k] = A[l k] * T2[j i l]\n");
  EXPECT_EQ(stepsOf(result), List({"T1[i,l,m] = 1 * C[n,i] * U[l,m,n]",
                                   "T2[j,i,l] = 1 * B[m,j] * T1[i,l,m]",
                                   "V[i,j,k] = 1 * A[l,k] * T2[j,i,l]"}));
  EXPECT_EQ(namesOf(result, result.arguments), List({"C", "U", "B", "A"}));
}

TEST(Octopi, ReadsLg3) {
  ParsedProgram result =
      octopi("dim i = j = k = l = 12, e = 10000\n"
             "ur[e k j i] = Sum([l], D[i l] * u[e k j l])\n"
             "us[e k j i] = Sum([l], D[j l] * u[e k l i])\n"
             "ut[e k j i] = Sum([l], D[k l] * u[e l j i])\n");
  EXPECT_EQ(stepsOf(result), List({"ur[e,k,j,i] = 1 * D[i,l] * u[e,k,j,l]",
                                   "us[e,k,j,i] = 1 * D[j,l] * u[e,k,l,i]",
                                   "ut[e,k,j,i] = 1 * D[k,l] * u[e,l,j,i]"}));
  EXPECT_EQ(namesOf(result, result.arguments), List({"D", "u"}));
  EXPECT_EQ(namesOf(result, result.results), List({"ur", "us", "ut"}));
}

TEST(Octopi, ReadsLg3t) {
  ParsedProgram result = octopi(
      "w[e k j i] = Sum([l], D[l i] * ur[e k j l] + D[l j] * us[e k l i]\n"
      "  + D[l k] * ut[e l j i]\n)",
      "i=12,j=12,k=12,l=12,e=100");
  EXPECT_EQ(stepsOf(result), List({"w[e,k,j,i] = 1 * D[l,i] * ur[e,k,j,l]",
                                   "w[e,k,j,i] += 1 * D[l,j] * us[e,k,l,i]",
                                   "w[e,k,j,i] += 1 * D[l,k] * ut[e,l,j,i]"}));
}

TEST(Octopi, ReadsTheExampleOfTCE) {
  ParsedProgram result = octopi(
      "S[a b i j] += Sum([c d e f k l], A[a c i k] * B[b e f l] * C[d f j k] * "
      "D[c d e l])",
      "a=16,b=16,c=16,d=16,e=16,f=16,i=16,j=16,k=16,l=16");
  EXPECT_EQ(stepsOf(result),
            List({"S[a,b,i,j] += 1 * A[a,c,i,k] * B[b,e,f,l] * "
                  "C[d,f,j,k] * D[c,d,e,l]"}));
}

TEST(Octopi, ReadsSignsNumbersAndNames) {
  ParsedProgram result = octopi(
      "dim i, j = 2; define = 3\n"
      "Sum[i] -= - Sum([j], 2 * A[i j] - B[i\n j]) + Sum2[i] C[]; dim[] = "
      "Sum([define], E[define])");
  EXPECT_EQ(stepsOf(result),
            List({"Sum[i] += 2 * A[i,j]", "Sum[i] += -1 * B[i,j]",
                  "Sum[i] += -1 * Sum2[i] * C[]", "dim[] = 1 * E[define]"}));
}

TEST(Octopi, RefusesWrongText) {
  const Refusal refusals[] = {
      {"", "1:1: expected a statement such as 'C[i j] = Sum([k], A[i k] * B[k "
           "j])', found end of input"},
      {"[", "1:1: expected a statement or the extent of an index, found '['"},
      {"dim", "1:4: expected '=' or the name of an index, found end of input"},
      {"dim: 2", "1:6: expected the name of an index, found '2'"},
      {"dim i 10", "1:7: expected '=' or the name of an index, found '10'"},
      {"i = $", "1:5: expected an extent or the name of an index, found '$'"},
      {"i = j = -2", "1:9: extent of 'j' is negative: -2"},
      {"i = j = i = 2", "1:9: extent of 'i' is given twice"},
      {"i = 2 j = 3", "1:7: expected ',' or a new line, found 'j'"},
      {"C[i * j]", "1:5: expected the name of an index or ']', found '*'"},
      {"C[i] = 2 A[i]", "1:10: expected '*', found 'A'"},
      {"C[i] = 2 * Sum([j], A[i j])", "1:15: expected '[', found '('"},
      {"C[i] = Sum(j, A[i j])", "1:12: expected '[', found 'j'"},
      {"C[i] = Sum([j] A[i j])", "1:16: expected ',', found 'A'"},
      {"C[i] = Sum([j], A[i j]",
       "1:23: expected '*', '+', '-' or ')', found end "
       "of input"},
      {"C[i] = Sum([j], A[i j]) * B[i]",
       "1:25: expected '*', '+', '-' or the end of the line, found '*'"},
      {"C[i] = Sum([j j], A[i j])", "1:15: index 'j' is summed twice"},
      {"C[i] = Sum([i], A[i])", "1:13: index 'i' is summed and in the output"},
      {"C[i] = Sum([j k], A[i j])",
       "1:15: index 'k' is summed but in no factor"},
      {"C[i] = Sum([j], A[i j] B[k])",
       "1:26: index 'k' is neither in the output nor summed"},
      {"C[i] = Sum([j], A[i j] + B[i])",
       "1:13: index 'j' is summed but in no factor"},
      {"C[i] = A[i]\nC[i] = B[i]",
       "2:1: tensor 'C' is defined twice, first in line 1"},
  };
  checkRefusals(ProgramNotation::Octopi, refusals);
}

TEST(Octopi, KeepsLimits) {
  std::string text;
  for (unsigned i = 0; i < 4097; ++i)
    text += "+Sum[]";
  EXPECT_EQ(parseInvalid(ProgramNotation::Octopi, "c[] = " + text),
            "1:24587: more than 4096 products");
}
