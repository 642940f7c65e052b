//===- DetectCpuTest.cpp - Tests of the detection of CPUs -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Machines are made up as trees of files.
//
//===----------------------------------------------------------------------===//

#include "tc/Machine/DetectCpu.h"
#include "Support/TemporaryFolder.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace tc;
using namespace tc::model;

namespace {

class DetectCpu : public ::testing::Test {
protected:
  void write(const std::string &path, const std::string &text) {
    root.write(path, text + "\n");
  }

  void writeCpu(const std::string &path, const std::string &text) {
    write("sys/devices/system/cpu/" + path, text);
  }

  void writeCache(int index, const char *type, const char *level,
                  const char *size, const char *ways, const char *sharedBy) {
    std::string dir = "cpu0/cache/index" + std::to_string(index) + "/";
    writeCpu(dir + "type", type);
    writeCpu(dir + "level", level);
    writeCpu(dir + "size", size);
    writeCpu(dir + "coherency_line_size", "64");
    writeCpu(dir + "ways_of_associativity", ways);
    writeCpu(dir + "shared_cpu_list", sharedBy);
  }

  /// Two cores with two threads each.
  void writeTopology() {
    for (int cpu = 0; cpu < 4; ++cpu) {
      std::string dir = "cpu" + std::to_string(cpu) + "/topology/";
      writeCpu(dir + "core_id", std::to_string(cpu % 2));
      writeCpu(dir + "physical_package_id", "0");
    }
    writeCpu("cpufreq/boost", "1");
  }

  DetectedCpu detect() {
    Result<DetectedCpu> cpu = detectCpu(root.name());
    if (!cpu) {
      ADD_FAILURE() << cpu.error();
      return {};
    }
    // A core by itself has the same figures.
    CpuTarget core = detectCore(root.name());
    EXPECT_EQ(core.vectorBytes, cpu->target.vectorBytes);
    EXPECT_EQ(core.vectorRegisters, cpu->target.vectorRegisters);
    EXPECT_EQ(core.fmaPerCycleF64, cpu->target.fmaPerCycleF64);
    EXPECT_EQ(core.clockHertz, cpu->target.clockHertz);
    EXPECT_EQ(core.memoryBytesPerSecond, cpu->target.memoryBytesPerSecond);
    EXPECT_GE(cpu->target.cores, core.cores);
    const std::vector<CpuCache> &caches = core.caches;
    EXPECT_EQ(caches.size(), cpu->target.caches.size());
    for (size_t i = 0; i < std::min(caches.size(), cpu->target.caches.size());
         ++i) {
      const CpuCache &cache = cpu->target.caches[i];
      EXPECT_EQ(caches[i].name, cache.name);
      EXPECT_EQ(caches[i].bytes, cache.bytes);
      EXPECT_EQ(caches[i].ways, cache.ways);
      EXPECT_EQ(caches[i].lineBytes, cache.lineBytes);
      EXPECT_EQ(caches[i].sharedByCores, cache.sharedByCores);
      EXPECT_GE(core.cores, cache.sharedByCores);
    }
    return *cpu;
  }

  TemporaryFolder root;
};

TEST_F(DetectCpu, ReadsWhatLinuxTells) {
  write("proc/cpuinfo", "processor\t: 0\nmodel name\t: A CPU @ 2.40GHz\n"
                        "cpu MHz\t\t: 1200.5\nflags\t\t: sse2 avx avx2 fma\n"
                        "\nprocessor\t: 1\nmodel name\t: Another");
  writeTopology();
  writeCache(0, "Data", "1", "32K", "8", "0,2");
  writeCache(1, "Instruction", "1", "32K", "8", "0,2");
  writeCache(2, "Unified", "2", "1024K", "16", "0,2");
  writeCache(3, "Unified", "3", "12M", "12", "0-3");
  DetectedCpu detected = detect();
  const CpuTarget &cpu = detected.target;
  EXPECT_EQ(cpu.name, "host");
  EXPECT_EQ(cpu.product, "A CPU @ 2.40GHz");
  EXPECT_EQ(cpu.cores, 2);
  EXPECT_DOUBLE_EQ(cpu.clockHertz, 1.35 * 2.4e9);
  EXPECT_EQ(cpu.vectorBytes, 32);
  EXPECT_EQ(cpu.vectorRegisters, 16);
  EXPECT_EQ(cpu.fmaPerCycleF64, 8);
  EXPECT_EQ(cpu.fmaPerCycleF32, 16);
  ASSERT_EQ(cpu.caches.size(), 3u);
  EXPECT_EQ(cpu.caches[0].name, "L1");
  EXPECT_EQ(cpu.caches[0].bytes, 32768);
  EXPECT_EQ(cpu.caches[0].sharedByCores, 1);
  EXPECT_EQ(cpu.caches[1].bytes, 1048576);
  EXPECT_EQ(cpu.caches[1].ways, 16);
  EXPECT_EQ(cpu.caches[2].name, "L3");
  EXPECT_EQ(cpu.caches[2].bytes, 12582912);
  EXPECT_EQ(cpu.caches[2].sharedByCores, 2);
  EXPECT_DOUBLE_EQ(cpu.caches[2].bytesPerSecond, 12.12 * cpu.clockHertz);
  EXPECT_DOUBLE_EQ(cpu.memoryBytesPerSecond, 6.24 * cpu.clockHertz);
  // Only values that no file tells are assumed.
  ASSERT_EQ(detected.assumptions.size(), 3u);
  EXPECT_EQ(detected.assumptions[0].rfind("clock_hertz: 1.35 times", 0), 0u);
  EXPECT_EQ(detected.assumptions[1],
            "fma_per_cycle: two vector units that multiply and add");
  EXPECT_EQ(detected.assumptions[2].rfind("bytes_per_second: ", 0), 0u);
}

TEST_F(DetectCpu, ClocksInOrderOfPreference) {
  write("proc/cpuinfo", "cpu MHz\t: 1200.5");
  EXPECT_DOUBLE_EQ(detect().target.clockHertz, 1200.5e6);
  // This clock is the present one, but for a guest, which sees the guaranteed
  // one.
  write("proc/cpuinfo", "cpu MHz\t: 1200.5\nflags\t: sse2 hypervisor");
  EXPECT_DOUBLE_EQ(detect().target.clockHertz, 1.35 * 1200.5e6);
  writeCpu("cpu0/cpufreq/cpuinfo_max_freq", "3600000");
  EXPECT_DOUBLE_EQ(detect().target.clockHertz, 3.6e9);
}

TEST_F(DetectCpu, VectorUnits) {
  struct Case {
    const char *info;
    int64_t bytes, registers, f64;
  };
  for (const Case &isa :
       {Case{"flags : sse2 fma avx avx512f", 64, 32, 16},
        Case{"vendor_id : AuthenticAMD\ncpu family : 25\n"
             "flags : sse2 fma avx avx512f",
             64, 32, 8},
        Case{"vendor_id : AuthenticAMD\ncpu family : 26\n"
             "flags : sse2 fma avx avx512f",
             64, 32, 16},
        Case{"vendor_id : AuthenticAMD\ncpu family : 25\n"
             "flags : sse2 fma avx",
             32, 16, 8},
        Case{"flags : sse2 avx", 32, 16, 4}, Case{"flags : sse2", 16, 16, 2},
        Case{"Features : fp asimd", 16, 32, 4}}) {
    SCOPED_TRACE(isa.info);
    write("proc/cpuinfo", isa.info);
    CpuTarget cpu = detect().target;
    EXPECT_EQ(cpu.vectorBytes, isa.bytes);
    EXPECT_EQ(cpu.vectorRegisters, isa.registers);
    EXPECT_EQ(cpu.fmaPerCycleF64, isa.f64);
    EXPECT_EQ(cpu.fmaPerCycleF32, 2 * isa.f64);
  }
}

TEST_F(DetectCpu, WhatIsNotToldIsAssumed) {
  write("proc/cpuinfo", "");
  DetectedCpu detected = detect();
  EXPECT_EQ(detected.target.product, "unknown");
  EXPECT_EQ(detected.target.cores, 1);
  EXPECT_DOUBLE_EQ(detected.target.clockHertz, 2.5e9);
  ASSERT_EQ(detected.target.caches.size(), 2u);
  EXPECT_EQ(detected.assumptions.size(), 6u);
}

TEST_F(DetectCpu, SilentCachesHaveAssumedWays) {
  write("proc/cpuinfo", "");
  writeCache(0, "Data", "1", "32K", "0", "0");
  DetectedCpu detected = detect();
  ASSERT_EQ(detected.target.caches.size(), 1u);
  EXPECT_EQ(detected.target.caches[0].ways, 8);
  EXPECT_EQ(std::count(detected.assumptions.begin(), detected.assumptions.end(),
                       "ways of L1: 8"),
            1);
}

TEST_F(DetectCpu, WhatCannotBeIsAnError) {
  Result<DetectedCpu> nothing = detectCpu(root.name());
  ASSERT_FALSE(nothing);
  EXPECT_EQ(nothing.error(), "the CPU cannot be detected: " + root.name() +
                                 "/proc/cpuinfo cannot be read");
  write("proc/cpuinfo", "");
  writeCache(0, "Data", "1", "33K", "8", "0");
  writeCache(1, "Unified", "2", "16K", "8", "0");
  Result<DetectedCpu> odd = detectCpu(root.name());
  ASSERT_FALSE(odd);
  EXPECT_EQ(odd.error(), "the CPU as detected cannot be: bytes (L1) is 33792, "
                         "more than bytes of L2, 16384");
}

// The compiler runs on Linux only, so there is always something to detect.
TEST_F(DetectCpu, ThisMachineIsDetected) {
  Result<DetectedCpu> cpu = detectCpu();
  ASSERT_TRUE(cpu) << cpu.error();
  EXPECT_GE(cpu->target.cores, 1);
}

} // namespace
