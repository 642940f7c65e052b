//===- PastPlans.h - Plans of earlier calls ---------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The plans of a thread's last calls of the entry point. Compiled code calls it
// again and again with the same shape, and a small product takes less time than
// its plan.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CPURUNTIME_PASTPLANS_H
#define TC_LIB_CPURUNTIME_PASTPLANS_H

#include "tc/CpuRuntime/Contraction.h"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace tc::cpu {

/// Plans by all that they depend on, as integers, with room for few.
class PastPlans {
public:
  /// The plan of this thread for the integers `head`, then `count` others, or
  /// else the one that `make` makes, which is kept. It lives until the next
  /// call.
  static const Contraction &
  findOrMake(const std::array<int64_t, 2> &head, const int64_t *others,
             size_t count, const std::function<Contraction()> &make);

private:
  struct Entry {
    std::vector<int64_t> key;
    std::optional<Contraction> plan;
  };
  static constexpr size_t size = 32;
  std::array<Entry, size> entries;
};

} // namespace tc::cpu

#endif // TC_LIB_CPURUNTIME_PASTPLANS_H
