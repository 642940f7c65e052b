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

#include "tc/Model/AccessCounts.h"
#include "tc/Model/L2Reuse.h"
#include "tc/Support/Arithmetic.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

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

/// Multiply-adds a cycle and multiprocessor of a layout's instruction, which
/// `layOut` has found the target to have.
double pipeRate(const Contraction &contraction, Instruction instruction,
                const Target &target) {
  Result<double> rate = multiplyAddsPerCycle(contraction, instruction, target);
  return rate ? *rate : 0;
}

/// What a warp does for one value of k, copies aside.
struct WarpWork {
  double products = 0; ///< instructions that multiply
  double loads = 0;    ///< of fragments
  double bytes = 0;    ///< that each thread loads
};

WarpWork countWarpWork(const KernelLayout &layout) {
  InstructionShape shape = shapeOf(layout.instruction);
  bool isMatrix = isMatrixInstruction(layout.instruction);
  auto accumulators = static_cast<double>(layout.registerM * layout.registerN);
  WarpWork work;
  work.products =
      isMatrix
          ? accumulators * matrixLaneRows * matrixLaneColumns /
                static_cast<double>(shape.rows * shape.columns * shape.depth)
          : accumulators;
  for (bool ofN : {false, true}) {
    const Staging &staging = ofN ? layout.b : layout.a;
    auto elements =
        static_cast<double>(ofN ? layout.registerN : layout.registerM);
    if (isMatrix) {
      elements /= matrixLaneColumns;
      // A lane has two accumulators for each column that it loads.
      if (layout.rowsAlongM() == ofN)
        elements /= 2;
    }
    // An `ldmatrix` loads 16 bytes for each lane.
    work.loads += elements / static_cast<double>(staging.fragmentWidth);
    work.bytes += elements * bytesOf(staging.elementType);
  }
  return work;
}

double stagingInstructions(const Staging &staging, const KernelLayout &layout) {
  double stores = staging.asynchronous        ? 0
                  : staging.contiguousInPanel ? 1
                                              : double(staging.width);
  double address = stepsAreUniform(staging) ? uniformAddressInstructions
                                            : addressInstructions;
  if (std::any_of(staging.order.begin(), staging.order.end(),
                  [](const TileDim &dim) { return dim.ragged(); }))
    address += predicateInstructions;
  return static_cast<double>(staging.accessesPerThread) *
         (1 + stores + address);
}

/// The cycles of a block for one value of k, copies aside.
StepCycles countFragments(const Contraction &contraction,
                          const KernelLayout &layout, const Target &target) {
  auto warps = static_cast<double>(ceilDivide(layout.threads, target.warpSize));
  WarpWork work = countWarpWork(layout);
  StepCycles cycles;
  cycles.pipe = warps * target.warpSize *
                static_cast<double>(layout.registerM * layout.registerN) /
                pipeRate(contraction, layout.instruction, target);
  cycles.issue = warps * (work.products + work.loads) /
                 static_cast<double>(target.warpInstructionsPerCycle);
  // If no two words meet in a bank.
  cycles.shared = static_cast<double>(layout.threads) * work.bytes /
                  static_cast<double>(target.sharedBytesPerCycle);
  return cycles;
}

/// Cycles of issue for bringing one tile of A or B to shared memory.
double stagingIssue(const KernelLayout &layout, const Staging &staging,
                    const Target &target) {
  auto warps = static_cast<double>(ceilDivide(layout.threads, target.warpSize));
  return warps * stagingInstructions(staging, layout) /
         static_cast<double>(target.warpInstructionsPerCycle);
}

/// The cycles of a block for one step, and for what it keeps in place while it
/// walks.
struct BlockCycles {
  StepCycles step, stationary;
};

BlockCycles countBlock(const Contraction &contraction,
                       const KernelLayout &layout, const Target &target) {
  auto warps = static_cast<double>(ceilDivide(layout.threads, target.warpSize));
  SharedStep shared = countSharedStep(contraction, layout, target);
  BlockCycles block;
  block.step = countFragments(contraction, layout, target) *
               static_cast<double>(layout.blockK);
  block.step.issue += warps * stepInstructions /
                      static_cast<double>(target.warpInstructionsPerCycle);
  block.step.shared = shared.loads.wavefronts;
  auto elements = [](const Staging &staging) {
    return static_cast<double>(staging.accesses * staging.width);
  };
  double all = elements(layout.a) + elements(layout.b);
  for (auto [staging, place] : {std::pair(&layout.a, Stationary::A),
                                std::pair(&layout.b, Stationary::B)}) {
    StepCycles &cycles =
        layout.mapping.stationary == place ? block.stationary : block.step;
    cycles.issue += stagingIssue(layout, *staging, target);
    cycles.shared += shared.stores.wavefronts * elements(*staging) / all;
  }
  return block;
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

double rate(Level level, const Contraction &contraction,
            Instruction instruction, const Target &target) {
  double cycles = target.multiprocessors * target.clockHertz;
  switch (level) {
  case Level::DRAM:
    return target.memoryBytesPerSecond;
  case Level::L2:
    return target.l2BytesPerSecond;
  case Level::Lookup:
    return cycles;
  case Level::Shared:
    return cycles;
  case Level::Issue:
    return cycles * static_cast<double>(target.warpInstructionsPerCycle);
  case Level::Pipe:
    return cycles * pipeRate(contraction, instruction, target);
  }
  return 0;
}

/// Bytes that partial sums move: each is stored once and loaded once.
double partialSumBytes(const Contraction &contraction,
                       const KernelLayout &layout) {
  if (layout.mapping.splitK == 1)
    return 0;
  return 2 * static_cast<double>(layout.mapping.splitK) *
         contraction.elements(Tensor::C) * bytesOf(contraction.accumulatorType);
}

/// Fills in what moves through the memory levels.
void countMemoryLevels(const Contraction &contraction,
                       const KernelLayout &layout, const Traffic &traffic,
                       const Target &target, Cost &cost) {
  double atOnce = std::min(static_cast<double>(layout.blocks),
                           static_cast<double>(cost.occupancy.residentBlocks) *
                               target.multiprocessors);
  PerTensor<double> passes =
      dramPasses(contraction, layout, traffic, atOnce, target);
  for (Tensor tensor : allTensors) {
    auto sectorBytes = static_cast<double>(target.sectorBytes);
    cost[Level::L2].bytes[tensor] = traffic.requests[tensor] * sectorBytes;
    double uses = tensor == Tensor::C ? traffic.visits[tensor] : passes[tensor];
    cost[Level::DRAM].bytes[tensor] =
        uses * traffic.sectorsOnce(tensor) * sectorBytes;
  }
  for (Level level : {Level::DRAM, Level::L2}) {
    cost[level].bytes[Tensor::C] += partialSumBytes(contraction, layout);
    for (double bytes : cost[level].bytes)
      cost[level].work += bytes;
  }
  cost[Level::Lookup].work = traffic.totalLines();
}

/// Cycles in which the multiprocessors run all blocks, wave by wave.
double countWaves(const Contraction &contraction, const KernelLayout &layout,
                  const Occupancy &occupancy, const BlockCycles &block,
                  const Target &target) {
  const StepCycles &step = block.step;
  int64_t warps = ceilDivide(layout.threads, target.warpSize);
  auto steps = static_cast<double>(layout.steps);
  auto walk = static_cast<double>(layout.mapping.walk);
  double latency = target.memoryLatencyCycles;
  double once = onceCycles(contraction, layout, target);
  double throughput =
      walk * (steps * step.limit() + once) + block.stationary.limit();
  // A block by itself waits for its first tiles, at the barriers of each step,
  // and for later tiles as far as its own work does not cover the wait.
  double aloneStep = step.limit() * imbalance(warps, target);
  double tiles = walk * steps;
  // What goes by way of registers is fetched one step ahead.
  bool asynchronous = layout.a.asynchronous && layout.b.asynchronous;
  double ahead =
      asynchronous ? std::max(1.0, static_cast<double>(layout.buffers - 1)) : 1;
  double alone =
      throughput * imbalance(warps, target) + latency +
      tiles * target.barrierCycles +
      (tiles - 1) * std::max(0.0, latency - ahead * aloneStep) / ahead +
      (contraction.readsC ? walk * latency : 0);
  auto wave = [&](int64_t blocks) {
    return std::max(static_cast<double>(blocks) * throughput *
                        imbalance(blocks * warps, target),
                    alone);
  };
  auto multiprocessors = static_cast<int64_t>(target.multiprocessors);
  int64_t perWave = occupancy.residentBlocks * multiprocessors;
  int64_t rest = layout.blocks % perWave;
  double cycles = static_cast<double>(layout.blocks / perWave) *
                  wave(occupancy.residentBlocks);
  if (rest > 0)
    cycles += wave(ceilDivide(rest, multiprocessors));
  return cycles;
}

double compulsoryBytes(const Traffic &traffic, const Target &target) {
  double sectors = 0;
  for (Tensor tensor : {Tensor::A, Tensor::B})
    sectors += traffic.sectorsOnce(tensor);
  return (sectors + traffic.sectors[Tensor::C]) *
         static_cast<double>(target.sectorBytes);
}

} // namespace

std::string_view stringify(Level level) {
  switch (level) {
  case Level::DRAM:
    return "DRAM";
  case Level::L2:
    return "L2";
  case Level::Lookup:
    return "lookup";
  case Level::Shared:
    return "shared";
  case Level::Issue:
    return "issue";
  case Level::Pipe:
    return "FMA";
  }
  return "";
}

std::string_view unitOf(Level level) {
  switch (level) {
  case Level::DRAM:
  case Level::L2:
    return "bytes";
  case Level::Lookup:
    return "lines";
  case Level::Shared:
    return "wavefronts";
  case Level::Issue:
    return "instructions";
  case Level::Pipe:
    return "multiply-adds";
  }
  return "";
}

double StepCycles::limit() const { return std::max({pipe, issue, shared}); }

StepCycles &StepCycles::operator+=(const StepCycles &other) {
  pipe += other.pipe;
  issue += other.issue;
  shared += other.shared;
  return *this;
}

StepCycles StepCycles::operator*(double factor) const {
  return {pipe * factor, issue * factor, shared * factor};
}

std::array<double, numLevels + 1> Cost::ranked() const {
  std::array<double, numLevels + 1> times;
  for (unsigned i = 0; i < numLevels; ++i)
    times[i] = levels[i].seconds;
  times[numLevels] = executionSeconds;
  std::sort(times.begin(), times.end(), std::greater<>());
  return times;
}

double Cost::seconds() const {
  double longest = executionSeconds;
  for (const LevelCost &level : levels)
    longest = std::max(longest, level.seconds);
  return longest;
}

std::string_view Cost::limit() const {
  // Waiting for a twentieth of the time is no limit of its own.
  constexpr double waiting = 1.05;
  unsigned longest = 0;
  for (unsigned i = 1; i < numLevels; ++i)
    if (levels[i].seconds > levels[longest].seconds)
      longest = i;
  if (executionSeconds > waiting * levels[longest].seconds)
    return "latency and waves";
  return stringify(static_cast<Level>(longest));
}

size_t chooseByConstraints(const std::vector<const Cost *> &costs,
                           double tolerance) {
  std::vector<size_t> left(costs.size());
  std::iota(left.begin(), left.end(), size_t(0));
  std::vector<std::array<double, numLevels + 1>> times;
  for (const Cost *cost : costs)
    times.push_back(cost->ranked());
  for (unsigned rank = 0; rank <= numLevels; ++rank) {
    double least = std::numeric_limits<double>::infinity();
    for (size_t i : left)
      least = std::min(least, times[i][rank]);
    left.erase(std::remove_if(left.begin(), left.end(),
                              [&](size_t i) {
                                return times[i][rank] > least * (1 + tolerance);
                              }),
               left.end());
  }
  return left.front();
}

Occupancy occupancyOf(const KernelLayout &layout, const Target &target) {
  const MultiprocessorLimits &limits = target.multiprocessor;
  int64_t threads = roundUp(layout.threads, target.warpSize);
  int64_t shared =
      roundUp(layout.sharedBytes + limits.reservedSharedBytesPerBlock,
              limits.sharedGranule);
  Occupancy occupancy;
  occupancy.residentBlocks = limits.blocks;
  occupancy.limitedBy = "blocks";
  auto limit = [&](int64_t blocks, std::string_view resource) {
    if (blocks < occupancy.residentBlocks) {
      occupancy.residentBlocks = blocks;
      occupancy.limitedBy = resource;
    }
  };
  limit(limits.threads / threads, "threads");
  if (shared > 0)
    limit(limits.sharedBytes / shared, "shared memory");
  limit(blocksByRegisters(layout.registers, layout.threads, target),
        "registers");
  occupancy.residentBlocks = std::max<int64_t>(1, occupancy.residentBlocks);
  occupancy.residentWarps =
      occupancy.residentBlocks * (threads / target.warpSize);
  occupancy.fraction = static_cast<double>(occupancy.residentWarps) *
                       target.warpSize / static_cast<double>(limits.threads);
  occupancy.waves =
      static_cast<double>(layout.blocks) /
      (static_cast<double>(occupancy.residentBlocks) * target.multiprocessors);
  return occupancy;
}

Cost estimateCost(const Contraction &contraction, const KernelLayout &layout,
                  const Traffic &traffic, const Target &target) {
  Cost cost;
  cost.occupancy = occupancyOf(layout, target);
  countMemoryLevels(contraction, layout, traffic, target, cost);

  BlockCycles block = countBlock(contraction, layout, target);
  cost.step = block.step;
  double tiles = static_cast<double>(layout.steps) *
                 static_cast<double>(layout.mapping.walk);
  StepCycles all = block.step * tiles;
  all += block.stationary;
  all.issue += static_cast<double>(layout.mapping.walk) *
               onceCycles(contraction, layout, target);
  auto blocks = static_cast<double>(layout.blocks);
  cost[Level::Shared].work = blocks * all.shared;
  cost[Level::Issue].work =
      blocks * all.issue * static_cast<double>(target.warpInstructionsPerCycle);
  cost[Level::Pipe].work =
      blocks * all.pipe * pipeRate(contraction, layout.instruction, target);
  for (unsigned i = 0; i < numLevels; ++i)
    cost.levels[i].seconds =
        cost.levels[i].work /
        rate(static_cast<Level>(i), contraction, layout.instruction, target);
  cost.executionSeconds =
      countWaves(contraction, layout, cost.occupancy, block, target) /
      target.clockHertz;
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
                    bool mayWalk, const Target &target) {
  double visited = traffic.total();
  if (mayWalk)
    visited -=
        std::max(traffic.sectors[Tensor::A] - traffic.sectorsOnce(Tensor::A),
                 traffic.sectors[Tensor::B] - traffic.sectorsOnce(Tensor::B));
  return std::max(
      {compulsoryBytes(traffic, target) / target.memoryBytesPerSecond,
       visited * static_cast<double>(target.sectorBytes) /
           target.l2BytesPerSecond,
       std::ceil(blocks / target.multiprocessors) * blockCycles /
           target.clockHertz});
}

double rooflineSeconds(const Contraction &contraction, const Target &target) {
  Traffic least = compulsoryTraffic(contraction, target);
  return std::max(least.total() * static_cast<double>(target.sectorBytes) /
                      target.memoryBytesPerSecond,
                  contraction.fusedMultiplyAdds() /
                      rate(Level::Pipe, contraction,
                           instructionsFor(contraction, target).front(),
                           target));
}

} // namespace tc::model
