//===- Execution.cpp - Execution time of a kernel's blocks ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Follows one block through its loop nest: the work that it gives its
// multiprocessor, and its waits where it is by itself.
//
//===----------------------------------------------------------------------===//

#include "Execution.h"

#include "tc/Support/Arithmetic.h"

#include <algorithm>

namespace tc::model {

namespace {

/// Cycles of one block.
struct BlockCycles {
  /// Cycles in which it keeps its multiprocessor busy.
  double busy = 0;
  /// By itself, with its waits.
  double alone = 0;
  /// Besides, of the block that adds up a sum: what other blocks may cover
  /// unless they have all ended.
  double tail = 0;
};

class BlockTimer {
public:
  BlockTimer(const Contraction &contraction, const KernelLayout &layout,
             const BlockWork &work, const Target &target)
      : contraction(contraction), layout(layout), work(work), target(target),
        step(work.step(layout.mapping.stationary).limit()),
        latency(target.memoryLatencyCycles),
        balance(
            imbalance(ceilDivide(layout.threads, target.warpSize), target)) {}

  BlockCycles count() const {
    if (layout.mapping.stationary != Stationary::Output)
      return countWalk();
    BlockCycles block = countSum();
    if (layout.mapping.splitK > 1) {
      shareSum(block);
    } else {
      block.busy += work.store;
      block.alone += work.store * balance + latencyOfC();
    }
    return block;
  }

private:
  /// C is read before it is stored.
  double latencyOfC() const { return contraction.readsC ? latency : 0; }

  /// Adding up K tiles: waits for the first tiles, at the barriers of each
  /// step, and for later tiles as far as its own work does not cover the wait.
  BlockCycles countSum() const {
    auto steps = static_cast<double>(layout.steps);
    BlockCycles block;
    block.busy = steps * step + work.offsets;
    // Data that goes by way of registers is fetched one step ahead.
    double ahead = layout.copiesPassRegisters()
                       ? 1
                       : std::max(1.0, static_cast<double>(layout.buffers - 1));
    block.alone =
        block.busy * balance + latency + steps * target.barrierCycles +
        (steps - 1) * std::max(0.0, latency - ahead * step * balance) / ahead;
    return block;
  }

  /// Walking from tile to tile: waits for the first one, at two barriers each,
  /// and for the next one as far as storing does not cover the wait, and the
  /// product does where it goes by way of registers.
  BlockCycles countWalk() const {
    bool keepsA = layout.mapping.stationary == Stationary::A;
    auto tiles = static_cast<double>(std::min(
        layout.mapping.tilesPerBlock, tileCount(keepsA ? layout.n : layout.m)));
    bool passesRegisters = (keepsA ? layout.b : layout.a).passesRegisters();
    double covered = work.store + (passesRegisters ? step : 0);
    BlockCycles block;
    block.busy = tiles * (step + work.offsets + work.store) +
                 work.stationary(layout.mapping.stationary).limit();
    block.alone = block.busy * balance + latency +
                  tiles * (2 * target.barrierCycles + latencyOfC()) +
                  (tiles - 1) * std::max(0.0, latency - covered * balance);
    return block;
  }

  /// All blocks store their partial sums, wait until these are there for all,
  /// and for the count of blocks. The last one adds them up, part by part.
  void shareSum(BlockCycles &block) const {
    auto parts = static_cast<double>(layout.mapping.splitK);
    // By the share of one multiprocessor.
    double transfer = partialSumBytes(contraction, layout) /
                      static_cast<double>(layout.blocks) *
                      target.multiprocessors * target.clockHertz /
                      target.l2BytesPerSecond;
    double adding = parts * work.add + work.store;
    block.busy += work.publish + adding / parts;
    block.alone += (work.publish + adding / parts) * balance + transfer +
                   2 * (latency + target.barrierCycles);
    block.tail = parts * (latency + transfer) + adding * balance + latencyOfC();
  }

  const Contraction &contraction;
  const KernelLayout &layout;
  const BlockWork &work;
  const Target &target;
  double step, latency, balance;
};

} // namespace

double imbalance(int64_t warps, const Target &target) {
  int64_t partitions = target.multiprocessor.partitions;
  return static_cast<double>(roundUp(warps, partitions)) /
         static_cast<double>(warps);
}

double partialSumBytes(const Contraction &contraction,
                       const KernelLayout &layout) {
  if (layout.mapping.splitK == 1)
    return 0;
  return static_cast<double>(layout.blocks) *
         static_cast<double>(layout.blockM * layout.blockN) *
         static_cast<double>(byteWidth(contraction.accumulatorType));
}

double wavesCycles(const Contraction &contraction, const KernelLayout &layout,
                   const Occupancy &occupancy, const BlockWork &work,
                   const Target &target) {
  BlockCycles block = BlockTimer(contraction, layout, work, target).count();
  int64_t warps = ceilDivide(layout.threads, target.warpSize);
  auto wave = [&](int64_t blocks) {
    return std::max(static_cast<double>(blocks) * block.busy *
                        imbalance(blocks * warps, target),
                    block.alone);
  };
  auto multiprocessors = static_cast<int64_t>(target.multiprocessors);
  int64_t perWave = occupancy.residentBlocks * multiprocessors;
  int64_t wholeWaves = layout.blocks / perWave;
  int64_t rest = layout.blocks % perWave;
  double cycles =
      static_cast<double>(wholeWaves) * wave(occupancy.residentBlocks);
  if (rest > 0)
    cycles += wave(ceilDivide(rest, multiprocessors));
  return cycles + block.tail;
}

} // namespace tc::model
