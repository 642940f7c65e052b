//===- Record.h - Structs whose fields are listed once ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A record is a struct beside which a function `fieldsOf` lists its fields.
// Whatever has to walk over all of them (keys of caches, equality, files)
// follows from the list. A field that is not listed does not compile.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_RECORD_H
#define TC_SUPPORT_RECORD_H

#include <array>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace tc {

/// The purpose of a field.
enum class FieldUse : unsigned {
  Meaning, ///< the meaning of the record: it is part of keys
  Place,   ///< the place of the text, which only messages give
};

/// A field of a record.
template <typename Owner, typename Value> struct Field {
  std::string_view name;
  Value Owner::*member;
  FieldUse use = FieldUse::Meaning;
  /// In files: the least number that it may be, and whether it is absent where
  /// it has its default.
  int64_t least = std::numeric_limits<int64_t>::min();
  bool mayBeAbsent = false;
  /// Its name in older files, which are still read.
  std::string_view formerName = {};

  constexpr Field atLeast(int64_t number) const {
    return {name, member, use, number, mayBeAbsent, formerName};
  }
  constexpr Field orAbsent() const {
    return {name, member, use, least, true, formerName};
  }
  constexpr Field formerly(std::string_view former) const {
    return {name, member, use, least, mayBeAbsent, former};
  }
};

template <typename Owner, typename Value>
constexpr Field<Owner, Value> field(std::string_view name, Value Owner::*member,
                                    FieldUse use = FieldUse::Meaning) {
  return {name, member, use, std::numeric_limits<int64_t>::min(), false, {}};
}

namespace record {

/// Stands for a value of any type where a struct is initialised.
struct Anything {
  template <typename T> operator T() const;
};
template <size_t> using AnythingAt = Anything;

template <typename T, typename Numbers, typename = void>
struct TakesThese : std::false_type {};
template <typename T, size_t... numbers>
struct TakesThese<T, std::index_sequence<numbers...>,
                  std::void_t<decltype(T{AnythingAt<numbers>{}...})>>
    : std::true_type {};

/// The members of a struct, a base being one.
template <typename T, size_t known = 0> constexpr size_t countMembers() {
  if constexpr (TakesThese<T, std::make_index_sequence<known + 1>>::value)
    return countMembers<T, known + 1>();
  else
    return known;
}

template <typename OwnerA, typename A, typename OwnerB, typename B>
constexpr bool areDistinct(const Field<OwnerA, A> &a,
                           const Field<OwnerB, B> &b) {
  if (a.name == b.name)
    return false;
  if constexpr (std::is_same_v<A OwnerA::*, B OwnerB::*>)
    return a.member != b.member;
  else
    return true;
}

/// Returns true if no name and no member is listed twice.
template <typename First, typename... Rest>
constexpr bool areAllDistinct(const First &first, const Rest &...rest) {
  if constexpr (sizeof...(Rest) == 0)
    return true;
  else
    return (areDistinct(first, rest) && ...) && areAllDistinct(rest...);
}

/// The members that a list names: those of a base are one.
template <typename T, typename... Owners, typename... Values>
constexpr size_t countListed(const std::tuple<Field<Owners, Values>...> &) {
  constexpr size_t own = (size_t(std::is_same_v<Owners, T>) + ... + 0);
  return own + (own < sizeof...(Owners) ? 1 : 0);
}

template <typename T, typename = void> struct IsRecord : std::false_type {};
template <typename T>
struct IsRecord<
    T, std::void_t<decltype(fieldsOf(static_cast<const T *>(nullptr)))>>
    : std::true_type {};

template <typename T> struct IsOptional : std::false_type {};
template <typename T> struct IsOptional<std::optional<T>> : std::true_type {};
template <typename T> struct IsVector : std::false_type {};
template <typename T> struct IsVector<std::vector<T>> : std::true_type {};
template <typename T> struct IsPair : std::false_type {};
template <typename A, typename B>
struct IsPair<std::pair<A, B>> : std::true_type {};

template <typename T, typename = void> struct IsArray : std::false_type {};
template <typename T>
struct IsArray<
    T, std::enable_if_t<(std::tuple_size<T>::value > 0) && !IsPair<T>::value>>
    : std::true_type {};

/// Arrays, vectors and maps.
template <typename T, typename = void> struct IsRange : std::false_type {};
template <typename T>
struct IsRange<T, std::void_t<decltype(std::declval<T>().begin())>>
    : std::true_type {};

} // namespace record

/// True if `fieldsOf` lists the fields of a type.
template <typename T> inline constexpr bool isRecord = record::IsRecord<T>();

/// The list of a record's fields, a tuple.
template <typename Record> constexpr auto listFields() {
  constexpr auto fields = fieldsOf(static_cast<const Record *>(nullptr));
  static_assert(record::countListed<Record>(fields) ==
                    record::countMembers<Record>(),
                "fieldsOf() lists each member of a record");
  static_assert(
      std::apply(
          [](const auto &...each) { return record::areAllDistinct(each...); },
          fields),
      "fieldsOf() lists each member once, by a name of its own");
  return fields;
}

/// Calls `visit(Field, value)` for each field, in the order of the list.
/// `RecordT` is the record or the constant record.
template <typename RecordT, typename Visitor>
void visitFields(RecordT &record, Visitor &&visit) {
  std::apply(
      [&](const auto &...each) { (visit(each, record.*each.member), ...); },
      listFields<std::remove_const_t<RecordT>>());
}

/// Appends a text that no other value of the type has, and that distinguishes
/// its own end. Of records, only the fields that have a meaning count. Types
/// that are no records have overloads beside them.
template <typename T> void appendKey(std::string &key, const T &value) {
  if constexpr (std::is_enum_v<T>) {
    appendKey(key, static_cast<std::underlying_type_t<T>>(value));
  } else if constexpr (std::is_integral_v<T>) {
    key += std::to_string(value);
    key += ';';
  } else if constexpr (std::is_floating_point_v<T>) {
    char text[64];
    std::snprintf(text, sizeof(text), "%a;", static_cast<double>(value));
    key += text;
  } else if constexpr (std::is_convertible_v<T, std::string_view>) {
    std::string_view text = value;
    key += std::to_string(text.size());
    key += ':';
    key += text;
  } else if constexpr (isRecord<T>) {
    key += '{';
    visitFields(value, [&](const auto &field, const auto &content) {
      if (field.use != FieldUse::Meaning)
        return;
      key += field.name;
      key += '=';
      appendKey(key, content);
    });
    key += '}';
  } else if constexpr (record::IsOptional<T>::value) {
    key += value ? '+' : '-';
    if (value)
      appendKey(key, *value);
  } else if constexpr (record::IsPair<T>::value) {
    appendKey(key, value.first);
    appendKey(key, value.second);
  } else {
    static_assert(record::IsRange<T>::value, "no key of such a value");
    key += '[';
    appendKey(key, static_cast<uint64_t>(value.size()));
    for (const auto &element : value)
      appendKey(key, element);
    key += ']';
  }
}

/// The key of one value.
template <typename T> std::string keyOf(const T &value) {
  std::string key;
  appendKey(key, value);
  return key;
}

} // namespace tc

#endif // TC_SUPPORT_RECORD_H
