//===- RandomTargetsTest.cpp - Searches for any GPU -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/RandomTargets.h"
#include "Machine/TestTargets.h"

#include "tc/Gpu/Search/ScheduleSearch.h"
#include "tc/Gpu/Search/SumSearch.h"
#include "tc/Machine/TargetCheck.h"
#include "tc/Machine/TargetFile.h"

#include <iostream>

using namespace tc;
using namespace tc::model;
using namespace tc::model::test;

namespace {

TEST(RandomTargets, SearchesForGpusEnd) {
  constexpr unsigned seed = 20;
  std::mt19937 random(seed);
  std::vector<Contraction> problems = drawnContractions();
  const std::vector<Target> &known = builtinTargets();
  int accepted = 0, found = 0;
  for (int drawn = 0; drawn < 20000 && accepted < 60; ++drawn) {
    Target target = known[uniform(random, 0, int64_t(known.size()) - 1)];
    FigureDrawer drawer(random, uniform(random, 2, 16));
    std::string chip = target.chip;
    unsigned capability = target.computeCapability;
    visitGpuFigures(target, drawer);
    target.computeCapability = capability;
    if (!checkTarget(target))
      continue;
    ++accepted;
    const Contraction &problem =
        problems[static_cast<size_t>(accepted) % problems.size()];
    expectToEnd(writeTarget(target),
                [&] { found += bool(search(problem, target)); });
  }
  std::cout << "seed " << seed << ": " << accepted << " accepted, " << found
            << " searches found a schedule\n";
  EXPECT_EQ(accepted, 60);
  EXPECT_GT(found, 20);
}

TEST(RandomTargets, SearchesForSumsEnd) {
  constexpr unsigned seed = 22;
  std::mt19937 random(seed);
  const std::vector<Target> &known = builtinTargets();
  Extents extents;
  for (char label : std::string("abcdef"))
    extents.emplace_back(std::string(1, label), 16);
  extents.emplace_back("k", 40);
  std::vector<Contraction> terms;
  for (auto [a, b] : {std::pair("abck", "kdef"), std::pair("adek", "kbcf"),
                      std::pair("kbdf", "acek"), std::pair("fedk", "kcba")})
    terms.push_back(contract(a, b, "abcdef", extents));
  int accepted = 0, found = 0;
  for (int drawn = 0; drawn < 20000 && accepted < 12; ++drawn) {
    Target target = known[uniform(random, 0, int64_t(known.size()) - 1)];
    FigureDrawer drawer(random, uniform(random, 2, 16));
    unsigned capability = target.computeCapability;
    visitGpuFigures(target, drawer);
    target.computeCapability = capability;
    if (!checkTarget(target))
      continue;
    ++accepted;
    expectToEnd(writeTarget(target),
                [&] { found += bool(searchSum(terms, target)); });
  }
  std::cout << "seed " << seed << ": " << accepted << " accepted, " << found
            << " searches found a schedule\n";
  EXPECT_EQ(accepted, 12);
  EXPECT_GT(found, 3);
}

TEST(RandomTargets, SearchesForManyIndicesEnd) {
  expectToEndForManyIndices([](const Contraction &problem) {
    return bool(search(problem, target("sm_90")));
  });
}

} // namespace
