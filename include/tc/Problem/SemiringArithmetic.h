//===- SemiringArithmetic.h - Numbers in a semiring -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products and combinations of two numbers, computed here and now.
//
//===----------------------------------------------------------------------===//

#ifndef TC_PROBLEM_SEMIRINGARITHMETIC_H
#define TC_PROBLEM_SEMIRINGARITHMETIC_H

#include "tc/Problem/Semiring.h"

#include <algorithm>
#include <type_traits>

namespace tc::model {

/// The type in which sums and products of a type are computed: of integers,
/// which wrap around, the unsigned one.
template <typename T, bool = std::is_integral_v<T>> struct Wrapping {
  using Type = T;
};
template <typename T> struct Wrapping<T, true> {
  using Type = std::make_unsigned_t<T>;
};

/// The product of two numbers, maybe complex, of a semiring that applies to
/// their type.
template <typename T> T multiply(Semiring semiring, T x, T y) {
  using Wide = typename Wrapping<T>::Type;
  switch (productOf(semiring)) {
  case Product::Multiply:
    return static_cast<T>(static_cast<Wide>(x) * static_cast<Wide>(y));
  case Product::Add:
    return static_cast<T>(static_cast<Wide>(x) + static_cast<Wide>(y));
  case Product::Max:
    if constexpr (std::is_arithmetic_v<T>)
      return std::max(x, y);
    break;
  case Product::Min:
    if constexpr (std::is_arithmetic_v<T>)
      return std::min(x, y);
    break;
  case Product::And:
    if constexpr (std::is_integral_v<T>)
      return x & y;
  }
  return x;
}

/// Operation in place of their sum.
template <typename T> T combine(Semiring semiring, T x, T y) {
  using Wide = typename Wrapping<T>::Type;
  switch (combineOf(semiring)) {
  case Combine::Add:
    return static_cast<T>(static_cast<Wide>(x) + static_cast<Wide>(y));
  case Combine::Max:
    return std::max(x, y);
  case Combine::Min:
    return std::min(x, y);
  case Combine::Or:
    if constexpr (std::is_integral_v<T>)
      return x | y;
    break;
  case Combine::Xor:
    if constexpr (std::is_integral_v<T>)
      return x ^ y;
  }
  return x;
}

} // namespace tc::model

#endif // TC_PROBLEM_SEMIRINGARITHMETIC_H
