//===- SharedTileTable.h - Shared tiles of candidates -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Many of the kernels that a search lays out differ along one side only, so
// that they copy the other operand alike.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_GPU_SEARCH_SHAREDTILETABLE_H
#define TC_LIB_GPU_SEARCH_SHAREDTILETABLE_H

#include "tc/Gpu/Cost/BlockWork.h"
#include "tc/Gpu/Layout/SharedTileCopies.h"

#include <array>
#include <deque>
#include <map>
#include <optional>
#include <unordered_map>

namespace tc::model {

/// The shared tiles of one operand, A or B (`ofN`), by the numbers of the
/// candidates along its side and along K. Refers to what it is made of.
class SharedTileTable {
public:
  SharedTileTable(const Contraction &contraction, bool ofN,
                  const Target &target)
      : contraction(contraction), ofN(ofN), target(target) {}

  /// The costs of a padded copy.
  struct Costs {
    SharedTileWork work;
    /// Sectors that warps ask for over those of the tile.
    RequestRatio requestRatio;
  };
  /// The figures that padding depends on besides: the instruction, and the
  /// place of a thread's fragments along the side.
  using Fragments = std::array<int64_t, 7>;
  struct Padded {
    Fragments fragments;
    TiledCopy copy;
    /// Its way to share accesses out, among the copies that it is one of.
    size_t sharing;
    /// Known once a kernel with the copy is evaluated.
    std::optional<Costs> costs;
  };
  /// Copies, and those of their costs that do not depend on fragments: by the
  /// sharing, the sectors that warps ask for over those of the tile; by the
  /// sharing and the length of rows, the work.
  struct Copies {
    SharedTileCopies copies;
    std::map<size_t, RequestRatio> requestRatios;
    std::map<std::pair<size_t, int64_t>, TiledCopyWork> works;
    std::deque<Padded> padded;
  };

  /// The copies of a kernel whose threads are mapped.
  Copies &copiesOf(const KernelLayout &layout, unsigned side, unsigned k);
  /// That of a kernel whose shared tiles are arranged.
  Padded &pad(Copies &copies, const KernelLayout &layout) const;
  /// The costs of a padded copy, of a complete layout.
  const Costs &costsOf(Copies &copies, Padded &padded,
                       const KernelLayout &layout) const;

private:
  /// The figures that copies depend on: candidates, threads, type of factors.
  using Key = std::array<int64_t, 4>;
  struct Hash {
    size_t operator()(const Key &key) const;
  };

  const Contraction &contraction;
  bool ofN;
  const Target &target;
  std::unordered_map<Key, Copies, Hash> known;
};

} // namespace tc::model

#endif // TC_LIB_GPU_SEARCH_SHAREDTILETABLE_H
