//===- RecordTest.cpp - Structs whose fields are listed once --------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Support/Record.h"
#include "FieldChanges.h"
#include "tc/Support/RecordJson.h"

#include <gtest/gtest.h>
#include <set>

using namespace tc;

namespace tc::test {

struct Inner {
  std::string name;
  int64_t number = 0;
};

constexpr auto fieldsOf(const Inner *) {
  return std::make_tuple(field("name", &Inner::name),
                         field("number", &Inner::number));
}

struct Base {
  std::vector<Inner> list;
  std::optional<Inner> perhaps;
  std::array<int64_t, 2> pair = {};
};

constexpr auto fieldsOf(const Base *) {
  return std::make_tuple(field("list", &Base::list),
                         field("perhaps", &Base::perhaps),
                         field("pair", &Base::pair));
}

enum class Color : unsigned { Red, Green };

struct Derived : Base {
  Color color = Color::Red;
  bool flag = false;
  double real = 0;
  unsigned line = 0;
};

constexpr auto fieldsOf(const Derived *) {
  return std::tuple_cat(
      fieldsOf(static_cast<const Base *>(nullptr)),
      std::make_tuple(field("color", &Derived::color),
                      field("flag", &Derived::flag),
                      field("real", &Derived::real),
                      field("line", &Derived::line, FieldUse::Place)));
}

struct Unlisted {
  int number = 0, forgotten = 0;
};

constexpr auto fieldsOf(const Unlisted *) {
  return std::make_tuple(field("number", &Unlisted::number));
}

struct ListedTwice {
  int number = 0, other = 0;
};

constexpr auto fieldsOf(const ListedTwice *) {
  return std::make_tuple(field("number", &ListedTwice::number),
                         field("other", &ListedTwice::number));
}

} // namespace tc::test

using namespace tc::test;

namespace {

Derived example() {
  Derived record;
  record.list = {{"a", 1}, {"b", 2}};
  record.perhaps = Inner{"c", 3};
  record.pair = {4, 5};
  record.real = 0.1;
  return record;
}

/// The conditions that listFields() asserts.
template <typename Record> constexpr bool listsEachMember() {
  return record::countListed<Record>(fieldsOf(static_cast<const Record *>(
             nullptr))) == record::countMembers<Record>();
}
template <typename Record> constexpr bool listsDistinctMembers() {
  return std::apply(
      [](const auto &...each) { return record::areAllDistinct(each...); },
      fieldsOf(static_cast<const Record *>(nullptr)));
}

TEST(RecordTest, FindsMembersThatAreNotListed) {
  EXPECT_EQ(record::countMembers<Inner>(), 2u);
  EXPECT_EQ(record::countMembers<Base>(), 3u);
  // A base is one.
  EXPECT_EQ(record::countMembers<Derived>(), 5u);
  EXPECT_TRUE(listsEachMember<Derived>());
  EXPECT_FALSE(listsEachMember<Unlisted>());
  EXPECT_TRUE(listsEachMember<ListedTwice>());
  EXPECT_FALSE(listsDistinctMembers<ListedTwice>());
  EXPECT_TRUE(listsDistinctMembers<Derived>());
}

TEST(RecordTest, KeysDifferInEachFieldThatHasMeaning) {
  Derived record = example();
  const std::string key = keyOf(record);
  EXPECT_EQ(key, keyOf(example()));
  std::set<std::string> keys = {key}, names;
  forEachChange(record, [&](const std::string &name, FieldUse use) {
    names.insert(name);
    if (use == FieldUse::Meaning)
      EXPECT_TRUE(keys.insert(keyOf(record)).second) << name;
    else
      EXPECT_EQ(keyOf(record), key) << name;
  });
  EXPECT_EQ(names,
            std::set<std::string>(
                {"list", "list[0].name", "list[0].number", "list[1].name",
                 "list[1].number", "perhaps", "perhaps.name", "perhaps.number",
                 "pair[0]", "pair[1]", "color", "flag", "real", "line"}));
  EXPECT_EQ(keyOf(record), key);
}

TEST(RecordTest, KeysDoNotRunTogether) {
  // The end of one text cannot begin another.
  EXPECT_NE(keyOf(std::vector<std::string>{"a", "b"}),
            keyOf(std::vector<std::string>{"a1:b"}));
  EXPECT_NE(keyOf(Inner{"a}number=1;", 2}), keyOf(Inner{"a", 1}));
  EXPECT_NE(keyOf(std::vector<int>{1, 2}), keyOf(std::vector<int>{12}));
  EXPECT_NE(keyOf(std::optional<int>()), keyOf(std::optional<int>(0)));
  // Numbers that look alike when they are rounded are different ones.
  EXPECT_NE(keyOf(0.1), keyOf(0.1 + 1e-16));
}

TEST(RecordTest, AreReadAsWritten) {
  Derived record = example();
  record.flag = true;
  record.color = Color::Green;
  record.line = 7;
  nlohmann::json json;
  writeRecord(json, record);
  Derived read;
  readRecord(nlohmann::json::from_cbor(nlohmann::json::to_cbor(json)), read);
  EXPECT_EQ(keyOf(read), keyOf(record));
  EXPECT_EQ(read.line, 7u);

  json["perhaps"].erase("number");
  EXPECT_THROW(readRecord(json, read), nlohmann::json::exception);
}

} // namespace
