//===- WarpAccess.h - Bank conflicts of a warp's access ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_GPU_LAYOUT_WARPACCESS_H
#define TC_GPU_LAYOUT_WARPACCESS_H

#include "tc/Gpu/Layout/KernelLayout.h"

#include <utility>
#include <vector>

namespace tc::model {

/// The access of a warp's lanes to a shared tile, told by that of the first
/// warp, and the wavefronts that it takes as if all warps did the same. Rows of
/// the shared tile may be padded: of these there are many ways for each kernel.
class WarpAccess {
public:
  /// No access.
  WarpAccess() = default;
  /// The loads of fragments from the shared tile of A or of B (`ofN`), of a
  /// layout whose fragments are arranged.
  static WarpAccess ofFragments(const KernelLayout &layout, bool ofN,
                                const Target &target);
  /// The stores of a tile into its shared tile by a block of so many threads.
  static WarpAccess ofStores(const Contraction &contraction,
                             const TiledCopy &tiledCopy, int64_t threads,
                             const Target &target);

  /// Wavefronts of these stores without conflicts, if a thread makes so many
  /// accesses.
  static int64_t idealStores(const TiledCopy &tiledCopy,
                             int64_t accessesPerThread, int64_t threads,
                             const Target &target);

  /// Wavefronts without conflicts.
  int64_t ideal() const { return idealWavefronts; }
  /// Wavefronts with rows of that length, none shorter than the copy's that it
  /// was made of.
  int64_t countWavefronts(int64_t rowLength) const;

private:
  /// A lane's row, and its place in it, in elements.
  using Place = std::pair<int64_t, int64_t>;

  /// Groups the places of all lanes, which may be known to be distinct, as they
  /// are served at a time. No place lies beyond rows of that length.
  void groupLanes(int64_t elementBytes, bool areDistinct, int64_t rowLength,
                  const Target &target);
  /// The slot of a place. Accesses have a power of two of elements.
  int64_t slotOf(const Place &place, int64_t rowLength) const {
    return (place.first * rowLength + place.second) >>
           __builtin_ctzll(static_cast<uint64_t>(width));
  }

  /// The number of times that the instruction is issued, and the elements of
  /// one lane.
  int64_t times = 0, width = 1;
  int64_t idealWavefronts = 0;
  /// Slots of a wavefront.
  int64_t slots = 1;
  /// Of lanes that are served at a time, those with the same place are left
  /// out; `ends` says where each group of them ends.
  std::vector<Place> places;
  std::vector<int64_t> ends;
};

} // namespace tc::model

#endif // TC_GPU_LAYOUT_WARPACCESS_H
