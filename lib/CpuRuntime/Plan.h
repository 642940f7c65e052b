//===- Plan.h - Decisions ahead of a run ------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The indices of a contraction as rows, columns, sums and batches, and the
// blocks that they are cut into.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CPURUNTIME_PLAN_H
#define TC_LIB_CPURUNTIME_PLAN_H

#include "Kernels.h"

#include "tc/CpuRuntime/Contraction.h"

namespace tc::cpu {

/// An index along rows or columns, with its strides in their operand and in C;
/// or one along K, with those in the rows' operand and in the columns'.
struct Dimension {
  int64_t extent = 1;
  int64_t stride[2] = {};
};

/// The product of all extents.
template <typename Dimensions> int64_t countOf(const Dimensions &dimensions) {
  int64_t count = 1;
  for (const auto &dimension : dimensions)
    count *= dimension.extent;
  return count;
}

/// The least number of products that plans do not count, as counts would exceed
/// 64 bits: elements that are repeated may be so many.
inline constexpr double mostProducts = 0x1p62;

/// The number of ways in which each loop is shared out among threads.
struct Grid {
  int64_t batches = 1, rows = 1, columns = 1;
  int64_t count() const { return batches * rows * columns; }
};

struct Plan {
  /// The operand whose elements are rows of panels: the one that has the index
  /// along which elements of C lie side by side.
  model::Tensor rowOperand = model::Tensor::A;
  model::Tensor columnOperand() const {
    return rowOperand == model::Tensor::A ? model::Tensor::B : model::Tensor::A;
  }
  model::PerTensor<bool> conjugates = {};
  /// Elements from a pointer's place to the first one in the loops, and bytes
  /// of an element.
  model::PerTensor<int64_t> offset = {}, bytes = {};

  /// The dimension that varies first comes first.
  std::vector<Dimension> rows, columns, sums;
  std::vector<Index> batches;
  int64_t rowCount = 1, columnCount = 1, sumCount = 1, batchCount = 1;
  bool isEmpty() const { return rowCount * columnCount * batchCount == 0; }

  Real real = Real::F64;
  bool isComplex = false;
  Kernel kernel = {};
  PackPanel packRows = nullptr, packColumns = nullptr;
  Finish finish = nullptr;
  /// If rows are in groups of a vector's lanes, whose next one begins with the
  /// next element of the operand: the function that packs them, and the
  /// distance in a group.
  PackAcross packAcross = nullptr;
  int64_t groupStride = 0;
  /// Real numbers in a vector.
  int64_t lanes = 1;
  /// Rows of a panel for an element of C, and values of K in panels for one.
  int64_t rowParts = 1, sumParts = 1;
  /// Values of K in panels that the kernel multiplies in a step.
  int64_t stepValues = 1;
  /// Steps of a kernel for so many values of K.
  int64_t stepsOf(int64_t values) const {
    return (values * sumParts + stepValues - 1) / stepValues;
  }
  int64_t panelRows() const { return kernel.rows / rowParts; }
  /// True if panels of rows are packed one by one, each before it is multiplied
  /// by the only panel of columns: it does not leave the first cache.
  bool packsByPanel() const {
    return columnCount <= kernel.columns && !packAcross;
  }

  /// Products of real numbers that are added a cycle at best.
  double productsPerCycle = 1;

  /// Elements of a block.
  int64_t rowBlock = 1, columnBlock = 1, sumBlock = 1;
  /// True if elements of C are made of whole sums only, as they are narrower;
  /// and if sums wait for further blocks of K.
  bool isNarrow = false, waits = false;
  /// True if full tiles may be stored past the caches.
  bool streams = false;
  /// True if panels of columns are the inner loop.
  bool columnsInside = false;
  Grid grid;
  /// The threads that pay, if there are as many.
  int64_t wanted = 1;
  /// The approximate time of a run, and that of one thread.
  double seconds = 0, secondsAlone = 0;
};

/// True if elements of all tensors lie side by side along an index.
bool isInside(const Index &index);

/// The plan of a problem that sums, for so many threads at most.
Plan planOf(const Problem &problem, unsigned threads);

} // namespace tc::cpu

#endif // TC_LIB_CPURUNTIME_PLAN_H
