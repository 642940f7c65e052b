//===- AnalysisTest.cpp - Tests of blocks, loops, counts ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestListing.h"

#include <gtest/gtest.h>

using namespace tc;
using namespace tc::sass;
using namespace tc::sass::test;

namespace {

FunctionCounts countsOf(const std::vector<std::string> &lines) {
  Result<const model::Target *> target = model::findTarget("sm_90");
  Result<FunctionCounts> counts = count(makeFunction(lines), **target);
  if (!counts) {
    ADD_FAILURE() << counts.error();
    return {};
  }
  return std::move(*counts);
}

std::vector<std::vector<std::uint32_t>>
successorsOf(const std::vector<std::string> &lines) {
  std::vector<std::vector<std::uint32_t>> result;
  for (const BasicBlock &block : findBasicBlocks(makeFunction(lines)))
    result.push_back(block.successors);
  return result;
}

std::int64_t conflictsOf(const std::vector<std::string> &lines) {
  return countsOf(lines).counts.bankConflicts;
}

using Successors = std::vector<std::vector<std::uint32_t>>;

TEST(BlocksTest, SplitAtJumps) {
  EXPECT_EQ(successorsOf({"NOP", "EXIT"}), (Successors{{1}}));
  EXPECT_EQ(successorsOf({"@P0 EXIT", "NOP", "EXIT"}),
            (Successors{{2, 1}, {2}}));
  EXPECT_EQ(successorsOf({".L_1:", "NOP", "@P0 BRA `(.L_1)", "EXIT"}),
            (Successors{{0, 1}, {2}}));
  EXPECT_EQ(successorsOf({".L_1:", "NOP", "BRA `(.L_1)"}), (Successors{{0}}));
  // Conditions stand among the operands, too, or in the modifiers.
  EXPECT_EQ(successorsOf({".L_1:", "BRA.U !UP0, `(.L_1)", "EXIT"}),
            (Successors{{0, 1}, {2}}));
  EXPECT_EQ(successorsOf({".L_1:", "@P0 BRA P1, `(.L_1)", "EXIT"}),
            (Successors{{0, 1}, {2}}));
  EXPECT_EQ(successorsOf({".L_1:", "BRA.DIV UR4, `(.L_1)", "EXIT"}),
            (Successors{{0, 1}, {2}}));
  // The targets of BRX are in a table.
  EXPECT_EQ(successorsOf({"BRX R4 -0x100", "NOP", "EXIT"}),
            (Successors{{2}, {2}}));
  // A jump to the next instruction has one successor.
  EXPECT_EQ(successorsOf({"@P0 BRA `(.L_1)", ".L_1:", "EXIT"}),
            (Successors{{1}, {2}}));
  // An instruction that never executes goes nowhere.
  EXPECT_EQ(successorsOf({".L_1:", "@!PT BRA `(.L_1)", "@!PT EXIT",
                          "@!UPT CALL.REL.NOINC `(.L_1)", "EXIT"}),
            (Successors{{1}}));
  // Calls return.
  EXPECT_EQ(successorsOf({"CALL.REL.NOINC `(g)", "EXIT"}), (Successors{{1}}));
}

TEST(LoopsTest, None) {
  FunctionCounts counts =
      countsOf({"FFMA R4, R5, R6, R4", "STG.E [R2.64], R4", "EXIT"});
  EXPECT_TRUE(counts.loops.empty());
  EXPECT_FALSE(counts.mainLoop);
  EXPECT_EQ(counts.multiply, "FFMA");
  EXPECT_EQ(counts.main().instructions, 3);
  EXPECT_EQ(counts.main()[Category::Multiply], 1);
  EXPECT_EQ(counts.main().othersPerMultiply(), 2);
}

TEST(LoopsTest, Nested) {
  FunctionCounts counts = countsOf({
      "MOV R4, RZ",                  // 0
      ".L_1:",                       //
      "LDG.E R5, [R2.64]",           // 1
      ".L_2:",                       //
      "DMMA.16x8x8 R4, R8, R12, R4", // 2
      "@P0 EXIT",                    // 3
      "NOP",                         // 4
      "@P1 BRA `(.L_2)",             // 5
      "BRA.U UP0, `(.L_1)",          // 6
      "EXIT",                        // 7
      ".L_3:",                       //
      "FFMA R4, R4, R4, R4",         // 8
      "BRA `(.L_3)",                 // 9
  });
  ASSERT_EQ(counts.loops.size(), 2u);
  const LoopCounts &outer = counts.loops[0], &inner = counts.loops[1];
  EXPECT_EQ(outer.header, 1u);
  EXPECT_EQ(outer.parent, LoopCounts::none);
  EXPECT_EQ(outer.depth, 1u);
  EXPECT_EQ(outer.instructions, (std::vector<std::uint32_t>{1, 6}));
  EXPECT_EQ(inner.header, 2u);
  EXPECT_EQ(inner.parent, 0u);
  EXPECT_EQ(inner.depth, 2u);
  // EXIT in the middle does not end the loop.
  EXPECT_EQ(inner.instructions, (std::vector<std::uint32_t>{2, 3, 4, 5}));
  EXPECT_EQ(inner.multiply, "DMMA.16x8x8");
  EXPECT_EQ(inner.counts.instructions, 4);
  EXPECT_EQ(inner.counts.stallCycles, 4);
  EXPECT_EQ(inner.counts[Category::Nop], 1);
  // NOPs are there for timing.
  EXPECT_EQ(inner.counts.othersPerMultiply(), 2);
  EXPECT_EQ(inner.counts.busyCyclesOf(Pipe::Tensor), 32);
  EXPECT_EQ(counts.mainLoop, 1u);
  // Unreachable code is counted with the function, and in no loop.
  EXPECT_EQ(counts.counts.instructions, 10);
  EXPECT_EQ(counts.counts[Category::Multiply], 2);
}

// A loop that is padded by instructions that never execute counts as one that
// is padded by NOPs: as many instructions and stalls, as few others, no work
// for a pipe.
TEST(LoopsTest, PaddingIsNoWork) {
  auto paddedBy = [](const std::string &padding) {
    return countsOf({".L_1:", "DMMA.16x8x8 R4, R8, R12, R4", padding, padding,
                     "LDS.64 R8, [R16]", padding, "@P0 BRA `(.L_1)", padding,
                     "EXIT"});
  };
  FunctionCounts nops = paddedBy("NOP");
  for (const char *padding :
       {"@!UPT UIADD3 URZ, UPT, UPT, URZ, URZ, URZ",
        "@!PT DMMA.16x8x8 R4, R8, R12, R4", "@!PT FFMA R4, R6, R8, R10",
        "@!PT BRA `(.L_1)"}) {
    SCOPED_TRACE(padding);
    FunctionCounts counts = paddedBy(padding);
    ASSERT_EQ(counts.loops.size(), 1u);
    const CodeCounts &loop = counts.main();
    EXPECT_EQ(loop.instructions, 6);
    EXPECT_EQ(loop.stallCycles, 6);
    EXPECT_EQ(loop[Category::Nop], 3);
    EXPECT_EQ(loop.othersPerMultiply(), 2);
    EXPECT_EQ(loop.byCategory, nops.main().byCategory);
    EXPECT_EQ(loop.busyCycles, nops.main().busyCycles);
    EXPECT_EQ(loop.bankConflicts, 0);
    EXPECT_EQ(counts.counts.byCategory, nops.counts.byCategory);
    EXPECT_EQ(counts.counts.busyCycles, nops.counts.busyCycles);
  }
}

TEST(LoopsTest, MainLoopMultipliesLongest) {
  FunctionCounts counts = countsOf(
      {".L_1:", "FFMA R4, R5, R6, R4", "FFMA R4, R5, R6, R4", "@P0 BRA `(.L_1)",
       ".L_2:", "HMMA.16816.F32 R4, R8, R12, R4", "@P0 BRA `(.L_2)",
       ".L_3:", "IADD3 R4, R4, R5, RZ", "@P0 BRA `(.L_3)", "EXIT"});
  ASSERT_EQ(counts.loops.size(), 3u);
  EXPECT_EQ(counts.mainLoop, 1u);
  EXPECT_EQ(counts.main().instructions, 2);
  // Copying multiplies nothing.
  counts = countsOf(
      {".L_1:", "IMAD.MOV.U32 R4, RZ, RZ, R5", "@P0 BRA `(.L_1)", "EXIT"});
  EXPECT_FALSE(counts.mainLoop);
  EXPECT_EQ(counts.counts.othersPerMultiply(),
            std::numeric_limits<double>::infinity());
}

TEST(BanksTest, Conflicts) {
  // Three sources of one bank; a third of the other; two in all.
  EXPECT_EQ(conflictsOf({"FFMA R1, R2, R4, R6", "EXIT"}), 1);
  EXPECT_EQ(conflictsOf({"FFMA R1, R3, R5, R7", "EXIT"}), 1);
  EXPECT_EQ(conflictsOf({"FFMA R1, R2, R4, R7", "EXIT"}), 0);
  EXPECT_EQ(conflictsOf({"FADD R1, R2, R4", "EXIT"}), 0);
  // Signs belong to the operand; constants, zero and uniform registers and
  // predicates are read elsewhere.
  EXPECT_EQ(conflictsOf({"FFMA R1, -R2, |R4|, R6", "EXIT"}), 1);
  EXPECT_EQ(conflictsOf({"FFMA R1, R2, c[0x0][0x28], R6", "EXIT"}), 0);
  EXPECT_EQ(conflictsOf({"IADD3 R1, R2, RZ, R6", "EXIT"}), 0);
  EXPECT_EQ(conflictsOf({"IADD3 R1, R2, UR4, R6", "EXIT"}), 0);
  EXPECT_EQ(conflictsOf({"IADD3 R1, P0, PT, R2, R4, R6", "EXIT"}), 1);
  // An operand in the reuse cache needs no bank, in the same slot only, and
  // only for the next instruction unless it is kept again.
  EXPECT_EQ(
      conflictsOf({"FFMA R1, R2.reuse, R5, R6", "FFMA R1, R2, R4, R6", "EXIT"}),
      0);
  EXPECT_EQ(
      conflictsOf({"FFMA R1, R5, R2.reuse, R6", "FFMA R1, R2, R4, R6", "EXIT"}),
      1);
  EXPECT_EQ(conflictsOf({"FFMA R1, R2.reuse, R5, R6", "FADD R1, R3, R5",
                         "FFMA R1, R2, R4, R6", "EXIT"}),
            1);
  // Wider operands lie in both banks.
  EXPECT_EQ(conflictsOf({"FFMA2 R10, R2, R4, R6", "EXIT"}), 0);
  EXPECT_EQ(conflictsOf({"DFMA R10, R2, R4, R6", "EXIT"}), 0);
}

TEST(CountTest, WholeListings) {
  for (const char *architecture :
       {"sm_75", "sm_80", "sm_90", "sm_100", "sm_120"}) {
    SCOPED_TRACE(architecture);
    Result<Listing> listing = parseListing(
        readInput(std::string("sum_") + architecture + ".sass"), "sum");
    ASSERT_TRUE(listing) << listing.error();
    Result<ModuleCounts> counts = count(*listing);
    ASSERT_TRUE(counts) << counts.error();
    const FunctionCounts &sum = counts->functions.at(0);
    EXPECT_EQ(sum.counts[Category::Other], 0);
    ASSERT_TRUE(sum.mainLoop);
    EXPECT_EQ(sum.main()[Category::Multiply], 1);
    EXPECT_EQ(sum.main()[Category::GlobalLoad], 1);
    EXPECT_EQ(sum.loops[*sum.mainLoop].multiply, "FFMA");
    // Behind EXIT stands a jump to itself, which nothing reaches.
    EXPECT_EQ(sum.loops.size(), 1u);
  }
}

TEST(CountTest, TargetOfListing) {
  Listing listing;
  listing.architecture = "sm_90a";
  Result<const model::Target *> target = targetOf(listing);
  ASSERT_TRUE(target);
  EXPECT_EQ((*target)->name, "sm_90");
  listing.architecture = "sm_61";
  target = targetOf(listing);
  ASSERT_FALSE(target);
  EXPECT_EQ(target.error().find("machine code for 'sm_61': unknown target "
                                "'sm_61'; known are sm_75"),
            0u)
      << target.error();
  EXPECT_FALSE(count(listing));
}

} // namespace
