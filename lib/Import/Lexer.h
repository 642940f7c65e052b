//===- Lexer.h - Tokens of the contraction notations ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The notations differ in grammar, not in tokens: names, numbers, punctuation
// and comments from `#` to the end of the line.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_IMPORT_LEXER_H
#define TC_LIB_IMPORT_LEXER_H

#include "tc/Import/ParsedContraction.h"

namespace tc::notation {

struct Token {
  enum class Kind {
    Identifier, ///< [A-Za-z_][A-Za-z0-9_]*
    Number,     ///< unsigned, decimal, with optional fraction and exponent
    Punctuator, ///< one of `[](),;:*=+-`, `->`, `+=`, `-=`, `...`
    Symbol,     ///< one character beyond ASCII, in UTF-8
    Newline,
    End,
    Invalid ///< any other byte, and numbers that run into a letter
  };

  Kind kind = Kind::End;
  std::string_view text;
  SourcePosition position;

  bool is(Kind k) const { return kind == k; }
  bool is(std::string_view punctuator) const {
    return kind == Kind::Punctuator && text == punctuator;
  }
  bool endsLine() const { return kind == Kind::Newline || kind == Kind::End; }
  /// The name of the token in a message: 'x', end of line, end of input.
  std::string describe() const;
};

class Lexer {
public:
  /// New lines are skipped like blanks where they mean nothing.
  enum class Newlines { Skip, Keep };

  Lexer(std::string_view text, Newlines newlines)
      : text(text), newlines(newlines) {}

  /// The next token; `End` again and again at the end.
  Token next();

private:
  char peek(size_t ahead = 0) const;
  void skipBlanks();
  Token take(Token::Kind kind, size_t length);
  size_t numberLength() const;

  std::string_view text;
  Newlines newlines;
  size_t offset = 0;
  SourcePosition position;
};

} // namespace tc::notation

#endif // TC_LIB_IMPORT_LEXER_H
