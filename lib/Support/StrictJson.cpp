//===- StrictJson.cpp - Reading JSON without leniency -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Support/StrictJson.h"

#include <algorithm>
#include <cmath>
#include <set>

using namespace tc;

using Json = nlohmann::ordered_json;

namespace {

/// Reads a document only to find what is wrong with it.
class SyntaxChecker final : public nlohmann::json_sax<Json> {
public:
  explicit SyntaxChecker(std::string_view text) : text(text) {}

  FirstError error;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t &) override { return true; }
  bool string(string_t &) override { return true; }
  bool binary(binary_t &) override { return true; }
  bool start_array(std::size_t) override { return enter(); }
  bool end_array() override { return leave(); }
  bool start_object(std::size_t) override { return enter(); }
  bool end_object() override { return leave(); }

  bool key(string_t &name) override {
    if (keys.back().insert(name).second)
      return true;
    error = Error{"key \"" + name + "\" occurs twice in one object"};
    return false;
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

  bool enter() {
    keys.emplace_back();
    if (keys.size() <= deepest)
      return true;
    error = Error{"JSON nested more than " + std::to_string(deepest) +
                  " levels deep"};
    return false;
  }

  bool leave() {
    keys.pop_back();
    return true;
  }

  std::string_view text;
  /// The keys seen, per open object or array.
  std::vector<std::set<std::string>> keys;
};

} // namespace

Result<Json> tc::parseStrictJson(std::string_view text) {
  SyntaxChecker checker(text);
  bool ok = Json::sax_parse(text.begin(), text.end(), &checker);
  if (checker.error)
    return *checker.error;
  if (!ok)
    return Error{"malformed JSON"};
  return Json::parse(text.begin(), text.end(), /*cb=*/nullptr,
                     /*allow_exceptions=*/false);
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

std::vector<JsonNode> JsonNode::elements() const {
  std::vector<JsonNode> nodes;
  if (!value)
    return nodes;
  if (!value->is_array()) {
    fail("expected an array");
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
  // What replaces a number that is not there must be within the bounds too.
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

std::vector<int64_t> JsonNode::integers(int64_t least) const {
  std::vector<int64_t> result;
  for (const JsonNode &element : elements())
    result.push_back(element.integer(least));
  return result;
}

std::vector<std::string> JsonNode::strings() const {
  std::vector<std::string> result;
  for (const JsonNode &element : elements())
    result.push_back(element.string());
  return result;
}

void JsonNode::fail(const std::string &message) const {
  if (!*error)
    *error = Error{path + ": " + message};
}
