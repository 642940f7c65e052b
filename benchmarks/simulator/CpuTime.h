//===- CpuTime.h - The time that a benchmark takes --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The time that the calling thread has run, which other processes do not
// lengthen as they do the time that passes.
//
//===----------------------------------------------------------------------===//

#ifndef TC_BENCHMARKS_SIMULATOR_CPUTIME_H
#define TC_BENCHMARKS_SIMULATOR_CPUTIME_H

#include <ctime>

namespace tc::benchmark {

/// In seconds, from some fixed time on.
inline double threadSeconds() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) +
         1e-9 * static_cast<double>(time.tv_nsec);
}

} // namespace tc::benchmark

#endif // TC_BENCHMARKS_SIMULATOR_CPUTIME_H
