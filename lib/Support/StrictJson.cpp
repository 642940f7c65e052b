//===- StrictJson.cpp - Reading JSON without leniency -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Support/StrictJson.h"

#include "tc/Support/Message.h"

#include <algorithm>
#include <cmath>

using namespace tc;

using Json = nlohmann::ordered_json;

namespace {

/// Makes a document, and says what is wrong with a text. The library's own way
/// looks each key of an object up among those before it, one by one.
class Builder final : public nlohmann::json_sax<Json> {
public:
  explicit Builder(std::string_view text) : text(text) {}

  FirstError error;
  Json document;

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t &) override {
    return add(value);
  }
  bool string(string_t &value) override { return add(std::move(value)); }
  bool binary(binary_t &) override { return false; }
  bool start_array(std::size_t) override { return enter(); }
  bool start_object(std::size_t) override { return enter(); }

  bool key(string_t &name) override {
    levels.back().keys.push_back(std::move(name));
    return true;
  }

  bool end_array() override {
    Json array(std::move(levels.back().values));
    levels.pop_back();
    return put(std::move(array));
  }

  bool end_object() override {
    Level &level = levels.back();
    if (!checkKeys(level.keys))
      return false;
    Json::object_t members;
    members.reserve(level.keys.size());
    for (size_t i = 0; i < level.keys.size(); ++i)
      // The map's own function would compare the key with all others.
      members.Json::object_t::Container::emplace_back(
          std::move(level.keys[i]), std::move(level.values[i]));
    levels.pop_back();
    return put(std::move(members));
  }

  bool parse_error(std::size_t position, const std::string &,
                   const nlohmann::detail::exception &) override {
    // The position counts the characters read, the offending one included.
    size_t end = std::min(position > 0 ? position - 1 : 0, text.size());
    std::string_view before = text.substr(0, end);
    size_t line = 1 + std::count(before.begin(), before.end(), '\n');
    size_t lineStart = before.rfind('\n');
    size_t column =
        end - (lineStart == std::string_view::npos ? 0 : lineStart + 1) + 1;
    error = Error{"line " + std::to_string(line) + ", column " +
                  std::to_string(column) + ": malformed JSON"};
    return false;
  }

private:
  static constexpr size_t deepest = 32;

  /// An object or array that is not at its end; an array has no keys.
  struct Level {
    std::vector<std::string> keys;
    std::vector<Json> values;
  };

  bool enter() {
    levels.emplace_back();
    if (levels.size() <= deepest)
      return true;
    error = Error{"JSON nested more than " + std::to_string(deepest) +
                  " levels deep"};
    return false;
  }

  template <typename T> bool add(T &&value) {
    return put(Json(std::forward<T>(value)));
  }

  bool put(Json value) {
    if (++values > maxJsonValues) {
      error = Error{"JSON has more than " + std::to_string(maxJsonValues) +
                    " values"};
      return false;
    }
    (levels.empty() ? document : levels.back().values.emplace_back()) =
        std::move(value);
    return true;
  }

  bool checkKeys(const std::vector<std::string> &keys) {
    std::vector<const std::string *> sorted;
    sorted.reserve(keys.size());
    for (const std::string &each : keys)
      sorted.push_back(&each);
    std::sort(
        sorted.begin(), sorted.end(),
        [](const std::string *a, const std::string *b) { return *a < *b; });
    auto same = std::adjacent_find(
        sorted.begin(), sorted.end(),
        [](const std::string *a, const std::string *b) { return *a == *b; });
    if (same == sorted.end())
      return true;
    error =
        Error{inOneLine("key \"" + **same + "\" occurs twice in one object")};
    return false;
  }

  std::string_view text;
  std::vector<Level> levels;
  size_t values = 0;
};

} // namespace

Result<Json> tc::parseStrictJson(std::string_view text) {
  Builder builder(text);
  bool ok = Json::sax_parse(text.begin(), text.end(), &builder);
  if (builder.error)
    return *builder.error;
  if (!ok)
    return Error{"malformed JSON"};
  return std::move(builder.document);
}

static bool contains(const std::vector<std::string_view> &list,
                     std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

void JsonNode::requireKeys(
    const std::vector<std::string_view> &keys,
    const std::vector<std::string_view> &optional) const {
  if (!value)
    return;
  if (!value->is_object())
    return fail("expected an object");
  for (std::string_view key : keys)
    if (!value->contains(std::string(key)))
      return fail("missing key \"" + std::string(key) + "\"");
  for (const auto &item : value->items())
    if (!contains(keys, item.key()) && !contains(optional, item.key()))
      return fail("unknown key \"" + item.key() + "\"");
}

void JsonNode::requireFormat(std::string_view format, int64_t version) const {
  std::string foundFormat = (*this)["format"].string();
  if (foundFormat != format)
    (*this)["format"].fail("expected \"" + std::string(format) + "\", not \"" +
                           foundFormat + "\"");
  int64_t foundVersion = (*this)["version"].integer();
  if (foundVersion != version)
    (*this)["version"].fail("unknown version " + std::to_string(foundVersion) +
                            "; this program reads version " +
                            std::to_string(version));
}

bool JsonNode::has(std::string_view key) const {
  return value && value->is_object() && value->contains(std::string(key));
}

JsonNode JsonNode::operator[](std::string_view key) const {
  std::string name(key);
  const Json *member = nullptr;
  if (value && value->is_object()) {
    auto found = value->find(name);
    if (found != value->end())
      member = &*found;
  }
  JsonNode node(member, path + "." + name, error);
  if (!member)
    node.fail("missing");
  return node;
}

std::vector<JsonNode> JsonNode::elements(size_t most) const {
  std::vector<JsonNode> nodes;
  if (!value)
    return nodes;
  if (!value->is_array()) {
    fail("expected an array");
    return nodes;
  }
  if (value->size() > most) {
    fail("has " + std::to_string(value->size()) + " elements, and at most " +
         std::to_string(most) + " are possible");
    return nodes;
  }
  for (size_t i = 0; i < value->size(); ++i)
    nodes.push_back(
        JsonNode(&(*value)[i], path + "[" + std::to_string(i) + "]", error));
  return nodes;
}

std::vector<std::pair<std::string, JsonNode>> JsonNode::members() const {
  std::vector<std::pair<std::string, JsonNode>> nodes;
  if (!value)
    return nodes;
  if (!value->is_object()) {
    fail("expected an object");
    return nodes;
  }
  for (const auto &item : value->items())
    nodes.emplace_back(item.key(),
                       JsonNode(&item.value(), path + "." + item.key(), error));
  return nodes;
}

Json JsonNode::json() const { return value ? *value : Json(); }

std::string JsonNode::string() const {
  if (!value)
    return "";
  if (value->is_string())
    return value->get_ref<const std::string &>();
  fail("expected a string");
  return "";
}

int64_t JsonNode::integer(int64_t least) const {
  // The replacement of a number that is not there must be within the bounds
  // too.
  int64_t fallback = std::max<int64_t>(least, 0);
  if (!value)
    return fallback;
  if (!value->is_number_integer()) {
    fail("expected an integer of at most 64 bits");
    return fallback;
  }
  if (value->is_number_unsigned() &&
      value->get<uint64_t>() >
          static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    fail("expected an integer of at most 64 bits");
    return fallback;
  }
  int64_t number = value->get<int64_t>();
  if (number < least) {
    fail("must be at least " + std::to_string(least) + ", not " +
         std::to_string(number));
    return fallback;
  }
  return number;
}

double JsonNode::number() const {
  if (!value)
    return 0;
  if (value->is_number())
    return value->get<double>();
  if (value->is_string()) {
    const std::string &text = value->get_ref<const std::string &>();
    if (text == "nan")
      return std::numeric_limits<double>::quiet_NaN();
    if (text == "inf")
      return std::numeric_limits<double>::infinity();
    if (text == "-inf")
      return -std::numeric_limits<double>::infinity();
  }
  fail("expected a number");
  return 0;
}

bool JsonNode::boolean() const {
  if (!value)
    return false;
  if (value->is_boolean())
    return value->get<bool>();
  fail("expected true or false");
  return false;
}

std::vector<int64_t> JsonNode::integers(int64_t least, size_t most) const {
  std::vector<int64_t> result;
  for (const JsonNode &element : elements(most))
    result.push_back(element.integer(least));
  return result;
}

std::vector<std::string> JsonNode::strings(size_t most) const {
  std::vector<std::string> result;
  for (const JsonNode &element : elements(most))
    result.push_back(element.string());
  return result;
}

void JsonNode::fail(const std::string &message) const {
  if (!*error)
    *error = Error{inOneLine(path + ": " + message)};
}
