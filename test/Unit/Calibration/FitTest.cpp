//===- FitTest.cpp - Tests of fitting a CPU's figures ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Times that the model predicts for a known CPU are fitted from another one.
//
//===----------------------------------------------------------------------===//

#include "Problem/TestContractions.h"

#include "tc/Calibration/Fit.h"
#include "tc/Machine/TargetCheck.h"
#include "tc/Machine/TargetFigures.h"

#include <cmath>

using namespace tc;
using namespace tc::calibration;
using namespace tc::model;
using namespace tc::model::test;

namespace {

CpuTarget makeCpuOfFourCores() {
  CpuTarget cpu;
  cpu.name = cpu.product = "test";
  cpu.cores = 4;
  cpu.clockHertz = 3e9;
  cpu.vectorBytes = 64;
  cpu.vectorRegisters = 32;
  cpu.fmaPerCycleF32 = 32;
  cpu.fmaPerCycleF64 = 16;
  cpu.memoryBytesPerSecond = 15e9;
  cpu.caches = {{"L1", 32768, 8, 64, 1, 90e9},
                {"L2", 1 << 20, 16, 64, 1, 60e9},
                {"L3", 1 << 25, 16, 64, 4, 30e9}};
  return cpu;
}

struct Case {
  const char *a, *b, *c;
  Extents extents;
};

/// Cases whose times are spent on different steps.
std::vector<Case> cases() {
  auto product = [](int64_t i, int64_t k, int64_t j) {
    return Case{"ik", "kj", "ij", {{"i", i}, {"k", k}, {"j", j}}};
  };
  return {
      product(384, 384, 384),
      product(96, 96, 96),
      product(12, 12, 12),
      product(768, 8, 960),
      product(2400, 20, 2400),
      product(2401, 20, 2405),
      product(24, 40000, 24),
      product(24, 4000, 200),
      product(5, 300, 7),
      product(4000, 2, 3),
      product(3, 2, 20000),
      product(900, 1200, 1000),
      product(2, 3, 2),
      {"bda", "dc", "bca", {{"b", 120}, {"d", 160}, {"a", 160}, {"c", 24}}},
      {"dba", "cd", "cba", {{"d", 160}, {"b", 120}, {"a", 160}, {"c", 20}}},
      {"abd", "dc", "acb", {{"a", 64}, {"b", 120}, {"d", 240}, {"c", 16}}},
      {"cak", "kb", "abc", {{"c", 100}, {"a", 90}, {"k", 64}, {"b", 80}}},
      {"iak", "kj", "iaj", {{"i", 500}, {"a", 4}, {"k", 20}, {"j", 1500}}},
      {"abk", "kc", "cab", {{"a", 36}, {"b", 60}, {"k", 24}, {"c", 1023}}},
      {"aik",
       "kbj",
       "ijab",
       {{"a", 40}, {"i", 30}, {"k", 40}, {"b", 3}, {"j", 30}}},
      {"ikx", "kjx", "ijx", {{"x", 3}, {"i", 90}, {"k", 4}, {"j", 90}}},
      {"ikx", "kjx", "ijx", {{"x", 3}, {"i", 8}, {"k", 900}, {"j", 8}}},
      {"ikx", "kjx", "ijx", {{"x", 400}, {"i", 9}, {"k", 7}, {"j", 8}}},
      {"ikx", "kjx", "ijx", {{"x", 30}, {"i", 40}, {"k", 50}, {"j", 30}}},
      {"xik", "xkj", "xij", {{"x", 2000}, {"i", 12}, {"k", 16}, {"j", 12}}},
      {"bda", "dc", "bca", {{"b", 300}, {"d", 64}, {"a", 64}, {"c", 64}}},
      {"aebf",
       "dfce",
       "abcd",
       {{"a", 24}, {"b", 24}, {"c", 20}, {"d", 24}, {"e", 20}, {"f", 16}}},
  };
}

/// The times of the cases on one CPU, with schedules that are chosen for
/// another, whose stores pass through the caches and past them.
std::vector<Observation> observe(const CpuTarget &truth,
                                 const CpuTarget &chooser) {
  std::vector<Observation> observations;
  for (ElementType type : {ElementType::F64, ElementType::F32})
    for (const Case &one : cases()) {
      Contraction contraction =
          contract(one.a, one.b, one.c, one.extents, type);
      Result<std::vector<StrategyChoice>> choices =
          considerStrategies(contraction, chooser);
      if (!choices) {
        ADD_FAILURE() << choices.error();
        continue;
      }
      for (const StrategyChoice &choice : *choices) {
        if (!choice.unavailable.empty())
          continue;
        for (bool stream : {false, true}) {
          CpuSchedule schedule = choice.schedule;
          schedule.stream = stream;
          // Stores cannot always go past the caches.
          Result<CpuTime> time = predictTime(contraction, schedule, truth);
          if (!time && stream)
            continue;
          if (!time) {
            ADD_FAILURE() << time.error();
            continue;
          }
          observations.push_back({contraction, schedule, time->total()});
        }
      }
    }
  return observations;
}

/// Costs and rates by name.
std::map<std::string, double> figuresOf(const CpuTarget &cpu) {
  std::map<std::string, double> figures;
  visitCpuCosts(cpu.costs, [&](const Figure &figure, double value) {
    figures[std::string(figure.key)] = value;
  });
  for (const CpuCache &cache : cpu.caches)
    figures[cache.name] = cache.bytesPerSecond;
  figures["memory"] = cpu.memoryBytesPerSecond;
  return figures;
}

TEST(Fit, KnownCostsAreFoundAgain) {
  CpuTarget truth = makeCpuOfFourCores();
  truth.costs.kernelPart = 0.85;
  truth.costs.tileCycles = 55;
  truth.costs.panelPart = 0.45;
  truth.costs.outputPart = 0.2;
  truth.costs.copiedVectorCycles = 2;
  truth.costs.transposedVectorCycles = 1.6;
  truth.costs.gatheredElementCycles = 2.5;
  truth.costs.runStartLines = 5;
  truth.costs.partialLineStores = 4;
  truth.costs.tableEntryCycles = 12;
  truth.costs.sliceCycles = 350;
  truth.costs.callCycles = 900;
  truth.caches[1].bytesPerSecond = 45e9;
  truth.caches[2].bytesPerSecond = 22e9;
  truth.memoryBytesPerSecond = 9e9;
  ASSERT_TRUE(checkCpuTarget(truth));
  std::vector<Observation> observations = observe(truth, makeCpuOfFourCores());

  Result<Agreement> before = compare(makeCpuOfFourCores(), observations);
  ASSERT_TRUE(before) << before.error();
  EXPECT_LT(before->mean, 0.9);
  Result<CpuTarget> fitted = fitFigures(makeCpuOfFourCores(), observations);
  ASSERT_TRUE(fitted) << fitted.error();
  Result<Agreement> after = compare(*fitted, observations);
  ASSERT_TRUE(after) << after.error();
  EXPECT_NEAR(after->mean, 1, 0.002);
  EXPECT_EQ(after->partWithin, 1);

  std::map<std::string, double> wanted = figuresOf(truth);
  for (auto [key, value] : figuresOf(*fitted))
    EXPECT_NEAR(value / wanted[key], 1, 0.05) << key;
  EXPECT_EQ(fitted->fmaPerCycleF64, 16);
  EXPECT_EQ(fitted->clockHertz, 3e9);
}

TEST(Fit, UnitsThatAreNotThereAreFound) {
  CpuTarget truth = makeCpuOfFourCores();
  truth.fmaPerCycleF32 = 16;
  truth.fmaPerCycleF64 = 8;
  Result<CpuTarget> fitted =
      fitFigures(makeCpuOfFourCores(), observe(truth, makeCpu()));
  ASSERT_TRUE(fitted) << fitted.error();
  EXPECT_EQ(fitted->fmaPerCycleF32, 16);
  EXPECT_EQ(fitted->fmaPerCycleF64, 8);
  EXPECT_NEAR(fitted->costs.kernelPart, 0.97, 0.01);
}

TEST(Fit, AClockThatIsHigherThanToldIsFound) {
  CpuTarget truth = makeCpuOfFourCores();
  truth.clockHertz = 6e9;
  std::vector<Observation> observations = observe(truth, makeCpuOfFourCores());
  Result<CpuTarget> fitted = fitFigures(makeCpuOfFourCores(), observations);
  ASSERT_TRUE(fitted) << fitted.error();
  EXPECT_GT(fitted->clockHertz, 4e9);
  EXPECT_LE(fitted->clockHertz, 6e9);
  Result<Agreement> after = compare(*fitted, observations);
  ASSERT_TRUE(after) << after.error();
  EXPECT_NEAR(after->mean, 1, 0.02);
}

TEST(Fit, WhatNothingIsKnownOfStays) {
  Result<CpuTarget> fitted = fitFigures(makeCpuOfFourCores(), {});
  ASSERT_TRUE(fitted) << fitted.error();
  std::map<std::string, double> first = figuresOf(makeCpuOfFourCores());
  for (auto [key, value] : figuresOf(*fitted))
    EXPECT_NEAR(value / first[key], 1, 1e-9) << key;
  Result<Agreement> agreement = compare(makeCpuOfFourCores(), {});
  ASSERT_TRUE(agreement);
  EXPECT_EQ(agreement->mean, 1);
}

TEST(Fit, AgreementCountsWhatIsWithinAFifth) {
  std::vector<Observation> observations =
      observe(makeCpuOfFourCores(), makeCpu());
  observations.resize(4);
  for (auto [i, factor] : {std::pair(0, 1.19), std::pair(1, 1 / 1.19),
                           std::pair(2, 1.21), std::pair(3, 1 / 1.21)})
    observations[static_cast<size_t>(i)].seconds *= factor;
  Result<Agreement> agreement = compare(makeCpuOfFourCores(), observations);
  ASSERT_TRUE(agreement);
  EXPECT_NEAR(agreement->mean, 1, 1e-9);
  EXPECT_EQ(agreement->partWithin, 0.5);
}

TEST(Fit, ErrorsOfPredictionsAreErrors) {
  std::vector<Observation> observations =
      observe(makeCpuOfFourCores(), makeCpu());
  CpuTarget none = makeCpuOfFourCores();
  none.caches.clear();
  Result<CpuTarget> fitted = fitFigures(none, observations);
  ASSERT_FALSE(fitted);
  EXPECT_EQ(fitted.error(), "target test: it has no caches");
  Result<Agreement> agreement = compare(none, observations);
  ASSERT_FALSE(agreement);
  EXPECT_EQ(agreement.error(), "target test: it has no caches");

  CpuTarget odd = makeCpuOfFourCores();
  odd.costs.kernelPart = 2;
  odd.name = "";
  fitted = fitFigures(odd, {});
  ASSERT_FALSE(fitted);
  EXPECT_EQ(fitted.error(), "the fitted CPU cannot be: name (CPU) is missing");
}

TEST(Fit, TimesThatCannotBeAreErrors) {
  for (double seconds : {0.0, -1e-5, std::numeric_limits<double>::infinity(),
                         std::numeric_limits<double>::quiet_NaN()}) {
    std::vector<Observation> observations =
        observe(makeCpuOfFourCores(), makeCpu());
    observations[1].seconds = seconds;
    Result<CpuTarget> fitted = fitFigures(makeCpuOfFourCores(), observations);
    ASSERT_FALSE(fitted) << seconds;
    EXPECT_EQ(fitted.error().find("a contraction was measured to take "), 0u);
  }
}

} // namespace
