//===- CalibrateTest.cpp - Tests of measuring a CPU's figures -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Calibration/Calibrate.h"
#include "tc/Machine/TargetFile.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace tc;
using namespace tc::calibration;

namespace {

model::CpuTarget makeCpu() {
  model::CpuTarget cpu;
  cpu.name = cpu.product = "test";
  cpu.cores = 1;
  cpu.clockHertz = 3e9;
  cpu.vectorBytes = 32;
  cpu.vectorRegisters = 16;
  cpu.fmaPerCycleF32 = 16;
  cpu.fmaPerCycleF64 = 8;
  cpu.memoryBytesPerSecond = 15e9;
  cpu.caches = {{"L1", 32768, 8, 64, 1, 90e9},
                {"L2", 1 << 20, 16, 64, 1, 60e9}};
  return cpu;
}

Result<std::vector<Observation>> measureOne(const Probe &probe) {
  return measure(makeCpu(), {probe}, [](const Probe &, double) {});
}

TEST(Calibrate, AProbeIsScheduledAndTimed) {
  int reported = 0;
  Probe probe{"abk,kc->cab", "a=6,b=5,k=4,c=8", model::ElementType::F32};
  Result<std::vector<Observation>> observations =
      measure(makeCpu(), {probe, probe}, [&](const Probe &one, double seconds) {
        EXPECT_EQ(one.spec, probe.spec);
        EXPECT_GT(seconds, 0);
        ++reported;
      });
  ASSERT_TRUE(observations) << observations.error();
  ASSERT_EQ(observations->size(), 2u);
  EXPECT_EQ(reported, 2);
  const Observation &one = observations->front();
  EXPECT_EQ(one.contraction.fusedMultiplyAdds(), 6 * 5 * 4 * 8);
  EXPECT_EQ(one.contraction.accumulatorType, model::ElementType::F32);
  EXPECT_FALSE(one.contraction.readsC);
  EXPECT_EQ(one.schedule.strategy, model::Strategy::GETT);
  EXPECT_GT(one.seconds, 0);
  EXPECT_LT(one.seconds, 1);
  EXPECT_TRUE(model::predictTime(one.contraction, one.schedule, makeCpu()));
}

TEST(Calibrate, ProbesThatCannotBeMadeAreErrors) {
  auto complaint = [](const Probe &probe) {
    Result<std::vector<Observation>> observations = measureOne(probe);
    return observations ? "" : observations.error();
  };
  EXPECT_EQ(complaint({"ik,kj", "i=2"}),
            "ik,kj:1:1: error: index 'j' has no extent: give it as 'j=...'");
  EXPECT_EQ(complaint({"ik,kj->ij", "i=0x"}),
            "ik,kj->ij:1:3: error: expected the extent of 'i', found '0x'");
  EXPECT_EQ(
      complaint({"ik,kj->ij", "i=2,k=2,j=2", model::ElementType::F64, "best"}),
      "ik,kj->ij: there is no strategy 'best'");
  EXPECT_EQ(
      complaint({"ik,kj->ij", "i=2,k=2,j=2", model::ElementType::C64, "ttgt"}),
      "ik,kj->ij: complex numbers need strategy gett");
}

TEST(Calibrate, SomeProbesComeFromMemory) {
  model::CpuTarget cpu = makeCpu();
  std::vector<Probe> probes = makeProbes(cpu);
  EXPECT_GT(probes.size(), 50u);
  auto largest = [](const std::vector<Probe> &probes, const char *extents) {
    return std::count_if(probes.begin(), probes.end(), [&](const Probe &probe) {
      return probe.extents == extents;
    });
  };
  // Twice 1 MiB of doubles, and of floats.
  EXPECT_EQ(largest(probes, "i=2048,k=20,j=136"), 1);
  EXPECT_EQ(largest(probes, "i=2048,k=20,j=264"), 1);
  // Beyond 160 MiB, no more.
  cpu.caches[1].bytes = int64_t(1) << 30;
  EXPECT_EQ(largest(makeProbes(cpu), "i=2048,k=20,j=10248"), 1);
}

TEST(Calibrate, ClocksAreClocks) {
  double clock = measureClock();
#if defined(__x86_64__) || defined(__aarch64__)
  EXPECT_GT(clock, 1e8);
  EXPECT_LT(clock, 1e10);
#else
  EXPECT_EQ(clock, 0);
#endif
}

Calibration makeCalibration() {
  Calibration calibration;
  calibration.detected = calibration.cpu = makeCpu();
  calibration.cpu.clockHertz = 3.7e9;
  calibration.cpu.costs.tileCycles = 41.5;
  calibration.cpu.caches[1].bytesPerSecond = 50e9;
  calibration.before = {1.25, 0.5};
  calibration.after = {1.004, 0.96};
  return calibration;
}

TEST(Calibrate, FilesAreTargets) {
  Calibration calibration = makeCalibration();
  std::string text = writeCalibration(calibration, "2026-11-25");
  EXPECT_NE(text.find("\"measured by tc-calibrate on 2026-11-25, one core\""),
            std::string::npos);
  Result<model::CpuTarget> cpu = model::readCpuTarget(text, "cpu.json");
  ASSERT_TRUE(cpu) << cpu.error();
  EXPECT_EQ(model::writeTarget(*cpu), model::writeTarget(calibration.cpu));
}

TEST(Calibrate, WhatChangedIsTold) {
  EXPECT_EQ(describe(makeCalibration()),
            "                                     assumed    measured\n"
            "clock_hertz                            3e+09     3.7e+09\n"
            "tile_cycles                                6        41.5\n"
            "L2 bytes_per_second                    6e+10       5e+10\n"
            "predicted over measured                1.250       1.004\n"
            "predictions within 20%                   50%         96%\n");
}

TEST(Calibrate, ProbesAreTold) {
  Calibration calibration = makeCalibration();
  calibration.probes = {{"ik,kj->ij", "i=8,k=8,j=8"}};
  Result<std::vector<Observation>> observations =
      measureOne(calibration.probes.front());
  ASSERT_TRUE(observations) << observations.error();
  calibration.observations = *observations;
  Result<std::string> text = describeProbes(calibration);
  ASSERT_TRUE(text) << text.error();
  EXPECT_NE(text->find("  f64 gett ik,kj->ij i=8,k=8,j=8\n"), std::string::npos)
      << *text;
  calibration.cpu.caches.clear();
  text = describeProbes(calibration);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error(), "target test: it has no caches");
}

} // namespace
