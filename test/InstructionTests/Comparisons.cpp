//===- Comparisons.cpp - Tests of comparison and selection ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.7.6. A comparison is the set of outcomes that make it true.
//
//===----------------------------------------------------------------------===//

#include "Table.h"

using namespace tc::isa;

static const Type predicate = typeOf("pred");

static const Section setp{"9.7.6.2", "Comparison and Selection Instructions: "
                                     "setp"};
static const Section selp{"9.7.6.3", "Comparison and Selection Instructions: "
                                     "selp"};

enum Outcome : unsigned { Less = 1, Equal = 2, Greater = 4, Unordered = 8 };

struct Comparison {
  const char *name;
  unsigned trueFor; ///< a set of outcomes
};

static constexpr Comparison equality[] = {{"eq", Equal},
                                          {"ne", Less | Greater}};
static constexpr Comparison orders[] = {{"lt", Less},
                                        {"le", Less | Equal},
                                        {"gt", Greater},
                                        {"ge", Greater | Equal}};
static constexpr Comparison unsignedOrders[] = {{"lo", Less},
                                                {"ls", Less | Equal},
                                                {"hi", Greater},
                                                {"hs", Greater | Equal}};
static constexpr Comparison ofFloats[] = {
    {"equ", Equal | Unordered},      {"neu", Less | Greater | Unordered},
    {"ltu", Less | Unordered},       {"leu", Less | Equal | Unordered},
    {"gtu", Greater | Unordered},    {"geu", Greater | Equal | Unordered},
    {"num", Less | Equal | Greater}, {"nan", Unordered}};

static Outcome outcomeOf(Bits a, Bits b, Type type) {
  if (!type.isFloat()) {
    Wide x = integerOf(a, type), y = integerOf(b, type);
    return x < y ? Less : x == y ? Equal : Greater;
  }
  Format format = formatOf(type);
  if (format.isNan(a) || format.isNan(b))
    return Unordered;
  int which =
      order(ExactNumber::decode(a, format), ExactNumber::decode(b, format));
  return which < 0 ? Less : which == 0 ? Equal : Greater;
}

static void addComparison(Table &table, Comparison comparison, Type type) {
  addTest(table, setp,
          std::string("setp.") + comparison.name + "." + type.name(), predicate,
          {type, type}, [=](const Row &row) {
            return Expected(
                (comparison.trueFor & outcomeOf(row[0], row[1], type)) != 0);
          });
}

/// setp.lt.and.s32 %d|%d1, %a, %b, %c: the second result is made of the
/// opposite of the comparison.
static void addCombination(Table &table, Comparison comparison, Type type,
                           const std::string &combination, bool negates) {
  auto combine = [=](bool value, bool with) {
    return combination == "and"  ? value && with
           : combination == "or" ? value || with
                                 : value != with;
  };
  auto reference = [=](const Thread &thread) {
    const Row &row = thread.operands();
    bool holds = (comparison.trueFor & outcomeOf(row[0], row[1], type)) != 0;
    bool with = (row[2] != 0) != negates;
    return std::vector<Expected>{Bits(combine(holds, with)),
                                 Bits(combine(!holds, with))};
  };
  Instruction &test = addTest(table, setp,
                              std::string("setp.") + comparison.name + "." +
                                  combination + "." + type.name(),
                              predicate, {type, type, predicate}, nullptr);
  test.results = {predicate, predicate};
  test.code = test.name + " %d|%d1, %a, %b, " + (negates ? "!%c;" : "%c;");
  test.reference = reference;
}

static const Section setOfFloats{"9.7.6.1",
                                 "Comparison and Selection Instructions: set"};
static const Section setOfHalves{"9.7.7.1",
                                 "Half Precision Comparison Instructions: set"};
static const Section setpOfHalves{
    "9.7.7.2", "Half Precision Comparison Instructions: setp"};

/// The target that compares halves of a kind.
static void requireHalves(Instruction &test, bool isBrain) {
  test.sm = isBrain ? 90 : 53;
  test.ptx =
      isBrain ? std::array<unsigned, 2>{7, 8} : std::array<unsigned, 2>{6, 5};
}

static bool holds(Comparison comparison, const Row &row, Type type,
                  bool flushes = false) {
  Bits a = row[0], b = row[1];
  if (flushes) {
    a = flush(a, formatOf(type));
    b = flush(b, formatOf(type));
  }
  return (comparison.trueFor & outcomeOf(a, b, type)) != 0;
}

/// Element `e` of each operand.
static Row elementOf(const Row &row, unsigned e, Type type) {
  Row element;
  for (Bits bits : row)
    element.push_back(bits >> (e * type.bits) & onesOf(type.bits));
  return element;
}

/// setp on halves, and on pairs of them: one result for each.
static void addHalfComparison(Table &table, Comparison comparison, Type type,
                              bool flushes) {
  std::string name = std::string("setp.") + comparison.name +
                     (flushes ? ".ftz." : ".") + type.name();
  Instruction &test =
      addTest(table, setpOfHalves, name, predicate, {type, type}, nullptr);
  requireHalves(test, type.isBrain);
  test.results.assign(type.elements, predicate);
  if (type.elements == 2)
    test.code = name + " %d|%d1, %a, %b;";
  Type single = type;
  single.elements = 1;
  test.reference = [=](const Thread &thread) {
    std::vector<Expected> expected;
    for (unsigned e = 0; e < type.elements; ++e)
      expected.emplace_back(holds(
          comparison, elementOf(thread.operands(), e, type), single, flushes));
    return expected;
  };
}

/// set: ones of the result's kind in each element for which it holds, and
/// does so together with a predicate if that is asked for.
static void addSet(Table &table, Comparison comparison, const std::string &to,
                   Type type, bool flushes, bool combines) {
  std::string name = std::string("set.") + comparison.name +
                     (combines ? ".and" : "") + (flushes ? ".ftz." : ".") + to +
                     "." + type.name();
  bool isOfHalves = type.isFloat() && type.bits == 16;
  Type result = typeOf(to);
  Bits yes = result.isFloat()
                 ? ExactNumber::ofInteger(1).encode(formatOf(result))
                 : onesOf(result.bits / type.elements);
  std::vector<Type> operands = {type, type};
  if (combines)
    operands.push_back(predicate);
  Instruction &test = addTest(
      table, isOfHalves ? setOfHalves : setOfFloats, name, result, operands,
      [=](const Row &row) {
        Type single = type;
        single.elements = 1;
        Bits bits = 0;
        for (unsigned e = 0; e < type.elements; ++e)
          if (holds(comparison, elementOf(row, e, type), single, flushes) &&
              (!combines || row[2] == 0))
            bits |= yes << (e * type.bits);
        return Expected(bits);
      });
  test.anyNan = false;
  test.agreement = "bits";
  if (combines)
    test.code = name + " %d, %a, %b, !%c;";
  if (isOfHalves)
    requireHalves(test, type.isBrain || result.isBrain);
}

static void addSets(Table &table) {
  for (const auto &[to, from] :
       std::vector<std::pair<const char *, const char *>>{{"u32", "f16"},
                                                          {"s16", "f16"},
                                                          {"f16", "f16"},
                                                          {"f16x2", "f16x2"},
                                                          {"u32", "f16x2"},
                                                          {"bf16", "bf16"},
                                                          {"u16", "bf16"},
                                                          {"bf16x2", "bf16x2"},
                                                          {"u32", "bf16x2"},
                                                          {"u32", "f32"},
                                                          {"f32", "f32"},
                                                          {"s32", "f64"}}) {
    Type type = typeOf(from);
    for (Comparison comparison : ofFloats)
      addSet(table, comparison, to, type, false, false);
    addSet(table, orders[0], to, type, false, true);
    if (type.bits < 64 && !type.isBrain)
      addSet(table, orders[1], to, type, true, false);
  }
  for (const char *from : {"u16", "s16", "u32", "s32", "u64", "s64", "b32"})
    for (const char *to : {"u32", "f32"}) {
      Type type = typeOf(from);
      addSet(table, equality[1], to, type, false, true);
      if (type.letter != 'b')
        for (Comparison comparison : orders)
          addSet(table, comparison, to, type, false, false);
    }
  addSet(table, unsignedOrders[0], "u32", typeOf("u32"), false, false);
}

void tc::isa::addComparisons(Table &table) {
  addSets(table);
  for (const char *name : {"f16", "f16x2", "bf16", "bf16x2"}) {
    Type type = typeOf(name);
    for (Comparison comparison : equality)
      addHalfComparison(table, comparison, type, false);
    for (Comparison comparison : orders)
      addHalfComparison(table, comparison, type, !type.isBrain);
    for (Comparison comparison : ofFloats)
      addHalfComparison(table, comparison, type, false);
  }
  for (const char *name : {"b16", "b32", "b64", "u16", "u32", "u64", "s16",
                           "s32", "s64", "f32", "f64"}) {
    Type type = typeOf(name);
    for (Comparison comparison : equality)
      addComparison(table, comparison, type);
    if (type.letter != 'b')
      for (Comparison comparison : orders)
        addComparison(table, comparison, type);
    if (type.letter == 'u')
      for (Comparison comparison : unsignedOrders)
        addComparison(table, comparison, type);
    if (type.isFloat())
      for (Comparison comparison : ofFloats)
        addComparison(table, comparison, type);
  }
  for (const char *combination : {"and", "or", "xor"}) {
    addCombination(table, orders[0], typeOf("s32"), combination, false);
    addCombination(table, ofFloats[2], typeOf("f64"), combination, true);
  }

  for (const char *name : {"b16", "b32", "b64", "u16", "u32", "u64", "s16",
                           "s32", "s64", "f32", "f64"}) {
    Type type = typeOf(name);
    Instruction &test = addTest(
        table, selp, std::string("selp.") + name, type, {type, type, predicate},
        [](const Row &row) { return Expected(row[2] != 0 ? row[0] : row[1]); });
    test.anyNan = false;
    test.agreement = "bits";
  }
}
