//===- CodeOptionTest.cpp - Options that pipelines have in common ---------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Pipelines/Pipelines.h"

#include <gtest/gtest.h>

using namespace tc;

namespace {

size_t countOptionsAbout(OptionMachine machine) {
  size_t count = 0;
  visitOptions<CompileOptions>(
      [&](const auto &option) { count += option.info.isAbout(machine); });
  return count;
}

TEST(CodeOptionTest, PipelinesHaveAllOptionsOfTheirMachines) {
  EXPECT_EQ(TCCPUPipelineOptions().setters.size(),
            countOptionsAbout(OptionMachine::Cpu));
  EXPECT_EQ(TCGPUPipelineOptions().setters.size(),
            countOptionsAbout(OptionMachine::Gpu));
}

TEST(CodeOptionTest, DefaultsAreThoseOfCompileOptions) {
  TCCPUPipelineOptions cpu;
  EXPECT_EQ(cpu.tuned, "");
  EXPECT_EQ(cpu.strategy, "auto");
  EXPECT_EQ(cpu.workspaceLimit, -1);
  // Of a pipeline, the same on all machines.
  EXPECT_EQ(cpu.threads, 1);
  TCGPUPipelineOptions gpu;
  EXPECT_EQ(gpu.refine, 1u);
  EXPECT_TRUE(gpu.fuseAccumulations);
  EXPECT_FALSE(gpu.dynamicShapes);
}

TEST(CodeOptionTest, ValuesAreTakenOver) {
  CompileOptions options;
  options.memoryLimit = 7;
  options.tuned = "file";
  options.threads = 3;
  options.mergesSums = false;
  TCCPUPipelineOptions cpu;
  cpu.setCode(options);
  EXPECT_EQ(cpu.memoryLimit, 7);
  EXPECT_EQ(cpu.tuned, "file");
  EXPECT_EQ(cpu.threads, 3);
  TCGPUPipelineOptions gpu;
  gpu.setCode(options);
  EXPECT_EQ(gpu.memoryLimit, 7);
  EXPECT_FALSE(gpu.fuseAccumulations);
  cpu.setCode({});
  EXPECT_EQ(cpu.memoryLimit, -1);
  EXPECT_EQ(cpu.tuned, "");
}

TEST(CodeOptionTest, TextsHaveTheNamesOfTheList) {
  TCCPUPipelineOptions cpu;
  EXPECT_TRUE(mlir::succeeded(cpu.parseFromString(
      "tile-chains=never workspace-limit=12 target-file=cpu.json")));
  EXPECT_EQ(cpu.tileChains, "never");
  EXPECT_EQ(cpu.workspaceLimit, 12);
  EXPECT_EQ(cpu.targetFile, "cpu.json");
}

} // namespace
