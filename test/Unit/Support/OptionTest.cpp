//===- OptionTest.cpp - Options that are described once -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Support/Option.h"

#include <gtest/gtest.h>

using namespace tc;

namespace tc::test {

enum class Size { Small, Large };

struct Part {
  std::optional<std::string> text;
};

struct Settings {
  bool flag = false;
  Size size = Size::Small;
  std::string mode = "auto";
  std::optional<unsigned> count;
  int64_t bytes = 0;
  uint64_t seed = 0;
  std::vector<std::string> list;
  std::string file;
  Part part;
};

static Status readShout(const OptionInfo &, std::string_view text,
                        std::optional<std::string> &value) {
  value = std::string(text) + "!";
  return {};
}

static constexpr auto optionsOf(const Settings *) {
  return std::make_tuple(
      optionAt<&Settings::flag>(
          called("flag").does("A flag").formerly("switch")),
      optionAt<&Settings::size>(
          called("size").does("A size").oneOf("small|large")),
      optionAt<&Settings::mode>(called("mode")
                                    .does("A mode")
                                    .oneOf("auto|always|never")
                                    .choiceFormerly("never", "off")
                                    .of(OptionMachine::Gpu)),
      optionAt<&Settings::count>(
          called("count").does("A count").from(1, 9).of(OptionMachine::Cpu)),
      optionAt<&Settings::bytes>(
          called("bytes").does("KiB").from(0).inUnitsOf(1024)),
      optionAt<&Settings::seed>(
          called("seed").does("A seed").from(0).keepsCode()),
      optionAt<&Settings::list>(called("list").does("Texts")),
      optionAt<&Settings::file>(called("file").does("A file").naming("file")),
      optionAt<&Settings::part, &Part::text>(called("text").does("A text"),
                                             readShout));
}

} // namespace tc::test

using namespace tc::test;

namespace {

/// Reads an option of that name; what is wrong with the text, if anything.
std::string set(Settings &settings, std::string_view name,
                std::string_view text) {
  std::string message = "none";
  visitOptions<Settings>([&](const auto &option) {
    if (!option.info.isCalled(name))
      return;
    Status status = option.read(option.info, text, option.get(settings));
    message = status ? "" : status.error();
  });
  return message;
}

TEST(OptionTest, ValuesAreReadAsTheirTypesHaveThem) {
  Settings settings;
  EXPECT_EQ(set(settings, "flag", "true"), "");
  EXPECT_EQ(set(settings, "size", "large"), "");
  EXPECT_EQ(set(settings, "mode", "never"), "");
  EXPECT_EQ(set(settings, "count", "9"), "");
  EXPECT_EQ(set(settings, "bytes", "2"), "");
  EXPECT_EQ(set(settings, "seed", "18446744073709551615"), "");
  EXPECT_EQ(set(settings, "list", "a"), "");
  EXPECT_EQ(set(settings, "list", "b"), "");
  EXPECT_EQ(set(settings, "file", "x"), "");
  EXPECT_EQ(set(settings, "text", "hello"), "");
  EXPECT_TRUE(settings.flag);
  EXPECT_EQ(settings.size, Size::Large);
  EXPECT_EQ(settings.mode, "never");
  settings.mode = "auto";
  EXPECT_EQ(set(settings, "mode", "off"), "");
  EXPECT_EQ(settings.mode, "never");
  EXPECT_EQ(settings.count, 9u);
  EXPECT_EQ(settings.bytes, 2048);
  EXPECT_EQ(settings.seed, UINT64_MAX);
  EXPECT_EQ(settings.list, std::vector<std::string>({"a", "b"}));
  EXPECT_EQ(settings.file, "x");
  EXPECT_EQ(settings.part.text, "hello!");
  EXPECT_EQ(set(settings, "switch", "false"), "");
  EXPECT_FALSE(settings.flag);
  EXPECT_EQ(set(settings, "", "false"), "none");
}

TEST(OptionTest, WhatCannotBeReadChangesNothing) {
  Settings settings;
  settings.count = 3;
  EXPECT_EQ(set(settings, "flag", "yes"), "'yes' is neither true nor false");
  EXPECT_EQ(set(settings, "size", "huge"), "'huge' is none of small and large");
  EXPECT_EQ(set(settings, "mode", "auto|always"),
            "'auto|always' is none of auto, always and never");
  EXPECT_EQ(set(settings, "count", "10"), "'10' is no integer from 1 to 9");
  EXPECT_EQ(set(settings, "count", "-1"), "'-1' is no integer from 1 to 9");
  EXPECT_EQ(set(settings, "count", "4x"), "'4x' is no integer from 1 to 9");
  EXPECT_EQ(set(settings, "bytes", "-1"),
            "'-1' is not an integer of at least 0");
  EXPECT_EQ(set(settings, "bytes", "99999999999999999999"),
            "'99999999999999999999' is too large");
  EXPECT_EQ(set(settings, "bytes", "-99999999999999999999"),
            "'-99999999999999999999' is not an integer of at least 0");
  EXPECT_EQ(set(settings, "file", ""), "no file is named");
  EXPECT_FALSE(settings.flag);
  EXPECT_EQ(settings.size, Size::Small);
  EXPECT_EQ(settings.mode, "auto");
  EXPECT_EQ(settings.count, 3u);
}

TEST(OptionTest, CodeDependsOnOptionsOfItsMachine) {
  std::string depending;
  visitOptions<Settings>([&](const auto &option) {
    if (option.info.isAbout(OptionMachine::Cpu))
      depending += std::string(option.info.name) + " ";
  });
  EXPECT_EQ(depending, "flag size count bytes list file text ");
}

} // namespace
