//===- DataMovement.cpp - Data movement of tiled loops --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The innermost-tiling-loop rule, walked from the tile outwards.
//
//===----------------------------------------------------------------------===//

#include "tc/Hierarchy/DataMovement.h"

#include <algorithm>
#include <cmath>

namespace tc::model {

bool fits(const MemoryLevel &level, const PerTensor<double> &bytes) {
  if (level.capacityBytes == 0)
    return true;
  auto capacity = static_cast<double>(level.capacityBytes);
  double inputs = bytes[Tensor::A] + bytes[Tensor::B];
  if (inputs + bytes[Tensor::C] > capacity)
    return false;
  if (level.ways == 0)
    return true;
  double wayBytes = capacity / static_cast<double>(level.ways);
  return std::ceil(inputs / wayBytes) +
             std::ceil(bytes[Tensor::C] / wayBytes) <=
         static_cast<double>(level.ways);
}

int64_t
largestThatFits(const MemoryLevel &level, int64_t least, int64_t most,
                const std::function<PerTensor<double>(int64_t)> &bytesOf) {
  // All up to `fitting` fit; none beyond `most` does.
  int64_t fitting = least;
  while (fitting < most) {
    int64_t middle = fitting + (most - fitting + 1) / 2;
    if (fits(level, bytesOf(middle)))
      fitting = middle;
    else
      most = middle - 1;
  }
  return fitting;
}

double countVisits(const TilingLoops &loops, Tensor tensor,
                   const MemoryLevel &level) {
  double visits = 1;
  bool moved = false;
  for (const TilingLoop &loop : loops) {
    if (loop.trips <= 1)
      continue;
    if (loop.moves[tensor])
      moved = true;
    else if (!fits(level, (moved ? loop : loops.front()).touched))
      visits *= loop.trips;
  }
  return visits;
}

double secondsToFetch(const Hierarchy &hierarchy, const TilingLoops &loops,
                      Tensor tensor, double bytes, unsigned home) {
  if (home <= 1)
    return 0;
  double seconds = 0;
  double visits = countVisits(loops, tensor, hierarchy[1]);
  for (unsigned level = 2; level < home; ++level) {
    double further =
        std::min(visits, countVisits(loops, tensor, hierarchy[level]));
    seconds += (visits - further) * bytes / hierarchy[level].bytesPerSecond;
    visits = further;
  }
  return seconds + visits * bytes / hierarchy[home].bytesPerSecond;
}

} // namespace tc::model
