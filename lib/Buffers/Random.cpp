//===- Random.cpp - Random numbers by position ----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Many blocks at once, in vectors: where chosen blocks of a full-size problem
// run, filling its tensors is most of the work.
//
//===----------------------------------------------------------------------===//

#include "tc/Buffers/Random.h"

using namespace tc::runtime;

/// Blocks whose rounds are computed side by side.
static constexpr size_t lanes = 16;

/// The bits of all positions of so many blocks from one on; see
/// `Random::makeBits`.
[[gnu::always_inline]] static inline void
makeBlocks(uint64_t block, size_t count, uint32_t stream,
           const std::array<uint32_t, 2> &streamKey, uint64_t *bits) {
  for (; count > 0; count -= lanes, block += lanes, bits += 2 * lanes) {
    uint64_t words[4][lanes];
    for (size_t lane = 0; lane < lanes; ++lane) {
      words[0][lane] = static_cast<uint32_t>(block + lane);
      words[1][lane] = (block + lane) >> 32;
      words[2][lane] = stream;
      words[3][lane] = 0;
    }
    std::array<uint32_t, 2> key = streamKey;
    for (int round = 0; round < philoxRounds; ++round) {
      for (size_t lane = 0; lane < lanes; ++lane)
        philoxRound(words[0][lane], words[1][lane], words[2][lane],
                    words[3][lane], key);
      bumpKey(key);
    }
    for (size_t lane = 0; lane < lanes; ++lane) {
      bits[2 * lane] = words[0][lane] << 32 | words[1][lane];
      bits[2 * lane + 1] = words[2][lane] << 32 | words[3][lane];
    }
  }
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] static void
makeBlocksAVX2(uint64_t block, size_t count, uint32_t stream,
               const std::array<uint32_t, 2> &key, uint64_t *bits) {
  makeBlocks(block, count, stream, key, bits);
}
#endif

void Random::makeBits(uint64_t block,
                      std::array<uint64_t, 2 * blocksAtOnce> &numbers) const {
  static_assert(blocksAtOnce % lanes == 0);
#if defined(__x86_64__)
  static const bool hasAVX2 = __builtin_cpu_supports("avx2");
  if (hasAVX2)
    return makeBlocksAVX2(block, blocksAtOnce, stream, key, numbers.data());
#endif
  makeBlocks(block, blocksAtOnce, stream, key, numbers.data());
}
