//===- SharedTileLayout.h - Shared tiles in shared memory -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The steps of `layOut` that concern the shared tiles of A and B and the
// fragments that threads load from them.
//
//===----------------------------------------------------------------------===//

#ifndef TC_GPU_LAYOUT_SHAREDTILELAYOUT_H
#define TC_GPU_LAYOUT_SHAREDTILELAYOUT_H

#include "tc/Gpu/Layout/KernelLayout.h"

namespace tc::model {

/// Bytes of a shared-memory access that needs no more than one wavefront for a
/// quarter of a warp.
inline constexpr int64_t sharedAccessBytes = 16;

inline int64_t elementsPerSharedAccess(const TiledCopy &tiledCopy) {
  return sharedAccessBytes / byteWidth(tiledCopy.elementType);
}

/// Returns true if the shared tiles of an instruction hold a tensor's elements
/// as they are.
bool arrivesAsIs(const Contraction &contraction, Tensor tensor,
                 Instruction instruction);

/// The last dimension with a tile above one: neighbours along it have
/// neighbouring positions. Null if there is one position.
const TileDim *fastestInSharedTile(const std::vector<TileDim> &dims);

/// Splits off the first values of an index, as many as divide its tile.
TileDim splitOff(TileDim &dim, int64_t count);

/// The copy of a tile of A or of B (`ofN`) of a kernel whose threads are
/// mapped, with rows of the shared tile that are not padded. With `runs`,
/// accesses of neighbouring lanes lie together in the shared tile rather than
/// in the tensor.
TiledCopy makeTiledCopy(const Contraction &contraction,
                        const KernelLayout &layout, bool ofN, bool runs,
                        const Target &target);

/// Has the threads of a block copy narrow elements so that each can store
/// neighbours of a shared tile's row together, though they are none in the
/// tensor; false if tiles do not allow it. Else, it chooses the order and the
/// threads.
bool gatherNeighbours(TiledCopy &tiledCopy, const std::vector<TileDim> &side,
                      int64_t threads, const Target &target);

/// The most elements that one access of a tensor can move along a dimension:
/// every row along it must start at a multiple of that many elements, in the
/// tensor and in the tile, and end at one.
int64_t accessWidth(const Contraction &contraction, Tensor tensor,
                    const TileDim &dim, int64_t limit);

/// Registers that a thread moves before it stores C: all its sums, if it stores
/// several at once that a matrix instruction has in registers apart.
int64_t countMoves(const Contraction &contraction, const KernelLayout &layout);

/// Sets `groupM` and `groupN` for shared tiles with the element types and the
/// `alongK` of the layout's `a` and `b`.
void groupPositions(const Contraction &contraction, KernelLayout &layout);

/// Returns true if the rows of matrix instructions may as well be along the
/// other side. The parts of a complex number are neighbouring columns, and the
/// terms of a sum have accumulators that do not depend on how shared tiles lie.
bool mayTurn(const Contraction &contraction, const KernelLayout &layout);

} // namespace tc::model

#endif // TC_GPU_LAYOUT_SHAREDTILELAYOUT_H
