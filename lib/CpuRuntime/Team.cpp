//===- Team.cpp - Threads that share out the tasks of a run ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's OpenMP runtime is asked for threads as compiled code asks it, by the
// functions that Clang calls: so both share one team.
//
//===----------------------------------------------------------------------===//

#include "tc/CpuRuntime/Team.h"

#include "ThreadSupply.h"

#include "tc/Support/Threads.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include <dlfcn.h>
#include <sched.h>

using namespace tc;

unsigned cpu::coresOfProcess() {
  static const unsigned cores = [] {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof(set), &set) == 0)
      return std::max(1u, static_cast<unsigned>(CPU_COUNT(&set)));
    return std::max(1u, std::thread::hardware_concurrency());
  }();
  return cores;
}

namespace {

/// The place in the source of a call of the runtime, in the form that it
/// expects.
struct SourcePlace {
  int32_t reserved1 = 0, flags = 2, reserved2 = 0, reserved3 = 0;
  const char *text = ";unknown;unknown;0;0;;";
};

/// Functions of LLVM's OpenMP runtime.
struct OpenMP {
  using Body = void (*)(int32_t *, int32_t *, void *);
  int32_t (*threadNumber)(SourcePlace *) = nullptr;
  void (*setThreads)(SourcePlace *, int32_t, int32_t) = nullptr;
  void (*fork)(SourcePlace *, int32_t, Body, ...) = nullptr;
  /// Null where a runtime has them not: bytes of its threads' stacks, and
  /// parallel regions around, of how many that may be.
  size_t (*stackBytes)() = nullptr;
  int (*activeLevels)() = nullptr, (*mostLevels)() = nullptr;

  /// Returns true if the next region is one of the calling thread alone.
  bool isNested() const {
    return activeLevels && mostLevels && activeLevels() >= mostLevels();
  }
};

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

/// The library that a function is in, as dlsym takes it.
static void *libraryOf(void *function) {
  Dl_info info;
  void *library = dladdr(function, &info) != 0
                      ? dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD)
                      : nullptr;
  // The program's own.
  return library ? library : dlopen(nullptr, RTLD_NOW);
}

/// The functions of another library; null if they are this one's.
static std::atomic<const cpu::TeamFunctions *> others = nullptr;

void cpu::leaveTeamTo(const TeamFunctions &functions) {
  static const TeamFunctions kept = functions;
  if (kept.openMPRuntime != &openMPRuntime)
    others = &kept;
}

Result<void *> cpu::openMPRuntime() {
  if (const TeamFunctions *functions = others)
    return functions->openMPRuntime();
  static std::mutex mutex;
  static void *chosen = nullptr;
  std::lock_guard<std::mutex> lock(mutex);
  if (chosen)
    return chosen;
  if (void *function = dlsym(RTLD_DEFAULT, "__kmpc_fork_call"))
    chosen = libraryOf(function);
  for (const char *name : {"libiomp5.so", "libomp.so.5", "libomp.so"})
    if (!chosen)
      chosen = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  if (!chosen)
    chosen = dlopen("libomp.so.5", RTLD_NOW | RTLD_LOCAL);
  if (!chosen)
    return Error{dlerror()};
  return chosen;
}

/// The runtime's functions; none without one.
static const OpenMP *findOpenMP() {
  static const OpenMP found = [] {
    OpenMP runtime;
    Result<void *> library = cpu::openMPRuntime();
    if (!library)
      return runtime;
    auto find = [&](auto &function, const char *name) {
      function = reinterpret_cast<std::decay_t<decltype(function)>>(
          dlsym(*library, name));
      return function != nullptr;
    };
    if (!find(runtime.threadNumber, "__kmpc_global_thread_num") ||
        !find(runtime.setThreads, "__kmpc_push_num_threads") ||
        !find(runtime.fork, "__kmpc_fork_call"))
      return OpenMP();
    find(runtime.stackBytes, "kmp_get_stacksize_s");
    find(runtime.activeLevels, "omp_get_active_level");
    find(runtime.mostLevels, "omp_get_max_active_levels");
    return runtime;
  }();
  return found.fork ? &found : nullptr;
}

int32_t cpu::availableThreads(int32_t threads) {
  if (const TeamFunctions *functions = others)
    return functions->availableThreads(threads);
  const OpenMP *openMP = findOpenMP();
  if (!openMP || openMP->isNested())
    return threads;
  // LLVM's own, if nobody sets another one.
  constexpr size_t usual = size_t(4) << 20;
  return static_cast<int32_t>(supplyThreads(
      threads, openMP->stackBytes ? openMP->stackBytes() : usual));
}

void cpu::pushAvailableThreads(void *place, int32_t caller, int32_t threads) {
  if (const OpenMP *openMP = findOpenMP())
    openMP->setThreads(static_cast<SourcePlace *>(place), caller,
                       availableThreads(threads));
}

void cpu::runTasks(int64_t count, const std::function<void(int64_t)> &body) {
  runTasks(count, count, [&](int64_t task, int64_t) { body(task); });
}

void cpu::runTasks(int64_t count, int64_t threads,
                   const std::function<void(int64_t, int64_t)> &body) {
  threads = std::min(threads, count);
  Tasks tasks{body, count};
  if (threads <= 1)
    return tasks.work();
  if (const OpenMP *openMP = findOpenMP()) {
    SourcePlace place;
    pushAvailableThreads(&place, openMP->threadNumber(&place),
                         static_cast<int32_t>(threads));
    openMP->fork(
        &place, 1,
        [](int32_t *, int32_t *, void *shared) {
          static_cast<Tasks *>(shared)->work();
        },
        static_cast<void *>(&tasks));
    return;
  }
  runOnThreads(static_cast<unsigned>(threads), [&] { tasks.work(); });
}
