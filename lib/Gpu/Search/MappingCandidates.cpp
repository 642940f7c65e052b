//===- MappingCandidates.cpp - Ways to map tiles to blocks ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MappingCandidates.h"

#include "tc/Support/Arithmetic.h"

#include <algorithm>
#include <set>

namespace tc::model {

/// Most blocks that share the sum of one output tile: adding them up takes one
/// block a wait for each.
static constexpr int64_t maxParts = 256;
/// Waves that the blocks of persistent kernels are to fill, at the most.
static constexpr int64_t maxWaves = 4;
/// Tiles of a block, or parts of a sum, that may all be tried.
static constexpr int64_t fewMappings = 16;

std::vector<GridMapping> persistentMappings(const KernelLayout &layout,
                                            Stationary stationary,
                                            const Occupancy &occupancy,
                                            const Target &target, bool all) {
  int64_t places = occupancy.residentBlocks * target.multiprocessors;
  int64_t tiles = stationary == Stationary::A ? layout.gridN : layout.gridM;
  std::vector<GridMapping> mappings;
  auto add = [&](int64_t tilesPerBlock) {
    bool isKnown =
        !mappings.empty() && mappings.back().tilesPerBlock == tilesPerBlock;
    if (tilesPerBlock > 1 && tilesPerBlock <= tiles && !isKnown)
      mappings.push_back({0, stationary, tilesPerBlock, 1});
  };
  if (all && tiles <= fewMappings) {
    for (int64_t tilesPerBlock = 2; tilesPerBlock < tiles; ++tilesPerBlock)
      add(tilesPerBlock);
  } else {
    // Persistent blocks side by side, fewer tiles each in more waves.
    int64_t beside = layout.blocks / tiles;
    for (int64_t wave = maxWaves; wave >= 1; --wave)
      add(ceilDivide(tiles, std::max<int64_t>(1, wave * places / beside)));
  }
  add(tiles);
  return mappings;
}

std::vector<GridMapping> sharingMappings(const KernelLayout &layout,
                                         const Occupancy &occupancy,
                                         const Target &target, bool all) {
  int64_t tiles = tileCount(layout.k);
  std::set<int64_t> numbers;
  auto add = [&](int64_t parts) {
    parts = std::min({parts, tiles, maxParts});
    // As few as have no more tiles each.
    if (parts > 1)
      numbers.insert(ceilDivide(tiles, ceilDivide(tiles, parts)));
  };
  if (all && tiles <= fewMappings)
    for (int64_t parts = 2; parts <= tiles; ++parts)
      add(parts);
  else
    for (int64_t blocks = 1; blocks <= occupancy.residentBlocks; ++blocks)
      add(blocks * target.multiprocessors / layout.blocks);
  std::vector<GridMapping> mappings;
  mappings.reserve(numbers.size());
  for (int64_t parts : numbers)
    mappings.push_back({0, Stationary::Output, 1, parts});
  return mappings;
}

} // namespace tc::model
