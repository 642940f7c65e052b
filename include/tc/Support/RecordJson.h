//===- RecordJson.h - Records in JSON and CBOR ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both directions follow from the list of a record's fields. The output is read
// by the same program only: formats for others have readers of their own.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_RECORDJSON_H
#define TC_SUPPORT_RECORDJSON_H

#include "tc/Support/Record.h"

#include <nlohmann/json.hpp>

namespace tc {

/// A record as an object whose keys are the names of its fields, and whose
/// values are the contents of its fields. Enumerations are numbers. Types that
/// are no records have overloads beside them.
template <typename Json, typename T>
void writeRecord(Json &json, const T &value) {
  if constexpr (isRecord<T>) {
    json = Json::object();
    visitFields(value, [&](const auto &field, const auto &content) {
      writeRecord(json[std::string(field.name)], content);
    });
  } else if constexpr (record::IsOptional<T>::value) {
    if (value)
      writeRecord(json, *value);
    else
      json = nullptr;
  } else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T> ||
                       std::is_same_v<T, std::string>) {
    json = value;
  } else {
    json = Json::array();
    for (const auto &element : value)
      writeRecord(json.emplace_back(), element);
  }
}

/// Reads the output of `writeRecord`. Throws an exception of the library at a
/// value that is missing or of another kind.
template <typename Json, typename T>
void readRecord(const Json &json, T &value) {
  if constexpr (isRecord<T>) {
    visitFields(value, [&](const auto &field, auto &content) {
      readRecord(json.at(std::string(field.name)), content);
    });
  } else if constexpr (record::IsOptional<T>::value) {
    value.reset();
    if (!json.is_null())
      readRecord(json, value.emplace());
  } else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T> ||
                       std::is_same_v<T, std::string>) {
    json.get_to(value);
  } else if constexpr (record::IsArray<T>::value) {
    for (size_t i = 0; i < value.size(); ++i)
      readRecord(json.at(i), value[i]);
  } else {
    value.clear();
    for (const auto &element : json)
      readRecord(element, value.emplace_back());
  }
}

} // namespace tc

#endif // TC_SUPPORT_RECORDJSON_H
