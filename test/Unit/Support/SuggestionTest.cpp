//===- SuggestionTest.cpp - Suggestions for misspelt names ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Support/Suggestion.h"

#include "gtest/gtest.h"

using tc::suggestionFor;

namespace {

TEST(Suggestion, FindsTheNearestName) {
  std::vector<std::string> known = {"target", "target-file", "time", "type"};
  EXPECT_EQ(suggestionFor("traget", known), "; did you mean 'target'?");
  EXPECT_EQ(suggestionFor("targetfile", known),
            "; did you mean 'target-file'?");
  EXPECT_EQ(suggestionFor("tpye", known), "; did you mean 'type'?");
  EXPECT_EQ(suggestionFor("tim", known), "; did you mean 'time'?");
  EXPECT_EQ(suggestionFor("tipe", known), "; did you mean 'time'?");
}

TEST(Suggestion, SaysNothingOfOthers) {
  std::vector<std::string> known = {"target", "i", std::string(65, 'x')};
  EXPECT_EQ(suggestionFor("schedule", known), "");
  EXPECT_EQ(suggestionFor("j", known), "");
  EXPECT_EQ(suggestionFor("", known), "");
  EXPECT_EQ(suggestionFor(std::string(64, 'x'), known), "");
  EXPECT_EQ(suggestionFor(std::string(65, 'x'), known), "");
  EXPECT_EQ(suggestionFor("target", {}), "");
}

} // namespace
