//===- PaddingScorer.h - Bank conflicts by length of rows -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares ways to pad the rows of a shared tile, of which there are many for
// each kernel.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_GPU_LAYOUT_PADDINGSCORER_H
#define TC_LIB_GPU_LAYOUT_PADDINGSCORER_H

#include "SharedRequests.h"

#include <utility>
#include <vector>

namespace tc::model {

/// Scores lengths of the rows of A's shared tile or of B's (`ofN`) by the
/// wavefronts of its accesses, as if all warps did what the first one does.
/// Loads of fragments are the same however threads share the copy out.
class PaddingScorer {
public:
  PaddingScorer(const Contraction &contraction, const KernelLayout &layout,
                bool ofN, const Target &target);

  /// Takes the stores from a copy that is shared out so.
  void setStores(const Contraction &contraction, const TiledCopy &tiledCopy);

  /// Wavefronts without conflicts.
  int64_t ideal() const { return loads.ideal + stores.ideal; }
  /// Wavefronts with rows of that length, or `most` if there are not fewer.
  int64_t score(int64_t rowLength, int64_t most);

private:
  /// An instruction of the warp, and the number of times that it is issued:
  /// the elements of one lane, and each lane's row and place in it. Of lanes
  /// that are served at a time, those with the same are left out; `ends` says
  /// where each group of them ends.
  struct Access {
    int64_t times = 0, width = 1, ideal = 0;
    std::vector<std::pair<int64_t, int64_t>> places;
    std::vector<int64_t> ends;

    /// The slot of a place. Accesses have a power of two of elements.
    int64_t slotOf(const std::pair<int64_t, int64_t> &place,
                   int64_t rowLength) const {
      return (place.first * rowLength + place.second) >>
             __builtin_ctzll(static_cast<uint64_t>(width));
    }
  };

  /// Groups the places of all lanes, which may be known to be distinct.
  void groupLanes(Access &access, bool areDistinct);
  /// Moves the distinct ones of some lanes' places to those that are kept, and
  /// returns where these end.
  int64_t keepDistinct(Access &access, int64_t first, int64_t end,
                       int64_t kept);
  /// Any number from `enough` on if there are as many.
  int64_t countWavefronts(const Access &access, int64_t rowLength,
                          int64_t enough);

  const Target &target;
  int64_t lanes = 0, elementBytes = 0;
  /// The length that rows have at the least: no place lies beyond it.
  int64_t leastLength = 1;
  Access loads, stores;
  /// Lengths of rows, and the wavefronts of loads with them.
  std::vector<std::pair<int64_t, int64_t>> known;
  // Kept for the memory that they have: the slots of a group's lanes, and the
  // number of them in each bank.
  std::vector<int64_t> slotsOfGroup;
  std::vector<uint8_t> lanesOfBank;
};

} // namespace tc::model

#endif // TC_LIB_GPU_LAYOUT_PADDINGSCORER_H
