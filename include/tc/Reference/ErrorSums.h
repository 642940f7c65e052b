//===- ErrorSums.h - Distances of results from expected ones ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Common parts of all comparisons of results: norms that neither overflow nor
// underflow, and infinities and NaNs, which are due or wrong.
//
//===----------------------------------------------------------------------===//

#ifndef TC_REFERENCE_ERRORSUMS_H
#define TC_REFERENCE_ERRORSUMS_H

#include "tc/Problem/Contraction.h"

namespace tc::runtime {

/// The root of a sum of squares. The squares are of numbers that are scaled, as
/// in LAPACK's dlassq, so that neither large nor small ones are lost.
class Norm {
public:
  void add(long double number);
  void operator+=(const Norm &other);
  long double value() const;

private:
  void addScaled(long double itsScale, long double itsSquares);

  /// The norm is scale * sqrt(squares).
  long double scale = 0, squares = 0;
};

/// The least number of a floating-point type that is not subnormal, beside
/// which rounding is relative; zero of integers.
long double leastNormal(model::ElementType type);

/// The largest number of a floating-point type.
long double largestFinite(model::ElementType type);

/// Value of a number as one of that type; 8-bit floats saturate.
long double storedAs(model::ElementType type, long double number);

/// Distance of a stored number from the value that is due. A NaN is due where
/// the value is one, an infinity where the value rounds to it: what is due is
/// off by nothing, another number by infinity. An infinity in place of a finite
/// value is as far off as the least number that rounds to it.
long double errorOf(long double actual, long double value,
                    model::ElementType type);

/// True if both numbers are finite, or infinities of one sign, or NaNs, as
/// numbers of that type.
bool areOfOneKind(long double x, long double y, model::ElementType type);

/// Sums over the elements that are compared.
class ErrorSums {
public:
  /// @param error      how far the element is off, by `errorOf`
  /// @param value      what is due
  /// @param magnitude  what its rounding errors are measured by
  /// @param rounding   what storing it may change
  void add(long double error, long double value, long double magnitude,
           long double rounding);
  void operator+=(const ErrorSums &other);

  /// The norm of the errors beside that of what is due, and its bound. Where
  /// all that is due is zero, or next to nothing beside the magnitudes, a small
  /// part of the norm of these takes its place.
  double relativeError() const;
  double tolerance(double bound) const;

private:
  long double size() const;

  Norm errors, values, magnitudes, roundings;
};

/// The error of an element beside its magnitude, less what rounding explains.
/// A NaN is infinite, as is any error of what has no magnitude.
double relativeErrorOf(long double error, long double magnitude,
                       long double rounding);

} // namespace tc::runtime

#endif // TC_REFERENCE_ERRORSUMS_H
