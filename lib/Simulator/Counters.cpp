//===- Counters.cpp - Sums of counters ------------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Adding up counters.
//
//===----------------------------------------------------------------------===//

#include "tc/Simulator/CounterFields.h"

#include <algorithm>

using namespace tc;
using namespace tc::sim;

const char *tc::sim::getName(InstructionKind kind) {
  static constexpr const char *names[numInstructionKinds] = {
      "fma.f32",   "fma.f64",   "fma.f16",   "mma.f64",   "mma.tf32",
      "mma.f16",   "mma.f8",    "mma.i8",    "float",     "integer",
      "ld.global", "st.global", "ld.shared", "st.shared", "ldmatrix",
      "stmatrix",  "cp.async",  "atomic",    "barrier",   "branch",
      "other"};
  return names[static_cast<std::size_t>(kind)];
}

/// Adds the counts of another launch.
template <typename T> static void add(T &to, const T &from) {
  if constexpr (record::IsOptional<T>::value) {
    if (to && from)
      *to += *from;
    else if (from)
      to = from;
  } else if constexpr (record::IsVector<T>::value) {
    if (to.size() < from.size())
      to.resize(from.size());
    for (std::size_t i = 0; i < from.size(); ++i)
      to[i] += from[i];
  } else if constexpr (record::IsArray<T>::value) {
    for (std::size_t i = 0; i < from.size(); ++i)
      to[i] += from[i];
  } else {
    to += from;
  }
}

template <typename T> static T &addFields(T &to, const T &from) {
  visitFields(to, [&](const auto &field, auto &value) {
    add(value, from.*field.member);
  });
  return to;
}

BufferTraffic &BufferTraffic::operator+=(const BufferTraffic &other) {
  return addFields(*this, other);
}

SharedTraffic &SharedTraffic::operator+=(const SharedTraffic &other) {
  return addFields(*this, other);
}

AccessCounts &AccessCounts::operator+=(const AccessCounts &other) {
  return addFields(*this, other);
}

AccessCounts &AccessCounts::operator-=(const AccessCounts &other) {
  visitFields(*this, [&](const auto &field, auto &value) {
    value -= other.*field.member;
  });
  return *this;
}

AsyncTraffic &AsyncTraffic::operator+=(const AsyncTraffic &other) {
  bytes += other.bytes;
  groups += other.groups;
  maxGroups = std::max(maxGroups, other.maxGroups);
  maxBytes = std::max(maxBytes, other.maxBytes);
  return *this;
}

Counters &Counters::operator+=(const Counters &other) {
  return addFields(*this, other);
}
