//===- CpuCycles.cpp - Cycles of a CPU's micro-kernels --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Machine/CpuCycles.h"

#include "tc/Problem/Semiring.h"

#include <algorithm>

using namespace tc;
using namespace tc::model;

/// Instructions, each of which takes the time of a fused multiply-add, for a
/// product and for combining it with a sum. Integers are multiplied by two or
/// three; minima and maxima that leave NaN out compare and select.
static double instructionsPerProduct(const Contraction &contraction) {
  if (contraction.semiring == Semiring::UserDefined)
    return static_cast<double>(contraction.userSemiring.operations);
  bool isNumber = isInteger(contraction.accumulatorType);
  double combining = 1;
  switch (productOf(contraction.semiring)) {
  case Product::Multiply:
    if (isNumber)
      return combining + (byteWidth(contraction.accumulatorType) > 4 ? 3 : 2);
    return contraction.semiring == Semiring::PlusTimes ? 1 : combining + 1;
  case Product::Add:
  case Product::And:
    return combining + 1;
  case Product::Max:
  case Product::Min:
    return combining + (isNumber ? 1 : 3);
  }
  return combining;
}

double CpuTarget::productsPerCycle(const Contraction &contraction) const {
  int64_t fmas = byteWidth(contraction.accumulatorType) == 8 ? fmaPerCycleF64
                                                             : fmaPerCycleF32;
  return static_cast<double>(fmas) / instructionsPerProduct(contraction);
}

CpuTarget tc::model::limitedTo(CpuIsa isa, CpuTarget target) {
  const CpuIsaRow &row = rowOf(isa);
  auto limit = [&](int64_t &fmas, int64_t bytes) {
    int64_t most = vectorsPerCycle(row.fuses) * row.vectorBytes / bytes;
    // Nothing is known of vectors that were not detected.
    fmas = target.vectorBytes < row.vectorBytes ? most : std::min(fmas, most);
  };
  limit(target.fmaPerCycleF32, 4);
  limit(target.fmaPerCycleF64, 8);
  target.vectorBytes = row.vectorBytes;
  target.vectorRegisters = row.vectorRegisters;
  return target;
}

double tc::model::tileStepCycles(const TileRates &tile, const CpuCosts &costs) {
  return std::max({tile.rows * tile.columns / tile.productsPerCycle,
                   (tile.rows / tile.lanes + tile.columns) / tile.loadsPerCycle,
                   costs.multiplyAddLatency});
}

double tc::model::multiplyCycles(double tiles, double depth, double blocks,
                                 double step, const CpuCosts &costs) {
  return tiles * depth * step / costs.kernelPart +
         tiles * blocks * costs.tileCycles;
}

double tc::model::storeCyclesOfChunks(double chunk, double lanes,
                                      const CpuCosts &costs) {
  return 1 + lanes / chunk * costs.bufferedChunkCycles;
}
