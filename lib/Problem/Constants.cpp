//===- Constants.cpp - Numbers that users write ---------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The Python modules compile this file, too: it takes nothing but what names
// element types.
//
//===----------------------------------------------------------------------===//

#include "tc/Problem/Constants.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>
#include <limits>

using namespace tc;
using namespace tc::model;

namespace {

/// A decimal text as digits and the power of ten that they are multiplied by.
struct Decimal {
  /// Without zeros at the beginning and at the end; empty of zero.
  std::string digits;
  int64_t exponent = 0;
};

/// The ends of the range of integers of a type.
struct Range {
  int64_t least, greatest;
};

} // namespace

static Decimal readDecimal(std::string_view text) {
  Decimal result;
  size_t mark = std::min(text.find_first_of("eE"), text.size());
  std::string_view power = text.substr(std::min(mark + 1, text.size()));
  if (!power.empty() && power.front() == '+')
    power.remove_prefix(1);
  auto [end, code] = std::from_chars(power.data(), power.data() + power.size(),
                                     result.exponent);
  // Twice the length of any text would not bring such a number back.
  constexpr int64_t farAway = int64_t{1} << 62;
  if (code == std::errc::result_out_of_range)
    result.exponent = power.front() == '-' ? -farAway : farAway;
  result.exponent = std::clamp(result.exponent, -farAway, farAway);
  bool isFraction = false;
  for (char c : text.substr(0, mark)) {
    if (c == '.') {
      isFraction = true;
      continue;
    }
    if (isFraction)
      --result.exponent;
    if (c != '0' || !result.digits.empty())
      result.digits += c;
  }
  while (!result.digits.empty() && result.digits.back() == '0') {
    result.digits.pop_back();
    ++result.exponent;
  }
  return result;
}

/// The integer that such a text is, if it is one of 64 bits.
static std::optional<int64_t> readInteger(std::string_view text,
                                          bool isNegative) {
  Decimal decimal = readDecimal(text);
  if (decimal.digits.empty())
    return 0;
  constexpr auto maxDigits = std::numeric_limits<int64_t>::digits10 + 1;
  if (decimal.exponent < 0 || decimal.exponent > maxDigits)
    return std::nullopt;
  std::string digits = isNegative ? "-" : "";
  digits += decimal.digits;
  digits.append(static_cast<size_t>(decimal.exponent), '0');
  int64_t integer = 0;
  auto [end, code] =
      std::from_chars(digits.data(), digits.data() + digits.size(), integer);
  if (code != std::errc())
    return std::nullopt;
  return integer;
}

Constant::Constant(std::complex<double> number) : number(number) {
  constexpr double limit = 0x1p63;
  if (imag() == 0 && real() == std::trunc(real()) && -limit <= real() &&
      real() < limit)
    exact = static_cast<int64_t>(real());
}

Constant Constant::ofInteger(int64_t integer) {
  Constant constant(static_cast<double>(integer));
  constant.exact = integer;
  return constant;
}

Constant Constant::ofDecimal(std::string_view text, bool isNegative,
                             double number) {
  Constant constant(isNegative ? -number : number);
  constant.exact = readInteger(text, isNegative);
  return constant;
}

static bool isDigit(char c) { return c >= '0' && c <= '9'; }

std::optional<Constant> model::takeConstant(std::string_view &text,
                                            bool isNegative) {
  // Neither a sign nor "inf" is a number here.
  if (text.empty() || !(isDigit(text.front()) || text.front() == '.'))
    return std::nullopt;
  double number = 0;
  auto [end, code] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  size_t length = static_cast<size_t>(end - text.data());
  std::string_view digits = text.substr(0, length);
  if (code == std::errc::result_out_of_range) {
    Decimal decimal = readDecimal(digits);
    if (decimal.exponent + static_cast<int64_t>(decimal.digits.size()) > 0)
      return std::nullopt;
    number = 0;
  } else if (code != std::errc()) {
    return std::nullopt;
  }
  text.remove_prefix(length);
  return Constant::ofDecimal(digits, isNegative, number);
}

/// Takes a sign, if there is one: whether it is a minus.
static bool takeSign(std::string_view &text) {
  bool isNegative = !text.empty() && text.front() == '-';
  if (isNegative || (!text.empty() && text.front() == '+'))
    text.remove_prefix(1);
  return isNegative;
}

std::optional<Constant> model::parseConstant(std::string_view text) {
  bool isNegative = takeSign(text);
  std::optional<Constant> first = takeConstant(text, isNegative);
  if (!first || text.empty())
    return first;
  if (text == "i")
    return Constant(0, first->real());
  if (text.front() != '+' && text.front() != '-')
    return std::nullopt;
  isNegative = takeSign(text);
  std::optional<Constant> second = takeConstant(text, isNegative);
  if (!second || text != "i")
    return std::nullopt;
  // With an imaginary part of zero, it is the real one, however it is written.
  return second->real() == 0 ? *first : Constant(first->real(), second->real());
}

std::string model::stringify(const Constant &constant) {
  if (std::optional<int64_t> integer = constant.integer())
    return std::to_string(*integer);
  auto textOf = [](double number) {
    std::array<char, 32> text;
    auto [end, code] =
        std::to_chars(text.data(), text.data() + text.size(), number);
    return std::string(text.data(), end);
  };
  if (constant.imag() == 0)
    return textOf(constant.real());
  return textOf(constant.real()) + (constant.imag() < 0 ? "" : "+") +
         textOf(constant.imag()) + "i";
}

static Range rangeOf(ElementType type) {
  int64_t unusedBits = 64 - 8 * byteWidth(type);
  return {std::numeric_limits<int64_t>::min() >> unusedBits,
          std::numeric_limits<int64_t>::max() >> unusedBits};
}

/// Name of a constant in errors: a fraction may be too small for its double to
/// show it.
static std::string describe(const Constant &constant) {
  bool looksExact = !constant.integer() && Constant(constant.value()).integer();
  return (looksExact ? "nearly '" : "'") + stringify(constant) + "'";
}

Status model::checkConstant(const Constant &constant, ElementType type) {
  std::string name(stringify(type));
  if (constant.imag() != 0 && !isComplex(type))
    return Error{describe(constant) + " is complex, which no " + name + " is"};
  if (isInteger(type)) {
    Range range = rangeOf(type);
    std::optional<int64_t> integer = constant.integer();
    if (!integer || *integer < range.least || *integer > range.greatest)
      return Error{describe(constant) + " is no " + name};
    return {};
  }
  ElementType part = realTypeOf(type);
  assert((part == ElementType::F32 || part == ElementType::F64) &&
         "sums have no other floating-point types");
  if (part == ElementType::F64)
    return {};
  for (double number : {constant.real(), constant.imag()})
    if (std::isfinite(number) && !std::isfinite(static_cast<float>(number)))
      return Error{describe(constant) + " is too large for " + name};
  return {};
}

Status model::checkIdentity(const Constant &identity, ElementType type) {
  if (std::isnan(identity.real()))
    return Error{describe(identity) + " is no number"};
  if (std::isinf(identity.real()))
    return {};
  return checkConstant(identity, type);
}

int64_t model::integerOf(const Constant &constant, ElementType type) {
  if (std::isinf(constant.real())) {
    Range range = rangeOf(type);
    return constant.real() < 0 ? range.least : range.greatest;
  }
  assert(checkConstant(constant, type) && "not of that type");
  return constant.integer().value_or(0);
}
