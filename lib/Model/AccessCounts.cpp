//===- AccessCounts.cpp - What a kernel's warps ask for -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Folds the accesses to one tile over all tiles that blocks copy and store.
//
//===----------------------------------------------------------------------===//

#include "tc/Model/AccessCounts.h"

#include "TileKinds.h"
#include "WarpRequests.h"

#include "tc/Support/Arithmetic.h"

namespace tc::model {

namespace {

void addScaled(GlobalRequests &sum, const GlobalRequests &requests,
               double times) {
  sum.instructions += times * requests.instructions;
  sum.sectors += times * requests.sectors;
  sum.bytes += times * requests.bytes;
}

void addScaled(SharedRequests &sum, const SharedRequests &requests,
               double times) {
  sum.instructions += times * requests.instructions;
  sum.bytes += times * requests.bytes;
  sum.wavefronts += times * requests.wavefronts;
  sum.idealWavefronts += times * requests.idealWavefronts;
}

/// Instructions that multiply one product of fragments.
double productsOf(Precision precision) {
  return precision == Precision::TF32x3 ? 3 : 1;
}

class Counter {
public:
  Counter(const Contraction &contraction, const KernelLayout &layout,
          const Target &target)
      : contraction(contraction), layout(layout), target(target) {}

  AccessCounts countGrid() const {
    auto all = [](TileSet &tiles, const TileDim &dim) { tiles.addAll(dim); };
    AccessCounts counts = countPerBlock(static_cast<double>(layout.blocks));
    counts.loads[Tensor::A] = countLoadsOf(Tensor::A, layout.m, all);
    counts.loads[Tensor::B] = countLoadsOf(Tensor::B, layout.n, all);
    // Blocks that differ along the other side load the same tiles.
    for (auto [tensor, dims] :
         {std::pair(Tensor::A, &layout.n), std::pair(Tensor::B, &layout.m)}) {
      auto repeats = static_cast<double>(tileCount(*dims));
      GlobalRequests once = counts.loads[tensor];
      counts.loads[tensor] = {};
      addScaled(counts.loads[tensor], once, repeats);
    }
    countC(counts, all);
    return counts;
  }

  AccessCounts countBlock(int64_t block) const {
    std::vector<int64_t> tileOf(contraction.indices.size(), 0);
    int64_t tile = tilesOfBlock(layout, block).front();
    for (const TileDim &dim : gridOrder(layout)) {
      tileOf[dim.index] = tile % dim.tiles();
      tile /= dim.tiles();
    }
    auto one = [&](TileSet &tiles, const TileDim &dim) {
      tiles.addOne(dim, tileOf[dim.index]);
    };
    AccessCounts counts = countPerBlock(1);
    counts.loads[Tensor::A] = countLoadsOf(Tensor::A, layout.m, one);
    counts.loads[Tensor::B] = countLoadsOf(Tensor::B, layout.n, one);
    countC(counts, one);
    return counts;
  }

private:
  /// What does not depend on which block it is.
  AccessCounts countPerBlock(double blocks) const {
    SharedStep step = countSharedStep(contraction, layout, target);
    auto steps = static_cast<double>(layout.steps);
    auto warps =
        static_cast<double>(ceilDivide(layout.threads, target.warpSize));
    InstructionShape shape = shapeOf(layout.instruction);
    auto perBlock = static_cast<double>(layout.blockM * layout.blockN) *
                    static_cast<double>(layout.blockK) * steps;
    AccessCounts counts;
    counts.blocks = blocks;
    addScaled(counts.sharedLoads, step.loads, blocks * steps);
    addScaled(counts.sharedStores, step.stores, blocks * steps);
    counts.asynchronousCopies = blocks * steps * step.asynchronousCopies;
    counts.matrixLoads = blocks * steps * step.matrixLoads;
    if (isMatrixInstruction(layout.instruction)) {
      counts.matrixInstructions =
          blocks * perBlock * productsOf(contraction.precision) /
          static_cast<double>(shape.rows * shape.columns * shape.depth);
    } else {
      counts.fmaInstructions =
          blocks * warps * perBlock / static_cast<double>(layout.threads);
      counts.threadFmas = blocks * perBlock;
    }
    // A tile has arrived, and all are done with the one that its successor
    // replaces.
    counts.barriers = blocks * steps;
    counts.barrierInstructions = counts.barriers * warps;
    return counts;
  }

  /// `add` adds the tiles along one dimension of the grid that are of interest.
  template <typename Add>
  GlobalRequests countLoadsOf(Tensor tensor, const std::vector<TileDim> &side,
                              Add add) const {
    TileSet tiles(contraction, tensor,
                  elementsPerSector(contraction, tensor, target));
    for (const std::vector<TileDim> *dims : {&layout.batch, &side})
      for (const TileDim &dim : *dims)
        add(tiles, dim);
    for (const TileDim &dim : layout.k)
      tiles.addAll(dim);
    GlobalRequests sum;
    tiles.visit([&](const TileExtents &extents, int64_t phase, double count) {
      addScaled(sum,
                countLoads(contraction, layout, tensor, extents, phase, target),
                count);
    });
    // Asynchronous copies are instructions of their own kind.
    if ((tensor == Tensor::A ? layout.a : layout.b).asynchronous)
      sum.instructions = 0;
    return sum;
  }

  template <typename Add> void countC(AccessCounts &counts, Add add) const {
    TileSet tiles(contraction, Tensor::C,
                  elementsPerSector(contraction, Tensor::C, target));
    for (const std::vector<TileDim> *dims :
         {&layout.batch, &layout.m, &layout.n})
      for (const TileDim &dim : *dims)
        add(tiles, dim);
    tiles.visit([&](const TileExtents &extents, int64_t phase, double count) {
      addScaled(counts.stores,
                countStores(contraction, layout, extents, phase, target),
                count);
    });
    if (contraction.readsC)
      counts.loads[Tensor::C] = counts.stores;
  }

  const Contraction &contraction;
  const KernelLayout &layout;
  const Target &target;
};

} // namespace

GlobalRequests &GlobalRequests::operator+=(const GlobalRequests &other) {
  addScaled(*this, other, 1);
  return *this;
}

SharedRequests &SharedRequests::operator+=(const SharedRequests &other) {
  addScaled(*this, other, 1);
  return *this;
}

AccessCounts &AccessCounts::operator+=(const AccessCounts &other) {
  blocks += other.blocks;
  for (Tensor tensor : allTensors)
    loads[tensor] += other.loads[tensor];
  stores += other.stores;
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
  Counter counter(contraction, layout, target);
  AccessCounts sum;
  for (int64_t block : blocks)
    sum += counter.countBlock(block);
  return sum;
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
