//===- TargetTest.cpp - Tests of the built-in targets ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestUtils.h"

using namespace tc;
using namespace tc::model;
using namespace tc::model::test;

namespace {

TEST(Target, AllAreFoundByName) {
  std::vector<std::string> names;
  for (const Target &target : builtinTargets()) {
    names.push_back(target.name);
    EXPECT_EQ(*findTarget(target.name), &target);
    EXPECT_EQ(target.name, "sm_" + std::to_string(target.computeCapability));
  }
  EXPECT_EQ(names, (std::vector<std::string>{"sm_75", "sm_80", "sm_86", "sm_89",
                                             "sm_90", "sm_100", "sm_120"}));
}

TEST(Target, UnknownNamesListTheKnown) {
  Result<const Target *> result = findTarget("sm_99");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error(),
            "unknown target 'sm_99'; known are sm_75, sm_80, sm_86, sm_89, "
            "sm_90, sm_100, sm_120");
}

TEST(Target, FiguresAgreeWithEachOther) {
  for (const Target &target : builtinTargets()) {
    SCOPED_TRACE(target.name);
    const MultiprocessorLimits &limits = target.multiprocessor;
    EXPECT_EQ(limits.sharedBytesPerBlock + limits.reservedSharedBytesPerBlock,
              limits.sharedBytes);
    EXPECT_LE(limits.staticSharedBytesPerBlock, limits.sharedBytesPerBlock);
    EXPECT_LE(limits.threadsPerBlock, limits.threads);
    EXPECT_EQ(limits.threads % target.warpSize, 0);
    EXPECT_EQ(limits.registers % limits.registerGranule, 0);
    EXPECT_GT(limits.blocks, 0);
    EXPECT_GT(limits.sharedGranule, 0);
    EXPECT_GT(target.multiprocessors, 0u);
    EXPECT_GT(target.l2Bytes, 0);
    EXPECT_GT(target.ptxVersion, 0u);
    EXPECT_GT(target.fmaPerCycleF64, 0);
    EXPECT_GE(target.fmaPerCycleF32, target.fmaPerCycleF64);
    EXPECT_FALSE(target.product.empty());
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
        Stated{"sm_120", 104.8, 1.64}}) {
    SCOPED_TRACE(stated.name);
    const Target &chip = target(stated.name);
    EXPECT_NEAR(teraflops(chip, ElementType::F32), stated.f32,
                0.02 * stated.f32);
    EXPECT_NEAR(teraflops(chip, ElementType::F64), stated.f64,
                0.02 * stated.f64);
  }
}

} // namespace
