//===- HalfInstructions.cpp - Tests of narrow floating point --------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.7.4, and the roundings and saturation of single precision.
//
//===----------------------------------------------------------------------===//

#include "Table.h"

#include <cmath>
#include <cstring>

using namespace tc::isa;

namespace {
/// An instruction's operations beside rounding.
struct Refinement {
  bool flushes = false, saturates = false, clampsNegative = false;
  Round round = Round::NearestEven;
};

/// Makes a result of decoded operands.
using Operation = std::function<ExactNumber(const ExactNumber *)>;
} // namespace

static Section halfSection(int number, const std::string &name) {
  return {"9.7.4." + std::to_string(number),
          "Half Precision Floating Point Instructions: " + name};
}
static Section floatSection(int number, const std::string &name) {
  return {"9.7.3." + std::to_string(number),
          "Floating Point Instructions: " + name};
}

/// Applies an instruction's refinement to a rounded result.
static Bits refined(Bits bits, Format format, const Refinement &refinement) {
  const Bits one = ExactNumber::ofInteger(1).encode(format);
  bool isNegative = (bits & format.sign()) != 0;
  if (refinement.saturates) {
    if (format.isNan(bits) || isNegative)
      return 0;
    bits = std::min(bits, one);
  }
  if (refinement.flushes)
    bits = flush(bits, format);
  return refinement.clampsNegative && isNegative && !format.isNan(bits) ? 0
                                                                        : bits;
}

/// An operation on each element of the operands.
static LaneReference elementwise(Type type, Refinement refinement,
                                 Operation operation) {
  return [=](const Row &row) {
    Format format = formatOf(type);
    Bits result = 0;
    for (unsigned e = 0; e < type.elements; ++e) {
      ExactNumber values[3];
      for (std::size_t i = 0; i < row.size(); ++i) {
        Bits bits = row[i] >> (e * type.bits) & onesOf(type.bits);
        values[i] = ExactNumber::decode(
            refinement.flushes ? flush(bits, format) : bits, format);
      }
      result |= refined(operation(values).encode(format, refinement.round),
                        format, refinement)
                << (e * type.bits);
    }
    return Expected(result);
  };
}

static ExactNumber sum(const ExactNumber *v) { return v[0] + v[1]; }
static ExactNumber difference(const ExactNumber *v) { return v[0] + -v[1]; }
static ExactNumber product(const ExactNumber *v) { return v[0] * v[1]; }
static ExactNumber fused(const ExactNumber *v) { return v[0] * v[1] + v[2]; }
static ExactNumber negation(const ExactNumber *v) { return -v[0]; }
static ExactNumber magnitude(const ExactNumber *v) {
  ExactNumber result = v[0];
  result.negative = false;
  return result;
}

/// The lesser or the greater; -0 is less than +0.
static Operation extreme(bool isMin, bool propagatesNan) {
  return [=](const ExactNumber *v) {
    if (v[0].isNan() || v[1].isNan())
      return propagatesNan || v[0].isNan()
                 ? propagatesNan ? ExactNumber::nan() : v[1]
                 : v[0];
    int which = order(v[0], v[1]);
    if (which == 0)
      which = v[0].negative ? -1 : 1;
    return (which < 0) == isMin ? v[0] : v[1];
  };
}

static void addHalf(Table &table, const Section &section,
                    const std::string &name, const std::string &typeName,
                    std::size_t operands, Refinement refinement,
                    Operation operation, unsigned sm, unsigned minor) {
  Type type = typeOf(typeName);
  Instruction &test =
      addTest(table, section, name + "." + typeName, type,
              std::vector<Type>(operands, type),
              elementwise(type, refinement, std::move(operation)));
  test.sm = sm;
  test.ptx = {minor < 5 ? 7u : minor == 5 ? 6u : 7u, minor};
}

static void addHalfArithmetic(Table &table) {
  struct Named {
    const char *name;
    Operation operation;
  };
  const Named sums[] = {{"add", sum}, {"sub", difference}, {"mul", product}};
  const Refinement plain, flushing{true}, saturating{false, true};
  const Refinement both{true, true}, clamping{false, false, true};
  const Refinement flushClamping{true, false, true};
  for (const char *half : {"f16", "f16x2"}) {
    int number = 0;
    for (const auto &[name, operation] : sums) {
      Section section = halfSection(++number, name);
      const std::string text = name;
      addHalf(table, section, text, half, 2, plain, operation, 53, 5);
      addHalf(table, section, text + ".rn.ftz", half, 2, flushing, operation,
              53, 5);
      addHalf(table, section, text + ".sat", half, 2, saturating, operation, 53,
              5);
      addHalf(table, section, text + ".ftz.sat", half, 2, both, operation, 53,
              5);
    }
    Section fma = halfSection(4, "fma");
    addHalf(table, fma, "fma.rn", half, 3, plain, fused, 53, 5);
    addHalf(table, fma, "fma.rn.ftz", half, 3, flushing, fused, 53, 5);
    addHalf(table, fma, "fma.rn.sat", half, 3, saturating, fused, 53, 5);
    addHalf(table, fma, "fma.rn.ftz.relu", half, 3, flushClamping, fused, 80,
            0);
    addHalf(table, halfSection(5, "neg"), "neg", half, 1, plain, negation, 53,
            5);
    addHalf(table, halfSection(5, "neg"), "neg.ftz", half, 1, flushing,
            negation, 53, 5);
    addHalf(table, halfSection(6, "abs"), "abs", half, 1, plain, magnitude, 53,
            5);
    addHalf(table, halfSection(6, "abs"), "abs.ftz", half, 1, flushing,
            magnitude, 53, 5);
  }
  for (const char *brain : {"bf16", "bf16x2"}) {
    int number = 0;
    for (const auto &[name, operation] : sums)
      addHalf(table, halfSection(++number, name), name, brain, 2, plain,
              operation, 90, 8);
    addHalf(table, halfSection(4, "fma"), "fma.rn", brain, 3, plain, fused, 80,
            0);
    addHalf(table, halfSection(4, "fma"), "fma.rn.relu", brain, 3, clamping,
            fused, 80, 0);
    addHalf(table, halfSection(5, "neg"), "neg", brain, 1, plain, negation, 80,
            0);
    addHalf(table, halfSection(6, "abs"), "abs", brain, 1, plain, magnitude, 80,
            0);
  }
  for (bool isMin : {true, false}) {
    const std::string name = isMin ? "min" : "max";
    Section section = halfSection(isMin ? 7 : 8, name);
    for (const char *type : {"f16", "f16x2", "bf16", "bf16x2"}) {
      addHalf(table, section, name, type, 2, plain, extreme(isMin, false), 80,
              0);
      addHalf(table, section, name + ".NaN", type, 2, plain,
              extreme(isMin, true), 80, 0);
      if (type[0] == 'f')
        addHalf(table, section, name + ".ftz.NaN", type, 2, flushing,
                extreme(isMin, true), 80, 0);
    }
  }
}

//===----------------------------------------------------------------------===//
// Single precision
//===----------------------------------------------------------------------===//

/// Rounding down is the opposite of rounding the opposite up, zeros included.
static LaneReference roundedSingle(Refinement refinement, Operation operation,
                                   std::vector<bool> changesSign) {
  Type type = typeOf("f32");
  if (refinement.round != Round::Down)
    return elementwise(type, refinement, operation);
  Refinement opposite;
  opposite.flushes = refinement.flushes;
  opposite.round = Round::Up;
  LaneReference up = elementwise(type, opposite, operation);
  return [=](const Row &row) {
    Row negated = row;
    for (std::size_t i = 0; i < row.size(); ++i)
      negated[i] ^= changesSign[i] ? binary32.sign() : 0;
    Bits bits = up(negated).bits ^ binary32.sign();
    return Expected(refined(bits, binary32, refinement));
  };
}

/// All operands have 16 bits but the last, which has 32, like the result.
static void addMixed(Table &table) {
  Type single = typeOf("f32");
  struct Named {
    int number;
    const char *name;
    Operation operation;
    std::size_t operands;
  };
  const Named operations[] = {
      {1, "add", sum, 2}, {2, "sub", difference, 2}, {3, "fma", fused, 3}};
  for (const auto &[number, name, operation, operands] : operations) {
    for (const char *narrow : {"f16", "bf16"}) {
      std::vector<Type> types(operands, typeOf(narrow));
      types.back() = single;
      auto reference = [=, operation = operation](const Row &row) {
        ExactNumber values[3];
        for (std::size_t i = 0; i < row.size(); ++i)
          values[i] = ExactNumber::decode(row[i] & onesOf(types[i].bits),
                                          formatOf(types[i]));
        return Expected(
            operation(values).encode(formatOf(single), Round::NearestEven));
      };
      Instruction &test = addTest(table,
                                  {"9.7.5." + std::to_string(number),
                                   std::string("Mixed Precision Floating Point "
                                               "Instructions: ") +
                                       name},
                                  std::string(name) + ".rn.f32." + narrow,
                                  single, types, reference);
      test.sm = 100;
      test.ptx = {8, 6};
    }
  }
}

static void addSingles(Table &table) {
  Type type = typeOf("f32");
  struct Named {
    int section;
    const char *name;
    Operation operation;
    std::vector<bool> changesSign;
  };
  const Named operations[] = {{3, "add", sum, {true, true}},
                              {4, "sub", difference, {true, true}},
                              {5, "mul", product, {true, false}},
                              {6, "fma", fused, {true, false, true}}};
  struct Form {
    const char *modifiers;
    Refinement refinement;
  };
  const Form forms[] = {
      {".rz", {false, false, false, Round::Zero}},
      {".rm", {false, false, false, Round::Down}},
      {".rp", {false, false, false, Round::Up}},
      {".rn.sat", {false, true, false, Round::NearestEven}},
      {".rz.ftz", {true, false, false, Round::Zero}},
      {".rm.ftz.sat", {true, true, false, Round::Down}},
  };
  for (const Named &operation : operations)
    for (const Form &form : forms)
      addTest(table, floatSection(operation.section, operation.name),
              std::string(operation.name) + form.modifiers + ".f32", type,
              std::vector<Type>(operation.changesSign.size(), type),
              roundedSingle(form.refinement, operation.operation,
                            operation.changesSign));
}

//===----------------------------------------------------------------------===//
// Approximations
//===----------------------------------------------------------------------===//

/// A function of real numbers, within the given error relative to its value
/// plus an absolute one.
static void addFunction(Table &table, const Section &section,
                        const std::string &name, const std::string &typeName,
                        long double relative, long double absolute,
                        bool flushes, unsigned sm,
                        long double (*function)(long double)) {
  Type type = typeOf(typeName);
  Type element = type;
  element.elements = 1;
  Format format = formatOf(element);
  std::vector<Type> types(type.elements, element);
  // Of a pair, each half is a result of its own.
  std::string text = name + "." + typeName;
  Instruction &test = addTest(table, section, text, element, {type}, nullptr);
  test.results = types;
  if (type.elements == 2) {
    test.declarations = ".reg .b32 %pair;\n";
    test.code = text + " %pair, %a;";
    test.epilogue = "mov.b32 {%d, %d1}, %pair;\n";
  }
  test.agreement = "error bound";
  test.sm = sm;
  test.ptx = {7, sm == 90 ? 8u : 0u};
  test.reference = [=](const Thread &thread) {
    std::vector<Expected> expected;
    for (unsigned e = 0; e < type.elements; ++e) {
      Bits bits =
          thread.operands()[0] >> (e * element.bits) & onesOf(element.bits);
      long double value =
          function(toReal(flushes ? flush(bits, format) : bits, format));
      if (std::isnan(value)) {
        expected.emplace_back(format.quietNan());
        continue;
      }
      const long double largest = toReal(format.infinity() - 1, format);
      const long double least = std::ldexp(1.0L, format.minExponent());
      long double error = relative * std::fabs(value) + absolute +
                          std::ldexp(least, 1 - format.precision);
      long double low = value - error, high = value + error;
      if (flushes && low < least && high > -least) {
        low = std::min(low, 0.0L);
        high = std::max(high, 0.0L);
      }
      // Rounding may take numbers that are nearly too large to infinity.
      if (high > largest)
        high = INFINITY;
      if (low < -largest)
        low = -INFINITY;
      expected.push_back(std::isinf(value) ? Expected::within(value, value)
                                           : Expected::within(low, high));
    }
    return expected;
  };
}

static void addFunctions(Table &table) {
  auto exponential = [](long double x) { return std::exp2(x); };
  auto tangent = [](long double x) { return std::tanh(x); };
  for (const char *type : {"f16", "f16x2"}) {
    addFunction(table, halfSection(10, "ex2"), "ex2.approx", type,
                std::exp2(-9.9L), 0, false, 75, exponential);
    addFunction(table, halfSection(9, "tanh"), "tanh.approx", type, 0,
                std::exp2(-10.987L), false, 75, tangent);
  }
  for (const char *type : {"bf16", "bf16x2"}) {
    addFunction(table, halfSection(10, "ex2"), "ex2.approx.ftz", type,
                std::exp2(-7.0L), 0, true, 90, exponential);
    addFunction(table, halfSection(9, "tanh"), "tanh.approx", type, 0,
                std::exp2(-8.0L), false, 90, tangent);
  }
  addFunction(table, floatSection(22, "tanh"), "tanh.approx", "f32",
              std::exp2(-11.0L), 0, false, 75, tangent);
  // The bound holds from -pi to pi; elsewhere it is that of reducing the
  // argument.
  for (bool flushes : {false, true}) {
    const std::string suffix = flushes ? ".approx.ftz" : ".approx";
    for (bool isSine : {true, false}) {
      std::string name = isSine ? "sin" : "cos";
      addFunction(
          table, floatSection(isSine ? 18 : 19, name), name + suffix, "f32", 0,
          std::exp2(-20.5L), flushes, 53,
          isSine ? [](long double x) { return std::sin(x); }
                 : [](long double x) { return std::cos(x); });
      Instruction &test = table.back();
      test.reference = [reference = test.reference,
                        isSine](const Thread &thread) {
        Bits bits = thread.operands()[0];
        long double x = toReal(bits, binary32);
        if (!(std::fabs(x) > 3.14159265L) || std::isinf(x))
          return reference(thread);
        auto narrow = static_cast<float>(x);
        float value = isSine ? std::sin(narrow) : std::cos(narrow);
        std::uint32_t chosen;
        std::memcpy(&chosen, &value, sizeof(chosen));
        return std::vector<Expected>{Expected::unspecified(chosen)};
      };
    }
  }
}

void tc::isa::addHalfInstructions(Table &table) {
  addHalfArithmetic(table);
  addSingles(table);
  addMixed(table);
  addFunctions(table);
}
