//===- MatrixInstructionsTest.cpp - Lowerings of mma.sync -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// test/Integration/matrix_instructions.py holds the table to machine code.
//
//===----------------------------------------------------------------------===//

#include "TestTargets.h"

#include "tc/Machine/MatrixInstructions.h"

#include <gtest/gtest.h>

#include <set>

using namespace tc;
using namespace tc::model;
using namespace tc::model::test;

namespace {

using Factor = MatrixFactor;
constexpr MatrixShape m8n8k4{8, 8, 4}, m16n8k4{16, 8, 4}, m16n8k8{16, 8, 8},
    m16n8k16{16, 8, 16}, m16n8k32{16, 8, 32};

std::set<std::string> chipsThatHave(Factor factor, MatrixShape shape) {
  std::set<std::string> chips;
  for (const Target &target : builtinTargets())
    if (isNative(factor, shape, target))
      chips.insert(target.name);
  return chips;
}

int instructionsOf(Factor factor, MatrixShape shape, const char *chip) {
  std::optional<MatrixLowering> lowering =
      loweringOf(factor, shape, target(chip));
  return lowering ? lowering->instructions : 0;
}

TEST(MatrixInstructions, ShapesAreWhatTheChipsHave) {
  EXPECT_EQ(chipsThatHave(Factor::F64, m8n8k4),
            (std::set<std::string>{"sm_80", "sm_86", "sm_89", "sm_90", "sm_100",
                                   "sm_103", "sm_110", "sm_120", "sm_121"}));
  for (MatrixShape shape : {m16n8k4, m16n8k8, m16n8k16})
    EXPECT_EQ(chipsThatHave(Factor::F64, shape),
              (std::set<std::string>{"sm_90"}));
  EXPECT_EQ(chipsThatHave(Factor::F8, m16n8k32),
            (std::set<std::string>{"sm_89", "sm_120", "sm_121"}));
  EXPECT_EQ(chipsThatHave(Factor::F16, m16n8k8).size(),
            builtinTargets().size());
  EXPECT_EQ(chipsThatHave(Factor::F16, m16n8k16).count("sm_75"), 0u);
  EXPECT_TRUE(chipsThatHave(Factor::F16, m8n8k4).empty());
}

// Eight DMMA.8x8x4 for one m16n8k16, on all chips after Hopper.
TEST(MatrixInstructions, LargeShapesOfDoublesAreMadeOfSmallOnes) {
  for (const char *chip : {"sm_100", "sm_103", "sm_110", "sm_120", "sm_121"}) {
    SCOPED_TRACE(chip);
    EXPECT_EQ(instructionsOf(Factor::F64, m8n8k4, chip), 1);
    EXPECT_EQ(instructionsOf(Factor::F64, m16n8k4, chip), 2);
    EXPECT_EQ(instructionsOf(Factor::F64, m16n8k8, chip), 4);
    EXPECT_EQ(instructionsOf(Factor::F64, m16n8k16, chip), 8);
  }
  EXPECT_EQ(instructionsOf(Factor::F64, m16n8k16, "sm_90"), 1);
  EXPECT_EQ(instructionsOf(Factor::F64, m16n8k16, "sm_80"), 0);
  EXPECT_EQ(leastCapability(Factor::F64, m16n8k16), 90u);
  EXPECT_EQ(leastCapability(Factor::F64, m8n8k4), 80u);
  EXPECT_EQ(leastCapability(Factor::F16, m8n8k4), std::nullopt);
}

TEST(MatrixInstructions, EightBitsAreConvertedWhereThereAreWarpGroups) {
  for (const Target &chip : builtinTargets()) {
    SCOPED_TRACE(chip.name);
    std::optional<MatrixLowering> lowering =
        loweringOf(Factor::F8, m16n8k32, chip);
    ASSERT_EQ(lowering.has_value(), chip.computeCapability >= 89);
    if (!lowering)
      continue;
    EXPECT_EQ(lowering->isNative(), !chip.has(Feature::WarpGroupMultiply));
    EXPECT_EQ(lowering->instructions,
              chip.has(Feature::WarpGroupMultiply) ? 2 : 1);
    EXPECT_EQ(lowering->shape,
              chip.has(Feature::WarpGroupMultiply) ? m16n8k16 : m16n8k32);
    EXPECT_EQ(lowering->others, chip.has(Feature::WarpGroupMultiply) ? 16 : 0);
  }
}

// The lowering of an instruction multiplies as much as it, and each chip has
// one line at most.
TEST(MatrixInstructions, LinesAreConsistent) {
  auto multiplyAdds = [](MatrixShape shape) {
    return shape.rows * shape.columns * shape.depth;
  };
  const std::vector<MatrixLoweringRow> &rows = matrixLowerings();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    SCOPED_TRACE(i);
    const MatrixLoweringRow &row = rows[i];
    EXPECT_LT(row.chips.least, row.chips.end);
    // Halves of a larger one may be nothing.
    EXPECT_GE(row.lowering.instructions * multiplyAdds(row.lowering.shape),
              multiplyAdds(row.shape));
    if (row.lowering.isNative()) {
      EXPECT_EQ(row.lowering.shape, row.shape);
    }
    for (std::size_t k = 0; k < i; ++k)
      if (rows[k].factor == row.factor && rows[k].shape == row.shape)
        EXPECT_LE(rows[k].chips.end, row.chips.least);
  }
}

} // namespace
