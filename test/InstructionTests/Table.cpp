//===- Table.cpp - Building the table of instruction tests ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Table.h"

#include <algorithm>
#include <iterator>
#include <map>

using namespace tc::isa;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

std::string Type::name() const {
  if (isPredicate())
    return "pred";
  std::string text =
      (isBrain ? "b" : "") + std::string(1, letter) + std::to_string(bits);
  return elements == 1 ? text : text + "x" + std::to_string(elements);
}

std::string Type::registerName() const {
  if (isPredicate())
    return "pred";
  bool hasOwnRegisters = elements == 1 && bits >= (isFloat() ? 32 : 16);
  if (hasOwnRegisters)
    return name();
  // Narrow integers live in wider registers, the rest in untyped ones.
  return "b" + std::to_string(width() == 8 ? 32 : width());
}

Type tc::isa::typeOf(const std::string &name) {
  Type type;
  if (name == "pred") {
    type.letter = 'p';
    type.bits = 1;
    return type;
  }
  type.isBrain = name.rfind("bf", 0) == 0;
  std::string rest = name.substr(type.isBrain ? 1 : 0);
  type.letter = rest[0];
  std::size_t cross = rest.find('x');
  type.bits = static_cast<unsigned>(std::stoul(rest.substr(1, cross - 1)));
  if (cross != std::string::npos)
    type.elements = static_cast<unsigned>(std::stoul(rest.substr(cross + 1)));
  return type;
}

Wide tc::isa::integerOf(Bits bits, Type type) {
  Wide value = bits & onesOf(type.bits);
  bool isNegative = type.isSigned() && (value >> (type.bits - 1)) != 0;
  return isNegative ? value - (Wide(1) << type.bits) : value;
}

Bits tc::isa::truncated(Wide value, Type type) {
  return static_cast<Bits>(value) & onesOf(type.bits);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

std::vector<Bits> tc::isa::randomBits(std::uint64_t seed, std::size_t count,
                                      unsigned bits) {
  // splitmix64, by Sebastiano Vigna.
  std::vector<Bits> values;
  for (std::size_t i = 0; i < count; ++i) {
    seed += 0x9e3779b97f4a7c15;
    Bits z = seed;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    values.push_back((z ^ (z >> 31)) & onesOf(bits));
  }
  return values;
}

static std::vector<Bits> integerEdges(unsigned bits) {
  const Bits ones = onesOf(bits), top = Bits(1) << (bits - 1);
  std::vector<Bits> values = {0,
                              1,
                              2,
                              3,
                              7,
                              10,
                              ones,
                              ones - 1,
                              ones - 9,
                              top,
                              top - 1,
                              top + 1,
                              ones / 3,
                              ones / 5,
                              top >> (bits / 2),
                              onesOf(bits / 2),
                              onesOf(bits / 2) + 1};
  for (Bits value : randomBits(bits, 3, bits))
    values.push_back(value);
  return values;
}

static std::vector<Bits> floatEdges(Format format) {
  const Bits hidden = Bits(1) << (format.precision - 1);
  auto power = [&](int exponent) {
    return static_cast<Bits>(exponent + format.bias()) * hidden;
  };
  const Bits one = power(0), infinity = format.infinity();
  const int last = format.precision - 1;
  std::vector<Bits> values = {
      0,
      1,              // the least subnormal
      hidden / 2 + 1, // a subnormal
      hidden - 1,     // the largest subnormal
      hidden,         // the least normal
      hidden + 1,
      power(-last - 1), // half an ulp of 1
      power(-1),
      power(-1) + hidden / 2, // 0.75
      one - 1,
      one,
      one + 1,
      power(0) + hidden / 2, // 1.5, a tie of integers
      power(1),
      power(1) + hidden / 4, // 2.5
      power(3) + hidden / 3,
      power(last) - 1, // a half beside the largest integers
      power(last) + 1,
      power(format.bias()) + hidden / 5, // nearly too large
      infinity - 1,                      // the largest
      infinity,
      format.quietNan(),
  };
  std::size_t count = values.size();
  for (std::size_t i = 0; i < count; ++i)
    if (i % 2 == 0 || i + 3 > count)
      values.push_back(values[i] | format.sign());
  for (Bits bits : randomBits(static_cast<std::uint64_t>(format.precision), 4,
                              static_cast<unsigned>(last)))
    values.push_back(one + bits);
  return values;
}

std::vector<Bits> tc::isa::edgesOf(Type type) {
  if (type.isPredicate())
    return {0, 1};
  std::vector<Bits> values =
      type.isFloat() ? floatEdges(formatOf(type)) : integerEdges(type.bits);
  if (type.elements == 1)
    return values;
  // Each value beside others.
  std::vector<Bits> packed;
  for (std::size_t i = 0; i < values.size(); ++i) {
    Bits bits = 0;
    for (unsigned e = 0; e < type.elements; ++e)
      bits |= values[(i * (1 + 4 * e) + 5 * e) % values.size()]
              << (e * type.bits);
    packed.push_back(bits);
  }
  return packed;
}

std::vector<Bits> tc::isa::shiftAmounts() {
  return {0,   1,   4,   8,   15,      16,         17,         31,
          32,  33,  48,  63,  64,      65,         127,        128,
          255, 256, 257, 288, 0x10001, 0x7fffffff, 0x80000000, 0xffffffff};
}

//===----------------------------------------------------------------------===//
// Tests
//===----------------------------------------------------------------------===//

Reference tc::isa::laneByLane(LaneReference reference) {
  return [reference = std::move(reference)](const Thread &thread) {
    return std::vector<Expected>{reference(thread.operands())};
  };
}

Instruction &tc::isa::addTest(Table &table, const Section &section,
                              const std::string &name, Type result,
                              const std::vector<Type> &operands,
                              LaneReference reference) {
  static const char letters[] = "abce";
  Instruction test;
  test.name = name;
  test.section = section;
  test.results = {result};
  test.code = name + " %d";
  for (std::size_t i = 0; i < operands.size(); ++i) {
    test.operands.push_back({operands[i], edgesOf(operands[i])});
    test.code += std::string(", %") + letters[i];
  }
  test.code += ";";
  test.anyNan = result.isFloat();
  if (test.anyNan)
    test.agreement = "bits, any NaN";
  test.reference = laneByLane(std::move(reference));
  table.push_back(std::move(test));
  return table.back();
}

std::vector<Row> tc::isa::rowsOf(const Instruction &instruction) {
  std::vector<Row> rows = instruction.rows;
  if (rows.empty()) {
    // The first operand changes fastest.
    rows.emplace_back();
    for (std::size_t i = instruction.operands.size(); i-- > 0;) {
      std::vector<Row> longer;
      for (const Row &row : rows)
        for (Bits value : instruction.operands[i].values) {
          longer.push_back({value});
          longer.back().insert(longer.back().end(), row.begin(), row.end());
        }
      rows = std::move(longer);
    }
  }
  std::size_t count = rows.size();
  for (std::size_t i = 0; rows.size() % blockSize != 0; ++i)
    rows.push_back(rows[i % count]);
  return rows;
}

const std::vector<Instruction> &tc::isa::allInstructions() {
  static const Table table = [] {
    Table all;
    addIntegerInstructions(all);
    addBitInstructions(all);
    addFloatInstructions(all);
    addApproximations(all);
    addComparisons(all);
    addConversions(all);
    addMoves(all);
    addMemoryAccesses(all);
    addAsyncCopies(all);
    addWarpInstructions(all);
    addVotes(all);
    addAtomicInstructions(all);
    addMbarriers(all);
    addMatrixInstructions(all);
    addHalfInstructions(all);
    addNarrowConversions(all);
    addControlFlow(all);
    // By section, "9.7.1.10" after "9.7.1.9".
    std::map<std::vector<int>, Table> sections;
    for (Instruction &test : all) {
      std::vector<int> numbers = {0};
      for (char c : test.section.number)
        if (c == '.')
          numbers.push_back(0);
        else
          numbers.back() = numbers.back() * 10 + (c - '0');
      sections[numbers].push_back(std::move(test));
    }
    all.clear();
    for (auto &[numbers, tests] : sections)
      std::move(tests.begin(), tests.end(), std::back_inserter(all));
    return all;
  }();
  return table;
}
