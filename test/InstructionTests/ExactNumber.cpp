//===- ExactNumber.cpp - Floating point by integers -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExactNumber.h"

#include <cmath>
#include <limits>

using namespace tc::isa;
using Kind = ExactNumber::Kind;

Format tc::isa::formatOf(Type type) {
  if (type.bits == 16)
    return type.isBrain ? bfloat16 : binary16;
  return type.bits == 32 ? binary32 : binary64;
}

/// The number of the highest bit that is set.
static int highestBit(UnsignedWide value) {
  int bit = -1;
  for (; value != 0; value >>= 1)
    ++bit;
  return bit;
}

/// Shifts to the right, and notes whether a bit is lost.
static void shiftRight(UnsignedWide &value, bool &inexact, int amount) {
  if (amount > 127) {
    inexact |= value != 0;
    value = 0;
    return;
  }
  inexact |= (value & ((UnsignedWide(1) << amount) - 1)) != 0;
  value >>= amount;
}

/// With the highest bit of the mantissa at place 123, which leaves room for
/// carries above.
static ExactNumber normalized(ExactNumber a) {
  int up = 123 - highestBit(a.mantissa);
  a.mantissa = up >= 0 ? a.mantissa << up : a.mantissa >> -up;
  a.exponent -= up;
  return a;
}

ExactNumber ExactNumber::nan() {
  ExactNumber result;
  result.kind = Kind::Nan;
  return result;
}

ExactNumber ExactNumber::ofInteger(Wide value) {
  ExactNumber result;
  if (value == 0)
    return result;
  result.kind = Kind::Finite;
  result.negative = value < 0;
  result.mantissa = value < 0 ? -static_cast<UnsignedWide>(value)
                              : static_cast<UnsignedWide>(value);
  return result;
}

ExactNumber ExactNumber::decode(Bits bits, Format format) {
  ExactNumber result;
  result.negative = (bits & format.sign()) != 0;
  Bits magnitude = bits & ~format.sign();
  if (magnitude >= format.infinity()) {
    result.kind = magnitude > format.infinity() ? Kind::Nan : Kind::Infinity;
    return result;
  }
  if (magnitude == 0)
    return result;
  result.kind = Kind::Finite;
  const Bits hidden = Bits(1) << (format.precision - 1);
  Bits field = magnitude / hidden;
  result.mantissa = field == 0 ? magnitude : magnitude % hidden + hidden;
  result.exponent = (field == 0 ? 1 : static_cast<int>(field)) - format.bias() -
                    (format.precision - 1);
  return result;
}

/// Returns true if the bits below the last one that is kept round a number's
/// magnitude up.
static bool roundsUp(bool negative, bool isOdd, bool atHalf, bool below,
                     Round round) {
  switch (round) {
  case Round::NearestEven:
    return atHalf && (below || isOdd);
  case Round::Zero:
    return false;
  case Round::Down:
    return negative && (atHalf || below);
  case Round::Up:
    return !negative && (atHalf || below);
  }
  return false;
}

/// The mantissa in units of 2^quantum, rounded.
static UnsignedWide roundedTo(const ExactNumber &a, int quantum, Round round) {
  UnsignedWide kept = a.mantissa;
  bool below = a.inexact;
  if (quantum <= a.exponent)
    return kept << (a.exponent - quantum);
  shiftRight(kept, below, quantum - a.exponent - 1);
  bool atHalf = (kept & 1) != 0;
  kept >>= 1;
  return kept + roundsUp(a.negative, (kept & 1) != 0, atHalf, below, round);
}

Bits ExactNumber::encode(Format format, Round round) const {
  const Bits signBit = negative ? format.sign() : 0;
  switch (kind) {
  case Kind::Nan:
    return format.quietNan();
  case Kind::Infinity:
    return signBit | format.infinity();
  case Kind::Zero:
    return signBit;
  case Kind::Finite:
    break;
  }
  const int last = format.precision - 1;
  int power = exponent + highestBit(mantissa);
  int quantum = std::max(power, format.minExponent()) - last;
  auto kept = static_cast<Bits>(roundedTo(*this, quantum, round));
  // A carry out of the significand counts the exponent up by itself; without
  // the hidden bit the number is subnormal and the exponent's field is zero.
  Bits field = static_cast<Bits>(quantum + last + format.bias() - 1);
  Bits magnitude = kept + (field << last);
  if (magnitude >= format.infinity()) {
    bool toInfinity = round == Round::NearestEven ||
                      (round == Round::Up && !negative) ||
                      (round == Round::Down && negative);
    magnitude = toInfinity ? format.infinity() : format.infinity() - 1;
  }
  return signBit | magnitude;
}

ExactNumber ExactNumber::toInteger(Round round) const {
  if (kind != Kind::Finite || exponent >= 0)
    return *this;
  ExactNumber result = *this;
  result.mantissa = roundedTo(*this, 0, round);
  result.exponent = 0;
  result.inexact = false;
  if (result.mantissa == 0)
    result.kind = Kind::Zero;
  return result;
}

Wide ExactNumber::clamp(Wide least, Wide greatest) const {
  if (kind == Kind::Zero)
    return 0;
  if (kind == Kind::Infinity || exponent + highestBit(mantissa) > 100)
    return negative ? least : greatest;
  auto magnitude = static_cast<Wide>(exponent >= 0 ? mantissa << exponent
                                                   : mantissa >> -exponent);
  Wide value = negative ? -magnitude : magnitude;
  return value < least ? least : value > greatest ? greatest : value;
}

ExactNumber ExactNumber::operator-() const {
  ExactNumber result = *this;
  result.negative = !negative;
  return result;
}

ExactNumber tc::isa::operator+(const ExactNumber &a, const ExactNumber &b) {
  if (a.isNan() || b.isNan())
    return ExactNumber::nan();
  if (a.kind == Kind::Infinity || b.kind == Kind::Infinity) {
    if (a.kind == b.kind && a.negative != b.negative)
      return ExactNumber::nan();
    return a.kind == Kind::Infinity ? a : b;
  }
  if (a.kind == Kind::Zero && b.kind == Kind::Zero) {
    ExactNumber zero;
    zero.negative = a.negative && b.negative;
    return zero;
  }
  if (a.kind == Kind::Zero || b.kind == Kind::Zero)
    return a.kind == Kind::Zero ? b : a;

  ExactNumber large = normalized(a), small = normalized(b);
  if (large.exponent < small.exponent)
    std::swap(large, small);
  shiftRight(small.mantissa, small.inexact, large.exponent - small.exponent);
  ExactNumber sum = large;
  sum.inexact = small.inexact;
  if (large.negative == small.negative) {
    sum.mantissa = large.mantissa + small.mantissa;
    return sum;
  }
  if (large.mantissa == small.mantissa && !small.inexact)
    return ExactNumber();
  if (large.mantissa < small.mantissa) {
    std::swap(large, small);
    sum.negative = large.negative;
  }
  sum.mantissa = large.mantissa - small.mantissa - (sum.inexact ? 1 : 0);
  return sum;
}

ExactNumber tc::isa::operator*(const ExactNumber &a, const ExactNumber &b) {
  bool isUndefined = (a.kind == Kind::Zero && b.kind == Kind::Infinity) ||
                     (a.kind == Kind::Infinity && b.kind == Kind::Zero);
  if (a.isNan() || b.isNan() || isUndefined)
    return ExactNumber::nan();
  ExactNumber product;
  product.negative = a.negative != b.negative;
  if (a.kind == Kind::Infinity || b.kind == Kind::Infinity) {
    product.kind = Kind::Infinity;
  } else if (a.kind == Kind::Finite && b.kind == Kind::Finite) {
    product.kind = Kind::Finite;
    product.mantissa = a.mantissa * b.mantissa;
    product.exponent = a.exponent + b.exponent;
  }
  return product;
}

ExactNumber tc::isa::operator/(const ExactNumber &a, const ExactNumber &b) {
  bool isUndefined = a.kind == b.kind && a.kind != Kind::Finite;
  if (a.isNan() || b.isNan() || isUndefined)
    return ExactNumber::nan();
  ExactNumber quotient;
  quotient.negative = a.negative != b.negative;
  if (a.kind == Kind::Infinity || b.kind == Kind::Zero) {
    quotient.kind = Kind::Infinity;
  } else if (a.kind == Kind::Finite && b.kind == Kind::Finite) {
    // Mantissas of formats have at most 53 bits, so that the quotient has at
    // least 70.
    ExactNumber dividend = normalized(a);
    quotient.kind = Kind::Finite;
    quotient.mantissa = dividend.mantissa / b.mantissa;
    quotient.inexact = dividend.mantissa % b.mantissa != 0;
    quotient.exponent = dividend.exponent - b.exponent;
  }
  return quotient;
}

ExactNumber tc::isa::squareRoot(const ExactNumber &a) {
  if (a.isNan() || (a.negative && a.kind != Kind::Zero))
    return ExactNumber::nan();
  if (a.kind != Kind::Finite)
    return a;
  ExactNumber square = normalized(a);
  if (square.exponent % 2 != 0) {
    square.mantissa <<= 1;
    square.exponent -= 1;
  }
  ExactNumber root;
  root.kind = Kind::Finite;
  for (int bit = 62; bit >= 0; --bit) {
    UnsignedWide candidate = root.mantissa | UnsignedWide(1) << bit;
    if (candidate * candidate <= square.mantissa)
      root.mantissa = candidate;
  }
  root.inexact = root.mantissa * root.mantissa != square.mantissa;
  root.exponent = square.exponent / 2;
  return root;
}

int tc::isa::order(const ExactNumber &a, const ExactNumber &b) {
  if (a.kind == Kind::Infinity && b.kind == Kind::Infinity)
    return a.negative == b.negative ? 0 : a.negative ? -1 : 1;
  ExactNumber difference = a + -b;
  if (difference.kind == Kind::Zero)
    return 0;
  return difference.negative ? -1 : 1;
}

Bits tc::isa::flush(Bits bits, Format format) {
  return format.isSubnormal(bits) ? bits & format.sign() : bits;
}

long double tc::isa::toReal(Bits bits, Format format) {
  ExactNumber number = ExactNumber::decode(bits, format);
  using Limits = std::numeric_limits<long double>;
  long double magnitude =
      number.kind == Kind::Nan ? Limits::quiet_NaN()
      : number.kind == Kind::Infinity
          ? Limits::infinity()
          : std::ldexp(static_cast<long double>(number.mantissa),
                       number.exponent);
  return number.negative ? -magnitude : magnitude;
}
