//===- OpenMP.cpp - OpenMP runtimes of the process ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's runtime gives threads, and GCC's are asked whether the calling thread
// is one of theirs. Others of LLVM's kind must not be asked anything: two of
// them that run end the process.
//
//===----------------------------------------------------------------------===//

#include "OpenMP.h"

#include "tc/CpuRuntime/Team.h"
#include "tc/CpuRuntime/ThreadLimits.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>

using namespace tc;
using namespace tc::cpu;

template <typename Function>
static bool find(void *library, Function &function, const char *name) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

OpenMPState::OpenMPState(void *library) {
  if (!library)
    return;
  find(library, mostThreads, "omp_get_max_threads");
  find(library, processors, "omp_get_num_procs");
  find(library, activeLevels, "omp_get_active_level");
  find(library, mostLevels, "omp_get_max_active_levels");
}

int64_t OpenMPState::limit(int64_t most) const {
  if (!mostThreads || !processors)
    return most;
  const int threads = mostThreads();
  const std::optional<unsigned> ofVariable = threadsOfOpenMP();
  const int unset = ofVariable ? static_cast<int>(*ofVariable) : processors();
  return threads == unset ? most : std::min<int64_t>(most, threads);
}

/// The library that a function is in, as dlsym takes it.
static void *libraryOf(void *function) {
  Dl_info info;
  void *library = dladdr(function, &info) != 0
                      ? dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD)
                      : nullptr;
  // The program's own.
  return library ? library : dlopen(nullptr, RTLD_NOW);
}

/// Held while runtimes are looked for. A fork waits for that, as its child
/// could not go on.
static std::mutex &findMutex() {
  static std::mutex mutex;
  static const int isReady = pthread_atfork(
      [] { mutex.lock(); }, [] { mutex.unlock(); }, [] { mutex.unlock(); });
  (void)isReady;
  return mutex;
}

Result<void *> cpu::chooseOpenMPRuntime() {
  static void *chosen = nullptr;
  std::lock_guard<std::mutex> lock(findMutex());
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

const OpenMP *cpu::findOpenMP() {
  // Whichever of several threads is first: all find the same.
  static std::atomic<const OpenMP *> found = nullptr;
  static const OpenMP none;
  const OpenMP *runtime = found;
  if (!runtime) {
    auto made = std::make_unique<OpenMP>();
    Result<void *> library = openMPRuntime();
    bool isWhole =
        library &&
        find(*library, made->threadNumber, "__kmpc_global_thread_num") &&
        find(*library, made->setThreads, "__kmpc_push_num_threads") &&
        find(*library, made->fork, "__kmpc_fork_call");
    if (isWhole) {
      find(*library, made->stackBytes, "kmp_get_stacksize_s");
      made->state = OpenMPState(*library);
    }
    if (found.compare_exchange_strong(runtime, isWhole ? made.get() : &none))
      runtime = isWhole ? made.release() : &none;
  }
  return runtime->fork ? runtime : nullptr;
}

namespace {
/// GCC's runtimes, which stay loaded once they were found: a package may bring
/// one of its own.
struct GccRuntimes {
  static constexpr size_t most = 8;
  OpenMPState states[most];
  std::atomic<size_t> count = 0;
  /// Libraries that the process had loaded when it was last searched.
  std::atomic<unsigned long long> loaded = 0;

  void search();
};
} // namespace

void GccRuntimes::search() {
  struct Search {
    unsigned long long loaded = 0;
    std::vector<std::string> paths;
  } search;
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *into) {
        auto &search = *static_cast<Search *>(into);
        search.loaded = info->dlpi_adds;
        const char *slash = std::strrchr(info->dlpi_name, '/');
        if (slash && std::strncmp(slash, "/libgomp", 8) == 0)
          search.paths.emplace_back(info->dlpi_name);
        return 0;
      },
      &search);
  std::lock_guard<std::mutex> lock(findMutex());
  for (const std::string &path : search.paths) {
    void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD);
    const OpenMPState state(library);
    auto isSame = [&](const OpenMPState &other) {
      return other.mostThreads == state.mostThreads;
    };
    // LLVM's may have this name, too.
    if (count < most && library && !dlsym(library, "__kmpc_fork_call") &&
        std::none_of(states, states + count, isSame)) {
      states[count] = state;
      ++count;
    }
  }
  loaded = search.loaded;
}

int64_t cpu::limitOfOpenMP(int64_t threads) {
  static GccRuntimes others;
  auto limit = [&](const OpenMPState &state) {
    threads = state.isNested() ? 1 : state.limit(threads);
  };
  unsigned long long loaded = 0;
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *into) {
        *static_cast<unsigned long long *>(into) = info->dlpi_adds;
        return 1;
      },
      &loaded);
  if (others.loaded != loaded)
    others.search();
  for (size_t i = 0; i < others.count && threads > 1; ++i)
    limit(others.states[i]);
  if (threads > 1)
    if (const OpenMP *openMP = findOpenMP())
      limit(openMP->state);
  return threads;
}
