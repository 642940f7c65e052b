//===- TestNumbers.h - Numbers of all types for tests -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_UNIT_CPURUNTIME_TESTNUMBERS_H
#define TC_TEST_UNIT_CPURUNTIME_TESTNUMBERS_H

#include "tc/Buffers/HostTensor.h"

#include <cmath>
#include <complex>
#include <cstring>
#include <vector>

namespace tc::test {

using model::ElementType;
using Number = std::complex<long double>;

/// A number as a factor, in memory.
inline std::vector<std::byte> factorOf(Number number, ElementType type) {
  std::vector<std::byte> bytes(16);
  runtime::dispatch(type, [&](auto zero) {
    using T = decltype(zero);
    T parts[2] = {};
    if constexpr (std::is_arithmetic_v<T>) {
      parts[0] = static_cast<T>(number.real());
      parts[1] = static_cast<T>(number.imag());
    }
    std::memcpy(bytes.data(), parts, sizeof(parts));
  });
  return bytes;
}

/// The spacing of numbers of a floating-point type around one.
inline long double epsilonOf(ElementType type) {
  return std::ldexp(1.0L, -model::fractionBits(model::realTypeOf(type)));
}

/// The spacing of the smallest ones; none of integers.
inline long double leastOf(ElementType type) {
  ElementType real = model::realTypeOf(type);
  return std::ldexp(1.0L, model::minExponent(real) - model::fractionBits(real));
}

} // namespace tc::test

#endif // TC_TEST_UNIT_CPURUNTIME_TESTNUMBERS_H
