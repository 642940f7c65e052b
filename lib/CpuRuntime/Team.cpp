//===- Team.cpp - Threads that share out the tasks of a run ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's OpenMP runtime is asked for threads as compiled code asks it, by the
// functions that Clang calls: so both share one team. All runs of the process
// count the threads that they have, so that those which are not told how many
// leave what others use.
//
//===----------------------------------------------------------------------===//

#include "tc/CpuRuntime/Team.h"

#include "OpenMP.h"
#include "ThreadSupply.h"

#include "tc/CpuRuntime/ThreadLimits.h"
#include "tc/Support/Threads.h"

#include <algorithm>
#include <atomic>
#include <cstdarg>
#include <cstdlib>
#include <cstring>

#include <pthread.h>

using namespace tc;
using cpu::OpenMP;
using cpu::SourcePlace;

namespace {

/// The tasks of a run, which is next, and the number of the next thread.
struct Tasks {
  const std::function<void(int64_t, int64_t)> &body;
  int64_t count;
  std::atomic<int64_t> next{0}, nextThread{0};

  void work() {
    const int64_t thread = nextThread.fetch_add(1);
    for (int64_t task; (task = next.fetch_add(1)) < count;)
      body(task, thread);
  }
};

} // namespace

/// The functions of another library; null if they are this one's.
static std::atomic<const cpu::TeamFunctions *> others = nullptr;

/// The threads that runs have which asked for several.
static std::atomic<int64_t> busy = 0;

/// True in a child of a fork whose OpenMP runtime goes on as if it had the
/// threads of its parent, and would wait for them.
static std::atomic<bool> hasLostThreads = false;

/// A child has none of the threads that its parent has. LLVM's runtime begins
/// anew there unless KMP_INIT_AT_FORK, which it reads when it starts, keeps it
/// from that: joblib and scikit-learn set it so.
static void beginChild() {
  busy = 0;
  const char *begins = std::getenv("KMP_INIT_AT_FORK");
  if (begins && *begins && std::strchr("0fFnN", *begins))
    hasLostThreads = true;
}

void cpu::leaveTeamTo(const TeamFunctions &functions) {
  static const TeamFunctions kept = functions;
  if (kept.openMPRuntime != &openMPRuntime)
    others = &kept;
}

Result<void *> cpu::openMPRuntime() {
  if (const TeamFunctions *functions = others)
    return functions->openMPRuntime();
  return chooseOpenMPRuntime();
}

int32_t cpu::availableThreads(int32_t threads) {
  if (const TeamFunctions *functions = others)
    return functions->availableThreads(threads);
  if (hasLostThreads)
    return 1;
  const OpenMP *openMP = findOpenMP();
  if (!openMP || openMP->state.isNested())
    return threads;
  // LLVM's own, if nobody sets another one.
  constexpr size_t usual = size_t(4) << 20;
  return static_cast<int32_t>(supplyThreads(
      threads, openMP->stackBytes ? openMP->stackBytes() : usual));
}

int64_t cpu::busyThreads() { return busy; }

/// Counts threads for a run in; returns those it gets, and how many count.
static int64_t takeThreads(int64_t most, cpu::Ask ask, int64_t &taken) {
  static const int isReady = pthread_atfork(nullptr, nullptr, beginChild);
  (void)isReady;
  most = std::min<int64_t>(most, cpu::threadLimit());
  if (ask == cpu::Ask::All) {
    const OpenMP *openMP = cpu::findOpenMP();
    if (openMP && openMP->state.isNested())
      return 1;
    busy.fetch_add(taken = most, std::memory_order_relaxed);
    return most;
  }
  const int64_t own = cpu::threadsByDefault();
  if (own <= 1)
    return 1;
  most = cpu::limitOfOpenMP(std::min(most, own));
  if (most <= 1)
    return 1;
  const int64_t all = std::max<int64_t>(own, cpu::threadsOfProcess());
  int64_t found = busy.load(std::memory_order_relaxed);
  do
    taken = std::clamp<int64_t>(all - found, 1, most);
  while (!busy.compare_exchange_weak(found, found + taken,
                                     std::memory_order_relaxed));
  return taken;
}

static void giveThreads(int64_t taken) {
  busy.fetch_sub(taken, std::memory_order_relaxed);
}

cpu::TeamFunctions cpu::teamFunctions() {
  return {openMPRuntime,       availableThreads, threadsToPlanFor,
          threadsToCompileFor, takeThreads,      giveThreads};
}

unsigned cpu::threadsToPlanFor() {
  const TeamFunctions *functions = others;
  return functions ? functions->threadsToPlanFor() : threadsByDefault();
}

unsigned cpu::threadsToCompileFor() {
  const TeamFunctions *functions = others;
  return functions ? functions->threadsToCompileFor()
                   : std::max(threadsUnset(), threadsOfProcess());
}

cpu::Team::Team(int64_t most, Ask ask) {
  if (most <= 1)
    return;
  const TeamFunctions *functions = others;
  threads =
      (functions ? functions->takeThreads : takeThreads)(most, ask, taken);
}

cpu::Team::~Team() { shrink(0); }

void cpu::Team::shrink(int64_t most) {
  const int64_t left = std::min(taken, most);
  if (left == taken)
    return;
  const TeamFunctions *functions = others;
  (functions ? functions->giveThreads : giveThreads)(taken - left);
  taken = left;
  threads = std::max<int64_t>(1, std::min(threads, most));
}

/// Runs a region by that many threads.
static void fork(const OpenMP &openMP, int64_t threads, OpenMP::Body body,
                 SourcePlace *place, int32_t count, void *shared) {
  openMP.setThreads(place, openMP.threadNumber(place),
                    cpu::availableThreads(static_cast<int32_t>(threads)));
  openMP.fork(place, count, body, shared);
}

void cpu::Team::run(int64_t count, int64_t most,
                    const std::function<void(int64_t, int64_t)> &body) const {
  const int64_t used = std::min({threads, most, count});
  Tasks tasks{body, count};
  if (used <= 1)
    return tasks.work();
  const OpenMP *openMP = hasLostThreads ? nullptr : findOpenMP();
  if (openMP) {
    SourcePlace place;
    return fork(
        *openMP, used,
        [](int32_t *, int32_t *, void *shared) {
          static_cast<Tasks *>(shared)->work();
        },
        &place, 1, &tasks);
  }
  runOnThreads(static_cast<unsigned>(used), [&] { tasks.work(); });
}

void cpu::Team::run(int64_t count,
                    const std::function<void(int64_t)> &body) const {
  run(count, threads, [&](int64_t task, int64_t) { body(task); });
}

namespace {
/// The team of the calling thread's next region.
struct NextTeam {
  int32_t threads = 1;
  cpu::Ask ask = cpu::Ask::All;
};
} // namespace

static thread_local NextTeam nextTeam;

void cpu::pushThreads(void * /*place*/, int32_t /*caller*/, int32_t threads) {
  nextTeam = {threads, Ask::All};
}

void cpu::pushFreeThreads(void * /*place*/, int32_t /*caller*/,
                          int32_t threads) {
  nextTeam = {threads, Ask::Free};
}

void cpu::forkTeam(void *place, int32_t count, OpenMP::Body body, ...) {
  va_list arguments;
  va_start(arguments, body);
  void *shared = count > 0 ? va_arg(arguments, void *) : nullptr;
  va_end(arguments);
  const NextTeam next = nextTeam;
  const Team team(next.threads, next.ask);
  // The code would not have been linked without one.
  fork(*findOpenMP(), team.size(), body, static_cast<SourcePlace *>(place),
       count, shared);
}
