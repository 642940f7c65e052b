//===- BlockSyncTest.cpp - Order between the blocks of a grid -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks leave values, and the last one adds them up. The operations that order
// this are taken away piece by piece.
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"

#include <gtest/gtest.h>

using namespace tc;
using namespace tc::sim;
using namespace tc::sim::test;

namespace {

constexpr std::uint32_t blocks = 3, threads = 64;
constexpr std::uint32_t firstPart = 64, firstSum = firstPart + blocks * threads;

/// The parts of the kernel that may be replaced.
struct Meeting {
  std::string meetBefore = "bar.sync 0;";
  std::string fenceBefore = "fence.acq_rel.gpu;";
  std::string count = "atom.relaxed.gpu.global.inc.u32 %r1, [%p], 2;";
  std::string fenceAfter = "fence.acq_rel.gpu;";
  /// Of all threads, once they know whether their block is the last.
  std::string afterwards;
  unsigned workers = 2;
  bool isUninitialized = true;
};

/// The error of the launch, without the file's name; checks the sums if there
/// is none.
std::string run(const Meeting &meeting) {
  std::vector<std::uint32_t> memory(firstSum + threads);
  LaunchConfig config;
  config.grid = {blocks, 1, 1};
  config.block = {threads, 1, 1};
  config.workers = meeting.workers;
  GlobalBuffer buffer = bufferOf(memory, "m");
  buffer.isUninitialized = meeting.isUninitialized;
  buffer.initializedBytes = 4;
  Result<Counters> result = runText(
      kernel(".param .u64 p",
             ".reg .b64 %p, %q, %rd<4>; .reg .b32 %r<9>, %t, %b;\n"
             ".reg .pred %c<3>; .shared .b32 s[1];\n"
             "ld.param.u64 %p, [p]; mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x;\n"
             "mad.lo.u32 %r0, %b, 64, %t; mul.wide.u32 %rd0, %r0, 4;\n"
             "add.u64 %q, %p, %rd0;\n"
             "st.global.u32 [%q+256], %r0;\n" +
                 meeting.meetBefore +
                 "\nsetp.ne.u32 %c0, %t, 0; @%c0 bra met;\n" +
                 meeting.fenceBefore + "\n" + meeting.count + "\n" +
                 meeting.fenceAfter +
                 "\nst.shared.u32 [s], %r1;\nmet: bar.sync 0;\n"
                 "ld.shared.u32 %r1, [s]; setp.ne.u32 %c1, %r1, 2;\n" +
                 meeting.afterwards +
                 "\n@%c1 bra done;\nmul.wide.u32 %rd0, %t, 4;\n"
                 "add.u64 %q, %p, %rd0;\n"
                 "ld.global.u32 %r2, [%q+256]; ld.global.u32 %r3, [%q+512];\n"
                 "ld.global.u32 %r4, [%q+768];\n"
                 "add.u32 %r2, %r2, %r3; add.u32 %r2, %r2, %r4;\n"
                 "st.global.u32 [%q+1024], %r2;\ndone:\n"),
      config, {buffer}, {KernelArgument::address(0)});
  if (!result)
    return result.error().substr(std::string("k.ptx:").size());
  EXPECT_EQ(memory[0], 0u);
  for (std::uint32_t t = 0; t < threads; ++t)
    EXPECT_EQ(memory[firstSum + t], 3 * t + 3 * threads);
  return "";
}

/// Expects the launch to end with the race between a load by the last block and
/// the first block's store.
void expectRace(const Meeting &meeting) {
  std::string error = run(meeting);
  EXPECT_NE(error.find("load of 4 bytes at address 0x100000001"),
            std::string::npos)
      << error;
  EXPECT_NE(error.find("races with the store by block (0,0,0)"),
            std::string::npos)
      << error;
  EXPECT_NE(error.find("nothing orders the blocks of a grid"),
            std::string::npos)
      << error;
}

TEST(BlockSync, FencesAndAnAtomicOperationOrderBlocks) {
  for (unsigned workers : {1, 2, 3}) {
    Meeting meeting;
    meeting.workers = workers;
    EXPECT_EQ(run(meeting), "");
  }
}

TEST(BlockSync, OtherWaysToSayIt) {
  Meeting meeting;
  meeting.fenceBefore = meeting.fenceAfter = "membar.gl;";
  meeting.count = "atom.global.inc.u32 %r1, [%p], 2;";
  EXPECT_EQ(run(meeting), "");
  meeting.fenceBefore = meeting.fenceAfter = "fence.sc.sys;";
  EXPECT_EQ(run(meeting), "");
  // Operations that release and acquire need no fences.
  meeting.fenceBefore = meeting.fenceAfter = "";
  meeting.count = "atom.acq_rel.gpu.global.inc.u32 %r1, [%p], 2;";
  EXPECT_EQ(run(meeting), "");
  meeting.fenceBefore = "fence.acq_rel.gpu;";
  meeting.count = "atom.acquire.gpu.global.inc.u32 %r1, [%p], 2;";
  EXPECT_EQ(run(meeting), "");
  meeting.fenceBefore = "";
  meeting.fenceAfter = "fence.acq_rel.gpu;";
  meeting.count = "atom.release.sys.global.inc.u32 %r1, [%p], 2;";
  EXPECT_EQ(run(meeting), "");
}

TEST(BlockSync, EachPieceIsNeeded) {
  Meeting whole, meeting;
  meeting.fenceBefore = "";
  expectRace(meeting);
  meeting = whole;
  meeting.fenceAfter = "";
  expectRace(meeting);
  // Thread 1 has not met thread 0 before that fences.
  meeting = whole;
  meeting.meetBefore = "bar.warp.sync -1;";
  expectRace(meeting);
  meeting.meetBefore = "";
  expectRace(meeting);
  // An operation that is not atomic.
  meeting = whole;
  meeting.count = "ld.relaxed.gpu.global.u32 %r1, [%p];\nadd.u32 %r2, %r1, 1;\n"
                  "st.relaxed.gpu.global.u32 [%p], %r2;\nmov.u32 %r1, 2;\n";
  EXPECT_NE(run(meeting).find("nothing orders the blocks"), std::string::npos);
}

TEST(BlockSync, TheScopeMustReachOtherBlocks) {
  Meeting whole, meeting;
  meeting.fenceBefore = "fence.acq_rel.cta;";
  expectRace(meeting);
  meeting = whole;
  meeting.fenceAfter = "membar.cta;";
  expectRace(meeting);
  meeting = whole;
  meeting.count = "atom.relaxed.cta.global.inc.u32 %r1, [%p], 2;";
  expectRace(meeting);
}

TEST(BlockSync, OnlyWhatComesBeforeIsReleased) {
  Meeting meeting;
  meeting.afterwards = "st.global.u32 [%q+256], %r0;";
  expectRace(meeting);
  // The fence comes after the store, but not before the operation.
  meeting = Meeting();
  std::swap(meeting.fenceBefore, meeting.count);
  expectRace(meeting);
}

TEST(BlockSync, OnlyWhoMeetsTheThreadAcquires) {
  // The other threads go on before thread 0 fences.
  Meeting meeting;
  meeting.fenceAfter = "";
  meeting.afterwards = "@!%c0 fence.acq_rel.gpu;";
  expectRace(meeting);
  meeting.afterwards += " bar.sync 0;";
  EXPECT_EQ(run(meeting), "");
}

TEST(BlockSync, WhatIsReleasedHasBeenWritten) {
  Meeting meeting;
  meeting.fenceBefore = "";
  meeting.isUninitialized = false;
  expectRace(meeting);
}

} // namespace
