//===- L2Reuse.cpp - DRAM traffic through the L2 cache --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The grid of one value of the batch indices is a rectangle of gridM x gridN
// blocks. Blocks are numbered down the columns of a group of rows, column after
// column, group after group; `concurrent` of them, with consecutive numbers,
// are a wave. A block touches one row's worth of A and one column's worth of B.
//
//===----------------------------------------------------------------------===//

#include "tc/Gpu/Cost/L2Reuse.h"

#include "tc/Hierarchy/DataMovement.h"

#include <algorithm>

namespace tc::model {

PerTensor<double> dramPasses(const Contraction &contraction,
                             const KernelLayout &layout, const Traffic &traffic,
                             double concurrentBlocks, const Target &target) {
  double gridM = static_cast<double>(layout.gridM);
  double gridN = static_cast<double>(layout.gridN);
  double rows = gridM; // of a group
  if (layout.mapping.rasterM > 0)
    rows = std::min(rows, static_cast<double>(layout.mapping.rasterM));
  double groups = gridM / rows;
  double batches = 1;
  for (const TileDim &dim : layout.batch)
    batches *= static_cast<double>(dim.extent);
  // Blocks that share a sum are numbered side by side, and each has its own
  // part of A and B: they are one block here, which takes as many places.
  auto split = static_cast<double>(layout.mapping.splitK);
  double wave = std::max(1.0, concurrentBlocks / split);

  auto bytes = [&](Tensor tensor, double parts) {
    return traffic.sectorsOnce(tensor) *
           static_cast<double>(target.sectorBytes) / (batches * parts);
  };
  double rowOfA = bytes(Tensor::A, gridM), columnOfB = bytes(Tensor::B, gridN);
  double blockOfC = bytes(Tensor::C, gridM * gridN) * traffic.visits[Tensor::C];
  auto touched = [&](double m, double n) {
    return PerTensor<double>{{m * rowOfA, n * columnOfB, m * n * blockOfC}};
  };
  // The wave is the tile of this level: a part of a column, or several columns
  // of a group, or several groups.
  constexpr PerTensor<bool> alongM = {{true, false, true}},
                            alongN = {{false, true, true}};
  double waveRows = std::min(wave, rows);
  double waveColumns = std::clamp(wave / rows, 1.0, gridN);
  double waveGroups = std::clamp(wave / (rows * gridN), 1.0, groups);
  double touchedRows = waveRows * waveGroups;
  const TilingLoops loops = {
      {rows / waveRows, alongM, touched(touchedRows, waveColumns)},
      {gridN / waveColumns, alongN, touched(rows * waveGroups, waveColumns)},
      {groups / waveGroups, alongM, touched(rows * waveGroups, gridN)}};
  const MemoryLevel cache = l2Level(target);
  PerTensor<double> passes = {{1, 1, 1}};
  for (Tensor tensor : {Tensor::A, Tensor::B})
    passes[tensor] =
        std::min(countVisits(loops, tensor, cache), traffic.visits[tensor]);
  return passes;
}

} // namespace tc::model
