//===- DataMovement.h - Data movement of tiled loops ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The data movement of Li et al., "Analytical Cache Modeling and Tilesize
// Optimization for Tensor Contractions" (SC 2019), section 3: which loops
// around a tile find a tensor's part in a level of memory, and which bring it
// in again. Blocks of CPUs and tiles of GPUs are both judged by it.
// docs/model-hierarchy.md explains it.
//
//===----------------------------------------------------------------------===//

#ifndef TC_HIERARCHY_DATAMOVEMENT_H
#define TC_HIERARCHY_DATAMOVEMENT_H

#include "tc/Hierarchy/Hierarchy.h"

#include <functional>

namespace tc::model {

/// A loop over tiles.
struct TilingLoop {
  /// May be a fraction, where the last of several outer trips makes fewer.
  double trips = 1;
  /// True if each trip has another part of the tensor.
  PerTensor<bool> moves = {};
  /// Bytes of each tensor that one trip touches.
  PerTensor<double> touched = {};
};

/// A loop nest, the innermost loop first.
using TilingLoops = std::vector<TilingLoop>;

/// Returns true if a level holds so many bytes of each tensor at the same time:
/// within its capacity, and in whole ways of it (equation 9). Consecutive
/// addresses spread evenly over all sets, so A and B, which are packed into
/// panels, share a way that neither fills; C takes others.
bool fits(const MemoryLevel &level, const PerTensor<double> &bytes);

/// The largest count, from `least` on, for which the bytes by `bytesOf` fit the
/// level: `least` itself if nothing larger does, and at most `most`. These
/// bytes must not fall.
int64_t
largestThatFits(const MemoryLevel &level, int64_t least, int64_t most,
                const std::function<PerTensor<double>(int64_t)> &bytesOf);

/// The number of times that each part of a tensor enters a level (listing 3,
/// with the level's own capacity as in section 3.2). A loop that moves the
/// tensor brings in other parts. Any other loop visits the same parts again,
/// and finds them if nothing inside has moved the tensor, which makes it
/// stationary in the tile, or if all that one of its trips touches fits.
double countVisits(const TilingLoops &loops, Tensor tensor,
                   const MemoryLevel &level);

/// Seconds to bring a tensor's parts, `bytes` in all, into level 1 of a
/// hierarchy each time that the loops ask for them, from the innermost level
/// that still has them (equation 2, by the level that serves each visit). At
/// first, and where no inner level has them, they come from level `home`; if
/// that is 1, it takes no time.
double secondsToFetch(const Hierarchy &hierarchy, const TilingLoops &loops,
                      Tensor tensor, double bytes, unsigned home);

} // namespace tc::model

#endif // TC_HIERARCHY_DATAMOVEMENT_H
