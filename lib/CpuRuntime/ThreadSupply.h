//===- ThreadSupply.h - Number of threads that a team can have --*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CPURUNTIME_THREADSUPPLY_H
#define TC_LIB_CPURUNTIME_THREADSUPPLY_H

#include <cstddef>
#include <cstdint>

namespace tc::cpu {

/// The number of threads that the calling one can have, one at least, of those
/// that it wants for a team of an OpenMP runtime, itself among them. Threads
/// that the runtime has to start for it, with stacks of so many bytes, were
/// there a moment ago. The caller keeps so many until it asks again or ends.
int64_t supplyThreads(int64_t threads, size_t stackBytes);

} // namespace tc::cpu

#endif // TC_LIB_CPURUNTIME_THREADSUPPLY_H
