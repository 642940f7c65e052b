//===- NarrowFormat.h - Narrow floating-point formats -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Formats of 16 and 8 bits by their definitions: a value is computed from its
// fields, and rounding looks for the nearest of all values.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_INSTRUCTIONTESTS_NARROWFORMAT_H
#define TC_TEST_INSTRUCTIONTESTS_NARROWFORMAT_H

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace tc::isa {

class NarrowFormat {
public:
  NarrowFormat(int exponentBits, int fractionBits, bool hasInfinity)
      : exponentBits(exponentBits), fractionBits(fractionBits),
        hasInfinity(hasInfinity) {
    while (isFinite(static_cast<std::uint32_t>(magnitudes.size())))
      magnitudes.push_back(
          decode(static_cast<std::uint32_t>(magnitudes.size())));
  }

  std::uint32_t signBit() const { return 1u << (exponentBits + fractionBits); }
  std::uint32_t nan() const { return signBit() - 1; }
  std::uint32_t greatest() const {
    return static_cast<std::uint32_t>(magnitudes.size() - 1);
  }

  double decode(std::uint32_t bits) const {
    std::uint32_t magnitude = bits & (signBit() - 1);
    double sign = (bits & signBit()) != 0 ? -1 : 1;
    if (!isFinite(magnitude))
      return hasInfinity && magnitude == greatest() + 1
                 ? sign * std::numeric_limits<double>::infinity()
                 : std::numeric_limits<double>::quiet_NaN();
    int exponent = static_cast<int>(magnitude >> fractionBits);
    int fraction = static_cast<int>(magnitude & ((1u << fractionBits) - 1));
    int bias = (1 << (exponentBits - 1)) - 1;
    if (exponent == 0)
      return sign * std::ldexp(fraction, 1 - bias - fractionBits);
    return sign * std::ldexp(fraction + (1 << fractionBits),
                             exponent - bias - fractionBits);
  }

  /// To nearest, ties to even. A value that is too large becomes infinite, or
  /// the greatest value if the format has no infinity or `saturates`.
  std::uint32_t encode(double value, bool saturates = false) const {
    if (value != value)
      return nan();
    std::uint32_t sign = std::signbit(value) ? signBit() : 0;
    double size = std::fabs(value);
    // The value that would follow the greatest decides what is too large.
    double last = magnitudes.back();
    double step = last - magnitudes[magnitudes.size() - 2];
    if (size >= last) {
      bool isTooLarge = size >= last + step / 2;
      return sign |
             (greatest() + (isTooLarge && hasInfinity && !saturates ? 1 : 0));
    }
    auto above = std::upper_bound(magnitudes.begin(), magnitudes.end(), size);
    auto bits = static_cast<std::uint32_t>(above - magnitudes.begin());
    // Neighbours are exact in double precision, and so are the distances to
    // them of anything that is close to the middle.
    double up = *above - size, down = size - magnitudes[bits - 1];
    bool roundsDown = down < up || (down == up && bits % 2 == 1);
    return sign | (bits - (roundsDown ? 1 : 0));
  }

private:
  bool isFinite(std::uint32_t magnitude) const {
    return hasInfinity ? magnitude >> fractionBits != (1u << exponentBits) - 1
                       : magnitude != nan();
  }

  int exponentBits, fractionBits;
  bool hasInfinity;
  std::vector<double> magnitudes; ///< all that are finite, ascending
};

inline const NarrowFormat f16Format(5, 10, true);
inline const NarrowFormat bf16Format(8, 7, true);
inline const NarrowFormat e4m3Format(4, 3, false);
inline const NarrowFormat e5m2Format(5, 2, true);

} // namespace tc::isa

#endif // TC_TEST_INSTRUCTIONTESTS_NARROWFORMAT_H
