//===- Progress.h - Progress of a run ---------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_TOOLS_TC_BENCH_PROGRESS_H
#define TC_TOOLS_TC_BENCH_PROGRESS_H

#include <chrono>
#include <cstddef>
#include <string>

namespace tc::bench {

/// "1:02:03" or "2:03" for so many seconds.
std::string formatDuration(double seconds);

/// A line on standard error that is written over as cases are done:
///
///   [=======             ]  34/96  1:12 passed, 2:11 left  17-abcd-aebf-dfce
///
/// Cases that an earlier run has done take no time, so they do not count in the
/// rest.
class Progress {
public:
  /// Writes nothing if `isShown` is false.
  Progress(size_t total, bool isShown);
  ~Progress() { clear(); }
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  /// Names the case that is next.
  void begin(const std::string &name);
  /// Takes the line away, so that others can be printed.
  void clear();
  /// Counts a case: one that was run, or that was there.
  void finish(bool wasRun);

private:
  using Clock = std::chrono::steady_clock;

  size_t total, done = 0, run = 0;
  bool isShown, isThere = false;
  Clock::time_point start = Clock::now();
};

} // namespace tc::bench

#endif // TC_TOOLS_TC_BENCH_PROGRESS_H
