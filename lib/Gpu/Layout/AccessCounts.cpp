//===- AccessCounts.cpp - Memory accesses of a kernel's warps -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Folds the accesses to one tile over all tiles that blocks copy and store.
//
//===----------------------------------------------------------------------===//

#include "tc/Gpu/Layout/AccessCounts.h"

#include "SharedRequests.h"
#include "TileKinds.h"
#include "WarpRequests.h"
#include "WorkspaceRequests.h"

#include "tc/Problem/ComplexParts.h"
#include "tc/Support/Arithmetic.h"

#include <map>
#include <utility>

namespace tc::model {

namespace {

/// Tiles of one tensor, by the properties that matter to their accesses:
/// extents and phase.
using KindsOfTiles = std::map<std::pair<TileExtents, int64_t>, double>;

void addTiles(KindsOfTiles &kinds, const TileSet &tiles, double times = 1) {
  tiles.visit([&](const TileExtents &extents, int64_t phase, double count) {
    kinds[{extents, phase}] += times * count;
  });
}

/// The work of some blocks: the sum is over blocks.
struct Work {
  double blocks = 0;
  /// Pairs of shared tiles that are multiplied.
  double steps = 0;
  /// Tiles of A and of B that are copied, and tiles of C that are stored.
  PerTensor<KindsOfTiles> tiles;
};

class Counter {
public:
  Counter(const Contraction &contraction, const KernelLayout &layout,
          const Target &target)
      : contraction(contraction), layout(layout), target(target) {}

  AccessCounts countGrid() const {
    Work work;
    work.blocks = static_cast<double>(layout.blocks);
    work.steps = 1;
    for (const std::vector<TileDim> *dims :
         {&layout.batch, &layout.m, &layout.n, &layout.k})
      work.steps *= static_cast<double>(tileCount(*dims));
    for (Tensor tensor : allTensors) {
      TileSet tiles = makeTileSet(tensor);
      for (const std::vector<TileDim> *dims : dimsOf(tensor))
        for (const TileDim &dim : *dims)
          tiles.addAll(dim);
      addTiles(work.tiles[tensor], tiles, visitsOf(tensor));
    }
    AccessCounts counts = count(work);
    if (splitsK())
      counts.partStores = counts.partLoads =
          countPartialSums(contraction, layout, target);
    return counts;
  }

  AccessCounts countBlocks(const std::vector<int64_t> &blocks) const {
    Work work;
    work.blocks = static_cast<double>(blocks.size());
    std::map<int64_t, int64_t> parts;
    for (int64_t block : blocks) {
      addLoads(work, block);
      ++parts[block / layout.mapping.splitK];
    }
    GlobalRequests partStores, partLoads;
    for (auto [sum, present] : parts) {
      bool isComplete = present == layout.mapping.splitK;
      int64_t first = sum * layout.mapping.splitK;
      if (isComplete)
        addStores(work, first);
      if (isComplete && splitsK())
        for (int64_t part = 0; part < present; ++part)
          partLoads +=
              countPartialSums(contraction, layout, target, first + part);
    }
    if (splitsK())
      for (int64_t block : blocks)
        partStores += countPartialSums(contraction, layout, target, block);
    AccessCounts counts = count(work);
    counts.partStores = partStores;
    counts.partLoads = partLoads;
    return counts;
  }

private:
  bool splitsK() const { return layout.mapping.splitK > 1; }
  bool isPersistent() const {
    return layout.mapping.stationary != Stationary::Output;
  }

  TileSet makeTileSet(Tensor tensor) const {
    return {contraction, tensor,
            elementsPerSector(contraction, tensor, target)};
  }

  std::vector<const std::vector<TileDim> *> dimsOf(Tensor tensor) const {
    switch (tensor) {
    case Tensor::A:
      return {&layout.batch, &layout.m, &layout.k};
    case Tensor::B:
      return {&layout.batch, &layout.n, &layout.k};
    case Tensor::C:
      return {&layout.batch, &layout.m, &layout.n};
    }
    return {};
  }

  /// Blocks that copy the same tile, as they differ along the other side only.
  double visitsOf(Tensor tensor) const {
    return tensor == Tensor::A   ? static_cast<double>(layout.gridN)
           : tensor == Tensor::B ? static_cast<double>(layout.gridM)
                                 : 1;
  }

  /// Adds the tile of that number among those along some dimensions, the last
  /// of which is the fastest.
  static void addTile(TileSet &tiles, const std::vector<TileDim> &dims,
                      int64_t number) {
    for (auto dim = dims.rbegin(); dim != dims.rend(); ++dim) {
      tiles.addOne(*dim, number % dim->tiles());
      number /= dim->tiles();
    }
  }

  /// The place of a tile of C among those along M, along N, and in the batch.
  struct TilePlace {
    int64_t m, n, batch;
  };
  TilePlace placeOf(int64_t tile) const {
    int64_t tilesM = tileCount(layout.m), tilesN = tileCount(layout.n);
    return {tile % tilesM, tile / tilesM % tilesN, tile / (tilesM * tilesN)};
  }

  void addLoads(Work &work, int64_t block) const {
    IntegerArithmetic arithmetic;
    BlockPlace<int64_t> at = placeOfBlock(blockGridOf(layout), block);
    TileRange<int64_t> steps = tilesOfPart(
        tileCount(layout.k), layout.mapping.splitK, at.part, arithmetic);
    std::vector<int64_t> tiles = tilesOfBlock(layout, block);
    work.steps +=
        static_cast<double>(steps.count) * static_cast<double>(tiles.size());
    for (size_t i = 0; i < tiles.size(); ++i) {
      TilePlace place = placeOf(tiles[i]);
      for (auto [tensor, side, number, keeper] :
           {std::tuple(Tensor::A, &layout.m, place.m, Stationary::A),
            std::tuple(Tensor::B, &layout.n, place.n, Stationary::B)}) {
        // The stationary operand is brought once.
        if (i > 0 && layout.mapping.stationary == keeper)
          continue;
        for (int64_t step = 0; step < steps.count; ++step) {
          TileSet set = makeTileSet(tensor);
          addTile(set, layout.batch, place.batch);
          addTile(set, *side, number);
          addTile(set, layout.k, steps.first + step);
          addTiles(work.tiles[tensor], set);
        }
      }
    }
  }

  void addStores(Work &work, int64_t block) const {
    for (int64_t tile : tilesOfBlock(layout, block)) {
      TilePlace place = placeOf(tile);
      TileSet set = makeTileSet(Tensor::C);
      addTile(set, layout.batch, place.batch);
      addTile(set, layout.m, place.m);
      addTile(set, layout.n, place.n);
      addTiles(work.tiles[Tensor::C], set);
    }
  }

  AccessCounts count(const Work &work) const {
    AccessCounts counts;
    counts.blocks = work.blocks;
    countSharedTiles(counts, work);
    countProducts(counts, work.steps);
    countBarriers(counts, work);
    for (Tensor tensor : {Tensor::A, Tensor::B})
      countLoadsOf(counts, tensor, work.tiles[tensor]);
    if (contraction.reducesC)
      return counts;
    for (const auto &[kind, times] : work.tiles[Tensor::C])
      counts.stores.addScaled(
          countStores(contraction, layout, kind.first, kind.second, target),
          times);
    if (contraction.readsC)
      counts.loads[Tensor::C] = counts.stores;
    return counts;
  }

  void countSharedTiles(AccessCounts &counts, const Work &work) const {
    for (bool ofN : {false, true}) {
      SharedRequests loads = countFragmentLoads(layout, ofN, target);
      if (layout.loadsMatrices())
        counts.matrixLoads += work.steps * std::exchange(loads.instructions, 0);
      counts.sharedLoads.addScaled(loads, work.steps);

      const TiledCopy &tiledCopy = ofN ? layout.b : layout.a;
      bool stays =
          layout.mapping.stationary == (ofN ? Stationary::B : Stationary::A);
      double copies = stays ? work.blocks : work.steps;
      SharedRequests stores =
          countSharedTileStores(contraction, tiledCopy, target);
      if (!tiledCopy.passesRegisters())
        counts.asynchronousCopies +=
            copies * std::exchange(stores.instructions, 0);
      counts.sharedStores.addScaled(stores, copies);
    }
  }

  void countProducts(AccessCounts &counts, double steps) const {
    double products = steps *
                      static_cast<double>(layout.blockM * layout.blockN) *
                      static_cast<double>(layout.blockK);
    if (layout.isCollective()) {
      counts.matrixInstructions =
          products * static_cast<double>(partProducts(contraction.precision)) /
          static_cast<double>(layout.atom().shape.multiplyAdds());
    } else {
      counts.fmaInstructions =
          warps() * products / static_cast<double>(layout.threads);
      counts.threadFmas = products;
    }
  }

  /// Counts the points at which threads wait for each other.
  void countBarriers(AccessCounts &counts, const Work &work) const {
    // A tile has arrived, and all are done with the one that its successor
    // replaces; in a loop over tiles, that needs a barrier of its own.
    counts.barriers = isPersistent() ? 2 * work.steps : work.steps;
    // Before the shared tiles of another sum.
    if (layout.threeProducts)
      counts.barriers += (minProducts - 1) * work.blocks;
    if (splitsK()) {
      // Partial sums have been stored; all learn whether they are the last.
      counts.barriers += 2 * work.blocks;
      counts.atomics = work.blocks;
      constexpr double flagBytes = 4;
      counts.sharedStores.addScaled({1, flagBytes, 1, 1}, work.blocks);
      counts.sharedLoads.addScaled(
          {warps(), flagBytes * static_cast<double>(layout.threads), warps(),
           warps()},
          work.blocks);
    }
    counts.barrierInstructions = counts.barriers * warps();
  }

  void countLoadsOf(AccessCounts &counts, Tensor tensor,
                    const KindsOfTiles &kinds) const {
    GlobalRequests &sum = counts.loads[tensor];
    for (const auto &[kind, times] : kinds)
      sum.addScaled(countLoads(contraction, layout, tensor, kind.first,
                               kind.second, target),
                    times);
    // Copies that need no registers are instructions of their own kind.
    if (!(tensor == Tensor::A ? layout.a : layout.b).passesRegisters())
      sum.instructions = 0;
  }

  double warps() const {
    return static_cast<double>(ceilDivide(layout.threads, target.warpSize));
  }

  const Contraction &contraction;
  const KernelLayout &layout;
  const Target &target;
};

} // namespace

void GlobalRequests::addScaled(const GlobalRequests &other, double times) {
  instructions += times * other.instructions;
  sectors += times * other.sectors;
  lines += times * other.lines;
  bytes += times * other.bytes;
}

void SharedRequests::addScaled(const SharedRequests &other, double times) {
  instructions += times * other.instructions;
  bytes += times * other.bytes;
  wavefronts += times * other.wavefronts;
  idealWavefronts += times * other.idealWavefronts;
}

GlobalRequests &GlobalRequests::operator+=(const GlobalRequests &other) {
  addScaled(other, 1);
  return *this;
}

SharedRequests &SharedRequests::operator+=(const SharedRequests &other) {
  addScaled(other, 1);
  return *this;
}

SharedStep &SharedStep::operator+=(const SharedStep &other) {
  loads += other.loads;
  stores += other.stores;
  asynchronousCopies += other.asynchronousCopies;
  matrixLoads += other.matrixLoads;
  return *this;
}

AccessCounts &AccessCounts::operator+=(const AccessCounts &other) {
  blocks += other.blocks;
  for (Tensor tensor : allTensors)
    loads[tensor] += other.loads[tensor];
  stores += other.stores;
  partStores += other.partStores;
  partLoads += other.partLoads;
  atomics += other.atomics;
  sharedLoads += other.sharedLoads;
  sharedStores += other.sharedStores;
  fmaInstructions += other.fmaInstructions;
  matrixInstructions += other.matrixInstructions;
  asynchronousCopies += other.asynchronousCopies;
  matrixLoads += other.matrixLoads;
  threadFmas += other.threadFmas;
  barriers += other.barriers;
  barrierInstructions += other.barrierInstructions;
  return *this;
}

AccessCounts countAccesses(const Contraction &contraction,
                           const KernelLayout &layout, const Target &target) {
  return Counter(contraction, layout, target).countGrid();
}

AccessCounts countAccesses(const Contraction &contraction,
                           const KernelLayout &layout, const Target &target,
                           const std::vector<int64_t> &blocks) {
  return Counter(contraction, layout, target).countBlocks(blocks);
}

GlobalRequests countTileLoads(const Contraction &contraction,
                              const KernelLayout &layout, Tensor tensor,
                              const Target &target, int64_t phase) {
  return countLoads(contraction, layout, tensor, wholeTile(contraction, layout),
                    phase, target);
}

GlobalRequests countTileStores(const Contraction &contraction,
                               const KernelLayout &layout, const Target &target,
                               int64_t phase) {
  return countStores(contraction, layout, wholeTile(contraction, layout), phase,
                     target);
}

} // namespace tc::model
