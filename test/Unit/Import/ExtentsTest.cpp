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
  EXPECT_EQ(notationOfSpec("abc-bda-dc"), Notation::TCCG);
  EXPECT_EQ(notationOfSpec("-a-a"), Notation::TCCG);
}
