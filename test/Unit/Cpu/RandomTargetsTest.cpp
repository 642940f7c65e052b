//===- RandomTargetsTest.cpp - Searches for any CPU -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/RandomTargets.h"

#include "tc/Cpu/CpuStrategy.h"
#include "tc/Machine/TargetCheck.h"
#include "tc/Machine/TargetFile.h"

#include <iostream>

using namespace tc;
using namespace tc::model;
using namespace tc::model::test;

namespace {

CpuTarget plainCpu() {
  CpuTarget target;
  target.name = target.product = "drawn";
  target.cores = 8;
  target.clockHertz = 3e9;
  target.vectorBytes = 32;
  target.vectorRegisters = 16;
  target.fmaPerCycleF32 = 16;
  target.fmaPerCycleF64 = 8;
  target.memoryBytesPerSecond = 20e9;
  target.caches = {{"L1", 32768, 8, 64, 1, 80e9},
                   {"L2", 1 << 20, 16, 64, 1, 70e9},
                   {"L3", 1 << 25, 16, 64, 8, 50e9}};
  return target;
}

TEST(RandomCpus, SearchesEnd) {
  constexpr unsigned seed = 21;
  std::mt19937 random(seed);
  std::vector<Contraction> problems = drawnContractions();
  int accepted = 0, found = 0;
  for (int drawn = 0; drawn < 20000 && accepted < 60; ++drawn) {
    CpuTarget target = plainCpu();
    target.caches.resize(static_cast<size_t>(uniform(random, 1, 3)));
    FigureDrawer drawer(random, uniform(random, 2, 8));
    visitCpuFigures(target, drawer);
    for (CpuCache &cache : target.caches)
      visitCacheFigures(cache, drawer);
    if (!checkCpuTarget(target))
      continue;
    ++accepted;
    const Contraction &problem =
        problems[static_cast<size_t>(accepted) % problems.size()];
    expectToEnd(writeTarget(target), [&] {
      found +=
          bool(considerStrategies(problem, target, std::nullopt, target.cores));
    });
  }
  std::cout << "seed " << seed << ": " << accepted << " accepted, " << found
            << " searches found a schedule\n";
  EXPECT_EQ(accepted, 60);
  EXPECT_GT(found, 30);
}

TEST(RandomCpus, SearchesForManyIndicesEnd) {
  // Of loops around matrix products, there are thousands of choices.
  expectToEndForManyIndices([](const Contraction &problem) {
    return bool(considerStrategies(problem, plainCpu(), std::nullopt, 8));
  });
}

} // namespace
