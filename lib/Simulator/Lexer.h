//===- Lexer.h - PTX tokens -------------------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Splits PTX text into tokens.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_SIMULATOR_LEXER_H
#define TC_LIB_SIMULATOR_LEXER_H

#include <cstdint>
#include <string_view>

namespace tc::sim {

struct Token {
  enum class Kind : std::uint8_t {
    End,
    Identifier, ///< `%r1`, `$L__BB0_1`, `add`, `_`
    DotWord,    ///< `.shared::cta`; the text leaves out the first dot
    Integer,    ///< value in `bits`
    Float,      ///< bit pattern in `bits`, width in `floatBits`
    String,
    Punctuation, ///< one character
    Invalid,     ///< `text` says what is wrong
  };

  Kind kind = Kind::End;
  std::uint8_t floatBits = 0;
  std::uint32_t line = 1;
  std::uint64_t bits = 0;
  std::string_view text;

  bool is(char punctuation) const {
    return kind == Kind::Punctuation && text.front() == punctuation;
  }
  bool isDotWord(std::string_view word) const {
    return kind == Kind::DotWord && text == word;
  }
  const char *begin() const { return text.data(); }
  const char *end() const { return text.data() + text.size(); }
};

class Lexer {
public:
  explicit Lexer(std::string_view text) : text(text) {}
  Token next();

private:
  bool skipBlanks();
  Token number();
  Token make(Token::Kind kind, std::size_t length);
  Token invalid(std::string_view why);

  std::string_view text;
  std::size_t position = 0;
  std::uint32_t line = 1;
};

} // namespace tc::sim

#endif // TC_LIB_SIMULATOR_LEXER_H
