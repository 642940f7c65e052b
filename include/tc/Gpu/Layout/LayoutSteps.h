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

#include "tc/Gpu/Layout/KernelLayout.h"

namespace tc::model {

/// `TileDim::multiple` of an index: what its extent is known to be a multiple
/// of, or zero if that is known, as it is of the parts of complex numbers.
int64_t multipleOfDim(const Contraction &contraction, unsigned index);

/// Returns true if warps of that instruction can share out a block of so many
/// threads with such register tiles, with their rows along M or along N.
bool mayShareOut(Instruction instruction, bool rowsAlongM, int64_t threadsM,
                 int64_t threadsN, int64_t registerM, int64_t registerN);

/// The tiles of a kernel and its threads. Fails like `layOut`, except that the
/// target must have the instruction.
Result<KernelLayout> mapTile(const Contraction &contraction,
                             const BlockTile &tile, const Target &target);

/// The copy of `a` or `b` (`ofN`), with rows of the shared tile that are not
/// padded. Depends on the tile's dimensions along the side and K, the
/// instruction, and the number of threads.
TiledCopy makeTiledCopy(const Contraction &contraction,
                        const KernelLayout &layout, bool ofN,
                        const Target &target);

/// With both copies known, works out the groups of positions, the depth of
/// fragments, and the side of the rows of matrix instructions.
void arrangeSharedTiles(const Contraction &contraction, KernelLayout &layout);

/// A lower bound of `KernelLayout::registers`, whichever threads make the
/// accesses of copies.
int64_t leastRegisters(const Contraction &contraction,
                       const KernelLayout &layout, const Target &target);

/// Pads the rows of the shared tile of A or B (`ofN`) so that accesses stay out
/// of each other's banks, and shares the copy out among the threads. Changes
/// nothing else, and depends on nothing of the other side but whether lanes
/// walk along it, and on no tile but those of `makeTiledCopy`.
void padSharedTile(const Contraction &contraction, KernelLayout &layout,
                   bool ofN, const Target &target);

/// The rest. Fails like `layOut`.
Status completeLayout(const Contraction &contraction, KernelLayout &layout,
                      const GridMapping &mapping, int64_t stages,
                      const Target &target);

} // namespace tc::model

#endif // TC_GPU_LAYOUT_LAYOUTSTEPS_H
