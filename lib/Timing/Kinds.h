//===- Kinds.h - Kinds of the blocks of a grid ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TIMING_KINDS_H
#define TC_LIB_TIMING_KINDS_H

#include "tc/Timing/Trace.h"

namespace tc::timing {

/// Blocks that do the same: those in the middle of a tensor, or at one edge.
struct BlockKind {
  BlockTrace
      trace; ///< its accesses are sums over the blocks that were followed
  double share = 0;        ///< of the grid
  double followed = 1;     ///< so many of them
  std::uint64_t first = 0; ///< of all that were followed, the first of them
};

/// Follows some blocks of the grid, chosen by a fixed rule, the middle one
/// first, and sorts them by their work; the most common kind comes first.
Result<std::vector<BlockKind>> traceKinds(const sass::Function &function,
                                          const sass::FunctionCounts &counts,
                                          const Launch &launch,
                                          const Machine &machine,
                                          std::int64_t residentBlocks);

/// Warp instructions of a block.
double instructionsOf(const BlockTrace &trace);

} // namespace tc::timing

#endif // TC_LIB_TIMING_KINDS_H
