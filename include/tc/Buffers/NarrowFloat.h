//===- NarrowFloat.h - Floating point in 8 and 16 bits ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The elements of tensors in half precision and less, as they lie in memory.
// The format is that of IEEE 754: sign, biased exponent, fraction; the greatest
// exponent is that of infinities and NaNs, or, of a format without infinities,
// that of the largest numbers, and its last pattern is NaN.
//
//===----------------------------------------------------------------------===//

#ifndef TC_BUFFERS_NARROWFLOAT_H
#define TC_BUFFERS_NARROWFLOAT_H

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace tc::runtime {

template <int exponentBits, int fractionBits, bool hasInfinity = true>
class NarrowFloat {
  static constexpr int width = 1 + exponentBits + fractionBits;
  static_assert(width == 8 || width == 16);

public:
  using Bits = std::conditional_t<width == 8, uint8_t, uint16_t>;

  NarrowFloat() = default;

  /// Rounds to the nearest, ties to even; a number that is too large becomes
  /// infinite or, of 8 bits, the largest number.
  explicit NarrowFloat(double value)
      : NarrowFloat(value, /*saturates=*/width == 8) {}

  /// The same, where a number that is too large becomes the largest number if
  /// rounding saturates, and else infinite or, without infinities, NaN.
  NarrowFloat(double value, bool saturates)
      : bits(static_cast<Bits>(
            (std::signbit(value) ? signBit : 0) |
            magnitudeOf(std::fabs(value),
                        saturates ? greatest : greatest + 1))) {}

  static NarrowFloat ofBits(Bits bits) {
    NarrowFloat result;
    result.bits = bits;
    return result;
  }
  static float largest() { return ofMagnitude(greatest); }
  /// The count of the numbers, from zero on, that are less than one.
  static constexpr uint32_t countBelowOne() { return bias << fractionBits; }

  /// The same value, exactly.
  operator float() const {
    float value = ofMagnitude(bits & (signBit - 1));
    return bits & signBit ? -value : value;
  }

private:
  static constexpr int bias = (1 << (exponentBits - 1)) - 1;
  static constexpr uint32_t signBit = 1u << (width - 1);
  static constexpr uint32_t infinity = signBit - (1u << fractionBits);
  static constexpr uint32_t greatest =
      (hasInfinity ? infinity : signBit - 1) - 1;
  static constexpr uint32_t notANumber =
      hasInfinity ? infinity | 1u << (fractionBits - 1) : signBit - 1;

  static float floatOf(uint32_t bits) {
    float value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
  }

  static float ofMagnitude(uint32_t magnitude) {
    uint32_t fields = magnitude << (23 - fractionBits);
    if (magnitude > greatest)
      return floatOf(fields | 0x7F80'0000u);
    // The same fields in a float mean a value that is smaller by a power of
    // two, subnormals included.
    return floatOf(fields) * floatOf(static_cast<uint32_t>(254 - bias) << 23);
  }

  /// Numbers that are too large become `overflow`.
  static uint32_t magnitudeOf(double size, uint32_t overflow) {
    if (std::isnan(size))
      return notANumber;
    constexpr int minExponent = 1 - bias;
    if (size >= std::ldexp(1.0, bias + 2))
      return overflow;
    int exponent =
        size == 0 ? minExponent : std::max(std::ilogb(size), minExponent);
    // Steps between neighbours. Where rounding reaches the next power of two,
    // the sum carries into the exponent.
    auto steps = static_cast<uint32_t>(
        std::nearbyint(std::ldexp(size, fractionBits - exponent)));
    uint32_t rounded =
        (static_cast<uint32_t>(exponent - minExponent) << fractionBits) + steps;
    return std::min(rounded, overflow);
  }

  Bits bits = 0;
};

using Float8E4M3FN = NarrowFloat<4, 3, /*hasInfinity=*/false>;
using Float8E5M2 = NarrowFloat<5, 2>;
using Float16 = NarrowFloat<5, 10>;
using BFloat16 = NarrowFloat<8, 7>;

/// The nearest number of another type; of an 8-bit float, a number that is too
/// large becomes the largest one if rounding saturates.
template <typename T, typename Number>
T roundedAs(Number value, [[maybe_unused]] bool saturates) {
  if constexpr (std::is_same_v<T, Float8E4M3FN> ||
                std::is_same_v<T, Float8E5M2>)
    return T(static_cast<double>(value), saturates);
  else
    return static_cast<T>(value);
}

} // namespace tc::runtime

#endif // TC_BUFFERS_NARROWFLOAT_H
