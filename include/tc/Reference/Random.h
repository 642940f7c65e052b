//===- Random.h - Random numbers by position --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Philox-4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel Random Numbers: As
// Easy as 1, 2, 3", SC 2011). A number follows from seed, stream and position
// alone, so that any thread can make any part of a tensor, and make it again.
//
//===----------------------------------------------------------------------===//

#ifndef TC_REFERENCE_RANDOM_H
#define TC_REFERENCE_RANDOM_H

#include "tc/Reference/NarrowFloat.h"

#include <array>
#include <cstdint>

namespace tc::runtime {

/// Ten rounds of Philox-4x32.
inline std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter,
                                      std::array<uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    uint64_t product0 = uint64_t(0xD2511F53) * counter[0];
    uint64_t product1 = uint64_t(0xCD9E8D57) * counter[2];
    counter = {static_cast<uint32_t>(product1 >> 32) ^ counter[1] ^ key[0],
               static_cast<uint32_t>(product1),
               static_cast<uint32_t>(product0 >> 32) ^ counter[3] ^ key[1],
               static_cast<uint32_t>(product0)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

/// One stream of random numbers.
class Random {
public:
  Random(uint64_t seed, uint32_t stream)
      : key{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)},
        stream(stream) {}

  /// 64 random bits.
  uint64_t bits(uint64_t position) const {
    std::array<uint32_t, 4> words = block(position / 2);
    unsigned half = position % 2 * 2;
    return uint64_t(words[half]) << 32 | words[half + 1];
  }

  /// Any integer of an integer type, all equally likely, or a number in
  /// [-1, 1), every multiple of 2^-52 (double), 2^-23 (float),
  /// 2^-10 (Float16) or 2^-7 (BFloat16) equally likely, all of which the type
  /// holds; of 8 bits, any number in (-1, 1).
  template <typename T> T uniform(uint64_t position) const {
    return uniformOf<T>(bits(position));
  }

  /// Sets elements[p] to uniform<T>(p), for all p from `begin` to before `end`.
  template <typename T>
  void fill(T *elements, uint64_t begin, uint64_t end) const {
    uint64_t position = begin;
    if (position % 2 != 0 && position < end) {
      elements[position] = uniform<T>(position);
      ++position;
    }
    // Two positions share the rounds that their bits take.
    for (; position + 1 < end; position += 2) {
      std::array<uint32_t, 4> words = block(position / 2);
      elements[position] = uniformOf<T>(uint64_t(words[0]) << 32 | words[1]);
      elements[position + 1] =
          uniformOf<T>(uint64_t(words[2]) << 32 | words[3]);
    }
    if (position < end)
      elements[position] = uniform<T>(position);
  }

private:
  /// The number that these random bits make.
  template <typename T> static T uniformOf(uint64_t bits);

  template <typename T> static T anyBelowOne(uint64_t number) {
    auto magnitude = static_cast<uint8_t>((number >> 32) % T::countBelowOne());
    return T::ofBits(static_cast<uint8_t>(magnitude | (number & 1) << 7));
  }

  std::array<uint32_t, 4> block(uint64_t number) const {
    return philox({static_cast<uint32_t>(number),
                   static_cast<uint32_t>(number >> 32), stream, 0},
                  key);
  }

  std::array<uint32_t, 2> key;
  uint32_t stream;
};

template <> inline double Random::uniformOf<double>(uint64_t bits) {
  return static_cast<double>(bits >> 11) * 0x1p-52 - 1;
}

template <> inline float Random::uniformOf<float>(uint64_t bits) {
  return static_cast<float>(bits >> 40) * 0x1p-23f - 1;
}

template <> inline Float16 Random::uniformOf<Float16>(uint64_t bits) {
  return Float16(static_cast<double>(bits >> 53) * 0x1p-10 - 1);
}

template <> inline BFloat16 Random::uniformOf<BFloat16>(uint64_t bits) {
  return BFloat16(static_cast<double>(bits >> 56) * 0x1p-7 - 1);
}

template <> inline Float8E4M3FN Random::uniformOf<Float8E4M3FN>(uint64_t bits) {
  return anyBelowOne<Float8E4M3FN>(bits);
}

template <> inline Float8E5M2 Random::uniformOf<Float8E5M2>(uint64_t bits) {
  return anyBelowOne<Float8E5M2>(bits);
}

template <> inline int8_t Random::uniformOf<int8_t>(uint64_t bits) {
  return static_cast<int8_t>(bits >> 56);
}

template <> inline int32_t Random::uniformOf<int32_t>(uint64_t bits) {
  return static_cast<int32_t>(bits >> 32);
}

template <> inline int64_t Random::uniformOf<int64_t>(uint64_t bits) {
  return static_cast<int64_t>(bits);
}

} // namespace tc::runtime

#endif // TC_REFERENCE_RANDOM_H
