//===- ParserBody.cpp - Statements and operands of PTX --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The text between the braces of an entry: register declarations, labels, and
// instructions with their operands.
//
//===----------------------------------------------------------------------===//

#include "Limits.h"
#include "Parser.h"
#include "Program.h"

using namespace tc::sim;

bool Parser::parseBody(ParsedEntry &entry) {
  if (!expect('{'))
    return false;
  // The scope of the outermost braces is the one that holds the parameters.
  std::size_t outermost = scopes.size();
  for (;;) {
    if (token.is('{')) {
      if (scopes.size() >= outermost + maxScopeDepth)
        return fail("braces are nested too deeply");
      scopes.emplace_back();
      if (!advance())
        return false;
    } else if (token.is('}')) {
      if (!advance())
        return false;
      if (scopes.size() == outermost)
        return true;
      scopes.pop_back();
    } else if (!parseStatement(entry)) {
      return false;
    }
  }
}

bool Parser::parseStatement(ParsedEntry &entry) {
  if (token.kind == Token::Kind::DotWord) {
    if (token.isDotWord("reg"))
      return parseRegisters();
    if (token.isDotWord("shared"))
      return parseVariable(/*isExtern=*/false);
    if (token.isDotWord("loc"))
      return parseLocation();
    if (token.isDotWord("pragma"))
      return skipPragma();
    return fail("directive '." + std::string(token.text.substr(0, 64)) +
                "' is not supported");
  }
  if (token.is(';'))
    return advance();
  return parseInstruction(entry);
}

/// `.reg .b32 %r<8>, %s;`
bool Parser::parseRegisters() {
  if (!advance())
    return false;
  if (token.kind != Token::Kind::DotWord)
    return unexpected("a type");
  std::optional<ScalarType> type = parseScalarType(token.text);
  if (token.text == "f16x2")
    type = ScalarType{Interpretation::Bits, 32};
  if (!type || type->bits == 8)
    return fail("registers of type '." + std::string(token.text.substr(0, 64)) +
                "' are not supported");
  do {
    std::string_view name;
    if (!advance() || !expectIdentifier(name, "the name of a register"))
      return false;
    RegisterDeclaration declaration;
    declaration.type = *type;
    if (token.is('<')) {
      if (!advance() ||
          !expectInteger(declaration.count, "a number of registers"))
        return false;
      if (declaration.count == 0)
        return fail("'" + std::string(name) + "' declares no register");
      if (!expect('>'))
        return false;
    }
    if (!scopes.back()
             .registers.try_emplace(name, std::move(declaration))
             .second)
      return fail("register '" + std::string(name) + "' is declared twice");
  } while (token.is(','));
  return expect(';');
}

bool Parser::parseLabel(ParsedEntry &entry, const Token &name) {
  auto number = static_cast<std::uint32_t>(entry.instructions.size());
  if (!entry.labels.try_emplace(name.text, number).second)
    return fail(name.line,
                "label '" + std::string(name.text) + "' is defined twice");
  return advance();
}

/// Fails for an instruction that the simulator does not have. Its modifiers
/// follow.
bool Parser::failUnsupported(const Token &opcode) {
  std::string name(opcode.text);
  for (; token.kind == Token::Kind::DotWord && name.size() < maxNameInMessage;
       token = lexer.next())
    name += "." + std::string(token.text);
  return fail(opcode.line, "instruction '" + name.substr(0, maxNameInMessage) +
                               "' is not supported by the simulator");
}

bool Parser::parseInstruction(ParsedEntry &entry) {
  Instruction instruction;
  if (token.is('@')) {
    if (!advance())
      return false;
    if (token.is('!')) {
      instruction.guardNegated = true;
      if (!advance())
        return false;
    }
    std::uint32_t line = token.line;
    std::string_view name;
    if (!expectIdentifier(name, "a predicate"))
      return false;
    std::optional<std::uint32_t> guard = findRegister(entry, name);
    if (!guard)
      return fail(line, "register '" + std::string(name) + "' is not declared");
    if (!entry.registers[*guard].type.isPredicate())
      return fail(line, "guard '" + std::string(name) + "' is not a predicate");
    instruction.isGuarded = true;
    instruction.guard = *guard;
  }

  Token first = token;
  if (token.kind != Token::Kind::Identifier)
    return unexpected("an instruction");
  if (!advance())
    return false;
  if (token.is(':') && !instruction.isGuarded)
    return parseLabel(entry, first);

  if (++instructionCount > maxInstructions)
    return fail(first.line, "the module has more than " +
                                std::to_string(maxInstructions) +
                                " instructions");
  instruction.line = first.line;
  instruction.location = location;
  instruction.opcode = first.text;
  // The parser knows the operands of no other instruction, so that what it says
  // of theirs would hide why they fail.
  if (!isSupportedInstruction(instruction.opcode))
    return failUnsupported(first);
  instructionName = first.text;
  while (token.kind == Token::Kind::DotWord) {
    if (instruction.modifiers.size() >= maxOperands)
      return unexpected("fewer modifiers");
    instruction.modifiers.push_back(token.text);
    instructionName =
        std::string_view(first.begin(), token.end() - first.begin());
    if (!advance())
      return false;
  }
  while (!token.is(';')) {
    if (!instruction.operands.empty() && !expect(','))
      return false;
    if (instruction.operands.size() >= maxOperands)
      return unexpected("fewer operands");
    instruction.operands.emplace_back();
    if (!parseOperand(entry, instruction.operands.back(), 0))
      return false;
  }
  instructionName = {};
  instruction.text =
      std::string_view(first.begin(), token.begin() - first.begin());
  entry.instructions.push_back(std::move(instruction));
  return advance();
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

bool Parser::parseOperand(ParsedEntry &entry, Operand &operand,
                          unsigned depth) {
  if (token.is('[') && depth == 0)
    return parseAddress(entry, operand);
  if (token.is('{') && depth == 0) {
    operand.kind = Operand::Kind::Vector;
    do {
      if (operand.elements.size() >= maxVectorElements)
        return unexpected("fewer vector elements");
      operand.elements.emplace_back();
      if (!advance() || !parseOperand(entry, operand.elements.back(), 1))
        return false;
    } while (token.is(','));
    return expect('}');
  }
  if (token.is('!')) {
    operand.negated = true;
    if (!advance())
      return false;
    if (token.kind != Token::Kind::Identifier)
      return unexpected("a predicate");
  }
  if (token.kind == Token::Kind::Identifier)
    return parseNamedOperand(entry, operand);
  return parseLiteral(operand);
}

bool Parser::parseNamedOperand(ParsedEntry &entry, Operand &operand) {
  std::string_view name = token.text;
  std::uint32_t line = token.line;
  if (!advance())
    return false;
  if (name == "_") {
    operand.kind = Operand::Kind::Sink;
    if (operand.negated)
      return fail(line, "expected a predicate, found '_'");
    if (!token.is('|'))
      return true;
    operand.kind = Operand::Kind::SinkAndPredicate;
    return parseSecondResult(entry, operand);
  }
  std::string_view component;
  if (token.kind == Token::Kind::DotWord) {
    component = token.text;
    if (!advance())
      return false;
  }
  if (std::optional<SpecialRegister> special =
          findSpecialRegister(name, component)) {
    operand.kind = Operand::Kind::Special;
    operand.index = static_cast<std::uint32_t>(*special);
    return true;
  }
  if (!component.empty())
    return fail(line, "'" + std::string(name) + "." + std::string(component) +
                          (isSpecialRegister(name)
                               ? "' is not supported by the simulator"
                               : "' is not an operand"));
  if (std::optional<std::uint32_t> number = findRegister(entry, name)) {
    operand.kind = Operand::Kind::Register;
    operand.index = *number;
    if (!token.is('|'))
      return true;
    operand.kind = Operand::Kind::Predicate;
    return parseSecondResult(entry, operand);
  }
  if (const std::uint32_t *variable = findVariable(name)) {
    operand.kind = Operand::Kind::Variable;
    operand.index = *variable;
    return parseOffset(operand.offset);
  }
  if (isSpecialRegister(name))
    return fail(line, "special register '" + std::string(name) +
                          "' is not supported by the simulator");
  if (name.front() == '%')
    return fail(line, "register '" + std::string(name) + "' is not declared");
  operand.kind = Operand::Kind::Name;
  operand.name = name;
  return true;
}

/// `|%p`
bool Parser::parseSecondResult(ParsedEntry &entry, Operand &operand) {
  std::uint32_t line = token.line;
  std::string_view name;
  if (!advance() || !expectIdentifier(name, "a predicate"))
    return false;
  std::optional<std::uint32_t> second = findRegister(entry, name);
  if (!second)
    return fail(line, "register '" + std::string(name) + "' is not declared");
  operand.second = *second;
  return true;
}

/// `[%rd1+16]`, `[name]`, `[4096]`
bool Parser::parseAddress(ParsedEntry &entry, Operand &operand) {
  operand.kind = Operand::Kind::Address;
  operand.elements.emplace_back();
  Operand &base = operand.elements.back();
  if (!advance() || !parseOperand(entry, base, 1))
    return false;
  if (base.kind == Operand::Kind::Variable)
    operand.offset = base.offset;
  else if (!parseOffset(operand.offset))
    return false;
  return expect(']');
}

/// `+16`, `+-16`, `-16`, or nothing.
bool Parser::parseOffset(std::int64_t &offset) {
  bool hasPlus = token.is('+');
  if (hasPlus && !advance())
    return false;
  if (!hasPlus && !token.is('-'))
    return true;
  Operand literal;
  std::uint32_t line = token.line;
  if (!parseLiteral(literal))
    return false;
  offset = static_cast<std::int64_t>(literal.bits);
  if (literal.kind != Operand::Kind::Integer || offset != std::int32_t(offset))
    return fail(line, "an address offset must be a 32-bit integer");
  return true;
}

bool Parser::parseLiteral(Operand &operand) {
  bool isNegative = token.is('-');
  if (isNegative && !advance())
    return false;
  operand.bits = token.bits;
  if (token.kind == Token::Kind::Integer) {
    operand.kind = Operand::Kind::Integer;
    if (isNegative)
      operand.bits = 0 - operand.bits;
    return advance();
  }
  if (token.kind == Token::Kind::Float) {
    operand.kind = Operand::Kind::Float;
    operand.floatBits = token.floatBits;
    if (isNegative)
      operand.bits ^= std::uint64_t(1) << (token.floatBits - 1);
    return advance();
  }
  return unexpected("an operand");
}

std::optional<std::uint32_t> Parser::findRegister(ParsedEntry &entry,
                                                  std::string_view name) {
  auto number = [&](RegisterDeclaration &declaration, std::uint64_t member) {
    auto [it, isNew] = declaration.numbers.try_emplace(
        member, static_cast<std::uint32_t>(entry.registers.size()));
    if (isNew)
      entry.registers.push_back({std::string(name), declaration.type});
    return it->second;
  };
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
    auto exact = scope->registers.find(name);
    if (exact != scope->registers.end() && exact->second.count == 0)
      return number(exact->second, 0);
    // A member of a parametrised declaration: %r17 of %r<20>.
    std::uint64_t member = 0, weight = 1;
    for (std::size_t length = name.size(), digits = 1;
         length-- > 1 && digits <= 10; ++digits) {
      char digit = name[length];
      if (digit < '0' || digit > '9')
        break;
      member += weight * static_cast<std::uint64_t>(digit - '0');
      weight *= 10;
      if (digit == '0' && digits > 1)
        continue;
      auto range = scope->registers.find(name.substr(0, length));
      if (range != scope->registers.end() && member < range->second.count)
        return number(range->second, member);
    }
  }
  return std::nullopt;
}

const std::uint32_t *Parser::findVariable(std::string_view name) const {
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
    auto it = scope->variables.find(name);
    if (it != scope->variables.end())
      return &it->second;
  }
  return nullptr;
}
