//===- Einsum.cpp - NumPy's einsum notation -------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A specification on the first line, then extents and settings.
//
//===----------------------------------------------------------------------===//

#include "Parser.h"
#include "Subscripts.h"

#include "tc/Import/Notations.h"

#include <set>

using namespace tc;
using namespace tc::notation;
using model::Tensor;

namespace {

class EinsumParser : public Parser {
public:
  using Parser::Parser;
  bool parse(DraftContraction &draft, Subscripts &subscripts,
             std::vector<Shape> &shapes);
  bool parseSpecAlone(Subscripts &subscripts, size_t most);

private:
  bool parseSpec(Subscripts &subscripts, size_t most);
  bool parseTerm(DraftTensor &term);
  bool parseEllipsis(DraftTensor &term);
  bool parseSettings(DraftContraction &draft, std::vector<Shape> &shapes);
  bool parseSetting(const Label &key, DraftContraction &draft);
};

bool isSetting(std::string_view name) {
  return name == "alpha" || name == "beta" || name == "layout" ||
         name == "name" || name == "shapes" || name == "type";
}

bool EinsumParser::parseEllipsis(DraftTensor &term) {
  for (const Label &label : term.labels)
    if (label.name == ellipsis)
      return error(token.position, "'...' occurs twice in one list");
  if (!addLabel({std::string(ellipsis), token.position}, term.labels))
    return false;
  advance();
  return true;
}

/// A term is symbols, one an index, or a bracketed list of longer names; with
/// an ellipsis somewhere.
bool EinsumParser::parseTerm(DraftTensor &term) {
  term.position = token.position;
  if (!consumeIf("[")) {
    for (;;) {
      if (token.is(ellipsis)) {
        if (!parseEllipsis(term))
          return false;
      } else if (isAtSymbols()) {
        if (!splitSymbols(term.labels))
          return false;
      } else {
        return true;
      }
    }
  }
  if (consumeIf("]"))
    return true;
  do {
    if (token.is(ellipsis)) {
      if (!parseEllipsis(term))
        return false;
      continue;
    }
    Label label;
    if (!parseIndexName("the name of an index", label))
      return false;
    if (isSetting(label.name))
      return error(label.position,
                   "index '" + label.name + "' has the name of a setting");
    if (!addLabel(std::move(label), term.labels))
      return false;
  } while (consumeIf(","));
  return consumeIf("]") || expected("',' or ']'");
}

bool EinsumParser::parseSpec(Subscripts &subscripts, size_t most) {
  skipNewlines();
  subscripts.position = token.position;
  if (token.is(Token::Kind::End))
    return expected("an einsum specification such as 'ab,bc->ac'");
  do {
    size_t count = subscripts.operands.size();
    DraftTensor &term = subscripts.operands.emplace_back();
    term.name = most == 2 ? std::string(1, "AB"[count])
                          : "operand " + std::to_string(count);
    if (!parseTerm(term))
      return false;
    if (token.is(",") && count + 1 == most)
      return error(token.position,
                   most == 2
                       ? "more than two operands, and a contraction has two"
                       : "more than " + std::to_string(most) + " operands");
  } while (consumeIf(","));
  if (token.endsLine())
    return true;
  if (!consumeIf("->"))
    return expected(subscripts.operands.size() < most
                        ? "',', '->' or the end of the line"
                        : "'->' or the end of the line");
  subscripts.output.emplace();
  subscripts.output->name = "C";
  return parseTerm(*subscripts.output) &&
         (token.endsLine() || expected("the end of the line"));
}

bool EinsumParser::parseSetting(const Label &key, DraftContraction &draft) {
  if (!expect("="))
    return false;
  if (key.name == "alpha" || key.name == "beta") {
    DraftFactor &factor = key.name == "alpha" ? draft.alpha : draft.beta;
    factor.position = token.position;
    return parseReal("a number", factor.value);
  }
  Label value;
  if (key.name == "name") {
    if (!parseName("a name", value))
      return false;
    draft.name = value.name;
    return true;
  }
  return key.name == "layout" ? parseLayout(draft.layout)
                              : parseElementType(draft.elementType);
}

bool EinsumParser::parseSettings(DraftContraction &draft,
                                 std::vector<Shape> &shapes) {
  std::set<std::string> seen;
  skipNewlines();
  while (!token.is(Token::Kind::End)) {
    Label key;
    if (!parseIndexName("the name of an index or of a setting", key))
      return false;
    if (isSetting(key.name) && !seen.insert(key.name).second)
      return error(key.position, "'" + key.name + "' is given twice");
    if (key.name == "shapes") {
      if (!expect("=") || !parseShapeList(shapes))
        return false;
      continue;
    }
    if (!(isSetting(key.name) ? parseSetting(key, draft)
                              : parseAssignedExtent(key, draft.extents)))
      return false;
    if (!parseSeparators())
      return false;
  }
  return true;
}

bool EinsumParser::parse(DraftContraction &draft, Subscripts &subscripts,
                         std::vector<Shape> &shapes) {
  draft.layout = Layout::RowMajor;
  if (!checkLength() || !parseSpec(subscripts, maxOperands))
    return false;
  // Two have the names of a contraction's.
  if (subscripts.operands.size() <= 2)
    for (size_t i = 0; i < subscripts.operands.size(); ++i)
      subscripts.operands[i].name = std::string(1, "AB"[i]);
  return parseSettings(draft, shapes);
}

bool EinsumParser::parseSpecAlone(Subscripts &subscripts, size_t most) {
  if (!checkLength() || !parseSpec(subscripts, most))
    return false;
  skipNewlines();
  return token.is(Token::Kind::End) || expected("the end of the specification");
}

std::vector<size_t> ranksOf(const std::vector<Shape> &shapes) {
  std::vector<size_t> ranks;
  ranks.reserve(shapes.size());
  for (const Shape &shape : shapes)
    ranks.push_back(shape.extents.size());
  return ranks;
}

/// Expands ellipses, and finds extents if there are shapes.
bool resolve(Subscripts &subscripts, const GivenShapes &given,
             std::vector<Extent> &extents, std::string_view source,
             Diagnostic &diagnostic) {
  size_t operands = subscripts.operands.size();
  if (given.shapes.empty())
    return expand(subscripts, std::nullopt, source, diagnostic);
  if (given.shapes.size() != operands) {
    diagnostic = {given.source, given.shapes.front().position,
                  std::to_string(given.shapes.size()) +
                      " shapes, but the specification has " +
                      std::to_string(operands) +
                      (operands == 1 ? " operand" : " operands")};
    return false;
  }
  return expand(subscripts, ranksOf(given.shapes), source, diagnostic) &&
         broadcast(subscripts, given, extents, diagnostic);
}

/// Checks that all extents given for an index agree with the shapes.
bool agree(const std::vector<Extent> &said, std::string_view source,
           const std::vector<Extent> &ofShapes, Diagnostic &diagnostic) {
  for (const Extent &extent : said)
    for (const Extent &shaped : ofShapes)
      if (shaped.label == extent.label && shaped.extent != extent.extent) {
        diagnostic = {std::string(source), extent.position,
                      "index '" + extent.label + "' has extent " +
                          std::to_string(extent.extent) +
                          ", but by the shapes " +
                          std::to_string(shaped.extent)};
        return false;
      }
  return true;
}

} // namespace

std::optional<unsigned> notation::countOperands(std::string_view spec,
                                                std::string_view source,
                                                Diagnostic &diagnostic) {
  EinsumParser parser(spec, Lexer::Newlines::Keep, source, diagnostic);
  Subscripts subscripts;
  if (!parser.parseSpecAlone(subscripts, 2))
    return std::nullopt;
  return static_cast<unsigned>(subscripts.operands.size());
}

std::optional<EinsumIndices>
notation::parseEinsumIndices(std::string_view spec, std::vector<Shape> shapes,
                             std::string_view source, Diagnostic &diagnostic) {
  EinsumParser parser(spec, Lexer::Newlines::Keep, source, diagnostic);
  Subscripts subscripts;
  if (!parser.parseSpecAlone(subscripts, 2))
    return std::nullopt;
  size_t operands = subscripts.operands.size();
  std::vector<Extent> extents;
  if (!resolve(subscripts, {std::move(shapes), std::string(source)}, extents,
               source, diagnostic))
    return std::nullopt;
  EinsumIndices indices;
  indices.operands = static_cast<unsigned>(operands);
  auto take = [](const DraftTensor &tensor, std::vector<std::string> &list) {
    for (const Label &label : tensor.labels)
      list.push_back(label.name);
  };
  for (size_t i = 0; i < operands; ++i)
    take(subscripts.operands[i], indices.lists[static_cast<Tensor>(i)]);
  take(*subscripts.output, indices.lists[Tensor::C]);
  return indices;
}

std::optional<std::vector<std::vector<std::string>>>
notation::expandSubscripts(std::string_view spec,
                           const std::vector<size_t> &ranks,
                           std::string_view source, Diagnostic &diagnostic) {
  EinsumParser parser(spec, Lexer::Newlines::Keep, source, diagnostic);
  Subscripts subscripts;
  if (!parser.parseSpecAlone(subscripts, maxOperands) ||
      !expand(subscripts, ranks, source, diagnostic))
    return std::nullopt;
  std::vector<const DraftTensor *> operands;
  operands.reserve(subscripts.operands.size());
  for (const DraftTensor &operand : subscripts.operands)
    operands.push_back(&operand);
  if (!checkOutput(*subscripts.output, operands, source, diagnostic))
    return std::nullopt;
  subscripts.operands.push_back(std::move(*subscripts.output));
  std::vector<std::vector<std::string>> lists;
  for (const DraftTensor &tensor : subscripts.operands) {
    std::vector<std::string> &list = lists.emplace_back();
    for (const Label &label : tensor.labels)
      list.push_back(label.name);
  }
  return lists;
}

std::optional<std::vector<ParsedContraction>>
notation::parseEinsum(std::string_view text, const ParseOptions &options,
                      Diagnostic &diagnostic) {
  EinsumParser parser(text, Lexer::Newlines::Keep, options.source, diagnostic);
  std::vector<DraftContraction> drafts(1);
  DraftContraction &draft = drafts.front();
  Subscripts subscripts;
  GivenShapes given{{}, options.source};
  if (!parser.parse(draft, subscripts, given.shapes))
    return std::nullopt;
  if (!options.shapes.empty())
    given = {options.shapes, options.shapesSource};
  std::vector<Extent> extents;
  if (!resolve(subscripts, given, extents, options.source, diagnostic) ||
      !agree(draft.extents, options.source, extents, diagnostic) ||
      !agree(options.extents, options.extentsSource, extents, diagnostic))
    return std::nullopt;
  // Those that the text gives stay first, for what is wrong with them.
  draft.extents.insert(draft.extents.end(), extents.begin(), extents.end());
  draft.position = subscripts.position;
  draft.tensors[Tensor::B] = {"B", {}, subscripts.position};
  size_t operands = subscripts.operands.size();
  for (size_t i = 0; i < operands; ++i) {
    DraftTensor &operand = subscripts.operands[i];
    if (i < 2)
      draft.tensors[static_cast<Tensor>(i)] = std::move(operand);
    else
      draft.further.push_back(std::move(operand));
  }
  draft.tensors[Tensor::C] = std::move(*subscripts.output);
  auto contractions = finish(drafts, options, diagnostic);
  if (contractions)
    contractions->front().operands = static_cast<unsigned>(operands);
  return contractions;
}
