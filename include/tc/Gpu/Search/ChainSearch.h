//===- ChainSearch.h - Choosing schedules for a chain -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_GPU_SEARCH_CHAINSEARCH_H
#define TC_GPU_SEARCH_CHAINSEARCH_H

#include "tc/Gpu/Layout/ChainLayout.h"
#include "tc/Gpu/Search/ScheduleSearch.h"

#include <optional>
#include <vector>

namespace tc::model {

class SearchMemo;

/// How a contraction of a fan takes the input that all have.
struct Branch {
  Tensor input = Tensor::A;
  /// Its indices in the first contraction and in this one; of the first, none.
  LinkedIndices shared;
};

/// A contraction of a chain, or of a fan.
struct ChainLink {
  Contraction contraction;
  /// How it takes what the link before computes; none of the first, or of a
  /// fan.
  std::optional<Handover> handover;
  std::optional<Branch> branch;
};

struct ChainSearchResult {
  /// One for each link.
  std::vector<Schedule> links;
  /// What one kernel is predicted to take, link after link, and kernels for
  /// each with a pause between two.
  double seconds = 0, separateSeconds = 0;
};

/// Finds schedules with which one kernel computes a chain of two links or more
/// (`checkLink`). Indices that go from the first link's output to the last
/// one's may be tiled; the tile spans all others but those that the first link
/// sums over, and the last one, which may sum step by step. Tiles of several
/// sizes are tried, along the indices of least stride of the first A or of the
/// last C first, with a few lengths of the last link's steps and a few numbers
/// of threads each; of each link, the fastest register tile and instruction is
/// taken.
/// Deterministic. Fails if no tile of the tensors between the links fits.
///
/// Of a fan (`checkBranch`), indices of the common input may be tiled that all
/// outputs have, and the tile spans the others of the outputs.
///
/// @param memo  of the same target, where the separate kernels are searched
///              for; null if they are searched for anew
Result<ChainSearchResult> searchChain(const std::vector<ChainLink> &links,
                                      const Target &target,
                                      SearchMemo *memo = nullptr);

} // namespace tc::model

#endif // TC_GPU_SEARCH_CHAINSEARCH_H
