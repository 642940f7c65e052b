//===- TargetCheckTest.cpp - Valid and invalid targets --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestTargets.h"

#include "tc/Machine/TargetCheck.h"
#include "tc/Machine/TargetFigures.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

using namespace tc;
using namespace tc::model;
using namespace tc::model::test;

namespace {

/// A CPU that passes.
CpuTarget makeCpu() {
  CpuTarget cpu;
  cpu.name = "box";
  cpu.product = "A box";
  cpu.cores = 4;
  cpu.clockHertz = 4e9;
  cpu.vectorBytes = 32;
  cpu.vectorRegisters = 16;
  cpu.fmaPerCycleF32 = 16;
  cpu.fmaPerCycleF64 = 8;
  cpu.caches = {{"L1", 32768, 8, 64, 1, 80e9},
                {"L2", 262144, 4, 64, 1, 70e9},
                {"L3", 8388608, 16, 64, 4, 50e9}};
  cpu.memoryBytesPerSecond = 25e9;
  return cpu;
}

/// The error about sm_90 after a change.
std::string complaint(const std::function<void(Target &)> &change) {
  Target changed = target("sm_90");
  change(changed);
  Status status = checkTarget(changed);
  return status ? "" : status.error();
}

std::string cpuComplaint(const std::function<void(CpuTarget &)> &change) {
  CpuTarget changed = makeCpu();
  change(changed);
  Status status = checkCpuTarget(changed);
  return status ? "" : status.error();
}

/// Sets the `index`-th figure of `target` to `value`, if it is a number and,
/// with `isRate`, a double; says which it was.
template <typename TargetT, typename Visit>
std::string change(TargetT &target, Visit visitAll, int index, double value) {
  std::string name;
  int position = 0;
  visitAll(target, [&](const Figure &figure, auto &figureValue) {
    using T = std::decay_t<decltype(figureValue)>;
    if (position++ != index)
      return;
    if constexpr (std::is_same_v<T, std::string>) {
      figureValue.clear();
    } else if (std::is_floating_point_v<T> ||
               (std::isfinite(value) && (std::is_signed_v<T> || value >= 0))) {
      figureValue = static_cast<T>(value);
    } else {
      return;
    }
    if (value == 0 && figure.least == 0 && !std::is_same_v<T, std::string>)
      return;
    name = std::string(figure.key) + " (" + std::string(figure.part) + ")";
  });
  return name;
}

struct BadValue {
  double value;
  const char *says;
};
constexpr BadValue badValues[] = {{0, " is missing"},
                                  {-1, " is negative: -1"},
                                  {INFINITY, " is not finite"},
                                  {NAN, " is not finite"}};

TEST(TargetCheck, EveryFigureOfAGpuIsChecked) {
  auto visitAll = [](Target &target, auto visit) {
    visitGpuFigures(target, visit);
  };
  int checked = 0;
  for (auto [value, says] : badValues) {
    for (int index = 0; index < 128; ++index) {
      Target changed = target("sm_90");
      std::string name = change(changed, visitAll, index, value);
      bool isText = index < 3;
      if (name.empty() || (isText && value != 0))
        continue;
      ++checked;
      Status status = checkTarget(changed);
      ASSERT_FALSE(status) << name;
      EXPECT_EQ(status.error().rfind(name + says, 0), 0u) << status.error();
    }
  }
  // 87 figures: 35 may be zero, 4 are not signed, 3 are text; 37 are no
  // integers.
  EXPECT_EQ(checked, 50 + 80 + 37 + 37);
}

TEST(TargetCheck, EveryFigureOfACpuIsChecked) {
  auto visitAll = [](CpuTarget &target, auto visit) {
    visitCpuFigures(target, visit);
    visitCacheFigures(target.caches[1], visit);
  };
  int checked = 0;
  for (auto [value, says] : badValues) {
    for (int index = 0; index < 128; ++index) {
      CpuTarget changed = makeCpu();
      std::string name = change(changed, visitAll, index, value);
      bool isText = name == "name (CPU)" || name == "product (CPU)" ||
                    name == "name (cache)";
      if (name.empty() || (isText && value != 0))
        continue;
      ++checked;
      Status status = checkCpuTarget(changed);
      ASSERT_FALSE(status) << name;
      EXPECT_EQ(status.error().rfind(name + says, 0), 0u) << status.error();
    }
  }
  // 72 figures: 37 may be zero, 3 are text; 47 are no integers.
  EXPECT_EQ(checked, 36 + 69 + 46 + 47);
}

TEST(TargetCheck, FiguresHaveUpperLimits) {
  EXPECT_EQ(complaint([](Target &t) { t.l2Bytes = int64_t(1) << 31; }),
            "l2_bytes (L2) is 2147483648; expected at most 2147483647");
  EXPECT_EQ(complaint([](Target &t) { t.clockHertz = 1e19; }),
            "clock_hertz (chip) is 1e+19; expected at most 1e+11");
}

/// Sets each number to one beyond its limits on one side, one by one.
template <typename TargetT, typename Visit, typename Check>
int checkLimits(const TargetT &fine, Visit visitAll, Check check) {
  int checked = 0;
  TargetT counted = fine;
  int figures = 0;
  visitAll(counted, [&](const Figure &, auto &) { ++figures; });
  for (int index = 0; index < figures; ++index) {
    for (bool above : {false, true}) {
      TargetT changed = fine;
      int position = 0;
      std::string start;
      visitAll(changed, [&](const Figure &figure, auto &value) {
        using T = std::decay_t<decltype(value)>;
        if constexpr (!std::is_same_v<T, std::string>) {
          if (position++ != index || (!above && figure.least <= 1))
            return;
          EXPECT_LT(figure.least, figure.largest) << figure.key;
          value = static_cast<T>(above ? figure.largest * 1.01 + 1
                                       : figure.least * 0.99);
          start = std::string(figure.key) + " (" + std::string(figure.part) +
                  ") is ";
        } else {
          ++position;
        }
      });
      if (start.empty())
        continue;
      Status status = check(changed);
      EXPECT_FALSE(status) << start;
      if (status)
        continue;
      EXPECT_EQ(status.error().rfind(start, 0), 0u) << status.error();
      EXPECT_NE(status.error().find(above ? "; expected at most "
                                          : "; expected at least "),
                std::string::npos)
          << status.error();
      ++checked;
    }
  }
  return checked;
}

TEST(TargetCheck, EveryFigureHasLimitsOnBothSides) {
  EXPECT_GT(checkLimits(
                target("sm_90"),
                [](Target &t, auto visit) { visitGpuFigures(t, visit); },
                [](const Target &t) { return checkTarget(t); }),
            45);
  EXPECT_GT(checkLimits(
                makeCpu(),
                [](CpuTarget &t, auto visit) {
                  visitCpuFigures(t, visit);
                  visitCacheFigures(t.caches[1], visit);
                },
                [](const CpuTarget &t) { return checkCpuTarget(t); }),
            16);
}

TEST(TargetCheck, WhatTheSearchesDivideByIsLimited) {
  EXPECT_EQ(cpuComplaint([](CpuTarget &c) {
              c.caches[0].lineBytes = 4;
              c.caches[0].ways = 1;
            }),
            "line_bytes (L1) is 4; expected at least 16");
  EXPECT_EQ(complaint([](Target &t) { t.sharedBytesPerCycle = 100000000; }),
            "shared_bytes_per_cycle (shared memory) is 100000000; expected at "
            "most 4096");
}

TEST(TargetCheck, Names) {
  EXPECT_EQ(complaint([](Target &t) { t.name = "my gpu"; }),
            "name (chip) is 'my gpu'; expected at most 64 letters, digits, "
            "'_', '-' and '.'");
  EXPECT_EQ(complaint([](Target &t) { t.product = "two\nlines"; }),
            "product (chip) is not a line of at most 128 ASCII characters");
  for (const char *chip : {"gfx90a", "sm_", "sm_9x", "sm_90b", "sm_90000"})
    EXPECT_EQ(complaint([&](Target &t) { t.chip = chip; }),
              std::string("chip (chip) is '") + chip +
                  "'; expected a name that ptxas knows, as 'sm_90'");
  EXPECT_EQ(complaint([](Target &t) { t.chip = "sm_80"; }),
            "compute_capability (chip) is 90, but chip is 'sm_80'");
  EXPECT_EQ(complaint([](Target &t) { t.chip = "sm_90a"; }), "");
  EXPECT_EQ(complaint([](Target &t) { t.name = "h100-pcie_80.gb"; }), "");
}

TEST(TargetCheck, Threads) {
  EXPECT_EQ(complaint([](Target &t) { t.warpSize = 48; }),
            "threads_per_warp (multiprocessor) is 48, not a power of two");
  EXPECT_EQ(complaint([](Target &t) { t.multiprocessor.threads = 2064; }),
            "threads_per_multiprocessor (multiprocessor) is 2064, not a "
            "multiple of threads_per_warp, 32");
  EXPECT_EQ(
      complaint([](Target &t) { t.multiprocessor.threadsPerBlock = 1000; }),
      "threads_per_block (multiprocessor) is 1000, not a multiple of "
      "threads_per_warp, 32");
  EXPECT_EQ(complaint([](Target &t) { t.multiprocessor.threads = 992; }),
            "threads_per_block (multiprocessor) is 1024, more than "
            "threads_per_multiprocessor, 992");
  EXPECT_EQ(complaint([](Target &t) { t.multiprocessor.blocks = 65; }),
            "blocks_per_multiprocessor (multiprocessor) is 65, more than "
            "threads_per_multiprocessor over threads_per_warp, 64");
  EXPECT_EQ(complaint([](Target &t) { t.fmaPerCycleF64 = 256; }),
            "fma_per_cycle_f64 (multiprocessor) is 256, more than "
            "fma_per_cycle_f32, 128");
}

TEST(TargetCheck, SharedMemory) {
  EXPECT_EQ(complaint([](Target &t) {
              t.multiprocessor.sharedBytesPerBlock =
                  t.multiprocessor.sharedBytes;
            }),
            "shared_bytes_per_block plus reserved_shared_bytes_per_block "
            "(shared memory) is 234496, more than "
            "shared_bytes_per_multiprocessor, 233472");
  EXPECT_EQ(complaint([](Target &t) {
              t.multiprocessor.sharedBytesPerBlock = 32768;
            }),
            "static_shared_bytes_per_block (shared memory) is 49152, more than "
            "shared_bytes_per_block, 32768");
  EXPECT_EQ(complaint([](Target &t) { t.multiprocessor.sharedGranule = 5000; }),
            "shared_bytes_per_multiprocessor (shared memory) is 233472, not a "
            "multiple of shared_granule_bytes, 5000");
}

TEST(TargetCheck, Registers) {
  EXPECT_EQ(complaint([](Target &t) { t.multiprocessor.registerGranule = 40; }),
            "register_granule (registers) is 40, not a multiple of "
            "threads_per_warp, 32");
  EXPECT_EQ(complaint([](Target &t) { t.multiprocessor.partitions = 3; }),
            "registers_per_multiprocessor (registers) is 65536, not a multiple "
            "of partitions_per_multiprocessor times register_granule, 768");
  EXPECT_EQ(
      complaint([](Target &t) { t.multiprocessor.registersPerThread = 520; }),
      "registers_per_thread times threads_per_warp, in granules, "
      "(registers) is 16640, more than registers_per_multiprocessor over "
      "partitions_per_multiprocessor, 16384");
}

TEST(TargetCheck, Memory) {
  EXPECT_EQ(complaint([](Target &t) { t.sectorBytes = 24; }),
            "sector_bytes (DRAM) is 24, not a power of two");
  EXPECT_EQ(complaint([](Target &t) { t.lineBytes = 144; }),
            "line_bytes (L2) is 144, not a multiple of sector_bytes, 32");
  EXPECT_EQ(complaint([](Target &t) { t.l2Bytes = 1000000; }),
            "l2_bytes (L2) is 1000000, not a multiple of line_bytes, 128");
  EXPECT_EQ(complaint([](Target &t) { t.widestAccessBytes = 12; }),
            "widest_access_bytes (multiprocessor) is 12, not a power of two");
  EXPECT_EQ(complaint([](Target &t) { t.widestAccessBytes = 64; }),
            "widest_access_bytes (multiprocessor) is 64, more than "
            "sector_bytes, 32");
  EXPECT_EQ(complaint([](Target &t) { t.l2BytesPerSecond = 3e12; }),
            "memory_bytes_per_second (DRAM) is 4.8e+12, more than "
            "l2_bytes_per_second, 3e+12");
  EXPECT_EQ(complaint([](Target &t) { t.sharedBytesPerCycle = 32; }),
            "l2_bytes_per_second (L2) is 9.7e+12, more than what "
            "shared_bytes_per_cycle, clock_hertz and multiprocessors give, "
            "8.36352e+12");
}

TEST(TargetCheck, AttainableParts) {
  EXPECT_EQ(complaint([](Target &t) { t.attainable.mmaSync = 1.5; }),
            "mma_sync_part (tensor cores) is 1.5; expected at most 1");
  EXPECT_EQ(complaint([](Target &t) { t.attainable.memoryReads = 0; }),
            "memory_read_part (DRAM) is missing or zero");
  EXPECT_EQ(complaint([](Target &t) {
              t.attainable.memoryReads = 0.4;
              t.attainable.memoryCopies = 0.8;
            }),
            "memory_copy_part (DRAM) is 0.8, more than what leaves writes some "
            "time beside memory_read_part, 0.76");
  EXPECT_EQ(complaint([](Target &t) { t.l2LatencyCycles = 700; }),
            "l2_latency_cycles (L2) is 700, more than memory_latency_cycles, "
            "500");
  EXPECT_EQ(complaint([](Target &t) { t.sharedLatencyCycles = 61; }),
            "shared_latency_cycles (shared memory) is 61, more than "
            "barrier_cycles, 60");
}

TEST(TargetCheck, TensorCores) {
  auto asTuring = [](Target &t) {
    t.chip = "sm_75";
    t.computeCapability = 75;
    t.tensorFmaPerCycle = {};
  };
  EXPECT_EQ(complaint(asTuring), "");
  auto expect = [&](const char *type, int64_t TensorCoreRates::*rate,
                    const char *since) {
    EXPECT_EQ(complaint([&](Target &t) {
                asTuring(t);
                t.tensorFmaPerCycle.*rate = 7;
              }),
              std::string("tensor_fma_per_cycle_") + type +
                  " (tensor cores) is 7, but compute_capability is 75; these "
                  "came with " +
                  since);
  };
  expect("f64", &TensorCoreRates::f64, "80");
  expect("tf32", &TensorCoreRates::tf32, "80");
  expect("bf16", &TensorCoreRates::bf16, "80");
  expect("f8", &TensorCoreRates::f8, "89");
}

TEST(TargetCheck, Cpu) {
  EXPECT_EQ(cpuComplaint([](CpuTarget &) {}), "");
  EXPECT_EQ(cpuComplaint([](CpuTarget &c) { c.vectorBytes = 48; }),
            "vector_bytes (core) is 48, not a power of two");
  EXPECT_EQ(cpuComplaint([](CpuTarget &c) { c.vectorBytes = 4; }),
            "vector_bytes (core) is 4; expected at least 8");
  EXPECT_EQ(cpuComplaint([](CpuTarget &c) { c.fmaPerCycleF64 = 32; }),
            "fma_per_cycle_f64 (core) is 32, more than fma_per_cycle_f32, 16");
  EXPECT_EQ(cpuComplaint([](CpuTarget &c) { c.caches.clear(); }),
            "caches (CPU) is missing or empty");
  EXPECT_EQ(cpuComplaint([](CpuTarget &c) { c.caches.resize(9); }),
            "caches (CPU) are 9; expected at most 8");
}

TEST(TargetCheck, CpuCaches) {
  EXPECT_EQ(cpuComplaint([](CpuTarget &c) { c.caches[0].bytes = 32000; }),
            "bytes (L1) is 32000, not a multiple of ways times line_bytes, "
            "512");
  EXPECT_EQ(cpuComplaint([](CpuTarget &c) {
              c.caches[2].lineBytes = 96;
              c.caches[2].bytes = 96 * 16 * 8192;
            }),
            "line_bytes (L3) is 96, not a power of two");
  EXPECT_EQ(cpuComplaint([](CpuTarget &c) { c.caches[2].sharedByCores = 8; }),
            "shared_by_cores (L3) is 8, more than cores, 4");
  EXPECT_EQ(cpuComplaint([](CpuTarget &c) { c.caches[1].name = "L1"; }),
            "name (cache) is 'L1' twice");
  EXPECT_EQ(cpuComplaint([](CpuTarget &c) { c.caches[1].bytes = 16384; }),
            "bytes (L1) is 32768, more than bytes of L2, 16384");
  EXPECT_EQ(cpuComplaint([](CpuTarget &c) { c.caches[1].lineBytes = 32; }),
            "line_bytes (L2) is 32, not a multiple of line_bytes of L1, 64");
  EXPECT_EQ(cpuComplaint([](CpuTarget &c) {
              c.caches[1].sharedByCores = 4;
              c.caches[2].sharedByCores = 2;
            }),
            "shared_by_cores (L2) is 4, more than shared_by_cores of L3, 2");
  EXPECT_EQ(
      cpuComplaint([](CpuTarget &c) { c.caches[2].bytesPerSecond = 71e9; }),
      "bytes_per_second (L3) is 7.1e+10, more than bytes_per_second of "
      "L2, 7e+10");
  EXPECT_EQ(cpuComplaint([](CpuTarget &c) { c.memoryBytesPerSecond = 51e9; }),
            "memory_bytes_per_second (memory) is 5.1e+10, more than "
            "bytes_per_second of L3, 5e+10");
}

} // namespace
