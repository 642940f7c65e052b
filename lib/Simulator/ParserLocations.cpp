//===- ParserLocations.cpp - Source locations in PTX ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The directives .file and .loc (PTX ISA 11.5). A file may be declared behind
// the code that names its number.
//
//===----------------------------------------------------------------------===//

#include "Parser.h"

using namespace tc::sim;

/// `.file 1 "name" [, timestamp, size]`
bool Parser::parseFile() {
  std::uint64_t number = 0;
  if (!advance())
    return false;
  std::uint32_t line = token.line;
  if (!expectInteger(number, "a file number"))
    return false;
  if (number == 0 || number > 0xffffffffu)
    return fail(line, "a file number must be from 1 to 4294967295");
  if (token.kind != Token::Kind::String)
    return unexpected("a file name");
  std::string_view name = token.text.substr(1, token.text.size() - 2);
  auto [file, isNew] =
      files.try_emplace(static_cast<std::uint32_t>(number), name);
  if (!isNew && file->second != name)
    return fail(line, "file " + std::to_string(number) + " is declared twice");
  if (!advance())
    return false;
  while (token.is(','))
    if (!advance() || !skipToken(Token::Kind::Integer, "a number"))
      return false;
  return true;
}

/// `file line column`
bool Parser::parsePosition(LocationNumbers &position) {
  for (std::uint32_t *field :
       {&position.file, &position.line, &position.column}) {
    std::uint64_t number = 0;
    std::uint32_t line = token.line;
    if (!expectInteger(number, "a source position"))
      return false;
    if (number > 0xffffffffu)
      return fail(line, "a source position must be less than 4294967296");
    *field = static_cast<std::uint32_t>(number);
    if (field == &position.file)
      usedFiles.try_emplace(*field, line);
  }
  return true;
}

/// `label [+ offset]`
bool Parser::parseFunctionName() {
  if (!skipToken(Token::Kind::Identifier, "the label of a function name"))
    return false;
  return !token.is('+') ||
         (advance() && skipToken(Token::Kind::Integer, "an offset"));
}

/// `.loc file line column [, function_name label [+ offset], inlined_at file
/// line column]`: holds up to the next one. Of a function that was inlined, the
/// place inside it is kept.
bool Parser::parseLocation() {
  if (!advance() || !parsePosition(location))
    return false;
  while (token.is(',')) {
    if (!advance())
      return false;
    bool isName = token.text == "function_name";
    if (!isName && token.text != "inlined_at")
      return unexpected("function_name or inlined_at");
    LocationNumbers caller;
    if (!advance() || !(isName ? parseFunctionName() : parsePosition(caller)))
      return false;
  }
  return true;
}

bool Parser::checkFiles() {
  for (auto [number, line] : usedFiles)
    if (files.count(number) == 0)
      return fail(line, "file " + std::to_string(number) + " is not declared");
  return true;
}
