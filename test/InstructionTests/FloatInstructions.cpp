//===- FloatInstructions.cpp - Tests of exact floating point --------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.7.3: instructions that round as IEEE 754 defines, and those that
// only look at numbers. Each reference is an exact value and one rounding.
//
//===----------------------------------------------------------------------===//

#include "Table.h"

using namespace tc::isa;

static const Type f32 = typeOf("f32"), f64 = typeOf("f64");
static const Type predicate = typeOf("pred");

static Section section(int number, const std::string &name) {
  return {"9.7.3." + std::to_string(number),
          "Floating Point Instructions: " + name};
}

/// Rounds the result of `f` on the operands. Subnormal operands and results
/// count as zero if `flushes`.
template <typename F>
static LaneReference rounded(Type type, bool flushes, F f) {
  return [=](const Row &row) {
    Format format = formatOf(type);
    ExactNumber values[3];
    for (std::size_t i = 0; i < row.size(); ++i)
      values[i] =
          ExactNumber::decode(flushes ? flush(row[i], format) : row[i], format);
    Bits bits = f(values).encode(format);
    return Expected(flushes ? flush(bits, format) : bits);
  };
}

/// The spellings of one instruction: with each of the given modifiers, `.f32`
/// with and without `.ftz`, and `.f64`.
template <typename F>
static void addRounded(Table &table, const Section &section,
                       const std::string &name,
                       const std::vector<std::string> &modifiers,
                       std::size_t operands, F f) {
  for (const std::string &modifier : modifiers)
    for (const char *suffix : {".f32", ".ftz.f32", ".f64"}) {
      Type type = suffix == std::string(".f64") ? f64 : f32;
      bool flushes = suffix == std::string(".ftz.f32");
      addTest(table, section, name + modifier + suffix, type,
              std::vector<Type>(operands, type), rounded(type, flushes, f));
    }
}

static ExactNumber sum(const ExactNumber *v) { return v[0] + v[1]; }
static ExactNumber difference(const ExactNumber *v) { return v[0] + -v[1]; }
static ExactNumber product(const ExactNumber *v) { return v[0] * v[1]; }
static ExactNumber fused(const ExactNumber *v) { return v[0] * v[1] + v[2]; }

/// The same operation on both halves of 64 bits.
template <typename F>
static void addPair(Table &table, const Section &section,
                    const std::string &name, std::size_t operands, F f) {
  Type pair = typeOf("f32x2");
  auto reference = [=](const Row &row) {
    Bits result = 0;
    for (unsigned shift : {0u, 32u}) {
      Row lane;
      for (Bits bits : row)
        lane.push_back(bits >> shift & onesOf(32));
      result |= rounded(f32, false, f)(lane).bits << shift;
    }
    return Expected(result);
  };
  Instruction &test = addTest(table, section, name, pair,
                              std::vector<Type>(operands, pair), reference);
  test.sm = 100;
  test.ptx = {8, 6};
}

//===----------------------------------------------------------------------===//
// Without rounding
//===----------------------------------------------------------------------===//

static void addExtremes(Table &table, Type type, bool flushes,
                        bool propagatesNan) {
  for (bool isMin : {true, false}) {
    auto reference = [=](const Row &row) {
      Format format = formatOf(type);
      Bits a = flushes ? flush(row[0], format) : row[0];
      Bits b = flushes ? flush(row[1], format) : row[1];
      bool oneIsNan = format.isNan(a) || format.isNan(b);
      if (oneIsNan && (propagatesNan || (format.isNan(a) && format.isNan(b))))
        return Expected(format.quietNan());
      if (oneIsNan)
        return Expected(format.isNan(a) ? b : a);
      int which =
          order(ExactNumber::decode(a, format), ExactNumber::decode(b, format));
      // -0 is less than +0.
      if (which == 0)
        which = a == b ? 0 : (a & format.sign()) != 0 ? -1 : 1;
      return Expected((which < 0) == isMin ? a : b);
    };
    std::string name = isMin ? "min" : "max";
    Instruction &test =
        addTest(table, section(isMin ? 11 : 12, name),
                name + (flushes ? ".ftz" : "") + (propagatesNan ? ".NaN" : "") +
                    "." + type.name(),
                type, {type, type}, reference);
    if (propagatesNan) {
      test.sm = 80;
      test.ptx = {7, 0};
    }
  }
}

static void addSigns(Table &table, Type type, bool flushes) {
  Format format = formatOf(type);
  std::string suffix = (flushes ? ".ftz." : ".") + type.name();
  addTest(table, section(9, "abs"), "abs" + suffix, type, {type},
          [=](const Row &row) {
            Bits a = flushes ? flush(row[0], format) : row[0];
            return Expected(a & ~format.sign());
          });
  addTest(table, section(10, "neg"), "neg" + suffix, type, {type},
          [=](const Row &row) {
            Bits a = flushes ? flush(row[0], format) : row[0];
            return Expected(a ^ format.sign());
          });
  if (flushes)
    return;
  Instruction &test = addTest(
      table, section(2, "copysign"), "copysign" + suffix, type, {type, type},
      [=](const Row &row) {
        return Expected((row[1] & ~format.sign()) | (row[0] & format.sign()));
      });
  test.anyNan = false;
  test.agreement = "bits";
}

static void addClasses(Table &table, Type type) {
  Format format = formatOf(type);
  auto add = [&](const std::string &name, auto test) {
    addTest(table, section(1, "testp"), "testp." + name + "." + type.name(),
            predicate, {type}, [=](const Row &row) {
              return Expected(test(row[0], row[0] & ~format.sign()));
            });
  };
  add("finite", [=](Bits, Bits size) { return size < format.infinity(); });
  add("infinite", [=](Bits, Bits size) { return size == format.infinity(); });
  add("number", [=](Bits, Bits size) { return size <= format.infinity(); });
  add("notanumber", [=](Bits, Bits size) { return size > format.infinity(); });
  // Zero counts as normal.
  add("normal", [=](Bits bits, Bits size) {
    return size < format.infinity() && !format.isSubnormal(bits);
  });
  add("subnormal", [=](Bits bits, Bits) { return format.isSubnormal(bits); });
}

void tc::isa::addFloatInstructions(Table &table) {
  for (Type type : {f32, f64})
    addClasses(table, type);
  addRounded(table, section(3, "add"), "add", {"", ".rn"}, 2, sum);
  addPair(table, section(3, "add"), "add.f32x2", 2, sum);
  addPair(table, section(3, "add"), "add.rn.f32x2", 2, sum);
  addRounded(table, section(4, "sub"), "sub", {"", ".rn"}, 2, difference);
  addPair(table, section(4, "sub"), "sub.f32x2", 2, difference);
  addPair(table, section(4, "sub"), "sub.rn.f32x2", 2, difference);
  addRounded(table, section(5, "mul"), "mul", {"", ".rn"}, 2, product);
  addPair(table, section(5, "mul"), "mul.f32x2", 2, product);
  addPair(table, section(5, "mul"), "mul.rn.f32x2", 2, product);
  addRounded(table, section(6, "fma"), "fma", {".rn"}, 3, fused);
  addPair(table, section(6, "fma"), "fma.rn.f32x2", 3, fused);
  addRounded(table, section(7, "mad"), "mad", {".rn"}, 3, fused);
  addRounded(table, section(8, "div"), "div", {".rn"}, 2,
             [](const ExactNumber *v) { return v[0] / v[1]; });
  addRounded(
      table, section(13, "rcp"), "rcp", {".rn"}, 1,
      [](const ExactNumber *v) { return ExactNumber::ofInteger(1) / v[0]; });
  addRounded(table, section(15, "sqrt"), "sqrt", {".rn"}, 1,
             [](const ExactNumber *v) { return squareRoot(v[0]); });
  for (Type type : {f32, f64}) {
    addSigns(table, type, /*flushes=*/false);
    addExtremes(table, type, /*flushes=*/false, /*propagatesNan=*/false);
  }
  addSigns(table, f32, /*flushes=*/true);
  addExtremes(table, f32, /*flushes=*/true, /*propagatesNan=*/false);
  addExtremes(table, f32, /*flushes=*/false, /*propagatesNan=*/true);
  addExtremes(table, f32, /*flushes=*/true, /*propagatesNan=*/true);
}
