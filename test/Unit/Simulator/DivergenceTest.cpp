//===- DivergenceTest.cpp - Control flow, barriers, limits ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads that go different ways, and instructions that they must execute
// together.
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"

#include <numeric>

using namespace tc;
using namespace tc::sim;
using namespace tc::sim::test;

/// Runs a body that computes %r0 from %tid and stores it for each thread.
static std::vector<std::uint32_t> run(const std::string &body,
                                      std::uint32_t threads,
                                      Counters *counters = nullptr) {
  std::vector<std::uint32_t> out(threads, 0xdead);
  std::string text = kernel(".param .u64 out", R"(
    .reg .b32 %r<9>, %tid; .reg .b64 %rd<3>; .reg .pred %p<4>;
    .shared .align 4 .b8 tile[4096];
    mov.u32 %tid, %tid.x;
    ld.param.u64 %rd0, [out];
    mad.wide.u32 %rd1, %tid, 4, %rd0;
  )" + body + R"(
    STORE: st.global.u32 [%rd1], %r0;
    ret;
  )");
  LaunchConfig config;
  config.block = {threads, 1, 1};
  Result<Counters> result = runText(text, config, {bufferOf(out, "out")},
                                    {KernelArgument::address(0)});
  EXPECT_TRUE(result) << (result ? "" : result.error());
  if (result && counters != nullptr)
    *counters = *result;
  return out;
}

TEST(Divergence, IfElse) {
  std::vector<std::uint32_t> out = run(R"(
    setp.lt.u32 %p0, %tid, 10;
    @%p0 bra THEN;
    mov.u32 %r0, 200;
    bra JOIN;
    THEN: mov.u32 %r0, 100;
    JOIN: add.u32 %r0, %r0, %tid;
  )",
                                       64);
  for (std::uint32_t t = 0; t < 64; ++t)
    EXPECT_EQ(out[t], (t < 10 ? 100 : 200) + t);
}

TEST(Divergence, SidesMeetAgain) {
  Counters counters;
  run(R"(
    and.b32 %r1, %tid, 1;
    setp.eq.u32 %p0, %r1, 0;
    @%p0 bra EVEN;
    mov.u32 %r0, 1;
    bra JOIN;
    EVEN: mov.u32 %r0, 2;
    JOIN: add.u32 %r0, %r0, 1;
  )",
      32, &counters);
  // After the join the warp goes on as one: the store is issued once.
  EXPECT_EQ(counters[InstructionKind::StoreGlobal], 1u);
  EXPECT_EQ(counters.buffers[0].storeSectors, 4u);
  // 3 to begin, 3 up to the branch, 2 + 1 for the auxiliaries, 3 from the join
  // on.
  EXPECT_EQ(counters.warpInstructions, 12u);
  // Half of the threads take the branch, and each side is half of them.
  EXPECT_EQ(counters.threadInstructions, 8 * 32u + 16u + 3 * 16u);
}

TEST(Divergence, GuardsMaskWrites) {
  std::vector<std::uint32_t> out = run(R"(
    setp.lt.u32 %p0, %tid, 5;
    mov.u32 %r0, 1;
    @%p0 mov.u32 %r0, 2;
    @!%p0 add.u32 %r0, %r0, 10;
  )",
                                       32);
  for (std::uint32_t t = 0; t < 32; ++t)
    EXPECT_EQ(out[t], t < 5 ? 2u : 11u);
}

TEST(Divergence, GuardedWritesKeepTheOldValueAlive) {
  // Behind its last use in the loop %r4 waits for the next iteration, in the
  // threads that the guard excludes.
  std::vector<std::uint32_t> out = run(R"(
    mov.u32 %r4, 5;
    mov.u32 %r1, 0;
    mov.u32 %r0, 0;
    setp.lt.u32 %p0, %tid, 5;
    LOOP:
    @%p0 mov.u32 %r4, 7;
    add.u32 %r0, %r0, %r4;
    add.u32 %r2, %r1, 100;
    xor.b32 %r3, %r2, 1;
    sub.u32 %r2, %r3, %r2;
    and.b32 %r2, %r2, 0;
    add.u32 %r1, %r1, 1;
    add.u32 %r1, %r1, %r2;
    setp.lt.u32 %p1, %r1, 10;
    @%p1 bra LOOP;
  )",
                                       32);
  for (std::uint32_t t = 0; t < 32; ++t)
    EXPECT_EQ(out[t], t < 5 ? 70u : 50u);
}

TEST(Divergence, LoopsOfDifferentTripCounts) {
  std::vector<std::uint32_t> out = run(R"(
    mov.u32 %r0, 0;
    mov.u32 %r1, 0;
    LOOP:
    setp.ge.u32 %p0, %r1, %tid;
    @%p0 bra STORE;
    add.u32 %r1, %r1, 1;
    add.u32 %r0, %r0, %r1;
    bra LOOP;
  )",
                                       100);
  for (std::uint32_t t = 0; t < 100; ++t)
    EXPECT_EQ(out[t], t * (t + 1) / 2);
}

TEST(Divergence, NestedLoopsWithBreaks) {
  // for (i = 0; i < tid; ++i) for (j = 0;; ++j) { if (j == i % 3) break; ++r; }
  std::vector<std::uint32_t> out = run(R"(
    mov.u32 %r0, 0;
    mov.u32 %r1, 0;
    OUTER:
    setp.ge.u32 %p0, %r1, %tid;
    @%p0 bra STORE;
    mov.u32 %r2, 0;
    rem.u32 %r3, %r1, 3;
    INNER:
    setp.eq.u32 %p1, %r2, %r3;
    @%p1 bra NEXT;
    add.u32 %r0, %r0, 1;
    add.u32 %r2, %r2, 1;
    bra INNER;
    NEXT:
    add.u32 %r1, %r1, 1;
    bra OUTER;
  )",
                                       70);
  for (std::uint32_t t = 0; t < 70; ++t) {
    std::uint32_t wanted = 0;
    for (std::uint32_t i = 0; i < t; ++i)
      wanted += i % 3;
    EXPECT_EQ(out[t], wanted);
  }
}

TEST(Divergence, EarlyExit) {
  std::vector<std::uint32_t> out = run(R"(
    setp.ge.u32 %p0, %tid, 20;
    @%p0 ret;
    mov.u32 %r0, 7;
    setp.eq.u32 %p1, %tid, 3;
    @!%p1 bra STORE;
    exit;
  )",
                                       64);
  for (std::uint32_t t = 0; t < 64; ++t)
    EXPECT_EQ(out[t], t < 20 && t != 3 ? 7u : 0xdeadu);
}

TEST(Divergence, IrreducibleFlow) {
  // Two entries into one cycle.
  std::vector<std::uint32_t> out = run(R"(
    mov.u32 %r0, 0;
    and.b32 %r1, %tid, 1;
    setp.eq.u32 %p0, %r1, 0;
    @%p0 bra B;
    A: add.u32 %r0, %r0, 1;
    B: add.u32 %r0, %r0, 10;
    setp.lt.u32 %p1, %r0, 40;
    @%p1 bra A;
  )",
                                       32);
  for (std::uint32_t t = 0; t < 32; ++t)
    EXPECT_EQ(out[t], t % 2 == 0 ? 43u : 44u);
}

TEST(Barrier, OrdersWarps) {
  // Each thread reads what the thread at the other end wrote.
  Counters counters;
  std::vector<std::uint32_t> out = run(R"(
    mov.u32 %r1, tile;
    mad.lo.u32 %r2, %tid, 4, %r1;
    st.shared.u32 [%r2], %tid;
    bar.sync 0;
    sub.u32 %r3, 255, %tid;
    mad.lo.u32 %r2, %r3, 4, %r1;
    ld.shared.u32 %r0, [%r2];
    barrier.sync.aligned 1;
  )",
                                       256, &counters);
  for (std::uint32_t t = 0; t < 256; ++t)
    EXPECT_EQ(out[t], 255 - t);
  EXPECT_EQ(counters.barriers, 2u);
  EXPECT_EQ(counters[InstructionKind::Barrier], 16u);
}

TEST(Barrier, OfSomeWarps) {
  std::vector<std::uint32_t> out = run(R"(
    mov.u32 %r0, 1;
    setp.ge.u32 %p0, %tid, 64;
    @%p0 bra STORE;
    bar.sync 3, 64;
    mov.u32 %r0, 2;
  )",
                                       96);
  EXPECT_EQ(out[63], 2u);
  EXPECT_EQ(out[64], 1u);
}

/// The error of a body with one instruction a line, from line 6 on.
static std::string fault(const std::string &body, std::uint32_t threads,
                         std::uint64_t limit = 100000) {
  std::string text = kernel("", ".reg .b32 %r<9>; .reg .pred %p<4>;\n" + body);
  LaunchConfig config;
  config.block = {threads, 1, 1};
  config.instructionLimit = limit;
  Result<Counters> result = runText(text, config, {}, {});
  return result ? "" : result.error();
}

TEST(Limits, ABlockThatNeverEndsRunsOutOfTime) {
  LaunchConfig config;
  config.block = {64, 1, 1};
  config.grid = {2, 1, 1};
  config.blocks = {1};
  config.secondsPerBlock = 0.05;
  Result<Counters> result =
      runText(kernel("", ".reg .b32 %r<2>;\nmov.u32 %r0, 0;\n"
                         "L: add.u32 %r0, %r0, 1;\nbra L;\n"),
              config, {}, {});
  ASSERT_FALSE(result);
  // Either instruction of the loop may be the one.
  std::string place = result.error().substr(0, 8);
  EXPECT_TRUE(place == "k.ptx:7:" || place == "k.ptx:8:") << result.error();
  EXPECT_NE(result.error().find("the block has reached the limit of 0.05 s in"),
            std::string::npos)
      << result.error();
  EXPECT_NE(result.error().find("block (1,0,0), thread (0,0,0)"),
            std::string::npos)
      << result.error();
}

TEST(Barrier, InDivergentCode) {
  EXPECT_EQ(fault("mov.u32 %r0, %tid.x;\n"
                  "setp.lt.u32 %p0, %r0, 3;\n"
                  "@%p0 bar.sync 0;\n",
                  32),
            "k.ptx:8: barrier in divergent code: not all threads of the warp "
            "have come here together in 'bar.sync 0', block (0,0,0), thread "
            "(3,0,0)");
}

TEST(Barrier, WithThreadsThatExited) {
  std::string early = "mov.u32 %r0, %tid.x;\n"
                      "setp.ge.u32 %p0, %r0, 40;\n"
                      "@%p0 exit;\n"
                      "bar.sync 0;\n";
  EXPECT_EQ(fault(early, 64),
            "k.ptx:9: deadlock at the barrier: 40 threads wait, it takes 64, "
            "and 24 have exited in 'bar.sync 0', block (0,0,0), thread "
            "(0,0,0)");
  EXPECT_EQ(fault(early, 40), "");
}

TEST(Barrier, DifferentBarriersDeadlock) {
  std::string error = fault("mov.u32 %r0, %tid.x;\n"
                            "setp.ge.u32 %p0, %r0, 32;\n"
                            "@%p0 bra B;\n"
                            "bar.sync 0;\n"
                            "ret;\n"
                            "B: bar.sync 1;\n",
                            64);
  EXPECT_NE(error.find("k.ptx:9: deadlock"), std::string::npos) << error;
}

TEST(Barrier, WarpSync) {
  EXPECT_EQ(fault("bar.warp.sync 0xffffffff;\n", 32), "");
  std::string error = fault("bar.warp.sync 0xffffffff;\n", 20);
  EXPECT_NE(error.find("k.ptx:6: "), std::string::npos) << error;
}

TEST(Limit, EndlessLoop) {
  EXPECT_EQ(fault("L: bra L;\n", 32, 1000),
            "k.ptx:6: the warp has reached the limit of 1000 instructions in "
            "'bra L', block (0,0,0), thread (0,0,0)");
}

TEST(Limit, EndlessLoopOfSomeThreads) {
  std::string error = fault("mov.u32 %r0, %tid.x;\n"
                            "setp.eq.u32 %p0, %r0, 5;\n"
                            "L: @%p0 bra L;\n",
                            32, 1000);
  EXPECT_NE(error.find("k.ptx:8: the warp has reached the limit"),
            std::string::npos)
      << error;
  EXPECT_NE(error.find("thread (5,0,0)"), std::string::npos) << error;
}

TEST(Trap, IsAnError) {
  EXPECT_EQ(fault("trap;\n", 1),
            "k.ptx:6: trap in 'trap', block (0,0,0), thread (0,0,0)");
}
