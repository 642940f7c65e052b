//===- NarrowFloat.h - Floating point in 16 bits ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The elements of tensors in half precision, as they lie in memory. The format
// is that of IEEE 754: sign, biased exponent, fraction; the greatest exponent
// is that of infinities and NaNs.
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNTIME_NARROWFLOAT_H
#define TC_RUNTIME_NARROWFLOAT_H

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace tc::runtime {

template <int exponentBits, int fractionBits> class NarrowFloat {
public:
  NarrowFloat() = default;

  /// Rounds to the nearest, ties to even; what is too large becomes infinite.
  explicit NarrowFloat(double value)
      : bits(static_cast<uint16_t>((std::signbit(value) ? signBit : 0) |
                                   magnitudeOf(std::fabs(value)))) {}

  /// The same value, exactly.
  operator float() const {
    uint32_t magnitude = bits & (signBit - 1);
    // The same fields in a float mean a value that is smaller by a power of
    // two, subnormals included.
    float value = floatOf(magnitude << (23 - fractionBits)) *
                  floatOf(static_cast<uint32_t>(254 - bias) << 23);
    if (magnitude >= infinity)
      value = floatOf(magnitude << (23 - fractionBits) | 0x7F80'0000u);
    return bits & signBit ? -value : value;
  }

private:
  static_assert(1 + exponentBits + fractionBits == 16);
  static constexpr int bias = (1 << (exponentBits - 1)) - 1;
  static constexpr uint32_t signBit = 0x8000;
  static constexpr uint32_t infinity = signBit - (1u << fractionBits);

  static float floatOf(uint32_t bits) {
    float value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
  }

  static uint32_t magnitudeOf(double size) {
    if (std::isnan(size))
      return infinity | 1u << (fractionBits - 1);
    constexpr int leastExponent = 1 - bias;
    if (size >= std::ldexp(1.0, bias + 1))
      return infinity;
    int exponent =
        size == 0 ? leastExponent : std::max(std::ilogb(size), leastExponent);
    // Steps between neighbours. Where rounding reaches the next power of two,
    // the sum carries into the exponent.
    auto steps = static_cast<uint32_t>(
        std::nearbyint(std::ldexp(size, fractionBits - exponent)));
    return (static_cast<uint32_t>(exponent - leastExponent) << fractionBits) +
           steps;
  }

  uint16_t bits = 0;
};

using Float16 = NarrowFloat<5, 10>;
using BFloat16 = NarrowFloat<8, 7>;

} // namespace tc::runtime

#endif // TC_RUNTIME_NARROWFLOAT_H
