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

#ifndef TC_BUFFERS_RANDOM_H
#define TC_BUFFERS_RANDOM_H

#include "tc/Buffers/NarrowFloat.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace tc::runtime {

inline constexpr int philoxRounds = 10;

/// One round of Philox-4x32 on the words of a counter, and what makes the key
/// of the next one. Words are in 64 bits, of which vectors multiply the lower
/// ones.
[[gnu::always_inline]] inline void
philoxRound(uint64_t &first, uint64_t &second, uint64_t &third,
            uint64_t &fourth, const std::array<uint32_t, 2> &key) {
  constexpr uint64_t word = 0xFFFFFFFF;
  uint64_t product0 = 0xD2511F53 * (first & word);
  uint64_t product1 = 0xCD9E8D57 * (third & word);
  first = product1 >> 32 ^ second ^ key[0];
  second = product1 & word;
  third = product0 >> 32 ^ fourth ^ key[1];
  fourth = product0 & word;
}
[[gnu::always_inline]] inline void bumpKey(std::array<uint32_t, 2> &key) {
  key[0] += 0x9E3779B9;
  key[1] += 0xBB67AE85;
}

/// Ten rounds of Philox-4x32.
inline std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter,
                                      std::array<uint32_t, 2> key) {
  std::array<uint64_t, 4> words;
  std::copy(counter.begin(), counter.end(), words.begin());
  for (int round = 0; round < philoxRounds; ++round) {
    philoxRound(words[0], words[1], words[2], words[3], key);
    bumpKey(key);
  }
  for (size_t i = 0; i < words.size(); ++i)
    counter[i] = static_cast<uint32_t>(words[i]);
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
    std::array<uint64_t, 2 * blocksAtOnce> numbers;
    for (; position < end; position += numbers.size()) {
      makeBits(position / 2, numbers);
      uint64_t count = std::min<uint64_t>(numbers.size(), end - position);
      for (uint64_t i = 0; i < count; ++i)
        elements[position + i] = uniformOf<T>(numbers[i]);
    }
  }

private:
  /// Two positions share the rounds that their bits take: a block.
  static constexpr size_t blocksAtOnce = 64;

  /// Sets `numbers` to the bits of consecutive positions, from the first one of
  /// that block on.
  void makeBits(uint64_t block,
                std::array<uint64_t, 2 * blocksAtOnce> &numbers) const;

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

/// All numbers of a 16-bit float in [-1, 1) that are multiples of 1 over half
/// their count, ascending: converting takes longer than ten rounds of Philox.
template <typename T, size_t count> std::array<T, count> numbersOf() {
  std::array<T, count> numbers;
  for (size_t i = 0; i < count; ++i)
    numbers[i] = T(static_cast<double>(i) * 2 / count - 1);
  return numbers;
}

template <> inline Float16 Random::uniformOf<Float16>(uint64_t bits) {
  static const auto numbers = numbersOf<Float16, 2048>();
  return numbers[bits >> 53];
}

template <> inline BFloat16 Random::uniformOf<BFloat16>(uint64_t bits) {
  static const auto numbers = numbersOf<BFloat16, 256>();
  return numbers[bits >> 56];
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

#endif // TC_BUFFERS_RANDOM_H
