//===- DocumentationTest.cpp - The examples of docs/notations.md ----------===//
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

using namespace tc::notation;
using namespace tc::notation::test;

TEST(Documentation, ExamplesAreRead) {
  const std::map<std::string, Notation> sections = {
      {"## einsum", Notation::Einsum},
      {"## TCCG", Notation::TCCG},
      {"## COGENT", Notation::Cogent}};
  std::map<Notation, unsigned> examples;
  std::ifstream file(TC_DOCS "/notations.md");
  ASSERT_TRUE(file);

  // Examples are in fences that name no language.
  std::optional<Notation> notation;
  std::string line, fence, text;
  while (std::getline(file, line)) {
    bool isFence = line.substr(0, 3) == "```";
    if (isFence && fence.empty()) {
      fence = line;
      text.clear();
    } else if (isFence) {
      if (notation && fence == "```") {
        SCOPED_TRACE(text);
        parseValid(*notation, text);
        ++examples[*notation];
      }
      fence.clear();
    } else if (!fence.empty()) {
      text += line + "\n";
    } else if (auto section = sections.find(line); section != sections.end()) {
      notation = section->second;
    }
  }
  for (const auto &[heading, section] : sections)
    EXPECT_GE(examples[section], 2u) << heading;
}
