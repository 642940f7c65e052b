//===- Phases.cpp - Time of a kernel with all its waits -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block works out offsets, waits for its first tiles, multiplies while later
// ones come, and stores. Blocks that run at once fill one another's waits as
// far as they don't want the same.
//
//===----------------------------------------------------------------------===//

#include "Phases.h"

#include "Execution.h"

#include "tc/Support/Arithmetic.h"

#include <algorithm>
#include <array>

namespace tc::model {

namespace {

/// Bytes of an instruction (Jia et al., arXiv 1804.06826, section 2.1).
constexpr double instructionBytes = 16;

/// The part of the shared rates that one multiprocessor gets, in bytes a cycle.
struct Share {
  double l2, dram;

  Share(const KernelLayout &layout, const Target &target) {
    double all = target.clockHertz *
                 static_cast<double>(
                     std::min<int64_t>(layout.blocks, target.multiprocessors));
    auto port = static_cast<double>(target.l2PortBytesPerCycle);
    l2 = std::min(port, target.l2BytesPerSecond / all);
    dram = std::min(port, target.attainable.memoryCopies *
                              target.memoryBytesPerSecond / all);
  }
};

class PhaseCounter {
public:
  PhaseCounter(const Contraction &contraction, const KernelLayout &layout,
               const Cost &cost, const BlockWork &work, const Target &target)
      : contraction(contraction), layout(layout), target(target), work(work),
        stationary(layout.mapping.stationary), share(layout, target),
        warps(static_cast<double>(ceilDivide(layout.threads, target.warpSize))),
        balance(imbalance(ceilDivide(layout.threads, target.warpSize), target)),
        latency(target.memoryLatencyCycles) {
    this->work.product.issue += bankCycles(work.product.pipe);
    for (Tensor tensor : allTensors) {
      double l2 = cost[Level::L2].bytes[tensor] +
                  cost.tagLookups[tensor] * target.costs.time.lookupBytes;
      (tensor == Tensor::C ? storedL2 : loadedL2) += perBlock(l2) / share.l2;
      (tensor == Tensor::C ? storedDram : loadedDram) +=
          perBlock(cost[Level::DRAM].bytes[tensor]) / share.dram;
    }
    sent = target.costs.time.storePortCycles *
           perBlock(cost.tagLookups[Tensor::C] +
                    cost[Level::L2].bytes[Tensor::C] /
                        static_cast<double>(target.sectorBytes));
    storedL2 = std::max(storedL2, sent);
    tiles = stationary == Stationary::Output
                ? 1
                : static_cast<double>(std::min(
                      layout.mapping.tilesPerBlock,
                      tileCount(stationary == Stationary::A ? layout.n
                                                            : layout.m)));
    steps = stationary == Stationary::Output ? static_cast<double>(layout.steps)
                                             : tiles;
  }

  /// Of each of so many blocks that run at once.
  BlockPhases count(int64_t atOnce) const {
    BlockPhases block;
    block.multiplying =
        busyCycles() *
        imbalance(atOnce * ceilDivide(layout.threads, target.warpSize), target);
    double alone;
    if (stationary == Stationary::Output) {
      block.moving = first() * tile() +
                     (steps - first()) *
                         std::max(early() * tile(), tile() - stepCycles()) +
                     storing();
      alone = sumCycles();
    } else {
      alone = walkCycles();
      block.moving = tile() + std::max(0.0, movingCycles() - alone);
    }
    block.waiting =
        std::max(0.0, alone - block.multiplying - block.moving) + sharing();
    return block;
  }

  /// Cycles in which all that the block moves passes.
  double movingCycles() const {
    return std::max(loadedL2 + storedL2, loadedDram + storedDram);
  }

  /// After the last block of a sum has ended all but the adding up.
  double tail() const {
    if (layout.mapping.splitK == 1)
      return 0;
    auto parts = static_cast<double>(layout.mapping.splitK);
    return parts * (latency + partCycles()) +
           (parts * work.add + work.store) * balance;
  }

  /// Until all code is there that a warp runs through for the first time. Code
  /// that is fetched ahead comes with it.
  double fetching() const {
    double cycles = work.product.issue - bankCycles(work.product.pipe) +
                    work.copyA.issue + work.copyB.issue + work.offsets +
                    work.store;
    return ofThread(cycles) * instructionBytes * target.l2LatencyCycles /
           static_cast<double>(target.fetchAheadBytes + target.lineBytes);
  }

private:
  double perBlock(double bytes) const {
    return bytes / static_cast<double>(layout.blocks);
  }
  /// Instructions of one thread that take so many cycles of all schedulers.
  double ofThread(double cycles) const {
    return cycles * static_cast<double>(target.warpInstructionsPerCycle) /
           warps;
  }

  /// Cycles beside those of multiply-adds of f32 in which schedulers wait for
  /// registers: two of the three operands lie in one bank, and the best library
  /// attains the rate that is left.
  double bankCycles(double pipe) const {
    bool hasBanks =
        !layout.isCollective() && contraction.factorType == ElementType::F32;
    return hasBanks ? pipe * (1 / target.attainable.sustainedF32 - 1) : 0;
  }

  /// The stores of a step to shared tiles by way of registers, when no warp
  /// multiplies.
  StepCycles throughRegisters() const {
    StepCycles cycles;
    if (layout.a.passesRegisters() && stationary != Stationary::A)
      cycles += work.copyA;
    if (layout.b.passesRegisters() && stationary != Stationary::B)
      cycles += work.copyB;
    return cycles;
  }

  double productCycles() const {
    StepCycles all = work.step(stationary);
    StepCycles apart = throughRegisters() * -1;
    all += apart;
    return all.limit() + throughRegisters().limit();
  }

  /// Of a step of a block by itself: after a barrier, or two where shared tiles
  /// are stored in between, no warp multiplies before its first fragments are
  /// there.
  double stepCycles() const {
    auto depth =
        static_cast<double>(std::min(layout.stepDepth(), layout.blockK));
    double barriers = throughRegisters().limit() > 0 ? 2 : 1;
    return productCycles() * balance + barriers * target.barrierCycles +
           work.product.shared * depth / static_cast<double>(layout.blockK);
  }

  /// Loads of the tile of one step.
  double tile() const { return std::max(loadedL2, loadedDram) / steps; }
  /// Steps by which they begin before it.
  double ahead() const {
    return layout.copiesPassRegisters()
               ? 1
               : std::max(1.0, static_cast<double>(layout.buffers - 1));
  }

  /// Tiles that are on their way before the first step.
  double first() const { return std::min(ahead(), steps); }
  double early() const {
    return layout.copiesPassRegisters() ? target.costs.time.earlyStorePart : 0;
  }

  /// Each instruction for offsets needs the one before it.
  double offsetCycles() const {
    return std::max(work.offsets * balance,
                    ofThread(work.offsets) * target.costs.time.dependentCycles);
  }
  /// Elements of C pass to the L1 cache as to shared memory.
  double storeWavefronts() const {
    return static_cast<double>(layout.blockM * layout.blockN) *
           static_cast<double>(byteWidth(contraction.elementType[Tensor::C])) *
           (contraction.readsC ? 2 : 1) /
           static_cast<double>(target.sharedBytesPerCycle);
  }
  double storeCycles() const {
    return std::max(work.store * balance, storeWavefronts()) +
           (contraction.readsC ? latency : 0);
  }
  /// From a block's first store until all have left for DRAM.
  double storing() const { return std::max(storedL2, storedDram); }

  double busyCycles() const {
    StepCycles all = work.step(stationary) * steps;
    all += work.stationary(stationary);
    all.issue += tiles * (work.offsets + work.store);
    all.shared += tiles * storeWavefronts();
    if (layout.mapping.splitK > 1)
      all.issue += work.publish + work.add;
    return std::max(all.limit(), steps * productCycles() +
                                     work.stationary(stationary).limit());
  }

  /// A block by itself that steps along K. The stores of the one before it are
  /// on their way until its first loads pass.
  double sumCycles() const {
    double step = stepCycles(), wait = latency + tile();
    double later = early() > 0 ? step : std::max(step, tile());
    double hidden = std::max(0.0, wait - ahead() * later) / ahead();
    return std::max(offsetCycles() + storeCycles(), storing()) + latency +
           first() * (tile() + step) + (steps - first()) * later +
           (steps - 1) * (early() * wait + (1 - early()) * hidden);
  }

  /// A block by itself that loops over tiles.
  double walkCycles() const {
    bool passesRegisters =
        (stationary == Stationary::A ? layout.b : layout.a).passesRegisters();
    // Threads wait until there is room for their stores.
    double storing = std::max(offsetCycles() + storeCycles(), sent / tiles);
    double covered =
        storing + (passesRegisters ? productCycles() * balance : 0);
    return tiles * (productCycles() * balance + storing +
                    2 * target.barrierCycles) +
           (tiles - 1) * std::max(0.0, latency + tile() - covered) +
           work.stationary(stationary).limit() * balance + latency + tile();
  }

  double partCycles() const {
    return static_cast<double>(layout.blockM * layout.blockN) *
           static_cast<double>(byteWidth(contraction.accumulatorType)) /
           share.l2;
  }
  /// Blocks that share a sum wait until their parts are stored, and for the
  /// count of blocks.
  double sharing() const {
    return layout.mapping.splitK == 1
               ? 0
               : partCycles() + 2 * (latency + target.barrierCycles);
  }

  const Contraction &contraction;
  const KernelLayout &layout;
  const Target &target;
  BlockWork work;
  Stationary stationary;
  Share share;
  double warps, balance, latency;
  /// Cycles of the share for a block's loads and stores.
  double loadedL2 = 0, loadedDram = 0, storedL2 = 0, storedDram = 0;
  /// Cycles in which requests to store, and their data, leave the
  /// multiprocessor.
  double sent = 0;
  double tiles = 1, steps = 1;
};

} // namespace

double cyclesOfEach(const BlockPhases &block, int64_t blocks) {
  const std::array<double, 2> demands = {block.multiplying, block.moving};
  // Blocks that are found at each when another comes.
  std::array<double, 2> queues = {};
  double each = block.alone();
  for (int64_t count = 1; count <= blocks; ++count) {
    std::array<double, 2> times;
    double all = block.waiting;
    for (size_t i = 0; i < demands.size(); ++i)
      all += times[i] = demands[i] * (1 + queues[i]);
    each = all / static_cast<double>(count);
    for (size_t i = 0; i < demands.size(); ++i)
      queues[i] = times[i] / each;
  }
  return each;
}

double predictCycles(const Contraction &contraction, const KernelLayout &layout,
                     const Cost &cost, const BlockWork &work,
                     const Target &target) {
  PhaseCounter counter(contraction, layout, cost, work, target);
  int64_t blocks =
      ceilDivide(layout.blocks, static_cast<int64_t>(target.multiprocessors));
  // Registers are given to warps in steps, of which their estimate may be one
  // short.
  int64_t registers = layout.registers +
                      target.multiprocessor.registerGranule / target.warpSize;
  int64_t resident =
      std::clamp<int64_t>(blocksByRegisters(registers, layout.threads, target),
                          1, std::min(cost.occupancy.residentBlocks, blocks));
  auto run = [&](int64_t atOnce) {
    BlockPhases block = counter.count(atOnce);
    return static_cast<double>(atOnce) *
           std::max({cyclesOfEach(block, atOnce), block.multiplying,
                     counter.movingCycles()});
  };
  // The last ones are by themselves.
  int64_t wholeRuns = blocks / resident;
  int64_t last = blocks % resident;
  return static_cast<double>(wholeRuns) * run(resident) +
         (last > 0 ? run(last) : 0) + counter.fetching() + counter.tail();
}

} // namespace tc::model
