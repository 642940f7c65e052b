//===- BitInstructions.cpp - Tests of bit counts, fields, logic and shifts ===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.7.1 from popc on, 9.7.8, and prmt: bit by bit.
//
//===----------------------------------------------------------------------===//

#include "Table.h"

#include <array>

using namespace tc::isa;

static const Type b32 = typeOf("b32"), u32 = typeOf("u32");

static Section arithmetic(int number, const std::string &name) {
  return {"9.7.1." + std::to_string(number),
          "Integer Arithmetic Instructions: " + name};
}
static Section logic(int number, const std::string &name) {
  return {"9.7.8." + std::to_string(number),
          "Logic and Shift Instructions: " + name};
}

static bool bitOf(Bits value, unsigned bit) {
  return ((value >> bit) & 1) != 0;
}

//===----------------------------------------------------------------------===//
// Counts and fields
//===----------------------------------------------------------------------===//

/// The highest bit that is `value`, or all ones.
static Bits findHighest(Bits bits, unsigned width, bool value) {
  for (unsigned i = width; i-- > 0;)
    if (bitOf(bits, i) == value)
      return i;
  return 0xffffffff;
}

static void addCounts(Table &table, unsigned width) {
  Type type{'b', width};
  addTest(table, arithmetic(14, "popc"), "popc." + type.name(), u32, {type},
          [=](const Row &row) {
            Bits count = 0;
            for (unsigned i = 0; i < width; ++i)
              count += bitOf(row[0], i);
            return Expected(count);
          });
  addTest(table, arithmetic(15, "clz"), "clz." + type.name(), u32, {type},
          [=](const Row &row) {
            Bits highest = findHighest(row[0], width, true);
            return Expected(row[0] == 0 ? width : width - 1 - highest);
          });
  for (char letter : {'u', 's'}) {
    Type number{letter, width};
    addTest(table, arithmetic(16, "bfind"), "bfind." + number.name(), u32,
            {number}, [=](const Row &row) {
              bool isNegative = letter == 's' && bitOf(row[0], width - 1);
              return Expected(findHighest(row[0], width, !isNegative));
            });
  }
  addTest(table, arithmetic(18, "brev"), "brev." + type.name(), type, {type},
          [=](const Row &row) {
            Bits result = 0;
            for (unsigned i = 0; i < width; ++i)
              result |= Bits(bitOf(row[0], i)) << (width - 1 - i);
            return Expected(result);
          });
}

static void addFields(Table &table, unsigned width) {
  for (char letter : {'u', 's'}) {
    Type type{letter, width};
    auto extract = [=](const Row &row) {
      unsigned place = row[1] & 255, length = row[2] & 255;
      bool sign = false;
      if (letter == 's' && length != 0)
        sign = bitOf(row[0], std::min(place + length - 1, width - 1));
      Bits result = 0;
      for (unsigned i = 0; i < width; ++i) {
        bool isInField = i < length && place + i < width;
        result |= Bits(isInField ? bitOf(row[0], place + i) : sign) << i;
      }
      return Expected(result);
    };
    Instruction &test =
        addTest(table, arithmetic(19, "bfe"), "bfe." + type.name(), type,
                {type, u32, u32}, extract);
    test.operands[1].values = test.operands[2].values = shiftAmounts();
  }
  Type type{'b', width};
  auto insert = [=](const Row &row) {
    unsigned place = row[2] & 255, length = row[3] & 255;
    Bits result = row[1];
    for (unsigned i = 0; i < length && place + i < width; ++i) {
      result &= ~(Bits(1) << (place + i));
      result |= Bits(bitOf(row[0], i)) << (place + i);
    }
    return Expected(result);
  };
  Instruction &test =
      addTest(table, arithmetic(20, "bfi"), "bfi." + type.name(), type,
              {type, type, u32, u32}, insert);
  for (int i : {0, 1})
    test.operands[i].values = {0, onesOf(width), onesOf(width) / 3,
                               randomBits(width, 1, width)[0]};
  test.operands[2].values = test.operands[3].values = shiftAmounts();
}

//===----------------------------------------------------------------------===//
// Logic and shifts
//===----------------------------------------------------------------------===//

static void addLogic(Table &table, Type type) {
  const Bits ones = onesOf(type.bits);
  auto binary = [&](int number, const std::string &name, auto f) {
    addTest(table, logic(number, name), name + "." + type.name(), type,
            {type, type},
            [=](const Row &row) { return Expected(f(row[0], row[1])); });
  };
  binary(1, "and", [](Bits a, Bits b) { return a & b; });
  binary(2, "or", [](Bits a, Bits b) { return a | b; });
  binary(3, "xor", [](Bits a, Bits b) { return a ^ b; });
  addTest(table, logic(4, "not"), "not." + type.name(), type, {type},
          [=](const Row &row) { return Expected(~row[0] & ones); });
  if (!type.isPredicate())
    addTest(table, logic(5, "cnot"), "cnot." + type.name(), type, {type},
            [=](const Row &row) { return Expected(row[0] == 0 ? 1 : 0); });
}

/// Amounts beyond the width shift everything out.
static void addShifts(Table &table, unsigned width) {
  Type type{'b', width};
  auto left = [=](const Row &row) {
    return Expected(row[1] < width ? row[0] << row[1] & onesOf(width) : 0);
  };
  Instruction &test = addTest(table, logic(8, "shl"), "shl." + type.name(),
                              type, {type, u32}, left);
  test.operands[1].values = shiftAmounts();
  for (char letter : {'b', 'u', 's'}) {
    Type number{letter, width};
    auto right = [=](const Row &row) {
      bool fill = letter == 's' && bitOf(row[0], width - 1);
      Bits result = 0;
      for (unsigned i = 0; i < width; ++i)
        result |= Bits(i + row[1] < width
                           ? bitOf(row[0], i + static_cast<unsigned>(row[1]))
                           : fill)
                  << i;
      return Expected(result);
    };
    Instruction &rightShift =
        addTest(table, logic(9, "shr"), "shr." + number.name(), number,
                {number, u32}, right);
    rightShift.operands[1].values = shiftAmounts();
  }
}

static void addFunnelShifts(Table &table) {
  for (bool isLeft : {true, false})
    for (bool wraps : {true, false}) {
      auto shift = [=](const Row &row) {
        auto amount = static_cast<unsigned>(wraps ? row[2] % 32
                                                  : std::min<Bits>(row[2], 32));
        Bits pair = row[1] << 32 | row[0], result = 0;
        for (unsigned i = 0; i < 32; ++i)
          result |= Bits(bitOf(pair, isLeft ? 32 + i - amount : i + amount))
                    << i;
        return Expected(result);
      };
      Instruction &test = addTest(table, logic(7, "shf"),
                                  std::string("shf.") + (isLeft ? "l" : "r") +
                                      (wraps ? ".wrap" : ".clamp") + ".b32",
                                  b32, {b32, b32, u32}, shift);
      test.sm = 32;
      test.operands[2].values = shiftAmounts();
    }
}

static void addTables(Table &table) {
  // Enough to tell every function of three bits from every other.
  for (unsigned function : {0x00u, 0x01u, 0x1bu, 0x80u, 0x96u, 0xc0u, 0xcau,
                            0xe8u, 0xf8u, 0xfeu, 0xffu}) {
    auto look = [=](const Row &row) {
      Bits result = 0;
      for (unsigned i = 0; i < 32; ++i)
        result |=
            Bits(bitOf(function, 4 * bitOf(row[0], i) + 2 * bitOf(row[1], i) +
                                     bitOf(row[2], i)))
            << i;
      return Expected(result);
    };
    Instruction &test = addTest(table, logic(6, "lop3"), "lop3.b32", b32,
                                {b32, b32, b32}, look);
    for (Operand &operand : test.operands)
      operand.values = {0,          0xffffffff, 0xf0f0f0f0,
                        0xcccccccc, 0xaaaaaaaa, 0x12345678};
    test.code = "lop3.b32 %d, %a, %b, %c, " + std::to_string(function) + ";";
    test.sm = 50;
  }
}

static void addPermute(Table &table) {
  auto permute = [](const Row &row) {
    Bits result = 0;
    for (unsigned i = 0; i < 4; ++i) {
      auto selector = static_cast<unsigned>(row[2] >> (4 * i)) % 16;
      Bits source = selector % 8 < 4 ? row[0] : row[1];
      Bits byte = source >> (8 * (selector % 4)) & 255;
      if (selector >= 8)
        byte = byte >= 128 ? 255 : 0;
      result |= byte << (8 * i);
    }
    return Expected(result);
  };
  Instruction &test = addTest(
      table, {"9.7.9.7", "Data Movement and Conversion Instructions: prmt"},
      "prmt.b32", b32, {b32, b32, b32}, permute);
  test.operands[2].values = {0x3210,     0x7654, 0x0123, 0x4567, 0x5410,
                             0x7632,     0xba98, 0xfedc, 0x8888, 0xf0f0,
                             0xffff7531, 0x1234, 0x0000, 0x9c3e};
}

/// The table of the modes of prmt: bytes of the result, the last first, for
/// each value of the low two bits of c.
static void addPermuteModes(Table &table) {
  struct Mode {
    const char *name;
    std::array<const char *, 4> bytes;
  };
  const Mode modes[] = {{"f4e", {"3210", "4321", "5432", "6543"}},
                        {"b4e", {"5670", "6701", "7012", "0123"}},
                        {"rc8", {"0000", "1111", "2222", "3333"}},
                        {"ecl", {"3210", "3211", "3222", "3333"}},
                        {"ecr", {"0000", "1110", "2210", "3210"}},
                        {"rc16", {"1010", "3232", "1010", "3232"}}};
  for (const Mode &mode : modes) {
    Instruction &test = addTest(
        table, {"9.7.9.7", "Data Movement and Conversion Instructions: prmt"},
        std::string("prmt.b32.") + mode.name, b32, {b32, b32, b32},
        [=](const Row &row) {
          const char *bytes = mode.bytes[row[2] % 4];
          Bits result = 0;
          for (unsigned i = 0; i < 4; ++i) {
            auto from = static_cast<unsigned>(bytes[3 - i] - '0');
            Bits byte = row[from / 4] >> (8 * (from % 4)) & 255;
            result |= byte << (8 * i);
          }
          return Expected(result);
        });
    test.operands[2].values = {0, 1, 2, 3, 4, 7, 0xfffffffe};
  }
}

void tc::isa::addBitInstructions(Table &table) {
  for (unsigned width : {32, 64}) {
    addCounts(table, width);
    addFields(table, width);
  }
  for (const char *name : {"pred", "b16", "b32", "b64"})
    addLogic(table, typeOf(name));
  for (unsigned width : {16, 32, 64})
    addShifts(table, width);
  addFunnelShifts(table);
  addTables(table);
  addPermute(table);
  addPermuteModes(table);
}
