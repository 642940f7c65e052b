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

  /// The copy of a kernel whose threads are mapped, before it is padded.
  const TiledCopy &copyOf(const KernelLayout &layout, unsigned side,
                          unsigned k);

  /// Copies, and those of their costs that do not depend on fragments: by the
  /// sharing, the sectors that warps ask for over those of the tile; by the
  /// sharing and the length of rows, the work.
  struct Copies {
    SharedTileCopies copies;
    std::map<size_t, RequestRatio> requestRatios;
    std::map<std::pair<size_t, int64_t>, TiledCopyWork> works;
  };
  /// The costs of a padded copy.
  struct Costs {
    SharedTileWork work;
    /// Sectors that warps ask for over those of the tile.
    RequestRatio requestRatio;
  };
  struct Padded {
    TiledCopy copy;
    /// Its way to share accesses out, among the copies that it is one of.
    size_t sharing;
    Copies *copies;
    /// Known once a kernel with the copy is evaluated.
    std::optional<Costs> costs;
  };
  /// That of a kernel whose shared tiles are arranged.
  Padded &padded(const KernelLayout &layout, unsigned side, unsigned k);
  /// The costs of a padded copy, of a complete layout.
  const Costs &costsOf(Padded &padded, const KernelLayout &layout);

private:
  /// The figures that copies depend on: candidates, threads, type of factors;
  /// or those of padded copies: candidates, threads, instruction, and the place
  /// of a thread's fragments along the side.
  using Key = std::array<int64_t, 10>;
  struct Hash {
    size_t operator()(const Key &key) const;
  };
  Copies &copiesOf(const KernelLayout &layout, unsigned side, unsigned k);

  const Contraction &contraction;
  bool ofN;
  const Target &target;
  std::unordered_map<Key, Copies, Hash> copies;
  std::unordered_map<Key, Padded, Hash> tiles;
};

} // namespace tc::model

#endif // TC_LIB_GPU_SEARCH_SHAREDTILETABLE_H
