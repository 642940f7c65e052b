//===- SpecializationTest.cpp - Decisions to make code --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/OnDemand/Specialization.h"

#include <chrono>
#include <ctime>
#include <gtest/gtest.h>
#include <thread>

using namespace tc;

namespace {

/// Of nothing that could be compiled.
std::shared_ptr<Specialization> specializationOf(double callSeconds) {
  auto fail = []() -> Result<LoadedProgram> { return Error{"no code"}; };
  return std::make_shared<Specialization>(fail, callSeconds);
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
static Result<LoadedProgram> uncalledCode() {
  HostProgram program;
  program.kernels.emplace_back();
  return LoadedProgram{std::move(program), LoadedObject(nullptr, {nullptr}),
                       CacheOutcome::Off};
}

/// Runs calls in turns until they run the same one ten times in a row, and
/// returns whether that is the code.
static bool codeStays(double secondsOfCode, double secondsWithout) {
  auto specialization =
      std::make_shared<Specialization>(uncalledCode, /*callSeconds=*/1e-6);
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
  return ranCode;
}

TEST(Specialization, KeepsWhatIsFaster) {
  EXPECT_TRUE(codeStays(0.001, 0.01));
  EXPECT_FALSE(codeStays(0.01, 0.001));
}

TEST(Specialization, MeasuresNothingOfNone) {
  Specialization::Call call(nullptr);
  call.end();
}
