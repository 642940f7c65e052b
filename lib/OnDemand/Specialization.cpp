//===- Specialization.cpp - Code that takes over later --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/OnDemand/Specialization.h"

#include "tc/OnDemand/Background.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include <pthread.h>
#include <unistd.h>

using namespace tc;

namespace {

/// The thread that does what is due, in the order in which it became so.
class Worker {
public:
  /// Work on a specialization.
  using Task = void (Specialization::*)();

  /// Never destroyed: others may need its mutexes while the process ends.
  static Worker &get() {
    static const bool isRegistered = [] {
      current = new Worker();
      pthread_atfork([] { current->beforeFork(); },
                     [] { current->afterFork(); },
                     // A child has not got the thread: it gets another one.
                     [] {
                       current = new Worker();
                       forgetBackgroundWork();
                     });
      return std::atexit(endCurrent) == 0;
    }();
    (void)isRegistered;
    return *current;
  }

  static void endCurrent() {
    if (current)
      current->end();
    stopBackgroundWork();
  }

  void add(std::weak_ptr<Specialization> work, Task task) {
    std::lock_guard<std::mutex> lock(mutex);
    if (ends)
      return;
    if (!hasThread)
      try {
        std::thread([this] { run(); }).detach();
        hasThread = true;
      } catch (const std::exception &) {
        // Without a thread, calls stay as they are.
        return;
      }
    due.push_back({std::move(work), task});
    changed.notify_one();
  }

  /// Lets nothing more be made. The thread stays, as its end would destroy what
  /// is the compiler's, too.
  void end() {
    std::lock_guard<std::mutex> lock(mutex);
    ends = true;
  }

private:
  static void perform(Specialization &work, Task task) {
    try {
      (work.*task)();
    } catch (...) {
      // Without the code, calls stay as they are.
      return;
    }
  }

  void run() {
    std::unique_lock<std::mutex> lock(mutex);
    for (;;) {
      changed.wait(lock, [&] { return !ends && !due.empty(); });
      std::shared_ptr<Specialization> work = due.front().first.lock();
      Task task = due.front().second;
      due.pop_front();
      lock.unlock();
      if (work) {
        BackgroundWork background;
        std::lock_guard<std::mutex> making(busy);
        perform(*work, task);
        work.reset();
      }
      lock.lock();
    }
  }

  /// Waits for what is being made, whose locks a child would find taken; but
  /// not once it is stopped.
  void beforeFork() {
    const timespec moment = {0, 200'000};
    bool isFree;
    while (!(isFree = busy.try_lock()) && !ends)
      nanosleep(&moment, nullptr);
    mutex.lock();
    isHeld = isFree;
  }
  void afterFork() {
    mutex.unlock();
    if (isHeld)
      busy.unlock();
  }

  /// Held while code is made, and for everything below, in this order.
  std::mutex busy, mutex;
  std::condition_variable changed;
  std::deque<std::pair<std::weak_ptr<Specialization>, Task>> due;
  bool hasThread = false, isHeld = false;
  std::atomic<bool> ends = false;

  static Worker *current;
};

Worker *Worker::current = nullptr;

/// Of the main thread, ends before the process destroys what the compiler has
/// made only since the worker was registered to be ended.
struct EndOfMainThread {
  void touch() noexcept {}
  ~EndOfMainThread() {
    if (gettid() == getpid())
      Worker::endCurrent();
  }
};
thread_local EndOfMainThread endOfMainThread;

/// The thread that loads this is the main thread, if it is not loaded by
/// another one later.
[[maybe_unused]] const bool isTouched = (endOfMainThread.touch(), true);

} // namespace

Specialization::Specialization(Make makeCode, Keep keepFaster,
                               double callSeconds)
    : makeCode(std::move(makeCode)), keepFaster(std::move(keepFaster)),
      isShort(callSeconds < shortCallSeconds) {
  endOfMainThread.touch();
}

const LoadedProgram *Specialization::codeOfNextCall() {
  const LoadedProgram *made = code();
  if (!made)
    return nullptr;
  switch (faster.load(std::memory_order_relaxed)) {
  case Faster::Code:
    return made;
  case Faster::Ahead:
    return nullptr;
  case Faster::Unknown:
    break;
  }
  return turn.fetch_add(1, std::memory_order_relaxed) % 2 == 0 ? made : nullptr;
}

Specialization::Call::Call(Specialization *specialization, bool runsCode)
    : specialization(specialization), runsCode(runsCode) {
  // Nothing is left to measure.
  if (specialization &&
      specialization->faster.load(std::memory_order_relaxed) != Faster::Unknown)
    this->specialization = nullptr;
  if (!this->specialization)
    return;
  clock = specialization->isShort ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID;
  begin = now();
}

int64_t Specialization::Call::now() const {
  timespec time = {};
  clock_gettime(clock, &time);
  return time.tv_sec * int64_t(1'000'000'000) + time.tv_nsec;
}

void Specialization::Call::end() {
  constexpr auto most = static_cast<int64_t>(specializationSeconds * 1e9);
  constexpr auto mostOfShort =
      static_cast<int64_t>(10 * shortCallSeconds * 1e9);
  if (!specialization)
    return;
  Specialization &of = *specialization;
  int64_t added = now() - begin;
  if (of.code())
    return of.compare(runsCode, added);
  if (of.isShort)
    added = std::min(added, mostOfShort);
  if (of.nanoseconds.fetch_add(added, std::memory_order_relaxed) + added < most)
    return;
  if (!of.due.exchange(true))
    Worker::get().add(of.weak_from_this(), &Specialization::make);
}

void Specialization::compare(bool ranCode, int64_t took) {
  Compared &of = ranCode ? withCode : without;
  int64_t least = of.least.load(std::memory_order_relaxed);
  while (took < least && !of.least.compare_exchange_weak(
                             least, took, std::memory_order_relaxed))
    ;
  of.calls.fetch_add(1, std::memory_order_relaxed);
  // The first call of code brings it to memory, and the next ones teach the
  // processor its branches, while those of the other one are known to it.
  const bool areShort = static_cast<double>(std::max(
                            withCode.least.load(std::memory_order_relaxed),
                            without.least.load(std::memory_order_relaxed))) <
                        shortCallSeconds * 1e9;
  const unsigned callsOfEach = areShort ? 50 : 5;
  if (withCode.calls.load(std::memory_order_relaxed) < callsOfEach ||
      without.calls.load(std::memory_order_relaxed) < callsOfEach)
    return;
  Faster known = Faster::Unknown;
  Faster shown = withCode.least.load(std::memory_order_relaxed) <
                         without.least.load(std::memory_order_relaxed)
                     ? Faster::Code
                     : Faster::Ahead;
  // To write to the cache takes longer than a call may wait for.
  if (faster.compare_exchange_strong(known, shown, std::memory_order_relaxed))
    Worker::get().add(weak_from_this(), &Specialization::keep);
}

void Specialization::make() {
  if (Result<FoundCode> found = makeCode())
    take(std::move(*found));
}

void Specialization::take(FoundCode found) {
  faster.store(found.faster, std::memory_order_relaxed);
  if (!found.program || found.program->program.kernels.empty())
    return;
  program = std::move(found.program);
  ready.store(&*program, std::memory_order_release);
}

void Specialization::keep() {
  keepFaster(faster.load(std::memory_order_relaxed));
}

void tc::endSpecializations() { Worker::endCurrent(); }
