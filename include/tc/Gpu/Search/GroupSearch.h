//===- GroupSearch.h - Choosing schedules for a group -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_GPU_SEARCH_GROUPSEARCH_H
#define TC_GPU_SEARCH_GROUPSEARCH_H

#include "tc/Gpu/Search/ScheduleSearch.h"
#include "tc/Problem/ContractionGroup.h"

#include <vector>

namespace tc::model {

class SearchMemo;

struct GroupSearchResult {
  /// One for each contraction, in the order in which the kernel computes them.
  std::vector<Schedule> schedules;
  /// The predicted times of one kernel, contraction after contraction, and of
  /// kernels for each with a pause between two.
  double seconds = 0, separateSeconds = 0;
};

/// Finds schedules with which one kernel computes a group of two contractions
/// or more in a chain, or that share an input (`checkEdge`).
///
/// Of a chain, indices that go from the first output to the last one may be
/// tiled; the tile spans all others but those that the first contraction sums
/// over, and the last one, which may sum step by step. Of products of one
/// input, indices of that input may be tiled that all outputs have, and the
/// tile spans the others of the outputs.
///
/// Tiles of several sizes are tried, along the indices of least stride of the
/// first A or of the last C first, with a few lengths of the last contraction's
/// steps and a few numbers of threads each; of each contraction, the fastest
/// register tile and instruction is taken. Deterministic. Fails if no tile of
/// the tensors between the contractions fits.
///
/// @param memo  of the same target, where the separate kernels are searched
///              for; null if they are searched for anew
Result<GroupSearchResult> searchGroup(const ContractionGroup &group,
                                      const Target &target,
                                      SearchMemo *memo = nullptr);

} // namespace tc::model

#endif // TC_GPU_SEARCH_GROUPSEARCH_H
