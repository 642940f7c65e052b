//===- Constants.h - Numbers that users write -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Factors, identities and numbers in expressions, from the text that has them
// to the type that they are computed with in. What a type cannot hold is an
// error, which has one wording wherever the constant comes from.
//
//===----------------------------------------------------------------------===//

#ifndef TC_PROBLEM_CONSTANTS_H
#define TC_PROBLEM_CONSTANTS_H

#include "tc/Problem/Contraction.h"

#include <complex>

namespace tc::model {

/// A number as it was written, before it has a type: an integer of 64 bits
/// exactly, another one as the nearest double, or two for a complex one.
class Constant {
public:
  /// A double that is an integer is exactly that.
  Constant(double real = 0, double imaginary = 0)
      : Constant(std::complex<double>(real, imaginary)) {}
  Constant(std::complex<double> number);
  static Constant ofInteger(int64_t integer);
  /// A decimal text without a sign, whose double is known; an integer if and
  /// only if the text is one.
  static Constant ofDecimal(std::string_view text, bool isNegative,
                            double number);

  /// The nearest doubles.
  std::complex<double> value() const { return number; }
  double real() const { return number.real(); }
  double imag() const { return number.imag(); }
  /// None of what is no integer of 64 bits.
  std::optional<int64_t> integer() const { return exact; }

  friend bool operator==(const Constant &a, const Constant &b) {
    return a.exact && b.exact ? a.exact == b.exact : a.number == b.number;
  }
  friend bool operator!=(const Constant &a, const Constant &b) {
    return !(a == b);
  }

private:
  std::complex<double> number;
  std::optional<int64_t> exact;
};

/// Takes a decimal number without a sign, as "1.5e-3", from the beginning of a
/// text. None, and nothing is taken, if there is none or if it is beyond all
/// doubles; one that is nearer to zero than all of them is zero.
std::optional<Constant> takeConstant(std::string_view &text,
                                     bool isNegative = false);

/// Reads a whole text as a finite number: "1.5", "-2i", "1.5-2i" or "1e-3+1i".
std::optional<Constant> parseConstant(std::string_view text);

/// The constant as text: an integer as such, another real number as the
/// shortest one that is read as the same double.
std::string stringify(const Constant &constant);

/// Fails if numbers of a type that sums have do not include a constant, as
/// "'1.5' is no i32", "'1e+40' is too large for f32" or "'1+2i' is complex,
/// which no f32 is": callers say where it stands.
/// Floating-point types round what is within their range. NaN and infinities
/// are floating-point numbers.
Status checkConstant(const Constant &constant, ElementType type);

/// The same for the identity of what combines sums, which may not be NaN, but
/// infinite in integers, too: there that is an end of their range.
Status checkIdentity(const Constant &identity, ElementType type);

/// The integer of a type that a constant is which one of these has passed.
int64_t integerOf(const Constant &constant, ElementType type);

} // namespace tc::model

#endif // TC_PROBLEM_CONSTANTS_H
