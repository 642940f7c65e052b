//===- Listing.cpp - Machine code as nvdisasm prints it -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/MachineCode/Listing.h"

#include <algorithm>
#include <charconv>
#include <unordered_map>

using namespace tc;
using namespace tc::sass;

Control Control::decode(std::uint64_t highWord) {
  auto field = [&](unsigned bit, unsigned width) {
    return static_cast<unsigned>(highWord >> (bit - 64) &
                                 ((std::uint64_t(1) << width) - 1));
  };
  auto barrier = [&](unsigned bit) -> std::optional<unsigned> {
    unsigned number = field(bit, 3);
    return number == 7 ? std::nullopt : std::optional(number);
  };
  Control control;
  control.stall = field(105, 4);
  control.yields = field(109, 1) == 0;
  control.writeBarrier = barrier(110);
  control.readBarrier = barrier(113);
  control.awaits = field(116, 6);
  control.reuse = field(122, 4);
  return control;
}

std::string_view Instruction::baseOpcode() const {
  return std::string_view(opcode).substr(0, opcode.find('.'));
}

bool Instruction::hasModifier(std::string_view modifier) const {
  std::string_view rest = opcode;
  for (std::size_t dot = rest.find('.'); dot != rest.npos;
       dot = rest.find('.')) {
    rest.remove_prefix(dot + 1);
    if (rest.substr(0, rest.find('.')) == modifier)
      return true;
  }
  return false;
}

bool Instruction::neverExecutes() const {
  return guard == "@!PT" || guard == "@!UPT";
}

std::string Instruction::text() const {
  std::string result = guard.empty() ? opcode : guard + " " + opcode;
  for (std::size_t i = 0; i < operands.size(); ++i)
    result += (i == 0 ? " " : ", ") + operands[i];
  return result;
}

const Function *Listing::find(std::string_view name) const {
  for (const Function &function : functions)
    if (function.name == name)
      return &function;
  return nullptr;
}

namespace {

/// The largest length of a line: a corrupt file has no end of line.
constexpr std::size_t maxLineBytes = 1 << 16;
constexpr std::uint64_t instructionBytes = 16;

class ListingParser {
public:
  ListingParser(std::string_view text, const std::string &name)
      : rest(text), name(name) {}

  Result<Listing> parse();

private:
  /// A jump whose label may stand further down.
  struct Jump {
    std::uint32_t instruction;
    std::string label;
    std::size_t line;
  };

  bool nextLine();
  Status parseLine();
  Status parseDirective(std::string_view text);
  Status parseInstruction(std::string_view text);
  Status parseSecondWord(std::string_view text);
  Status parseOperands(std::string_view text, Instruction &instruction);
  Status finishFunction();
  Error error(const std::string &message) const {
    return Error{name + ":" + std::to_string(lineNumber) + ": " + message};
  }

  std::string_view rest;
  const std::string &name;
  std::string_view line;
  std::size_t lineNumber = 0;
  Listing listing;
  bool inFunction = false;
  bool awaitsSecondWord = false;
  std::unordered_map<std::string, std::uint32_t> labels;
  std::vector<Jump> jumps;
};

std::string_view trim(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  std::size_t begin = text.find_first_not_of(blanks);
  if (begin == text.npos)
    return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

bool consume(std::string_view &text, std::string_view prefix) {
  if (text.substr(0, prefix.size()) != prefix)
    return false;
  text.remove_prefix(prefix.size());
  return true;
}

std::optional<std::uint64_t> parseHex(std::string_view digits) {
  std::uint64_t value = 0;
  const char *end = digits.data() + digits.size();
  auto [stop, code] = std::from_chars(digits.data(), end, value, 16);
  if (code != std::errc() || stop != end)
    return std::nullopt;
  return value;
}

/// The number in "/* 0x0123456789abcdef */" or "/*0010*/".
std::optional<std::uint64_t> parseComment(std::string_view text) {
  text = trim(text);
  if (!consume(text, "/*") || text.size() < 2 ||
      text.substr(text.size() - 2) != "*/")
    return std::nullopt;
  text = trim(text.substr(0, text.size() - 2));
  consume(text, "0x");
  return parseHex(text);
}

/// Takes a directive away that stands in front: ".section" is another than
/// ".sectioninfo".
bool consumeDirective(std::string_view &text, std::string_view directive) {
  if (text.substr(0, text.find_first_of(" \t")) != directive)
    return false;
  text = trim(text.substr(directive.size()));
  return true;
}

/// "sm_70" of flags among which EF_CUDA_SM70 is; nothing of others.
std::string architectureOf(std::string_view flags) {
  constexpr std::string_view flag = "EF_CUDA_SM", blanks = " \"";
  for (std::size_t at = flags.find(flag); at != flags.npos;
       at = flags.find(flag, at + 1)) {
    std::size_t first = at + flag.size();
    std::size_t last = flags.find_first_not_of("0123456789", first);
    bool isWhole = at > 0 && blanks.find(flags[at - 1]) != blanks.npos &&
                   last != flags.npos && last > first &&
                   blanks.find(flags[last]) != blanks.npos;
    if (isWhole)
      return "sm_" + std::string(flags.substr(first, last - first));
  }
  return {};
}

} // namespace

bool ListingParser::nextLine() {
  if (rest.empty())
    return false;
  std::size_t end = rest.find('\n');
  line = rest.substr(0, end);
  rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
  ++lineNumber;
  return true;
}

Result<Listing> ListingParser::parse() {
  if (rest.size() > maxListingBytes)
    return Error{name + ": is longer than " + std::to_string(maxListingBytes) +
                 " bytes, the most that is read"};
  while (nextLine())
    if (Status status = parseLine(); !status)
      return Error{status.error()};
  if (Status status = finishFunction(); !status)
    return Error{status.error()};
  if (listing.architecture.empty())
    return Error{name + ": has no '.target' and no '.headerflags', so it "
                        "is no listing of nvdisasm"};
  if (listing.functions.empty())
    return Error{name + ": has no function"};
  return std::move(listing);
}

Status ListingParser::parseLine() {
  if (line.size() > maxLineBytes)
    return error("the line is longer than " + std::to_string(maxLineBytes) +
                 " bytes");
  std::string_view text = trim(line);
  if (text.empty() || text.substr(0, 2) == "//")
    return {};
  if (awaitsSecondWord)
    return parseSecondWord(text);
  if (text.substr(0, 2) == "/*")
    return parseInstruction(text);
  return parseDirective(text);
}

/// Labels, and those of the directives that matter.
Status ListingParser::parseDirective(std::string_view text) {
  if (consumeDirective(text, ".target")) {
    if (text.substr(0, 3) != "sm_")
      return error("'" + std::string(text.substr(0, 40)) +
                   "' is no architecture");
    listing.architecture = text;
    return {};
  }
  // Before CUDA 13 flags say it: @"EF_CUDA_64BIT_ADDRESS EF_CUDA_SM70 ...".
  if (consumeDirective(text, ".headerflags")) {
    if (std::string chip = architectureOf(text); !chip.empty())
      listing.architecture = chip;
    return {};
  }
  constexpr std::string_view prefix = ".text.";
  if (consumeDirective(text, ".section")) {
    if (Status status = finishFunction(); !status)
      return status;
    std::string_view section = text.substr(0, text.find(','));
    if (!consume(section, prefix))
      return {};
    if (section.empty())
      return error("a function without a name");
    inFunction = true;
    listing.functions.push_back({std::string(section), {}});
    return {};
  }
  if (!inFunction || text.back() != ':')
    return {};
  text.remove_suffix(1);
  auto place = static_cast<std::uint32_t>(listing.functions.back().code.size());
  if (!labels.emplace(text, place).second)
    return error("the label '" + std::string(text.substr(0, 40)) +
                 "' stands here a second time");
  return {};
}

Status ListingParser::parseInstruction(std::string_view text) {
  if (!inFunction)
    return error("an instruction outside of any function");
  Function &function = listing.functions.back();
  std::size_t end = text.find("*/");
  std::size_t semicolon = text.find(';');
  if (end == text.npos || semicolon == text.npos || semicolon < end)
    return error("no instruction that ends in ';'");
  Instruction instruction;
  std::optional<std::uint64_t> offset = parseComment(text.substr(0, end + 2));
  if (!offset || *offset != function.code.size() * instructionBytes)
    return error("the offset is not the one behind the last instruction");
  instruction.offset = *offset;
  std::optional<std::uint64_t> word = parseComment(text.substr(semicolon + 1));
  if (!word)
    return error("no encoding: nvdisasm prints it with -hex");
  instruction.encoding[0] = *word;
  std::string_view body = trim(text.substr(end + 2, semicolon - end - 2));
  if (body.substr(0, 1) == "@") {
    std::size_t blank = body.find(' ');
    instruction.guard = body.substr(0, blank);
    body = blank == body.npos ? std::string_view() : trim(body.substr(blank));
  }
  std::size_t blank = body.find(' ');
  instruction.opcode = body.substr(0, blank);
  if (instruction.opcode.empty())
    return error("an instruction without an opcode");
  if (blank != body.npos)
    if (Status status = parseOperands(trim(body.substr(blank)), instruction);
        !status)
      return status;
  function.code.push_back(std::move(instruction));
  awaitsSecondWord = true;
  return {};
}

Status ListingParser::parseSecondWord(std::string_view text) {
  std::optional<std::uint64_t> word = parseComment(text);
  if (!word)
    return error("the second word of the encoding is missing");
  Instruction &instruction = listing.functions.back().code.back();
  instruction.encoding[1] = *word;
  instruction.control = Control::decode(*word);
  awaitsSecondWord = false;
  return {};
}

/// Operands are separated by commas outside of brackets.
Status ListingParser::parseOperands(std::string_view text,
                                    Instruction &instruction) {
  int depth = 0;
  std::size_t begin = 0;
  auto add = [&](std::size_t end) {
    instruction.operands.emplace_back(trim(text.substr(begin, end - begin)));
    begin = end + 1;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    depth +=
        (c == '[' || c == '(' || c == '{') - (c == ']' || c == ')' || c == '}');
    if (depth < 0)
      break;
    if (c == ',' && depth == 0)
      add(i);
  }
  if (depth != 0)
    return error("the brackets of the operands do not match");
  add(text.size());
  // "`(.L_x_2)" names the place that a jump goes to.
  std::string_view last = instruction.operands.back();
  if (last.substr(0, 2) == "`(" && last.back() == ')')
    jumps.push_back(
        {static_cast<std::uint32_t>(listing.functions.back().code.size()),
         std::string(last.substr(2, last.size() - 3)), lineNumber});
  return {};
}

Status ListingParser::finishFunction() {
  if (awaitsSecondWord)
    return error("the second word of the encoding is missing");
  if (!inFunction)
    return {};
  Function &function = listing.functions.back();
  if (function.code.empty())
    return error("the function '" + function.name + "' has no instruction");
  // Calls name other functions, which are no place in this one.
  for (const Jump &jump : jumps) {
    auto found = labels.find(jump.label);
    if (found != labels.end() && found->second < function.code.size())
      function.code[jump.instruction].target = found->second;
    else if (jump.label.substr(0, 2) == ".L")
      return Error{name + ":" + std::to_string(jump.line) +
                   ": no instruction has the label '" +
                   jump.label.substr(0, 40) + "'"};
  }
  labels.clear();
  jumps.clear();
  inFunction = false;
  return {};
}

Result<Listing> tc::sass::parseListing(std::string_view text,
                                       const std::string &name) {
  return ListingParser(text, name).parse();
}
