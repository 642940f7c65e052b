//===- GroupCost.cpp - Cost of a group ------------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GroupCost.h"

#include "tc/Gpu/Cost/BlockWork.h"
#include "tc/Gpu/Cost/Traffic.h"
#include "tc/Gpu/Layout/GroupLayout.h"
#include "tc/Problem/ComplexParts.h"
#include "tc/Support/Arithmetic.h"

#include <algorithm>
#include <cmath>

namespace tc::model {

/// Powers of two in f32 that a multiprocessor computes in a cycle (CUDA C++
/// Programming Guide, throughput of native arithmetic instructions).
static constexpr double exponentialsPerCycle = 16;
/// Instructions of a thread for an element of a softmax: its factor, the
/// largest, the exponent, the exponential, the sum and the conversion.
static constexpr double instructionsOfElement = 6;
/// For a row: three exponents and sums, and the branch to store a factor.
static constexpr double instructionsOfRow = 12;
/// For a row's maximum to pass through a shuffle, or through shared memory.
static constexpr double instructionsOfShuffle = 2, instructionsOfSlot = 2;

/// Of the time that a kernel takes, the part that is added because a block's
/// contractions wait for one another, where a multiprocessor has one block;
/// others fill it in. And of that of a kernel for one contraction whose blocks
/// load all that they need at once. 125 kernels of 20 groups (attention, gates,
/// gradients and interpolations, in f16, f32, f64 and complex numbers)
/// took 1.01 times as long as predicted with it on an H200 in November 2026,
/// geometric mean, the one predicted to be fastest 1.01 times as long as the
/// fastest of its group, and 30 kernels of their contractions 1.04 times as
/// long.
static constexpr double waitingPart = 0.3, waitingPartApart = 0.6;
/// Most steps of a kernel that loads all at once: of two stages.
static constexpr int64_t stepsAtOnce = 2;
/// Multiprocessors, L2 cache and DRAM work at the same time, but less so the
/// more alike what they take is: the norm of that order, fitted to the same.
static constexpr double overlapOrder = 4;

double PartSeconds::longest() const { return std::max({within, l2, dram}); }

static PartSeconds partsOf(const Cost &cost, const Target &target) {
  PartSeconds seconds;
  seconds.within =
      std::max({cost.wavesSeconds, cost[Level::Shared].seconds,
                cost[Level::Issue].seconds, cost[Level::Pipe].seconds});
  seconds.l2 = std::max(cost[Level::L2].seconds, cost[Level::Lookup].seconds);
  seconds.dram = cost[Level::DRAM].seconds / target.attainable.memoryCopies;
  return seconds;
}

/// The time that parts of a machine which work at the same time take together.
static double overlapped(const PartSeconds &parts) {
  double sum = 0;
  for (double seconds : {parts.within, parts.l2, parts.dram})
    sum += std::pow(seconds, overlapOrder);
  return std::pow(sum, 1 / overlapOrder);
}

/// The number of steps of the last contraction that a node's layout is tiled
/// along.
static double stepsOf(const ContractionGroup &group, unsigned node,
                      const KernelLayout &layout) {
  const Contraction &last = group.contractions.front();
  double steps = 1;
  for (const std::vector<TileDim> *dims : {&layout.m, &layout.n})
    for (const TileDim &dim : *dims) {
      std::optional<unsigned> index = dim.index;
      for (const IndexedEdge *edge = group.consumerOf(node); edge && index;
           edge = edge->isLast() ? nullptr : group.consumerOf(edge->to)) {
        std::optional<unsigned> other;
        for (auto [one, taken] : edge->indices)
          if (one == *index)
            other = taken;
        index = other;
      }
      if (index && last.indices[*index].role == Role::K)
        steps *= static_cast<double>(dim.tiles());
    }
  return steps;
}

/// Cycles of a multiprocessor for the softmax of a block's tile.
static double softmaxCycles(const KernelLayout &layout, const SoftmaxRows &rows,
                            ElementType sumType, const Target &target) {
  auto elements = static_cast<double>(layout.blockM * layout.blockN);
  double rowsOfThreads = static_cast<double>(rows.rows * rows.sharers);
  double instructions =
      instructionsOfRow +
      instructionsOfShuffle * std::log2(static_cast<double>(rows.lanes)) +
      instructionsOfSlot * static_cast<double>(rows.slots());
  double issued =
      (elements * instructionsOfElement + rowsOfThreads * instructions) /
      static_cast<double>(target.warpSize * target.warpInstructionsPerCycle);
  // Each thread reads what all warps that share a row have left.
  double read = rows.slots() == 1
                    ? 0
                    : rowsOfThreads * static_cast<double>(rows.slots()) *
                          static_cast<double>(byteWidth(sumType)) /
                          static_cast<double>(target.sharedBytesPerCycle);
  return std::max({issued, elements / exponentialsPerCycle, read}) +
         target.barrierCycles;
}

PartSeconds secondsOfNode(const ContractionGroup &group, unsigned node,
                          const KernelLayout &layout, const Target &target,
                          bool staysInRegisters) {
  const Contraction &contraction = group.contractions[node];
  const IndexedEdge *producer = group.producerOf(node),
                    *consumer = group.consumerOf(node);
  Traffic traffic = countTraffic(contraction, layout, target);
  SharedTileWork ofA =
      countSharedTileWork(contraction, layout, /*ofN=*/false, target);
  if (staysInRegisters && producer && node == 0)
    ofA = {};
  BlockWork work = countBlockWork(
      contraction, layout, ofA,
      countSharedTileWork(contraction, layout, /*ofN=*/true, target), target);
  auto stays = [&](Tensor tensor) {
    for (PerTensor<double> *counts : {&traffic.sectors, &traffic.lineBytes,
                                      &traffic.lines, &traffic.requests})
      (*counts)[tensor] = 0;
  };
  auto copyOf = [&](Tensor tensor) -> StepCycles & {
    return tensor == Tensor::A ? work.copyA : work.copyB;
  };
  if (producer) {
    stays(producer->sink);
    copyOf(producer->sink) = {};
  }
  // It is in the second cache by then.
  if (std::optional<Tensor> shared = group.sharedInput(node);
      shared && node != group.order().front())
    for (PerTensor<double> *counts : {&traffic.sectors, &traffic.lineBytes})
      (*counts)[*shared] = 0;
  if (consumer) {
    stays(Tensor::C);
    // A store to shared memory for each element, without offsets, and for each
    // row of its matrix if it is a part of a complex number that becomes one.
    // Two are converted at once.
    const std::optional<ComplexParts> &parts =
        group.contractions[consumer->to].parts;
    bool becomesMatrix = contraction.parts && parts && parts->summed &&
                         parts->expanded == consumer->sink;
    work.store =
        static_cast<double>(layout.blockM * layout.blockN *
                            (becomesMatrix ? partsOfNumber : 1)) *
        (staysInRegisters && consumer->isLast() ? 0.5 : 1) /
        static_cast<double>(target.warpSize * target.warpInstructionsPerCycle);
    work.offsets = 0;
  }
  if (consumer && group.contractions.size() == 2) {
    double steps = stepsOf(group, node, layout);
    std::optional<Tensor> kept =
        keptInput(layout, group.contractions.front(), *consumer);
    if (kept && steps > 1) {
      traffic.setVisits(*kept, traffic.visits[*kept] / steps);
      copyOf(*kept) = {};
    }
  }
  Cost cost = estimateSteadyCost(contraction, layout, traffic, work, target);
  PartSeconds seconds = partsOf(cost, target);
  if (!consumer || !takesSoftmax(*consumer))
    return seconds;
  const Contraction &last = group.contractions[consumer->to];
  double cycles =
      softmaxCycles(layout, softmaxRows(layout, last, consumer->indices),
                    last.accumulatorType, target);
  double rounds = std::ceil(static_cast<double>(layout.blocks) /
                            static_cast<double>(target.multiprocessors));
  seconds.within += cycles * rounds / target.clockHertz;
  return seconds;
}

/// The factor by which a contraction takes longer because a block computes its
/// tiles one after the other, where `estimateCost` has a block for each.
static double roundsOf(double steps, const KernelLayout &layout,
                       const KernelLayout &last, const Target &target) {
  auto processors = static_cast<double>(target.multiprocessors);
  auto blocks = static_cast<double>(last.blocks);
  double computed = blocks * steps;
  return std::max(1.0, computed / static_cast<double>(layout.blocks)) *
         std::ceil(blocks / processors) * steps /
         std::ceil(computed / processors);
}

std::optional<double>
secondsOfGroup(const ContractionGroup &group,
               const std::vector<const KernelLayout *> &layouts,
               const Target &target) {
  const KernelLayout &last = *layouts.front();
  ChainPlaces places = placeGroup(group, layouts);
  const MultiprocessorLimits &limits = target.multiprocessor;
  if (places.bytes > limits.sharedBytesPerBlock ||
      places.registers > limits.registersPerThread ||
      allocatedRegisters(places.registers, last.threads, target) >
          limits.registers)
    return std::nullopt;
  const IndexedEdge *producer = group.producerOf(0);
  bool inRegisters =
      producer && staysInRegisters(*layouts[producer->from], last, *producer);
  auto steps = static_cast<double>(last.steps);
  PartSeconds all;
  for (unsigned node : group.order()) {
    KernelLayout layout = *layouts[node];
    layout.sharedBytes = places.bytes;
    layout.registers = places.registers;
    double rounds =
        group.consumerOf(node) ? roundsOf(steps, layout, last, target) : 1;
    PartSeconds seconds =
        secondsOfNode(group, node, layout, target, inRegisters);
    all.within += seconds.within * rounds;
    all.l2 += seconds.l2 * rounds;
    all.dram += seconds.dram * rounds;
  }
  KernelLayout kernel = last;
  kernel.sharedBytes = places.bytes;
  kernel.registers = places.registers;
  return overlapped(all) *
         (1 + waitingPart / static_cast<double>(
                                occupancyOf(kernel, target).residentBlocks));
}

double secondsApart(const Contraction &contraction, const Candidate &kernel,
                    const Target &target) {
  Result<KernelLayout> layout = layOut(contraction, kernel.schedule, target);
  double waiting =
      !layout || layout->steps > stepsAtOnce
          ? 0
          : waitingPartApart /
                static_cast<double>(kernel.cost.occupancy.residentBlocks);
  return std::max(kernel.cost.seconds(),
                  overlapped(partsOf(kernel.cost, target)) * (1 + waiting));
}

} // namespace tc::model
