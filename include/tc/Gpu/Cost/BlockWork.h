//===- BlockWork.h - Work of a block on its multiprocessor ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cycles of each part of the loop nest that a layout describes. They depend
// on neither the number of stages nor how tiles are mapped to blocks, so
// kernels that differ in these share them.
//
//===----------------------------------------------------------------------===//

#ifndef TC_GPU_COST_BLOCKWORK_H
#define TC_GPU_COST_BLOCKWORK_H

#include "tc/Gpu/Cost/CostModel.h"

namespace tc::model {

struct BlockWork {
  /// Of the product of a pair of shared tiles, with its part of the loop.
  StepCycles product;
  /// Of bringing one tile of A, and one of B, into its shared tile.
  StepCycles copyA, copyB;
  // Cycles of the schedulers.
  /// For offsets, which are worked out before each tile of C.
  double offsets = 0;
  /// For storing a tile of C, with alpha and beta.
  double store = 0;
  /// For storing the partial sums of a block, and for adding those of one to
  /// the total.
  double publish = 0, add = 0;

  /// Of a step of the loop, without stationary data.
  StepCycles step(Stationary stationary) const;
  /// Of the data that is brought once for all tiles that a block loops over.
  StepCycles stationary(Stationary stationary) const;
};

/// The work of a block for bringing the tile of one operand.
struct TiledCopyWork {
  /// Wavefronts of stores into the shared tile.
  double stores = 0;
  /// Cycles of the schedulers.
  double issue = 0;
};

/// The work of a block for the shared tile of one operand in a step.
struct SharedTileWork {
  /// Wavefronts of loads of fragments.
  double loads = 0;
  TiledCopyWork copy;
};

/// The work for the copy of A or of B (`ofN`), whatever its `fragmentWidth`.
TiledCopyWork countTiledCopyWork(const Contraction &contraction,
                                 const KernelLayout &layout, bool ofN,
                                 const Target &target);

/// The work for the shared tile of A or of B (`ofN`).
SharedTileWork countSharedTileWork(const Contraction &contraction,
                                   const KernelLayout &layout, bool ofN,
                                   const Target &target);

/// The work of a feasible kernel's blocks, that for the shared tiles being
/// known.
BlockWork countBlockWork(const Contraction &contraction,
                         const KernelLayout &layout, const SharedTileWork &ofA,
                         const SharedTileWork &ofB, const Target &target);

/// The work of a feasible kernel's blocks.
BlockWork countBlockWork(const Contraction &contraction,
                         const KernelLayout &layout, const Target &target);

/// The cycles of a block for one value of k if no two words conflict in a bank,
/// copies aside. `layout` need only have its threads mapped (`mapThreads`).
StepCycles countFragments(const Contraction &contraction,
                          const KernelLayout &layout, const Target &target);

/// Multiply-adds a cycle and multiprocessor of a layout's instruction, which
/// `layOut` has found the target to have.
double pipeRate(const Contraction &contraction, Instruction instruction,
                const Target &target);

/// The cost of a kernel whose blocks' work is known.
Cost estimateCost(const Contraction &contraction, const KernelLayout &layout,
                  const Traffic &traffic, const BlockWork &work,
                  const Target &target);

/// The cost without `Cost::executionSeconds`, which the search need not know of
/// kernels that it does not keep, and the function that adds it.
Cost estimateSteadyCost(const Contraction &contraction,
                        const KernelLayout &layout, const Traffic &traffic,
                        const BlockWork &work, const Target &target);
void addExecution(Cost &cost, const Contraction &contraction,
                  const KernelLayout &layout, const BlockWork &work,
                  const Target &target);

} // namespace tc::model

#endif // TC_GPU_COST_BLOCKWORK_H
