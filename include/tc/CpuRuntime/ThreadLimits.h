//===- ThreadLimits.h - Numbers of threads that users say -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_CPURUNTIME_THREADLIMITS_H
#define TC_CPURUNTIME_THREADLIMITS_H

#include <optional>
#include <string>
#include <string_view>

namespace tc::cpu {

/// More threads than any machine has.
inline constexpr unsigned mostThreads = 1 << 16;

/// The number of threads that a text is, in decimal digits and with blanks
/// around; nothing if it is none from 1 to `mostThreads`.
std::optional<unsigned> parseThreads(std::string_view text);

/// Variables of the environment as they say numbers of threads.
struct ThreadVariables {
  /// TC_NUM_THREADS, the first number of OMP_NUM_THREADS, and OMP_THREAD_LIMIT,
  /// as far as they are set and valid.
  std::optional<unsigned> own, openMP, limit;
  /// A line about a TC_NUM_THREADS that is not valid; else empty.
  std::string warning;
};
ThreadVariables readThreadVariables();

/// The threads of a run that is not told how many: what was set for the calling
/// thread, or else for the process, or else TC_NUM_THREADS, OMP_NUM_THREADS, or
/// one for each core of the process; no more than OMP_THREAD_LIMIT. What the
/// environment says is read once, and what is wrong with it is said then.
unsigned threadsByDefault();

/// The same without what was set for the calling thread.
unsigned threadsOfProcess();

/// The threads of the process if nobody had set any.
unsigned threadsUnset();

/// The threads that such a run is planned for, and the most that it is compiled
/// for, which lasts longer than a number that is set.
unsigned threadsToPlanFor();
unsigned threadsToCompileFor();

/// Numbers that OMP_NUM_THREADS says, and OMP_THREAD_LIMIT, or `mostThreads`.
std::optional<unsigned> threadsOfOpenMP();
unsigned threadLimit();

/// Sets the number for the process, or for the calling thread; zero is what it
/// would be else. Both return what was set before.
unsigned setThreads(unsigned threads);
unsigned setThreadsHere(unsigned threads);

} // namespace tc::cpu

#endif // TC_CPURUNTIME_THREADLIMITS_H
