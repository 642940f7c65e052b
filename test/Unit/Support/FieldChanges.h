//===- FieldChanges.h - Records that differ in one field --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From the list of a record's fields, records that differ from it in a single
// one, or in one field of a record within it.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_UNIT_SUPPORT_FIELDCHANGES_H
#define TC_TEST_UNIT_SUPPORT_FIELDCHANGES_H

#include "tc/Support/Record.h"

#include <functional>

namespace tc {

/// Takes the name of the changed field, as in "fused.semiring.product", and
/// whether it has a meaning.
using TakeChange = std::function<void(const std::string &name, FieldUse use)>;

/// Changes a value, calls `take`, and undoes the change, once for each part of
/// it. Types that are no records have a function `changeValue` beside them.
template <typename T>
void forEachChange(T &value, const std::string &name, FieldUse use,
                   const TakeChange &take) {
  auto changeTo = [&](T other) {
    std::swap(value, other);
    take(name, use);
    std::swap(value, other);
  };
  if constexpr (isRecord<T>) {
    visitFields(value, [&](const auto &field, auto &content) {
      forEachChange(content,
                    name + (name.empty() ? "" : ".") + std::string(field.name),
                    use == FieldUse::Place ? use : field.use, take);
    });
  } else if constexpr (std::is_same_v<T, bool>) {
    changeTo(!value);
  } else if constexpr (std::is_enum_v<T>) {
    changeTo(static_cast<T>(static_cast<unsigned>(value) == 0 ? 1 : 0));
  } else if constexpr (std::is_arithmetic_v<T>) {
    changeTo(value + 1);
  } else if constexpr (std::is_same_v<T, std::string>) {
    changeTo(value + "_");
  } else if constexpr (record::IsOptional<T>::value) {
    if (value) {
      changeTo(std::nullopt);
      forEachChange(*value, name, use, take);
    } else {
      changeTo(typename T::value_type());
    }
  } else if constexpr (record::IsPair<T>::value) {
    forEachChange(value.first, name + ".first", use, take);
    forEachChange(value.second, name + ".second", use, take);
  } else if constexpr (record::IsRange<T>::value) {
    size_t number = 0;
    for (auto &element : value)
      forEachChange(element, name + "[" + std::to_string(number++) + "]", use,
                    take);
    if constexpr (record::IsVector<T>::value) {
      T longer = value;
      longer.emplace_back();
      changeTo(longer);
    }
  } else {
    changeTo(changeValue(value));
  }
}

/// The same for all fields of a record.
template <typename Record>
void forEachChange(Record &record, const TakeChange &take) {
  forEachChange(record, "", FieldUse::Meaning, take);
}

} // namespace tc

#endif // TC_TEST_UNIT_SUPPORT_FIELDCHANGES_H
