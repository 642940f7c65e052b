//===- Hierarchy.h - The levels of memory of a machine ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A machine as nothing but levels of memory, of a CPU or of a GPU, innermost
// first: registers, caches, memory. DataMovement.h works out the data that
// loops over tiles move between them. docs/model-hierarchy.md explains both.
//
//===----------------------------------------------------------------------===//

#ifndef TC_HIERARCHY_HIERARCHY_H
#define TC_HIERARCHY_HIERARCHY_H

#include "tc/Problem/Contraction.h"

#include <string>
#include <vector>

namespace tc::model {

struct CpuTarget;
struct Target;

/// One level of memory.
struct MemoryLevel {
  std::string name;
  /// Its capacity; zero if that is without limit, as only the outermost level's
  /// is.
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

/// The levels of a GPU: registers, shared memory, L2 and DRAM. The tiles in
/// registers and in shared memory are those of the blocks on one
/// multiprocessor, so these capacities are of one multiprocessor; the tile in
/// the L2 cache is what all of them work on. Rates are of the whole chip.
Hierarchy memoryHierarchy(const Target &target);
/// The L2 cache among them.
MemoryLevel l2Level(const Target &target);

/// The levels of a CPU as one of `cores` cores sees them that work on different
/// data: registers, caches and memory. A cache that several of them share is
/// split evenly.
Hierarchy memoryHierarchy(const CpuTarget &target, int64_t cores = 1);

/// The innermost level but the registers that holds so many bytes.
unsigned levelHolding(const Hierarchy &hierarchy, double bytes);

} // namespace tc::model

#endif // TC_HIERARCHY_HIERARCHY_H
