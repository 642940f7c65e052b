//===- ThreadLimitsTest.cpp - Tests of ThreadLimits.h and Team.h ----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/CpuRuntime/ThreadLimits.h"
#include "../Support/ScopedVariable.h"

#include "tc-c/CpuRuntime.h"
#include "tc/CpuRuntime/Contraction.h"
#include "tc/CpuRuntime/Team.h"

#include "gtest/gtest.h"

#include <atomic>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

using namespace tc;
using namespace tc::cpu;

TEST(ThreadLimits, Numbers) {
  EXPECT_EQ(parseThreads("1"), 1u);
  EXPECT_EQ(parseThreads(" 12\n"), 12u);
  EXPECT_EQ(parseThreads("65536"), 65536u);
  for (const char *text : {"", " ", "0", "-1", "+2", "1.5", "two", "4,2", "1 2",
                           "65537", "99999999999999999999", "0x10"})
    EXPECT_EQ(parseThreads(text), std::nullopt) << text;
}

TEST(ThreadLimits, Variables) {
  EXPECT_EQ(readThreadVariables().own, std::nullopt);
  {
    ScopedVariable own("TC_NUM_THREADS", "3"), other("OMP_NUM_THREADS", "4,2"),
        limit("OMP_THREAD_LIMIT", "7");
    ThreadVariables variables = readThreadVariables();
    EXPECT_EQ(variables.own, 3u);
    EXPECT_EQ(variables.openMP, 4u);
    EXPECT_EQ(variables.limit, 7u);
    EXPECT_EQ(variables.warning, "");
  }
  {
    ScopedVariable own("TC_NUM_THREADS", "many"), other("OMP_NUM_THREADS", "x");
    ThreadVariables variables = readThreadVariables();
    EXPECT_EQ(variables.own, std::nullopt);
    EXPECT_EQ(variables.openMP, std::nullopt);
    EXPECT_EQ(variables.warning,
              "tc: warning: TC_NUM_THREADS is 'many', which is no number from "
              "1 to 65536, and is ignored");
  }
  ScopedVariable empty("TC_NUM_THREADS", "");
  EXPECT_EQ(readThreadVariables().warning, "");
}

namespace {
/// A number of threads for the process, for the life of the object.
struct ScopedThreads {
  explicit ScopedThreads(unsigned threads) : former(setThreads(threads)) {}
  ~ScopedThreads() { setThreads(former); }
  unsigned former;
};
} // namespace

TEST(ThreadLimits, OfTheProcessAndOfAThread) {
  const int32_t unset = tcCpuThreadsGet();
  ScopedThreads scope(5);
  EXPECT_EQ(tcCpuThreadsGet(), 5);
  EXPECT_EQ(setThreadsHere(2), 0u);
  EXPECT_EQ(threadsByDefault(), 2u);
  EXPECT_EQ(threadsOfProcess(), 5u);
  std::thread([] { EXPECT_EQ(threadsByDefault(), 5u); }).join();
  int32_t former = 0;
  EXPECT_EQ(tcCpuThreadsSetHere(0, &former), 0);
  EXPECT_EQ(former, 2);
  EXPECT_EQ(threadsByDefault(), 5u);
  EXPECT_EQ(tcCpuThreadsSet(0, &former), 0);
  EXPECT_EQ(former, 5);
  EXPECT_EQ(tcCpuThreadsGet(), unset);
  EXPECT_EQ(tcCpuThreadsSet(-1, nullptr), TC_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(tcCpuThreadsSetHere(65537, nullptr), TC_ERROR_INVALID_ARGUMENT);
}

TEST(Team, RunsShareThreads) {
  ScopedThreads scope(4);
  EXPECT_EQ(busyThreads(), 0);
  {
    Team first(8, Ask::Free);
    EXPECT_EQ(first.size(), 4);
    Team second(8, Ask::Free);
    EXPECT_EQ(second.size(), 1);
    EXPECT_EQ(busyThreads(), 5);
    first.shrink(2);
    EXPECT_EQ(first.size(), 2);
    // One of the four is left.
    Team third(8, Ask::Free);
    EXPECT_EQ(third.size(), 1);
    // A run that is told its number gets as many, and they count.
    Team told(3, Ask::All);
    EXPECT_EQ(told.size(), 3);
    EXPECT_EQ(busyThreads(), 7);
    // Runs by one thread do not count.
    Team one(1, Ask::Free);
    EXPECT_EQ(one.size(), 1);
    EXPECT_EQ(busyThreads(), 7);
  }
  EXPECT_EQ(busyThreads(), 0);
  EXPECT_EQ(Team(3, Ask::Free).size(), 3);
}

TEST(Team, AChildOfAForkHasAllThreads) {
  ScopedThreads scope(4);
  Team busy(4, Ask::Free);
  pid_t child = fork();
  if (child == 0)
    _exit(busyThreads() == 0 && Team(4, Ask::Free).size() == 4 ? 0 : 1);
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(busyThreads(), 4);
}

TEST(Team, InItselfThereIsOneThread) {
  // Of which all but two are free.
  ScopedThreads scope(8);
  std::atomic<int64_t> most = 0, ran = 0;
  Team team(2, Ask::Free);
  ASSERT_EQ(team.size(), 2);
  team.run(2, [&](int64_t) {
    // Both threads are in a region, if both are there.
    ++ran;
    for (int i = 0; i < 100000 && ran < 2; ++i)
      std::this_thread::yield();
    Team inner(2, Ask::Free), told(2, Ask::All);
    most = std::max(most.load(), std::max(inner.size(), told.size()));
  });
  EXPECT_EQ(most, 1);
}

/// C = A * B of square matrices of that extent.
static Problem square(int64_t extent) {
  Problem problem;
  problem.add(extent, {{extent, 0, extent}});
  problem.add(extent, {{0, 1, 1}});
  problem.add(extent, {{1, extent, 0}});
  problem.elementType = {{model::ElementType::F64, model::ElementType::F64,
                          model::ElementType::F64}};
  problem.accumulatorType = model::ElementType::F64;
  return problem;
}

// Numbers that are set after the plan was made.
TEST(Team, PlansFollowWhatIsSet) {
  constexpr int64_t extent = 300;
  const Problem problem = square(extent);
  const size_t count = extent * extent;
  std::vector<double> a(count), b(count), one(count), other(count);
  for (size_t i = 0; i < count; ++i) {
    a[i] = static_cast<double>(i % 17) / 7;
    b[i] = static_cast<double>(i % 23) / 9;
  }
  ASSERT_EQ(Contraction(problem, 1).run(a.data(), b.data(), one.data()),
            Outcome::Done);
  ScopedThreads scope(1);
  const Contraction alone(problem);
  EXPECT_EQ(alone.threads(), 1u);
  setThreads(3);
  const Contraction three(problem);
  EXPECT_GT(three.threads(), 1u);
  for (unsigned threads : {1, 2, 3, 5})
    for (const Contraction *contraction : {&alone, &three}) {
      setThreads(threads);
      std::fill(other.begin(), other.end(), -1);
      ASSERT_EQ(contraction->run(a.data(), b.data(), other.data()),
                Outcome::Done);
      EXPECT_EQ(one, other) << threads;
      EXPECT_EQ(busyThreads(), 0);
    }
}
