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

void tc::isa::addComparisons(Table &table) {
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
