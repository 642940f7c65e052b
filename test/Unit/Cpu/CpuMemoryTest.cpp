//===- CpuMemoryTest.cpp - Memory and threads of CPU schedules ------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread's allocations are bounded by the caches, and copies by the tensors;
// nothing that the bits of results depend on depends on the number of threads.
//
//===----------------------------------------------------------------------===//

#include "tc/Cpu/CpuStrategy.h"
#include "tc/Problem/ComplexParts.h"

#include "Problem/TestContractions.h"

using namespace tc;
using namespace tc::model;
using namespace tc::model::test;

static CpuTarget cpu(int64_t vectorBytes = 64) {
  CpuTarget target;
  target.name = "test";
  target.vectorBytes = vectorBytes;
  target.vectorRegisters = vectorBytes == 64 ? 32 : 16;
  target.clockHertz = 2e9;
  target.fmaPerCycleF32 = vectorBytes / 2;
  target.fmaPerCycleF64 = vectorBytes / 4;
  target.memoryBytesPerSecond = 1e10;
  double rate = 5e10;
  for (int64_t kib : {32, 1024, 16384}) {
    target.caches.push_back({"cache", kib * 1024, 8, 64, 1, rate});
    rate /= 1.4;
  }
  return target;
}

static const ElementType types[] = {
    ElementType::F64,      ElementType::F32,    ElementType::F16,
    ElementType::BF16,     ElementType::I8,     ElementType::I32,
    ElementType::F8E4M3FN, ElementType::F8E5M2, ElementType::I64};

/// A contraction of random roles, orders and extents, some of them very long.
static Contraction randomProduct(std::mt19937 &random, int64_t maxExtent) {
  std::vector<std::string> a, b, c;
  Extents extents;
  auto count = static_cast<int>(uniform(random, 1, 6));
  int64_t product = 1;
  for (int i = 0; i < count; ++i) {
    std::string label(1, static_cast<char>('a' + i));
    int64_t role = uniform(random, 0, 3);
    if (role != 3)
      c.push_back(label);
    if (role != 2)
      a.push_back(label);
    if (role != 1)
      b.push_back(label);
    int64_t extent = uniform(random, 1, 40);
    if (uniform(random, 0, 3) == 0)
      extent = uniform(random, 1, std::max<int64_t>(maxExtent / product, 1));
    product *= extent;
    extents.emplace_back(label, extent);
  }
  for (auto *list : {&a, &b, &c})
    std::shuffle(list->begin(), list->end(), random);
  ElementType type = types[uniform(random, 0, std::size(types) - 1)];
  Contraction contraction = *makeContiguous({{a, b, c}}, extents, type);
  switch (uniform(random, 0, 3)) {
  case 0:
    contraction.readsC = true;
    break;
  case 1: // as with an epilogue that uses the old C
    contraction.hasEpilogue = contraction.readsC = true;
    contraction.needsWholeSums = true;
    break;
  default:
    break;
  }
  return contraction;
}

/// Bytes of panels and waiting sums of one thread, in last caches.
static double lastCaches(const Contraction &contraction,
                         const CpuTarget &target) {
  Result<CpuSchedule> schedule = searchCpuSchedule(contraction, target);
  EXPECT_TRUE(bool(schedule)) << schedule.error();
  Result<CpuLayout> layout = layOut(contraction, *schedule);
  EXPECT_TRUE(bool(layout)) << layout.error();
  return static_cast<double>(layout->panelBytes(contraction)) /
         static_cast<double>(target.caches.back().bytes);
}

/// docs/cpu-lowering.md promises so much: one, and as much again for what fills
/// panels up.
constexpr double maxLastCaches = 1;

TEST(CpuMemory, PanelsFitCachesHoweverLongKIs) {
  for (int64_t vectorBytes : {32, 64})
    for (ElementType type : types)
      for (int64_t k : {1000, 5000, 100000, 100000000})
        for (auto [m, n, batch] :
             {std::tuple(1, 1, 1), {1, 100, 1}, {3000, 1, 2}, {700, 900, 1}}) {
          Contraction contraction =
              contract("bmk", "bkn", "bmn",
                       {{"m", m}, {"n", n}, {"k", k}, {"b", batch}}, type);
          EXPECT_LE(lastCaches(contraction, cpu(vectorBytes)), maxLastCaches)
              << stringify(type) << " " << m << " " << n << " " << k;
        }
}

TEST(CpuMemory, PanelsFitCachesAtRandom) {
  std::mt19937 random(20261124);
  double most = 0;
  for (int i = 0; i < 600; ++i) {
    Contraction contraction = randomProduct(random, 100000000);
    double caches =
        lastCaches(contraction, cpu(uniform(random, 0, 1) ? 32 : 64));
    EXPECT_LE(caches, maxLastCaches) << i;
    most = std::max(most, caches);
  }
  // The test sees large panels, too.
  EXPECT_GE(most, 0.25);
}

TEST(CpuMemory, SumsOfNarrowTypesWaitBesideC) {
  Contraction halves =
      contract("mk", "kn", "mn", {{"m", 900}, {"n", 900}, {"k", 100000}},
               ElementType::F16);
  Result<CpuSchedule> schedule = searchCpuSchedule(halves, cpu());
  ASSERT_TRUE(bool(schedule)) << schedule.error();
  EXPECT_EQ(schedule->order.back(), Role::K);
  Result<CpuLayout> layout = layOut(halves, *schedule);
  ASSERT_TRUE(bool(layout)) << layout.error();
  EXPECT_TRUE(layout->buffersSums);
  EXPECT_GT(layout->bufferedSums(), 0);
  // Short sums need no buffer, and C of the sums' type never does.
  Contraction shorter = contract(
      "mk", "kn", "mn", {{"m", 900}, {"n", 900}, {"k", 100}}, ElementType::F16);
  layout = layOut(shorter, *searchCpuSchedule(shorter, cpu()));
  ASSERT_TRUE(bool(layout)) << layout.error();
  EXPECT_EQ(layout->bufferedSums(), 0);
}

TEST(CpuMemory, WhatDecidesBitsDoesNotDependOnThreads) {
  std::mt19937 random(7);
  int shared = 0;
  for (int i = 0; i < 300; ++i) {
    Contraction contraction = randomProduct(random, 3000);
    std::optional<CpuSchedule> first;
    for (int64_t threads : {1, 2, 3, 8}) {
      Result<std::vector<StrategyChoice>> choices =
          considerStrategies(contraction, cpu(), std::nullopt, threads);
      ASSERT_TRUE(bool(choices)) << choices.error();
      CpuSchedule schedule = fastestStrategy(*choices).schedule;
      shared += schedule.threads.count() > 1;
      if (!first)
        first = schedule;
      EXPECT_EQ(stringify(schedule.strategy), stringify(first->strategy)) << i;
      EXPECT_EQ(schedule.loops, first->loops) << i;
      EXPECT_TRUE(schedule.transpose == first->transpose) << i;
      EXPECT_TRUE(schedule.k == first->k) << i;
      EXPECT_TRUE(schedule.order == first->order) << i;
      EXPECT_EQ(stringify(schedule.rows), stringify(first->rows)) << i;
    }
  }
  EXPECT_GT(shared, 50);
}

TEST(CpuMemory, CopiesAreNoLargerThanTensors) {
  // All elements of A are one, as NumPy's broadcast_to makes it.
  Contraction broadcast = contract("ij", "", "", {{"i", 65536}, {"j", 65536}});
  for (Index &index : broadcast.indices)
    index.stride[Tensor::A] = 0;
  Result<std::vector<StrategyChoice>> choices =
      considerStrategies(broadcast, cpu());
  ASSERT_TRUE(bool(choices)) << choices.error();
  for (const StrategyChoice &choice : *choices)
    EXPECT_EQ(choice.workspaceBytes, 0) << choice.name();

  // One index of three is broadcast: a copy has none of it.
  Contraction rows =
      contract("kima", "kb", "bima",
               {{"k", 32}, {"i", 900}, {"m", 8}, {"a", 24}, {"b", 40}});
  rows.indices[*rows.find("i")].stride[Tensor::A] = 0;
  rows.indices[*rows.find("k")].stride[Tensor::A] = 24;
  rows.indices[*rows.find("m")].stride[Tensor::A] = 24 * 32;
  EXPECT_EQ(copiedIndices(rows, Tensor::A).size(), 3u);
  EXPECT_EQ(heldIndices(rows, Tensor::A).size(), 4u);
  CpuSchedule copies;
  copies.strategy = Strategy::TTGT;
  copies.transpose[Tensor::A] = {"k", "m", "a"};
  Result<Contraction> product = productOf(rows, copies);
  ASSERT_TRUE(bool(product)) << product.error();
  EXPECT_EQ(workspaceBytes(rows, copies), 32 * 8 * 24 * 8);
}

TEST(CpuMemory, CopiesThatDoNotFitAreNoCandidates) {
  Contraction contraction = contract(
      "akc", "kb", "cba", {{"a", 80}, {"b", 400}, {"c", 120}, {"k", 3}});
  CpuTarget target = cpu();
  int64_t stored = 0;
  for (Tensor tensor : allTensors)
    stored += contraction.span(tensor) * 8;
  EXPECT_EQ(defaultWorkspaceLimit(contraction, target), stored);
  target.memoryBytes = 4000;
  EXPECT_EQ(defaultWorkspaceLimit(contraction, target), 1000);
  auto ttgt = [&](std::optional<int64_t> limit) {
    Result<std::vector<StrategyChoice>> choices =
        considerStrategies(contraction, target, limit);
    EXPECT_TRUE(bool(choices)) << choices.error();
    return (*choices)[1];
  };
  EXPECT_NE(ttgt(std::nullopt).unavailable, "");
  EXPECT_EQ(ttgt(int64_t(1) << 40).unavailable, "");
  target.memoryBytes = 0;
  EXPECT_EQ(ttgt(std::nullopt).unavailable, "");

  // Windows that overlap have more elements than there are in memory.
  Contraction windows = contract("kai", "kb", "aib",
                                 {{"a", 500}, {"i", 600}, {"k", 2}, {"b", 2}});
  windows.indices[*windows.find("a")].stride[Tensor::A] = 1;
  windows.indices[*windows.find("k")].stride[Tensor::A] = 1200;
  CpuSchedule copy;
  copy.strategy = Strategy::TTGT;
  copy.transpose[Tensor::A] = {"k", "a", "i"};
  EXPECT_GT(workspaceBytes(windows, copy) / 2, windows.span(Tensor::A) * 8);
}
