//===- TargetTest.cpp - Tests of the built-in targets ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestTargets.h"

#include "tc/Machine/TargetCheck.h"

#include <gtest/gtest.h>

using namespace tc;
using namespace tc::model;
using namespace tc::model::test;

namespace {

TEST(Target, AllAreFoundByName) {
  std::vector<std::string> names;
  for (const Target &target : builtinTargets()) {
    names.push_back(target.name);
    EXPECT_EQ(*findTarget(target.name), &target);
    EXPECT_EQ(target.name, target.chip);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"sm_75", "sm_80", "sm_86", "sm_89",
                                             "sm_90", "sm_100", "sm_103",
                                             "sm_110", "sm_120", "sm_121"}));
}

TEST(Target, UnknownNamesListTheKnown) {
  Result<const Target *> result = findTarget("sm_99");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error(),
            "unknown target 'sm_99'; known are sm_75, sm_80, sm_86, sm_89, "
            "sm_90, sm_100, sm_103, sm_110, sm_120, sm_121");
}

TEST(Target, FiguresAgreeWithEachOther) {
  for (const Target &target : builtinTargets()) {
    SCOPED_TRACE(target.name);
    Status status = checkTarget(target);
    EXPECT_TRUE(status) << status.error();
  }
}

// The rates that follow from the figures are those that datasheets state.
TEST(Target, RatesAreThoseOfTheDatasheets) {
  auto teraflops = [](const Target &target, ElementType type) {
    return 2 * target.clockHertz * target.multiprocessors *
           static_cast<double>(target.fmaPerCycle(type)) / 1e12;
  };
  struct Stated {
    const char *name;
    double f32, f64;
  };
  for (const Stated &stated :
       {Stated{"sm_75", 8.1, 0.254}, Stated{"sm_80", 19.5, 9.7},
        Stated{"sm_86", 35.6, 0.556}, Stated{"sm_89", 91.6, 1.43},
        Stated{"sm_90", 67, 34}, Stated{"sm_100", 75, 37},
        // The datasheet of eight B300 rounds to 10 in f64.
        Stated{"sm_103", 75, 1.17}, Stated{"sm_110", 8.06, 0.126},
        Stated{"sm_120", 104.8, 1.64}, Stated{"sm_121", 29.71, 0.464}}) {
    SCOPED_TRACE(stated.name);
    const Target &chip = target(stated.name);
    EXPECT_NEAR(teraflops(chip, ElementType::F32), stated.f32,
                0.02 * stated.f32);
    EXPECT_NEAR(teraflops(chip, ElementType::F64), stated.f64,
                0.02 * stated.f64);
  }
}

// The same for tensor cores. Datasheets state most types of data-centre chips
// at a lower clock than f32's.
TEST(Target, TensorCoreRatesAreThoseOfTheDatasheets) {
  struct Stated {
    const char *name;
    double mhz, f64, tf32, bf16, f16, f8, i8;
  };
  for (const Stated &stated :
       {Stated{"sm_75", 1590, 0, 0, 0, 65, 0, 130},
        Stated{"sm_80", 1410, 19.5, 156, 312, 312, 0, 624},
        Stated{"sm_86", 1695, 0, 35.6, 71, 71, 0, 284},
        Stated{"sm_89", 2520, 0, 183, 362, 362, 733, 733},
        Stated{"sm_90", 1830, 67, 494.5, 989.5, 989.5, 1979, 1979},
        Stated{"sm_100", 1850, 37, 1100, 2250, 2250, 4500, 4500},
        // 150 TOPS at the boost clock.
        Stated{"sm_103", 1850, 1.17, 1100, 2250, 2250, 4500, 140},
        // A fourth of 2070 in 4 bits, sparse, and so on.
        Stated{"sm_110", 1575, 0, 129, 259, 259, 517, 517},
        Stated{"sm_120", 2407, 0, 104.8, 209.5, 209.5, 419, 838},
        // The same of 1000, less the rounding.
        Stated{"sm_121", 2418, 0, 59.4, 118.8, 118.8, 237.7, 237.7}}) {
    SCOPED_TRACE(stated.name);
    const Target &chip = target(stated.name);
    auto expectRate = [&](int64_t rate, double hertz, double stated) {
      double tera = 2 * hertz * chip.multiprocessors * rate / 1e12;
      EXPECT_NEAR(tera, stated, 0.02 * stated);
    };
    const TensorCoreRates &rates = chip.tensorFmaPerCycle;
    expectRate(rates.f64, chip.clockHertz, stated.f64);
    expectRate(rates.tf32, stated.mhz * 1e6, stated.tf32);
    expectRate(rates.bf16, stated.mhz * 1e6, stated.bf16);
    expectRate(rates.f16, stated.mhz * 1e6, stated.f16);
    expectRate(rates.f8, stated.mhz * 1e6, stated.f8);
    expectRate(rates.i8, stated.mhz * 1e6, stated.i8);
  }
}

// Published measurements of the parts of the peaks that kernels attain.
TEST(Target, AttainableRatesAreThoseThatWereMeasured) {
  const Target &h200 = target("sm_90"), &a100 = target("sm_80");
  auto terabytes = [](const Target &chip, double part) {
    return 1e-12 * chip.memoryBytesPerSecond * part;
  };
  EXPECT_NEAR(terabytes(h200, h200.attainable.memoryReads), 3.89, 0.001);
  EXPECT_NEAR(terabytes(h200, h200.attainable.memoryCopies), 4.3, 0.001);
  EXPECT_NEAR(terabytes(a100, a100.attainable.memoryReads), 1.885, 0.001);
  EXPECT_NEAR(terabytes(a100, a100.attainable.memoryCopies), 1.73, 0.001);
  // cuBLAS in f64 on the tensor cores, and in f32.
  auto teraflops = [](const Target &chip, int64_t rate, double part) {
    return 2e-12 * chip.clockHertz * chip.multiprocessors *
           static_cast<double>(rate) * part;
  };
  EXPECT_NEAR(
      teraflops(h200, h200.tensorFmaPerCycle.f64, h200.attainable.sustainedF64),
      61.7, 0.1);
  EXPECT_NEAR(
      teraflops(h200, h200.fmaPerCycleF32, h200.attainable.sustainedF32), 54.1,
      0.1);
  EXPECT_NEAR(
      teraflops(a100, a100.tensorFmaPerCycle.f64, a100.attainable.sustainedF64),
      18.2, 0.1);
}

} // namespace
