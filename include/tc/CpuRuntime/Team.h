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

/// The way in which a run asks for threads.
enum class Ask {
  /// It was told how many: it gets them, whatever others have.
  All,
  /// It was not: it gets what other runs leave of `threadsByDefault`, and its
  /// own in any case; only that one in a parallel region of others, and no more
  /// than the OpenMP runtimes of the process are set to.
  Free,
};

/// The threads of a run, the calling one among them, for as long as this lives.
class Team {
public:
  /// The calling thread alone.
  Team() = default;
  Team(int64_t most, Ask ask);
  Team(const Team &) = delete;
  Team &operator=(const Team &) = delete;
  ~Team();

  int64_t size() const { return threads; }

  /// Gives back those beyond that number.
  void shrink(int64_t most);

  /// Does tasks 0 to `count` - 1, each on one of up to `most` of the threads,
  /// and returns when all are done. The threads are those of the OpenMP
  /// runtime, which compiled contractions use, too; without one, they are
  /// started anew. There may be fewer of them, as in a parallel region of the
  /// caller, or where the system has no more. `body` takes the task and the
  /// number of its thread, and throws nothing.
  void run(int64_t count, int64_t most,
           const std::function<void(int64_t, int64_t)> &body) const;
  void run(int64_t count, const std::function<void(int64_t)> &body) const;

private:
  int64_t threads = 1;
  /// Those that count as taken.
  int64_t taken = 0;
};

/// The threads that runs have at the moment, of those that asked for several.
int64_t busyThreads();

/// Two functions of LLVM's OpenMP runtime, `__kmpc_push_num_threads` and
/// `__kmpc_fork_call`, as code that is linked into this process calls them:
/// the team of a region is one of the above. There is an address at most that
/// the region gets.
using PushThreads = void(void *place, int32_t caller, int32_t threads);
PushThreads pushThreads, pushFreeThreads;
void forkTeam(void *place, int32_t count,
              void (*body)(int32_t *, int32_t *, void *), ...);

/// Functions that share one state in a process.
struct TeamFunctions {
  Result<void *> (*openMPRuntime)();
  int32_t (*availableThreads)(int32_t threads);
  unsigned (*threadsToPlanFor)(), (*threadsToCompileFor)();
  int64_t (*takeThreads)(int64_t most, Ask ask, int64_t &taken);
  void (*giveThreads)(int64_t taken);
};

/// Those of this library.
TeamFunctions teamFunctions();

/// Leaves all that to another copy of these functions, for a library that was
/// loaded by one which has them, too.
void leaveTeamTo(const TeamFunctions &functions);

} // namespace tc::cpu

#endif // TC_CPURUNTIME_TEAM_H
