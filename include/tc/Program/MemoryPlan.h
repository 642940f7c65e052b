//===- MemoryPlan.h - Placement of temporaries ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_PROGRAM_MEMORYPLAN_H
#define TC_PROGRAM_MEMORYPLAN_H

#include "tc/Program/Network.h"

namespace tc::model {

/// A buffer that holds something from one step to another, both included.
struct BufferLifetime {
  size_t first = 0, last = 0;
  int64_t bytes = 0;
};

/// One workspace that holds buffers.
struct BufferPlan {
  /// Of each, in bytes from the workspace's start.
  std::vector<int64_t> offsets;
  int64_t bytes = 0;
};

/// Places buffers at multiples of so many bytes: the largest first, each at the
/// lowest place that is free all its life (Pisarchyk and Lee, "Efficient Memory
/// Management for Deep Neural Net Inference", 2020, greedy by size). Fails
/// beyond 2^63 - 1 bytes.
Result<BufferPlan> placeBuffers(const std::vector<BufferLifetime> &buffers,
                                int64_t alignment);

/// One workspace that holds all temporaries of a tree.
struct MemoryPlan {
  /// Of each node, in bytes from the workspace's start; zero of inputs and of
  /// the output, which are the caller's.
  std::vector<int64_t> offsets;
  int64_t bytes = 0;
};

/// Places temporaries, each behind the step that makes it and until the step
/// that uses it, as `placeBuffers` does.
Result<MemoryPlan> planMemory(const Network &network,
                              const ContractionTree &tree, int64_t alignment);

} // namespace tc::model

#endif // TC_PROGRAM_MEMORYPLAN_H
