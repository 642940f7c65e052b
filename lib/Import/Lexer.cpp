//===- Lexer.cpp - Tokens of the contraction notations --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Characters to tokens. Written without <cctype>: notations are UTF-8, whatever
// the locale.
//
//===----------------------------------------------------------------------===//

#include "Lexer.h"

#include "Symbols.h"

#include <algorithm>

using namespace tc;
using namespace tc::notation;

static bool isDigit(char c) { return c >= '0' && c <= '9'; }
static bool isIdentifierStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
static bool isIdentifierPart(char c) {
  return isIdentifierStart(c) || isDigit(c);
}

std::string Token::describe() const {
  if (kind == Kind::Newline)
    return "end of line";
  if (kind == Kind::End)
    return "end of input";
  // Long tokens are cut and unprintable bytes shown in hexadecimal: a message
  // is one line.
  constexpr size_t shownBytes = 32;
  constexpr std::string_view digits = "0123456789abcdef";
  std::string shown = "'";
  for (char c : text.substr(0, shownBytes)) {
    auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      shown += c;
    } else {
      shown += "\\x";
      shown += digits[byte >> 4];
      shown += digits[byte & 15];
    }
  }
  return shown + (text.size() > shownBytes ? "...'" : "'");
}

char Lexer::peek(size_t ahead) const {
  return offset + ahead < text.size() ? text[offset + ahead] : '\0';
}

Token Lexer::take(Token::Kind kind, size_t length) {
  Token token{kind, text.substr(offset, length), position};
  offset += length;
  position.column +=
      kind == Token::Kind::Symbol ? 1 : static_cast<unsigned>(length);
  if (kind == Token::Kind::Newline) {
    ++position.line;
    position.column = 1;
  }
  return token;
}

void Lexer::skipBlanks() {
  while (offset < text.size()) {
    char c = text[offset];
    size_t length = 1;
    if (c == '#')
      length = std::min(text.find('\n', offset), text.size()) - offset;
    else if (c != ' ' && c != '\t' && c != '\r' &&
             (c != '\n' || newlines == Newlines::Keep))
      return;
    take(c == '\n' ? Token::Kind::Newline : Token::Kind::End, length);
  }
}

size_t Lexer::numberLength() const {
  size_t length = 0;
  while (isDigit(peek(length)))
    ++length;
  if (peek(length) == '.' && peek(length + 1) != '.') {
    ++length;
    while (isDigit(peek(length)))
      ++length;
  }
  if (peek(length) == 'e' || peek(length) == 'E') {
    size_t sign = peek(length + 1) == '+' || peek(length + 1) == '-' ? 1 : 0;
    if (isDigit(peek(length + 1 + sign))) {
      length += 1 + sign;
      while (isDigit(peek(length)))
        ++length;
    }
  }
  return length;
}

Token Lexer::next() {
  skipBlanks();
  if (offset == text.size())
    return take(Token::Kind::End, 0);
  char c = text[offset];
  if (c == '\n')
    return take(Token::Kind::Newline, 1);
  if (isIdentifierStart(c)) {
    size_t length = 1;
    while (isIdentifierPart(peek(length)))
      ++length;
    return take(Token::Kind::Identifier, length);
  }
  if (isDigit(c) || (c == '.' && isDigit(peek(1)))) {
    size_t length = numberLength();
    if (!isIdentifierPart(peek(length)))
      return take(Token::Kind::Number, length);
    while (isIdentifierPart(peek(length)))
      ++length;
    return take(Token::Kind::Invalid, length);
  }
  if (text.substr(offset, 3) == "...")
    return take(Token::Kind::Punctuator, 3);
  if (char second = peek(1); (c == '-' && (second == '>' || second == '=')) ||
                             (c == '+' && second == '='))
    return take(Token::Kind::Punctuator, 2);
  if (std::string_view("[](),;:*=+-?").find(c) != std::string_view::npos)
    return take(Token::Kind::Punctuator, 1);
  if (static_cast<unsigned char>(c) >= 0x80)
    if (std::optional<Symbol> symbol = firstSymbol(text.substr(offset)))
      return take(Token::Kind::Symbol, symbol->bytes);
  return take(Token::Kind::Invalid, 1);
}
