//===- TargetDocumentationTest.cpp - What docs/targets.md says ------------===//
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

TEST(TargetDocumentation, BuiltInTargetsAreListed) {
  std::string page = readPage();
  for (const Target &target : builtinTargets()) {
    std::string row = "\n| `" + target.name + "` | " + target.product + " |";
    EXPECT_NE(page.find(row), std::string::npos) << row;
  }
}

} // namespace
