//===- EvaluationTest.cpp - Lines of JSON ---------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support/FieldChanges.h"
#include "Tuning/TestEvaluations.h"

#include <gtest/gtest.h>
#include <limits>
#include <set>

using namespace tc;
using namespace tc::tuning;
using tc::tuning::test::evaluation;

namespace {

/// The error of reading a text.
std::string errorOf(const std::string &text) {
  Result<std::vector<Evaluation>> read = readEvaluations(text, "file");
  return read ? "none" : read.error();
}

/// A line in which one text stands in place of another.
std::string lineWith(const std::string &old, const std::string &text) {
  std::string line = writeEvaluation(evaluation("c", 0.5));
  size_t place = line.find(old);
  EXPECT_NE(place, std::string::npos) << line;
  return line.replace(place, old.size(), text);
}

TEST(EvaluationTest, ReadsWhatItWrites) {
  Evaluation original = evaluation("{\"i\": 1}\n\"", 1.0 / 3);
  std::set<std::string> lines = {writeEvaluation(original)};
  forEachChange(original, [&](const std::string &name, FieldUse) {
    std::string line = writeEvaluation(original);
    EXPECT_TRUE(lines.insert(line).second) << name;
    Result<std::vector<Evaluation>> read = readEvaluations(line, "file");
    ASSERT_TRUE(read) << name << ": " << read.error();
    ASSERT_EQ(read->size(), 1u);
    EXPECT_EQ(keyOf(read->front()), keyOf(original)) << name;
  });
  EXPECT_EQ(lines.size(), 11u);
}

TEST(EvaluationTest, ReadsManyLines) {
  std::string line = writeEvaluation(evaluation("c", 0.5));
  Result<std::vector<Evaluation>> read =
      readEvaluations(line + "\r\n\n  \n" + line, "file");
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->size(), 2u);
  EXPECT_EQ(readEvaluations("", "file")->size(), 0u);
}

TEST(EvaluationTest, ErrorsNameTheLine) {
  std::string line = writeEvaluation(evaluation("c", 0.5));
  EXPECT_EQ(errorOf(line + "\n\n{").substr(0, 8), "file:3: ");
  EXPECT_NE(errorOf("[]").find("$"), std::string::npos);
  EXPECT_NE(errorOf(lineWith("\"measured\"", "\"guessed\""))
                .find("neither measured nor simulated"),
            std::string::npos);
  EXPECT_NE(errorOf(lineWith("\"seed\":7,", "")).find("seed"),
            std::string::npos);
  EXPECT_NE(errorOf(lineWith("\"syntax\":1", "\"syntax\":-1")).find("syntax"),
            std::string::npos);
  EXPECT_EQ(errorOf(lineWith("0.5", "0.0")),
            "file:1: its time is no positive number of seconds");
  EXPECT_EQ(errorOf(lineWith("0.5", "-1")),
            "file:1: its time is no positive number of seconds");
  EXPECT_EQ(errorOf(lineWith("#tc.schedule<>", "")),
            "file:1: its schedule is empty");
  EXPECT_EQ(errorOf(lineWith("\"c\"", "\"\"")),
            "file:1: its contraction is empty");
  EXPECT_EQ(errorOf(lineWith("\"machine\":\"machine\"", "\"machine\":\"\"")),
            "file:1: its machine is empty");
}

TEST(EvaluationTest, NoTimeIsInfinite) {
  EXPECT_FALSE(check(evaluation("c", std::numeric_limits<double>::infinity())));
  EXPECT_FALSE(check(evaluation("c", std::nan(""))));
  EXPECT_TRUE(check(evaluation("c", 1e-9)));
}

TEST(EvaluationTest, Describes) {
  EXPECT_EQ(describe(evaluation("c", 0.0012345)),
            "measured 1.234 ms by tc 0.1.0, search search, "
            "2026-11-25T19:30:08Z");
  EXPECT_EQ(
      describe(evaluation("c", 2, EvaluationKind::Simulated)).substr(0, 13),
      "simulated 2 s");
  EXPECT_EQ(describe(evaluation("c", 5e-10)).substr(0, 15), "measured 0.5 ns");
}

} // namespace
