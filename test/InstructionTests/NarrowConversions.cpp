//===- NarrowConversions.cpp - Tests of conversions of narrow formats -----===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cvt from and to formats of 16 and 8 bits and tf32, and its uncommon
// roundings.
//
//===----------------------------------------------------------------------===//

#include "NarrowFormat.h"
#include "Table.h"

#include <cstring>

using namespace tc::isa;

static const Section section{"9.7.9.21",
                             "Data Movement and Conversion Instructions: cvt"};

namespace {
struct Refinement {
  std::string modifiers; ///< with their dots
  Round round = Round::NearestEven;
  bool clampsNegative = false, isFinite = false, saturates = false,
       flushes = false;
};
} // namespace

static constexpr std::pair<const char *, Round> roundings[] = {
    {".rn", Round::NearestEven},
    {".rz", Round::Zero},
    {".rm", Round::Down},
    {".rp", Round::Up}};

/// A number in a format, after the modifiers.
static Bits converted(const ExactNumber &value, Format format,
                      const Refinement &refinement) {
  Bits bits = value.encode(format, refinement.round);
  bool isNegative = (bits & format.sign()) != 0;
  if (format.isNan(bits))
    return refinement.saturates ? 0 : bits;
  if (refinement.isFinite && (bits & ~format.sign()) == format.infinity())
    --bits;
  if (refinement.saturates)
    bits = isNegative
               ? 0
               : std::min(bits, ExactNumber::ofInteger(1).encode(format));
  return refinement.clampsNegative && isNegative ? 0 : bits;
}

/// Values of the wide format at and around those of the narrow one, and half
/// way between them.
static std::vector<Bits> around(Type wide, Type narrow) {
  std::vector<Bits> values = edgesOf(wide);
  const Format format = formatOf(wide);
  Type element = narrow;
  element.elements = 1;
  const Bits half = Bits(1)
                    << (format.precision - formatOf(element).precision - 1);
  for (Bits bits : edgesOf(element)) {
    Bits near = ExactNumber::decode(bits, formatOf(element)).encode(format);
    if (!format.isNan(near))
      for (Bits nearby : {near, near + 1, near - 1, near + half,
                          near + half + 1, near + half - 1, near - half})
        values.push_back(nearby & onesOf(wide.bits));
  }
  return values;
}

static Instruction &require(Instruction &test, unsigned sm, unsigned major,
                            unsigned minor) {
  test.sm = sm;
  test.ptx = {major, minor};
  return test;
}

static Instruction &addScalar(Table &table, const Refinement &refinement,
                              Type to, Type from) {
  Instruction &test = addTest(
      table, section,
      "cvt" + refinement.modifiers + "." + to.name() + "." + from.name(), to,
      {from}, [=](const Row &row) {
        Bits bits = refinement.flushes && from.bits == 32
                        ? flush(row[0], binary32)
                        : row[0];
        bits = converted(ExactNumber::decode(bits, formatOf(from)),
                         formatOf(to), refinement);
        return Expected(
            refinement.flushes && to.bits == 32 ? flush(bits, binary32) : bits);
      });
  if (from.bits > to.bits)
    test.operands[0].values = around(from, to);
  return require(test, 90, 8, 6);
}

static void addScalars(Table &table) {
  Type f32 = typeOf("f32"), f64 = typeOf("f64"), f16 = typeOf("f16");
  for (const char *name : {"f16", "bf16"}) {
    Type half = typeOf(name);
    addScalar(table, {""}, f32, half);
    addScalar(table, {""}, f64, half);
    for (const auto &[modifier, round] : roundings) {
      addScalar(table, {modifier, round}, half, f32);
      addScalar(table, {modifier, round}, half, f64);
    }
    for (const auto &[modifier, round] : {roundings[0], roundings[1]}) {
      addScalar(table, {modifier + std::string(".relu"), round, true}, half,
                f32);
      addScalar(table,
                {modifier + std::string(".satfinite"), round, false, true},
                half, f32);
      addScalar(table,
                {modifier + std::string(".relu.satfinite"), round, true, true},
                half, f32);
    }
    for (const auto &[modifier, round] :
         {std::pair<const char *, Round>{".rni", Round::NearestEven},
          {".rzi", Round::Zero},
          {".rmi", Round::Down},
          {".rpi", Round::Up}}) {
      Instruction &test = addScalar(table, {modifier}, half, half);
      test.reference = laneByLane([half, round = round](const Row &row) {
        Format format = formatOf(half);
        return Expected(ExactNumber::decode(row[0], format)
                            .toInteger(round)
                            .encode(format));
      });
    }
  }
  addScalar(table, {".rn"}, f16, typeOf("bf16"));
  addScalar(table, {".rn"}, typeOf("bf16"), f16);
  Refinement saturating{".sat"};
  saturating.saturates = true;
  addScalar(table, saturating, f32, f32);
  addScalar(table, saturating, f32, f16);
  saturating.modifiers = ".rn.sat";
  addScalar(table, saturating, f16, f32);
  addScalar(table, saturating, f32, f64);
  Refinement flushing{".ftz"};
  flushing.flushes = true;
  addScalar(table, flushing, f32, f32);
  addScalar(table, flushing, f32, f16);
  flushing.modifiers = ".rn.ftz";
  addScalar(table, flushing, f16, f32);
  for (const auto &[modifier, round] : roundings)
    if (round != Round::NearestEven)
      addScalar(table, {modifier, round}, f32, f64);
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

static void addIntegers(Table &table) {
  for (const char *name :
       {"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"}) {
    Type integer = typeOf(name);
    Type inRegister = integer.bits == 8 ? typeOf("b32") : integer;
    for (const char *half : {"f16", "bf16"}) {
      Type to = typeOf(half);
      // Of bytes, bf16 takes registers of 8 bits.
      if (to.isBrain && integer.bits == 8)
        continue;
      for (const auto &[modifier, round] : roundings) {
        Instruction &test = addTest(
            table, section,
            "cvt" + std::string(modifier) + "." + half + "." + name, to,
            {inRegister}, [=, round = round](const Row &row) {
              return Expected(ExactNumber::ofInteger(integerOf(row[0], integer))
                                  .encode(formatOf(to), round));
            });
        require(test, 90, 8, 6);
        for (int power : {8, 10, 11, 15, 16, 40, 62})
          if (power < static_cast<int>(integer.bits) - 1)
            for (Bits offset :
                 {Bits(1), ~Bits(0), Bits(1) << power / 2,
                  (Bits(1) << power) >> 8, ((Bits(1) << power) >> 8) + 1,
                  (Bits(1) << power) >> 11})
              test.operands[0].values.push_back(((Bits(1) << power) + offset) &
                                                onesOf(integer.bits));
      }
      for (const auto &[modifier, round] :
           {std::pair<const char *, Round>{".rni", Round::NearestEven},
            {".rzi", Round::Zero},
            {".rmi", Round::Down},
            {".rpi", Round::Up}}) {
        Instruction &test =
            addTest(table, section,
                    "cvt" + std::string(modifier) + "." + name + "." + half,
                    inRegister, {to}, [=, round = round](const Row &row) {
                      Format format = formatOf(to);
                      Wide least = integer.isSigned()
                                       ? -(Wide(1) << (integer.bits - 1))
                                       : 0;
                      Wide greatest =
                          (Wide(1) << (integer.bits - integer.isSigned())) - 1;
                      if (format.isNan(row[0]))
                        return Expected(integer.bits == 64 ? Bits(1) << 63 : 0);
                      Bits bits = truncated(ExactNumber::decode(row[0], format)
                                                .toInteger(round)
                                                .clamp(least, greatest),
                                            integer);
                      return Expected(
                          integer.bits == 8
                              ? truncated(integerOf(bits, integer), inRegister)
                              : bits);
                    });
        require(test, 90, 8, 6);
      }
    }
  }
  for (const auto &[modifier, round] : roundings)
    for (const char *name : {"s32", "u64"}) {
      if (round == Round::NearestEven)
        continue;
      Type integer = typeOf(name), f32 = typeOf("f32");
      addTest(table, section, "cvt" + std::string(modifier) + ".f32." + name,
              f32, {integer}, [=, round = round](const Row &row) {
                return Expected(
                    ExactNumber::ofInteger(integerOf(row[0], integer))
                        .encode(binary32, round));
              });
    }
}

//===----------------------------------------------------------------------===//
// Pairs
//===----------------------------------------------------------------------===//

/// The first operand becomes the high half.
static void addHalfPairs(Table &table) {
  for (const char *name : {"f16x2", "bf16x2"})
    for (const Refinement &refinement :
         {Refinement{".rn"}, Refinement{".rz", Round::Zero},
          Refinement{".rn.relu", Round::NearestEven, true},
          Refinement{".rz.satfinite", Round::Zero, false, true},
          Refinement{".rn.satfinite", Round::NearestEven, false, true}}) {
      Type pair = typeOf(name), f32 = typeOf("f32"), element = pair;
      element.elements = 1;
      Instruction &test = addTest(
          table, section, "cvt" + refinement.modifiers + "." + name + ".f32",
          pair, {f32, f32}, [=](const Row &row) {
            Format format = formatOf(element);
            auto half = [&](std::size_t i) {
              return converted(ExactNumber::decode(row[i], binary32), format,
                               refinement);
            };
            return Expected(half(0) << 16 | half(1));
          });
      for (Operand &operand : test.operands)
        operand.values = around(f32, pair);
      require(test, 90, 8, 6);
    }
}

static float asFloat(Bits bits) {
  auto narrow = static_cast<std::uint32_t>(bits);
  float value;
  std::memcpy(&value, &narrow, sizeof(value));
  return value;
}

static void addBytePairs(Table &table) {
  struct Named {
    const char *name;
    const NarrowFormat &format;
  };
  for (const Named &named :
       {Named{"e4m3x2", e4m3Format}, Named{"e5m2x2", e5m2Format}}) {
    const NarrowFormat &format = named.format;
    auto toByte = [&format](double value, bool clampsNegative) {
      Bits bits = format.encode(value, /*saturates=*/true);
      bool isNegative = (bits & format.signBit()) != 0 && value == value;
      return clampsNegative && isNegative ? Bits(0) : bits;
    };
    // All values, their middles, and numbers that are too large.
    std::vector<Bits> values = edgesOf(typeOf("f32"));
    for (std::uint32_t bits = 0; bits <= format.greatest() + 1; ++bits) {
      auto value =
          static_cast<float>(bits <= format.greatest()
                                 ? format.decode(bits)
                                 : format.decode(format.greatest()) * 1.0625);
      std::uint32_t wide;
      std::memcpy(&wide, &value, sizeof(wide));
      const Bits half = Bits(1) << (named.name[1] == '4' ? 19 : 20);
      for (Bits nearby : {Bits(wide), wide + half, wide + 2 * half,
                          wide + half / 2, wide + half + 1, wide + half - 1})
        values.push_back(nearby | (bits % 3 == 0 ? Bits(1) << 31 : 0));
    }
    for (bool clampsNegative : {false, true}) {
      const std::string modifiers =
          std::string(".rn.satfinite") + (clampsNegative ? ".relu." : ".");
      Instruction &fromSingle = addTest(
          table, section, "cvt" + modifiers + named.name + ".f32",
          typeOf("b16"), {typeOf("f32"), typeOf("f32")}, [=](const Row &row) {
            return Expected(toByte(asFloat(row[0]), clampsNegative) << 8 |
                            toByte(asFloat(row[1]), clampsNegative));
          });
      require(fromSingle, 89, 8, 1);
      for (std::size_t i = 0; i < values.size(); ++i)
        fromSingle.rows.push_back(
            {values[i], values[(i * 7 + 3) % values.size()]});
      Instruction &fromHalf =
          addTest(table, section, "cvt" + modifiers + named.name + ".f16x2",
                  typeOf("b16"), {typeOf("f16x2")}, [=](const Row &row) {
                    auto value = [&](unsigned shift) {
                      return f16Format.decode(
                          static_cast<std::uint32_t>(row[0] >> shift & 0xffff));
                    };
                    return Expected(toByte(value(16), clampsNegative) << 8 |
                                    toByte(value(0), clampsNegative));
                  });
      require(fromHalf, 89, 8, 1);
      for (Bits bits = 0; bits < 0x10000; bits += 5)
        fromHalf.operands[0].values.push_back(bits | ((bits * 40503) & 0xffff)
                                                         << 16);
      Instruction &toHalf = addTest(
          table, section,
          std::string("cvt.rn") + (clampsNegative ? ".relu" : "") + ".f16x2." +
              named.name,
          typeOf("f16x2"), {typeOf("b16")}, [=, &format](const Row &row) {
            Bits result = 0;
            for (unsigned e = 0; e < 2; ++e) {
              double value = format.decode(
                  static_cast<std::uint32_t>(row[0] >> (8 * e) & 255));
              Bits bits = f16Format.encode(value);
              bool isNegative = (bits & 0x8000) != 0 && value == value;
              result |= (clampsNegative && isNegative ? 0 : bits) << (16 * e);
            }
            return Expected(result);
          });
      require(toHalf, 89, 8, 1);
      toHalf.operands[0].values.clear();
      for (Bits bits = 0; bits < 256; ++bits)
        toHalf.operands[0].values.push_back(bits | ((bits * 77) & 255) << 8);
    }
  }
}

//===----------------------------------------------------------------------===//
// tf32
//===----------------------------------------------------------------------===//

/// A float's upper 19 bits: rounded as for a format with 11 significant bits
/// and 8 of exponent.
static void addTF32(Table &table) {
  constexpr Format tf32{11, 8};
  Type f32 = typeOf("f32");
  std::vector<Bits> values = edgesOf(f32);
  for (Bits bits : edgesOf(f32))
    for (Bits low : {0x0fff, 0x1000, 0x1001, 0x1fff, 0x3000})
      if ((bits & 0x7f800000) != 0x7f800000)
        values.push_back((bits & ~Bits(0x3fff)) | low);
  auto add = [&](const Refinement &refinement, LaneReference reference,
                 unsigned sm) {
    // The result is a float, of which any NaN will do.
    Instruction &test =
        addTest(table, section, "cvt" + refinement.modifiers + ".tf32.f32", f32,
                {f32}, std::move(reference));
    test.results[0] = f32;
    test.declarations = ".reg .b32 %bits;\n";
    test.code = test.name + " %bits, %a;";
    test.epilogue = "mov.b32 %d, %bits;\n";
    test.operands[0].values = values;
    require(test, sm, 8, 1);
  };
  for (const Refinement &refinement :
       {Refinement{".rn"}, Refinement{".rz", Round::Zero},
        Refinement{".rn.relu", Round::NearestEven, true},
        Refinement{".rz.relu", Round::Zero, true}})
    add(
        refinement,
        [=](const Row &row) {
          return Expected(
              converted(ExactNumber::decode(row[0], binary32), tf32, refinement)
              << 13);
        },
        90);
  // Ties away from zero: a tie becomes the magnitude above it.
  for (bool isFinite : {false, true}) {
    Refinement refinement{isFinite ? ".rna.satfinite" : ".rna"};
    refinement.isFinite = isFinite;
    add(
        refinement,
        [=](const Row &row) {
          bool isTie = (row[0] & 0x1fff) == 0x1000;
          // A number above a tie rounds as the tie does.
          return Expected(
              converted(ExactNumber::decode(row[0] + isTie, binary32), tf32,
                        refinement)
              << 13);
        },
        80);
  }
}

void tc::isa::addNarrowConversions(Table &table) {
  addScalars(table);
  addIntegers(table);
  addHalfPairs(table);
  addBytePairs(table);
  addTF32(table);
}
