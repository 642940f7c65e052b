//===- Cogent.cpp - Statements of COGENT ----------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One contraction a statement, with its extents in the index lists and its
// summed indices spelled out. Blanks and new lines mean nothing.
//
//===----------------------------------------------------------------------===//

#include "Parser.h"

#include "tc/Import/Notations.h"

#include <algorithm>

using namespace tc;
using namespace tc::notation;
using model::Tensor;

namespace {

class CogentParser : public Parser {
public:
  using Parser::Parser;
  bool parse(std::vector<DraftContraction> &drafts);

private:
  bool parseStatement(DraftContraction &draft);
  bool parseOperator(DraftContraction &draft);
  bool parseList(std::string_view close, std::vector<Label> &labels,
                 std::vector<Extent> &extents);
  bool parseTensorIndices(DraftTensor &tensor, DraftContraction &draft);
  bool parseTensor(DraftTensor &tensor, DraftContraction &draft);
  bool parseFactors(DraftContraction &draft, std::vector<Label> &summed);
  bool checkSum(const DraftContraction &draft,
                const std::vector<Label> &summed);
};

/// Labels, each with its extent behind it or without: `a,16,b,c,8`.
bool CogentParser::parseList(std::string_view close, std::vector<Label> &labels,
                             std::vector<Extent> &extents) {
  do {
    Label label;
    if (!parseName("the name of an index", label) || !addLabel(label, labels))
      return false;
    if (!consumeIf(","))
      break;
    if (!token.is(Token::Kind::Number) && !token.is("-"))
      continue;
    Extent extent;
    if (!parseExtent(label.name, extent))
      return false;
    extents.push_back(std::move(extent));
    if (!consumeIf(","))
      break;
  } while (true);
  return consumeIf(close) || expected("',' or '" + std::string(close) + "'");
}

bool CogentParser::parseTensorIndices(DraftTensor &tensor,
                                      DraftContraction &draft) {
  if (!expect("["))
    return false;
  return consumeIf("]") || parseList("]", tensor.labels, draft.extents);
}

bool CogentParser::parseTensor(DraftTensor &tensor, DraftContraction &draft) {
  Label name;
  if (!parseName("a tensor", name))
    return false;
  tensor.name = name.name;
  tensor.position = name.position;
  return parseTensorIndices(tensor, draft);
}

bool CogentParser::parseOperator(DraftContraction &draft) {
  if (!token.is("+=") && !token.is("-=") && !token.is("="))
    return expected("'+=', '-=' or '='");
  draft.alpha = {token.is("-=") ? -1.0 : 1.0, token.position};
  draft.beta = {token.is("=") ? 0.0 : 1.0, token.position};
  advance();
  return true;
}

/// ['sum' '(' indices ')' '*'] A '*' B. A tensor may be called "sum" too.
bool CogentParser::parseFactors(DraftContraction &draft,
                                std::vector<Label> &summed) {
  DraftTensor &a = draft.tensors[Tensor::A];
  Label first;
  if (!parseName("'sum' or a tensor", first))
    return false;
  if (first.name == "sum" && consumeIf("(")) {
    if (!parseList(")", summed, draft.extents) || !expect("*") ||
        !parseTensor(a, draft))
      return false;
  } else {
    a.name = first.name;
    a.position = first.position;
    if (!parseTensorIndices(a, draft))
      return false;
  }
  if (!expect("*") || !parseTensor(draft.tensors[Tensor::B], draft))
    return false;
  return !token.is("*") ||
         error(token.position,
               "more than two factors, and a contraction has two");
}

bool CogentParser::checkSum(const DraftContraction &draft,
                            const std::vector<Label> &summed) {
  const DraftTensor &a = draft.tensors[Tensor::A];
  const DraftTensor &b = draft.tensors[Tensor::B];
  const DraftTensor &c = draft.tensors[Tensor::C];
  for (size_t i = 0; i < summed.size(); ++i) {
    const auto &[name, position] = summed[i];
    for (size_t j = 0; j < i; ++j)
      if (summed[j].name == name)
        return error(position, "index '" + name + "' is summed twice");
    if (contains(c.labels, name))
      return error(position,
                   "index '" + name + "' is summed and in the output");
    if (!contains(a.labels, name) && !contains(b.labels, name))
      return error(position, "index '" + name + "' is summed but in no input");
  }
  for (const DraftTensor *input : {&a, &b})
    for (const Label &label : input->labels)
      if (!contains(c.labels, label.name) && !contains(summed, label.name))
        return error(label.position,
                     "index '" + label.name +
                         "' is neither in the output nor summed");
  for (const DraftTensor *input : {&a, &b})
    if (input->name == c.name)
      return error(input->position,
                   "the output '" + c.name + "' is also a factor");
  return true;
}

/// [name ':'] output operator factors ';'
bool CogentParser::parseStatement(DraftContraction &draft) {
  draft.layout = Layout::ColumnMajor;
  draft.position = token.position;
  Label name;
  if (!parseName("a statement", name))
    return false;
  if (consumeIf(":")) {
    draft.name = name.name;
    if (!parseName("a tensor", name))
      return false;
  }
  DraftTensor &output = draft.tensors[Tensor::C];
  output.name = name.name;
  output.position = name.position;
  std::vector<Label> summed;
  return parseTensorIndices(output, draft) && parseOperator(draft) &&
         parseFactors(draft, summed) && expect(";") && checkSum(draft, summed);
}

bool CogentParser::parse(std::vector<DraftContraction> &drafts) {
  if (!checkLength())
    return false;
  do {
    if (drafts.size() == maxContractions)
      return error(token.position, "more than " +
                                       std::to_string(maxContractions) +
                                       " statements");
    if (!parseStatement(drafts.emplace_back()))
      return false;
  } while (!token.is(Token::Kind::End));
  return true;
}

} // namespace

std::optional<std::vector<ParsedContraction>>
notation::parseCogent(std::string_view text, const ParseOptions &options,
                      Diagnostic &diagnostic) {
  CogentParser parser(text, Lexer::Newlines::Skip, options.source, diagnostic);
  std::vector<DraftContraction> drafts;
  if (!parser.parse(drafts))
    return std::nullopt;
  return finish(drafts, options, diagnostic);
}
