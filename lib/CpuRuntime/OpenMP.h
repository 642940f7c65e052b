//===- OpenMP.h - OpenMP runtimes of the process ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CPURUNTIME_OPENMP_H
#define TC_LIB_CPURUNTIME_OPENMP_H

#include "tc/Support/Result.h"

#include <cstddef>
#include <cstdint>

namespace tc::cpu {

/// The place in the source of a call of LLVM's runtime, in the form that it
/// expects.
struct SourcePlace {
  int32_t reserved1 = 0, flags = 2, reserved2 = 0, reserved3 = 0;
  const char *text = ";unknown;unknown;0;0;;";
};

/// Functions by which any OpenMP runtime tells of the calling thread; null
/// where it has not got them.
struct OpenMPState {
  /// The threads of its next region, and processors.
  int (*mostThreads)() = nullptr, (*processors)() = nullptr;
  /// Parallel regions around, and of how many that may be.
  int (*activeLevels)() = nullptr, (*mostLevels)() = nullptr;

  /// Finds the functions in a library, as dlsym takes it.
  explicit OpenMPState(void *library = nullptr);

  /// True if the next region is one of the calling thread alone.
  bool isNested() const {
    return activeLevels && mostLevels && activeLevels() >= mostLevels();
  }
  /// The threads of the next region, if somebody has set that here, or for the
  /// level; `most` otherwise.
  int64_t limit(int64_t most) const;
};

/// Functions of LLVM's OpenMP runtime.
struct OpenMP {
  using Body = void (*)(int32_t *, int32_t *, void *);
  int32_t (*threadNumber)(SourcePlace *) = nullptr;
  void (*setThreads)(SourcePlace *, int32_t, int32_t) = nullptr;
  void (*fork)(SourcePlace *, int32_t, Body, ...) = nullptr;
  /// Bytes of its threads' stacks; null where a runtime does not say.
  size_t (*stackBytes)() = nullptr;
  OpenMPState state;
};

/// The runtime of `openMPRuntime`, as this library chooses it.
Result<void *> chooseOpenMPRuntime();

/// LLVM's runtime that this process has, which is chosen once; null where there
/// is none.
const OpenMP *findOpenMP();

/// The most threads, of as many, that the process's OpenMP runtimes leave a run
/// of the calling thread: one in a parallel region, be it of GCC's runtime.
int64_t limitOfOpenMP(int64_t threads);

} // namespace tc::cpu

#endif // TC_LIB_CPURUNTIME_OPENMP_H
