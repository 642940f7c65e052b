//===- ProgramParser.cpp - Statements with temporaries --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the two notations of programs, which differ in the separators of
// indices, in the signs between factors and in the statements of extents.
//
//===----------------------------------------------------------------------===//

#include "DraftProgram.h"
#include "Parser.h"

#include <algorithm>
#include <set>

using namespace tc;
using namespace tc::notation;

namespace {

class ProgramParser : public Parser {
public:
  ProgramParser(ProgramNotation notation, std::string_view text,
                std::string_view source, Diagnostic &diagnostic)
      : Parser(text, Lexer::Newlines::Keep, source, diagnostic),
        isOctopi(notation == ProgramNotation::Octopi) {}

  bool parse(DraftProgram &program);

private:
  /// Behind a token that cannot end a statement.
  bool consumeAndContinue(std::string_view punctuator);

  bool parseIndices(std::vector<Label> &labels);
  bool parseFactors(Label first, DraftProduct &product);
  bool parseProduct(bool negative, DraftProduct &product);
  bool parseSigned(bool flips, std::vector<DraftProduct> &products,
                   bool (ProgramParser::*parse)(bool,
                                                std::vector<DraftProduct> &));
  bool addProduct(std::vector<DraftProduct> &products);
  bool parsePlainTerm(bool negative, std::vector<DraftProduct> &products);
  bool parseOctopiTerm(bool negative, std::vector<DraftProduct> &products);
  bool parseSum(bool negative, std::vector<DraftProduct> &products);
  bool checkSummed(const DraftProduct &product,
                   const std::vector<Label> &summed);
  bool parseStatement(const Label &name, DraftProgram &program);
  bool parseOutputs(const Label &keyword, DraftProgram &program);
  bool parseSetting(const Label &key, DraftProgram &program);
  bool parseExtentOrUnknown(const Label &label, Extent &extent);
  bool parseChain(Label first, DraftProgram &program);
  bool parseLine(DraftProgram &program);

  bool isOctopi;
  /// True if new lines end nothing.
  bool isInSum = false;
  /// The output of the statement that is read.
  DraftTensor output;
  size_t numProducts = 0;
  std::set<std::string> settings;
};

bool ProgramParser::consumeAndContinue(std::string_view punctuator) {
  if (!consumeIf(punctuator))
    return false;
  skipNewlines();
  return true;
}

/// '[' [indices] ']', with commas between them or, in OCTOPI's notation,
/// blanks.
bool ProgramParser::parseIndices(std::vector<Label> &labels) {
  if (!expect("["))
    return false;
  skipNewlines();
  while (!token.is("]")) {
    Label label;
    if (!parseName("the name of an index", label) || !addLabel(label, labels))
      return false;
    skipNewlines();
    bool hasComma = consumeAndContinue(",");
    if (hasComma && token.is("]"))
      return expected("the name of an index");
    if (!hasComma && !token.is("]") &&
        !(isOctopi && token.is(Token::Kind::Identifier)))
      return expected(isOctopi ? "the name of an index or ']'" : "',' or ']'");
  }
  advance();
  return true;
}

/// Tensors with '*' between them, behind the name of the first; OCTOPI may
/// leave it out.
bool ProgramParser::parseFactors(Label first, DraftProduct &product) {
  for (Label name = std::move(first);;) {
    if (product.factors.size() == maxOperands)
      return error(name.position,
                   "more than " + std::to_string(maxOperands) + " factors");
    DraftTensor &factor = product.factors.emplace_back();
    factor.name = name.name;
    factor.position = name.position;
    if (!parseIndices(factor.labels))
      return false;
    if (!consumeAndContinue("*") &&
        !(isOctopi && token.is(Token::Kind::Identifier)))
      return true;
    if (!parseName("a tensor", name))
      return false;
  }
}

/// [number '*'] factors
bool ProgramParser::parseProduct(bool negative, DraftProduct &product) {
  product.factor = {negative ? -1.0 : 1.0, token.position};
  if (token.is(Token::Kind::Number)) {
    if (!parseUnsignedReal(product.factor.value, negative))
      return false;
    if (!consumeAndContinue("*"))
      return expected("'*'");
  }
  Label name;
  return parseName("a tensor", name) && parseFactors(std::move(name), product);
}

/// [sign] term { sign term }
bool ProgramParser::parseSigned(
    bool flips, std::vector<DraftProduct> &products,
    bool (ProgramParser::*parse)(bool, std::vector<DraftProduct> &)) {
  bool negative = token.is("-");
  if (negative || token.is("+"))
    advance();
  for (;;) {
    if (!(this->*parse)(negative != flips, products))
      return false;
    if (isInSum)
      skipNewlines();
    negative = token.is("-");
    if (!consumeAndContinue("+") && !consumeAndContinue("-"))
      return true;
  }
}

bool ProgramParser::addProduct(std::vector<DraftProduct> &products) {
  if (numProducts++ == maxContractions)
    return error(token.position,
                 "more than " + std::to_string(maxContractions) + " products");
  products.emplace_back();
  return true;
}

bool ProgramParser::parsePlainTerm(bool negative,
                                   std::vector<DraftProduct> &products) {
  if (numProducts++ == maxContractions)
    return error(token.position,
                 "more than " + std::to_string(maxContractions) + " products");
  return parseProduct(negative, products.emplace_back());
}

/// A product or a sum. A tensor may be called "Sum", too.
bool ProgramParser::parseOctopiTerm(bool negative,
                                    std::vector<DraftProduct> &products) {
  if (!token.is(Token::Kind::Identifier) || token.text != "Sum")
    return parsePlainTerm(negative, products);
  Label name;
  if (!parseName("'Sum'", name))
    return false;
  if (token.is("("))
    return parseSum(negative, products);
  if (!addProduct(products))
    return false;
  products.back().factor = {negative ? -1.0 : 1.0, name.position};
  return parseFactors(std::move(name), products.back());
}

/// '(' '[' indices ']' ',' products ')' behind 'Sum'
bool ProgramParser::parseSum(bool negative,
                             std::vector<DraftProduct> &products) {
  advance();
  skipNewlines();
  std::vector<Label> summed;
  if (!parseIndices(summed) || !expect(","))
    return false;
  skipNewlines();
  for (size_t i = 0; i < summed.size(); ++i) {
    const auto &[name, position] = summed[i];
    for (size_t j = 0; j < i; ++j)
      if (summed[j].name == name)
        return error(position, "index '" + name + "' is summed twice");
    if (contains(output.labels, name))
      return error(position,
                   "index '" + name + "' is summed and in the output");
  }
  size_t before = products.size();
  isInSum = true;
  if (!parseSigned(negative, products, &ProgramParser::parsePlainTerm))
    return false;
  isInSum = false;
  if (!consumeIf(")"))
    return expected("'*', '+', '-' or ')'");
  return std::all_of(
      products.begin() + static_cast<std::ptrdiff_t>(before), products.end(),
      [&](const DraftProduct &each) { return checkSummed(each, summed); });
}

/// Every index that the output lacks is summed, and no other.
bool ProgramParser::checkSummed(const DraftProduct &product,
                                const std::vector<Label> &summed) {
  for (const Label &label : summed)
    if (std::none_of(product.factors.begin(), product.factors.end(),
                     [&](const DraftTensor &factor) {
                       return contains(factor.labels, label.name);
                     }))
      return error(label.position,
                   "index '" + label.name + "' is summed but in no factor");
  for (const DraftTensor &factor : product.factors)
    for (const Label &label : factor.labels)
      if (!contains(output.labels, label.name) && !contains(summed, label.name))
        return error(label.position,
                     "index '" + label.name +
                         "' is neither in the output nor summed");
  return true;
}

/// indices operator terms, behind the output's name
bool ProgramParser::parseStatement(const Label &name, DraftProgram &program) {
  output = {name.name, {}, name.position};
  if (!parseIndices(output.labels))
    return false;
  bool subtracts = token.is("-=");
  bool accumulates = subtracts || token.is("+=");
  if (!consumeAndContinue("=") && !consumeAndContinue("+=") &&
      !consumeAndContinue("-="))
    return expected("'=', '+=' or '-='");
  std::vector<DraftProduct> products;
  if (!parseSigned(subtracts, products,
                   isOctopi ? &ProgramParser::parseOctopiTerm
                            : &ProgramParser::parsePlainTerm))
    return false;
  if (!token.endsLine() && !consumeIf(";"))
    return expected("'*', '+', '-' or the end of the line");
  skipNewlines();
  program.statements.push_back(
      {std::move(output), accumulates, std::move(products)});
  return true;
}

/// tensor { ',' tensor } behind 'output'.
bool ProgramParser::parseOutputs(const Label &keyword, DraftProgram &program) {
  if (program.outputs)
    return error(keyword.position, "'output' is given twice");
  program.outputs.emplace();
  do {
    Label name;
    if (!parseName("a tensor", name))
      return false;
    if (contains(*program.outputs, name.name))
      return error(name.position, "'" + name.name + "' is an output twice");
    program.outputs->push_back(std::move(name));
  } while (consumeAndContinue(","));
  if (!token.endsLine() && !consumeIf(";"))
    return expected("',' or the end of the line");
  skipNewlines();
  return true;
}

bool ProgramParser::parseSetting(const Label &key, DraftProgram &program) {
  if (!settings.insert(key.name).second)
    return error(key.position, "'" + key.name + "' is given twice");
  if (!expect("="))
    return false;
  Label value;
  if (key.name == "name") {
    if (!parseName("a name", value))
      return false;
    program.name = value.name;
    return true;
  }
  return key.name == "layout" ? parseLayout(program.layout)
                              : parseElementType(program.elementType);
}

/// The text behind "=": a number, or "?", which a representative one may
/// follow.
bool ProgramParser::parseExtentOrUnknown(const Label &label, Extent &extent) {
  SourcePosition position = token.position;
  if (!consumeIf("?"))
    return parseExtent(label.name, extent);
  constexpr int64_t plain = 128;
  extent = {label.name, plain, position};
  if (token.is(Token::Kind::Number) && !parseExtent(label.name, extent))
    return false;
  if (extent.extent < 1)
    return error(position, "representative extent of '" + label.name +
                               "' must be 1 at least, but is " +
                               std::to_string(extent.extent));
  extent.isUnknown = true;
  return true;
}

/// OCTOPI's extents: i = j = 10, or names with blanks or commas between them.
bool ProgramParser::parseChain(Label first, DraftProgram &program) {
  std::vector<Label> labels = {std::move(first)};
  for (;;) {
    bool isAssigned = consumeIf("=");
    if (isAssigned &&
        (token.is(Token::Kind::Number) || token.is("-") || token.is("?")))
      break;
    if (!isAssigned)
      consumeIf(",");
    if (!parseName(isAssigned ? "an extent or the name of an index"
                              : "'=' or the name of an index",
                   labels.emplace_back()))
      return false;
  }
  Extent extent;
  if (!parseExtentOrUnknown(labels.back(), extent))
    return false;
  for (const Label &label : labels) {
    if (!checkIsNew(label, program.extents))
      return false;
    program.extents.push_back(
        {label.name, extent.extent, label.position, extent.isUnknown});
  }
  return parseSeparators();
}

bool ProgramParser::parseLine(DraftProgram &program) {
  Label name;
  if (!parseName(isOctopi ? "a statement or the extent of an index"
                          : "a statement, the extent of an index or a setting",
                 name))
    return false;
  if (token.is("["))
    return parseStatement(name, program);
  if (isOctopi) {
    bool isHeading = name.name == "dim" || name.name == "define";
    if (isHeading && (token.is(":") || token.is(Token::Kind::Identifier))) {
      consumeAndContinue(":");
      if (!parseName("the name of an index", name))
        return false;
    }
    return parseChain(std::move(name), program);
  }
  if (name.name == "output" && token.is(Token::Kind::Identifier))
    return parseOutputs(name, program);
  if (!token.is("="))
    return expected("'[' or '='");
  bool isSetting =
      name.name == "layout" || name.name == "name" || name.name == "type";
  if (isSetting)
    return parseSetting(name, program) && parseSeparators();
  Extent extent;
  if (!checkIsNew(name, program.extents) || !expect("=") ||
      !parseExtentOrUnknown(name, extent))
    return false;
  extent.position = name.position;
  program.extents.push_back(std::move(extent));
  return parseSeparators();
}

bool ProgramParser::parse(DraftProgram &program) {
  if (!checkLength())
    return false;
  skipNewlines();
  while (!token.is(Token::Kind::End))
    if (!parseLine(program))
      return false;
  return !program.statements.empty() ||
         expected(isOctopi ? "a statement such as "
                             "'C[i j] = Sum([k], A[i k] * B[k j])'"
                           : "a statement such as 'C[i,j] = A[i,k] * B[k,j]'");
}

} // namespace

std::optional<ProgramNotation>
notation::programNotationOfFile(std::string_view path) {
  auto endsWith = [&](std::string_view suffix) {
    return path.size() > suffix.size() &&
           path.substr(path.size() - suffix.size()) == suffix;
  };
  if (endsWith(".tensors"))
    return ProgramNotation::Tensors;
  if (endsWith(".octopi"))
    return ProgramNotation::Octopi;
  return std::nullopt;
}

std::optional<ParsedProgram> notation::parseProgram(ProgramNotation notation,
                                                    std::string_view text,
                                                    const ParseOptions &options,
                                                    Diagnostic &diagnostic) {
  ProgramParser parser(notation, text, options.source, diagnostic);
  DraftProgram draft;
  if (!parser.parse(draft))
    return std::nullopt;
  return finish(draft, options, diagnostic);
}
