//===- Integers.cpp - Arithmetic that addresses and loops need ------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The semantics of integer instructions, with the names of the CUDA Binary
// Utilities. Operands are the results, predicates that are results, too,
// sources, and predicates that are sources.
//
//===----------------------------------------------------------------------===//

#include "Lanes.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

using namespace tc;
using namespace tc::timing;
using Kind = Operand::Kind;

namespace {

/// Calls `compute(lane)` for each lane, for a value of 32 bits.
template <typename Compute>
Value eachLane(std::uint32_t known, Compute compute) {
  Value result;
  result.known = known;
  for (unsigned i = 0; i < numLanes; ++i)
    result.lanes[i] = compute(i);
  return result;
}

template <typename Compute>
Truth eachTruth(std::uint32_t known, Compute compute) {
  Truth result = {0, known};
  for (unsigned i = 0; i < numLanes; ++i)
    result.bits |= std::uint32_t(compute(i) ? 1 : 0) << i;
  return result;
}

std::int64_t extend(std::uint32_t value, bool isSigned) {
  return isSigned ? static_cast<std::int64_t>(static_cast<std::int32_t>(value))
                  : static_cast<std::int64_t>(value);
}

float floatOf(std::uint32_t bits) {
  float number;
  std::memcpy(&number, &bits, sizeof(number));
  return number;
}

std::uint32_t bitsOf(float number) {
  std::uint32_t bits;
  std::memcpy(&bits, &number, sizeof(bits));
  return bits;
}

/// The place of the first source: after the result and the predicates behind
/// it.
std::size_t firstSource(const Decoded &decoded) {
  std::size_t first = 1;
  while (first < decoded.operands.size() &&
         decoded.operands[first].isPredicate())
    ++first;
  return first;
}

} // namespace

/// IMAD and its kin: R = A * B + C, with 64 bits of the result for WIDE and the
/// upper 32 of those for HI.
void WarpRegisters::multiplyAdd(const Decoded &decoded, std::size_t first,
                                std::uint32_t mask) {
  const std::vector<Operand> &operands = decoded.operands;
  for (std::size_t i = 1; i < first; ++i)
    set(operands[i], Truth{}, mask);
  const Value a = value(operands[first]), b = value(operands[first + 1]);
  bool isSigned = decoded.isSigned;
  if (!decoded.isWide && !decoded.isHigh) {
    const Value c = value(operands[first + 2]);
    std::uint32_t known = a.known & b.known & c.known, carries = 0;
    if (decoded.isExtended) {
      Truth carry = read(operands.back());
      known &= carry.known;
      carries = carry.bits;
    }
    set(operands[0],
        eachLane(known,
                 [&](unsigned i) {
                   return a.lanes[i] * b.lanes[i] + c.lanes[i] +
                          (carries >> i & 1);
                 }),
        mask);
    return;
  }
  const WideValue c = wide(operands[first + 2], isSigned);
  WideValue result;
  result.known = a.known & b.known & c.known;
  for (unsigned i = 0; i < numLanes; ++i)
    result.lanes[i] =
        static_cast<std::uint64_t>(extend(a.lanes[i], isSigned)) *
            static_cast<std::uint64_t>(extend(b.lanes[i], isSigned)) +
        c.lanes[i];
  if (decoded.isExtended)
    result.known = 0;
  if (decoded.isWide)
    return setWide(operands[0], result, mask);
  set(operands[0],
      eachLane(result.known,
               [&](unsigned i) {
                 return static_cast<std::uint32_t>(result.lanes[i] >> 32);
               }),
      mask);
}

/// IADD3 R, P, P', A, B, C, and VIADD with two terms; X adds the predicates at
/// the end.
void WarpRegisters::add3(const Decoded &decoded, std::size_t first,
                         std::uint32_t mask) {
  const std::vector<Operand> &operands = decoded.operands;
  std::array<std::uint64_t, numLanes> sums = {};
  std::uint32_t known = allLanes;
  for (std::size_t i = first; i < operands.size(); ++i) {
    Operand operand = operands[i];
    if (operand.isPredicate()) {
      if (!decoded.isExtended)
        continue;
      Truth carry = read(operand);
      known &= carry.known;
      for (unsigned lane = 0; lane < numLanes; ++lane)
        sums[lane] += carry.bits >> lane & 1;
      continue;
    }
    // -x is ~x + 1, which is how it carries.
    bool isNegated = operand.negated;
    if (isNegated) {
      operand.negated = false;
      operand.inverted = !operand.inverted;
    }
    const Value term = value(operand);
    known &= term.known;
    for (unsigned lane = 0; lane < numLanes; ++lane)
      sums[lane] += std::uint64_t(term.lanes[lane]) + (isNegated ? 1 : 0);
  }
  for (std::size_t i = 1; i < first; ++i)
    set(operands[i],
        eachTruth(known, [&](unsigned lane) { return sums[lane] >> 32 >= i; }),
        mask);
  set(operands[0],
      eachLane(known,
               [&](unsigned lane) {
                 return static_cast<std::uint32_t>(sums[lane]);
               }),
      mask);
}

void WarpRegisters::add64(const Decoded &decoded, std::size_t first,
                          std::uint32_t mask) {
  const std::vector<Operand> &operands = decoded.operands;
  for (std::size_t i = 1; i < first; ++i)
    set(operands[i], Truth{}, mask);
  WideValue sum;
  sum.known = allLanes;
  for (std::size_t i = first; i < operands.size(); ++i) {
    if (operands[i].isPredicate())
      continue;
    const WideValue term = wide(operands[i], true);
    sum.known &= term.known;
    for (unsigned lane = 0; lane < numLanes; ++lane)
      sum.lanes[lane] += term.lanes[lane];
  }
  if (decoded.isExtended)
    sum.known = 0;
  setWide(operands[0], sum, mask);
}

/// LEA R, P, A, B, s: (A << s) + B. LEA.HI R, A, B, C, s: the upper half of
/// (C:A << s), plus B; SX32 has the sign of A in place of C.
void WarpRegisters::lea(const Decoded &decoded, std::size_t first,
                        std::uint32_t mask) {
  const std::vector<Operand> &operands = decoded.operands;
  std::size_t last = operands.size();
  Truth carry = {0, allLanes};
  if (operands[last - 1].isPredicate()) {
    if (decoded.isExtended)
      carry = read(operands[last - 1]);
    --last;
  }
  bool extendsSign = decoded.source->hasModifier("SX32");
  std::size_t sources = decoded.isHigh && !extendsSign ? 4 : 3;
  if (last != first + sources || operands[last - 1].kind != Kind::Immediate)
    return forget(decoded, mask);
  const auto shift = static_cast<unsigned>(operands[last - 1].value & 31);
  const Value a = value(operands[first]), b = value(operands[first + 1]);
  Value c = eachLane(allLanes, [](unsigned) { return 0u; });
  if (extendsSign)
    c = eachLane(a.known,
                 [&](unsigned i) { return a.lanes[i] >> 31 ? allLanes : 0; });
  else if (decoded.isHigh)
    c = value(operands[first + 2]);
  std::array<std::uint64_t, numLanes> sums;
  for (unsigned i = 0; i < numLanes; ++i) {
    std::uint64_t shifted = (a.lanes[i] | std::uint64_t(c.lanes[i]) << 32)
                            << shift;
    if (decoded.isHigh)
      shifted >>= 32;
    sums[i] = (shifted & allLanes) + b.lanes[i] + (carry.bits >> i & 1);
  }
  std::uint32_t known = a.known & b.known & c.known & carry.known;
  if (first > 1)
    set(operands[1],
        eachTruth(known, [&](unsigned i) { return sums[i] >> 32 != 0; }), mask);
  set(operands[0],
      eachLane(known,
               [&](unsigned i) { return static_cast<std::uint32_t>(sums[i]); }),
      mask);
}

/// LOP3.LUT P, R, A, B, C, table: each bit of the result is that of the table
/// which three bits of the sources number.
void WarpRegisters::logic(const Decoded &decoded, std::size_t first,
                          std::uint32_t mask) {
  const std::vector<Operand> &operands = decoded.operands;
  // Here a predicate stands in front of the register.
  std::size_t result = operands[0].isPredicate() ? 1 : 0;
  first = result + 1;
  if (operands.size() < first + 4 ||
      operands[first + 3].kind != Kind::Immediate)
    return forget(decoded, mask);
  const Value a = value(operands[first]), b = value(operands[first + 1]),
              c = value(operands[first + 2]);
  auto table = static_cast<std::uint32_t>(operands[first + 3].value);
  std::uint32_t known = a.known & b.known & c.known;
  const Value bits = eachLane(known, [&](unsigned i) {
    std::uint32_t x = a.lanes[i], y = b.lanes[i], z = c.lanes[i], all = 0;
    for (unsigned number = 0; number < 8; ++number)
      if (table >> number & 1)
        all |= (number & 4 ? x : ~x) & (number & 2 ? y : ~y) &
               (number & 1 ? z : ~z);
    return all;
  });
  if (result == 1)
    set(operands[0],
        eachTruth(known, [&](unsigned i) { return bits.lanes[i] != 0; }), mask);
  set(operands[result], bits, mask);
}

/// SHF R, low, shift, high: a part of 64 bits.
void WarpRegisters::shift(const Decoded &decoded, std::uint32_t mask) {
  const std::vector<Operand> &operands = decoded.operands;
  if (operands.size() != 4)
    return forget(decoded, mask);
  const Value low = value(operands[1]), count = value(operands[2]),
              high = value(operands[3]);
  bool isRight = decoded.isRight, isSigned = decoded.isSigned;
  bool wraps = decoded.source->hasModifier("W");
  set(operands[0],
      eachLane(low.known & count.known & high.known,
               [&](unsigned i) {
                 std::uint64_t both =
                     low.lanes[i] | std::uint64_t(high.lanes[i]) << 32;
                 std::uint32_t by =
                     wraps ? count.lanes[i] & 31 : count.lanes[i];
                 by = std::min(by, 63u);
                 if (isRight && isSigned)
                   both = static_cast<std::uint64_t>(
                       static_cast<std::int64_t>(both) >> by);
                 else
                   both = isRight ? both >> by : both << by;
                 return static_cast<std::uint32_t>(decoded.isHigh ? both >> 32
                                                                  : both);
               }),
      mask);
}

/// ISETP.GE.AND P, P', A, B, Q: P = (A >= B) && Q, and P' with the opposite of
/// the comparison. EX compares upper halves; the last predicate is the result
/// of the lower ones.
void WarpRegisters::compare(const Decoded &decoded, std::uint32_t mask) {
  const std::vector<Operand> &operands = decoded.operands;
  const sass::Instruction &instruction = *decoded.source;
  if (operands.size() < 5)
    return forget(decoded, mask);
  const Value a = value(operands[2]), b = value(operands[3]);
  Truth with = read(operands[4]), lower = {0, allLanes};
  if (decoded.isExtended)
    lower = operands.size() > 5 ? read(operands[5]) : Truth();
  auto has = [&](std::string_view modifier) {
    return instruction.hasModifier(modifier);
  };
  bool equal = has("EQ") || has("GE") || has("LE");
  bool less = has("LT") || has("LE"), greater = has("GT") || has("GE");
  if (has("NE"))
    less = greater = true;
  if (has("T") || has("F"))
    return forget(decoded, mask);
  Truth holds = eachTruth(a.known & b.known & lower.known, [&](unsigned i) {
    std::int64_t x = extend(a.lanes[i], decoded.isSigned),
                 y = extend(b.lanes[i], decoded.isSigned);
    if (x == y)
      return decoded.isExtended ? (lower.bits >> i & 1) != 0 : equal;
    return x < y ? less : greater;
  });
  auto combine = [&](Truth truth) {
    std::uint32_t both = truth.known & with.known;
    if (has("OR"))
      // Known as soon as one of them holds.
      return Truth{(truth.bits & truth.known) | (with.bits & with.known),
                   both | (truth.bits & truth.known) |
                       (with.bits & with.known)};
    if (has("XOR"))
      return Truth{truth.bits ^ with.bits, both};
    std::uint32_t no = (~truth.bits & truth.known) | (~with.bits & with.known);
    return Truth{truth.bits & with.bits & both, both | no};
  };
  set(operands[0], combine(holds), mask);
  set(operands[1], combine({~holds.bits, holds.known}), mask);
}

/// DSETP.NEU.AND P, P', A, B, Q: alpha and beta are compared with numbers.
void WarpRegisters::compareDoubles(const Decoded &decoded, std::uint32_t mask) {
  const std::vector<Operand> &operands = decoded.operands;
  const sass::Instruction &instruction = *decoded.source;
  if (operands.size() != 5 || !instruction.hasModifier("AND"))
    return forget(decoded, mask);
  const WideValue a = wide(operands[2], false), b = wide(operands[3], false);
  Truth with = read(operands[4]);
  std::uint32_t known = a.known & b.known & with.known;
  bool isUnequal =
      instruction.hasModifier("NEU") || instruction.hasModifier("NE");
  bool isEqual =
      instruction.hasModifier("EQ") || instruction.hasModifier("EQU");
  // Immediates are the upper half of a number, and others are not compared.
  if ((!isUnequal && !isEqual) || operands[2].kind == Kind::Immediate ||
      operands[3].kind == Kind::Immediate)
    known = 0;
  Truth equal = eachTruth(known, [&](unsigned i) {
    double x, y;
    std::memcpy(&x, &a.lanes[i], sizeof(x));
    std::memcpy(&y, &b.lanes[i], sizeof(y));
    return x == y;
  });
  std::uint32_t holds = isUnequal ? ~equal.bits : equal.bits;
  set(operands[0], Truth{holds & with.bits, known}, mask);
  set(operands[1], Truth{~holds & with.bits, known}, mask);
}

/// PLOP3.LUT P, P', A, B, C, table, table'.
void WarpRegisters::predicateLogic(const Decoded &decoded, std::uint32_t mask) {
  const std::vector<Operand> &operands = decoded.operands;
  if (operands.size() < 7 || operands[5].kind != Kind::Immediate ||
      operands[6].kind != Kind::Immediate)
    return forget(decoded, mask);
  std::array<Truth, 3> sources = {read(operands[2]), read(operands[3]),
                                  read(operands[4])};
  std::array<Truth, 2> results;
  for (std::size_t r = 0; r < 2; ++r) {
    const std::int64_t table = operands[5 + r].value;
    for (unsigned lane = 0; lane < numLanes; ++lane) {
      // A result that all values of unknown sources give is known.
      bool canHold = false, canFail = false;
      for (unsigned number = 0; number < 8; ++number) {
        bool isPossible = true;
        for (unsigned s = 0; s < 3; ++s) {
          bool bit = number >> (2 - s) & 1;
          if (sources[s].known >> lane & 1)
            isPossible &= bit == (sources[s].bits >> lane & 1);
        }
        if (isPossible)
          (table >> number & 1 ? canHold : canFail) = true;
      }
      if (canHold != canFail) {
        results[r].known |= 1u << lane;
        results[r].bits |= std::uint32_t(canHold ? 1 : 0) << lane;
      }
    }
  }
  set(operands[0], results[0], mask);
  set(operands[1], results[1], mask);
}

/// IMNMX R, A, B, P: the lesser where P holds. VIADDMNMX adds A and B first,
/// and compares with C.
void WarpRegisters::minMax(const Decoded &decoded, std::size_t first,
                           std::uint32_t mask) {
  const std::vector<Operand> &operands = decoded.operands;
  bool adds = decoded.action == Action::AddMinMax;
  std::size_t terms = adds ? 3 : 2;
  if (operands.size() != first + terms + 1)
    return forget(decoded, mask);
  Value a = value(operands[first]);
  if (adds) {
    const Value more = value(operands[first + 1]);
    a = eachLane(a.known & more.known,
                 [&](unsigned i) { return a.lanes[i] + more.lanes[i]; });
  }
  const Value b = value(operands[first + terms - 1]);
  Truth least = read(operands.back());
  set(operands[0],
      eachLane(a.known & b.known & least.known,
               [&](unsigned i) {
                 bool isLess = extend(a.lanes[i], decoded.isSigned) <
                               extend(b.lanes[i], decoded.isSigned);
                 return isLess == ((least.bits >> i & 1) != 0) ? a.lanes[i]
                                                               : b.lanes[i];
               }),
      mask);
}

/// PRMT R, A, selector, B: four bytes of eight.
void WarpRegisters::permute(const Decoded &decoded, std::uint32_t mask) {
  const std::vector<Operand> &operands = decoded.operands;
  // Modes, as in PRMT.F4E, are not followed.
  if (operands.size() != 4 ||
      decoded.source->opcode != decoded.source->baseOpcode())
    return forget(decoded, mask);
  const Value a = value(operands[1]), selector = value(operands[2]),
              b = value(operands[3]);
  set(operands[0],
      eachLane(a.known & selector.known & b.known,
               [&](unsigned i) {
                 std::uint64_t bytes = a.lanes[i] | std::uint64_t(b.lanes[i])
                                                        << 32;
                 std::uint32_t result = 0;
                 for (unsigned k = 0; k < 4; ++k) {
                   std::uint32_t select = selector.lanes[i] >> (4 * k) & 15;
                   auto byte = static_cast<std::uint32_t>(
                       bytes >> (8 * (select & 7)) & 255);
                   if (select & 8)
                     byte = byte >> 7 ? 255 : 0;
                   result |= byte << (8 * k);
                 }
                 return result;
               }),
      mask);
}

/// I2F.RP R, A: as divisions of integers begin. Numbers of 32 bits, rounded to
/// the nearest or up.
void WarpRegisters::fromInteger(const Decoded &decoded, std::uint32_t mask) {
  const std::vector<Operand> &operands = decoded.operands;
  const std::string &opcode = decoded.source->opcode;
  bool isUp = decoded.source->hasModifier("RP");
  if (operands.size() != 2 || (opcode != "I2F" && opcode != "I2F.RP" &&
                               opcode != "I2F.U32" && opcode != "I2F.U32.RP"))
    return forget(decoded, mask);
  const Value a = value(operands[1]);
  set(operands[0],
      eachLane(a.known,
               [&](unsigned i) {
                 std::int64_t exact = extend(a.lanes[i], decoded.isSigned);
                 auto number = static_cast<float>(exact);
                 if (isUp &&
                     static_cast<double>(number) < static_cast<double>(exact))
                   number = std::nextafter(
                       number, std::numeric_limits<float>::infinity());
                 return bitsOf(number);
               }),
      mask);
}

/// F2I.FTZ.U32.TRUNC.NTZ R, A: the integer towards zero, the nearest there is
/// for others.
void WarpRegisters::toInteger(const Decoded &decoded, std::uint32_t mask) {
  const std::vector<Operand> &operands = decoded.operands;
  const sass::Instruction &instruction = *decoded.source;
  if (operands.size() != 2 || !instruction.hasModifier("TRUNC") ||
      !instruction.hasModifier("U32") || instruction.hasModifier("F64") ||
      instruction.hasModifier("F16") || operands[1].negated ||
      operands[1].absolute || operands[1].kind == Kind::Immediate)
    return forget(decoded, mask);
  const Value a = value(operands[1]);
  set(operands[0],
      eachLane(a.known,
               [&](unsigned i) -> std::uint32_t {
                 constexpr float most = 4294967296.0f;
                 float number = floatOf(a.lanes[i]);
                 if (number >= most)
                   return allLanes;
                 return number > 0 ? static_cast<std::uint32_t>(number) : 0;
               }),
      mask);
}

/// MUFU.RCP R, A, to the last bit: code that divides integers corrects itself.
void WarpRegisters::reciprocal(const Decoded &decoded, std::uint32_t mask) {
  const std::vector<Operand> &operands = decoded.operands;
  if (operands.size() != 2 || decoded.source->opcode != "MUFU.RCP" ||
      operands[1].negated || operands[1].absolute ||
      operands[1].kind == Kind::Immediate)
    return forget(decoded, mask);
  const Value a = value(operands[1]);
  set(operands[0],
      eachLane(a.known,
               [&](unsigned i) {
                 float number = floatOf(a.lanes[i]);
                 return bitsOf(number == 0
                                   ? std::numeric_limits<float>::infinity()
                                   : 1 / number);
               }),
      mask);
}

/// Executes an instruction; false if its operands are not as expected.
bool WarpRegisters::dispatch(const Decoded &decoded, std::uint32_t mask) {
  const std::vector<Operand> &operands = decoded.operands;
  std::size_t first = firstSource(decoded), sources = operands.size() - first;
  if (operands.empty() || operands.size() < first)
    return false;
  switch (decoded.action) {
  case Action::Move:
    if (operands.size() < 2)
      return false;
    if (decoded.isWide)
      setWide(operands[0], wide(operands[1], true), mask);
    else
      set(operands[0], value(operands[1]), mask);
    return true;
  case Action::MultiplyAdd:
    if (sources < 3)
      return false;
    multiplyAdd(decoded, first, mask);
    return true;
  case Action::Add3:
    add3(decoded, first, mask);
    return true;
  case Action::Add64:
    add64(decoded, first, mask);
    return true;
  case Action::Lea:
    if (sources < 3)
      return false;
    lea(decoded, first, mask);
    return true;
  case Action::Logic:
    logic(decoded, first, mask);
    return true;
  case Action::Shift:
    shift(decoded, mask);
    return true;
  case Action::Compare:
    compare(decoded, mask);
    return true;
  case Action::CompareDoubles:
    compareDoubles(decoded, mask);
    return true;
  case Action::PredicateLogic:
    predicateLogic(decoded, mask);
    return true;
  case Action::Select: {
    if (operands.size() != 4)
      return false;
    const Value a = value(operands[1]), b = value(operands[2]);
    Truth truth = read(operands[3]);
    std::uint32_t known =
        truth.known & ((truth.bits & a.known) | (~truth.bits & b.known));
    set(operands[0],
        eachLane(known,
                 [&](unsigned i) {
                   return truth.bits >> i & 1 ? a.lanes[i] : b.lanes[i];
                 }),
        mask);
    return true;
  }
  case Action::MinMax:
  case Action::AddMinMax:
    minMax(decoded, first, mask);
    return true;
  case Action::Absolute: {
    if (operands.size() != 2)
      return false;
    Operand absolute = operands[1];
    absolute.absolute = true;
    set(operands[0], value(absolute), mask);
    return true;
  }
  case Action::FromInteger:
    fromInteger(decoded, mask);
    return true;
  case Action::ToInteger:
    toInteger(decoded, mask);
    return true;
  case Action::Reciprocal:
    reciprocal(decoded, mask);
    return true;
  case Action::Permute:
    permute(decoded, mask);
    return true;
  case Action::Extend: {
    // SGXT R, A, bits: the lowest bits with their sign, or with zeros.
    if (operands.size() != 3)
      return false;
    const Value a = value(operands[1]), bits = value(operands[2]);
    set(operands[0],
        eachLane(a.known & bits.known,
                 [&](unsigned i) {
                   unsigned unused = 32 - std::min(bits.lanes[i], 32u);
                   if (unused == 32)
                     return 0u;
                   std::uint32_t up = a.lanes[i] << unused;
                   return decoded.isSigned
                              ? static_cast<std::uint32_t>(
                                    static_cast<std::int32_t>(up) >> unused)
                              : up >> unused;
                 }),
        mask);
    return true;
  }
  case Action::PredicatesToRegister:
  case Action::RegisterToPredicates:
    movePredicates(decoded, mask);
    return true;
  case Action::ReadSpecial: {
    if (operands.size() != 2 || operands[1].kind != Kind::Special)
      return false;
    set(operands[0], special(operands[1].name), mask);
    // CS2R writes two registers unless it says 32.
    if (decoded.source->baseOpcode() == "CS2R" &&
        !decoded.source->hasModifier("32"))
      set(operands[0], operands[1].name == "SRZ" ? special("SRZ") : Value(),
          mask, 1);
    return true;
  }
  case Action::ToUniform:
    if (operands.size() != 2)
      return false;
    set(operands[0], value(operands[1]), mask);
    return true;
  case Action::LoadConstant:
    loadConstant(decoded, mask);
    return true;
  case Action::Vote:
    vote(decoded, mask);
    return true;
  case Action::Elect:
    forget(decoded, mask);
    if (operands[0].isPredicate())
      set(operands[0], Truth{mask & (0 - mask), allLanes}, mask);
    return true;
  case Action::Shuffle:
    shuffle(decoded, mask);
    return true;
  default:
    return true;
  }
}
