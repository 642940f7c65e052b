//===- LayoutSteps.h - The steps by which kernels are laid out --*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `layOut` in steps, for a search that lays out many tiles of one contraction:
// between them, it leaves out tiles that will not be feasible, and takes
// results that it has worked out for another tile already. The steps follow
// each other as they are declared here.
//
//===----------------------------------------------------------------------===//

#ifndef TC_GPU_LAYOUT_LAYOUTSTEPS_H
#define TC_GPU_LAYOUT_LAYOUTSTEPS_H

#include "tc/Gpu/Layout/SharedTileCopies.h"

namespace tc::model {

/// `TileDim::multiple` of an index: what its extent is known to be a multiple
/// of, or zero if that is known, as it is of the parts of complex numbers.
int64_t multipleOfDim(const Contraction &contraction, unsigned index);

/// Returns true if warps of that instruction can share out a block of so many
/// threads with such register tiles, with their rows along M or along N.
bool mayShareOut(Instruction instruction, bool rowsAlongM, int64_t threadsM,
                 int64_t threadsN, int64_t registerM, int64_t registerN);

/// Begins a layout, whose memory is used again, with the tiles of a kernel and
/// its threads. Fails like `layOut`, except that the target must have the
/// instruction.
Status mapTile(const Contraction &contraction, const BlockTile &tile,
               const Target &target, KernelLayout &layout);

/// With both copies known, as `SharedTileCopies::unpadded` has them, works out
/// the groups of positions, the depth of fragments, and the side of the rows of
/// matrix instructions.
void arrangeSharedTiles(const Contraction &contraction, KernelLayout &layout);

/// A lower bound of `KernelLayout::registers`, whichever threads make the
/// accesses of copies.
int64_t leastRegisters(const Contraction &contraction,
                       const KernelLayout &layout, const Target &target);

/// The rest, with both copies padded (`SharedTileCopies::pad`). Fails like
/// `layOut`.
Status completeLayout(const Contraction &contraction, KernelLayout &layout,
                      const GridMapping &mapping, int64_t stages,
                      const Target &target);

} // namespace tc::model

#endif // TC_GPU_LAYOUT_LAYOUTSTEPS_H
