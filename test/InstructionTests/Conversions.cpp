//===- Conversions.cpp - Tests of cvt -------------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.7.9.21: among integers, among floating-point types, and across.
//
//===----------------------------------------------------------------------===//

#include "Table.h"

using namespace tc::isa;

static const Section section{"9.7.9.21",
                             "Data Movement and Conversion Instructions: cvt"};

static const char *const integerNames[] = {"u8",  "s8",  "u16", "s16",
                                           "u32", "s32", "u64", "s64"};

static Wide minOf(Type type) {
  return type.isSigned() ? -(Wide(1) << (type.bits - 1)) : 0;
}
static Wide greatestOf(Type type) {
  return (Wide(1) << (type.bits - type.isSigned())) - 1;
}

/// A value in a register that is wider than the type: its extension.
static Bits inRegister(Wide value, Type type) {
  Bits bits = truncated(value, type);
  return type.bits == 8 ? truncated(integerOf(bits, type), Type{'b', 32})
                        : bits;
}

static Instruction &addConversion(Table &table, const std::string &modifiers,
                                  Type to, Type from, LaneReference reference) {
  // Values of 8 bits travel in registers of 32.
  Type inType = from.bits == 8 ? typeOf("b32") : from;
  Type outType = to.bits == 8 ? typeOf("b32") : to;
  return addTest(table, section,
                 "cvt" + modifiers + "." + to.name() + "." + from.name(),
                 outType, {inType}, std::move(reference));
}

static void addAmongIntegers(Table &table) {
  for (const char *toName : integerNames)
    for (const char *fromName : integerNames) {
      Type to = typeOf(toName), from = typeOf(fromName);
      addConversion(table, "", to, from, [=](const Row &row) {
        return Expected(inRegister(integerOf(row[0], from), to));
      });
      // `.sat` is not allowed if nothing can saturate.
      if (minOf(to) <= minOf(from) && greatestOf(to) >= greatestOf(from))
        continue;
      addConversion(table, ".sat", to, from, [=](const Row &row) {
        Wide value = integerOf(row[0], from);
        value = std::max(minOf(to), std::min(value, greatestOf(to)));
        return Expected(inRegister(value, to));
      });
    }
}

static constexpr std::pair<const char *, Round> integerRoundings[] = {
    {".rni", Round::NearestEven},
    {".rzi", Round::Zero},
    {".rmi", Round::Down},
    {".rpi", Round::Up}};

/// NaN becomes zero, or, if a type of 64 bits takes part, the number with only
/// the highest bit.
static void addFloatToInteger(Table &table, Type to, Type from) {
  Format format = formatOf(from);
  for (const auto &[modifier, rounding] : integerRoundings) {
    auto reference = [=, rounding = rounding](const Row &row) {
      if (format.isNan(row[0])) {
        bool isWide = from.bits == 64 || to.bits == 64;
        return Expected(isWide ? inRegister(Wide(1) << (to.bits - 1), to) : 0);
      }
      ExactNumber value =
          ExactNumber::decode(row[0], format).toInteger(rounding);
      return Expected(inRegister(value.clamp(minOf(to), greatestOf(to)), to));
    };
    Instruction &test = addConversion(table, modifier, to, from, reference);
    // Around the limits of the integer types.
    for (int power : {7, 8, 15, 16, 31, 32, 63, 64})
      for (bool isNegative : {false, true}) {
        Bits edge =
            ExactNumber::ofInteger((isNegative ? -1 : 1) * (Wide(1) << power))
                .encode(format);
        for (Bits bits : {edge - 1, edge, edge + 1})
          test.operands[0].values.push_back(bits);
      }
  }
}

static void addIntegerToFloat(Table &table, Type to, Type from) {
  Instruction &test =
      addConversion(table, ".rn", to, from, [=](const Row &row) {
        return Expected(ExactNumber::ofInteger(integerOf(row[0], from))
                            .encode(formatOf(to)));
      });
  // Ties, and values that carry into the next power of two.
  for (int power : {24, 25, 40, 53, 54, 63})
    if (power < static_cast<int>(from.bits))
      for (Wide offset : {-1, 1, 3, 5})
        for (Wide unit : {Wide(1), Wide(1) << (power > 40 ? power - 24 : 1)})
          test.operands[0].values.push_back(
              truncated((Wide(1) << power) + offset * unit, from));
}

static void addAmongFloats(Table &table) {
  Type f32 = typeOf("f32"), f64 = typeOf("f64");
  auto convert = [](Format to, Format from) {
    return [=](const Row &row) {
      return Expected(ExactNumber::decode(row[0], from).encode(to));
    };
  };
  addConversion(table, "", f64, f32, convert(binary64, binary32));
  Instruction &narrow =
      addConversion(table, ".rn", f32, f64, convert(binary32, binary64));
  // Ties of the narrow format, its limits, and its subnormal numbers.
  for (Bits bits : edgesOf(f32))
    if (!binary32.isNan(bits)) {
      Bits wide = ExactNumber::decode(bits, binary32).encode(binary64);
      for (Bits nearby : {wide, wide + (Bits(1) << 28),
                          wide + (Bits(1) << 28) + 1, wide - (Bits(1) << 28)})
        narrow.operands[0].values.push_back(nearby);
    }
  for (Type type : {f32, f64})
    for (const auto &[modifier, rounding] : integerRoundings)
      addConversion(table, modifier, type, type,
                    [=, rounding = rounding](const Row &row) {
                      Format format = formatOf(type);
                      return Expected(ExactNumber::decode(row[0], format)
                                          .toInteger(rounding)
                                          .encode(format));
                    });
}

void tc::isa::addConversions(Table &table) {
  addAmongIntegers(table);
  for (const char *integer : integerNames)
    for (const char *number : {"f32", "f64"}) {
      addIntegerToFloat(table, typeOf(number), typeOf(integer));
      addFloatToInteger(table, typeOf(integer), typeOf(number));
    }
  addAmongFloats(table);
}
