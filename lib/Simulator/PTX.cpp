//===- PTX.cpp - Types of PTX ---------------------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The fundamental types and their names.
//
//===----------------------------------------------------------------------===//

#include "PTX.h"

using namespace tc::sim;

std::optional<ScalarType> tc::sim::parseScalarType(std::string_view name) {
  if (name == "pred")
    return ScalarType{Interpretation::Bits, 1};
  if (name.size() < 2)
    return std::nullopt;
  ScalarType type;
  std::string_view bits = name.substr(1);
  if (bits == "8")
    type.bits = 8;
  else if (bits == "16")
    type.bits = 16;
  else if (bits == "32")
    type.bits = 32;
  else if (bits == "64")
    type.bits = 64;
  else
    return std::nullopt;
  switch (name[0]) {
  case 'b':
    type.interpretation = Interpretation::Bits;
    return type;
  case 'u':
    type.interpretation = Interpretation::Unsigned;
    return type;
  case 's':
    type.interpretation = Interpretation::Signed;
    return type;
  case 'f':
    type.interpretation = Interpretation::Float;
    if (type.bits >= 16)
      return type;
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

std::string tc::sim::getName(ScalarType type) {
  if (type.isPredicate())
    return ".pred";
  const char letters[] = {'b', 'u', 's', 'f'};
  return std::string(".") + letters[static_cast<int>(type.interpretation)] +
         std::to_string(type.bits);
}

std::string tc::sim::onOneLine(std::string_view text) {
  std::string line;
  for (char c : text) {
    bool isBlank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!isBlank)
      line += c;
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
    if (line.size() > 160)
      return line + "...";
  }
  return line;
}
