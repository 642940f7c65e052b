//===- CpuCyclesTest.cpp - Tests of cycles of micro-kernels ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Machine/CpuCycles.h"

#include <gtest/gtest.h>

using namespace tc;
using namespace tc::model;

namespace {

TEST(CpuCycles, StepsTakeProductsOrLoadsOrWaitForSums) {
  CpuCosts costs;
  costs.multiplyAddLatency = 5;
  EXPECT_DOUBLE_EQ(tileStepCycles({24, 8, 8, 16, 2}, costs), 12);
  EXPECT_DOUBLE_EQ(tileStepCycles({8, 16, 8, 16, 2}, costs), 8.5);
  EXPECT_DOUBLE_EQ(tileStepCycles({16, 4, 8, 16, 2}, costs), 5);
  costs.kernelPart = 0.5;
  costs.tileCycles = 6;
  EXPECT_DOUBLE_EQ(multiplyCycles(10, 100, 3, 12, costs),
                   10 * 100 * 24 + 10 * 3 * 6);
  costs.bufferedChunkCycles = 4;
  EXPECT_DOUBLE_EQ(storeCyclesOfChunks(2, 8, costs), 17);
}

TEST(CpuCycles, CodeHasUnitsOfItsInstructionSet) {
  CpuTarget cpu;
  cpu.vectorBytes = 64;
  cpu.vectorRegisters = 32;
  cpu.fmaPerCycleF32 = 32;
  cpu.fmaPerCycleF64 = 16;
  EXPECT_EQ(limitedTo(CpuIsa::AVX512, cpu).fmaPerCycleF64, 16);
  CpuTarget narrow = limitedTo(CpuIsa::AVX2, cpu);
  EXPECT_EQ(narrow.fmaPerCycleF32, 16);
  EXPECT_EQ(narrow.fmaPerCycleF64, 8);
  EXPECT_EQ(narrow.vectorBytes, 32);
  EXPECT_EQ(narrow.vectorRegisters, 16);
  EXPECT_EQ(limitedTo(CpuIsa::SSE2, cpu).fmaPerCycleF64, 2);
  // Units of half a vector are whole ones for AVX2.
  cpu.fmaPerCycleF64 = 8;
  EXPECT_EQ(limitedTo(CpuIsa::AVX512, cpu).fmaPerCycleF64, 8);
  EXPECT_EQ(limitedTo(CpuIsa::AVX2, cpu).fmaPerCycleF64, 8);
  // No vectors were detected.
  cpu.vectorBytes = 8;
  cpu.fmaPerCycleF64 = 1;
  EXPECT_EQ(limitedTo(CpuIsa::AVX2, cpu).fmaPerCycleF64, 8);
}

} // namespace
