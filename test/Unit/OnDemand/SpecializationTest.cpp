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

TEST(Specialization, MeasuresNothingOfNone) {
  Specialization::Call call(nullptr);
  call.end();
}
