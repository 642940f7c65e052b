//===- MessageTest.cpp - Messages of a bounded length -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Support/Message.h"

#include "gtest/gtest.h"

using namespace tc;

TEST(MessageTest, ShortOnesStay) {
  EXPECT_EQ(cutMessage(""), "");
  std::string longest(longestMessage, 'x');
  EXPECT_EQ(cutMessage(longest), longest);
}

TEST(MessageTest, LongOnesKeepBothEnds) {
  std::string cut =
      cutMessage("file:1:2: " + std::string(1 << 20, 'x') + "; expected y");
  EXPECT_LE(cut.size(), longestMessage);
  EXPECT_GT(cut.size(), longestMessage - 8);
  EXPECT_EQ(cut.rfind("file:1:2: xxx", 0), 0u);
  EXPECT_NE(cut.find("xxx ... xxx"), std::string::npos);
  EXPECT_EQ(cut.substr(cut.size() - 12), "; expected y");
}

TEST(MessageTest, CharactersStayWhole) {
  // Of three bytes each, wherever they begin.
  for (int shift = 0; shift < 3; ++shift) {
    std::string text(static_cast<size_t>(shift), 'x');
    for (int i = 0; i < 3000; ++i)
      text += "\u2026";
    std::string cut = cutMessage(text);
    EXPECT_LE(cut.size(), longestMessage);
    size_t place = cut.find(" ... ");
    ASSERT_NE(place, std::string::npos);
    EXPECT_EQ((place - static_cast<size_t>(shift)) % 3, 0u);
    EXPECT_EQ((cut.size() - place - 5) % 3, 0u);
  }
}

TEST(MessageTest, ControlCharactersAreSpelled) {
  EXPECT_EQ(inOneLine(std::string("a\nb\0c\x7f \u2026", 10)),
            "a\\x0ab\\x00c\\x7f \u2026");
}
