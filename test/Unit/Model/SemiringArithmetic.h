//===- SemiringArithmetic.h - The operations of semirings -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operations of a semiring, written down a second time for tests.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_UNIT_MODEL_SEMIRINGARITHMETIC_H
#define TC_TEST_UNIT_MODEL_SEMIRINGARITHMETIC_H

#include "tc/Model/Semiring.h"

#include <algorithm>
#include <type_traits>

namespace tc::model::test {

template <typename Number>
Number multiply(Semiring semiring, Number x, Number y) {
  switch (productOf(semiring)) {
  case Product::Multiply:
    return x * y;
  case Product::Add:
    return x + y;
  case Product::Max:
    return std::max(x, y);
  case Product::Min:
    return std::min(x, y);
  case Product::And:
    if constexpr (std::is_integral_v<Number>)
      return x & y;
    break;
  }
  return 0;
}

template <typename Number>
Number combine(Semiring semiring, Number x, Number y) {
  switch (combineOf(semiring)) {
  case Combine::Add:
    return x + y;
  case Combine::Max:
    return std::max(x, y);
  case Combine::Min:
    return std::min(x, y);
  case Combine::Or:
    if constexpr (std::is_integral_v<Number>)
      return x | y;
    break;
  case Combine::Xor:
    if constexpr (std::is_integral_v<Number>)
      return x ^ y;
    break;
  }
  return 0;
}

} // namespace tc::model::test

#endif // TC_TEST_UNIT_MODEL_SEMIRINGARITHMETIC_H
