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

/// The same copy in ways that take fewer instructions, the fewest first: each
/// thread's accesses lie together in the tensor, and those of a warp, which
/// still fill whole sectors, are apart. None if accesses are not asynchronous.
std::vector<TiledCopy> bringAccessesTogether(const Contraction &contraction,
                                             Tensor tensor,
                                             const TiledCopy &tiledCopy,
                                             const KernelLayout &layout,
                                             const Target &target);

} // namespace tc::model

#endif // TC_GPU_LAYOUT_COPYTHREADS_H
