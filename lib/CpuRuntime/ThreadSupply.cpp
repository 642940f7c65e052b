//===- ThreadSupply.cpp - Number of threads that a team can have ----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The OpenMP runtime ends the process where it cannot start a thread. So as
// many as it is going to start are started here before, with stacks like its
// own, and ended again: there may be fewer then, within limits of threads or of
// addresses.
//
//===----------------------------------------------------------------------===//

#include "ThreadSupply.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <vector>

#include <csignal>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace tc;

namespace {

/// Threads that do nothing, all at the same time.
class Trial {
public:
  explicit Trial(size_t stackBytes) : stackBytes(stackBytes) {}
  Trial(const Trial &) = delete;
  Trial &operator=(const Trial &) = delete;
  ~Trial();

  /// Starts up to so many; returns how many there are.
  int64_t start(int64_t count);

private:
  struct Thread {
    Trial *trial = nullptr;
    pthread_t handle = {};
    std::atomic<pid_t> id = 0;
  };

  static void *wait(void *thread);

  size_t stackBytes;
  std::vector<Thread> threads;
  size_t started = 0;
  std::mutex mutex;
  std::condition_variable changed;
  bool isOver = false;
};

/// The threads that the OpenMP runtime has started, as far as it was asked to
/// here.
struct Ledger {
  /// Threads that it has beside those that called it, and how many of these
  /// each of those keeps, in all.
  std::atomic<int64_t> made = 0, kept = 0;
  /// Held while others are tried.
  std::mutex mutex;
  /// The time at which there were no more threads.
  std::chrono::steady_clock::time_point lack;
};

/// The threads that the calling thread keeps until it ends.
struct Kept {
  Ledger *ledger = nullptr;
  int64_t threads = 0;
  ~Kept();
};

} // namespace

/// A child of a fork has another one: the runtime has lost its threads.
static std::atomic<Ledger *> currentLedger = nullptr;
static thread_local Kept keptByThread;

Kept::~Kept() {
  if (ledger == currentLedger)
    ledger->kept -= threads;
}

void *Trial::wait(void *argument) {
  auto *thread = static_cast<Thread *>(argument);
  Trial &trial = *thread->trial;
  thread->id = static_cast<pid_t>(syscall(SYS_gettid));
  // The allocator may take addresses for each thread that it meets.
  void *volatile piece = std::malloc(1);
  std::free(piece);
  std::unique_lock<std::mutex> lock(trial.mutex);
  trial.changed.wait(lock, [&] { return trial.isOver; });
  return nullptr;
}

int64_t Trial::start(int64_t count) {
  threads = std::vector<Thread>(static_cast<size_t>(count));
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0)
    return 0;
  // Signals are for threads of the process's own.
  sigset_t all, former;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &former);
  bool isPossible = pthread_attr_setstacksize(&attributes, stackBytes) == 0;
  while (isPossible && started < threads.size()) {
    Thread &thread = threads[started];
    thread.trial = this;
    isPossible =
        pthread_create(&thread.handle, &attributes, wait, &thread) == 0;
    started += isPossible ? 1 : 0;
  }
  pthread_sigmask(SIG_SETMASK, &former, nullptr);
  pthread_attr_destroy(&attributes);
  return static_cast<int64_t>(started);
}

Trial::~Trial() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    isOver = true;
  }
  changed.notify_all();
  for (size_t i = 0; i < started; ++i)
    pthread_join(threads[i].handle, nullptr);
  // A thread that is joined may count for a moment yet.
  using Clock = std::chrono::steady_clock;
  const auto latest = Clock::now() + std::chrono::milliseconds(500);
  for (size_t i = 0; i < started; ++i)
    while (syscall(SYS_tgkill, getpid(), threads[i].id.load(), 0) == 0 &&
           Clock::now() < latest)
      usleep(50);
}

static Ledger &findLedger() {
  static const bool isReady = [] {
    currentLedger = new Ledger();
    pthread_atfork(nullptr, nullptr, [] { currentLedger = new Ledger(); });
    return true;
  }();
  (void)isReady;
  return *currentLedger;
}

int64_t cpu::supplyThreads(int64_t threads, size_t stackBytes) {
  if (threads <= 1)
    return threads;
  Ledger &ledger = findLedger();
  Kept &own = keptByThread;
  if (own.ledger != &ledger)
    own = {&ledger, 0};
  int64_t wanted = threads - 1;
  if (own.threads == wanted)
    return threads;
  // The runtime gives threads that one caller needs no more to others.
  int64_t kept = ledger.kept += wanted - own.threads;
  own.threads = wanted;
  if (kept <= ledger.made)
    return threads;
  std::lock_guard<std::mutex> lock(ledger.mutex);
  const int64_t missing = ledger.kept - ledger.made;
  if (missing <= 0)
    return threads;
  // Limits seldom change: to try each time would take longer than a call.
  using Clock = std::chrono::steady_clock;
  int64_t found = 0;
  if (Clock::now() - ledger.lack >= std::chrono::seconds(1) ||
      ledger.lack == Clock::time_point()) {
    // The runtime and the allocator have further memory for each thread, beside
    // its stack.
    constexpr size_t besides = size_t(256) << 10;
    try {
      found = Trial(stackBytes + besides).start(missing);
    } catch (const std::exception &) {
      found = 0;
    }
    if (found < missing)
      ledger.lack = Clock::now();
  }
  ledger.made += found;
  const int64_t lacking = std::min(missing - found, wanted);
  ledger.kept -= lacking;
  own.threads = wanted - lacking;
  return own.threads + 1;
}
