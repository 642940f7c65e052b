//===- RegisterEstimate.cpp - Registers of a thread -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The registers that a thread holds at once, as ptxas was seen to allocate
// them.
//
//===----------------------------------------------------------------------===//

#include "RegisterEstimate.h"

#include "tc/Gpu/Layout/LayoutSteps.h"
#include "tc/Machine/MatrixInstructions.h"

#include "tc/Problem/ComplexParts.h"
#include "tc/Support/Arithmetic.h"

#include <algorithm>
#include <array>

namespace tc::model {

namespace {

/// The way in which the threads of a block share the accesses of a copy out.
struct SharedAccesses {
  int64_t threads;  ///< that take part
  int64_t ofThread; ///< accesses
  bool areUniform;  ///< those of one thread differ by constants
};

int64_t registersOfWarp(int64_t registers, const Target &target) {
  return roundUp(saturatingMultiply(registers, target.warpSize),
                 target.multiprocessor.registerGranule);
}

/// Positions of both shared tiles whose factors a lane holds for matrix
/// instructions. Of the columns, it has accumulators of several for each
/// fragment.
int64_t fragmentPositions(const KernelLayout &layout) {
  bool rowsAlongM = layout.rowsAlongM();
  return (rowsAlongM ? layout.registerM : layout.registerN) +
         (rowsAlongM ? layout.registerN : layout.registerM) /
             layout.atom().sumColumns();
}

/// Elements of both shared tiles that a thread holds at once.
int64_t fragmentElements(const KernelLayout &layout) {
  if (!layout.isCollective()) {
    auto side = [&](int64_t registers, const TiledCopy &tiledCopy) {
      return saturatingMultiply(registers,
                                tiledCopy.alongK ? layout.laneDepth : 1);
    };
    return saturatingAdd(side(layout.registerM, layout.a),
                         side(layout.registerN, layout.b));
  }
  return layout.stepDepthOfThread() / layout.factorsPerRegister() *
         fragmentPositions(layout);
}

/// Registers that matrix instructions on 8-bit floats take beside fragments and
/// accumulators.
int64_t registersOfFloat8(const KernelLayout &layout, const Target &target) {
  int64_t registers = 0;
  // Factors that are not loaded along K are packed into fragments.
  if (!layout.a.alongK || !layout.b.alongK)
    registers += fragmentElements(layout);
  const InstructionShape &shape = layout.atom().shape;
  if (isNative(MatrixFactor::F8,
               {static_cast<int>(shape.rows), static_cast<int>(shape.columns),
                static_cast<int>(shape.depth)},
               target))
    return registers;
  // Halves, two in a register, for one instruction, and their sums on the way
  // to the accumulators. The moves of ptxas among all of them take some more.
  const GpuRegisterCosts &costs = target.costs.registers;
  int64_t depth = layout.atom().laneDepth();
  return registers + depth / 2 * fragmentPositions(layout) + costs.float8Sums +
         costs.float8Moves;
}

/// Registers for the data that ptxas 13.0 loads ahead, while instructions
/// multiply; those that it has besides for other factors are within the
/// estimate.
int64_t registersAhead(const Contraction &contraction,
                       const KernelLayout &layout,
                       const std::array<SharedAccesses, 2> &accesses,
                       const Target &target) {
  // The next columns of halves and of TF32.
  if (layout.loadsMatrices() ||
      (layout.isCollective() && contraction.precision == Precision::TF32))
    return layout.stepDepthOfThread() / layout.factorsPerRegister() *
           (layout.rowsAlongM() ? layout.registerN : layout.registerM) /
           layout.atom().sumColumns();
  // All next fragments, if some of the threads load complex numbers, under a
  // condition, and turn them.
  auto someLoad = [&](const TiledCopy &tiledCopy, int64_t threads) {
    return tiledCopy.passesRegisters() && threads < layout.threads;
  };
  bool areMore = layout.blockK > layout.stepDepth();
  if (!contraction.parts || !layout.isCollective() || !areMore ||
      (!someLoad(layout.a, accesses[0].threads) &&
       !someLoad(layout.b, accesses[1].threads)))
    return 0;
  return fragmentElements(layout) *
             ceilDivide(byteWidth(contraction.accumulatorType), registerBytes) +
         target.costs.registers.turned;
}

/// The estimate if the accesses of A and B are shared out like that.
int64_t sumRegisters(const Contraction &contraction, const KernelLayout &layout,
                     const std::array<SharedAccesses, 2> &accesses,
                     const Target &target) {
  const GpuRegisterCosts &costs = target.costs.registers;
  auto perElement = [](ElementType type) {
    return ceilDivide(byteWidth(type), registerBytes);
  };
  auto staged = [&](const TiledCopy &tiledCopy, Tensor tensor,
                    const SharedAccesses &shared) {
    ElementType loaded = contraction.elementType[tensor];
    // The elements of each access, and its source and destination: an address
    // and an offset of each, or of all if they differ by constants. An access
    // that may be cut off has a size or a predicate besides. If the shape is an
    // argument, each has a place of its own, and its place along an index.
    int64_t places = contraction.runTime ? costs.runTimePlace : costs.place;
    bool uniform = shared.areUniform && !contraction.runTime;
    int64_t elements =
        tiledCopy.passesRegisters()
            ? tiledCopy.width * std::max(perElement(tiledCopy.elementType),
                                         perElement(loaded))
            : 0;
    // A complex number is turned beside itself.
    elements *= tiledCopy.copiesOfAccess();
    // A prologue works on the numbers of an access, and makes as many.
    int64_t made = contraction.hasPrologue[tensor] ? 2 * tiledCopy.width : 0;
    // Of accesses along K, each has a limit across K and one along it.
    int64_t raggedDims =
        std::count_if(tiledCopy.order.begin(), tiledCopy.order.end(),
                      [](const TileDim &dim) { return dim.ragged(); });
    bool alongRaggedK = tiledCopy.alongK && tiledCopy.order.front().ragged();
    int64_t cut = std::min<int64_t>(raggedDims, alongRaggedK ? 2 : 1);
    return saturatingAdd(
        saturatingMultiply(shared.ofThread,
                           elements + cut + (uniform ? 0 : places)),
        made + (uniform ? places : 0));
  };
  int64_t sums = saturatingMultiply(layout.registerM, layout.registerN);
  if (layout.threeProducts)
    sums = saturatingMultiply(sums, partsOfNumber);
  int64_t held = saturatingAdd(sums, fragmentElements(layout));
  int64_t registers =
      saturatingMultiply(held, perElement(contraction.accumulatorType));
  // The smaller parts of factors in two parts are held as well.
  if (layout.isCollective() && partProducts(contraction.precision) > 1)
    registers = saturatingAdd(registers, fragmentElements(layout));
  if (layout.isCollective() && isFloat8(layout.a.elementType))
    registers = saturatingAdd(registers, registersOfFloat8(layout, target));
  registers = saturatingAdd(
      registers, registersAhead(contraction, layout, accesses, target));
  registers =
      saturatingAdd(registers, staged(layout.a, Tensor::A, accesses[0]));
  registers =
      saturatingAdd(registers, staged(layout.b, Tensor::B, accesses[1]));
  if (contraction.runTime)
    registers = saturatingAdd(registers, costs.shape);
  return saturatingAdd(registers, costs.base);
}

} // namespace

int64_t estimateRegisters(const Contraction &contraction,
                          const KernelLayout &layout, const Target &target) {
  auto asChosen = [](const TiledCopy &tiledCopy) -> SharedAccesses {
    return {tiledCopy.threads, tiledCopy.accessesPerThread,
            stepsAreUniform(tiledCopy)};
  };
  return sumRegisters(contraction, layout,
                      {asChosen(layout.a), asChosen(layout.b)}, target);
}

int64_t leastRegisters(const Contraction &contraction,
                       const KernelLayout &layout, const Target &target) {
  auto atBest = [&](const TiledCopy &tiledCopy) -> SharedAccesses {
    return {layout.threads, ceilDivide(tiledCopy.accesses, layout.threads),
            true};
  };
  return sumRegisters(contraction, layout, {atBest(layout.a), atBest(layout.b)},
                      target);
}

int64_t registersOfMapping(const Contraction &contraction,
                           const KernelLayout &layout, const Target &target) {
  // The targets of copies and the place of C are both in use in a loop over
  // tiles. Beside matrix instructions, ptxas 13.0 also loads elements ahead
  // that are added to.
  const GpuRegisterCosts &costs = target.costs.registers;
  if (layout.mapping.stationary != Stationary::Output)
    return layout.registers + costs.tileLoop +
           (contraction.readsC && layout.isCollective() ? costs.tileLoopAhead
                                                        : 0);
  if (layout.mapping.splitK == 1)
    return layout.registers;
  // The last block loads the sums of another beside its own, all at once if
  // there is room for that.
  int64_t sums = layout.registerM * layout.registerN *
                 ceilDivide(byteWidth(layout.a.elementType), registerBytes);
  int64_t room = target.multiprocessor.registersPerThread - costs.sharedSum;
  return std::max(layout.registers, std::min(2 * sums + costs.sharedSum, room));
}

int64_t allocatedRegisters(int64_t registers, int64_t threads,
                           const Target &target) {
  int64_t warps = roundUp(ceilDivide(threads, target.warpSize),
                          target.multiprocessor.partitions);
  return saturatingMultiply(registersOfWarp(registers, target), warps);
}

int64_t blocksByRegisters(int64_t registers, int64_t threads,
                          const Target &target) {
  const MultiprocessorLimits &limits = target.multiprocessor;
  int64_t warpsOfPartition =
      limits.registers / limits.partitions / registersOfWarp(registers, target);
  return limits.partitions * warpsOfPartition /
         ceilDivide(threads, target.warpSize);
}

} // namespace tc::model
