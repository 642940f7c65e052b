//===- SharedTileTable.cpp - Shared tiles of candidates -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedTileTable.h"

#include "tc/Gpu/Layout/AccessCounts.h"

namespace tc::model {

size_t SharedTileTable::Hash::operator()(const Key &key) const {
  // FNV-1a, by the number instead of the byte.
  uint64_t hash = 14695981039346656037u;
  for (int64_t number : key)
    hash = (hash ^ static_cast<uint64_t>(number)) * 1099511628211u;
  return hash ^ hash >> 32;
}

SharedTileTable::Copies &SharedTileTable::copiesOf(const KernelLayout &layout,
                                                   unsigned side, unsigned k) {
  // Of the instruction, only the type of its factors matters to copies.
  ElementType type = sharedTileTypeOf(contraction, layout.instruction);
  Key key = {side, k, layout.threads, static_cast<int64_t>(type)};
  auto entry = known.find(key);
  if (entry == known.end())
    entry =
        known
            .emplace(key,
                     Copies{SharedTileCopies(contraction, layout, ofN, target),
                            {},
                            {},
                            {}})
            .first;
  return entry->second;
}

SharedTileTable::Padded &
SharedTileTable::pad(Copies &copies, const KernelLayout &layout) const {
  Fragments fragments = {static_cast<int64_t>(layout.instruction),
                         ofN ? layout.registerN : layout.registerM,
                         layout.lanesAlongN,
                         ofN ? layout.groupN : layout.groupM,
                         layout.laneDepth,
                         layout.laneColumns,
                         (ofN ? layout.b : layout.a).fragmentWidth};
  for (Padded &padded : copies.padded)
    if (padded.fragments == fragments)
      return padded;
  auto [copy, sharing] = copies.copies.pad(contraction, layout, target);
  return copies.padded.emplace_back(
      Padded{fragments, std::move(copy), sharing, {}});
}

const SharedTileTable::Costs &
SharedTileTable::costsOf(Copies &copies, Padded &padded,
                         const KernelLayout &layout) const {
  if (!padded.costs) {
    auto [ratio, isNewRatio] = copies.requestRatios.try_emplace(padded.sharing);
    if (isNewRatio)
      ratio->second = requestRatio(contraction, layout,
                                   ofN ? Tensor::B : Tensor::A, target);
    auto [work, isNewWork] =
        copies.works.try_emplace({padded.sharing, padded.copy.rowLength});
    if (isNewWork)
      work->second = countTiledCopyWork(contraction, layout, ofN, target);
    padded.costs = {
        {countFragmentLoads(layout, ofN, target).wavefronts, work->second},
        ratio->second};
  }
  return *padded.costs;
}

} // namespace tc::model
