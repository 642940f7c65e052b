//===- TCCG.cpp - Input files of TCCG -------------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One contraction, as an equation or in the short form `C-A-B`, and the size of
// each index, in any order of lines.
//
//===----------------------------------------------------------------------===//

#include "Parser.h"

#include "tc/Import/Notations.h"

using namespace tc;
using namespace tc::notation;
using model::Tensor;

namespace {

class TCCGParser : public Parser {
public:
  using Parser::Parser;
  bool parse(DraftContraction &draft);

private:
  bool parseLine(DraftContraction &draft);
  bool startContraction(SourcePosition position, DraftContraction &draft);
  bool parseIndexList(DraftTensor &tensor);
  bool parseTensor(DraftTensor &tensor);
  bool parseEquation(DraftTensor output, DraftContraction &draft);
  bool parseSummand(bool negative, DraftContraction &draft);
  bool parseShortForm(DraftTensor output, DraftContraction &draft);

  bool hasContraction = false;
  bool hasProduct = false;
  bool hasOutput = false;
};

bool TCCGParser::startContraction(SourcePosition position,
                                  DraftContraction &draft) {
  if (hasContraction)
    return error(position, "second contraction: a file holds one");
  hasContraction = true;
  draft.position = position;
  return true;
}

bool TCCGParser::parseIndexList(DraftTensor &tensor) {
  if (!expect("["))
    return false;
  if (consumeIf("]"))
    return true;
  do {
    Label label;
    if (!parseName("the name of an index", label) ||
        !addLabel(std::move(label), tensor.labels))
      return false;
  } while (consumeIf(","));
  return consumeIf("]") || expected("',' or ']'");
}

bool TCCGParser::parseTensor(DraftTensor &tensor) {
  Label name;
  if (!parseName("a tensor", name))
    return false;
  tensor.name = name.name;
  tensor.position = name.position;
  return parseIndexList(tensor);
}

/// [number '*'] A '*' B, or [number '*'] C: the term with one tensor is the old
/// output.
bool TCCGParser::parseSummand(bool negative, DraftContraction &draft) {
  DraftFactor factor{negative ? -1.0 : 1.0, token.position};
  if (token.is(Token::Kind::Number) &&
      (!parseUnsignedReal(factor.value, negative) || !expect("*")))
    return false;

  DraftTensor first;
  if (!parseTensor(first))
    return false;
  if (!consumeIf("*")) {
    const DraftTensor &output = draft.tensors[Tensor::C];
    bool same = first.name == output.name &&
                first.labels.size() == output.labels.size();
    for (size_t i = 0; same && i < first.labels.size(); ++i)
      same = first.labels[i].name == output.labels[i].name;
    if (!same)
      return error(first.position, "a term with one tensor must be the output, "
                                   "with its indices in the same order");
    if (hasOutput)
      return error(first.position, "the output is added twice");
    hasOutput = true;
    draft.beta = factor;
    return true;
  }
  if (hasProduct)
    return error(first.position, "second product: a contraction has one");
  hasProduct = true;
  draft.alpha = factor;
  draft.tensors[Tensor::A] = std::move(first);
  if (!parseTensor(draft.tensors[Tensor::B]))
    return false;
  if (token.is("*"))
    return error(token.position,
                 "more than two factors, and a contraction has two");
  for (Tensor t : {Tensor::A, Tensor::B})
    if (draft.tensors[t].name == draft.tensors[Tensor::C].name)
      return error(draft.tensors[t].position, "the output '" +
                                                  draft.tensors[t].name +
                                                  "' is also a factor");
  return true;
}

bool TCCGParser::parseEquation(DraftTensor output, DraftContraction &draft) {
  if (!startContraction(output.position, draft))
    return false;
  draft.tensors[Tensor::C] = std::move(output);
  if (!parseIndexList(draft.tensors[Tensor::C]))
    return false;
  if (token.is("+=") || token.is("-="))
    return error(token.position, token.describe() +
                                     " is not part of this notation: add the "
                                     "output on the right-hand side");
  if (!expect("="))
    return false;
  bool negative = token.is("-");
  if (negative || token.is("+"))
    advance();
  while (true) {
    if (!parseSummand(negative, draft))
      return false;
    negative = token.is("-");
    if (!negative && !token.is("+"))
      break;
    advance();
  }
  if (!hasProduct)
    return expected("'+' or '-' and a product of two tensors");
  return token.endsLine() || expected("'+', '-' or the end of the line");
}

bool TCCGParser::parseShortForm(DraftTensor output, DraftContraction &draft) {
  if (!startContraction(output.position, draft))
    return false;
  draft.tensors[Tensor::C] = std::move(output);
  draft.tensors[Tensor::C].name = "C";
  draft.tensors[Tensor::A].name = "A";
  draft.tensors[Tensor::B].name = "B";
  for (Tensor t : {Tensor::A, Tensor::B}) {
    if (!expect("-"))
      return false;
    draft.tensors[t].position = token.position;
    if (token.is(Token::Kind::Identifier)) {
      if (!splitLetters(token, draft.tensors[t].labels))
        return false;
      advance();
    }
  }
  return token.endsLine() || expected("the end of the line");
}

bool TCCGParser::parseLine(DraftContraction &draft) {
  DraftTensor output;
  output.position = token.position;
  // The output is a scalar.
  if (token.is("-"))
    return parseShortForm(std::move(output), draft);

  Token first = token;
  Label name;
  if (!parseIdentifier("a contraction or the size of an index", name))
    return false;
  if (token.is("[")) {
    output.name = name.name;
    return parseEquation(std::move(output), draft);
  }
  if (token.is("=")) {
    if (!parseAssignedExtent(name, draft.extents))
      return false;
    return token.endsLine() || token.is(",") || token.is(";") ||
           expected("',' or a new line");
  }
  if (!token.is("-"))
    return expected("'[', '-' or '='");
  return splitLetters(first, output.labels) &&
         parseShortForm(std::move(output), draft);
}

bool TCCGParser::parse(DraftContraction &draft) {
  draft.layout = Layout::ColumnMajor;
  if (!checkLength())
    return false;
  skipNewlines();
  while (!token.is(Token::Kind::End))
    if (!parseLine(draft) || !parseSeparators())
      return false;
  return hasContraction ||
         expected("a contraction such as 'C[a,b] = A[a,k] * B[k,b]'");
}

} // namespace

std::optional<std::vector<ParsedContraction>>
notation::parseTCCG(std::string_view text, const ParseOptions &options,
                    Diagnostic &diagnostic) {
  TCCGParser parser(text, Lexer::Newlines::Keep, options.source, diagnostic);
  std::vector<DraftContraction> drafts(1);
  if (!parser.parse(drafts.front()))
    return std::nullopt;
  return finish(drafts, options, diagnostic);
}
