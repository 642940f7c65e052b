//===- SharedTileTable.h - Shared tiles of candidates --------------*- C++
//-*-===//
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

#include <array>
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

  /// The copy of a kernel whose threads are mapped, before it is padded
  /// (`makeTiledCopy`).
  const TiledCopy &copyOf(const KernelLayout &layout, unsigned side,
                          unsigned k);

  /// A copy after that (`padSharedTile`).
  struct Padded {
    TiledCopy copy;
    /// The costs of the copy; known once a kernel with it is evaluated.
    struct Costs {
      SharedTileWork work;
      /// Sectors that warps ask for over those of the tile.
      RequestRatio requestRatio;
    };
    std::optional<Costs> costs;
  };
  /// That of a kernel whose shared tiles are arranged.
  Padded &padded(KernelLayout &layout, unsigned side, unsigned k);

private:
  /// The figures that copies depend on: candidates, threads, instruction; and
  /// those that their padding depends on: how a thread's fragments lie along
  /// the side.
  using Key = std::array<int64_t, 11>;
  struct Hash {
    size_t operator()(const Key &key) const;
  };
  Key keyOf(const KernelLayout &layout, unsigned side, unsigned k) const {
    return {side, k, layout.threads, static_cast<int64_t>(layout.instruction)};
  }

  const Contraction &contraction;
  bool ofN;
  const Target &target;
  std::unordered_map<Key, TiledCopy, Hash> copies;
  std::unordered_map<Key, Padded, Hash> tiles;
};

} // namespace tc::model

#endif // TC_LIB_GPU_SEARCH_SHAREDTILETABLE_H
