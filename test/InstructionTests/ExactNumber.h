//===- ExactNumber.h - Floating point by integers ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers as a sign, a mantissa of up to 128 bits and a power of two, with
// operations that are exact up to a bit that says whether anything was left
// out below. Rounding one of them to a format gives what IEEE 754 defines,
// without the host's floating-point unit.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_INSTRUCTIONTESTS_EXACTNUMBER_H
#define TC_TEST_INSTRUCTIONTESTS_EXACTNUMBER_H

#include "Instructions.h"

namespace tc::isa {

using Wide = __int128;
using UnsignedWide = unsigned __int128;

/// A binary format: bits of the significand with the leading one, and of the
/// exponent.
struct Format {
  int precision, exponentBits;
  int bias() const { return (1 << (exponentBits - 1)) - 1; }
  int minExponent() const { return 1 - bias(); }
  Bits infinity() const {
    return ((Bits(1) << exponentBits) - 1) << (precision - 1);
  }
  Bits quietNan() const { return infinity() | Bits(1) << (precision - 2); }
  Bits sign() const { return Bits(1) << (precision + exponentBits - 1); }
  bool isNan(Bits bits) const { return (bits & ~sign()) > infinity(); }
  bool isSubnormal(Bits bits) const {
    Bits magnitude = bits & ~sign();
    return magnitude != 0 && magnitude < Bits(1) << (precision - 1);
  }
};
inline constexpr Format binary16{11, 5}, bfloat16{8, 8}, binary32{24, 8},
    binary64{53, 11};
/// The format of an element of a floating-point type.
Format formatOf(Type type);

enum class Round { NearestEven, Zero, Down, Up };

struct ExactNumber {
  enum class Kind { Zero, Finite, Infinity, Nan };
  Kind kind = Kind::Zero;
  bool negative = false;
  /// The value is mantissa * 2^exponent, plus less than one 2^exponent if
  /// `inexact`.
  UnsignedWide mantissa = 0;
  int exponent = 0;
  bool inexact = false;

  static ExactNumber nan();
  static ExactNumber ofInteger(Wide value);
  static ExactNumber decode(Bits bits, Format format);
  Bits encode(Format format, Round round = Round::NearestEven) const;
  /// Rounded to an integer.
  ExactNumber toInteger(Round round) const;
  /// The nearest integer that the bounds allow; not for NaN.
  Wide clamp(Wide least, Wide greatest) const;

  bool isNan() const { return kind == Kind::Nan; }
  ExactNumber operator-() const;
};

ExactNumber operator+(const ExactNumber &a, const ExactNumber &b);
ExactNumber operator*(const ExactNumber &a, const ExactNumber &b);
ExactNumber operator/(const ExactNumber &a, const ExactNumber &b);
ExactNumber squareRoot(const ExactNumber &a);
/// Below zero, zero or above zero as a is less than, equal to or greater than
/// b; neither may be NaN.
int order(const ExactNumber &a, const ExactNumber &b);

/// The same bits with a subnormal number replaced by zero of its sign.
Bits flush(Bits bits, Format format);

/// The value of the bits as a number; exact for the formats up to double.
long double toReal(Bits bits, Format format);

} // namespace tc::isa

#endif // TC_TEST_INSTRUCTIONTESTS_EXACTNUMBER_H
