//===- KernelLayout.h - What a schedule means for one kernel ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything that follows from a contraction, a schedule and a target without
// a further decision: how panels lie in shared memory, how wide accesses are,
// which thread copies what. The cost model folds over it and the lowering
// materialises it, so the two cannot disagree.
//
// Panels hold elements of the accumulator's type, the panel of B follows that
// of A at a multiple of 16 bytes. Tensors are taken to start at multiples of 16
// bytes. Thread t of a block is (tm, tn) = (t % threadsM, t / threadsM), or
// (t / threadsN, t % threadsN) where the lanes walk N; its accumulators are
// m = (gm * threadsM + tm) * groupM + v for gm in [0, registerM / groupM) and v
// in [0, groupM), and the same for n.
//
//===----------------------------------------------------------------------===//

#ifndef TC_MODEL_KERNELLAYOUT_H
#define TC_MODEL_KERNELLAYOUT_H

#include "tc/Model/Contraction.h"
#include "tc/Model/GridOrder.h"
#include "tc/Model/Schedule.h"
#include "tc/Model/Target.h"

#include <vector>

namespace tc::model {

/// One index as the block tile cuts it.
struct TileDim {
  unsigned index = 0; ///< position in Contraction::indices
  int64_t extent = 1; ///< of the tensor along the index
  int64_t tile = 1;   ///< of the tile along the index
  /// Distance, in elements of the panel's row, between neighbours along the
  /// index: the product of the tiles that vary faster in the schedule's list.
  int64_t panelStride = 1;

  /// Tiles that cover the extent.
  int64_t tiles() const { return (extent + tile - 1) / tile; }
  /// Whether the last tile is cut off by the extent.
  bool ragged() const { return extent % tile != 0; }
};

/// A schedule whose lists have been found to fit a contraction.
struct BlockTile {
  /// In the schedule's order.
  std::vector<TileDim> m, n, k;
  int64_t registerM = 1, registerN = 1;
  GridMapping mapping;
};

/// How the threads of a block copy their tile of A or B into shared memory.
struct Staging {
  /// The tile's dimensions in the order in which consecutive accesses walk
  /// them, fastest first: by ascending stride in global memory. Dimensions of
  /// tile extent one come last.
  std::vector<TileDim> order;
  /// Elements that one global access moves, all along `order.front()`.
  int64_t width = 1;
  /// Accesses that cover the tile, and the most that one thread makes.
  int64_t accesses = 1;
  int64_t accessesPerThread = 1;
  /// Length in elements of one row (one value of k) of the panel. Padded by 16
  /// bytes where the copy transposes, so that its stores spread over banks.
  int64_t rowLength = 1;
  /// Whether the elements of one access are neighbours in a panel row, so that
  /// they are stored to shared memory at once.
  bool contiguousInPanel = false;
};

/// The layout of one kernel.
struct KernelLayout {
  /// Tile dimensions of each role, in the schedule's order: last fastest.
  /// Batch indices have tiles of extent one.
  std::vector<TileDim> batch, m, n, k;
  int64_t blockM = 1, blockN = 1, blockK = 1;
  int64_t threads = 1, threadsM = 1, threadsN = 1;
  int64_t registerM = 1, registerN = 1;
  /// Consecutive lanes walk N (else M): the side that holds C's stride-one
  /// index, so that their stores coalesce.
  bool lanesAlongN = false;
  /// Consecutive elements of one thread along M and along N: one shared-memory
  /// access, of at most the widest.
  int64_t groupM = 1, groupN = 1;
  /// Elements of C that one global access moves, along the side of the lanes.
  int64_t widthC = 1;
  Staging a, b;
  /// Steps of a block's K loop.
  int64_t steps = 1;
  GridMapping mapping;
  /// Blocks of the grid along M and N, and in all.
  int64_t gridM = 1, gridN = 1;
  int64_t blocks = 1;
  /// Shared memory of one block, in bytes.
  int64_t sharedBytes = 0;
  /// Where B's panel begins in it, in bytes; A's begins at zero.
  int64_t panelBOffsetBytes = 0;
  /// An upper estimate of 32-bit registers that one thread needs: its
  /// accumulators, its fragments of both panels, the elements that it has in
  /// flight between global and shared memory with a 64-bit address for each
  /// access (and a part of one where accesses don't differ by constants), and
  /// `registerOverhead`.
  int64_t registers = 0;
};

/// Registers of a thread for loop counters, predicates and addresses that do
/// not depend on the schedule.
inline constexpr int64_t registerOverhead = 32;

/// Most blocks of a grid, and most steps of the K loop: what fits in the
/// grid's x dimension and in a signed 32-bit counter.
inline constexpr int64_t maxBlocks = 2147483647, maxSteps = 2147483647;

/// Registers that a multiprocessor must have for a block of that many threads
/// to be launched, each of which needs `registers`. The check takes it that
/// warps come in multiples of the partitions, which have their own registers.
int64_t allocatedRegisters(int64_t registers, int64_t threads,
                           const Target &target);

/// Blocks of that kind that the registers of a multiprocessor have room for at
/// once. Warps of several blocks do share the partitions out between them.
int64_t blocksByRegisters(int64_t registers, int64_t threads,
                          const Target &target);

/// Works out the layout. Fails, naming the constraint, the index or resource,
/// the wanted and the allowed figure, if the schedule cannot be obeyed: a list
/// that does not name exactly the indices of its role, a tile outside
/// [1, extent], register tiles that do not divide the block's, too many
/// threads, registers, bytes of shared memory or blocks.
Result<KernelLayout> layOut(const Contraction &contraction,
                            const Schedule &schedule, const Target &target);

/// The same for tiles that are known to fit.
Result<KernelLayout> layOut(const Contraction &contraction,
                            const BlockTile &tile, const Target &target);

/// The part of a layout that only depends on the block's size: threads,
/// register tiles, groups, the side of the lanes, and registers as for a single
/// access of one element for each operand.
Result<KernelLayout> mapThreads(const Contraction &contraction, int64_t blockM,
                                int64_t blockN, int64_t registerM,
                                int64_t registerN, const Target &target);

/// Whether the accesses of one thread, which lie `threads` apart in the order
/// of the staging, differ by distances that are the same for all threads. They
/// do if stepping by `threads` moves one digit of the mixed radix alone.
bool stepsAreUniform(const Staging &staging, int64_t threads);

/// The dimensions that the number of a tile of C runs over in mixed radix
/// (their `tiles()`), fastest first: M from its last dimension to its first,
/// then N and then the batch likewise.
std::vector<TileDim> gridOrder(const KernelLayout &layout);

/// The tiles that cover a list of dimensions; saturates.
int64_t tileCount(const std::vector<TileDim> &dims);

/// The blocks of the grid, to place them by.
BlockGrid blockGridOf(const KernelLayout &layout);

/// The numbers of the tiles of C that a block works on, in that order.
std::vector<int64_t> tilesOfBlock(const KernelLayout &layout, int64_t block);

} // namespace tc::model

#endif // TC_MODEL_KERNELLAYOUT_H
