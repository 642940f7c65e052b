//===- SharedRequests.h - Accesses to one shared tile -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts the requests of a block for one shared tile in shared memory in one
// step.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_GPU_LAYOUT_SHAREDREQUESTS_H
#define TC_LIB_GPU_LAYOUT_SHAREDREQUESTS_H

#include "tc/Gpu/Layout/AccessCounts.h"

#include <utility>
#include <vector>

namespace tc::model {

/// The loads of fragments from the shared tile of A or of B (`ofN`).
SharedRequests countFragmentLoads(const KernelLayout &layout, bool ofN,
                                  const Target &target);

/// The stores of a tile into its shared tile.
SharedRequests countSharedTileStores(const Contraction &contraction,
                                     const TiledCopy &tiledCopy,
                                     const Target &target);

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
  /// each lane's row and place in it, and the elements of one lane.
  struct Access {
    int64_t times = 0, width = 1, ideal = 0;
    std::vector<std::pair<int64_t, int64_t>> places;
  };

  void countIdeal(Access &access) const;
  int64_t countWavefronts(const Access &access, int64_t rowLength) const;

  const Target &target;
  int64_t lanes = 0, elementBytes = 0;
  Access loads, stores;
  /// Lengths of rows, and the wavefronts of loads with them.
  std::vector<std::pair<int64_t, int64_t>> known;
};

} // namespace tc::model

#endif // TC_LIB_GPU_LAYOUT_SHAREDREQUESTS_H
