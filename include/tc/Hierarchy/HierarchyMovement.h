//===- HierarchyMovement.h - What a tiled contraction moves -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The data that each level of a hierarchy receives from the next outer one, the
// cost of packing, and the time that all of it takes (sections 3 and 5 of Li et
// al., SC 2019).
//
//===----------------------------------------------------------------------===//

#ifndef TC_HIERARCHY_HIERARCHYMOVEMENT_H
#define TC_HIERARCHY_HIERARCHYMOVEMENT_H

#include "tc/Hierarchy/Hierarchy.h"

namespace tc::model {

/// How C counts, which moves in both directions.
enum class OutputTraffic : unsigned {
  /// A tile of C counts when it enters, as in the paper, whose figure is the
  /// number of cache misses.
  Once,
  /// It counts when it enters and when it leaves. Entering for the first time
  /// counts only if the contraction reads C.
  ReadAndWrite,
  /// It counts whenever it enters and when it leaves, as in a cache that
  /// fetches a line before it writes to it.
  WriteAllocate,
};

/// What enters one level from the next outer one.
struct LevelMovement {
  /// Elements of each tensor, those of C once each time that they enter: the
  /// data movement (DM) of the paper.
  PerTensor<double> elements = {};
  /// Lines of the level that hold these elements, counted by the contiguous
  /// runs of each tile. A packed tensor fills its lines.
  PerTensor<double> lines = {};
  /// Elements that are read on their way into a packing buffer, and those that
  /// are written to it from within the level.
  PerTensor<double> packingReads = {}, packingWrites = {};

  /// Bytes of one tensor across the link, those of packing included.
  double bytes(const Contraction &contraction, Tensor tensor,
               OutputTraffic output) const;
  /// Bytes of all tensors.
  double bytes(const Contraction &contraction, OutputTraffic output) const;
};

/// What a schedule costs.
struct HierarchyCost {
  /// By level, the outermost left out, as in HierarchySchedule.
  std::vector<LevelMovement> levels;
  /// Time to move these bytes, by level (equation 2).
  std::vector<double> levelSeconds;

  /// The level that takes longest.
  unsigned limit() const;
  /// Its time (equation 3).
  double seconds() const { return levelSeconds[limit()]; }
};

/// The data movement of a checked schedule, level by level. The loops outside
/// a level's tile are walked from the innermost out (listing 3). Those with one
/// trip are skipped. A tensor that a loop does not index is reused if nothing
/// inside has moved it, or if all that the loops inside touch fits the level.
/// Tiles that an extent or an outer tile cuts off count with what is left.
std::vector<LevelMovement> countMovement(const Contraction &contraction,
                                         const Hierarchy &hierarchy,
                                         const HierarchySchedule &schedule);

/// Elements that are copied into the tensor's packing buffer, counted each time
/// that they are (equations 10 to 14). Zero if it is not packed. C is copied
/// back as well, so it counts twice.
double packedElements(const Contraction &contraction,
                      const HierarchySchedule &schedule, Tensor tensor);

/// Checks hierarchy and schedule, and works out what the schedule costs.
Result<HierarchyCost> estimateCost(const Contraction &contraction,
                                   const Hierarchy &hierarchy,
                                   const HierarchySchedule &schedule,
                                   OutputTraffic output);

/// The best of several schedules by the times of their levels (equations 6 and
/// 7): those within `tolerance` of the least time of their slowest level, of
/// them those within it of the least time of the next slowest, and so on; the
/// first of what is left. There must be at least one, all with as many levels.
unsigned selectByLevels(const std::vector<std::vector<double>> &levelSeconds,
                        double tolerance);

} // namespace tc::model

#endif // TC_HIERARCHY_HIERARCHYMOVEMENT_H
