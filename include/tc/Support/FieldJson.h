//===- FieldJson.h - Fields of records in JSON ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The form of a record in reports and packages: its fields under their names,
// in the order of the list, without those that may be absent and have their
// default. Enumerations stand by their names. Fields of another form are left
// to their writer.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_FIELDJSON_H
#define TC_SUPPORT_FIELDJSON_H

#include "tc/Support/Record.h"

#include <nlohmann/json.hpp>

namespace tc {

/// Functions as one, of which the most special takes a value.
template <typename... Functions> struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <typename... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

template <typename T>
void writeFields(nlohmann::ordered_json &json, const T &record);

/// A value as a field has it. An optional one that is not there is null.
template <typename T> nlohmann::ordered_json valueToJson(const T &value) {
  if constexpr (std::is_enum_v<T>) {
    return stringify(value);
  } else if constexpr (isRecord<T>) {
    nlohmann::ordered_json json;
    writeFields(json, value);
    return json;
  } else if constexpr (record::IsOptional<T>::value) {
    return value ? valueToJson(*value) : nlohmann::ordered_json();
  } else if constexpr (record::IsRange<T>::value &&
                       !std::is_convertible_v<T, std::string_view>) {
    auto json = nlohmann::ordered_json::array();
    for (const auto &element : value)
      json.push_back(valueToJson(element));
    return json;
  } else {
    return value;
  }
}

/// Adds a field to the object that its record is, unless it is absent.
template <typename Owner, typename T>
void writeField(nlohmann::ordered_json &json, const Field<Owner, T> &field,
                const T &value) {
  if (!field.mayBeAbsent || keyOf(value) != keyOf(Owner().*field.member))
    json[std::string(field.name)] = valueToJson(value);
}

template <typename T>
void writeFields(nlohmann::ordered_json &json, const T &record) {
  visitFields(record, [&](const auto &field, const auto &value) {
    writeField(json, field, value);
  });
}

} // namespace tc

#endif // TC_SUPPORT_FIELDJSON_H
