//===- CostModel.cpp - How long a kernel will take ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Folds over a kernel's layout. Instruction counts are those of the loop nest
// that the layout describes; the few that stand for index arithmetic are rough,
// and only break ties between kernels that do the same work.
//
//===----------------------------------------------------------------------===//

#include "tc/Model/CostModel.h"

#include "tc/Support/Arithmetic.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tc::model {

namespace {

/// Instructions of a thread for one access's address and predicate: an addition
/// where accesses differ by constants, else digits of a mixed radix.
constexpr double uniformAddressInstructions = 1, addressInstructions = 8;
/// Instructions of a thread for the predicate of one access where a tile may be
/// cut off.
constexpr double predicateInstructions = 2;
/// Instructions of a thread for the loop and the barriers of one step.
constexpr double stepInstructions = 8;
/// Instructions of a thread for the offset of one row, column or access, which
/// it works out once.
constexpr double offsetInstructions = 10;

double bytesOf(ElementType type) {
  return static_cast<double>(byteWidth(type));
}

/// Wavefronts in which shared memory serves one warp's load of fragments for
/// one value of k.
double fragmentWavefronts(const Contraction &contraction,
                          const KernelLayout &layout, const Target &target) {
  double bytes = bytesOf(contraction.accumulatorType);
  int64_t warp = std::min<int64_t>(target.warpSize, layout.threads);
  int64_t fast = layout.lanesAlongN ? layout.threadsN : layout.threadsM;
  // Lanes with the same position along a side read the same address.
  int64_t positionsFast = std::min(warp, fast);
  int64_t positionsSlow = ceilDivide(warp, fast);
  auto side = [&](int64_t registers, int64_t group, int64_t positions) {
    double distinct = static_cast<double>(positions * group) * bytes;
    return static_cast<double>(registers / group) *
           std::max(1.0,
                    distinct / static_cast<double>(target.sharedBytesPerCycle));
  };
  return side(layout.registerM, layout.groupM,
              layout.lanesAlongN ? positionsSlow : positionsFast) +
         side(layout.registerN, layout.groupN,
              layout.lanesAlongN ? positionsFast : positionsSlow);
}

double stagingInstructions(const Staging &staging, const KernelLayout &layout) {
  double stores =
      staging.contiguousInPanel ? 1 : static_cast<double>(staging.width);
  double address = stepsAreUniform(staging, layout.threads)
                       ? uniformAddressInstructions
                       : addressInstructions;
  if (std::any_of(staging.order.begin(), staging.order.end(),
                  [](const TileDim &dim) { return dim.ragged(); }))
    address += predicateInstructions;
  return static_cast<double>(staging.accessesPerThread) *
         (1 + stores + address);
}

/// A transposing copy stores single elements, of which neighbouring lanes'
/// fall into different rows: about two in one bank.
double stagingWavefronts(const Contraction &contraction, const Staging &staging,
                         const Target &target) {
  double bytes = static_cast<double>(staging.accesses * staging.width) *
                 bytesOf(contraction.accumulatorType);
  return (staging.contiguousInPanel ? 1 : 2) * bytes /
         static_cast<double>(target.sharedBytesPerCycle);
}

/// The cycles of a block for one value of k, copies aside.
StepCycles countFragments(const Contraction &contraction,
                          const KernelLayout &layout, const Target &target) {
  auto warps = static_cast<double>(ceilDivide(layout.threads, target.warpSize));
  auto fmas = static_cast<double>(layout.registerM * layout.registerN);
  auto loads = static_cast<double>(layout.registerM / layout.groupM +
                                   layout.registerN / layout.groupN);
  StepCycles cycles;
  cycles.fma =
      warps * target.warpSize * fmas /
      static_cast<double>(target.fmaPerCycle(contraction.accumulatorType));
  cycles.issue = warps * (fmas + loads) /
                 static_cast<double>(target.warpInstructionsPerCycle);
  cycles.shared = warps * fragmentWavefronts(contraction, layout, target);
  return cycles;
}

StepCycles countStep(const Contraction &contraction, const KernelLayout &layout,
                     const Target &target) {
  auto warps = static_cast<double>(ceilDivide(layout.threads, target.warpSize));
  auto blockK = static_cast<double>(layout.blockK);
  double staging = stagingInstructions(layout.a, layout) +
                   stagingInstructions(layout.b, layout);
  StepCycles step = countFragments(contraction, layout, target);
  step.fma *= blockK;
  step.issue = step.issue * blockK +
               warps * (staging + stepInstructions) /
                   static_cast<double>(target.warpInstructionsPerCycle);
  step.shared = step.shared * blockK +
                stagingWavefronts(contraction, layout.a, target) +
                stagingWavefronts(contraction, layout.b, target);
  return step;
}

/// Cycles of issue for what a block does once: offsets before the K loop, the
/// output after it.
double onceCycles(const Contraction &contraction, const KernelLayout &layout,
                  const Target &target) {
  auto warps = static_cast<double>(ceilDivide(layout.threads, target.warpSize));
  auto offsets = static_cast<double>(
      layout.registerM + layout.registerN + layout.a.accessesPerThread +
      layout.b.accessesPerThread +
      static_cast<int64_t>(contraction.indices.size()));
  double accesses = static_cast<double>(layout.registerM * layout.registerN) /
                    static_cast<double>(layout.widthC) *
                    (contraction.readsC ? 2 : 1);
  return warps *
         (offsets * offsetInstructions +
          accesses * (1 + uniformAddressInstructions)) /
         target.warpInstructionsPerCycle;
}

/// Each warp belongs to the scheduler of one partition: how much longer the one
/// with the most takes than if warps could be shared out evenly.
double imbalance(int64_t warps, const Target &target) {
  int64_t partitions = target.multiprocessor.partitions;
  return static_cast<double>(roundUp(warps, partitions)) /
         static_cast<double>(warps);
}

double memorySeconds(const Traffic &traffic, const Target &target) {
  return traffic.total() * static_cast<double>(target.sectorBytes) /
         target.memoryBytesPerSecond;
}

} // namespace

double StepCycles::limit() const { return std::max({fma, issue, shared}); }

double Cost::seconds() const { return std::max(memorySeconds, computeSeconds); }

int64_t residentBlocks(const KernelLayout &layout, const Target &target) {
  const MultiprocessorLimits &limits = target.multiprocessor;
  int64_t threads = roundUp(layout.threads, target.warpSize);
  int64_t shared =
      roundUp(layout.sharedBytes + limits.reservedSharedBytesPerBlock,
              limits.sharedGranule);
  int64_t byRegisters =
      blocksByRegisters(layout.registers, layout.threads, target);
  int64_t byShared = shared > 0 ? limits.sharedBytes / shared : limits.blocks;
  return std::max<int64_t>(1, std::min({limits.blocks, limits.threads / threads,
                                        byShared, byRegisters}));
}

Cost estimateCost(const Contraction &contraction, const KernelLayout &layout,
                  const Traffic &traffic, const Target &target) {
  Cost cost;
  cost.traffic = traffic;
  cost.residentBlocks = residentBlocks(layout, target);
  cost.step = countStep(contraction, layout, target);
  cost.memorySeconds = memorySeconds(traffic, target);
  cost.lookupSeconds =
      traffic.totalLines() / (target.multiprocessors * target.clockHertz);

  int64_t warps = ceilDivide(layout.threads, target.warpSize);
  auto steps = static_cast<double>(layout.steps);
  double latency = target.memoryLatencyCycles;
  double once = onceCycles(contraction, layout, target);
  double step = cost.step.limit();
  double throughput = steps * step + once;
  // A block by itself waits for its first tiles, at the barriers of each step,
  // and for later tiles as far as its own work does not cover the wait.
  double aloneStep = step * imbalance(warps, target);
  double alone = throughput * imbalance(warps, target) + latency +
                 steps * target.barrierCycles +
                 (steps - 1) * std::max(0.0, latency - aloneStep) +
                 (contraction.readsC ? latency : 0);
  auto wave = [&](int64_t blocks) {
    return std::max(static_cast<double>(blocks) * throughput *
                        imbalance(blocks * warps, target),
                    alone);
  };
  auto multiprocessors = static_cast<int64_t>(target.multiprocessors);
  int64_t perWave = cost.residentBlocks * multiprocessors;
  int64_t rest = layout.blocks % perWave;
  double cycles =
      static_cast<double>(layout.blocks / perWave) * wave(cost.residentBlocks);
  if (rest > 0)
    cycles += wave(ceilDivide(rest, multiprocessors));
  cost.computeSeconds = cycles / target.clockHertz;

  double unitCycles = steps * (cost.step.issue + cost.step.shared);
  cost.busySeconds = cost.memorySeconds + cost.lookupSeconds +
                     cost.computeSeconds +
                     static_cast<double>(layout.blocks) * unitCycles /
                         (target.multiprocessors * target.clockHertz);
  return cost;
}

double boundCyclesPerK(const Contraction &contraction,
                       const KernelLayout &threads, const Target &target) {
  // As many blocks as there is room for with one access of one element in
  // flight for each operand.
  if (threads.registers > target.multiprocessor.registersPerThread)
    return std::numeric_limits<double>::infinity();
  int64_t most = std::max<int64_t>(
      1, blocksByRegisters(threads.registers, threads.threads, target));
  int64_t warps = ceilDivide(threads.threads, target.warpSize);
  double balance = imbalance(warps, target);
  for (int64_t blocks = 2;
       blocks <= std::min(most, target.multiprocessor.partitions); ++blocks)
    balance = std::min(balance, imbalance(blocks * warps, target));

  StepCycles perK = countFragments(contraction, threads, target);
  return perK.limit() * balance;
}

double boundSeconds(double blocks, double blockCycles, const Traffic &traffic,
                    const Target &target) {
  return std::max(memorySeconds(traffic, target),
                  std::ceil(blocks / target.multiprocessors) * blockCycles /
                      target.clockHertz);
}

} // namespace tc::model
