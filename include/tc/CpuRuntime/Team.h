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

/// The number of threads that a parallel region of that runtime can have, of
/// those that it is to have; one at least. The runtime ends the process where
/// it cannot start a thread, as at a limit of processes or of addresses: so the
/// threads that it would have to start are started and ended here before, the
/// first time and each time that the calling thread asks for more. Threads that
/// others take in between are not known. Without such a runtime, as many as are
/// asked for.
int32_t availableThreads(int32_t threads);

/// The runtime's function by which code asks for the threads of the next
/// region, `__kmpc_push_num_threads`, but for no more than are available.
void pushAvailableThreads(void *place, int32_t caller, int32_t threads);

/// Functions that share one state in a process.
struct TeamFunctions {
  Result<void *> (*openMPRuntime)();
  int32_t (*availableThreads)(int32_t threads);
};

/// Leaves both to another copy of these functions, for a library that was
/// loaded by one which has them, too.
void leaveTeamTo(const TeamFunctions &functions);

/// Does tasks 0 to `count` - 1, each on one of up to `threads` threads, and
/// returns when all are done. The threads are those of the OpenMP runtime,
/// which compiled contractions use, too; without one, they are started anew.
/// There may be fewer of them, as in a parallel region of the caller, or where
/// the system has no more. `body` takes the task and the number of its thread,
/// and throws nothing.
void runTasks(int64_t count, int64_t threads,
              const std::function<void(int64_t, int64_t)> &body);

/// Runs as many tasks on as many threads.
void runTasks(int64_t count, const std::function<void(int64_t)> &body);

} // namespace tc::cpu

#endif // TC_CPURUNTIME_TEAM_H
