//===- Odometer.h - Values of indices, one after the other ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CPURUNTIME_ODOMETER_H
#define TC_LIB_CPURUNTIME_ODOMETER_H

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tc::cpu {

/// The most indices of a plan that are walked.
inline constexpr size_t mostAxes = 196;

/// Walks the values of some axes, the first one fastest. An axis has an extent
/// and a stride in each tensor. Nothing is allocated, as tasks must not fail.
template <typename Axis> class Odometer {
public:
  using Strides = decltype(Axis::stride);

  explicit Odometer(const std::vector<Axis> &axes) : axes(axes) {}

  void goTo(int64_t position) {
    offset = {};
    // The first one, as a rule.
    if (position == 0) {
      std::fill_n(values.begin(), axes.size(), 0);
      return;
    }
    for (size_t i = 0; i < axes.size(); ++i) {
      values[i] = position % axes[i].extent;
      position /= axes[i].extent;
      move(axes[i], values[i]);
    }
  }

  void advance() {
    for (size_t i = 0; i < axes.size(); ++i) {
      const bool isLast = ++values[i] == axes[i].extent;
      move(axes[i], isLast ? 1 - axes[i].extent : 1);
      if (!isLast)
        return;
      values[i] = 0;
    }
  }

  /// The place of the values, in elements of each tensor.
  Strides offset = {};
  int64_t valueOf(size_t axis) const { return values[axis]; }

private:
  void move(const Axis &axis, int64_t steps) {
    auto stride = axis.stride.begin();
    for (int64_t &place : offset)
      place += steps * *stride++;
  }

  const std::vector<Axis> &axes;
  /// Those of axes only are ever set.
  std::array<int64_t, mostAxes> values;
};

} // namespace tc::cpu

#endif // TC_LIB_CPURUNTIME_ODOMETER_H
