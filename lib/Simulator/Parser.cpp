//===- Parser.cpp - Module scope and declarations of PTX ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The header, module-scope directives, entries and their parameters, variables.
// ParserBody.cpp parses the text between an entry's braces.
//
//===----------------------------------------------------------------------===//

#include "Parser.h"
#include "Limits.h"

using namespace tc::sim;

bool Parser::fail(std::uint32_t line, const std::string &message) {
  if (!failure)
    failure = Error{fileName + ":" + std::to_string(line) + ": " + message};
  return false;
}

bool Parser::unexpected(const char *wanted) {
  if (token.kind == Token::Kind::Invalid)
    return fail(std::string(token.text));
  if (token.kind == Token::Kind::End)
    return fail(std::string("expected ") + wanted + " before the end");
  std::string found(token.text.substr(0, 64));
  if (token.kind == Token::Kind::DotWord)
    found.insert(0, ".");
  std::string where;
  if (!instructionName.empty())
    where = " in '" + onOneLine(instructionName).substr(0, maxNameInMessage) +
            "', whose form is wrong or not supported by the simulator";
  return fail(std::string("expected ") + wanted + ", found '" + found + "'" +
              where);
}

bool Parser::advance() {
  token = lexer.next();
  return token.kind != Token::Kind::Invalid || fail(std::string(token.text));
}

bool Parser::expect(char punctuation) {
  const char wanted[] = {'\'', punctuation, '\'', '\0'};
  return token.is(punctuation) ? advance() : unexpected(wanted);
}

bool Parser::expectInteger(std::uint64_t &value, const char *what) {
  if (token.kind != Token::Kind::Integer)
    return unexpected(what);
  value = token.bits;
  return advance();
}

bool Parser::expectIdentifier(std::string_view &name, const char *what) {
  if (token.kind != Token::Kind::Identifier)
    return unexpected(what);
  name = token.text;
  return advance();
}

//===----------------------------------------------------------------------===//
// Header
//===----------------------------------------------------------------------===//

bool Parser::parseHeader() {
  if (!advance())
    return false;
  if (!token.isDotWord("version"))
    return unexpected(".version");
  if (!parseVersion())
    return false;
  if (!token.isDotWord("target"))
    return unexpected(".target");
  if (!parseTarget())
    return false;
  if (!token.isDotWord("address_size"))
    return unexpected(".address_size");
  std::uint64_t size = 0;
  if (!advance())
    return false;
  std::uint32_t line = token.line;
  if (!expectInteger(size, "a number of bits"))
    return false;
  if (size != 64)
    return fail(line, "address size " + std::to_string(size) +
                          " is not supported, only 64");
  return true;
}

bool Parser::parseVersion() {
  if (!advance())
    return false;
  // The lexer reads "8.0" as a double.
  std::string_view text = token.text;
  std::size_t dot = text.find('.');
  if (token.kind != Token::Kind::Float || dot == 0 || text.size() > 8 ||
      dot == std::string_view::npos ||
      text.find_first_not_of("0123456789.") != std::string_view::npos)
    return unexpected("a version as in 8.0");
  version = {
      static_cast<unsigned>(std::stoul(std::string(text))),
      static_cast<unsigned>(std::stoul(std::string(text.substr(dot + 1))))};
  if (version[0] < 6 || version[0] > 9)
    return fail("PTX version " + std::string(text) +
                " is not supported, only 6.0 to 9.x");
  return advance();
}

bool Parser::parseTarget() {
  if (!advance())
    return false;
  std::string_view name;
  std::uint32_t line = token.line;
  if (!expectIdentifier(name, "a target as in sm_90"))
    return false;
  if (name.substr(0, 3) != "sm_")
    return fail(line, "target '" + std::string(name) + "' is not supported");
  target = std::string(name);
  while (token.is(',')) {
    if (!advance())
      return false;
    line = token.line;
    if (!expectIdentifier(name, "a target option"))
      return false;
    if (name != "debug" && name != "texmode_independent" &&
        name != "texmode_unified")
      return fail(line,
                  "target option '" + std::string(name) + "' is not supported");
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Directives that say nothing about what the code does
//===----------------------------------------------------------------------===//

bool Parser::skipToken(Token::Kind kind, const char *what) {
  return token.kind == kind ? advance() : unexpected(what);
}

/// `.section .debug_info { ... }`
bool Parser::skipSection() {
  if (!advance() || !skipToken(Token::Kind::DotWord, "a section name"))
    return false;
  if (!token.is('{'))
    return unexpected("'{'");
  for (unsigned depth = 0;;) {
    depth += token.is('{');
    depth -= token.is('}');
    if (token.kind == Token::Kind::End)
      return unexpected("'}'");
    if (!advance())
      return false;
    if (depth == 0)
      return true;
  }
}

/// `.pragma "text" [, "text"] ;`
bool Parser::skipPragma() {
  do {
    if (!advance() || !skipToken(Token::Kind::String, "a string"))
      return false;
  } while (token.is(','));
  return expect(';');
}

//===----------------------------------------------------------------------===//
// Module scope
//===----------------------------------------------------------------------===//

bool Parser::parseNextEntry(ParsedEntry &entry) {
  bool isExtern = false;
  while (!failure && token.kind != Token::Kind::End) {
    if (token.kind != Token::Kind::DotWord)
      return unexpected("a directive");
    std::string_view word = token.text;
    bool ok = true;
    if (word == "visible" || word == "weak" || word == "extern" ||
        word == "common") {
      isExtern = word == "extern";
      if (!advance())
        return false;
      if (!token.isDotWord("entry") && !token.isDotWord("global") &&
          !token.isDotWord("const") && !token.isDotWord("shared"))
        return unexpected(".entry or a variable");
      continue;
    }
    if (word == "entry")
      return !isExtern ? parseEntry(entry)
                       : fail("an external entry is not supported");
    if (word == "global" || word == "const" || word == "shared")
      ok = parseVariable(isExtern);
    else if (word == "file")
      ok = parseFile();
    else if (word == "loc")
      ok = parseLocation();
    else if (word == "section")
      ok = skipSection();
    else if (word == "pragma")
      ok = skipPragma();
    else
      return fail("directive '." + std::string(word.substr(0, 64)) +
                  "' is not supported");
    isExtern = false;
    if (!ok)
      return false;
  }
  if (!failure)
    checkFiles();
  return false;
}

bool Parser::parseEntry(ParsedEntry &entry) {
  entry = ParsedEntry();
  entry.line = token.line;
  location = LocationNumbers();
  std::string_view name;
  if (!advance() || !expectIdentifier(name, "the name of an entry"))
    return false;
  entry.info.name = std::string(name);
  scopes.resize(1);
  scopes.emplace_back();
  if (token.is('(') && !parseParameters(entry))
    return false;
  while (token.kind == Token::Kind::DotWord)
    if (token.isDotWord("pragma") ? !skipPragma() : !parseLaunchBounds(entry))
      return false;
  if (!parseBody(entry))
    return false;
  scopes.resize(1);
  return true;
}

bool Parser::parseParameters(ParsedEntry &entry) {
  if (!expect('('))
    return false;
  if (token.is(')'))
    return advance();
  do {
    if (token.is(',') && !advance())
      return false;
    if (!parseParameter(entry))
      return false;
  } while (token.is(','));
  return expect(')');
}

/// `.param .u64 .ptr .global .align 16 name` or `.param .align 8 .b8 name[24]`
bool Parser::parseParameter(ParsedEntry &entry) {
  if (!token.isDotWord("param"))
    return unexpected(".param");
  std::uint32_t line = token.line;
  ScalarType type;
  std::uint64_t alignment = 0;
  if (!advance() || !parseTypeAndAlignment(type, alignment))
    return false;
  ParameterInfo info;
  if (token.isDotWord("ptr")) {
    if (!advance())
      return false;
    if ((token.isDotWord("global") || token.isDotWord("const") ||
         token.isDotWord("shared") || token.isDotWord("local")) &&
        !advance())
      return false;
    std::uint64_t pointerAlignment = 1;
    if (token.isDotWord("align")) {
      if (!advance() || !expectInteger(pointerAlignment, "an alignment"))
        return false;
      if (pointerAlignment == 0 || pointerAlignment > 4096 ||
          (pointerAlignment & (pointerAlignment - 1)) != 0)
        return fail(line, "alignment must be a power of two up to 4096");
    }
    info.pointerAlignment = pointerAlignment;
  }
  std::string_view name;
  if (!expectIdentifier(name, "the name of a parameter"))
    return false;
  std::uint64_t count = 1;
  bool isArray = false, isOpen = false;
  if (!parseArrayExtents(count, isArray, isOpen))
    return false;
  if (isOpen || count == 0 || count > maxParameterBytes)
    return fail(line, "parameter '" + std::string(name) +
                          "' must have between 1 and " +
                          std::to_string(maxParameterBytes) + " elements");

  Variable variable;
  variable.name = name;
  variable.space = StateSpace::Param;
  variable.size = count * type.bytes();
  variable.alignment = std::max<std::uint64_t>(alignment, type.bytes());
  variable.offset = (entry.parameterBytes + variable.alignment - 1) /
                    variable.alignment * variable.alignment;
  entry.parameterBytes = variable.offset + variable.size;
  if (entry.parameterBytes > maxParameterBytes)
    return fail(line, "entry '" + entry.info.name + "' has more than " +
                          std::to_string(maxParameterBytes) +
                          " bytes of parameters");
  info.name = std::string(name);
  info.size = variable.size;
  info.alignment = variable.alignment;
  entry.info.parameters.push_back(std::move(info));
  return declare(std::move(variable));
}

bool Parser::parseThreadCounts(std::array<std::uint32_t, 3> &counts) {
  counts = {1, 1, 1};
  for (unsigned i = 0; i < 3; ++i) {
    std::uint64_t count = 0;
    std::uint32_t line = token.line;
    if (!expectInteger(count, "a number of threads"))
      return false;
    if (count == 0 || count > maxThreadsPerBlock)
      return fail(line, "a block has 1 to " +
                            std::to_string(maxThreadsPerBlock) +
                            " threads along a dimension");
    counts[i] = static_cast<std::uint32_t>(count);
    if (!token.is(','))
      return true;
    if (i < 2 && !advance())
      return false;
  }
  return unexpected("at most three numbers");
}

bool Parser::parseLaunchBounds(ParsedEntry &entry) {
  std::string_view word = token.text;
  if (word == "maxntid" || word == "reqntid") {
    std::array<std::uint32_t, 3> counts;
    if (!advance() || !parseThreadCounts(counts))
      return false;
    (word == "maxntid" ? entry.info.maxThreads : entry.info.requiredThreads) =
        counts;
    return true;
  }
  if (word == "minnctapersm" || word == "maxnctapersm" || word == "maxnreg") {
    std::uint64_t ignored = 0;
    return advance() && expectInteger(ignored, "a number");
  }
  return fail("directive '." + std::string(word.substr(0, 64)) +
              "' is not supported");
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

bool Parser::parseTypeAndAlignment(ScalarType &type, std::uint64_t &alignment) {
  alignment = 0;
  while (token.isDotWord("align")) {
    if (!advance())
      return false;
    std::uint32_t line = token.line;
    if (!expectInteger(alignment, "an alignment"))
      return false;
    if (alignment == 0 || alignment > 4096 ||
        (alignment & (alignment - 1)) != 0)
      return fail(line, "alignment must be a power of two up to 4096");
  }
  if (token.kind != Token::Kind::DotWord)
    return unexpected("a type");
  std::optional<ScalarType> parsed = parseScalarType(token.text);
  if (!parsed || parsed->isPredicate() ||
      (parsed->isFloat() && parsed->bits == 16))
    return fail("type '." + std::string(token.text.substr(0, 64)) +
                "' is not supported here");
  type = *parsed;
  return advance();
}

/// `[4][8]`, or `[]` as the only extent.
bool Parser::parseArrayExtents(std::uint64_t &count, bool &isArray,
                               bool &isOpen) {
  count = 1;
  isArray = isOpen = false;
  while (token.is('[')) {
    std::uint32_t line = token.line;
    if (!advance())
      return false;
    if (token.is(']') && !isArray) {
      isOpen = true;
      count = 0;
    } else {
      std::uint64_t extent = 0;
      if (!expectInteger(extent, "an extent"))
        return false;
      if (extent > maxVariableBytes || count > maxVariableBytes)
        return fail(line, "array is too large");
      count *= extent;
    }
    isArray = true;
    if (!expect(']'))
      return false;
  }
  return true;
}

bool Parser::parseVariable(bool isExtern) {
  Variable variable;
  variable.space = token.isDotWord("shared")   ? StateSpace::Shared
                   : token.isDotWord("global") ? StateSpace::Global
                                               : StateSpace::Const;
  if (!advance())
    return false;
  ScalarType type;
  std::uint64_t alignment = 0;
  std::uint32_t line = token.line;
  if (!parseTypeAndAlignment(type, alignment) ||
      !expectIdentifier(variable.name, "the name of a variable"))
    return false;
  std::string name(variable.name);
  std::uint64_t count = 1;
  bool isArray = false, isOpen = false;
  if (!parseArrayExtents(count, isArray, isOpen))
    return false;
  // An external shared array, open or of no extent, is the dynamic memory.
  if (isExtern) {
    if (variable.space != StateSpace::Shared || !isArray || count != 0)
      return fail(line, "external variable '" + name +
                            "' is not supported, only .extern .shared arrays "
                            "without an extent");
    variable.isDynamic = true;
  } else if (isOpen) {
    return fail(line, "variable '" + name + "' has no extent");
  }
  variable.size = count * type.bytes();
  variable.alignment = std::max<std::uint64_t>(alignment, type.bytes());
  if (variable.size > maxVariableBytes)
    return fail(line, "variable '" + name + "' is too large");
  if (variable.space != StateSpace::Shared) {
    variableBytes += variable.size;
    if (variableBytes > maxVariableBytes)
      return fail(line, "the module's variables take more than " +
                            std::to_string(maxVariableBytes) + " bytes");
    if (token.is('=') && !parseInitializer(variable, type))
      return false;
  }
  return expect(';') && declare(std::move(variable));
}

bool Parser::parseInitializer(Variable &variable, ScalarType type) {
  if (!advance())
    return false;
  bool isList = token.is('{');
  if (isList && !advance())
    return false;
  variable.initializer.reserve(variable.size);
  do {
    if (token.is(',') && !advance())
      return false;
    std::uint32_t line = token.line;
    Operand literal;
    if (!parseLiteral(literal))
      return false;
    bool isFloat = literal.kind == Operand::Kind::Float;
    if (isFloat != type.isFloat() ||
        (isFloat && literal.floatBits != type.bits))
      return fail(line, "initializer does not have the type " + getName(type));
    if (variable.initializer.size() + type.bytes() > variable.size)
      return fail(line, "more initializers than elements in variable '" +
                            std::string(variable.name) + "'");
    const auto *bytes = reinterpret_cast<const std::byte *>(&literal.bits);
    variable.initializer.insert(variable.initializer.end(), bytes,
                                bytes + type.bytes());
  } while (isList && token.is(','));
  return !isList || expect('}');
}

bool Parser::declare(Variable variable) {
  auto [it, isNew] = scopes.back().variables.try_emplace(
      variable.name, static_cast<std::uint32_t>(variables.size()));
  if (!isNew)
    return fail("variable '" + std::string(variable.name) +
                "' is declared twice");
  variables.push_back(std::move(variable));
  return true;
}
