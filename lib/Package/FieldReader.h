//===- FieldReader.h - Fields of packages from JSON -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads what tc/Support/FieldJson.h writes, with the limits and defaults that
// the lists give. What a package has in another form, its reader sees to.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_PACKAGE_FIELDREADER_H
#define TC_LIB_PACKAGE_FIELDREADER_H

#include "tc/Package/PackageFields.h"
#include "tc/Package/PackageFormat.h"
#include "tc/Support/StrictJson.h"

namespace tc::runtime {

void readValue(const JsonNode &node, model::ElementType &type);
void readValue(const JsonNode &node, model::Precision &precision);
void readValue(const JsonNode &node, model::Semiring &semiring);
void readValue(const JsonNode &node, model::Stationary &stationary);
void readValue(const JsonNode &node, model::RunTimeQuantity &quantity);

/// Reads "read", "write" or "read_write".
void readAccess(const JsonNode &node, bool &isRead, bool &isWritten);

/// Reads the programs of a package whose kernels are known.
std::vector<Program> readPrograms(const JsonNode &node, const Package &package);

template <typename T> void readFields(const JsonNode &node, T &record);

template <typename T>
void readValue(const JsonNode &node, T &value, int64_t least) {
  if constexpr (std::is_enum_v<T>) {
    readValue(node, value);
  } else if constexpr (std::is_same_v<T, bool>) {
    value = node.boolean();
  } else if constexpr (std::is_integral_v<T>) {
    value = node.integer(least);
  } else if constexpr (std::is_same_v<T, std::string>) {
    value = node.string();
  } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
    value = node.strings(maxPackageRank);
  } else if constexpr (std::is_same_v<T, std::vector<int64_t>>) {
    value = node.integers(least, maxPackageRank);
  } else if constexpr (std::is_same_v<T, Dim3>) {
    std::vector<int64_t> values = node.integers(least);
    if (values.size() != value.size())
      return node.fail("expected three integers");
    std::copy(values.begin(), values.end(), value.begin());
  } else if constexpr (isRecord<T>) {
    readFields(node, value);
  } else if constexpr (record::IsOptional<T>::value) {
    readValue(node, value.emplace(), least);
  } else if constexpr (record::IsVector<T>::value) {
    for (const JsonNode &element : node.elements(maxArguments))
      readValue(element, value.emplace_back(), least);
  } else {
    static_assert(record::IsArray<T>::value, "no value of JSON");
    std::vector<JsonNode> elements = node.elements();
    if (elements.size() != value.size())
      return node.fail("expected one element each for A, B and C");
    for (size_t i = 0; i < value.size(); ++i)
      readValue(elements[i], value[i], least);
  }
}

/// The name under which an object has a field: that of older files if only they
/// have it.
template <typename Owner, typename T>
std::string_view nameIn(const JsonNode &node, const Field<Owner, T> &field) {
  bool isFormer = !field.formerName.empty() && !node.has(field.name) &&
                  node.has(field.formerName);
  return isFormer ? field.formerName : field.name;
}

/// Reads a field from the object that its record is; what may be absent keeps
/// its default.
template <typename Owner, typename T>
void readField(const JsonNode &node, const Field<Owner, T> &field, T &value) {
  std::string_view name = nameIn(node, field);
  if (!field.mayBeAbsent || node.has(name))
    readValue(node[name], value, field.least);
}

/// The keys of an object.
struct Keys {
  std::vector<std::string_view> required, optional;

  /// Adds a field's, under the name that the object has for it.
  template <typename Owner, typename T>
  void add(const JsonNode &node, const Field<Owner, T> &field) {
    (field.mayBeAbsent ? optional : required).push_back(nameIn(node, field));
  }

  void require(const JsonNode &node) const {
    node.requireKeys(required, optional);
  }
};

/// Those of a record's fields in an object.
template <typename T> Keys keysOf(const JsonNode &node, const T &record) {
  Keys keys;
  visitFields(record,
              [&](const auto &field, const auto &) { keys.add(node, field); });
  return keys;
}

template <typename T> void readFields(const JsonNode &node, T &record) {
  keysOf(node, record).require(node);
  visitFields(record, [&](const auto &field, auto &value) {
    readField(node, field, value);
  });
}

/// Requires the keys of a record's fields except those of type T, and others.
template <typename T, typename Record>
void requireKeysWithout(const JsonNode &node, const Record &record,
                        std::initializer_list<std::string_view> others) {
  Keys keys;
  keys.required = others;
  visitFields(record, [&](const auto &field, const auto &value) {
    if constexpr (!std::is_same_v<decltype(value), const T &>)
      keys.add(node, field);
  });
  keys.require(node);
}

} // namespace tc::runtime

#endif // TC_LIB_PACKAGE_FIELDREADER_H
