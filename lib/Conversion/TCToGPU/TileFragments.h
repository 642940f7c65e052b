//===- TileFragments.h - A thread's loads from a shared tile ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads a thread's fragments of one shared tile, as KernelLayout.h places them.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_TILEFRAGMENTS_H
#define TC_LIB_CONVERSION_TCTOGPU_TILEFRAGMENTS_H

#include "TileIndexing.h"

namespace tc {

/// The fragments of one shared tile: for each value of k that the thread holds,
/// one scalar for each of its positions; of halves that are loaded as matrices,
/// for each pair of values of k, one vector of two for each position.
using Fragments = SmallVector<SmallVector<Value>>;

class TileFragments {
public:
  /// `sharedTile` is A's, or B's if `ofN`.
  TileFragments(OpBuilder &builder, Location loc, const KernelInfo &kernel,
                Value sharedTile, bool ofN);

  /// Positions that a thread loads.
  int64_t count() const { return positions.size(); }
  /// Values of k that are loaded together.
  int64_t depth() const {
    return tiledCopy.alongK ? tiledCopy.fragmentWidth : 1;
  }

  /// Loads the fragments for `depth()` values of k from the thread's number
  /// `first` on in the step that begins at `k`.
  void load(SplitIndex k, int64_t first, Fragments &fragments);
  /// Loads all fragments of the step that begins at `k`.
  Fragments loadStep(SplitIndex k);

private:
  Value columnOfLane(const WarpPosition &warp, int64_t threads);
  /// The part that depends on the thread where matrices are loaded.
  Value matrixBase();
  /// Loads neighbours in a row, as scalars.
  SmallVector<Value> loadAt(SplitIndex offset);
  Fragments loadMatrices(SplitIndex k);
  /// Matrices along K of one instruction, and the thread's positions of which
  /// one load can have all of these.
  int64_t matricesAlongK() const { return layout.laneDepth / 2; }
  int64_t positionsOfLoad() const {
    return model::matricesOfLoad / matricesAlongK();
  }

  OpBuilder &builder;
  Location loc;
  const model::KernelLayout &layout;
  const model::TiledCopy &tiledCopy;
  /// The shared tile has the columns of matrix instructions.
  bool holdsColumns;
  Value flat;
  Type elementType;
  /// The part that depends on the thread, in elements of the shared tile.
  Value base;
  /// Of the thread's fragments, relative to `base`.
  SmallVector<int64_t> positions;
  /// From one of them to the next, where matrices are loaded.
  int64_t positionStep = 0;
};

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_TILEFRAGMENTS_H
