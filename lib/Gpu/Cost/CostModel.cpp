//===- CostModel.cpp - Predicted times of kernels -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Folds over a kernel's layout: its traffic, and the work of its blocks.
//
//===----------------------------------------------------------------------===//

#include "tc/Gpu/Cost/CostModel.h"

#include "Execution.h"
#include "Phases.h"
#include "tc/Gpu/Cost/BlockWork.h"

#include "tc/Gpu/Cost/L2Reuse.h"
#include "tc/Support/Arithmetic.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

namespace tc::model {

namespace {

double rate(Level level, const Contraction &contraction,
            Instruction instruction, const Target &target) {
  double cycles = target.multiprocessors * target.clockHertz;
  switch (level) {
  case Level::DRAM:
    return target.memoryBytesPerSecond;
  case Level::L2:
    return target.l2BytesPerSecond;
  case Level::Lookup:
  case Level::Shared:
    return cycles;
  case Level::Issue:
    return cycles * static_cast<double>(target.warpInstructionsPerCycle);
  case Level::Pipe:
    return cycles * pipeRate(contraction, instruction, target);
  }
  return 0;
}

/// Bytes of the sectors of all tensors, each moved once.
double sectorBytesOnce(const Traffic &traffic, const Target &target) {
  double sectors = 0;
  for (Tensor tensor : {Tensor::A, Tensor::B})
    sectors += traffic.sectorsOnce(tensor);
  return (sectors + traffic.sectors[Tensor::C]) *
         static_cast<double>(target.sectorBytes);
}

/// Returns true if the parts of a line that several blocks move come together
/// in the L2 cache, as all tensors fit.
bool keepsLinesInL2(const Traffic &traffic, const Target &target) {
  return sectorBytesOnce(traffic, target) <=
         static_cast<double>(target.l2Bytes);
}

/// Fills in the traffic of the memory levels.
void countMemoryLevels(const Contraction &contraction,
                       const KernelLayout &layout, const Traffic &traffic,
                       const Target &target, Cost &cost) {
  double atOnce = std::min(static_cast<double>(layout.blocks),
                           static_cast<double>(cost.occupancy.residentBlocks) *
                               target.multiprocessors);
  PerTensor<double> passes =
      dramPasses(contraction, layout, traffic, atOnce, target);
  bool keepsLines = keepsLinesInL2(traffic, target);
  for (Tensor tensor : allTensors) {
    auto sectorBytes = static_cast<double>(target.sectorBytes);
    cost[Level::L2].bytes[tensor] = traffic.requests[tensor] * sectorBytes;
    double uses = tensor == Tensor::C ? traffic.visits[tensor] : passes[tensor];
    cost[Level::DRAM].bytes[tensor] =
        uses * (keepsLines ? traffic.sectorsOnce(tensor) * sectorBytes
                           : traffic.lineBytesOnce(tensor));
  }
  // The last of the blocks that share a sum loads the sums that the others have
  // just stored, from the L2 cache as long as the sums of a wave fit.
  double parts = partialSumBytes(contraction, layout);
  double ofWave = parts * atOnce / static_cast<double>(layout.blocks);
  bool isCached = ofWave <= static_cast<double>(target.l2Bytes);
  cost[Level::L2].bytes[Tensor::C] += 2 * parts;
  cost[Level::DRAM].bytes[Tensor::C] += isCached ? parts : 2 * parts;
  for (Level level : {Level::DRAM, Level::L2})
    for (double bytes : cost[level].bytes)
      cost[level].work += bytes;
  cost.tagLookups = traffic.lines;
  cost.tagLookups[Tensor::C] +=
      2 * parts / static_cast<double>(target.lineBytes);
  for (double lines : cost.tagLookups)
    cost[Level::Lookup].work += lines;
}

/// The part of the pipe's peak that the power allows for long.
double sustainedPart(const Contraction &contraction, Instruction instruction,
                     const Target &target) {
  bool isMatrix = atomOf(instruction).isCollective();
  if (contraction.factorType == ElementType::F64 && isMatrix)
    return target.attainable.sustainedF64;
  return contraction.factorType == ElementType::F32 && !isMatrix
             ? target.attainable.sustainedF32
             : 1;
}

/// The fraction by which a kernel's work within multiprocessors may exceed the
/// least, for it to be taken for another that is as fast.
constexpr double littleMore = 0.02;

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
  times[numLevels] = wavesSeconds;
  std::sort(times.begin(), times.end(), std::greater<>());
  return times;
}

double Cost::longestLevel() const {
  double longest = 0;
  for (const LevelCost &level : levels)
    longest = std::max(longest, level.seconds);
  return longest;
}

double Cost::seconds() const {
  return std::max(longestLevel(), executionSeconds);
}

double Cost::steadySeconds() const {
  return std::max(longestLevel(), wavesSeconds);
}

std::string_view Cost::limit() const {
  // Waiting for a twentieth of the time is no limit of its own.
  constexpr double waiting = 1.05;
  unsigned longest = 0;
  for (unsigned i = 1; i < numLevels; ++i)
    if (levels[i].seconds > levels[longest].seconds)
      longest = i;
  if (wavesSeconds > waiting * levels[longest].seconds)
    return "latency and waves";
  return stringify(static_cast<Level>(longest));
}

size_t chooseByConstraints(const std::vector<const Cost *> &costs,
                           double tolerance) {
  std::vector<size_t> left(costs.size());
  std::iota(left.begin(), left.end(), size_t(0));
  auto keepLeast = [&](double tolerance, auto measure) {
    double least = std::numeric_limits<double>::infinity();
    for (size_t i : left)
      least = std::min(least, measure(i));
    left.erase(std::remove_if(left.begin(), left.end(),
                              [&](size_t i) {
                                return measure(i) > least * (1 + tolerance);
                              }),
               left.end());
  };
  std::vector<std::array<double, numLevels + 1>> times;
  times.reserve(costs.size());
  for (const Cost *cost : costs)
    times.push_back(cost->ranked());
  for (unsigned rank = 0; rank <= numLevels; ++rank) {
    keepLeast(tolerance, [&](size_t i) { return times[i][rank]; });
    if (rank == 0)
      keepLeast(littleMore, [&](size_t i) {
        const Cost &cost = *costs[i];
        return cost[Level::Issue].work + 2 * cost[Level::Shared].work;
      });
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
  return estimateCost(contraction, layout, traffic,
                      countBlockWork(contraction, layout, target), target);
}

Cost estimateCost(const Contraction &contraction, const KernelLayout &layout,
                  const Traffic &traffic, const BlockWork &work,
                  const Target &target) {
  Cost cost = estimateSteadyCost(contraction, layout, traffic, work, target);
  addExecution(cost, contraction, layout, work, target);
  return cost;
}

Cost estimateSteadyCost(const Contraction &contraction,
                        const KernelLayout &layout, const Traffic &traffic,
                        const BlockWork &work, const Target &target) {
  Cost cost;
  cost.occupancy = occupancyOf(layout, target);
  countMemoryLevels(contraction, layout, traffic, target, cost);

  Stationary stationary = layout.mapping.stationary;
  cost.step = work.step(stationary);
  auto blocks = static_cast<double>(layout.blocks);
  double tiles = static_cast<double>(tileCount(layout.batch)) *
                 static_cast<double>(tileCount(layout.m)) *
                 static_cast<double>(tileCount(layout.n));
  StepCycles all =
      cost.step * (tiles * static_cast<double>(tileCount(layout.k)));
  all += work.stationary(stationary) * blocks;
  // Persistent blocks work out offsets for each tile, parts of a sum for each
  // block.
  all.issue += std::max(tiles, blocks) * work.offsets + tiles * work.store;
  if (layout.mapping.splitK > 1)
    all.issue += blocks * (work.publish + work.add);
  cost[Level::Shared].work = all.shared;
  cost[Level::Issue].work =
      all.issue * static_cast<double>(target.warpInstructionsPerCycle);
  cost[Level::Pipe].work =
      all.pipe * pipeRate(contraction, layout.instruction, target);
  for (unsigned i = 0; i < numLevels; ++i)
    cost.levels[i].seconds =
        cost.levels[i].work /
        rate(static_cast<Level>(i), contraction, layout.instruction, target);
  cost[Level::L2].seconds += cost[Level::Lookup].work *
                             target.costs.time.lookupBytes /
                             target.l2BytesPerSecond;
  cost.wavesSeconds =
      wavesCycles(contraction, layout, cost.occupancy, work, target) /
      target.clockHertz;
  return cost;
}

void addExecution(Cost &cost, const Contraction &contraction,
                  const KernelLayout &layout, const BlockWork &work,
                  const Target &target) {
  cost.executionSeconds =
      std::max({cost.wavesSeconds,
                predictCycles(contraction, layout, cost, work, target) /
                    target.clockHertz,
                cost[Level::Pipe].seconds /
                    sustainedPart(contraction, layout.instruction, target)});
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

  double limit = countFragments(contraction, threads, target).limit();
  if (threads.isCollective()) {
    // The side that the rows are along depends on the layout of shared tiles.
    KernelLayout turned = threads;
    turned.lanesAlongN = !turned.lanesAlongN;
    limit =
        std::min(limit, countFragments(contraction, turned, target).limit());
  }
  return limit * balance;
}

double leastL2BytesPerSector(const Target &target) {
  auto sector = static_cast<double>(target.sectorBytes);
  return sector + target.costs.time.lookupBytes * sector /
                      static_cast<double>(target.lineBytes);
}

double boundSeconds(const MappedWork &work, const Traffic &traffic,
                    const Target &target) {
  double visited = traffic.total();
  if (work.isPersistent)
    visited -=
        std::max(traffic.sectors[Tensor::A] - traffic.sectorsOnce(Tensor::A),
                 traffic.sectors[Tensor::B] - traffic.sectorsOnce(Tensor::B));
  double perMultiprocessor = work.tiles / target.multiprocessors;
  if (work.partBytes == 0)
    perMultiprocessor = std::ceil(perMultiprocessor);
  return std::max(
      {(sectorBytesOnce(traffic, target) + work.partBytes) /
           target.memoryBytesPerSecond,
       (visited * leastL2BytesPerSector(target) + 2 * work.partBytes) /
           target.l2BytesPerSecond,
       perMultiprocessor * work.tileCycles / target.clockHertz});
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
