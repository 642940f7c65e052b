//===- CpuMovement.h - The loops of a CPU schedule as tiling ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loops around the micro-kernel as the hierarchy of memories sees them:
// what each trip touches, and what it moves. docs/model-hierarchy.md explains
// it.
//
//===----------------------------------------------------------------------===//

#ifndef TC_CPU_CPUMOVEMENT_H
#define TC_CPU_CPUMOVEMENT_H

#include "tc/Cpu/CpuSchedule.h"
#include "tc/Hierarchy/DataMovement.h"

namespace tc::model {

/// The loops of one schedule, and where they pack.
struct CpuLoops {
  /// Over the panels of a block, over blocks, and over slices and the batch.
  /// One trip of the innermost is a call of the micro-kernel. A and B count as
  /// they lie in panels, C in its own type.
  TilingLoops loops;
  /// The number of these loops, from the innermost on, that stand inside of the
  /// place where A and B are packed.
  PerTensor<size_t> insidePacking = {};
};

/// The loops of a schedule without copies, which has that layout.
CpuLoops tilingLoopsOf(const Contraction &contraction,
                       const CpuSchedule &schedule, const CpuLayout &layout);

/// The chunks of all blocks of a side, and their panels; those of blocks that
/// are cut off count by their chunks.
double countChunks(const CpuSide &side);
double countPanels(const CpuSide &side);

/// The number of times that an element of an input is packed in a slice: once
/// for each trip of the loops over blocks outside of the packing that do not
/// move the tensor.
double timesPacked(const CpuLoops &loops, Tensor input);

/// Bytes of one block of panels, and of all that are ever packed.
struct PackedBytes {
  double ofBlock = 0, inAll = 0;
};
PackedBytes packedBytes(const Contraction &contraction, const CpuSide &side,
                        const CpuLayout &layout, const CpuLoops &loops);

/// Bytes of the tensors, copies of strategy TTGT included.
double residentBytes(const Contraction &contraction,
                     const CpuSchedule &schedule);

/// The data that one level of memory holds while a schedule runs, and the data
/// that enters it.
struct CpuLevelUse {
  std::string name;
  /// Zero if it is without limit.
  int64_t capacityBytes = 0;
  /// Bytes of each tensor in the largest part of the loop nest that fits.
  PerTensor<double> tile = {};
  /// Bytes that enter the level: panels of A and B and parts of C. Those that
  /// enter the first level whose outer neighbour holds all tensors are read
  /// from the tensors themselves.
  PerTensor<double> moved = {};
  /// Time to move them at the rate of the next outer level.
  double seconds = 0;
};

/// All caches of a target, the innermost first, under a schedule that `layOut`
/// accepts; with copies, of the product that they leave. Fails where
/// `predictTime` does.
Result<std::vector<CpuLevelUse>> levelUses(const Contraction &contraction,
                                           const CpuSchedule &schedule,
                                           const CpuTarget &target);

} // namespace tc::model

#endif // TC_CPU_CPUMOVEMENT_H
