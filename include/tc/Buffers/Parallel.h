//===- Parallel.h - Loops over the cores ------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_BUFFERS_PARALLEL_H
#define TC_BUFFERS_PARALLEL_H

#include <cstdint>
#include <functional>

namespace tc::runtime {

/// Cuts [0, count) into ranges and calls `body(begin, end)` for each of them,
/// on `workers` threads (0: one a core). `grain` is the least length worth a
/// thread of its own.
void parallelFor(int64_t count, unsigned workers, int64_t grain,
                 const std::function<void(int64_t, int64_t)> &body);

} // namespace tc::runtime

#endif // TC_BUFFERS_PARALLEL_H
