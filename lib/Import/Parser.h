//===- Parser.h - Common parts of the notations' parsers --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recursive descent with one token of look-ahead. Every parse function returns
// true on success; on failure it has written the diagnostic.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_IMPORT_PARSER_H
#define TC_LIB_IMPORT_PARSER_H

#include "Draft.h"
#include "Lexer.h"

namespace tc::notation {

class Parser {
public:
  Parser(std::string_view text, Lexer::Newlines newlines,
         std::string_view source, Diagnostic &diagnostic)
      : lexer(text, newlines), source(source), diagnostic(diagnostic),
        textBytes(text.size()) {
    advance();
  }

  /// Refuses texts above the limit.
  bool checkLength();

  /// `a = 24` for as many as there are, separated by commas, semicolons or new
  /// lines, up to the end of the text; each label at most once.
  bool parseExtentList(std::vector<Extent> &extents);

  /// `8x3x4, 8x4x5` up to the end of the text, or to a token that is no shape.
  /// Consumes the separator before that.
  bool parseShapeList(std::vector<Shape> &shapes);

protected:
  bool error(SourcePosition position, std::string message);
  /// "expected X, found <the current token>", at the current token.
  bool expected(const std::string &what);

  void advance() { token = lexer.next(); }
  bool consumeIf(std::string_view punctuator);
  bool expect(std::string_view punctuator);
  void skipNewlines();

  bool parseIdentifier(const std::string &what, Label &result);
  /// A name of limited length.
  bool parseName(const std::string &what, Label &result);
  /// The same for an index, which may also be one symbol: a digit, or a
  /// character beyond ASCII.
  bool parseIndexName(const std::string &what, Label &result);
  /// Adds the name of an index to a list of limited length.
  bool addLabel(Label label, std::vector<Label> &labels);
  /// An integer of at least zero; `label` is whose extent it is.
  bool parseExtent(const std::string &label, Extent &result);
  /// A number with an optional sign.
  bool parseReal(const std::string &what, model::Constant &result);
  /// The current token, a number without a sign, negated if `isNegative`.
  bool parseUnsignedReal(model::Constant &result, bool isNegative = false);
  /// The letters of an identifier as labels of one letter each.
  bool splitLetters(const Token &letters, std::vector<Label> &labels);
  /// Returns true if the current token may have symbols that are indices.
  bool isAtSymbols() const;
  /// The symbols of the current token, which are letters, digits and characters
  /// beyond ASCII, as labels of one symbol each.
  bool splitSymbols(std::vector<Label> &labels);
  /// Checks that a label has no extent yet, and that there may be one more.
  bool checkIsNew(const Label &label, const std::vector<Extent> &extents);
  /// `=` and the extent of a label that was just read.
  bool parseAssignedExtent(const Label &label, std::vector<Extent> &extents);
  /// 'row' or 'col'.
  bool parseLayout(Layout &layout);
  bool parseElementType(std::optional<model::ElementType> &type);
  /// Returns true if the current token begins a shape.
  bool isAtShape() const;
  /// Extents with 'x' between them, or `[]`.
  bool parseShape(Shape &result);
  /// The separator of assignments, or the end of the text.
  bool parseSeparators();

  Token token;

private:
  Lexer lexer;
  std::string source;
  Diagnostic &diagnostic;
  size_t textBytes;
};

} // namespace tc::notation

#endif // TC_LIB_IMPORT_PARSER_H
