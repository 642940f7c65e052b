//===- TraceTest.cpp - Tests of the way that warps take -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TimedListing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

using namespace tc;
using namespace tc::timing;
using namespace tc::timing::test;

namespace {

/// The number of times that the first warp runs through the basic block of an
/// instruction.
std::int64_t passes(const BlockTrace &trace, std::uint32_t instruction,
                    unsigned warp = 0) {
  for (std::uint32_t i = 0; i < trace.blocks.size(); ++i)
    if (instruction >= trace.blocks[i].begin &&
        instruction < trace.blocks[i].end)
      return std::count(trace.warps[warp].path.begin(),
                        trace.warps[warp].path.end(), i);
  return -1;
}

template <typename T> void addParameter(Launch &launch, T value) {
  std::vector<std::byte> &bytes = launch.parameters;
  bytes.resize(bytes.size() + sizeof(T));
  std::memcpy(bytes.data() + bytes.size() - sizeof(T), &value, sizeof(T));
}

std::string errorOf(const Lines &lines, const Launch &launch) {
  sass::Function function = functionOf(lines);
  Machine sm90 = machine();
  Result<sass::FunctionCounts> counts = sass::count(function, sm90.target);
  Result<BlockTrace> trace =
      traceBlock(function, *counts, launch, sm90, launch.blocks() / 2);
  return trace ? "" : trace.error();
}

const Lines countedLoop = {"MOV R0, RZ",
                           ".L_0:",
                           "FFMA R4, R4, R4, R4",
                           "IADD3 R0, R0, 0x1, RZ",
                           "ISETP.NE.AND P0, PT, R0, c[0x0][0x210], PT",
                           "@P0 BRA `(.L_0)",
                           "EXIT"};

TEST(TraceTest, LoopsRunAsOftenAsParametersSay) {
  Launch launch = block(32);
  addParameter(launch, 17);
  EXPECT_EQ(passes(traceOf(functionOf(countedLoop), launch), 1), 17);
}

TEST(TraceTest, LoopsThatDependOnData) {
  Lines lines = countedLoop;
  lines[4] = "ISETP.NE.AND P0, PT, R4, RZ, PT";
  EXPECT_EQ(errorOf(lines, block(32)),
            "the loop at 0x10 of 'kernel' goes on by what is not known when it "
            "is launched");
  // Those that multiply nothing are spins: they are left at once, and said.
  lines[2] = "LDG.E R4, [RZ]";
  BlockTrace trace = traceOf(functionOf(lines), block(32));
  EXPECT_EQ(passes(trace, 1), 1);
  EXPECT_EQ(trace.undecided, std::vector<std::uint32_t>{4});
}

TEST(TraceTest, LoopsThatNeverEnd) {
  Launch launch = block(32);
  launch.instructionLimit = 1000;
  EXPECT_EQ(errorOf({".L_0:", "NOP", "BRA `(.L_0)"}, launch),
            "a block of 'kernel' takes more than 1000 instructions, the most "
            "that are followed");
  EXPECT_EQ(errorOf({"NOP", "NOP"}, launch),
            "the code of 'kernel' ends without an exit");
  launch.grid[0] = 1;
  sass::Function function = functionOf({"EXIT"});
  Machine sm90 = machine();
  Result<sass::FunctionCounts> counts = sass::count(function, sm90.target);
  EXPECT_FALSE(traceBlock(function, *counts, launch, sm90, 1));
}

TEST(TraceTest, CallsThatLeaveLoops) {
  // As ptxas has it for sm_80: the call never returns.
  Lines lines = {"MOV R0, RZ",
                 ".L_0:",
                 "IADD3 R0, R0, 0x1, RZ",
                 "ISETP.NE.AND P0, PT, R0, 0x9, PT",
                 "@!P0 CALL.REL.NOINC `(.L_1)",
                 "BRA `(.L_0)",
                 ".L_1:",
                 "EXIT"};
  BlockTrace trace = traceOf(functionOf(lines), block(32));
  EXPECT_EQ(passes(trace, 1), 9);
  EXPECT_EQ(passes(trace, 5), 1);
  // And one that does.
  lines = {"CALL.REL.NOINC `(.L_0)", "NOP", "EXIT", ".L_0:", "NOP",
           "RET.REL.NODEC R4 0x0"};
  trace = traceOf(functionOf(lines), block(32));
  EXPECT_EQ(passes(trace, 1), 1);
  EXPECT_EQ(passes(trace, 3), 1);
}

TEST(TraceTest, WarpsAndLanesGoTheirWays) {
  // Warp 0 skips the NOP, warp 1 does not; of warp 2 half the lanes.
  Lines lines = {"S2R R0, SR_TID.X",
                 "ISETP.LT.U32.AND P0, PT, R0, 0x20, PT",
                 "ISETP.GE.U32.OR P0, PT, R0, 0x50, P0",
                 "@P0 BRA `(.L_0)",
                 "STS [RZ], R0",
                 ".L_0:",
                 "STS [RZ], R0",
                 "EXIT"};
  BlockTrace trace = traceOf(functionOf(lines), block(96));
  EXPECT_EQ(passes(trace, 4, 0), 0);
  EXPECT_EQ(passes(trace, 4, 1), 1);
  EXPECT_EQ(passes(trace, 4, 2), 1);
  for (unsigned warp = 0; warp < 3; ++warp)
    EXPECT_EQ(trace.warps[warp].accesses[5].active, 1u);
  // Lanes leave a loop one after the other, and meet behind it.
  lines = {"S2R R0, SR_LANEID",
           "MOV R1, RZ",
           ".L_0:",
           "IADD3 R1, R1, 0x1, RZ",
           "ISETP.LE.AND P0, PT, R1, R0, PT",
           "@P0 BRA `(.L_0)",
           "STS [RZ], R0",
           "EXIT"};
  trace = traceOf(functionOf(lines), block(32));
  EXPECT_EQ(passes(trace, 2), 32);
  EXPECT_EQ(trace.warps[0].accesses[5].executions, 1u);
}

TEST(TraceTest, AccessesAreCounted) {
  Lines lines = {"S2R R0, SR_TID.X",
                 "IMAD.SHL.U32 R2, R0, 0x4, RZ",
                 "IMAD.SHL.U32 R4, R0, 0x80, RZ",
                 "LDS R8, [R2]",
                 "LDS R8, [R4]",
                 "LDS.64 R8, [R2+R2]",
                 "IMAD.WIDE.U32 R6, R0, 0x8, RZ",
                 "LDG.E.64 R8, [R6.64]",
                 "@!PT LDG.E.64 R8, [R6.64]",
                 "IMAD.WIDE.U32 R6, R0, 0x100, RZ",
                 "LDG.E R8, desc[UR4][R6.64+0x20]",
                 "LDGSTS.E.BYPASS.128 [R4], desc[UR4][R6.64]",
                 "LDG.E R8, [R8.64]",
                 "ISETP.NE.AND P0, PT, RZ, RZ, PT",
                 "@P0 LDG.E.64 R8, [R6.64]",
                 "EXIT"};
  BlockTrace trace = traceOf(functionOf(lines), block(32));
  const std::vector<Accesses> &accesses = trace.warps[0].accesses;
  EXPECT_EQ(accesses[3].wavefronts, 1u);
  EXPECT_EQ(accesses[4].wavefronts, 32u);
  EXPECT_EQ(accesses[7].sectors, 8u);
  EXPECT_EQ(accesses[7].lines, 2u);
  // An instruction that never executes is padding, which accesses nothing.
  EXPECT_EQ(accesses[8].executions, 0u);
  EXPECT_EQ(accesses[8].sectors, 0u);
  // Under a predicate that does not hold this time, it is an access of no lane.
  EXPECT_EQ(accesses[14].executions, 1u);
  EXPECT_EQ(accesses[14].active, 0u);
  EXPECT_EQ(accesses[14].sectors, 0u);
  EXPECT_EQ(accesses[10].sectors, 32u);
  EXPECT_EQ(accesses[10].lines, 32u);
  // Eight lanes at a time are in the same bank.
  EXPECT_EQ(accesses[11].wavefronts, 32u);
  EXPECT_EQ(accesses[11].sectors, 32u);
  // Loaded values are not known: a contiguous access is assumed.
  EXPECT_EQ(accesses[12].sectors, 4u);
  EXPECT_EQ(trace.unknownAccesses, 2u);
}

TEST(TraceTest, PairsOfLanesShareWavefronts) {
  // Lanes 2i and 2i + 1, or i and i + 2, load the same 8 bytes, or lanes i and
  // i + 16.
  Lines lines = {"S2R R0, SR_TID.X",
                 "SHF.R.U32.HI R2, RZ, 0x1, R0",
                 "LOP3.LUT R4, R2, 0xe, RZ, 0xc0, !PT",
                 "LOP3.LUT R3, R0, 0x1, R4, 0xea, !PT",
                 "LOP3.LUT R4, R0, 0xf, RZ, 0xc0, !PT",
                 "LDS.64 R8, [R2.X8]",
                 "LDS.64 R8, [R3.X8]",
                 "LDS.64 R8, [R4.X8]",
                 "STS.64 [R2.X8], R8",
                 "LDS R8, [R2.X4]",
                 "EXIT"};
  sass::Function function = functionOf(lines);
  Machine sm75 = machineOf(**model::findTarget("sm_75"));
  Result<sass::FunctionCounts> counts = sass::count(function, sm75.target);
  Result<BlockTrace> trace =
      traceBlock(function, *counts, block(32), sm75, /*block=*/0);
  ASSERT_TRUE(trace) << trace.error();
  BlockTrace other = traceOf(function, block(32));
  const std::uint64_t packed[] = {1, 1, 2, 2, 1};
  const std::uint64_t apart[] = {2, 2, 2, 2, 1};
  for (unsigned i = 0; i < std::size(packed); ++i) {
    EXPECT_EQ(trace->warps[0].accesses[5 + i].wavefronts, packed[i]) << i;
    EXPECT_EQ(other.warps[0].accesses[5 + i].wavefronts, apart[i]) << i;
  }
}

TEST(TraceTest, MatricesHaveTheirRows) {
  Lines lines = {"S2R R0, SR_TID.X",
                 "IMAD.SHL.U32 R2, R0, 0x10, RZ",
                 "LDSM.16.M88.4 R4, [R2]",
                 "IMAD.SHL.U32 R2, R0, 0x80, RZ",
                 "LDSM.16.M88.4 R4, [R2]",
                 "LDSM.16.M88.2 R4, [R2]",
                 "EXIT"};
  BlockTrace trace = traceOf(functionOf(lines), block(32));
  EXPECT_EQ(trace.warps[0].accesses[2].wavefronts, 4u);
  EXPECT_EQ(trace.warps[0].accesses[4].wavefronts, 32u);
  EXPECT_EQ(trace.warps[0].accesses[5].wavefronts, 16u);
}

TEST(TraceTest, TranslationsThatAreNotKept) {
  // Lanes are 2 MiB apart, or 64 KiB, and each load is done twice.
  Lines lines = {"S2R R0, SR_TID.X",
                 "IMAD.WIDE.U32 R2, R0, 0x200000, RZ",
                 "IMAD.WIDE.U32 R4, R0, 0x10000, RZ",
                 "LDG.E.SYS R8, [R2]",
                 "LDG.E.SYS R8, [R2]",
                 "LDG.E.SYS R8, [R4]",
                 "LDG.E.SYS R8, [R4]",
                 "EXIT"};
  sass::Function function = functionOf(lines);
  model::Target target = **model::findTarget("sm_75");
  target.computeCapability = 70;
  Machine sm70 = machineOf(target);
  sm70.translationCycles = 12;
  Result<sass::FunctionCounts> counts = sass::count(function, target);
  auto translationsOf = [&](std::size_t entries) {
    Result<BlockTrace> trace =
        traceBlock(function, *counts, block(32), sm70, /*block=*/0);
    std::vector<double> result;
    countTranslations(*trace, entries);
    for (unsigned i = 3; i < 7; ++i)
      result.push_back(trace->warps[0].accesses[i].translations);
    return result;
  };
  EXPECT_EQ(translationsOf(16), (std::vector<double>{32, 32, 1, 0}));
  EXPECT_EQ(translationsOf(32), (std::vector<double>{32, 0, 0, 0}));
  // Translations take time.
  Result<BlockTrace> trace =
      traceBlock(function, *counts, block(32), sm70, /*block=*/0);
  auto cyclesOf = [&] {
    return simulate(function, *trace, sm70, 1, 1, 1, 0)->cycles;
  };
  double without = cyclesOf();
  countTranslations(*trace, 16);
  double cycles = cyclesOf() - without;
  EXPECT_LE(cycles, 65 * sm70.translationCycles);
  EXPECT_GE(cycles, 60 * sm70.translationCycles);
}

TEST(TraceTest, WhatBlocksShare) {
  // All blocks load the same 4 KiB, or each its own.
  Lines lines = {"S2R R0, SR_TID.X", "S2R R1, SR_CTAID.X",
                 "IMAD.WIDE.U32 R2, R0, 0x10, RZ", "LDG.E.128 R4, [R2.64]",
                 "EXIT"};
  Launch launch = block(256);
  launch.grid[0] = 8;
  EXPECT_EQ(distinctPart(functionOf(lines), launch, machine(), 0, 8), 1 / 8.0);
  lines[2] = "IMAD R0, R1, 0x100, R0";
  lines.insert(lines.begin() + 3, Line("IMAD.WIDE.U32 R2, R0, 0x10, RZ"));
  EXPECT_EQ(distinctPart(functionOf(lines), launch, machine(), 0, 8), 1);
  EXPECT_EQ(distinctPart(functionOf({"EXIT"}), launch, machine(), 0, 8), 1);
}

} // namespace
