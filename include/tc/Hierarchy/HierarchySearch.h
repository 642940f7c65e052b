//===- HierarchySearch.h - The best tiles for a hierarchy -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chooses the tiles of all levels and the innermost loops at once. The search
// is exact over the pruned space that docs/model-hierarchy.md describes.
//
//===----------------------------------------------------------------------===//

#ifndef TC_HIERARCHY_HIERARCHYSEARCH_H
#define TC_HIERARCHY_HIERARCHYSEARCH_H

#include "tc/Hierarchy/HierarchyMovement.h"

namespace tc::model {

/// What is given to the search.
struct TileConstraints {
  /// The micro-kernel's tile, which takes the place of the innermost level's.
  /// Its loop over K, if it makes several trips, is the innermost. Without a
  /// register tile, that level has a tile like all others.
  std::optional<RegisterTile> registerTile;
  /// How C counts.
  OutputTraffic output = OutputTraffic::ReadAndWrite;
  /// Times within this fraction of the least are ties.
  double tolerance = 0.03;
};

/// How much of the space was looked at.
struct TileSearchStatistics {
  int64_t expanded = 0;  ///< tiles of a level whose inner levels were tried
  int64_t evaluated = 0; ///< schedules whose time was worked out
};

struct TileChoice {
  HierarchySchedule schedule;
  HierarchyCost cost;
  TileSearchStatistics statistics;
};

/// The schedule whose slowest level takes the least time; of ties, that whose
/// next slowest level does, and so on (equations 4, 6 and 7 of Li et al., SC
/// 2019); at the last level without a tolerance. No tensor is taken to be
/// packed. An index that one input alone holds is treated as if both did, so
/// the choice may not be the best where there is one; its cost is exact. The
/// result depends on the arguments alone. Fails on a hierarchy or constraints
/// with a wrong figure and where not even tiles of one element fit a level.
Result<TileChoice> chooseTiles(const Contraction &contraction,
                               const Hierarchy &hierarchy,
                               const TileConstraints &constraints = {});

} // namespace tc::model

#endif // TC_HIERARCHY_HIERARCHYSEARCH_H
