//===- Hierarchy.h - Memories and the tiles that live in them ---*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A machine as nothing but levels of memory, of a CPU or of a GPU, and a
// schedule as one tile per level with the loop that walks it innermost. Levels
// stand innermost first: registers, caches, memory. What a schedule moves
// follows from that and is worked out in HierarchyMovement.h; the model is that
// of Li et al., "Analytical Cache Modeling and Tilesize Optimization for Tensor
// Contractions", SC 2019. docs/model-hierarchy.md derives it.
//
//===----------------------------------------------------------------------===//

#ifndef TC_HIERARCHY_HIERARCHY_H
#define TC_HIERARCHY_HIERARCHY_H

#include "tc/Problem/Contraction.h"

#include <optional>
#include <string>
#include <vector>

namespace tc::model {

struct CpuTarget;
struct Target;

/// One level of memory.
struct MemoryLevel {
  std::string name;
  /// What it holds; zero if that is without limit, as only the outermost
  /// level's is.
  int64_t capacityBytes = 0;
  /// The granule in which the level is filled from the next outer one.
  int64_t lineBytes = 0;
  /// Associativity; zero where software or full associativity decides what
  /// stays.
  int64_t ways = 0;
  /// Rate at which it fills the next inner level; unused at the innermost.
  double bytesPerSecond = 0;
};

/// The innermost level first.
using Hierarchy = std::vector<MemoryLevel>;

/// Whether every figure is there and agrees with the others. An error names the
/// level and the field.
Status checkHierarchy(const Hierarchy &hierarchy);

/// The levels of a GPU: registers, shared memory, L2 and DRAM. The tiles in
/// registers and in shared memory are those of the blocks on one
/// multiprocessor, so these capacities are of one multiprocessor; the tile in
/// the L2 cache is what all of them work on. Rates are of the whole chip.
Hierarchy memoryHierarchy(const Target &target);

/// The levels of a CPU as one of `cores` cores sees them that work on different
/// data: registers, caches and memory. A cache that several of them share is
/// split evenly.
Hierarchy memoryHierarchy(const CpuTarget &target, int64_t cores = 1);

/// What the loops of a micro-kernel keep in registers: m x n elements of C,
/// with m of A and n of B for one value of K. Rows and columns are counted
/// through the (packed) tile of the next outer level, across its indices; the
/// last ones are padded.
struct RegisterTile {
  int64_t m = 0, n = 0;
};

/// The tile of one level and the loops that walk such tiles within the tile of
/// the next outer level.
struct LevelTile {
  /// By position in Contraction::indices.
  std::vector<int64_t> extents;
  /// The index, by position, whose loop is the innermost of those loops. The
  /// loops of indices that the same tensors hold follow next, then all others.
  /// Where it makes one trip only, the next loop takes its part.
  unsigned innermost = 0;
};

/// The decisions for one contraction on a hierarchy.
struct HierarchySchedule {
  /// One for each level of the hierarchy but the outermost, innermost first.
  std::vector<LevelTile> levels;
  /// If given, the innermost level's tile, whose `extents` are then empty.
  std::optional<RegisterTile> registerTile;
  /// The level of memory, by position, in which a tensor's tile is copied into
  /// contiguous order; the outermost packs the whole tensor at once.
  PerTensor<std::optional<unsigned>> packed = {};
};

/// The elements of each tensor in the tile of a level: the data footprint.
/// Strides that let elements overlap are not looked at.
PerTensor<double> footprint(const Contraction &contraction,
                            const HierarchySchedule &schedule, unsigned level);

/// Whether tiles of that many elements are within a level's capacity and ways
/// (equation 9). Without room, an error names the level, the three tensors'
/// shares and the limit.
Status checkFits(const Contraction &contraction, const MemoryLevel &level,
                 const PerTensor<double> &elements);

/// Whether a schedule fits a contraction and a (checked) hierarchy: one tile a
/// level, within its extents, within the tile of the next outer level, within
/// capacity and associativity. An error names level, index and both figures.
Status checkSchedule(const Contraction &contraction, const Hierarchy &hierarchy,
                     const HierarchySchedule &schedule);

} // namespace tc::model

#endif // TC_HIERARCHY_HIERARCHY_H
