//===- SharedRequests.h - Accesses to one panel -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts what a block asks of one panel in shared memory in one step.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_GPU_LAYOUT_SHAREDREQUESTS_H
#define TC_LIB_GPU_LAYOUT_SHAREDREQUESTS_H

#include "tc/Gpu/Layout/AccessCounts.h"

#include <utility>
#include <vector>

namespace tc::model {

/// The loads of fragments from the panel of A or of B (`ofN`).
SharedRequests countFragmentLoads(const KernelLayout &layout, bool ofN,
                                  const Target &target);

/// The stores of a tile into its panel.
SharedRequests countPanelStores(const Contraction &contraction,
                                const Staging &staging, const Target &target);

/// Wavefronts of accesses, and what there would be without conflicts.
struct PaddingScore {
  int64_t wavefronts = 0, ideal = 0;
};

/// Scores lengths of the rows of A's panel or of B's (`ofN`), as if all warps
/// did what the first one does.
class PaddingScorer {
public:
  PaddingScorer(const Contraction &contraction, const KernelLayout &layout,
                bool ofN, const Target &target);

  PaddingScore score(int64_t rowLength) const;

private:
  /// An instruction of the warp, and how often it is issued: each lane's row
  /// and place in it, and the elements of one lane.
  struct Access {
    int64_t times, width;
    std::vector<std::pair<int64_t, int64_t>> places;
  };

  const Target &target;
  int64_t lanes = 0, elementBytes = 0;
  std::vector<Access> accesses;
};

} // namespace tc::model

#endif // TC_LIB_GPU_LAYOUT_SHAREDREQUESTS_H
