//===- ChainLayout.h - Tiles that stay on the chip --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel may compute a chain of contractions, each of which but the first
// has as its A or its B what the one before computes: it is the consumer of
// that one, its producer. A block computes a tile of each of these tensors, and
// its threads store their sums to where the consumer's shared tile of that
// input lies. So that tile is all of the tensor that the block needs: it spans
// the indices that the consumer sums over, and along the others the block has
// the same tile in all contractions.
//
// Complex numbers are stored for the consumer in parts, which lie in the shared
// tile as a copy would store them: each number as it is if the consumer takes
// it as its A, and both rows of its matrix if it takes it as its B.
//
// The last contraction may take what it sums over in steps. Those before
// compute the tile of each step, one after the other, beside the sums of the
// last one; so its shared tiles lie behind theirs.
//
// It may take the softmax of what the one before computes, too. A row of that
// is what has the same values of the indices that stay. Behind the shared
// tiles, there is a number for each row, the factor that brings what has been
// summed so far to the present maximum, and one for each row and each warp
// that has elements of it, through which these exchange their parts.
//
//===----------------------------------------------------------------------===//

#ifndef TC_GPU_LAYOUT_CHAINLAYOUT_H
#define TC_GPU_LAYOUT_CHAINLAYOUT_H

#include "tc/Gpu/Layout/KernelLayout.h"
#include "tc/Problem/ContractionGroup.h"

#include <vector>

namespace tc::model {

/// The tile of an index in a layout; none of one that it does not have.
std::optional<TileDim> findTile(const KernelLayout &layout, unsigned index);

/// Checks that one kernel can compute a contraction and the next one, an input
/// of which it computes. Fails, naming the index or figure, unless both have as
/// many threads and are plainly mapped, one step of the second takes all that
/// it sums over or it is the last one, all of that is in the input,
/// tiles along the indices of the tensor between them are the same, and those
/// along other indices of the second one's output span them. A softmax has to
/// be of the last one, whose sums have the type of the first one's, and each
/// row of it along one side of the first one.
Status checkFeed(const Contraction &first, const KernelLayout &ofFirst,
                 const Contraction &second, const KernelLayout &ofSecond,
                 const IndexedEdge &edge);

/// Checks that one kernel can compute two contractions that have an input in
/// common, one after the other, of which blocks of one number read the same
/// tile. Fails, naming the index or figure, unless both have as many threads
/// and blocks and are plainly mapped, and indices of their outputs that have
/// several tiles are indices of that input, with the same tile.
Status checkShare(const Contraction &first, const KernelLayout &ofFirst,
                  const Contraction &other, const KernelLayout &ofOther,
                  const LinkedIndices &shared);

/// Returns true if the last contraction's sums are carried from step to step.
bool isStepped(const KernelLayout &ofLast, const IndexedEdge &edge);

/// The rows of a producer's output, of which a softmax is taken.
struct SoftmaxRows {
  /// True if they are along N of the producer (else M).
  bool alongN = false;
  /// Those of a block's tile, and the threads that have elements of one.
  int64_t rows = 1, sharers = 1;
  /// Of these, how many neighbours are in one warp, so many lanes apart: they
  /// exchange numbers by shuffles.
  int64_t lanes = 1, laneStride = 1;

  /// The warps, or threads, of a row that exchange numbers in shared memory.
  int64_t slots() const { return sharers / lanes; }
  /// The numbers of a block: a factor for each row, and the slots' behind.
  int64_t count() const { return rows * (1 + slots()); }
};
SoftmaxRows softmaxRows(const KernelLayout &ofFirst, const Contraction &second,
                        const LinkedIndices &linked);

/// The difference that a step along each index of the producer makes to the
/// number of a row in the block's tile; zero of those that a row is along.
std::vector<int64_t> rowStrides(const Contraction &first,
                                const KernelLayout &ofFirst,
                                const SoftmaxRows &rows);

/// The input of the first of two contractions that stays in its shared tile
/// while the last one steps on: it has none of the indices of these steps, and
/// all of K is in one tile. None if there is no such input.
std::optional<Tensor> keptInput(const KernelLayout &ofFirst,
                                const Contraction &second,
                                const IndexedEdge &edge);

/// Returns true if each thread has summed of the producer just what it
/// multiplies in the last contraction, which takes it as A: rows of matrix
/// instructions, all columns of which one warp has, of two factors in a
/// register. The tensor between the two stays in registers then.
bool staysInRegisters(const KernelLayout &ofBefore, const KernelLayout &ofLast,
                      const IndexedEdge &edge);

/// The places of a chain's shared tiles, in bytes.
struct ChainPlaces {
  /// The beginning of those of the last contraction, and of the numbers of
  /// rows. If what it takes stays in registers, others may be where its shared
  /// tile would be.
  int64_t lastOffset = 0, statisticsOffset = 0;
  /// All shared memory of a block.
  int64_t bytes = 0;
  /// Registers of a thread, as `KernelLayout::registers` estimates them: where
  /// the last contraction steps, its sums are there beside what those before
  /// need.
  int64_t registers = 0;
};
ChainPlaces placeChain(const std::vector<const KernelLayout *> &layouts,
                       const Contraction &last, const IndexedEdge &edge);

/// The difference that a step along an index of the tensor between producer and
/// consumer makes to an element's place in the shared tile of that input of the
/// consumer.
int64_t sharedTileStride(const KernelLayout &ofSecond, Tensor sink,
                         unsigned index);

} // namespace tc::model

#endif // TC_GPU_LAYOUT_CHAINLAYOUT_H
