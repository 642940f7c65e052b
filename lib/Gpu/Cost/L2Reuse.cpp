//===- L2Reuse.cpp - What reaches DRAM through the L2 cache ---------------===//
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
  /// Whether what `m` rows, `n` columns and the blocks where they meet touch
  /// fits in the cache.
  auto fits = [&](double m, double n) {
    return m * rowOfA + n * columnOfB + m * n * blockOfC <=
           static_cast<double>(target.l2Bytes);
  };

  PerTensor<double> passes = {{1, 1, 1}};
  if (wave < rows) {
    // A wave is a part of a column. The column's data is needed by its next
    // part, the rows' data by the next column.
    if (gridN > 1 && !fits(rows, 1))
      passes[Tensor::A] = gridN;
    if (!fits(wave, 1))
      passes[Tensor::B] = rows / wave;
  } else if (wave < rows * gridN) {
    // A wave is several columns of a group. The next wave needs the same rows.
    if (!fits(rows, wave / rows))
      passes[Tensor::A] = rows * gridN / wave;
  }
  // Each group needs all columns again.
  double groupsAtOnce = std::max(1.0, wave / (rows * gridN));
  if (groups > groupsAtOnce && !fits(rows, gridN))
    passes[Tensor::B] *= groups / groupsAtOnce;
  passes[Tensor::A] = std::min(passes[Tensor::A], traffic.visits[Tensor::A]);
  passes[Tensor::B] = std::min(passes[Tensor::B], traffic.visits[Tensor::B]);
  return passes;
}

} // namespace tc::model
