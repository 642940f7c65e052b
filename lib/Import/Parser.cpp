//===- Parser.cpp - Common parts of the notations' parsers ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers, names, extents and their messages.
//
//===----------------------------------------------------------------------===//

#include "Parser.h"

#include "Symbols.h"

#include "tc/Import/Notations.h"

#include <charconv>

using namespace tc;
using namespace tc::notation;

bool Parser::checkLength() {
  return textBytes <= maxTextBytes ||
         error({},
               "text has more than " + std::to_string(maxTextBytes) + " bytes");
}

bool Parser::error(SourcePosition position, std::string message) {
  diagnostic = {source, position, std::move(message)};
  return false;
}

bool Parser::expected(const std::string &what) {
  return error(token.position,
               "expected " + what + ", found " + token.describe());
}

bool Parser::consumeIf(std::string_view punctuator) {
  if (!token.is(punctuator))
    return false;
  advance();
  return true;
}

bool Parser::expect(std::string_view punctuator) {
  return consumeIf(punctuator) || expected("'" + std::string(punctuator) + "'");
}

void Parser::skipNewlines() {
  while (token.is(Token::Kind::Newline))
    advance();
}

bool Parser::parseIdentifier(const std::string &what, Label &result) {
  if (!token.is(Token::Kind::Identifier))
    return expected(what);
  result = {std::string(token.text), token.position};
  advance();
  return true;
}

bool Parser::parseName(const std::string &what, Label &result) {
  return parseIdentifier(what, result) &&
         (result.name.size() <= maxLabelLength ||
          error(result.position, "name is longer than " +
                                     std::to_string(maxLabelLength) +
                                     " characters"));
}

bool Parser::parseIndexName(const std::string &what, Label &result) {
  bool isDigit = token.is(Token::Kind::Number) && token.text.size() == 1;
  if (!isDigit && !token.is(Token::Kind::Symbol))
    return parseName(what, result);
  result = {nameOfSymbol(*firstSymbol(token.text)), token.position};
  advance();
  return true;
}

bool Parser::addLabel(Label label, std::vector<Label> &labels) {
  if (labels.size() == maxRank)
    return error(label.position,
                 "more than " + std::to_string(maxRank) + " indices");
  labels.push_back(std::move(label));
  return true;
}

bool Parser::parseExtent(const std::string &label, Extent &result) {
  SourcePosition position = token.position;
  bool negative = consumeIf("-");
  if (!token.is(Token::Kind::Number))
    return expected("the extent of '" + label + "'");
  std::string_view digits = token.text;
  int64_t value = 0;
  auto [end, code] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (code == std::errc::result_out_of_range)
    return error(position, "extent of '" + label + "' is above 2^63 - 1");
  if (code != std::errc() || end != digits.data() + digits.size())
    return error(position, "extent of '" + label + "' is not an integer: " +
                               std::string(negative ? "-" : "") +
                               std::string(digits.substr(0, 32)));
  if (negative)
    return error(position, "extent of '" + label + "' is negative: " + "-" +
                               std::to_string(value));
  result = {label, value, position};
  advance();
  return true;
}

bool Parser::parseUnsignedReal(model::Constant &result, bool isNegative) {
  std::string_view rest = token.text;
  std::optional<model::Constant> number = model::takeConstant(rest, isNegative);
  if (!number || !rest.empty())
    return error(token.position,
                 "number " + token.describe() + " is out of range");
  result = *number;
  advance();
  return true;
}

bool Parser::parseReal(const std::string &what, model::Constant &result) {
  bool isNegative = consumeIf("-");
  if (!token.is(Token::Kind::Number))
    return expected(what);
  return parseUnsignedReal(result, isNegative);
}

bool Parser::splitLetters(const Token &letters, std::vector<Label> &labels) {
  SourcePosition position = letters.position;
  for (char c : letters.text) {
    if (c == '_' || (c >= '0' && c <= '9'))
      return error(position, std::string("'") + c +
                                 "' is not a letter, and an index is one "
                                 "letter here");
    if (!addLabel({std::string(1, c), position}, labels))
      return false;
    ++position.column;
  }
  return true;
}

bool Parser::isAtSymbols() const {
  return token.is(Token::Kind::Identifier) || token.is(Token::Kind::Number) ||
         token.is(Token::Kind::Symbol) ||
         // A number that runs into a letter, and no other byte.
         (token.is(Token::Kind::Invalid) && token.text.size() > 1);
}

bool Parser::splitSymbols(std::vector<Label> &labels) {
  SourcePosition position = token.position;
  for (std::string_view rest = token.text; !rest.empty();) {
    Symbol symbol = *firstSymbol(rest);
    if (!isIndexSymbol(symbol))
      return error(position, std::string("'") + rest.front() +
                                 "' is not a letter, and an index is one "
                                 "letter here");
    if (!addLabel({nameOfSymbol(symbol), position}, labels))
      return false;
    rest.remove_prefix(symbol.bytes);
    ++position.column;
  }
  advance();
  return true;
}

bool Parser::checkIsNew(const Label &label,
                        const std::vector<Extent> &extents) {
  for (const Extent &extent : extents)
    if (extent.label == label.name)
      return error(label.position,
                   "extent of '" + label.name + "' is given twice");
  return extents.size() < maxExtents ||
         error(label.position,
               "more than " + std::to_string(maxExtents) + " extents");
}

bool Parser::parseAssignedExtent(const Label &label,
                                 std::vector<Extent> &extents) {
  Extent extent;
  if (!checkIsNew(label, extents) || !expect("=") ||
      !parseExtent(label.name, extent))
    return false;
  extent.position = label.position;
  extents.push_back(std::move(extent));
  return true;
}

bool Parser::parseLayout(Layout &layout) {
  Label value;
  if (!parseName("'row' or 'col'", value))
    return false;
  std::optional<Layout> known = symbolizeLayout(value.name);
  if (!known)
    return error(value.position, "unknown layout '" + value.name +
                                     "': expected 'row' or 'col'");
  layout = *known;
  return true;
}

bool Parser::parseElementType(std::optional<model::ElementType> &type) {
  Label value;
  if (!parseName("an element type", value))
    return false;
  type = model::symbolizeElementType(value.name);
  return type ||
         error(value.position, "unsupported element type '" + value.name +
                                   "': expected " + model::elementTypeNames());
}

bool Parser::parseSeparators() {
  if (token.endsLine()) {
    skipNewlines();
    return true;
  }
  if (!consumeIf(",") && !consumeIf(";"))
    return expected("',' or a new line");
  skipNewlines();
  return true;
}

bool Parser::parseExtentList(std::vector<Extent> &extents) {
  skipNewlines();
  while (!token.is(Token::Kind::End)) {
    Label label;
    if (!parseIndexName("the name of an index", label) ||
        !parseAssignedExtent(label, extents) || !parseSeparators())
      return false;
  }
  return true;
}

bool Parser::isAtShape() const {
  bool isNumber = token.is(Token::Kind::Number) ||
                  (token.is(Token::Kind::Invalid) && token.text[0] >= '0' &&
                   token.text[0] <= '9');
  return token.is("[") || isNumber;
}

bool Parser::parseShape(Shape &result) {
  result = {{}, token.position};
  if (consumeIf("["))
    return expect("]");
  if (!isAtShape())
    return expected("a shape such as 8x3x4");
  std::string_view rest = token.text;
  for (;;) {
    int64_t extent = 0;
    auto [end, code] =
        std::from_chars(rest.data(), rest.data() + rest.size(), extent);
    if (code == std::errc::result_out_of_range)
      return error(token.position, "shape " + token.describe() +
                                       " has an extent above 2^63 - 1");
    size_t length = static_cast<size_t>(end - rest.data());
    bool isLast = length == rest.size();
    // A sign is no part of the token.
    if (code != std::errc() || (!isLast && rest[length] != 'x'))
      return error(token.position,
                   "shape " + token.describe() +
                       " is not extents with 'x' between them, as in 8x3x4");
    if (result.extents.size() == maxRank)
      return error(token.position, "shape with more than " +
                                       std::to_string(maxRank) + " extents");
    result.extents.push_back(extent);
    if (isLast)
      break;
    rest.remove_prefix(length + 1);
  }
  advance();
  return true;
}

bool Parser::parseShapeList(std::vector<Shape> &shapes) {
  for (;;) {
    Shape shape;
    if (!parseShape(shape))
      return false;
    if (shapes.size() == maxOperands)
      return error(shape.position,
                   "more than " + std::to_string(maxOperands) + " shapes");
    shapes.push_back(std::move(shape));
    bool mayContinue = token.is(",");
    if (!parseSeparators())
      return false;
    if (!mayContinue || !isAtShape())
      return true;
  }
}

std::optional<std::vector<Shape>>
notation::parseShapes(std::string_view text, std::string_view source,
                      Diagnostic &diagnostic) {
  class ShapesParser : public Parser {
  public:
    using Parser::Parser;
    bool parse(std::vector<Shape> &shapes) {
      return checkLength() && parseShapeList(shapes) &&
             (token.is(Token::Kind::End) || expected("the end of the shapes"));
    }
  };
  ShapesParser parser(text, Lexer::Newlines::Keep, source, diagnostic);
  std::vector<Shape> shapes;
  if (!parser.parse(shapes))
    return std::nullopt;
  return shapes;
}

std::optional<std::vector<Extent>>
notation::parseExtents(std::string_view text, std::string_view source,
                       Diagnostic &diagnostic) {
  Parser parser(text, Lexer::Newlines::Keep, source, diagnostic);
  std::vector<Extent> extents;
  if (!parser.checkLength() || !parser.parseExtentList(extents))
    return std::nullopt;
  return extents;
}

std::optional<Notation> notation::notationOfFile(std::string_view path) {
  auto endsWith = [&](std::string_view suffix) {
    return path.size() > suffix.size() &&
           path.substr(path.size() - suffix.size()) == suffix;
  };
  if (endsWith(".einsum"))
    return Notation::Einsum;
  if (endsWith(".tccg"))
    return Notation::TCCG;
  if (endsWith(".cogent") || endsWith(".in"))
    return Notation::Cogent;
  return std::nullopt;
}

Notation notation::notationOfSpec(std::string_view spec) {
  return spec.find(',') != std::string_view::npos ||
                 spec.find("->") != std::string_view::npos ||
                 spec.find('-') == std::string_view::npos
             ? Notation::Einsum
             : Notation::TCCG;
}

std::optional<std::vector<ParsedContraction>>
notation::parse(Notation notation, std::string_view text,
                const ParseOptions &options, Diagnostic &diagnostic) {
  if (notation != Notation::Einsum && !refuseShapes(options, diagnostic))
    return std::nullopt;
  switch (notation) {
  case Notation::Einsum:
    return parseEinsum(text, options, diagnostic);
  case Notation::TCCG:
    return parseTCCG(text, options, diagnostic);
  case Notation::Cogent:
    return parseCogent(text, options, diagnostic);
  }
  return std::nullopt;
}
