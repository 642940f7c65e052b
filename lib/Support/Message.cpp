//===- Message.cpp - Messages of a bounded length -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Support/Message.h"

#include <string_view>

using namespace tc;

std::string tc::cutMessage(std::string message) {
  if (message.size() <= longestMessage)
    return message;
  constexpr std::string_view ellipsis = " ... ";
  constexpr size_t keptAtEnd = longestMessage / 4;
  size_t begin = longestMessage - keptAtEnd - ellipsis.size();
  size_t end = message.size() - keptAtEnd;
  auto isInsideCharacter = [&](size_t place) {
    return (static_cast<unsigned char>(message[place]) & 0xc0) == 0x80;
  };
  // No character of UTF-8 has more than four bytes.
  for (int left = 3; left > 0 && isInsideCharacter(begin); --left)
    --begin;
  for (int left = 3; left > 0 && isInsideCharacter(end); --left)
    ++end;
  message.replace(begin, end - begin, ellipsis);
  return message;
}

std::string tc::inOneLine(const std::string &message) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string line;
  line.reserve(message.size());
  for (char c : message) {
    auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f) {
      line += c;
      continue;
    }
    line += "\\x";
    line += digits[byte >> 4];
    line += digits[byte & 15];
  }
  return line;
}
