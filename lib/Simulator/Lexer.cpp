//===- Lexer.cpp - PTX tokens ---------------------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Splits PTX text into tokens.
//
//===----------------------------------------------------------------------===//

#include "Lexer.h"

#include <cstdlib>
#include <cstring>
#include <string>

using namespace tc::sim;

static bool isDigit(char c) { return c >= '0' && c <= '9'; }
static bool isLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
static bool isNameStart(char c) {
  return isLetter(c) || c == '_' || c == '$' || c == '%';
}
static bool isNamePart(char c) {
  return isLetter(c) || isDigit(c) || c == '_' || c == '$';
}

/// The value of a digit of a base up to 16, or 16.
static unsigned digitValue(char c) {
  if (isDigit(c))
    return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f')
    return static_cast<unsigned>(c - 'a') + 10;
  if (c >= 'A' && c <= 'F')
    return static_cast<unsigned>(c - 'A') + 10;
  return 16;
}

Token Lexer::make(Token::Kind kind, std::size_t length) {
  Token token;
  token.kind = kind;
  token.line = line;
  token.text = text.substr(position, length);
  position += length;
  return token;
}

Token Lexer::invalid(std::string_view why) {
  Token token;
  token.kind = Token::Kind::Invalid;
  token.line = line;
  token.text = why;
  position = text.size();
  return token;
}

/// Moves past white space and comments; false if a comment has no end.
bool Lexer::skipBlanks() {
  while (position < text.size()) {
    char c = text[position];
    if (c == '\n') {
      ++line;
      ++position;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
      ++position;
    } else if (text.compare(position, 2, "//") == 0) {
      position = text.find('\n', position);
      if (position == std::string_view::npos)
        position = text.size();
    } else if (text.compare(position, 2, "/*") == 0) {
      std::size_t end = text.find("*/", position + 2);
      if (end == std::string_view::npos)
        return false;
      for (; position < end; ++position)
        line += text[position] == '\n';
      position = end + 2;
    } else {
      return true;
    }
  }
  return true;
}

Token Lexer::number() {
  std::string_view rest = text.substr(position);
  // Floating-point bit patterns: 0f and 8 digits, 0d and 16 digits.
  if (rest.size() > 1 && rest[0] == '0' &&
      std::strchr("fFdD", rest[1]) != nullptr && rest[1] != '\0') {
    bool isSingle = rest[1] == 'f' || rest[1] == 'F';
    std::size_t digits = isSingle ? 8 : 16;
    std::uint64_t bits = 0;
    std::size_t i = 2;
    for (; i < rest.size() && digitValue(rest[i]) < 16 && i < digits + 2; ++i)
      bits = bits * 16 + digitValue(rest[i]);
    if (i != digits + 2 || (i < rest.size() && isNamePart(rest[i])))
      return invalid("malformed floating-point literal");
    Token token = make(Token::Kind::Float, i);
    token.bits = bits;
    token.floatBits = isSingle ? 32 : 64;
    return token;
  }

  unsigned base = 10;
  std::size_t i = 0;
  if (rest.size() > 1 && rest[0] == '0') {
    if (rest[1] == 'x' || rest[1] == 'X') {
      base = 16;
      i = 2;
    } else if ((rest[1] == 'b' || rest[1] == 'B')) {
      base = 2;
      i = 2;
    } else if (isDigit(rest[1])) {
      base = 8;
      i = 1;
    }
  }
  std::size_t firstDigit = i;
  std::uint64_t bits = 0;
  for (; i < rest.size() && digitValue(rest[i]) < base; ++i) {
    std::uint64_t digit = digitValue(rest[i]);
    if (bits > (UINT64_MAX - digit) / base)
      return invalid("integer literal does not fit 64 bits");
    bits = bits * base + digit;
  }
  if (i == firstDigit)
    return invalid("malformed integer literal");

  // A decimal number with a fraction or an exponent is a double.
  if (base == 10 && i < rest.size() &&
      ((rest[i] == '.' && i + 1 < rest.size() && isDigit(rest[i + 1])) ||
       rest[i] == 'e' || rest[i] == 'E')) {
    std::size_t end = i;
    while (end < rest.size() && end < 64 &&
           (isDigit(rest[end]) || rest[end] == '.' || rest[end] == 'e' ||
            rest[end] == 'E' ||
            ((rest[end] == '-' || rest[end] == '+') &&
             (rest[end - 1] == 'e' || rest[end - 1] == 'E'))))
      ++end;
    std::string digits(rest.substr(0, end));
    char *parsed = nullptr;
    double value = std::strtod(digits.c_str(), &parsed);
    if (parsed != digits.c_str() + digits.size())
      return invalid("malformed floating-point literal");
    Token token = make(Token::Kind::Float, end);
    std::memcpy(&token.bits, &value, sizeof(value));
    token.floatBits = 64;
    return token;
  }

  if (i < rest.size() && rest[i] == 'U')
    ++i;
  if (i < rest.size() && isNamePart(rest[i]))
    return invalid("malformed integer literal");
  Token token = make(Token::Kind::Integer, i);
  token.bits = bits;
  return token;
}

Token Lexer::next() {
  if (!skipBlanks())
    return invalid("comment without an end");
  if (position >= text.size()) {
    position = text.size();
    return make(Token::Kind::End, 0);
  }
  char c = text[position];
  if (isNameStart(c)) {
    std::size_t length = 1;
    while (position + length < text.size() &&
           isNamePart(text[position + length]))
      ++length;
    return make(Token::Kind::Identifier, length);
  }
  if (isDigit(c))
    return number();
  if (c == '.') {
    std::size_t length = 1;
    while (position + length < text.size() &&
           (isNamePart(text[position + length]) ||
            text.compare(position + length, 2, "::") == 0))
      length += text[position + length] == ':' ? 2 : 1;
    if (length == 1)
      return invalid("a dot without a name");
    Token token = make(Token::Kind::DotWord, length);
    token.text.remove_prefix(1);
    return token;
  }
  if (c == '"') {
    std::size_t end = text.find_first_of("\"\n", position + 1);
    if (end == std::string_view::npos || text[end] != '"')
      return invalid("string without an end");
    return make(Token::Kind::String, end + 1 - position);
  }
  if (std::strchr("{}[]()<>,;:+-=!@|*", c) != nullptr && c != '\0')
    return make(Token::Kind::Punctuation, 1);
  return invalid("unexpected character");
}
