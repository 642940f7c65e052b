//===- Mutations.cpp - Small faults in PTX --------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mutations.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <random>
#include <set>

using namespace tc::mutation;

std::string_view tc::mutation::getName(Kind kind) {
  static constexpr std::string_view names[] = {
      "drop-barrier",     "drop-wait",     "drop-store",
      "drop-instruction", "drop-guard",    "negate-guard",
      "change-immediate", "change-offset", "change-access",
      "replace-register", "swap-operands", "change-opcode"};
  return names[static_cast<std::size_t>(kind)];
}

//===----------------------------------------------------------------------===//
// Lines
//===----------------------------------------------------------------------===//

static bool startsWith(const std::string &text, std::string_view with) {
  return text.compare(0, with.size(), with) == 0;
}

static bool isNameCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$';
}

static std::string trimmed(const std::string &text) {
  std::size_t begin = text.find_first_not_of(" \t");
  std::size_t end = text.find_last_not_of(" \t");
  return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

Mutator::Line Mutator::parse(const std::string &text) {
  Line line;
  line.text = text;
  std::string rest = trimmed(text.substr(0, text.find("//")));
  // Directives, labels, braces and lists of parameters end otherwise.
  if (rest.empty() || rest.back() != ';' || rest[0] == '.')
    return line;
  rest.pop_back();
  if (rest[0] == '@') {
    std::size_t end = rest.find_first_of(" \t");
    line.guard = rest.substr(0, end);
    rest = trimmed(rest.substr(end));
  }
  std::size_t end = std::min(rest.find_first_of(" \t"), rest.size());
  line.opcode = rest.substr(0, end);
  std::string operand;
  int depth = 0;
  for (char c : rest.substr(end)) {
    depth += (c == '[' || c == '{') - (c == ']' || c == '}');
    if (c == ',' && depth == 0) {
      line.operands.push_back(trimmed(operand));
      operand.clear();
    } else {
      operand += c;
    }
  }
  if (!trimmed(operand).empty())
    line.operands.push_back(trimmed(operand));
  return line;
}

std::string Mutator::print(const Line &line) {
  std::string text = "\t";
  if (!line.guard.empty())
    text += line.guard + " ";
  text += line.opcode;
  for (std::size_t i = 0; i < line.operands.size(); ++i)
    text += (i == 0 ? " " : ", ") + line.operands[i];
  return text + ";";
}

/// Calls `visit(begin, end)` for each register that an operand names.
template <typename F>
static void visitRegisters(const std::string &operand, F visit) {
  for (std::size_t i = 0; i < operand.size(); ++i) {
    if (operand[i] != '%')
      continue;
    std::size_t end = i + 1;
    while (end < operand.size() &&
           (isNameCharacter(operand[end]) || operand[end] == '.'))
      ++end;
    visit(i, end);
    i = end;
  }
}

/// "%rd" of "%rd12".
static std::string familyOf(const std::string &name) {
  std::size_t end = name.find_last_not_of("0123456789");
  return name.substr(0, end + 1);
}

Mutator::Mutator(std::string_view text) {
  std::set<std::string> names;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(parse(std::string(text.substr(begin, end - begin))));
    for (const std::string &operand : lines.back().operands)
      visitRegisters(operand, [&](std::size_t first, std::size_t last) {
        std::string name = operand.substr(first, last - first);
        // Special registers have no numbers.
        if (std::isdigit(static_cast<unsigned char>(name.back())))
          names.insert(name);
      });
    begin = end + 1;
  }
  registers.assign(names.begin(), names.end());
}

bool Mutator::isResultUnused(unsigned number) const {
  const Line &line = lines[number - 1];
  if (line.operands.empty() || line.operands[0][0] != '%')
    return false;
  const std::string &result = line.operands[0];
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i + 1 == number)
      continue;
    std::size_t at = lines[i].text.find(result);
    for (; at != std::string::npos; at = lines[i].text.find(result, at + 1)) {
      std::size_t end = at + result.size();
      if (end == lines[i].text.size() || !isNameCharacter(lines[i].text[end]))
        return false;
    }
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Changes
//===----------------------------------------------------------------------===//

std::optional<Kind> Mutator::kindOfDrop(const Line &line) {
  const std::string &opcode = line.opcode;
  if (startsWith(opcode, "bar.") || startsWith(opcode, "barrier."))
    return Kind::DropBarrier;
  if (startsWith(opcode, "cp.async.wait") ||
      startsWith(opcode, "cp.async.commit"))
    return Kind::DropWait;
  if (startsWith(opcode, "st.") || startsWith(opcode, "cp.async") ||
      startsWith(opcode, "red."))
    return Kind::DropStore;
  return Kind::DropInstruction;
}

/// Changes the number at `begin` by one, doubles it, or makes it zero.
static bool changeNumber(std::string &text, std::size_t begin, std::size_t end,
                         std::uint64_t random,
                         const std::vector<long long> &steps) {
  std::string number = text.substr(begin, end - begin);
  // Hexadecimal and floating-point numbers change a digit.
  if (number.size() > 2 && number[0] == '0' && !std::isdigit(number[1])) {
    char &digit = text[begin + 2 + random % (number.size() - 2)];
    digit = digit == '7' ? '3' : '7';
    return true;
  }
  if (number.size() > 18)
    return false;
  long long value = std::stoll(number);
  std::vector<long long> choices = {0, 2 * value};
  for (long long step : steps) {
    choices.push_back(value + step);
    choices.push_back(value - step);
  }
  long long changed = choices[random % choices.size()];
  if (changed == value)
    return false;
  text.replace(begin, end - begin, std::to_string(changed));
  return true;
}

/// The displacement of an address. One that is not written is zero.
static bool changeOffset(std::vector<std::string> &operands,
                         std::uint64_t random) {
  for (std::string &operand : operands) {
    if (operand[0] != '[')
      continue;
    static constexpr long long steps[] = {1, 4, 8, 16, -4, -8, -16};
    long long step = steps[random % std::size(steps)];
    std::size_t sign = operand.find_first_of("+-");
    long long offset =
        sign == std::string::npos
            ? 0
            : std::stoll(operand.substr(sign + (operand[sign] == '+')));
    offset += step;
    std::string base = operand.substr(
        0, sign == std::string::npos ? operand.size() - 1 : sign);
    operand = base + (offset < 0 ? "" : "+") + std::to_string(offset) + "]";
    return true;
  }
  return false;
}

static bool changeImmediate(std::vector<std::string> &operands,
                            std::uint64_t random) {
  struct Place {
    std::size_t operand, begin, end;
  };
  std::vector<Place> places;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const std::string &operand = operands[i];
    std::size_t begin = operand[0] == '-' ? 1 : 0;
    if (begin < operand.size() &&
        std::isdigit(static_cast<unsigned char>(operand[begin])))
      places.push_back({i, 0, operand.size()});
  }
  if (places.empty())
    return false;
  Place place = places[random % places.size()];
  return changeNumber(operands[place.operand], place.begin, place.end,
                      random / places.size(), {1, 2});
}

/// A narrower or wider type, or a shorter vector with fewer registers.
static bool changeAccess(std::string &opcode,
                         std::vector<std::string> &operands,
                         std::uint64_t random) {
  if (!startsWith(opcode, "ld.") && !startsWith(opcode, "st."))
    return false;
  for (const char *vector : {".v4", ".v2"}) {
    std::size_t at = opcode.find(vector);
    if (at == std::string::npos || random % 3 == 0)
      continue;
    bool isLong = vector[2] == '4';
    opcode.replace(at, 3, isLong ? ".v2" : "");
    for (std::string &operand : operands)
      if (operand[0] == '{') {
        std::size_t comma = operand.find(',');
        if (isLong)
          comma = operand.find(',', comma + 1);
        operand = isLong ? operand.substr(0, comma) + "}"
                         : trimmed(operand.substr(1, comma - 1));
      }
    return true;
  }
  std::size_t dot = opcode.rfind('.');
  static constexpr const char *types[] = {".b8",  ".b16", ".b32",
                                          ".b64", ".s16", ".u16"};
  std::string type = types[random / 3 % std::size(types)];
  if (type.substr(2) == opcode.substr(dot + 2))
    return false;
  opcode.replace(dot, std::string::npos, type);
  return true;
}

/// Replaces a word between dots.
static bool replaceWord(std::string &opcode, const std::string &word,
                        const std::string &with) {
  for (std::size_t at = opcode.find(word); at != std::string::npos;
       at = opcode.find(word, at + 1)) {
    std::size_t end = at + word.size();
    if ((at == 0 || opcode[at - 1] == '.') &&
        (end == opcode.size() || opcode[end] == '.')) {
      opcode.replace(at, word.size(), with);
      return true;
    }
  }
  return false;
}

/// Returns true if signed and unsigned numbers make no difference to an
/// operation.
static bool ignoresSign(const std::string &opcode) {
  static constexpr std::string_view prefixes[] = {
      "add.",     "sub.",  "mul.lo.", "mad.lo.", "setp.eq.",
      "setp.ne.", "selp.", "mov.",    "st."};
  return std::any_of(
      std::begin(prefixes), std::end(prefixes),
      [&](std::string_view prefix) { return startsWith(opcode, prefix); });
}

static bool changeOpcode(std::string &opcode, std::uint64_t random) {
  static constexpr std::array<const char *, 2> pairs[] = {
      {"add", "sub"},    {"mul", "add"},    {"and", "or"},
      {"or", "xor"},     {"shl", "shr"},    {"lo", "hi"},
      {"lo", "wide"},    {"min", "max"},    {"div", "rem"},
      {"lt", "le"},      {"gt", "ge"},      {"eq", "ne"},
      {"lt", "gt"},      {"s32", "u32"},    {"s64", "u64"},
      {"s16", "u16"},    {"s64", "s32"},    {"u64", "u32"},
      {"b64", "b32"},    {"f64", "f32"},    {"global", "shared"},
      {"rn", "rz"},      {"rzi", "rni"},    {"ca", "cg"},
      {"up", "down"},    {"bfly", "idx"},   {"row", "col"},
      {"trans", "num"},  {"x4", "x2"},      {"l", "r"},
      {"clamp", "wrap"}, {"sync", "arrive"}};
  std::vector<std::string> changed;
  for (const auto &[first, second] : pairs)
    for (bool isForward : {true, false}) {
      bool changesSign = (first[0] == 's' && second[0] == 'u') &&
                         std::string_view(first + 1) == second + 1;
      std::string candidate = opcode;
      if (!(changesSign && ignoresSign(opcode)) &&
          replaceWord(candidate, isForward ? first : second,
                      isForward ? second : first))
        changed.push_back(candidate);
    }
  if (changed.empty())
    return false;
  opcode = changed[random % changed.size()];
  return true;
}

/// Another register of the same family in place of one that is read.
static bool replaceRegister(std::vector<std::string> &operands,
                            const std::vector<std::string> &registers,
                            std::uint64_t random) {
  struct Place {
    std::size_t operand, begin, end;
  };
  std::vector<Place> places;
  for (std::size_t i = 0; i < operands.size(); ++i)
    visitRegisters(operands[i], [&](std::size_t begin, std::size_t end) {
      // The first operand is the result, unless it is an address.
      if (i > 0 || operands[0][0] == '[')
        places.push_back({i, begin, end});
    });
  if (places.empty())
    return false;
  Place place = places[random % places.size()];
  std::string &operand = operands[place.operand];
  std::string name = operand.substr(place.begin, place.end - place.begin);
  std::vector<std::string> others;
  for (const std::string &other : registers)
    if (other != name && familyOf(other) == familyOf(name))
      others.push_back(other);
  if (others.empty())
    return false;
  operand.replace(place.begin, name.size(),
                  others[random / places.size() % others.size()]);
  return true;
}

/// Exchanges two neighbouring sources whose order means something.
static bool swapOperands(const std::string &opcode,
                         std::vector<std::string> &operands,
                         std::uint64_t random) {
  if (operands.size() < 3)
    return false;
  static constexpr std::string_view commutative[] = {
      "add.", "mul.",     "and.",     "or.",  "xor.", "min.",
      "max.", "setp.eq.", "setp.ne.", "fma.", "mad."};
  bool firstTwoCommute = std::any_of(
      std::begin(commutative), std::end(commutative),
      [&](std::string_view prefix) { return startsWith(opcode, prefix); });
  std::size_t least = firstTwoCommute ? 2 : 1;
  if (operands.size() < least + 2)
    return false;
  std::size_t first = least + random % (operands.size() - least - 1);
  std::size_t second = first + 1;
  if (operands[first] == operands[second])
    return false;
  std::swap(operands[first], operands[second]);
  return true;
}

bool Mutator::apply(Kind kind, Line &line, std::uint64_t random) const {
  switch (kind) {
  case Kind::DropBarrier:
  case Kind::DropWait:
  case Kind::DropStore:
  case Kind::DropInstruction:
    line = Line();
    return true;
  case Kind::DropGuard:
    line.guard.clear();
    return true;
  case Kind::NegateGuard:
    line.guard = line.guard[1] == '!' ? "@" + line.guard.substr(2)
                                      : "@!" + line.guard.substr(1);
    return true;
  case Kind::ChangeImmediate:
    return changeImmediate(line.operands, random);
  case Kind::ChangeOffset:
    return changeOffset(line.operands, random);
  case Kind::ChangeAccess:
    return changeAccess(line.opcode, line.operands, random);
  case Kind::ReplaceRegister:
    return replaceRegister(line.operands, registers, random);
  case Kind::SwapOperands:
    return swapOperands(line.opcode, line.operands, random);
  case Kind::ChangeOpcode:
    return changeOpcode(line.opcode, random);
  }
  return false;
}

std::optional<Mutation> Mutator::mutate(std::uint64_t seed,
                                        std::optional<Kind> only) const {
  std::mt19937_64 random(seed);
  auto kind = only ? *only : static_cast<Kind>(random() % numKinds);
  // Half of the instructions' kinds have few places, so that the place is
  // picked among those that fit.
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!lines[i].isInstruction())
      continue;
    bool isDrop = kind <= Kind::DropInstruction;
    bool ofGuard = kind == Kind::DropGuard || kind == Kind::NegateGuard;
    if (isDrop ? kindOfDrop(lines[i]) == kind
               : !ofGuard || !lines[i].guard.empty()) {
      Line trial = lines[i];
      if (apply(kind, trial, 1) || apply(kind, trial, 2))
        places.push_back(i);
    }
  }
  if (places.empty())
    return std::nullopt;
  std::size_t place = places[random() % places.size()];
  Line changed = lines[place];
  if (!apply(kind, changed, random()))
    return std::nullopt;
  Mutation mutation;
  mutation.kind = kind;
  mutation.line = static_cast<unsigned>(place + 1);
  mutation.before = print(lines[place]).substr(1);
  if (changed.isInstruction())
    mutation.after = print(changed).substr(1);
  for (std::size_t i = 0; i < lines.size(); ++i)
    mutation.text += (i == place ? mutation.after : lines[i].text) + "\n";
  return mutation;
}
