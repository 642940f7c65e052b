//===- Axes.h - Indices of a problem as loops go along them -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For plans whose loops read elements where they lie.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CPURUNTIME_AXES_H
#define TC_LIB_CPURUNTIME_AXES_H

#include "tc/CpuRuntime/Contraction.h"

#include <optional>
#include <vector>

namespace tc::cpu {

/// An index, with its strides in the two operands and in C.
struct Axis {
  int64_t extent = 1;
  model::PerTensor<int64_t> stride = {};
};

/// The indices of a problem of more than one value, those that lie behind one
/// another in all tensors as one, and the number of products. They go forwards
/// in C, or else in an operand: `offset` says where each tensor begins.
struct Axes {
  std::vector<Axis> axes;
  model::PerTensor<int64_t> offset = {};
  double products = 1;
};

/// None if an extent is zero, or if there are more products than are counted.
std::optional<Axes> axesOf(const Problem &problem);

} // namespace tc::cpu

#endif // TC_LIB_CPURUNTIME_AXES_H
