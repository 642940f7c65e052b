//===- Team.h - Threads that share out the tasks of a run -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_CPURUNTIME_TEAM_H
#define TC_CPURUNTIME_TEAM_H

#include <cstdint>
#include <functional>

namespace tc::cpu {

/// The cores that this process may use.
unsigned coresOfProcess();

/// The file name of LLVM's OpenMP runtime, which is Intel's where the process
/// has that: it is the same runtime, and two of them in a process end it.
const char *openMPLibrary();

/// Does tasks 0 to `count` - 1, each on one of as many threads, and returns
/// when all are done. The threads are those of the OpenMP runtime, which
/// compiled contractions use, too; without one, they are started anew. There
/// may be fewer of them, as in a parallel region of the caller; `body` throws
/// nothing.
void runTasks(int64_t count, const std::function<void(int64_t)> &body);

} // namespace tc::cpu

#endif // TC_CPURUNTIME_TEAM_H
