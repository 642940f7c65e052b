//===- TargetDocumentationTest.cpp - Tests of docs/targets.md -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Its examples are read, and its tables held against the list of figures.
//
//===----------------------------------------------------------------------===//

#include "tc/Machine/TargetFigures.h"
#include "tc/Machine/TargetFile.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iomanip>
#include <sstream>

using namespace tc;
using namespace tc::model;

namespace {

std::string spell(double limit) {
  std::ostringstream text;
  text << std::setprecision(10) << limit;
  return text.str();
}

std::string readPage() {
  std::ifstream file(TC_TARGETS_PAGE);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(TargetDocumentation, ExamplesAreAccepted) {
  std::string page = readPage();
  const std::string open = "```json\n", close = "```";
  int examples = 0;
  for (size_t at = 0; (at = page.find(open, at)) != std::string::npos;) {
    at += open.size();
    size_t end = page.find(close, at);
    Result<AnyTarget> target =
        readAnyTarget(page.substr(at, end - at), "example");
    EXPECT_TRUE(target) << target.error();
    ++examples;
    at = end;
  }
  EXPECT_EQ(examples, 2);
}

TEST(TargetDocumentation, EveryFigureIsInATable) {
  std::string page = readPage();
  auto expectRow = [&](const Figure &figure, const auto &value) {
    std::string row =
        "\n| `" + std::string(figure.key) + "` | " + std::string(figure.unit) +
        (figure.unit.empty() ? "|" : " |") +
        (figure.largest == 0 ? std::string(" |")
                             : " " + spell(figure.least) + " to " +
                                   spell(figure.largest) + " |");
    if constexpr (std::is_arithmetic_v<std::decay_t<decltype(value)>>)
      if (figure.isCost())
        row += " " + spell(static_cast<double>(value)) + " | " +
               std::string(figure.source) + " |";
    EXPECT_NE(page.find(row), std::string::npos) << row;
  };
  Target gpu;
  visitGpuFigures(gpu, expectRow);
  CpuTarget cpu;
  visitCpuFigures(cpu, [&](const Figure &figure, const auto &value) {
    if (figure.key != "name" && figure.key != "product")
      expectRow(figure, value);
  });
  CpuCache cache;
  visitCacheFigures(cache, expectRow);
}

std::string spell(const CapabilityRange &chips) {
  std::string least = "sm_" + std::to_string(chips.least);
  if (chips.end == chips.least + 1)
    return least;
  return "from " + least +
         (chips.end == ~0u ? "" : " below sm_" + std::to_string(chips.end));
}

TEST(TargetDocumentation, EveryFeatureIsInATable) {
  std::string page = readPage();
  for (const FeatureRow &feature : allFeatures()) {
    std::string row = "\n| `" + std::string(feature.name) + "` | " +
                      spell(feature.chips) + " | ";
    size_t at = page.find(row);
    ASSERT_NE(at, std::string::npos) << row;
    std::string line = page.substr(at + 1, page.find('\n', at + 1) - at - 1),
                source = std::string(" | ") + feature.source + " |";
    EXPECT_EQ(line.rfind(source), line.size() - source.size()) << line;
  }
}

TEST(TargetDocumentation, BuiltInTargetsAreListed) {
  std::string page = readPage();
  for (const Target &target : builtinTargets()) {
    std::string row = "\n| `" + target.name + "` | " + target.product + " |";
    EXPECT_NE(page.find(row), std::string::npos) << row;
  }
}

} // namespace
