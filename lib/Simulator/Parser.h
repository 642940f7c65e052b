//===- Parser.h - From PTX text to parsed entries ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A recursive-descent parser. It hands out one entry at a time, so that only
// one has to be held in parsed form.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_SIMULATOR_PARSER_H
#define TC_LIB_SIMULATOR_PARSER_H

#include "Lexer.h"
#include "PTX.h"

#include <deque>
#include <unordered_map>

namespace tc::sim {

class Parser {
public:
  Parser(std::string_view text, std::string_view fileName)
      : fileName(fileName), lexer(text) {}

  /// Reads `.version`, `.target` and `.address_size`.
  bool parseHeader();
  /// Reads on to the end of the next entry. False at the end of the text and
  /// after an error.
  bool parseNextEntry(ParsedEntry &entry);

  /// The error that stopped the parser, if one did.
  const std::optional<Error> &error() const { return failure; }

  std::array<unsigned, 2> version = {0, 0};
  std::string target;
  std::deque<Variable> variables;
  /// Names of source files by their numbers.
  std::map<std::uint32_t, std::string_view> files;

private:
  /// `.reg .b32 %r<count>` or, with a count of 0, `.reg .b32 %r`.
  struct RegisterDeclaration {
    ScalarType type;
    std::uint64_t count = 0;
    std::unordered_map<std::uint64_t, std::uint32_t> numbers;
  };
  struct Scope {
    std::map<std::string_view, RegisterDeclaration> registers;
    std::map<std::string_view, std::uint32_t> variables;
  };

  bool fail(std::uint32_t line, const std::string &message);
  bool fail(const std::string &message) { return fail(token.line, message); }
  bool unexpected(const char *wanted);
  bool advance();
  bool expect(char punctuation);
  bool expectInteger(std::uint64_t &value, const char *what);
  bool expectIdentifier(std::string_view &name, const char *what);

  bool parseVersion();
  bool parseTarget();
  bool skipToken(Token::Kind kind, const char *what);
  bool parseFile();
  bool parseLocation();
  bool parsePosition(LocationNumbers &position);
  bool parseFunctionName();
  bool checkFiles();
  bool skipSection();
  bool skipPragma();

  bool parseEntry(ParsedEntry &entry);
  bool parseParameters(ParsedEntry &entry);
  bool parseParameter(ParsedEntry &entry);
  bool parseLaunchBounds(ParsedEntry &entry);
  bool parseThreadCounts(std::array<std::uint32_t, 3> &counts);
  bool parseBody(ParsedEntry &entry);
  bool parseStatement(ParsedEntry &entry);
  bool parseRegisters();
  bool parseLabel(ParsedEntry &entry, const Token &name);
  bool parseInstruction(ParsedEntry &entry);
  bool failUnsupported(const Token &opcode);

  bool parseVariable(bool isExtern);
  bool parseTypeAndAlignment(ScalarType &type, std::uint64_t &alignment);
  bool parseArrayExtents(std::uint64_t &count, bool &isArray, bool &isOpen);
  bool parseInitializer(Variable &variable, ScalarType type);
  bool declare(Variable variable);

  bool parseOperand(ParsedEntry &entry, Operand &operand, unsigned depth);
  bool parseSecondResult(ParsedEntry &entry, Operand &operand);
  bool parseNamedOperand(ParsedEntry &entry, Operand &operand);
  bool parseAddress(ParsedEntry &entry, Operand &operand);
  bool parseLiteral(Operand &operand);
  bool parseOffset(std::int64_t &offset);
  std::optional<std::uint32_t> findRegister(ParsedEntry &entry,
                                            std::string_view name);
  const std::uint32_t *findVariable(std::string_view name) const;

  std::string fileName;
  Lexer lexer;
  Token token;
  std::vector<Scope> scopes = std::vector<Scope>(1);
  LocationNumbers location; ///< from the last `.loc`
  /// The instruction whose modifiers and operands are read, with those
  /// modifiers that have been; empty elsewhere.
  std::string_view instructionName;
  /// Numbers of source files, and the line where each is used first.
  std::map<std::uint32_t, std::uint32_t> usedFiles;
  std::uint64_t instructionCount = 0;
  std::uint64_t variableBytes = 0;
  std::optional<Error> failure;
};

} // namespace tc::sim

#endif // TC_LIB_SIMULATOR_PARSER_H
