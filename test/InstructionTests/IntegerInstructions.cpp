//===- IntegerInstructions.cpp - Tests of integer arithmetic --------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.7.1, up to bit counts. Values are computed in 128 bits and then
// cut to the width of the result.
//
//===----------------------------------------------------------------------===//

#include "Table.h"

#include <algorithm>

using namespace tc::isa;

static Section arithmetic(int number, const std::string &name) {
  return {"9.7.1." + std::to_string(number),
          "Integer Arithmetic Instructions: " + name};
}

/// A function of the operands' values, cut to the result's type.
template <typename F>
static LaneReference onIntegers(Type result, std::vector<Type> operands, F f) {
  return [=](const Row &row) {
    Wide values[3] = {};
    for (std::size_t i = 0; i < operands.size(); ++i)
      values[i] = integerOf(row[i], operands[i]);
    return Expected(truncated(f(values), result));
  };
}

/// A product modulo 2^128.
static Wide product(Wide a, Wide b) {
  return static_cast<Wide>(static_cast<UnsignedWide>(a) *
                           static_cast<UnsignedWide>(b));
}

/// The bits of a product above those of its operands.
static Wide highPart(Wide product, Type type) {
  return static_cast<Wide>(static_cast<UnsignedWide>(product) >> type.bits);
}

template <typename F>
static Instruction &add(Table &table, int number, const std::string &name,
                        const std::string &modifiers, Type type,
                        std::size_t operands, F f) {
  std::vector<Type> types(operands, type);
  return addTest(table, arithmetic(number, name),
                 name + modifiers + "." + type.name(), type, types,
                 onIntegers(type, types, f));
}

static void addDivision(Table &table, Type type) {
  // The PTX ISA leaves division by zero open; the simulator does as GPUs do.
  auto divide = [=](const Row &row) {
    Wide a = integerOf(row[0], type), b = integerOf(row[1], type);
    return b == 0 ? Expected::unspecified(onesOf(type.bits))
                  : Expected(truncated(a / b, type));
  };
  auto remainder = [=](const Row &row) {
    Wide a = integerOf(row[0], type), b = integerOf(row[1], type);
    return b == 0 ? Expected::unspecified(row[0])
                  : Expected(truncated(a % b, type));
  };
  addTest(table, arithmetic(8, "div"), "div." + type.name(), type, {type, type},
          divide);
  addTest(table, arithmetic(9, "rem"), "rem." + type.name(), type, {type, type},
          remainder);
}

/// mul.wide and mad.wide
static void addWide(Table &table, Type type) {
  Type wide{type.letter, 2 * type.bits};
  addTest(table, arithmetic(3, "mul"), "mul.wide." + type.name(), wide,
          {type, type}, onIntegers(wide, {type, type}, [](const Wide *v) {
            return product(v[0], v[1]);
          }));
  addTest(table, arithmetic(4, "mad"), "mad.wide." + type.name(), wide,
          {type, type, wide},
          onIntegers(wide, {type, type, wide}, [](const Wide *v) {
            return static_cast<Wide>(
                static_cast<UnsignedWide>(product(v[0], v[1])) +
                static_cast<UnsignedWide>(v[2]));
          }));
}

/// dp4a: the products of the four bytes of a and b are added to c.
static void addDotProducts(Table &table) {
  for (const char *nameOfA : {"u32", "s32"})
    for (const char *nameOfB : {"u32", "s32"}) {
      Type a = typeOf(nameOfA), b = typeOf(nameOfB), c = typeOf("b32");
      Instruction &test =
          addTest(table, arithmetic(23, "dp4a"),
                  std::string("dp4a.") + nameOfA + "." + nameOfB, c, {a, b, c},
                  [=](const Row &row) {
                    Wide sum = integerOf(row[2], c);
                    for (unsigned shift = 0; shift < 32; shift += 8)
                      sum += integerOf(row[0] >> shift, Type{a.letter, 8}) *
                             integerOf(row[1] >> shift, Type{b.letter, 8});
                    return Expected(truncated(sum, c));
                  });
      test.sm = 61;
    }
}

/// Marks an instruction that came with sm_90.
static void needHopper(Instruction &test) {
  test.sm = 90;
  test.ptx = {8, 0};
}

/// The same operation on both halves of 32 bits.
template <typename F>
static void addPair(Table &table, int number, const std::string &name,
                    Type pair, F f, const std::string &modifier = "") {
  Type half = typeOf(std::string(1, pair.letter) + "16");
  auto reference = [=](const Row &row) {
    Bits result = 0;
    for (unsigned shift : {0u, 16u}) {
      Wide values[] = {integerOf(row[0] >> shift, half),
                       integerOf(row[1] >> shift, half)};
      result |= truncated(f(values), half) << shift;
    }
    return Expected(result);
  };
  needHopper(addTest(table, arithmetic(number, name),
                     name + modifier + "." + pair.name(), pair, {pair, pair},
                     reference));
}

/// min and max that make zero of negative results.
static void addClamped(Table &table) {
  auto least = [](const Wide *v) {
    return std::max<Wide>(std::min(v[0], v[1]), 0);
  };
  auto greatest = [](const Wide *v) {
    return std::max<Wide>(std::max(v[0], v[1]), 0);
  };
  Type pair = typeOf("s16x2"), whole = typeOf("s32");
  addPair(table, 12, "min", pair, least, ".relu");
  addPair(table, 13, "max", pair, greatest, ".relu");
  needHopper(addTest(table, arithmetic(12, "min"), "min.relu.s32", whole,
                     {whole, whole}, onIntegers(whole, {whole, whole}, least)));
  needHopper(addTest(table, arithmetic(13, "max"), "max.relu.s32", whole,
                     {whole, whole},
                     onIntegers(whole, {whole, whole}, greatest)));
}

static void addPairs(Table &table) {
  for (const char *name : {"u16x2", "s16x2"}) {
    Type type = typeOf(name);
    addPair(table, 1, "add", type, [](const Wide *v) { return v[0] + v[1]; });
    addPair(table, 12, "min", type,
            [](const Wide *v) { return v[0] < v[1] ? v[0] : v[1]; });
    addPair(table, 13, "max", type,
            [](const Wide *v) { return v[0] < v[1] ? v[1] : v[0]; });
  }
}

void tc::isa::addIntegerInstructions(Table &table) {
  addDotProducts(table);
  for (const char *name : {"u16", "s16", "u32", "s32", "u64", "s64"}) {
    Type type = typeOf(name);
    add(table, 1, "add", "", type, 2,
        [](const Wide *v) { return v[0] + v[1]; });
    add(table, 2, "sub", "", type, 2,
        [](const Wide *v) { return v[0] - v[1]; });
    add(table, 3, "mul", ".lo", type, 2,
        [](const Wide *v) { return product(v[0], v[1]); });
    add(table, 3, "mul", ".hi", type, 2,
        [=](const Wide *v) { return highPart(product(v[0], v[1]), type); });
    add(table, 4, "mad", ".lo", type, 3, [](const Wide *v) {
      return static_cast<Wide>(static_cast<UnsignedWide>(product(v[0], v[1])) +
                               static_cast<UnsignedWide>(v[2]));
    });
    add(table, 4, "mad", ".hi", type, 3, [=](const Wide *v) {
      return static_cast<Wide>(
          static_cast<UnsignedWide>(highPart(product(v[0], v[1]), type)) +
          static_cast<UnsignedWide>(v[2]));
    });
    if (type.bits < 64)
      addWide(table, type);
    addDivision(table, type);
    if (type.isSigned()) {
      add(table, 10, "abs", "", type, 1,
          [](const Wide *v) { return v[0] < 0 ? -v[0] : v[0]; });
      add(table, 11, "neg", "", type, 1, [](const Wide *v) { return -v[0]; });
    }
    add(table, 12, "min", "", type, 2,
        [](const Wide *v) { return v[0] < v[1] ? v[0] : v[1]; });
    add(table, 13, "max", "", type, 2,
        [](const Wide *v) { return v[0] < v[1] ? v[1] : v[0]; });
  }
  addPairs(table);
  addClamped(table);
}
