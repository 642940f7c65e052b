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

#include "tc/Import/Notations.h"

#include <map>
#include <set>

using namespace tc;
using namespace tc::notation;
using model::Tensor;

namespace {

class EinsumParser : public Parser {
public:
  using Parser::Parser;
  bool parse(DraftContraction &draft);
  bool parseSpecAlone(DraftContraction &draft);

private:
  bool parseSpec(DraftContraction &draft);
  bool parseTerm(DraftTensor &term);
  bool parseSettings(DraftContraction &draft);
  bool parseSetting(const Label &key, DraftContraction &draft);
  void inferOutput(DraftContraction &draft);
};

bool isSetting(std::string_view name) {
  return name == "alpha" || name == "beta" || name == "layout" ||
         name == "name" || name == "type";
}

/// A term is letters, one an index, or a bracketed list of longer names.
bool EinsumParser::parseTerm(DraftTensor &term) {
  term.position = token.position;
  if (token.is("..."))
    return error(token.position, "ellipsis is not supported: name the indices");
  if (!consumeIf("[")) {
    for (; token.is(Token::Kind::Identifier); advance())
      if (!splitLetters(token, term.labels))
        return false;
    if (token.is("..."))
      return error(token.position,
                   "ellipsis is not supported: name the indices");
    return true;
  }
  if (consumeIf("]"))
    return true;
  do {
    Label label;
    if (!parseName("the name of an index", label))
      return false;
    if (isSetting(label.name))
      return error(label.position,
                   "index '" + label.name + "' has the name of a setting");
    if (!addLabel(std::move(label), term.labels))
      return false;
  } while (consumeIf(","));
  return consumeIf("]") || expected("',' or ']'");
}

/// NumPy's rule: the output holds what occurs once in the inputs, in
/// alphabetical order.
void EinsumParser::inferOutput(DraftContraction &draft) {
  std::map<std::string, unsigned> count;
  for (Tensor t : {Tensor::A, Tensor::B})
    for (const Label &label : draft.tensors[t].labels)
      ++count[label.name];
  DraftTensor &output = draft.tensors[Tensor::C];
  output.position = draft.position;
  for (const auto &[label, occurrences] : count)
    if (occurrences == 1)
      output.labels.push_back({label, draft.position});
}

bool EinsumParser::parseSpec(DraftContraction &draft) {
  skipNewlines();
  draft.position = token.position;
  if (token.is(Token::Kind::End))
    return expected("an einsum specification such as 'ab,bc->ac'");
  if (!parseTerm(draft.tensors[Tensor::A]))
    return false;
  if (!consumeIf(","))
    return token.endsLine() || token.is("->")
               ? error(token.position, "one operand, and a contraction has two")
               : expected("',' or '->'");
  if (!parseTerm(draft.tensors[Tensor::B]))
    return false;
  if (token.is(","))
    return error(token.position,
                 "more than two operands, and a contraction has two");
  if (token.endsLine()) {
    inferOutput(draft);
    return true;
  }
  if (!consumeIf("->"))
    return expected("'->' or the end of the line");
  return parseTerm(draft.tensors[Tensor::C]) &&
         (token.endsLine() || expected("the end of the line"));
}

bool EinsumParser::parseSetting(const Label &key, DraftContraction &draft) {
  if (!expect("="))
    return false;
  if (key.name == "alpha" || key.name == "beta")
    return parseReal("a number",
                     key.name == "alpha" ? draft.alpha : draft.beta);
  Label value;
  if (key.name == "name") {
    if (!parseName("a name", value))
      return false;
    draft.name = value.name;
    return true;
  }
  if (key.name == "layout") {
    if (!parseName("'row' or 'col'", value))
      return false;
    std::optional<Layout> layout = symbolizeLayout(value.name);
    if (!layout)
      return error(value.position, "unknown layout '" + value.name +
                                       "': expected 'row' or 'col'");
    draft.layout = *layout;
    return true;
  }
  if (!parseName("an element type", value))
    return false;
  draft.elementType = model::symbolizeElementType(value.name);
  return draft.elementType ||
         error(value.position, "unsupported element type '" + value.name +
                                   "': expected " + model::elementTypeNames());
}

bool EinsumParser::parseSettings(DraftContraction &draft) {
  std::set<std::string> seen;
  skipNewlines();
  while (!token.is(Token::Kind::End)) {
    Label key;
    if (!parseName("the name of an index or of a setting", key))
      return false;
    if (!isSetting(key.name)) {
      if (!parseAssignedExtent(key, draft.extents))
        return false;
    } else {
      if (!seen.insert(key.name).second)
        return error(key.position, "'" + key.name + "' is given twice");
      if (!parseSetting(key, draft))
        return false;
    }
    if (!parseSeparators())
      return false;
  }
  return true;
}

bool EinsumParser::parse(DraftContraction &draft) {
  draft.layout = Layout::RowMajor;
  draft.tensors[Tensor::A].name = "A";
  draft.tensors[Tensor::B].name = "B";
  draft.tensors[Tensor::C].name = "C";
  return checkLength() && parseSpec(draft) && parseSettings(draft);
}

bool EinsumParser::parseSpecAlone(DraftContraction &draft) {
  if (!checkLength() || !parseSpec(draft))
    return false;
  skipNewlines();
  return token.is(Token::Kind::End) || expected("the end of the specification");
}

} // namespace

std::optional<model::PerTensor<std::vector<std::string>>>
notation::parseEinsumIndices(std::string_view spec, std::string_view source,
                             Diagnostic &diagnostic) {
  EinsumParser parser(spec, Lexer::Newlines::Keep, source, diagnostic);
  DraftContraction draft;
  if (!parser.parseSpecAlone(draft))
    return std::nullopt;
  model::PerTensor<std::vector<std::string>> lists;
  for (Tensor tensor : model::allTensors)
    for (const Label &label : draft.tensors[tensor].labels)
      lists[tensor].push_back(label.name);
  return lists;
}

std::optional<std::vector<ParsedContraction>>
notation::parseEinsum(std::string_view text, const ParseOptions &options,
                      Diagnostic &diagnostic) {
  EinsumParser parser(text, Lexer::Newlines::Keep, options.source, diagnostic);
  std::vector<DraftContraction> drafts(1);
  if (!parser.parse(drafts.front()))
    return std::nullopt;
  return finish(drafts, options, diagnostic);
}
