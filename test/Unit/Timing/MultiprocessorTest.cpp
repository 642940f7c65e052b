//===- MultiprocessorTest.cpp - Tests of issue, pipes and waiting ---------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Listings whose cycles have closed forms. A run ends one cycle after the last
// exit is issued.
//
//===----------------------------------------------------------------------===//

#include "TimedListing.h"

#include <gtest/gtest.h>

#include <numeric>

using namespace tc;
using namespace tc::timing;
using namespace tc::timing::test;

namespace {

const Lines ending = {"EXIT"};
/// Reads no register bank, so that stall counts and pipes alone matter.
const char *const ffma = "FFMA R0, RZ, RZ, RZ";

TEST(MultiprocessorTest, StallCountsAddUp) {
  // A chain of n dependent FFMA, four cycles each.
  for (unsigned n : {1u, 7u, 100u}) {
    timing::Run run = runOf(times(n, Line(ffma, 4)) + ending);
    EXPECT_EQ(run.cycles, 4 * n + 1);
    EXPECT_EQ(run.instructions, n + 1);
    // One of four sub-cores issues.
    EXPECT_EQ(spentOn(run, Spent::Issue), (n + 1) / 4.0);
    EXPECT_EQ(spentOn(run, Spent::Stall), 3 * n / 4.0);
    EXPECT_EQ(busyOf(run, Unit::FMA), n / 4.0);
  }
}

// An instruction that never executes is issued and stalls as a NOP does, and
// does nothing else: it takes no pipe, meets nobody at a barrier, and ends no
// warp.
TEST(MultiprocessorTest, PaddingTakesSlots) {
  for (const char *text :
       {"NOP", "@!UPT UIADD3 URZ, UPT, UPT, URZ, URZ, URZ",
        "@!PT DMMA.16x8x16 R0, R4, R8, R0", "@!PT LDS.128 R4, [RZ]",
        "@!PT LDG.E R4, [R2.64]", "@!PT BAR.SYNC 0x0", "@!PT EXIT",
        "@!PT LDGDEPBAR", "@!PT DEPBAR.LE SB0, 0x0"}) {
    SCOPED_TRACE(text);
    constexpr unsigned n = 40;
    timing::Run run = runOf(Lines{{ffma, 1}} + times(n, Line(text, 3)) +
                            Lines{{ffma, 1}} + ending);
    EXPECT_EQ(run.instructions, n + 3);
    EXPECT_EQ(run.cycles, 3 * n + 3);
    EXPECT_EQ(spentOn(run, Spent::Issue), (n + 3) / 4.0);
    EXPECT_EQ(spentOn(run, Spent::Stall), 2 * n / 4.0);
    EXPECT_EQ(busyOf(run, Unit::FMA), 2 / 4.0);
    for (Unit unit : {Unit::Tensor, Unit::Shared, Unit::L2, Unit::DRAM})
      EXPECT_EQ(busyOf(run, unit), 0);
  }
}

TEST(MultiprocessorTest, SlotsAreSpentOnSomething) {
  timing::Run run = runOf(
      times(50, Line(ffma, 4)) + times(20, "LDS R4, [RZ]") + ending, block(96));
  EXPECT_NEAR(std::accumulate(run.spent.begin(), run.spent.end(), 0.0),
              run.cycles, 1e-9);
}

TEST(MultiprocessorTest, PipesLimit) {
  // DMMA.16x8x4 keeps the tensor pipe of sm_90 for 16 cycles, and 8x8x4, which
  // has half the rate there, as well; 16x8x16 for 64.
  const std::pair<const char *, double> cases[] = {
      {"DMMA.16x8x4 R0, R4, R8, R0", 16},
      {"DMMA.8x8x4 R0, R4, R8, R0", 16},
      {"DMMA.16x8x16 R0, R4, R8, R0", 64},
      {"IADD3 R0, RZ, RZ, RZ", 2},
  };
  for (const auto &[text, busy] : cases) {
    constexpr unsigned n = 40;
    timing::Run run = runOf(times(n, text) + ending);
    EXPECT_EQ(run.cycles, busy * (n - 1) + 2) << text;
  }
  timing::Run run = runOf(times(40, "DMMA.16x8x4 R0, R4, R8, R0") + ending);
  EXPECT_EQ(busyOf(run, Unit::Tensor), 16 * 40 / 4.0);
  EXPECT_EQ(spentOn(run, Spent::Tensor), 15 * 39 / 4.0);
}

TEST(MultiprocessorTest, PipesGoOnWithinACycle) {
  // HMMA.16816.F32 takes 2048 multiply-adds over 62.9% of 512 a cycle.
  constexpr double busy = 2048 / (512 * 0.653);
  constexpr unsigned n = 1000;
  double cycles = cyclesOf(times(n, "HMMA.16816.F32 R0, R4, R8, R0") + ending);
  EXPECT_NEAR(cycles, busy * n, busy + 2);
}

TEST(MultiprocessorTest, WarpsOfASubcoreInterleave) {
  // Warps 0 and 4 share sub-core 0: each issues in the other's stall.
  constexpr unsigned n = 30;
  // The exits have a pipe that takes two cycles for each.
  EXPECT_EQ(cyclesOf(times(n, Line(ffma, 4)) + ending, block(160)), 4 * n + 3);
  // With nothing to fill, they take turns.
  EXPECT_EQ(cyclesOf(times(n, ffma) + ending, block(160)), 2 * n + 2);
  // Four warps on four sub-cores do not disturb one another.
  EXPECT_EQ(cyclesOf(times(n, ffma) + ending, block(128)), n + 1);
}

TEST(MultiprocessorTest, PipesAreSharedByWarps) {
  constexpr unsigned n = 30;
  Lines lines = times(n, "DMMA.16x8x4 R0, R4, R8, R0") + ending;
  EXPECT_EQ(cyclesOf(lines, block(160)), 16 * (2 * n - 1) + 2);
}

TEST(MultiprocessorTest, TheSameWarpGoesFirstUnlessItYields) {
  // Warps 0 and 4: the youngest begins, and goes on to its end.
  sass::Function greedy = functionOf(times(8, ffma) + ending);
  Timeline timeline;
  timeline.end = 100;
  BlockTrace trace = traceOf(greedy, block(160));
  ASSERT_TRUE(simulate(greedy, trace, machine(), 1, 1, 1, 0, &timeline));
  EXPECT_EQ(timeline.issue.size(), 18u);
  // Three FFMA that yield, then one that waits for a load: if the warps take
  // turns, both loads are issued early, and their latencies overlap.
  Lines lines = {Line("LDS R4, [RZ]").writes(0)};
  lines = times(20, Line(ffma)) + lines + Lines{Line(ffma).awaits(0)} + ending;
  double withoutTurns = cyclesOf(lines, block(160));
  for (Line &line : lines)
    line.yields();
  double withTurns = cyclesOf(lines, block(160));
  EXPECT_LT(withoutTurns, withTurns);
}

TEST(MultiprocessorTest, ScoreboardsOfSharedMemory) {
  // 29 cycles, and one more for each further wavefront.
  auto waits = [](const char *load) {
    return Lines{Line("S2R R0, SR_TID.X").writes(0),
                 Line("IMAD.SHL.U32 R2, R0, 0x10, RZ").awaits(0),
                 Line(load).writes(1), Line(ffma).awaits(1)} +
           ending;
  };
  double first =
      cyclesOf({Line("S2R R0, SR_TID.X").writes(0),
                Line("IMAD.SHL.U32 R2, R0, 0x10, RZ").awaits(0), "EXIT"});
  timing::Run run = runOf(waits("LDS R4, [RZ]"));
  EXPECT_EQ(run.cycles - first, 29 + 1);
  EXPECT_EQ(spentOn(run, Spent::Shared), 28 / 4.0);
  EXPECT_EQ(cyclesOf(waits("LDS.128 R4, [R2]")) - first, 32 + 1);
  // Every fourth bank: eight lanes meet in each of eight.
  EXPECT_EQ(cyclesOf(waits("LDS R4, [R2]")) - first, 29 + 3 + 1);
  // A scoreboard until the operands are read is clear sooner.
  EXPECT_EQ(
      cyclesOf({Line("LDS R4, [RZ]").reads(0), Line(ffma).awaits(0), "EXIT"}),
      1 + 10 + 2);
}

TEST(MultiprocessorTest, SharedMemoryServesAWavefrontACycle) {
  auto loads = [](unsigned n) {
    return Lines{Line("S2R R0, SR_TID.X").writes(0),
                 Line("IMAD.SHL.U32 R2, R0, 0x10, RZ").awaits(0)} +
           times(n, "LDS.128 R4, [R2]") + ending;
  };
  // Four wavefronts each, of four warps on four sub-cores.
  EXPECT_EQ(cyclesOf(loads(100), block(128)) - cyclesOf(loads(50), block(128)),
            50 * 4 * 4);
  timing::Run run = runOf(loads(100), block(128));
  EXPECT_EQ(busyOf(run, Unit::Shared), 100 * 4 * 4);
  EXPECT_GT(spentOn(run, Spent::Queue), 0.9 * run.cycles);
}

TEST(MultiprocessorTest, AddressesTakeFourCycles) {
  auto loads = [](unsigned n) { return times(n, "LDS R4, [RZ]") + ending; };
  EXPECT_EQ(cyclesOf(loads(60)) - cyclesOf(loads(20)), 40 * 4);
  // Nothing is done if the guard holds in no lane.
  auto none = [](unsigned n) { return times(n, "@!PT LDS R4, [RZ]") + ending; };
  EXPECT_EQ(cyclesOf(none(60)) - cyclesOf(none(20)), 40);
}

TEST(MultiprocessorTest, RegisterBanks) {
  auto cycles = [](const char *text) {
    return cyclesOf(times(90, text) + ending) -
           cyclesOf(times(30, text) + ending);
  };
  // One register of a bank a cycle.
  EXPECT_EQ(cycles("FFMA R1, R2, R4, R6"), 3 * 60);
  EXPECT_EQ(cycles("FFMA R1, R2, R3, R4"), 2 * 60);
  EXPECT_EQ(cycles("FFMA R1, R2, R3, RZ"), 60);
  // The reuse cache reads none.
  EXPECT_EQ(cycles("FFMA R1, R2.reuse, R3, R4"), 60);
}

TEST(MultiprocessorTest, ReuseIsLostToOtherWarps) {
  auto cycles = [](bool yields) {
    Line line("FFMA R1, R2.reuse, R3, R4");
    if (yields)
      line.yields();
    return cyclesOf(times(90, line) + ending, block(160)) -
           cyclesOf(times(30, line) + ending, block(160));
  };
  EXPECT_EQ(cycles(false), 2 * 60);
  EXPECT_EQ(cycles(true), 2 * 2 * 60);
}

TEST(MultiprocessorTest, ScoreboardsCount) {
  // Results of the tensor pipe come 10 cycles after its 16.
  Lines products = times(8, Line("DMMA.16x8x4 R0, R4, R8, R0").writes(5));
  EXPECT_EQ(cyclesOf(products + Lines{Line("EXIT").awaits(5)}),
            16 * 7 + 26 + 1);
  // All but the last three.
  EXPECT_EQ(cyclesOf(products + Lines{"DEPBAR.LE SB5, 0x3", "EXIT"}),
            16 * 7 + 1 + 2);
  EXPECT_EQ(cyclesOf(products + Lines{"DEPBAR.LE SB5, 0x1", "EXIT"}),
            16 * 6 + 26 + 2);
}

TEST(MultiprocessorTest, GlobalMemory) {
  Lines load = {Line("LDG.E R4, [RZ]").writes(0), Line(ffma).awaits(0), "EXIT"};
  // One sector, from the L2 cache or from DRAM.
  EXPECT_EQ(cyclesOf(load), 1 + 265 + 2);
  EXPECT_EQ(cyclesOf(load, block(32), 1), 1 + 650 + 2);
  timing::Run run = runOf(load);
  EXPECT_EQ(spentOn(run, Spent::Global), 265 / 4.0);
  // 512 bytes a warp at 64 a cycle.
  auto loads = [](unsigned n) {
    return Lines{Line("S2R R0, SR_TID.X").writes(0),
                 Line("IMAD.WIDE.U32 R2, R0, 0x10, RZ").awaits(0)} +
           times(n, "LDG.E.128 R4, [R2.64]") + ending;
  };
  // Looking up one of its four lines takes as long as 42 bytes for all.
  const double lookup = 42 / (9.7e12 / 1.98e9);
  EXPECT_NEAR(cyclesOf(loads(60)) - cyclesOf(loads(20)), 40 * (8 + 4 * lookup),
              1e-9);
  EXPECT_NEAR(busyOf(runOf(loads(60)), Unit::L2), 60 * (8 + 4 * lookup), 1e-9);
}

// Each of two stores asks the L2 cache for 16 sectors, and has a half of each.
// DRAM gets whole sectors, once.
TEST(MultiprocessorTest, StoresThatShareSectors) {
  Lines lines = {Line("S2R R0, SR_TID.X").writes(0),
                 Line("IMAD.WIDE.U32 R2, R0, 0x10, RZ").awaits(0),
                 "STG.E.64 [R2.64], R4", "STG.E.64 [R2.64+0x8], R4", "EXIT"};
  timing::Run run = runOf(lines);
  // Requests for four lines, and the sectors.
  EXPECT_EQ(busyOf(run, Unit::L2), 2 * (4 + 16));
  EXPECT_EQ(busyOf(run, Unit::DRAM), 16 * 32 / 64.0);
}

TEST(MultiprocessorTest, AsynchronousCopies) {
  Lines lines = {"LDGSTS.E.BYPASS.128 [RZ], desc[UR4][RZ.64]",
                 Line("LDGDEPBAR").writes(0), "DEPBAR.LE SB0, 0x0", "EXIT"};
  EXPECT_EQ(cyclesOf(lines), 1 + 265 + 2);
  // A second group need not have come.
  lines = {"LDGSTS.E.BYPASS.128 [RZ], desc[UR4][RZ.64]",
           Line("LDGDEPBAR").writes(0),
           Line("LDGSTS.E.BYPASS.128 [RZ], desc[UR4][RZ.64]", 15),
           Line("LDGDEPBAR").writes(0),
           "DEPBAR.LE SB0, 0x1",
           "EXIT"};
  sass::Function function = functionOf(lines);
  EXPECT_EQ(spentOn(runOf(lines), Spent::Global), (1 + 265 - 18) / 4.0);
}

TEST(MultiprocessorTest, Barriers) {
  Lines lines = {"BAR.SYNC.DEFER_BLOCKING 0x0", ffma, "EXIT"};
  double latency = machine().barrierLatency;
  EXPECT_EQ(latency, 31);
  EXPECT_EQ(cyclesOf(lines), latency + 2);
  // Two warps of a sub-core arrive one after the other.
  timing::Run run = runOf(lines, block(160));
  EXPECT_EQ(run.cycles, 1 + latency + 4);
  EXPECT_GT(spentOn(run, Spent::Barrier), 0.5 * run.cycles);
  // Warps that have ended are not waited for: the first warp ends at once.
  lines = {Line("S2R R0, SR_TID.X").writes(0),
           Line("ISETP.LT.U32.AND P0, PT, R0, 0x20, PT", 13).awaits(0),
           Line("@P0 EXIT", 5), "BAR.SYNC.DEFER_BLOCKING 0x0", "EXIT"};
  EXPECT_LT(cyclesOf(lines, block(64)), 100);
}

TEST(MultiprocessorTest, WarpsThatWaitForEver) {
  // Two warps are expected, and there is one.
  sass::Function function = functionOf({"BAR.SYNC 0x1, 0x40", "EXIT"});
  BlockTrace trace = traceOf(function, block(32));
  Result<timing::Run> run = simulate(function, trace, machine(), 1, 1, 1, 0);
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error(),
            "'kernel': warps of a block wait for one another for ever");
}

TEST(MultiprocessorTest, CodeIsFetchedOnce) {
  // A line has eight instructions, and the four behind it are fetched with it.
  // The sixth is asked for when the second comes next, seven cycles after the
  // first has begun: five lines take a latency and these.
  Machine cold = machineOf(**model::findTarget("sm_90"));
  EXPECT_EQ(cold.fetchLatency, 265);
  constexpr unsigned lines = 41;
  sass::Function function = functionOf(times(8 * lines - 1, ffma) + ending);
  BlockTrace trace = traceOf(function, block(32));
  auto run = [&](unsigned blocks) {
    return *simulate(function, trace, cold, blocks, 1, 1, 0);
  };
  EXPECT_EQ(run(1).cycles, 265 + (lines - 1) / 5 * (265 + 7) + 8);
  // All cycles of one sub-core without an issue, those of the first latency
  // included.
  EXPECT_EQ(spentOn(run(1), Spent::Fetch), (run(1).cycles - 8 * lines) / 4);
  // A second block finds all of it.
  EXPECT_EQ(run(2).cycles - run(1).cycles, 8 * lines);
}

TEST(MultiprocessorTest, BlocksFollowOneAnother) {
  constexpr unsigned n = 25;
  sass::Function function = functionOf(times(n, Line(ffma, 4)) + ending);
  BlockTrace trace = traceOf(function, block(32));
  auto cycles = [&](unsigned blocks, unsigned atOnce) {
    Result<timing::Run> run =
        simulate(function, trace, machine(), blocks, atOnce, 1, 0);
    return run ? run->cycles : 0;
  };
  EXPECT_EQ(cycles(3, 1), 3 * (4 * n + 1));
  EXPECT_EQ(cycles(4, 4), 4 * n + 1);
  EXPECT_EQ(cycles(8, 4), 2 * (4 * n + 1));
}

} // namespace
