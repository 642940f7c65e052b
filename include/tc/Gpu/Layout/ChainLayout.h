//===- ChainLayout.h - Tiles that stay on the chip --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel may compute a chain of contractions, each of which but the first
// has as its A or its B what the one before computes: its links. A block
// computes a tile of each of these tensors, and its threads store their sums
// to where the next link's shared tile of that input lies. So that tile is all
// of the tensor that the block needs: it spans the indices that the next link
// sums over, and along the others the block has the same tile in all links.
//
//===----------------------------------------------------------------------===//

#ifndef TC_GPU_LAYOUT_CHAINLAYOUT_H
#define TC_GPU_LAYOUT_CHAINLAYOUT_H

#include "tc/Gpu/Layout/KernelLayout.h"

#include <string>
#include <utility>
#include <vector>

namespace tc::model {

/// The indices of the tensor that one link computes and the next one takes:
/// the number that each has in the one and in the other.
using LinkedIndices = std::vector<std::pair<unsigned, unsigned>>;

/// The links' indices of extent more than one, by their labels in the order of
/// the dimensions of the tensor between them.
LinkedIndices linkIndices(const Contraction &first,
                          const std::vector<std::string> &labelsOfFirst,
                          const Contraction &second,
                          const std::vector<std::string> &labelsOfSecond);

/// The tile of an index in a layout; none of one that it does not have.
std::optional<TileDim> findTile(const KernelLayout &layout, unsigned index);

/// Checks that one kernel can compute a link and the next one, whose input
/// `fed` it computes. Fails, naming the index or figure, unless both have as
/// many threads and are plainly mapped, one step of the second takes all that
/// it sums over, tiles along the indices of the tensor between them are the
/// same, and those along other indices of the second one's output span them.
Status checkLink(const Contraction &first, const KernelLayout &ofFirst,
                 const Contraction &second, const KernelLayout &ofSecond,
                 const LinkedIndices &linked);

/// What a step along an index of the tensor between two links adds to an
/// element's place in the shared tile of that input of the second one.
int64_t sharedTileStride(const KernelLayout &ofSecond, Tensor fed,
                         unsigned index);

} // namespace tc::model

#endif // TC_GPU_LAYOUT_CHAINLAYOUT_H
