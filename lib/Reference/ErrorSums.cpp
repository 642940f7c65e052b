//===- ErrorSums.cpp - Distances of results from expected ones --*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Reference/ErrorSums.h"

#include "tc/Buffers/HostTensor.h"
#include "tc/Reference/Check.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace tc;
using namespace tc::runtime;

static constexpr long double infinity =
    std::numeric_limits<long double>::infinity();

//===----------------------------------------------------------------------===//
// Norms
//===----------------------------------------------------------------------===//

void Norm::addScaled(long double itsScale, long double itsSquares) {
  if (itsScale == 0)
    return;
  if (!std::isfinite(itsScale) || !std::isfinite(scale)) {
    // A NaN is kept, and so is an infinity: the quotient of two would be a NaN.
    scale += itsScale;
    squares = 1;
    return;
  }
  if (scale < itsScale) {
    std::swap(scale, itsScale);
    std::swap(squares, itsSquares);
  }
  long double ratio = itsScale / scale;
  squares += itsSquares * ratio * ratio;
}

void Norm::add(long double number) { addScaled(std::fabs(number), 1); }

void Norm::operator+=(const Norm &other) {
  addScaled(other.scale, other.squares);
}

long double Norm::value() const { return scale * std::sqrt(squares); }

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

long double tc::runtime::leastNormal(model::ElementType type) {
  if (model::isInteger(type))
    return 0;
  return std::ldexp(1.0L, model::minExponent(type));
}

long double tc::runtime::largestFinite(model::ElementType type) {
  return dispatch(type, [&](auto zero) -> long double {
    using T = decltype(zero);
    if constexpr (sizeof(T) == 1 && !std::is_integral_v<T>)
      return T::largest();
    // All bits of the fraction.
    int fraction = model::fractionBits(type);
    return std::ldexp(2 - std::ldexp(1.0L, -fraction),
                      1 - model::minExponent(type));
  });
}

long double tc::runtime::storedAs(model::ElementType type, long double number) {
  return dispatch(type, [&](auto zero) -> long double {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T>)
      return number;
    else
      return static_cast<long double>(
          static_cast<T>(static_cast<double>(clampToRange(type, number))));
  });
}

/// The least number that rounds to infinity: half a step above the largest.
static long double leastOverflow(model::ElementType type) {
  return dispatch(type, [&](auto zero) -> long double {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, double> || std::is_same_v<T, float> ||
                  std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>) {
      // All bits of the fraction, and one more.
      return std::ldexp(2 - std::ldexp(1.0L, -model::fractionBits(type) - 1),
                        1 - model::minExponent(type));
    }
    return infinity;
  });
}

bool tc::runtime::areOfOneKind(long double x, long double y,
                               model::ElementType type) {
  long double first = storedAs(type, x), second = storedAs(type, y);
  if (std::isfinite(first) || std::isfinite(second))
    return std::isfinite(first) && std::isfinite(second);
  return first == second || (std::isnan(first) && std::isnan(second));
}

long double tc::runtime::errorOf(long double actual, long double value,
                                 model::ElementType type) {
  if (model::isInteger(type))
    return std::fabs(actual - value);
  long double stored = storedAs(type, value);
  if (actual == stored && std::isinf(actual))
    return 0;
  if (std::isnan(value))
    return std::isnan(actual) ? 0 : infinity;
  if (std::isinf(value) || std::isnan(actual))
    return infinity;
  if (std::isinf(actual))
    return std::fabs(std::copysign(leastOverflow(type), actual) - value);
  return std::fabs(actual - value);
}

double tc::runtime::relativeErrorOf(long double error, long double magnitude,
                                    long double rounding) {
  long double size = error - rounding;
  if (size <= 0)
    return 0;
  // Integers have no magnitude: any error is infinite.
  auto relative = static_cast<double>(size / magnitude);
  // A NaN is the worst error there is, though it compares with nothing.
  return std::isnan(relative) ? std::numeric_limits<double>::infinity()
                              : relative;
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

void ErrorSums::add(long double error, long double value, long double magnitude,
                    long double rounding) {
  errors.add(error);
  // Infinities and NaNs are exact, and would hide all others' errors.
  if (!std::isfinite(value) || !std::isfinite(magnitude) ||
      !std::isfinite(rounding))
    return;
  values.add(value);
  magnitudes.add(magnitude);
  roundings.add(rounding);
}

void ErrorSums::operator+=(const ErrorSums &other) {
  errors += other.errors;
  values += other.values;
  magnitudes += other.magnitudes;
  roundings += other.roundings;
}

long double ErrorSums::size() const {
  // Beside it, bounds and errors are numbers that a double holds.
  constexpr long double leastPart = 1e-200L;
  return std::max(values.value(),
                  leastPart * (magnitudes.value() + roundings.value()));
}

double ErrorSums::relativeError() const {
  long double error = errors.value();
  return error == 0 ? 0 : static_cast<double>(error / size());
}

double ErrorSums::tolerance(double bound) const {
  long double all = size();
  if (all == 0)
    return bound;
  return static_cast<double>(bound * std::max(1.0L, magnitudes.value() / all) +
                             roundings.value() / all);
}
