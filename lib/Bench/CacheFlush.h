//===- CacheFlush.h - Runs that find nothing in the cache -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_BENCH_CACHEFLUSH_H
#define TC_LIB_BENCH_CACHEFLUSH_H

#include "tc/Bench/DeviceBench.h"

namespace tc::bench {

/// Queues work that fills the L2 cache with other data than operands. It also
/// keeps the device busy while the host queues the work that is timed, so that
/// no delay of the host is in the time.
class CacheFlush {
public:
  static Result<CacheFlush> create(const runtime::Device &device, Flush kind);

  Status enqueue();
  /// Bytes read or written each time: four times the size of the cache.
  int64_t bytes() const { return size; }

private:
  explicit CacheFlush(int64_t size) : size(size) {}

  int64_t size;
  /// One of the two.
  std::optional<runtime::DeviceKernel> reader;
  std::optional<runtime::DeviceBuffer> buffer;
  unsigned word = 0;
};

} // namespace tc::bench

#endif // TC_LIB_BENCH_CACHEFLUSH_H
