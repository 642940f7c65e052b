//===- DocumentationTest.cpp - The examples of docs -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every example of the documentation is read by the notation of its section.
//
//===----------------------------------------------------------------------===//

#include "NotationTest.h"

#include <fstream>
#include <map>
#include <variant>

using namespace tc::notation;
using namespace tc::notation::test;

namespace {

using AnyNotation = std::variant<Notation, ProgramNotation>;

/// Reads the examples of a page, by the notation of their section; how many
/// each has. They are in fences that name no language.
std::map<AnyNotation, unsigned>
readExamples(const std::string &path,
             const std::map<std::string, AnyNotation> &sections) {
  std::map<AnyNotation, unsigned> examples;
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  std::optional<AnyNotation> notation;
  std::string line, fence, text;
  while (std::getline(file, line)) {
    bool isFence = line.substr(0, 3) == "```";
    if (isFence && fence.empty()) {
      fence = line;
      text.clear();
    } else if (isFence) {
      if (notation && fence == "```") {
        SCOPED_TRACE(text);
        std::visit([&](auto kind) { parseValid(kind, text); }, *notation);
        ++examples[*notation];
      }
      fence.clear();
    } else if (!fence.empty()) {
      text += line + "\n";
    } else if (auto section = sections.find(line); section != sections.end()) {
      notation = section->second;
    }
  }
  return examples;
}

} // namespace

TEST(Documentation, ExamplesAreRead) {
  const std::map<std::string, AnyNotation> sections = {
      {"## einsum", Notation::Einsum},
      {"## TCCG", Notation::TCCG},
      {"## COGENT", Notation::Cogent},
      {"## Programs", ProgramNotation::Tensors},
      {"## OCTOPI", ProgramNotation::Octopi}};
  auto examples = readExamples(TC_DOCS "/notations.md", sections);
  for (const auto &[heading, section] : sections)
    EXPECT_GE(examples[section], 2u) << heading;
}

TEST(Documentation, ExamplesOfProgramsAreRead) {
  auto examples = readExamples(
      TC_DOCS "/programs.md",
      {{"# Programs of several statements", ProgramNotation::Tensors}});
  EXPECT_EQ(examples[ProgramNotation::Tensors], 2u);
}
