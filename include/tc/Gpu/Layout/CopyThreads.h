//===- CopyThreads.h - Assignment of copies to threads ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shares the accesses of a tile's copy out among the threads of a block. The
// offset in an asynchronous copy reaches 2 KB around its address; an access
// farther from a thread's others costs it two additions in every step.
//
//===----------------------------------------------------------------------===//

#ifndef TC_GPU_LAYOUT_COPYTHREADS_H
#define TC_GPU_LAYOUT_COPYTHREADS_H

#include "tc/Gpu/Layout/KernelLayout.h"

#include <vector>

namespace tc::model {

/// Lets so many threads copy that their accesses differ by constants, if that
/// does not make many more rounds.
void chooseThreads(TiledCopy &tiledCopy, int64_t all);

/// Addresses that a thread works out in each step for its accesses of a tile
/// of A or of B.
int64_t countAddresses(const Contraction &contraction, Tensor tensor,
                       const TiledCopy &tiledCopy);

/// Instructions of a thread for copying its part of a tile.
int64_t copyInstructions(const Contraction &contraction, Tensor tensor,
                         const TiledCopy &tiledCopy);

/// Ways in which the threads of a block may share the accesses of one copy out.
class CopySharings {
public:
  /// The way in which threads and rounds share a dimension out.
  struct DimSharing {
    /// Values that rounds walk.
    int64_t rounds = 1;
    /// True if threads walk neighbours, and rounds the rest; else the other way
    /// around.
    bool threadsFirst = false;
  };
  struct Sharing {
    /// Accesses of a thread, and its instructions for them.
    int64_t rounds, instructions;
  };

  size_t size() const { return sharings.size(); }
  const Sharing &operator[](size_t number) const { return sharings[number]; }
  /// Appends one, told by its sharing of each dimension of the copy's order.
  void append(const Sharing &sharing, const DimSharing *ofDims,
              size_t dimCount);
  /// Shares that copy out in one of the ways.
  void apply(size_t number, TiledCopy &tiledCopy) const;

private:
  std::vector<Sharing> sharings;
  std::vector<DimSharing> dims;
};

/// The ways to share a copy out that take fewer instructions than those of the
/// copy (`copyInstructions`), the fewest first: each thread's accesses lie
/// together in the tensor, and those of a warp, which still fill whole sectors,
/// are apart. None if accesses are not asynchronous.
CopySharings bringAccessesTogether(const Contraction &contraction,
                                   Tensor tensor, const TiledCopy &tiledCopy,
                                   int64_t instructions, int64_t threads,
                                   const Target &target);

} // namespace tc::model

#endif // TC_GPU_LAYOUT_COPYTHREADS_H
