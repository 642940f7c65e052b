//===- Schedule.h - Decisions about the code of a contraction ---*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A schedule denotes one loop nest. `#tc.schedule` stores this very struct, the
// search fills it in, the lowering obeys it.
//
//===----------------------------------------------------------------------===//

#ifndef TC_GPU_LAYOUT_SCHEDULE_H
#define TC_GPU_LAYOUT_SCHEDULE_H

#include "tc/Gpu/Atoms/MultiplyAtom.h"
#include "tc/Problem/Tile.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tc::model {

/// The data that stays in place while a block works: the accumulators, as it
/// steps along K, or one operand's shared tile, as it loops over the tiles of
/// the other side.
enum class Stationary : unsigned { Output, A, B };
std::string_view stringify(Stationary stationary);

/// The mapping of output tiles to blocks.
struct GridMapping {
  /// The order in which blocks are numbered (rasterisation): along M first, in
  /// groups of that many M tiles. A group covers all N tiles before the next
  /// one begins. Zero means one group.
  int64_t rasterM = 0;
  /// With A or B stationary, a block computes `tiles_per_block` output tiles
  /// one after the other, along N or along M. One K tile must then span K.
  Stationary stationary = Stationary::Output;
  int64_t tilesPerBlock = 1;
  /// Blocks that share the sum of one output tile. Each adds up some of the K
  /// tiles, and their partial sums are added up through global memory.
  int64_t splitK = 1;

  bool operator==(const GridMapping &other) const {
    return rasterM == other.rasterM && stationary == other.stationary &&
           tilesPerBlock == other.tilesPerBlock && splitK == other.splitK;
  }
};

/// The decisions for one contraction on a GPU.
struct Schedule {
  /// Name of the target that it was made for ("sm_90").
  std::string target;
  /// The thread block's tile along every M, N and K index. The order within a
  /// list is that of the shared tiles in shared memory and of the accumulators:
  /// the last index varies fastest.
  std::vector<TileExtent> m, n, k;
  /// Accumulators of one thread, along M and along N.
  int64_t registerM = 1, registerN = 1;
  GridMapping mapping = {};
  Instruction instruction = Instruction::FMA;
  /// Tiles of A and of B that a block holds in shared memory at once: the one
  /// that it multiplies, and those on their way.
  int64_t stages = 2;

  int64_t blockM() const { return extentsProduct(m); }
  int64_t blockN() const { return extentsProduct(n); }
  int64_t blockK() const { return extentsProduct(k); }
  /// Threads of a block along M, along N, and in all.
  int64_t threadsM() const { return blockM() / registerM; }
  int64_t threadsN() const { return blockN() / registerN; }
  int64_t threads() const { return threadsM() * threadsN(); }

  bool operator==(const Schedule &other) const {
    return target == other.target && m == other.m && n == other.n &&
           k == other.k && registerM == other.registerM &&
           registerN == other.registerN && mapping == other.mapping &&
           instruction == other.instruction && stages == other.stages;
  }
};

} // namespace tc::model

#endif // TC_GPU_LAYOUT_SCHEDULE_H
