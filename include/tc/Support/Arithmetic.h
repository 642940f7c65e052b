//===- Arithmetic.h - Integer arithmetic without surprises ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products of extents may exceed 64 bits. These functions stick at the largest
// value instead of wrapping, so that comparing the result with a limit is
// right.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_ARITHMETIC_H
#define TC_SUPPORT_ARITHMETIC_H

#include <cstdint>
#include <limits>

namespace tc {

inline constexpr int64_t saturated = std::numeric_limits<int64_t>::max();

/// The product of two non-negative numbers, or `saturated`.
inline int64_t saturatingMultiply(int64_t a, int64_t b) {
  int64_t product;
  return __builtin_mul_overflow(a, b, &product) ? saturated : product;
}

/// The sum of two non-negative numbers, or `saturated`.
inline int64_t saturatingAdd(int64_t a, int64_t b) {
  int64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? saturated : sum;
}

inline constexpr bool isPowerOfTwo(int64_t number) {
  return number > 0 && (number & (number - 1)) == 0;
}

/// Returns true if a positive number divides another. Powers of two take no
/// division.
inline bool isMultipleOf(int64_t number, int64_t divisor) {
  return isPowerOfTwo(divisor) ? (number & (divisor - 1)) == 0
                               : number % divisor == 0;
}

/// `a / b` rounded up, for a >= 0 and b > 0.
inline int64_t ceilDivide(int64_t a, int64_t b) {
  return a / b + (a % b != 0 ? 1 : 0);
}

/// The least multiple of `b` that is at least `a`, or `saturated`.
inline int64_t roundUp(int64_t a, int64_t b) {
  return saturatingMultiply(ceilDivide(a, b), b);
}

/// |a|, or `saturated` for the number that has no opposite.
inline int64_t magnitude(int64_t a) {
  if (a == std::numeric_limits<int64_t>::min())
    return saturated;
  return a < 0 ? -a : a;
}

} // namespace tc

#endif // TC_SUPPORT_ARITHMETIC_H
