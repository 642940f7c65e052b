//===- StrictJsonTest.cpp - Reading JSON without leniency -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Support/StrictJson.h"

#include <gtest/gtest.h>

#include <chrono>
#include <random>

using namespace tc;
using Json = nlohmann::ordered_json;

/// A value in which all kinds are, of so many levels at most.
static Json draw(std::mt19937 &random, int levels) {
  switch (random() % (levels > 0 ? 8 : 6)) {
  case 0:
    return nullptr;
  case 1:
    return random() % 2 == 0;
  case 2:
    return static_cast<int64_t>(random()) - (int64_t(1) << 31);
  case 3:
    return (uint64_t(1) << 63) + random();
  case 4:
    return static_cast<double>(random()) / 7;
  case 5:
    return "text \n \"" + std::to_string(random());
  case 6: {
    Json array = Json::array();
    for (unsigned i = random() % 5; i > 0; --i)
      array.push_back(draw(random, levels - 1));
    return array;
  }
  default: {
    Json object = Json::object();
    for (unsigned i = random() % 5; i > 0; --i)
      object["key " + std::to_string(random() % 100)] =
          draw(random, levels - 1);
    return object;
  }
  }
}

TEST(StrictJson, ReadsWhatTheLibraryReads) {
  std::mt19937 random(7);
  for (int i = 0; i < 2000; ++i) {
    std::string text = draw(random, 4).dump(i % 3);
    Result<Json> read = parseStrictJson(text);
    ASSERT_TRUE(read) << read.error();
    // In the same order, and of the same types.
    EXPECT_EQ(read->dump(), Json::parse(text).dump());
    EXPECT_EQ(*read, Json::parse(text));
  }
}

TEST(StrictJson, KeysAreThereOnce) {
  EXPECT_EQ(parseStrictJson(R"({"b":{"a":1,"b":2,"a":3}})").error(),
            "key \"a\" occurs twice in one object");
  EXPECT_EQ(parseStrictJson(R"({"a\n\u0000":1,"a\n\u0000":3})").error(),
            "key \"a\\x0a\\x00\" occurs twice in one object");
  EXPECT_TRUE(parseStrictJson(R"([{"a":1},{"a":2}])"));
}

/// A million keys, long before an hour is over.
TEST(StrictJson, TakesTimeThatIsNearlyLinear) {
  std::string text;
  for (int i = 0; i < 1000000; ++i)
    text += (i == 0 ? "{\"k" : ",\"k") + std::to_string(i) + "\":1";
  auto begin = std::chrono::steady_clock::now();
  Result<Json> read = parseStrictJson(text + "}");
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->size(), 1000000u);
  EXPECT_EQ(parseStrictJson(text + ",\"k0\":1}").error(),
            "key \"k0\" occurs twice in one object");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::minutes(1));
}

TEST(StrictJson, HasLimits) {
  EXPECT_TRUE(parseStrictJson(std::string(32, '[') + std::string(32, ']')));
  EXPECT_EQ(
      parseStrictJson(std::string(33, '[') + std::string(33, ']')).error(),
      "JSON nested more than 32 levels deep");
  std::string many = "[0";
  for (size_t i = 2; i < maxJsonValues; ++i)
    many += ",0";
  EXPECT_TRUE(parseStrictJson(many + "]"));
  EXPECT_EQ(parseStrictJson(many + ",0]").error(),
            "JSON has more than 4194304 values");
}

TEST(StrictJson, ListsHaveLimitsOfTheirOwn) {
  Result<Json> read = parseStrictJson("[1,2,3]");
  FirstError error;
  EXPECT_EQ(JsonNode(*read, error).integers(0, 3).size(), 3u);
  EXPECT_FALSE(error);
  EXPECT_TRUE(JsonNode(*read, error).elements(2).empty());
  EXPECT_EQ(error->message, "$: has 3 elements, and at most 2 are possible");
}

TEST(StrictJson, MessagesAreOneLine) {
  Result<Json> read = parseStrictJson(R"({"a\nb\u0000c":1})");
  FirstError error;
  JsonNode(*read, error).requireKeys({}, {});
  EXPECT_EQ(error->message, "$: unknown key \"a\\x0ab\\x00c\"");
}
