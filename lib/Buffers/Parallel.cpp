//===- Parallel.cpp - Loops over the cores ----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Buffers/Parallel.h"

#include "tc/Support/Cores.h"
#include "tc/Support/Threads.h"

#include <algorithm>
#include <atomic>

using namespace tc;

void tc::runtime::parallelFor(
    int64_t count, unsigned workers, int64_t grain,
    const std::function<void(int64_t, int64_t)> &body) {
  if (count <= 0)
    return;
  if (workers == 0)
    workers = coresOfProcess();
  int64_t threads =
      std::clamp<int64_t>(count / std::max<int64_t>(grain, 1), 1, workers);
  if (threads == 1)
    return body(0, count);

  // More ranges than threads, so that uneven ones even out.
  int64_t length = std::max<int64_t>(grain, count / (threads * 8) + 1);
  std::atomic<int64_t> next{0};
  auto work = [&] {
    for (;;) {
      int64_t begin = next.fetch_add(length);
      if (begin >= count)
        return;
      body(begin, std::min(begin + length, count));
    }
  };
  runOnThreads(static_cast<unsigned>(threads), work);
}
