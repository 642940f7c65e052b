//===- RandomTargetsTest.cpp - Searches for any target ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Draws targets whose figures are anywhere within their limits, and searches
// for contractions on those that the check accepts: no search may fail to end.
//
//===----------------------------------------------------------------------===//

#include "TestUtils.h"

#include "tc/Cpu/CpuSchedule.h"
#include "tc/Cpu/CpuStrategy.h"
#include "tc/Gpu/Search/ScheduleSearch.h"
#include "tc/Gpu/Search/SumSearch.h"
#include "tc/Machine/TargetCheck.h"
#include "tc/Machine/TargetFigures.h"
#include "tc/Machine/TargetFile.h"

#include <chrono>
#include <cmath>
#include <ctime>
#include <iostream>

using namespace tc;
using namespace tc::model;
using namespace tc::model::test;

namespace {

/// Seconds of the processor that a search may take: some hundred times what it
/// takes for targets that exist, so that it holds with sanitizers, too.
constexpr double mostSeconds = 30;

double processorSeconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// Sets some figures to others within their limits: limits, powers of two, and
/// anything between.
class Drawer {
public:
  Drawer(std::mt19937 &random, int64_t oneOf) : random(random), oneOf(oneOf) {}

  template <typename T> void operator()(const Figure &figure, T &value) {
    if constexpr (!std::is_same_v<T, std::string>) {
      if (uniform(random, 1, oneOf) != 1)
        return;
      double least = std::max(figure.least, 0.5);
      double part = static_cast<double>(uniform(random, 0, 1000)) / 1000;
      double drawn = least * std::pow(figure.largest / least, part);
      switch (uniform(random, 0, 4)) {
      case 0:
        drawn = figure.least;
        break;
      case 1:
        drawn = figure.largest;
        break;
      case 2:
      case 3:
        drawn = std::exp2(std::round(std::log2(drawn)));
        break;
      default:
        break;
      }
      value = static_cast<T>(
          std::min(std::max(drawn, figure.least), figure.largest));
    }
  }

private:
  std::mt19937 &random;
  int64_t oneOf;
};

std::vector<Contraction> contractions() {
  return {
      contract("ik", "kj", "ij", {{"i", 4096}, {"j", 4096}, {"k", 4096}}),
      contract("ik", "kj", "ij", {{"i", 5}, {"j", 3}, {"k", 1000000}}),
      contract("i", "i", "", {{"i", 100000007}}, ElementType::F32),
      contract("abcd", "deac", "bea",
               {{"a", 24}, {"b", 48}, {"c", 17}, {"d", 36}, {"e", 31}},
               ElementType::F32),
      contract(
          "aebf", "dfce", "abcd",
          {{"a", 72}, {"b", 72}, {"c", 24}, {"d", 72}, {"e", 72}, {"f", 72}})};
}

/// So many indices of M, K and N, in another order in each tensor and, if the
/// step is larger than one, none of stride one.
Contraction manyIndices(int outer, int summed, int64_t extent, int64_t step) {
  PerTensor<std::vector<std::string>> lists;
  Extents extents;
  auto add = [&](const std::string &role, int count,
                 std::initializer_list<Tensor> tensors) {
    for (int i = 0; i < count; ++i) {
      std::string label = role + std::to_string(i);
      extents.emplace_back(label, extent);
      for (Tensor tensor : tensors)
        lists[tensor].push_back(label);
    }
  };
  add("m", outer, {Tensor::A, Tensor::C});
  add("k", summed, {Tensor::A, Tensor::B});
  add("n", outer, {Tensor::B, Tensor::C});
  std::reverse(lists[Tensor::B].begin(), lists[Tensor::B].end());
  std::rotate(lists[Tensor::C].begin(), lists[Tensor::C].begin() + 9,
              lists[Tensor::C].end());
  Result<Contraction> result = makeContiguous(lists, extents, ElementType::F64);
  if (!result) {
    ADD_FAILURE() << result.error();
    return {};
  }
  for (Index &index : result->indices)
    for (Tensor tensor : allTensors)
      index.stride[tensor] *= step;
  return *result;
}

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

template <typename Search>
void expectToEnd(const std::string &figures, const Search &run) {
  double begin = processorSeconds();
  run();
  EXPECT_LT(processorSeconds() - begin, mostSeconds) << figures;
}

TEST(RandomTargets, SearchesForGpusEnd) {
  constexpr unsigned seed = 20;
  std::mt19937 random(seed);
  std::vector<Contraction> problems = contractions();
  const std::vector<Target> &known = builtinTargets();
  int accepted = 0, found = 0;
  for (int drawn = 0; drawn < 20000 && accepted < 60; ++drawn) {
    Target target = known[uniform(random, 0, int64_t(known.size()) - 1)];
    Drawer drawer(random, uniform(random, 2, 16));
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

TEST(RandomTargets, SearchesForCpusEnd) {
  constexpr unsigned seed = 21;
  std::mt19937 random(seed);
  std::vector<Contraction> problems = contractions();
  int accepted = 0, found = 0;
  for (int drawn = 0; drawn < 20000 && accepted < 60; ++drawn) {
    CpuTarget target = plainCpu();
    target.caches.resize(static_cast<size_t>(uniform(random, 1, 3)));
    Drawer drawer(random, uniform(random, 2, 8));
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
    Drawer drawer(random, uniform(random, 2, 16));
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
  // As many as a tensor can have, and as many as fit memory.
  for (const Contraction &problem :
       {manyIndices(22, 42, 1, 1), manyIndices(15, 15, 2, 1),
        manyIndices(15, 15, 2, 2)}) {
    std::string what =
        std::to_string(problem.indices.size()) + " indices, the first of " +
        std::to_string(problem.indices.front().extent) + " elements";
    // Of loops around matrix products, there are thousands of choices.
    expectToEnd(what, [&] {
      EXPECT_TRUE(considerStrategies(problem, plainCpu(), std::nullopt, 8));
    });
    expectToEnd(what, [&] {
      EXPECT_TRUE(search(problem, model::test::target("sm_90")));
    });
  }
}

} // namespace
