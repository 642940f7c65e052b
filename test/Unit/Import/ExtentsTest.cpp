//===- ExtentsTest.cpp - Tests of lists of extents ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The list that users give beside a notation, and the choice of a notation.
//
//===----------------------------------------------------------------------===//

#include "NotationTest.h"

using namespace tc;
using namespace tc::notation;

TEST(Extents, ReadsLists) {
  Diagnostic diagnostic;
  auto extents = parseExtents(" a=24,b = 16;\nh7=0\n", "here", diagnostic);
  ASSERT_TRUE(extents);
  ASSERT_EQ(extents->size(), 3u);
  EXPECT_EQ((*extents)[1].label, "b");
  EXPECT_EQ((*extents)[1].extent, 16);
  EXPECT_EQ((*extents)[1].position.column, 7u);
  EXPECT_EQ((*extents)[2].label, "h7");
  EXPECT_EQ((*extents)[2].extent, 0);
  EXPECT_EQ((*extents)[2].position.line, 2u);
  extents = parseExtents("", "here", diagnostic);
  ASSERT_TRUE(extents);
  EXPECT_TRUE(extents->empty());
}

TEST(Extents, RefusesWrongLists) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"a", "here:1:2: error: expected '=', found end of input"},
      {"a=", "here:1:3: error: expected the extent of 'a', found end of input"},
      {"a=x", "here:1:3: error: expected the extent of 'a', found 'x'"},
      {"a=1,a=1", "here:1:5: error: extent of 'a' is given twice"},
      {"a=1,,b=2", "here:1:5: error: expected the name of an index, found ','"},
      {"a=-7", "here:1:3: error: extent of 'a' is negative: -7"},
      {"a=1:b=2", "here:1:4: error: expected ',' or a new line, found ':'"},
      {"24", "here:1:1: error: expected the name of an index, found '24'"},
  };
  for (const auto &[text, message] : cases) {
    Diagnostic diagnostic;
    EXPECT_FALSE(parseExtents(text, "here", diagnostic)) << text;
    EXPECT_EQ(diagnostic.str(), message);
  }
}

TEST(Shapes, ReadsLists) {
  Diagnostic diagnostic;
  auto shapes = parseShapes(" 8x3x04 ,\n[], 0x1;", "here", diagnostic);
  ASSERT_TRUE(shapes) << diagnostic.str();
  ASSERT_EQ(shapes->size(), 3u);
  EXPECT_EQ((*shapes)[0].extents, std::vector<int64_t>({8, 3, 4}));
  EXPECT_EQ((*shapes)[0].position.column, 2u);
  EXPECT_TRUE((*shapes)[1].extents.empty());
  EXPECT_EQ((*shapes)[2].extents, std::vector<int64_t>({0, 1}));
  EXPECT_EQ((*shapes)[2].position.line, 2u);
}

TEST(Shapes, RefusesWrongLists) {
  std::string long_ = "1";
  for (unsigned i = 1; i < maxRank; ++i)
    long_ += "x1";
  Diagnostic fine;
  EXPECT_TRUE(parseShapes(long_, "here", fine)) << fine.str();
  long_ += "x1";
  std::string many = "1";
  for (size_t i = 0; i < maxOperands; ++i)
    many += ",1";
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"", "1:1: error: expected a shape such as 8x3x4, found end of input"},

      {"8x3,a=2", "1:5: error: expected the end of the shapes, found 'a'"},
      {"[8]", "1:2: error: expected ']', found '8'"},
      {"-8", "1:1: error: expected a shape such as 8x3x4, found '-'"},
      {"8 x3", "1:3: error: expected ',' or a new line, found 'x3'"},
      {"8x3\n4", "2:1: error: expected the end of the shapes, found '4'"},
      {"8x", "1:1: error: shape '8x' is not extents with 'x' between them, as "
             "in 8x3x4"},
      {"8.5", "1:1: error: shape '8.5' is not extents with 'x' between them, "
              "as in 8x3x4"},
      {"8xx3", "1:1: error: shape '8xx3' is not extents with 'x' between them, "
               "as in 8x3x4"},
      {"3x9223372036854775808", "1:1: error: shape '3x9223372036854775808' has "
                                "an extent above 2^63 - 1"},
      {long_, "1:1: error: shape with more than 64 extents"},
      {many, "1:32769: error: more than 16384 shapes"},
  };
  for (const auto &[text, message] : cases) {
    Diagnostic diagnostic;
    EXPECT_FALSE(parseShapes(text, "here", diagnostic)) << text;
    EXPECT_EQ(diagnostic.str(), "here:" + std::string(message));
  }
}

TEST(Notation, IsKnownByFileName) {
  EXPECT_EQ(notationOfFile("a/b.einsum"), Notation::Einsum);
  EXPECT_EQ(notationOfFile("b.tccg"), Notation::TCCG);
  EXPECT_EQ(notationOfFile("b.cogent"), Notation::Cogent);
  EXPECT_EQ(notationOfFile("input_tccg_01.in"), Notation::Cogent);
  EXPECT_EQ(notationOfFile("b.mlir"), std::nullopt);
  EXPECT_EQ(notationOfFile("tccg"), std::nullopt);
}

TEST(Notation, IsKnownBySpecification) {
  EXPECT_EQ(notationOfSpec("ab,bc->ac"), Notation::Einsum);
  EXPECT_EQ(notationOfSpec("ab,bc"), Notation::Einsum);
  EXPECT_EQ(notationOfSpec("ab->a"), Notation::Einsum);
  EXPECT_EQ(notationOfSpec("ii"), Notation::Einsum);
  EXPECT_EQ(notationOfSpec("abc-bda-dc"), Notation::TCCG);
  EXPECT_EQ(notationOfSpec("-a-a"), Notation::TCCG);
}
