//===- Symbols.cpp - Indices that are one character -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Symbols.h"

#include <charconv>

using namespace tc;
using namespace tc::notation;

static constexpr uint32_t last = 0x10ffff, firstSurrogate = 0xd800,
                          lastSurrogate = 0xdfff;

static bool isLetter(uint32_t number) {
  return (number >= 'a' && number <= 'z') || (number >= 'A' && number <= 'Z');
}

static bool isSurrogate(uint32_t number) {
  return number >= firstSurrogate && number <= lastSurrogate;
}

/// Returns true if it is no identifier by itself.
static bool isSpelled(uint32_t number) {
  return (number >= '0' && number <= '9') ||
         (number >= 0x80 && number <= last && !isSurrogate(number));
}

std::optional<Symbol> notation::firstSymbol(std::string_view text) {
  if (text.empty())
    return std::nullopt;
  auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  unsigned char first = byte(0);
  if (first < 0x80)
    return Symbol{first, 1};
  size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  // The least number that takes so many bytes.
  constexpr uint32_t least[] = {0x80, 0x800, 0x10000};
  if (first < 0xc0 || first >= 0xf8 || text.size() < bytes)
    return std::nullopt;
  uint32_t number = first & (0xffu >> (bytes + 1));
  for (size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80)
      return std::nullopt;
    number = number << 6 | (byte(i) & 0x3f);
  }
  if (number < least[bytes - 2] || !isSpelled(number))
    return std::nullopt;
  return Symbol{number, bytes};
}

bool notation::isIndexSymbol(const Symbol &symbol) {
  return isLetter(symbol.number) || isSpelled(symbol.number);
}

std::string notation::nameOfSymbol(const Symbol &symbol) {
  if (!isSpelled(symbol.number))
    return std::string(1, static_cast<char>(symbol.number));
  char digits[8];
  auto end = std::to_chars(digits, digits + sizeof(digits), symbol.number, 16);
  return "u" + std::string(digits, end.ptr);
}

static std::string encode(uint32_t number) {
  auto byte = [](uint32_t bits) { return static_cast<char>(bits); };
  auto following = [&](int shift) {
    return byte(0x80 | ((number >> shift) & 0x3f));
  };
  if (number < 0x80)
    return {byte(number)};
  if (number < 0x800)
    return {byte(0xc0 | number >> 6), following(0)};
  if (number < 0x10000)
    return {byte(0xe0 | number >> 12), following(6), following(0)};
  return {byte(0xf0 | number >> 18), following(12), following(6), following(0)};
}

std::string notation::symbolOfName(const std::string &name) {
  uint32_t number = 0;
  if (name.size() < 2 || name[0] != 'u')
    return name;
  const char *end = name.data() + name.size();
  auto [next, error] = std::from_chars(name.data() + 1, end, number, 16);
  if (error != std::errc() || next != end || !isSpelled(number) ||
      nameOfSymbol({number, 0}) != name)
    return name;
  return encode(number);
}
