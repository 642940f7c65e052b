//===- OptionListTest.cpp - Descriptions of the options of tc-run ---------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Run/OptionList.h"

#include "tc/Cpu/CpuSchedule.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <regex>
#include <sstream>

using namespace tc;

namespace {

std::map<std::string, OptionInfo> listAll() {
  std::map<std::string, OptionInfo> all;
  auto add = [&](const auto &option) {
    std::string name(option.info.name);
    EXPECT_TRUE(all.emplace(name, option.info).second) << name;
  };
  visitOptions<run::Options>(add);
  return all;
}

/// The options in the first column of the page's tables, with what they take.
std::map<std::string, std::string> readPage() {
  std::ifstream file(TC_RUN_PAGE);
  std::map<std::string, std::string> rows;
  const std::regex row("^\\| (`--[^|]*(?:\\\\\\|[^|]*)*) \\|"),
      option("`--([a-z-]+)((?:\\[?=[^`]*)?)`");
  for (std::string line; std::getline(file, line);) {
    std::smatch match;
    if (!std::regex_search(line, match, row))
      continue;
    const std::string cell = match[1];
    for (std::sregex_iterator each(cell.begin(), cell.end(), option), end;
         each != end; ++each) {
      std::string values =
          std::regex_replace((*each)[2].str(), std::regex("\\\\"), "");
      EXPECT_TRUE(rows.emplace((*each)[1], values).second) << cell;
    }
  }
  rows.erase("help");
  rows.erase("version");
  return rows;
}

TEST(OptionListTest, TheManualHasEachOption) {
  std::map<std::string, std::string> rows = readPage();
  std::map<std::string, OptionInfo> all = listAll();
  for (const auto &[name, values] : rows)
    EXPECT_TRUE(all.count(name)) << "there is no --" << name;
  for (const auto &[name, info] : all) {
    auto row = rows.find(name);
    if (row == rows.end()) {
      ADD_FAILURE() << "docs/tc-run.md has no row of --" << name;
      continue;
    }
    std::string values = row->second;
    bool isOptional = values.substr(0, 1) == "[";
    if (isOptional)
      values = values.substr(1, values.size() - 2);
    EXPECT_EQ(isOptional, info.implied.has_value()) << name;
    if (info.isChoice && !info.names)
      EXPECT_EQ(values, "=" + std::string(info.values)) << name;
    else if (!info.values.empty())
      EXPECT_NE(values, "") << name;
  }
}

TEST(OptionListTest, OptionsThatOthersExcludeAreThere) {
  std::map<std::string, OptionInfo> all = listAll();
  for (const auto &[name, info] : all)
    EXPECT_TRUE(info.other.empty() || all.count(std::string(info.other)))
        << name;
}

TEST(OptionListTest, StrategiesAreThoseOfTheModel) {
  std::string choices = "auto";
  for (model::Strategy strategy : model::allStrategies)
    choices += "|" + std::string(model::stringify(strategy));
  EXPECT_EQ(listAll().at("strategy").values, choices);
}

TEST(OptionListTest, DefaultsThatHelpNamesHold) {
  const run::Options defaults;
  size_t named = 0;
  visitOptions<run::Options>([&](const auto &option) {
    const OptionInfo &info = option.info;
    if (!info.isChoice || info.unsaid.empty())
      return;
    ++named;
    const auto &value = option.get(defaults);
    if constexpr (std::is_convertible_v<decltype(value), std::string>)
      EXPECT_EQ(info.unsaid, value) << info.name;
    else
      EXPECT_EQ(info.unsaid, options::listChoices(info).front()) << info.name;
  });
  EXPECT_EQ(named, 5u);
}

TEST(OptionListTest, ChoicesAreInTheOrderOfTheirTypes) {
  run::Options options;
  auto set = [&](std::string_view name, std::string_view text) {
    visitOptions<run::Options>([&](const auto &option) {
      if (option.info.name == name)
        EXPECT_TRUE(option.read(option.info, text, option.get(options)));
    });
  };
  set("target", "sim");
  EXPECT_EQ(options.machine, run::Machine::Simulator);
  set("target", "cuda");
  EXPECT_EQ(options.machine, run::Machine::Cuda);
  set("target", "cpu");
  EXPECT_EQ(options.machine, run::Machine::Cpu);
  set("machine-code", "listing");
  EXPECT_EQ(options.machineCode, run::MachineCodeForm::Listing);
  set("machine-code", "json");
  EXPECT_EQ(options.machineCode, run::MachineCodeForm::JSON);
  set("time", "json");
  EXPECT_EQ(options.time, run::TimeForm::JSON);
  set("time", "svg");
  EXPECT_EQ(options.time, run::TimeForm::SVG);
}

} // namespace
