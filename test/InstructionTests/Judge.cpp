//===- Judge.cpp - Comparing results of instruction tests -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExactNumber.h"

#include <cinttypes>
#include <cmath>
#include <cstdio>

using namespace tc::isa;

static std::string hex(Bits bits, unsigned width) {
  char text[32];
  std::snprintf(text, sizeof(text), "0x%0*" PRIx64,
                static_cast<int>((width + 3) / 4), bits);
  return text;
}

/// Returns true if two values are the same in all elements, any two NaNs being
/// the same if `anyNan`.
static bool areSame(Bits a, Bits b, Type type, bool anyNan) {
  if (!anyNan || !type.isFloat())
    return a == b;
  Format format = formatOf(type);
  Bits ones = ~Bits(0) >> (64 - type.bits);
  for (unsigned i = 0; i < type.elements; ++i) {
    Bits x = a >> (i * type.bits) & ones, y = b >> (i * type.bits) & ones;
    if (x != y && !(format.isNan(x) && format.isNan(y)))
      return false;
  }
  return true;
}

static bool isWithin(const Expected &expected, Bits bits, Type type) {
  long double value = toReal(bits, formatOf(type));
  return value >= expected.low && value <= expected.high;
}

/// "(0x1, 0x2): " and so on.
static std::string describe(const Instruction &test, const Row &row) {
  std::string text = "(";
  for (std::size_t i = 0; i < row.size(); ++i)
    text +=
        (i == 0 ? "" : ", ") +
        hex(row[i], test.operands.empty() ? 64 : test.operands[i].type.width());
  return text + ")";
}

static void note(Verdict &verdict, const std::string &message) {
  if (verdict.wrong++ == 0)
    verdict.firstWrong = message;
}

/// Calls `visit` with each result: its type, its row, the expected value and
/// its place among the results.
template <typename F>
static void visitResults(const Instruction &test, const std::vector<Row> &rows,
                         F visit) {
  for (std::size_t row = 0; row < rows.size(); ++row) {
    Thread thread{rows.data() + row / blockSize * blockSize,
                  static_cast<unsigned>(row % blockSize),
                  rows.size() / blockSize, row};
    std::vector<Expected> expected = test.reference(thread);
    for (std::size_t i = 0; i < test.results.size(); ++i)
      visit(test.results[i], rows[row], expected[i],
            row * test.results.size() + i);
  }
}

Verdict tc::isa::judge(const Instruction &test, const std::vector<Row> &rows,
                       const std::vector<Bits> &results, bool isSimulator) {
  Verdict verdict;
  visitResults(
      test, rows,
      [&](Type type, const Row &row, const Expected &expected,
          std::size_t place) {
        ++verdict.results;
        Bits got = results[place];
        bool isOpen = expected.kind == Expected::Kind::Unspecified;
        verdict.unspecified += isOpen;
        if (isOpen && !isSimulator)
          return;
        bool isWithinBound = expected.kind == Expected::Kind::Within;
        if (isWithinBound ? isWithin(expected, got, type)
                          : areSame(got, expected.bits, type, test.anyNan))
          return;
        note(verdict,
             describe(test, row) + " gives " + hex(got, type.width()) +
                 " instead of " +
                 (isWithinBound ? std::to_string(expected.low) + " to " +
                                      std::to_string(expected.high)
                                : hex(expected.bits, type.width())));
      });
  return verdict;
}

Verdict tc::isa::compare(const Instruction &test, const std::vector<Row> &rows,
                         const std::vector<Bits> &device,
                         const std::vector<Bits> &simulator) {
  Verdict verdict;
  visitResults(test, rows,
               [&](Type type, const Row &row, const Expected &expected,
                   std::size_t place) {
                 ++verdict.results;
                 Bits a = device[place], b = simulator[place];
                 if (areSame(a, b, type, test.anyNan))
                   return;
                 if (expected.kind == Expected::Kind::Unspecified) {
                   ++verdict.unspecified;
                   return;
                 }
                 if (expected.kind == Expected::Kind::Within &&
                     isWithin(expected, a, type) && isWithin(expected, b, type))
                   return;
                 note(verdict, describe(test, row) + " gives " +
                                   hex(a, type.width()) + " on the device, " +
                                   hex(b, type.width()) + " in the simulator");
               });
  return verdict;
}
