//===- SharedTileTable.cpp - Shared tiles of candidates
//--------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedTileTable.h"

#include "tc/Gpu/Layout/LayoutSteps.h"

#include <algorithm>

namespace tc::model {

size_t SharedTileTable::Hash::operator()(const Key &key) const {
  // FNV-1a, by the number instead of the byte.
  uint64_t hash = 14695981039346656037u;
  for (int64_t number : key)
    hash = (hash ^ static_cast<uint64_t>(number)) * 1099511628211u;
  return hash ^ hash >> 32;
}

const TiledCopy &SharedTileTable::copyOf(const KernelLayout &layout,
                                         unsigned side, unsigned k) {
  auto [entry, isNew] = copies.try_emplace(keyOf(layout, side, k));
  if (isNew)
    entry->second = makeTiledCopy(contraction, layout, ofN, target);
  return entry->second;
}

SharedTileTable::Padded &SharedTileTable::padded(KernelLayout &layout,
                                                 unsigned side, unsigned k) {
  TiledCopy &tiledCopy = ofN ? layout.b : layout.a;
  Key key = keyOf(layout, side, k);
  std::array<int64_t, 6> fragments = {ofN ? layout.registerN : layout.registerM,
                                      layout.lanesAlongN,
                                      ofN ? layout.groupN : layout.groupM,
                                      layout.laneDepth,
                                      layout.laneColumns,
                                      tiledCopy.fragmentWidth};
  std::copy(fragments.begin(), fragments.end(), key.end() - fragments.size());
  auto [entry, isNew] = tiles.try_emplace(key);
  if (isNew) {
    padSharedTile(contraction, layout, ofN, target);
    entry->second.copy = tiledCopy;
  }
  return entry->second;
}

} // namespace tc::model
