//===- Decode.cpp - Operands of machine instructions ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decode.h"

#include <algorithm>
#include <charconv>
#include <iterator>

using namespace tc;
using namespace tc::timing;
using sass::Category;
using sass::Instruction;
using Kind = Operand::Kind;

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

namespace {

bool consume(std::string_view &text, std::string_view prefix) {
  if (text.substr(0, prefix.size()) != prefix)
    return false;
  text.remove_prefix(prefix.size());
  return true;
}

/// Takes digits away, decimal ones or after "0x" others; none if there are
/// none or too many.
std::optional<std::uint64_t> takeNumber(std::string_view &text) {
  int base = consume(text, "0x") ? 16 : 10;
  std::uint64_t value = 0;
  auto [stop, code] =
      std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (code != std::errc())
    return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  return value;
}

/// "R12", "URZ", "UP3", "PT": takes it away.
bool takeRegister(std::string_view &text, Operand &operand) {
  std::string_view rest = text;
  bool isUniform = consume(rest, "U");
  bool isPredicate = consume(rest, "P");
  if (!isPredicate && !consume(rest, "R"))
    return false;
  std::uint64_t number = 0;
  if (consume(rest, isPredicate ? "T" : "Z")) {
    number = isPredicate ? truePredicate : zeroRegister;
  } else {
    if (rest.empty() || rest.front() < '0' || rest.front() > '9')
      return false;
    std::optional<std::uint64_t> digits = takeNumber(rest);
    if (!digits || *digits >= (isPredicate ? truePredicate : zeroRegister))
      return false;
    number = *digits;
  }
  operand.kind = isPredicate
                     ? (isUniform ? Kind::UniformPredicate : Kind::Predicate)
                     : (isUniform ? Kind::Uniform : Kind::Register);
  operand.number = static_cast<std::uint8_t>(number);
  text = rest;
  return true;
}

/// The text between brackets: "R2.64+UR4+0x80".
Operand parseAddress(std::string_view text) {
  Operand address;
  address.kind = Kind::Address;
  while (!text.empty()) {
    consume(text, "+");
    bool isNegative = consume(text, "-");
    Operand part;
    if (takeRegister(text, part)) {
      std::uint8_t &number =
          part.kind == Kind::Uniform ? address.uniform : address.number;
      if (isNegative || part.isPredicate() || number != zeroRegister)
        return {};
      number = part.number;
      while (!text.empty() && text.front() == '.') {
        text.remove_prefix(1);
        std::string_view modifier = text.substr(0, text.find_first_of(".+"));
        if (modifier == "64")
          address.isWide = true;
        else if (modifier == "X4" || modifier == "X8" || modifier == "X16")
          address.scale = modifier == "X4" ? 4 : modifier == "X8" ? 8 : 16;
        else if (modifier != "U32" && modifier != "reuse")
          return {};
        text.remove_prefix(modifier.size());
      }
    } else if (std::optional<std::uint64_t> offset = takeNumber(text)) {
      auto value = static_cast<std::int64_t>(*offset & 0xffffffff);
      address.value += isNegative ? -value : value;
    } else {
      return {};
    }
  }
  return address;
}

Operand parseConstant(std::string_view text) {
  // c[0x0][0x160], c[0x3][R7+0x100]
  constexpr std::uint64_t maxBanks = 32;
  if (!consume(text, "c[") || text.empty() || text.back() != ']')
    return {};
  text.remove_suffix(1);
  std::optional<std::uint64_t> bank = takeNumber(text);
  if (!bank || *bank >= maxBanks || !consume(text, "]["))
    return {};
  Operand constant = parseAddress(text);
  if (constant.kind != Kind::Address || constant.isWide ||
      constant.uniform != zeroRegister || constant.value >= constantBankBytes ||
      constant.value <= -std::int64_t(constantBankBytes))
    return {};
  constant.kind = Kind::Constant;
  constant.bank = static_cast<std::uint8_t>(*bank);
  return constant;
}

} // namespace

Operand timing::parseOperand(std::string_view text) {
  // Notes follow after blanks: R45   (*"SpillRefill"*).
  text = text.substr(0, text.find(' '));
  bool isNegated = consume(text, "-");
  bool isInverted = consume(text, "~") || consume(text, "!");
  bool isAbsolute = text.size() > 1 && text.front() == '|';
  if (isAbsolute)
    text.remove_prefix(1);
  Operand operand;
  if (text.substr(0, 5) == "desc[") {
    std::size_t end = text.find(']');
    if (end == text.npos)
      return {};
    text.remove_prefix(end + 1);
  }
  if (text.size() > 1 && text.front() == '[' && text.back() == ']')
    return parseAddress(text.substr(1, text.size() - 2));
  if (text.substr(0, 2) == "c[") {
    operand = parseConstant(text);
  } else if (text.substr(0, 2) == "SR") {
    operand.kind = Kind::Special;
    operand.name = text;
  } else if (takeRegister(text, operand)) {
    // Other parts of a register than all of it are not followed.
    if (!text.empty() && text.front() == '.' && text != ".reuse" &&
        text != ".64" && text != ".U32")
      return {};
  } else if (std::optional<std::uint64_t> value = takeNumber(text);
             value && text.empty()) {
    operand.kind = Kind::Immediate;
    operand.value = static_cast<std::int64_t>(*value);
    if (isNegated) {
      operand.value = static_cast<std::int64_t>(0 - *value);
      isNegated = false;
    }
  } else {
    return {};
  }
  operand.negated = isNegated;
  operand.inverted = isInverted;
  operand.absolute = isAbsolute;
  return operand;
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

namespace {

struct ActionOf {
  std::string_view name;
  Action action;
};

/// Sorted by name. Registers that other instructions write are forgotten.
constexpr ActionOf actions[] = {
    {"BRA", Action::Jump},
    {"CALL", Action::Call},
    {"CS2R", Action::ReadSpecial},
    {"DSETP", Action::CompareDoubles},
    {"ELECT", Action::Elect},
    {"EXIT", Action::Exit},
    {"F2I", Action::ToInteger},
    {"I2F", Action::FromInteger},
    {"IABS", Action::Absolute},
    {"IADD", Action::Add3},
    {"IADD3", Action::Add3},
    {"IMAD", Action::MultiplyAdd},
    {"IMNMX", Action::MinMax},
    {"ISETP", Action::Compare},
    {"JMP", Action::Jump},
    {"LDC", Action::LoadConstant},
    {"LDCU", Action::LoadConstant},
    {"LEA", Action::Lea},
    {"LOP3", Action::Logic},
    {"MOV", Action::Move},
    {"MUFU", Action::Reciprocal},
    {"P2R", Action::PredicatesToRegister},
    {"PLOP3", Action::PredicateLogic},
    {"PRMT", Action::Permute},
    {"R2P", Action::RegisterToPredicates},
    {"R2UR", Action::ToUniform},
    {"RET", Action::Return},
    {"S2R", Action::ReadSpecial},
    {"S2UR", Action::ReadSpecial},
    {"SEL", Action::Select},
    {"SGXT", Action::Extend},
    {"SHF", Action::Shift},
    {"SHFL", Action::Shuffle},
    {"UIADD3", Action::Add3},
    {"UIMAD", Action::MultiplyAdd},
    {"UIMNMX", Action::MinMax},
    {"UISETP", Action::Compare},
    {"ULDC", Action::LoadConstant},
    {"ULEA", Action::Lea},
    {"ULOP3", Action::Logic},
    {"UMOV", Action::Move},
    {"UPLOP3", Action::PredicateLogic},
    {"UPRMT", Action::Permute},
    {"USEL", Action::Select},
    {"USGXT", Action::Extend},
    {"USHF", Action::Shift},
    {"VIADD", Action::Add3},
    {"VIADDMNMX", Action::AddMinMax},
    {"VIMNMX", Action::MinMax},
    {"VOTE", Action::Vote},
    {"VOTEU", Action::Vote},
};

Action actionOf(std::string_view name) {
  const ActionOf *found = std::lower_bound(
      std::begin(actions), std::end(actions), name,
      [](const ActionOf &a, std::string_view n) { return a.name < n; });
  return found != std::end(actions) && found->name == name ? found->action
                                                           : Action::Forget;
}

Space spaceOf(const Instruction &instruction) {
  switch (sass::categoryOf(instruction)) {
  case Category::SharedLoad:
  case Category::SharedStore:
    return Space::Shared;
  case Category::GlobalLoad:
  case Category::GlobalStore:
    return Space::Global;
  case Category::LocalAccess:
    return Space::Local;
  case Category::AsyncCopy:
    return instruction.baseOpcode() == "LDGSTS" ? Space::Copy : Space::None;
  default:
    return Space::None;
  }
}

unsigned accessBytes(const Instruction &instruction) {
  if (instruction.hasModifier("128"))
    return 16;
  if (instruction.hasModifier("64"))
    return 8;
  if (instruction.hasModifier("U16") || instruction.hasModifier("S16"))
    return 2;
  if (instruction.hasModifier("U8") || instruction.hasModifier("S8"))
    return 1;
  return 4;
}

/// Registers that an instruction may write.
std::uint8_t resultsOf(const Instruction &instruction, unsigned bytes) {
  std::string_view name = instruction.baseOpcode();
  if (name == "HGMMA" || name == "QGMMA" || name == "IGMMA")
    return 128;
  // DMMA.8x8x4 is DMMA.884 on sm_80, and 16x8 sums are twice as many.
  if (name == "DMMA")
    return instruction.hasModifier("8x8x4") || instruction.hasModifier("884")
               ? 4
               : 8;
  if (sass::pipeOf(instruction) == sass::Pipe::Tensor)
    return 4;
  if (name == "LDSM")
    return instruction.hasModifier("4")   ? 4
           : instruction.hasModifier("2") ? 2
                                          : 1;
  if (bytes > 4)
    return static_cast<std::uint8_t>(bytes / 4);
  if (sass::pipeOf(instruction) == sass::Pipe::FP64 ||
      instruction.hasModifier("F64") || instruction.hasModifier("WIDE") ||
      name == "FFMA2" || name == "FADD2" || name == "FMUL2")
    return 2;
  return 1;
}

bool writesNothing(const Instruction &instruction) {
  switch (sass::categoryOf(instruction)) {
  case Category::SharedStore:
  case Category::GlobalStore:
    // Atomics return the old value.
    return instruction.baseOpcode().substr(0, 4) != "ATOM";
  case Category::AsyncCopy:
  case Category::Control:
  case Category::Nop:
    return true;
  case Category::LocalAccess:
    return instruction.baseOpcode() == "STL";
  default:
    return false;
  }
}

} // namespace

Decoded timing::decode(const Instruction &instruction) {
  Decoded decoded;
  decoded.source = &instruction;
  decoded.guard.kind = Kind::Predicate;
  decoded.guard.number = truePredicate;
  if (instruction.guard.size() > 1) {
    decoded.guard = parseOperand(std::string_view(instruction.guard).substr(1));
    if (!decoded.guard.isPredicate())
      decoded.guard = {};
  }
  if (instruction.neverExecutes())
    return decoded;
  for (const std::string &operand : instruction.operands)
    decoded.operands.push_back(parseOperand(operand));
  std::string_view name = instruction.baseOpcode();
  decoded.bytes = accessBytes(instruction);
  decoded.space = spaceOf(instruction);
  decoded.results =
      writesNothing(instruction) ? 0 : resultsOf(instruction, decoded.bytes);
  decoded.isSigned =
      !instruction.hasModifier("U32") && !instruction.hasModifier("U64");
  decoded.isWide = instruction.hasModifier("WIDE");
  decoded.isHigh = instruction.hasModifier("HI");
  decoded.isExtended =
      instruction.hasModifier("X") || instruction.hasModifier("EX");
  decoded.isRight = instruction.hasModifier("R");
  decoded.isMatrix = name == "LDSM" || name == "STSM";
  decoded.isUniform = !decoded.operands.empty() &&
                      (decoded.operands[0].kind == Kind::Uniform ||
                       decoded.operands[0].kind == Kind::UniformPredicate);
  if (decoded.space != Space::None) {
    decoded.action = Action::Access;
    decoded.isLoad = decoded.results > 0 || decoded.space == Space::Copy;
    if (decoded.isMatrix)
      decoded.bytes = 16;
    return decoded;
  }
  decoded.action = actionOf(name);
  // HFMA2.MMA R4, -RZ, RZ, 0, 1.9e-06 moves two halves: its immediate.
  if (name == "HFMA2" && sass::categoryOf(instruction) == Category::Move &&
      decoded.operands.size() == 5 &&
      decoded.operands[3].kind != Kind::Register &&
      decoded.operands[3].kind != Kind::Constant) {
    decoded.action = Action::Move;
    decoded.operands.resize(2);
    decoded.operands[1] = {};
    decoded.operands[1].kind = Kind::Immediate;
    decoded.operands[1].value =
        static_cast<std::int64_t>(instruction.encoding[0] >> 32);
  }
  // Numbers of 64 bits in one operand.
  if (instruction.hasModifier("64") && decoded.action == Action::Add3)
    decoded.action = Action::Add64;
  else if (instruction.hasModifier("64") && decoded.action == Action::Move)
    decoded.isWide = true;
  else if (instruction.hasModifier("64") &&
           decoded.action != Action::LoadConstant)
    decoded.action = Action::Forget;
  if (decoded.action == Action::Jump || decoded.action == Action::Call) {
    decoded.isUnconditional =
        decoded.action == Action::Call ||
        (instruction.operands.size() == 1 && instruction.opcode == name);
    if (instruction.target)
      decoded.target = *instruction.target;
    else // Calls of functions elsewhere do nothing that is followed.
      decoded.action =
          decoded.action == Action::Call ? Action::None : Action::Exit;
  } else if (decoded.action == Action::Forget && decoded.results == 0) {
    decoded.action = Action::None;
  }
  return decoded;
}
