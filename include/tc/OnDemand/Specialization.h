//===- Specialization.h - Code that takes over later ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles a contraction for the CPU in the background, once its calls have
// taken as long as that will take about. Until then, they are computed by
// ahead-of-time kernels (docs/cpu-runtime.md).
//
//===----------------------------------------------------------------------===//

#ifndef TC_ONDEMAND_SPECIALIZATION_H
#define TC_ONDEMAND_SPECIALIZATION_H

#include "tc/OnDemand/LoadedProgram.h"

#include <atomic>
#include <ctime>
#include <functional>
#include <limits>

namespace tc {

/// The time of calls after which code is made for a contraction: what making it
/// takes, so that both together take at most twice as long as the better one of
/// them would have.
inline constexpr double specializationSeconds = 0.1;

/// Calls that are predicted to take this long count by the processor's time of
/// the calling thread: on a machine that others use, too, waiting for a core is
/// no reason to compile. To ask for that time takes 0.2 us, and so shorter
/// calls count by the clock on the wall, up to ten times this long.
inline constexpr double shortCallSeconds = 20e-6;

/// The code of a contraction that is made when it is due. Any number of threads
/// may use it at once. What is due is made by one thread of the process, which
/// starts with the first one, is stopped when the process ends, is waited for
/// when it forks, and starts anew in a child.
class Specialization : public std::enable_shared_from_this<Specialization> {
public:
  /// Makes the code, or finds it in the cache; none where it is known that it
  /// is slower.
  using Make = std::function<Result<FoundCode>()>;
  /// Keeps for other processes which one is faster.
  using Keep = std::function<void(Faster)>;

  /// Of a contraction whose calls are predicted to take `callSeconds`.
  Specialization(Make makeCode, Keep keepFaster, double callSeconds);
  Specialization(const Specialization &) = delete;
  Specialization &operator=(const Specialization &) = delete;

  /// The code, if there is any yet. It lives as long as this.
  const LoadedProgram *code() const {
    return ready.load(std::memory_order_acquire);
  }

  /// The code, if the next call is to run it. Once there is any, calls run in
  /// turns with it and without, until each has been measured a few times: the
  /// one whose fastest call took less time stays, unless that is known.
  const LoadedProgram *codeOfNextCall();

  /// The time of a call, from its construction to its end.
  class Call {
  public:
    /// Without a specialization, nothing is measured.
    explicit Call(Specialization *specialization, bool runsCode = false);
    /// Adds it to the time of calls, or to what is compared.
    void end();

  private:
    int64_t now() const;

    Specialization *specialization;
    bool runsCode;
    clockid_t clock = CLOCK_MONOTONIC;
    int64_t begin = 0;
  };

  /// True if calls have taken so long that code is made, or was.
  bool isDue() const { return due.load(std::memory_order_relaxed); }

  /// Makes the code. What cannot be compiled stays without code.
  void make();

  /// Takes code that is there. Either this is called or `make`; once, and in
  /// one thread.
  void take(FoundCode found);

  /// Keeps which one was faster.
  void keep();

private:
  /// Calls that are compared, of those with code and of those without.
  struct Compared {
    std::atomic<int64_t> least{std::numeric_limits<int64_t>::max()};
    std::atomic<unsigned> calls{0};
  };
  void compare(bool ranCode, int64_t took);

  Make makeCode;
  Keep keepFaster;
  bool isShort;
  std::atomic<int64_t> nanoseconds{0};
  std::atomic<bool> due{false};
  std::optional<LoadedProgram> program;
  std::atomic<const LoadedProgram *> ready{nullptr};
  std::atomic<Faster> faster{Faster::Unknown};
  std::atomic<unsigned> turn{0};
  Compared withCode, without;
};

/// Lets no more code be made, and stops what makes some, without waiting for it
/// (`stopBackgroundWork`). Who loads a compiler while
/// the process runs registers this after it with `std::atexit`, so that none is
/// being made when the compiler is destroyed. What that has made since is
/// destroyed before: the end of the main thread calls this, too, if that has
/// loaded this or made a specialization.
void endSpecializations();

} // namespace tc

#endif // TC_ONDEMAND_SPECIALIZATION_H
