//===- CpuCycles.h - Cycles of a CPU's micro-kernels ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cycles that follow from `CpuCosts` for the register tiles of packed panels:
// of code that is generated for a contraction, and of kernels that are compiled
// ahead of time.
//
//===----------------------------------------------------------------------===//

#ifndef TC_MACHINE_CPUCYCLES_H
#define TC_MACHINE_CPUCYCLES_H

#include "tc/Machine/CpuTarget.h"
#include "tc/Machine/MicroKernels.h"

namespace tc::model {

/// Vectors that a core multiplies and adds a cycle, where no one tells: two, or
/// one without fused instructions, which multiplies while another one adds.
constexpr int64_t vectorsPerCycle(bool fuses) { return fuses ? 2 : 1; }

/// The core of a CPU as code sees it that has no more than an instruction
/// set's vectors, narrower ones as a rule: it has as many units for these as
/// `vectorsPerCycle` says at most.
CpuTarget limitedTo(CpuIsa isa, CpuTarget target);

/// A register tile, and what a core does in a cycle with it.
struct TileRates {
  double rows, columns, lanes;
  /// The latter from panels or from where elements lie, as `CpuCosts` has both.
  double productsPerCycle, loadsPerCycle;
};

/// Cycles for the products of a register tile with one value of K: products,
/// loads, or waiting for the sums of the value before, whichever
/// takes longest.
double tileStepCycles(const TileRates &tile, const CpuCosts &costs);

/// Cycles for so many register tiles and values of K, which is cut into blocks,
/// at that many a step.
double multiplyCycles(double tiles, double depth, double blocks, double step,
                      const CpuCosts &costs);

/// Accesses to C, in cycles, for each vector of a register tile that is stored
/// in chunks of elements that lie side by side: those of less than half a
/// vector go through a buffer.
double storeCyclesOfChunks(double chunk, double lanes, const CpuCosts &costs);

} // namespace tc::model

#endif // TC_MACHINE_CPUCYCLES_H
