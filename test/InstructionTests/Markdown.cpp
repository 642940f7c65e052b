//===- Markdown.cpp - The table of instructions as a page -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Instructions.h"

#include <algorithm>

using namespace tc::isa;

static const char introduction[] =
    "# Instructions of the simulator\n"
    "\n"
    "Every form of every PTX instruction that the [simulator](simulator.md) "
    "understands, with its section of the PTX ISA 9.0, the\n"
    "least target and the least version of the language that have it, what "
    "of a result must agree with the definition, and on how\n"
    "many results that is tested. `tc-sim-crosscheck` runs the same tests on a "
    "GPU; see [The simulator](simulator.md#against-a-gpu).\n"
    "`tc-sim-crosscheck --markdown` made this page.\n";

namespace {
/// Tests that share a row of the table.
struct Group {
  const Instruction *first;
  std::vector<std::string> names;
  std::size_t results;
};
} // namespace

static bool belongs(const Instruction &test, const Group &group) {
  return test.section.number == group.first->section.number &&
         test.sm == group.first->sm && test.ptx == group.first->ptx &&
         test.agreement == group.first->agreement;
}

std::string tc::isa::toMarkdown(const std::vector<Instruction> &tests) {
  std::vector<Group> groups;
  for (const Instruction &test : tests) {
    auto group =
        std::find_if(groups.begin(), groups.end(), [&](const Group &candidate) {
          return belongs(test, candidate);
        });
    if (group == groups.end())
      group = groups.insert(group, {&test, {}, 0});
    if (std::find(group->names.begin(), group->names.end(), test.name) ==
        group->names.end())
      group->names.push_back(test.name);
    group->results += rowsOf(test).size() * test.results.size();
  }
  std::string text = introduction;
  std::string chapter;
  for (const Group &group : groups) {
    const Section &section = group.first->section;
    // "9.7.1", "Integer Arithmetic Instructions"
    std::size_t colon = section.title.find(": ");
    std::string title = section.title.substr(0, colon);
    if (title != chapter) {
      text += "\n## " + title +
              "\n\n| PTX ISA | | forms | least target | PTX | agreement | "
              "results |\n| --- | --- | --- | --- | --- | --- | ---: |\n";
      chapter = title;
    }
    text +=
        "| " + section.number + " | " + section.title.substr(colon + 2) + " | ";
    for (std::size_t i = 0; i < group.names.size(); ++i)
      text += (i == 0 ? "`" : " `") + group.names[i] + "`";
    text += " | sm_" + std::to_string(group.first->sm) + " | " +
            std::to_string(group.first->ptx[0]) + "." +
            std::to_string(group.first->ptx[1]) + " | " +
            group.first->agreement + " | " + std::to_string(group.results) +
            " |\n";
  }
  return text;
}
