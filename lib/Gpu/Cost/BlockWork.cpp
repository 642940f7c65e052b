//===- BlockWork.cpp - Work of a block on its multiprocessor --------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instruction counts are those of the loop nest that the layout describes; the
// few that stand for index arithmetic are rough, and only break ties between
// kernels that do the same work.
//
//===----------------------------------------------------------------------===//

#include "tc/Gpu/Cost/BlockWork.h"

#include "tc/Gpu/Layout/CopyThreads.h"
#include "tc/Gpu/Layout/SharedTileLayout.h"

#include "tc/Gpu/Layout/AccessCounts.h"
#include "tc/Gpu/Layout/StoreExchange.h"
#include "tc/Support/Arithmetic.h"

#include <algorithm>
#include <cmath>

namespace tc::model {

namespace {

double bytesOf(ElementType type) {
  return static_cast<double>(byteWidth(type));
}

/// The work of a warp for one value of k, copies aside.
struct WarpWork {
  double products = 0; ///< instructions that multiply
  double loads = 0;    ///< of fragments
  double bytes = 0;    ///< that each thread loads
};

WarpWork countWarpWork(const Contraction &contraction,
                       const KernelLayout &layout, const Target &target) {
  const MultiplyAtom &atom = layout.atom();
  auto accumulators = static_cast<double>(layout.registerM * layout.registerN);
  WarpWork work;
  work.products = accumulators * static_cast<double>(atom.threads) /
                  static_cast<double>(atom.shape.multiplyAdds());
  work.products *= static_cast<double>(
      instructionsPerProduct(contraction, layout.instruction) *
      nativeInstructionsOf(contraction, layout.instruction, target));
  for (bool ofN : {false, true}) {
    const TiledCopy &tiledCopy = ofN ? layout.b : layout.a;
    auto elements =
        static_cast<double>(ofN ? layout.registerN : layout.registerM);
    if (atom.isCollective()) {
      elements /= static_cast<double>(atom.lanes.columns);
      if (layout.rowsAlongM() == ofN)
        elements /= static_cast<double>(atom.sumColumns());
    }
    // An `ldmatrix` loads 16 bytes for each lane.
    work.loads += elements / static_cast<double>(tiledCopy.fragmentWidth);
    work.bytes += elements * bytesOf(tiledCopy.elementType);
  }
  return work;
}

/// Of a thread for what one element becomes on its way to the shared tile.
double elementInstructions(const Contraction &contraction,
                           const TiledCopy &tiledCopy, const Target &target) {
  if (tiledCopy.elementType == contraction.factorType)
    return 0;
  const GpuInstructionCosts &costs = target.costs.instructions;
  return target.has(Feature::Float8PairConversions) ? costs.pairConversion
                                                    : costs.integerConversion;
}

double tiledCopyInstructions(const Contraction &contraction, Tensor tensor,
                             const TiledCopy &tiledCopy, const Target &target) {
  const GpuInstructionCosts &costs = target.costs.instructions;
  double stores = tiledCopy.passesRegisters() ? tiledCopy.storesOfAccess() : 0;
  if (tiledCopy.gathered > 1)
    stores += static_cast<double>(tiledCopy.width) * costs.exchange;
  double predicates = 0;
  if (std::any_of(tiledCopy.order.begin(), tiledCopy.order.end(),
                  [](const TileDim &dim) { return dim.ragged(); }))
    predicates = costs.predicate;
  double elements =
      static_cast<double>(tiledCopy.width * tiledCopy.copiesOfAccess()) *
      elementInstructions(contraction, tiledCopy, target);
  auto accesses = static_cast<double>(tiledCopy.accessesPerThread);
  double addresses =
      accesses *
      (stepsAreUniform(tiledCopy) ? costs.uniformAddress : costs.address);
  if (!tiledCopy.passesRegisters() && stepsAreUniform(tiledCopy) &&
      !contraction.runTime)
    addresses =
        costs.sharedAddress *
        static_cast<double>(countAddresses(contraction, tensor, tiledCopy));
  return accesses * (1 + stores + predicates + elements) + addresses;
}

/// Cycles of issue for bringing one tile of A or B to shared memory.
double tiledCopyIssue(const Contraction &contraction,
                      const KernelLayout &layout, Tensor tensor,
                      const Target &target) {
  auto warps = static_cast<double>(ceilDivide(layout.threads, target.warpSize));
  return warps *
         tiledCopyInstructions(contraction, tensor,
                               tensor == Tensor::A ? layout.a : layout.b,
                               target) /
         static_cast<double>(target.warpInstructionsPerCycle);
}

/// Cycles of issue for the offsets of a thread's accesses in one tile of C and,
/// the first time, in the shared tiles.
double offsetIssue(const Contraction &contraction, const KernelLayout &layout,
                   double warpsPerCycle, const Target &target) {
  auto offsets = static_cast<double>(
      layout.registerM + layout.registerN + layout.a.accessesPerThread +
      layout.b.accessesPerThread +
      static_cast<int64_t>(contraction.indices.size()));
  return warpsPerCycle * offsets * target.costs.instructions.offset;
}

} // namespace

double pipeRate(const Contraction &contraction, Instruction instruction,
                const Target &target) {
  Result<double> rate = multiplyAddsPerCycle(contraction, instruction, target);
  return rate ? *rate : 0;
}

StepCycles countFragments(const Contraction &contraction,
                          const KernelLayout &layout, const Target &target) {
  auto warps = static_cast<double>(ceilDivide(layout.threads, target.warpSize));
  WarpWork work = countWarpWork(contraction, layout, target);
  StepCycles cycles;
  cycles.pipe = warps * target.warpSize *
                static_cast<double>(layout.registerM * layout.registerN) /
                pipeRate(contraction, layout.instruction, target);
  cycles.issue = warps * (work.products + work.loads) /
                 static_cast<double>(target.warpInstructionsPerCycle);
  // If no two words conflict in a bank.
  cycles.shared = static_cast<double>(layout.threads) * work.bytes /
                  static_cast<double>(target.sharedBytesPerCycle);
  return cycles;
}

TiledCopyWork countTiledCopyWork(const Contraction &contraction,
                                 const KernelLayout &layout, bool ofN,
                                 const Target &target) {
  return {
      countSharedTileStores(contraction, ofN ? layout.b : layout.a, target)
          .wavefronts,
      tiledCopyIssue(contraction, layout, ofN ? Tensor::B : Tensor::A, target)};
}

SharedTileWork countSharedTileWork(const Contraction &contraction,
                                   const KernelLayout &layout, bool ofN,
                                   const Target &target) {
  return {countFragmentLoads(layout, ofN, target).wavefronts,
          countTiledCopyWork(contraction, layout, ofN, target)};
}

BlockWork countBlockWork(const Contraction &contraction,
                         const KernelLayout &layout, const Target &target) {
  return countBlockWork(
      contraction, layout,
      countSharedTileWork(contraction, layout, /*ofN=*/false, target),
      countSharedTileWork(contraction, layout, /*ofN=*/true, target), target);
}

BlockWork countBlockWork(const Contraction &contraction,
                         const KernelLayout &layout, const SharedTileWork &ofA,
                         const SharedTileWork &ofB, const Target &target) {
  auto warps = static_cast<double>(ceilDivide(layout.threads, target.warpSize));
  double warpsPerCycle =
      warps / static_cast<double>(target.warpInstructionsPerCycle);
  BlockWork work;
  work.product = countFragments(contraction, layout, target) *
                 static_cast<double>(layout.blockK);
  work.product.issue += warpsPerCycle * target.costs.instructions.step;
  work.product.shared = ofA.loads + ofB.loads;
  auto elements = [](const TiledCopy &tiledCopy) {
    return static_cast<double>(tiledCopy.accesses * tiledCopy.width);
  };
  double all = elements(layout.a) + elements(layout.b);
  work.copyA.issue = ofA.copy.issue;
  work.copyB.issue = ofB.copy.issue;
  for (auto [tiledCopy, copy] :
       {std::pair(&layout.a, &work.copyA), std::pair(&layout.b, &work.copyB)})
    copy->shared =
        (ofA.copy.stores + ofB.copy.stores) * elements(*tiledCopy) / all;

  auto accumulators = static_cast<double>(layout.registerM * layout.registerN);
  work.offsets = offsetIssue(contraction, layout, warpsPerCycle, target);
  work.store = warpsPerCycle * accumulators /
               static_cast<double>(layout.widthC) *
               (contraction.readsC ? 2 : 1) *
               (1 + target.costs.instructions.uniformAddress);
  work.store +=
      warpsPerCycle * static_cast<double>(countMoves(contraction, layout));
  // At each of so many meetings, two halves take a shuffle for two registers,
  // and three selections.
  work.store += warpsPerCycle * accumulators *
                std::log2(static_cast<double>(exchangingLanes(layout)));
  double accesses = accumulators / static_cast<double>(layout.groupN);
  work.publish = warpsPerCycle * accesses;
  work.add = warpsPerCycle * (accesses + accumulators);
  return work;
}

StepCycles BlockWork::step(Stationary stationary) const {
  StepCycles cycles = product;
  if (stationary != Stationary::A)
    cycles += copyA;
  if (stationary != Stationary::B)
    cycles += copyB;
  return cycles;
}

StepCycles BlockWork::stationary(Stationary stationary) const {
  switch (stationary) {
  case Stationary::Output:
    return {};
  case Stationary::A:
    return copyA;
  case Stationary::B:
    return copyB;
  }
  return {};
}

} // namespace tc::model
