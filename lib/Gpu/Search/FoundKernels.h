//===- FoundKernels.h - Kernels that a search has found ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_GPU_SEARCH_FOUNDKERNELS_H
#define TC_LIB_GPU_SEARCH_FOUNDKERNELS_H

#include "tc/Gpu/Cost/CostModel.h"

#include <array>
#include <limits>
#include <map>
#include <vector>

namespace tc::model {

/// A kernel that was evaluated. Its tiles are numbers of candidates.
struct FoundKernel {
  Cost cost;
  double seconds;
  unsigned m, n, k;
  int64_t blockM, blockN;
  int64_t registerM, registerN;
  Instruction instruction;
  int64_t stages;
  GridMapping mapping;
};

/// The kernels of which one is chosen, and so many runners-up: the fastest ones
/// of other block shapes.
class FoundKernels {
public:
  FoundKernels(size_t runnersUp, bool distinguishesRegisterTiles)
      : runnersUp(runnersUp),
        distinguishesRegisterTiles(distinguishesRegisterTiles) {}

  /// Adds a kernel unless it is too slow.
  void add(const FoundKernel &kernel);

  bool empty() const { return kernels.empty(); }
  /// The time above which a kernel is neither chosen nor a runner-up.
  double threshold() const { return slowest; }
  double minSeconds() const { return least; }

  /// Some kernels, the fastest.
  std::vector<FoundKernel> fastest(size_t count) const;
  /// The chosen kernel, then the runners-up by ascending time.
  std::vector<const FoundKernel *> choose() const;

private:
  /// A block's extents along M and N, and those of the register tile where
  /// these count.
  using Shape = std::array<int64_t, 4>;
  Shape shapeOf(const FoundKernel &kernel) const {
    if (!distinguishesRegisterTiles)
      return {kernel.blockM, kernel.blockN, 0, 0};
    return {kernel.blockM, kernel.blockN, kernel.registerM, kernel.registerN};
  }
  void lowerThreshold();

  size_t runnersUp;
  bool distinguishesRegisterTiles;
  double slowest = std::numeric_limits<double>::infinity();
  double least = std::numeric_limits<double>::infinity();
  /// The least time of each block shape.
  std::map<Shape, double> shapes;
  std::vector<FoundKernel> kernels;
};

} // namespace tc::model

#endif // TC_LIB_GPU_SEARCH_FOUNDKERNELS_H
