//===- StrictJson.h - Reading JSON without leniency -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A cursor over a JSON document that knows its path. The first failure sticks
// and later reads give harmless defaults, so that readers need no check after
// every step.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_STRICTJSON_H
#define TC_SUPPORT_STRICTJSON_H

#include "tc/Support/Result.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tc {

/// Values that a document has at most, those in others counted, too: each takes
/// much more memory than its few bytes of text.
inline constexpr size_t maxJsonValues = size_t(1) << 22;

/// Parses a document, in time that is nearly linear in its length. Malformed
/// text is an error that names line and column; so are repeated keys, more than
/// 32 levels, and too many values.
Result<nlohmann::ordered_json> parseStrictJson(std::string_view text);

/// The first failure while reading a document.
using FirstError = std::optional<Error>;

/// A value in a document.
class JsonNode {
public:
  JsonNode(const nlohmann::ordered_json &document, FirstError &error)
      : value(&document), path("$"), error(&error) {}

  /// Requires an object with exactly these keys, of which the optional ones may
  /// be absent.
  void requireKeys(const std::vector<std::string_view> &keys,
                   const std::vector<std::string_view> &optional = {}) const;
  /// Requires an object whose "format" and "version" are these. Its other keys
  /// depend on them, so they are to be checked first.
  void requireFormat(std::string_view format, int64_t version) const;
  bool has(std::string_view key) const;
  JsonNode operator[](std::string_view key) const;
  /// The elements of an array, which has so many at most.
  std::vector<JsonNode> elements(size_t most = maxJsonValues) const;
  /// The members of an object, in the document's order.
  std::vector<std::pair<std::string, JsonNode>> members() const;

  /// The value as it is.
  nlohmann::ordered_json json() const;
  bool isNull() const { return value && value->is_null(); }
  bool isNumber() const { return value && value->is_number(); }
  std::string string() const;
  int64_t integer(int64_t least = std::numeric_limits<int64_t>::min()) const;
  double number() const;
  bool boolean() const;
  std::vector<int64_t>
  integers(int64_t least = std::numeric_limits<int64_t>::min(),
           size_t most = maxJsonValues) const;
  std::vector<std::string> strings(size_t most = maxJsonValues) const;

  /// Records a failure at this value, unless there was one before.
  void fail(const std::string &message) const;

private:
  JsonNode(const nlohmann::ordered_json *value, std::string path,
           FirstError *error)
      : value(value), path(std::move(path)), error(error) {}

  /// Null for a missing value after a failure.
  const nlohmann::ordered_json *value;
  std::string path;
  FirstError *error;
};

} // namespace tc

#endif // TC_SUPPORT_STRICTJSON_H
