//===- SpecializationTest.cpp - Decisions to make code --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/OnDemand/Specialization.h"

#include <atomic>
#include <chrono>
#include <ctime>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

using namespace tc;

namespace {

/// Of nothing that could be compiled.
std::shared_ptr<Specialization> specializationOf(double callSeconds) {
  auto fail = []() -> Result<FoundCode> { return Error{"no code"}; };
  return std::make_shared<Specialization>(fail, [](Faster) {}, callSeconds);
}

double processorSeconds() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * time.tv_nsec;
}

void wait() {
  std::this_thread::sleep_for(
      std::chrono::duration<double>(1.5 * specializationSeconds));
}

} // namespace

TEST(Specialization, MakesNothingForCallsThatWaitForACore) {
  for (double callSeconds : {1e-6, 1e-3}) {
    auto specialization = specializationOf(callSeconds);
    Specialization::Call call(specialization.get());
    wait();
    call.end();
    EXPECT_FALSE(specialization->isDue()) << callSeconds;
  }
}

TEST(Specialization, MakesCodeForACallThatTakesLong) {
  auto specialization = specializationOf(1e-3);
  Specialization::Call call(specialization.get());
  double end = processorSeconds() + 1.1 * specializationSeconds;
  while (processorSeconds() < end) {
  }
  call.end();
  EXPECT_TRUE(specialization->isDue());
}

TEST(Specialization, MakesCodeForManyShortCalls) {
  auto specialization = specializationOf(1e-6);
  int calls = 0;
  for (; !specialization->isDue() && calls < 1'000'000; ++calls) {
    Specialization::Call call(specialization.get());
    std::this_thread::sleep_for(
        std::chrono::duration<double>(shortCallSeconds));
    call.end();
  }
  EXPECT_TRUE(specialization->isDue());
  EXPECT_GE(calls, specializationSeconds / (10 * shortCallSeconds) - 1);
}

/// Code of one contraction, which nobody calls.
static FoundCode uncalledCode() {
  HostProgram program;
  program.kernels.emplace_back();
  FoundCode found;
  found.program = LoadedProgram{
      std::move(program), LoadedObject(nullptr, {nullptr}), CacheOutcome::Off};
  return found;
}

/// A place for which one is faster, which the worker's thread fills in.
struct Kept {
  void operator()(Faster faster) {
    value = faster;
    ++times;
  }
  std::atomic<Faster> value{Faster::Unknown};
  std::atomic<int> times{0};
};

/// Runs calls in turns until they run the same one ten times in a row, and
/// returns whether that is the code, which is kept.
static bool codeStays(double secondsOfCode, double secondsWithout) {
  auto kept = std::make_shared<Kept>();
  auto specialization = std::make_shared<Specialization>(
      uncalledCode, [kept](Faster faster) { (*kept)(faster); },
      /*callSeconds=*/1e-6);
  EXPECT_EQ(specialization->codeOfNextCall(), nullptr);
  specialization->make();
  EXPECT_NE(specialization->code(), nullptr);
  int inARow = 0, calls = 0;
  bool ranCode = false;
  for (; inARow < 10 && calls < 100; ++calls) {
    const bool runsCode = specialization->codeOfNextCall() != nullptr;
    inARow = calls > 0 && runsCode == ranCode ? inARow + 1 : 0;
    ranCode = runsCode;
    Specialization::Call call(specialization.get(), runsCode);
    std::this_thread::sleep_for(std::chrono::duration<double>(
        runsCode ? secondsOfCode : secondsWithout));
    call.end();
  }
  EXPECT_LT(calls, 30) << "calls run in turns";
  EXPECT_NE(specialization->code(), nullptr) << "artifacts need it";
  for (int i = 0; i < 1000 && kept->times == 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(kept->times, 1);
  EXPECT_EQ(kept->value, ranCode ? Faster::Code : Faster::Ahead);
  return ranCode;
}

TEST(Specialization, KeepsWhatIsFaster) {
  EXPECT_TRUE(codeStays(0.001, 0.01));
  EXPECT_FALSE(codeStays(0.01, 0.001));
}

TEST(Specialization, ComparesShortCallsMoreOften) {
  auto specialization = std::make_shared<Specialization>(
      uncalledCode, [](Faster) {}, /*callSeconds=*/1e-6);
  specialization->make();
  std::vector<bool> ranCode;
  for (int i = 0; i < 300; ++i) {
    ranCode.push_back(specialization->codeOfNextCall() != nullptr);
    Specialization::Call call(specialization.get(), ranCode.back());
    call.end();
  }
  // Fifty of each, in turns.
  for (int i = 1; i < 100; ++i)
    EXPECT_NE(ranCode[i], ranCode[i - 1]) << i;
  for (int i = 200; i < 300; ++i)
    EXPECT_EQ(ranCode[i], ranCode.back()) << i;
}

TEST(Specialization, ComparesNothingThatIsKnown) {
  for (Faster faster : {Faster::Code, Faster::Ahead}) {
    auto kept = std::make_shared<Kept>();
    auto specialization = std::make_shared<Specialization>(
        [] { return uncalledCode(); },
        [kept](Faster faster) { (*kept)(faster); }, /*callSeconds=*/1e-6);
    FoundCode found = uncalledCode();
    found.faster = faster;
    specialization->take(std::move(found));
    for (int i = 0; i < 20; ++i) {
      const bool runsCode = specialization->codeOfNextCall() != nullptr;
      EXPECT_EQ(runsCode, faster == Faster::Code);
      Specialization::Call call(specialization.get(), runsCode);
      call.end();
    }
    EXPECT_EQ(kept->times, 0);
  }
}

TEST(Specialization, MeasuresNothingOfNone) {
  Specialization::Call call(nullptr);
  call.end();
}
