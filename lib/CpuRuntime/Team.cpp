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

#include <algorithm>
#include <atomic>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

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

/// Where in the source a call of the runtime stands, as it wants to know.
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
};

/// The tasks of a run, and which is next.
struct Tasks {
  const std::function<void(int64_t)> &body;
  int64_t count;
  std::atomic<int64_t> next{0};

  void work() {
    for (int64_t task; (task = next.fetch_add(1)) < count;)
      body(task);
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

/// The function of another library that chooses; null if it is this one's.
static std::atomic<Result<void *> (*)()> chooser = nullptr;

void cpu::chooseOpenMPRuntimeBy(Result<void *> (*choose)()) {
  if (choose != &openMPRuntime)
    chooser = choose;
}

Result<void *> cpu::openMPRuntime() {
  if (auto *choose = chooser.load())
    return choose();
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
    return runtime;
  }();
  return found.fork ? &found : nullptr;
}

void cpu::runTasks(int64_t count, const std::function<void(int64_t)> &body) {
  if (count == 1)
    return body(0);
  Tasks tasks{body, count};
  if (const OpenMP *openMP = findOpenMP()) {
    SourcePlace place;
    openMP->setThreads(&place, openMP->threadNumber(&place),
                       static_cast<int32_t>(count));
    openMP->fork(
        &place, 1,
        [](int32_t *, int32_t *, void *shared) {
          static_cast<Tasks *>(shared)->work();
        },
        static_cast<void *>(&tasks));
    return;
  }
  std::vector<std::thread> threads;
  auto finish = [&] {
    tasks.work();
    for (std::thread &thread : threads)
      thread.join();
  };
  try {
    threads.reserve(static_cast<size_t>(count - 1));
    for (int64_t i = 1; i < count; ++i)
      threads.emplace_back([&] { tasks.work(); });
  } catch (const std::exception &) {
    // Those that there are do all.
    return finish();
  }
  finish();
}
