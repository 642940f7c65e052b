//===- TileCandidates.h - Tiles worth a look --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pruned space of the search: for each role, a short list of block tiles.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_GPU_SEARCH_TILECANDIDATES_H
#define TC_LIB_GPU_SEARCH_TILECANDIDATES_H

#include "tc/Gpu/Layout/KernelLayout.h"

#include <vector>

namespace tc::model {

/// One way to tile the indices of a role.
struct TileCandidate {
  /// In the order that a schedule lists them, the fastest in the shared tile
  /// last.
  std::vector<TileDim> dims;
  /// The product of the tiles.
  int64_t block = 1;
  /// The number of tiles.
  double tiles = 1;
};

/// The tilings that are left out.
enum class Pruning {
  /// No tiling within the limits of a block.
  None,
  /// Blocks are of a size that threads divide evenly: below 8, or a multiple of
  /// 8 (of 4 below 32), or all there is. Of the tilings with the same block,
  /// those stay that touch the fewest cache lines of the tensors that hold the
  /// role.
  Sizes,
  /// Besides, the index of stride one of a tensor has a tile of at least one
  /// sector, and a block along K at least 8 elements.
  Runs
};

/// The candidates for one role, never empty, by ascending block. A tile is a
/// power of two, a divisor of the extent or the whole extent, or, where it
/// takes few trips to cover the extent, the smallest that takes as few, or the
/// extent rounded up to what matrix instructions divide. Blocks
/// are at most as large as one block of threads can serve.
std::vector<TileCandidate> tileCandidates(const Contraction &contraction,
                                          Role role, Pruning pruning,
                                          const Target &target);

/// The number of candidates with nothing left out.
size_t countTilings(const Contraction &contraction, Role role,
                    const Target &target);

/// The tile of M's or N's indices with these extents, by their positions among
/// the contraction's indices; in the order of C, whatever that of A or B is.
TileCandidate tileOf(const Contraction &contraction, Role role,
                     const std::vector<int64_t> &extents);

} // namespace tc::model

#endif // TC_LIB_GPU_SEARCH_TILECANDIDATES_H
