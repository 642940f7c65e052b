//===- Team.h - Threads that share out the tasks of a run -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_CPURUNTIME_TEAM_H
#define TC_CPURUNTIME_TEAM_H

#include "tc/Support/Result.h"

#include <cstdint>
#include <functional>

namespace tc::cpu {

/// The cores that this process may use.
unsigned coresOfProcess();

/// The OpenMP runtime of this process, as dlsym takes it; an error where there
/// is none. All that runs threads here asks this, as two of these runtimes in
/// one process end it: the first call that finds one chooses it for good. It is
/// the one whose functions the process sees, else Intel's or LLVM's, which are
/// the same code, if one of them is loaded, else LLVM's, which is loaded then.
Result<void *> openMPRuntime();

/// Leaves the choice to another copy of that function, for a library that was
/// loaded by one which has these functions, too.
void chooseOpenMPRuntimeBy(Result<void *> (*choose)());

/// Does tasks 0 to `count` - 1, each on one of as many threads, and returns
/// when all are done. The threads are those of the OpenMP runtime, which
/// compiled contractions use, too; without one, they are started anew. There
/// may be fewer of them, as in a parallel region of the caller; `body` throws
/// nothing.
void runTasks(int64_t count, const std::function<void(int64_t)> &body);

} // namespace tc::cpu

#endif // TC_CPURUNTIME_TEAM_H
