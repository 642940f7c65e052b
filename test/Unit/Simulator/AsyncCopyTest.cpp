//===- AsyncCopyTest.cpp - cp.async, its groups and its mistakes ----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"

using namespace tc;
using namespace tc::sim;
using namespace tc::sim::test;

using Words = std::vector<std::uint32_t>;

static LaunchConfig configOf(std::uint32_t threads,
                             Detectors detectors = Detectors()) {
  LaunchConfig config;
  config.block = {threads, 1, 1};
  config.detectors = detectors;
  return config;
}

/// Runs a body, from line 12 on: %t, %i = 4 * %t, %s the address of shared
/// memory `s`, %si = %s + %i; %in and %out the addresses of two buffers, %ini
/// and %outi those plus %i.
static Result<Counters> run(const std::string &body, std::uint32_t threads,
                            Words &in, Words &out,
                            Detectors detectors = Detectors()) {
  return runText(
      kernel(".param .u64 pin, .param .u64 pout",
             ".reg .b32 %r<9>, %t, %i, %s, %si; .reg .b64 %rd<9>, %wide;\n"
             ".reg .b64 %in, %out, %ini, %outi; .reg .pred %p<4>;\n"
             ".reg .b16 %h<4>; .shared .align 16 .b8 s[4096];\n"
             "ld.param.u64 %in, [pin]; ld.param.u64 %out, [pout];\n"
             "mov.u32 %s, s; mov.u32 %t, %tid.x; shl.b32 %i, %t, 2;\n"
             "add.u32 %si, %s, %i; cvt.u64.u32 %wide, %i;\n"
             "add.u64 %ini, %in, %wide; add.u64 %outi, %out, %wide;\n" +
                 body),
      configOf(threads, detectors),
      {bufferOf(in, "in", false), bufferOf(out, "out")},
      {KernelArgument::address(0), KernelArgument::address(1)});
}

/// The error of such a body, without the file's name.
static std::string fault(const std::string &body, std::uint32_t threads = 64,
                         Detectors detectors = Detectors()) {
  Words in(4 * threads), out(4 * threads);
  Result<Counters> result = run(body, threads, in, out, detectors);
  return result ? "" : result.error().substr(std::strlen("k.ptx:"));
}

static void expectBegins(const std::string &text, const std::string &begin) {
  EXPECT_EQ(text.substr(0, begin.size()), begin);
}

/// The shared memory after a body for one thread that copies to it; every byte
/// was 0xaa before.
static Words copied(const std::string &copy) {
  Words in = {0x03020100, 0x07060504, 0x0b0a0908, 0x0f0e0d0c}, out(4);
  Result<Counters> result =
      run("mov.u32 %r0, 0xaaaaaaaa;\n"
          "st.shared.v4.u32 [%s], {%r0, %r0, %r0, %r0};\n" +
              copy +
              "\ncp.async.wait_all;\n"
              "ld.shared.v4.u32 {%r0, %r1, %r2, %r3}, [%s];\n"
              "st.global.v4.u32 [%out], {%r0, %r1, %r2, %r3};\n",
          1, in, out);
  EXPECT_TRUE(result) << (result ? "" : result.error());
  return out;
}

TEST(CopyAsync, Sizes) {
  const std::uint32_t old = 0xaaaaaaaa;
  EXPECT_EQ(copied("cp.async.ca.shared.global [%s], [%in], 16;"),
            (Words{0x03020100, 0x07060504, 0x0b0a0908, 0x0f0e0d0c}));
  EXPECT_EQ(copied("cp.async.cg.shared::cta.global.L2::256B [s], [%in], 16;"),
            (Words{0x03020100, 0x07060504, 0x0b0a0908, 0x0f0e0d0c}));
  EXPECT_EQ(copied("cp.async.ca.shared.global.L2::64B [s+8], [%in], 8;"),
            (Words{old, old, 0x03020100, 0x07060504}));
  EXPECT_EQ(copied("cp.async.ca.shared.global.L2::128B [%s+4], [%in+12], 4;"),
            (Words{old, 0x0f0e0d0c, old, old}));
  // With 64-bit addresses and a displacement to the left.
  EXPECT_EQ(copied("mov.u64 %rd1, s; add.u64 %rd1, %rd1, 16;\n"
                   "cp.async.ca.shared.global [%rd1+-8], [%in], 8;"),
            (Words{old, old, 0x03020100, 0x07060504}));
  EXPECT_EQ(copied("cp.async.cg.shared.global.L2::cache_hint [s], [%in], 16, "
                   "%out;"),
            (Words{0x03020100, 0x07060504, 0x0b0a0908, 0x0f0e0d0c}));
}

TEST(CopyAsync, FillsWithZeros) {
  const std::uint32_t old = 0xaaaaaaaa;
  EXPECT_EQ(copied("cp.async.ca.shared.global [%s], [%in], 16, 0;"),
            (Words{0, 0, 0, 0}));
  EXPECT_EQ(copied("cp.async.ca.shared.global [%s], [%in], 16, 5;"),
            (Words{0x03020100, 0x04, 0, 0}));
  EXPECT_EQ(copied("mov.u32 %r0, 7;\n"
                   "cp.async.ca.shared.global [%s+8], [%in+8], 8, %r0;"),
            (Words{old, old, 0x0b0a0908, 0x000e0d0c}));
  EXPECT_EQ(copied("mov.u32 %r0, 16;\n"
                   "cp.async.cg.shared.global.L2::cache_hint.L2::128B [s], "
                   "[%in], 16, %r0, %out;"),
            (Words{0x03020100, 0x07060504, 0x0b0a0908, 0x0f0e0d0c}));
  EXPECT_EQ(copied("setp.eq.u32 %p0, %t, 0;\n"
                   "cp.async.ca.shared.global [%s], [%in], 4, %p0;"),
            (Words{0, old, old, old}));
  EXPECT_EQ(copied("setp.eq.u32 %p0, %t, 0;\n"
                   "cp.async.ca.shared.global [%s], [%in], 4, !%p0;"),
            (Words{0x03020100, old, old, old}));
}

TEST(CopyAsync, WhatIsNotReadNeedNotExist) {
  // Thread 63 of 64 would read beyond 256 words; two thirds of it exist.
  std::string wide = "shl.b32 %r0, %t, 4; add.u32 %r1, %s, %r0;\n"
                     "cvt.u64.u32 %rd0, %r0; add.u64 %rd0, %in, %rd0;\n"
                     "add.u64 %rd0, %rd0, 16; setp.eq.u32 %p0, %t, 63;\n";
  EXPECT_EQ(fault(wide + "cp.async.ca.shared.global [%r1], [%rd0], 16;\n"
                         "cp.async.wait_all;"),
            "15: load of 16 bytes at address 0x10000000400 is outside every "
            "buffer: it is at byte 1024 of buffer 'in', which has 1024 in "
            "'cp.async.ca.shared.global [%r1], [%rd0], 16', block (0,0,0), "
            "thread (63,0,0)");
  EXPECT_EQ(fault(wide + "selp.u32 %r2, 0, 16, %p0;\n"
                         "cp.async.ca.shared.global [%r1], [%rd0], 16, %r2;\n"
                         "cp.async.wait_all;"),
            "");
  EXPECT_EQ(fault(wide + "cp.async.ca.shared.global [%r1], [%rd0], 16, %p0;\n"
                         "cp.async.wait_all;"),
            "");
  // Of the last 16 bytes of the buffer only 4 are there from byte 12 on.
  EXPECT_EQ(fault("cp.async.ca.shared.global [s], [%in+1020], 4, 4;\n"
                  "cp.async.wait_all;",
                  1),
            "12: load of 4 bytes at address 0x100000003fc is outside every "
            "buffer: it is at byte 1020 of buffer 'in', which has 16 in "
            "'cp.async.ca.shared.global [s], [%in+1020], 4, 4', block (0,0,0), "
            "thread (0,0,0)");
}

TEST(CopyAsync, Faults) {
  EXPECT_EQ(fault("cp.async.ca.shared.global [%si], [%in+2], 4;"),
            "12: misaligned load of 4 bytes at address 0x10000000002 in "
            "'cp.async.ca.shared.global [%si], [%in+2], 4', block (0,0,0), "
            "thread (0,0,0)");
  expectBegins(fault("cp.async.ca.shared.global [%si], [%in], 8;"),
               "12: misaligned store of 8 bytes at address 0x4 in 'cp");
  EXPECT_EQ(fault("cp.async.ca.shared.global [%si+4000], [%in], 4;"),
            "12: store of 4 bytes at address 0x1000 is outside the 4096 bytes "
            "of shared memory of the block in 'cp.async.ca.shared.global "
            "[%si+4000], [%in], 4', block (0,0,0), thread (24,0,0)");
  EXPECT_EQ(fault("cp.async.ca.shared.global [%si], [%in], 4, %t;"),
            "12: copy of 4 bytes is to read 5 in 'cp.async.ca.shared.global "
            "[%si], [%in], 4, %t', block (0,0,0), thread (5,0,0)");
  // A loop that never waits.
  EXPECT_EQ(fault("AGAIN: cp.async.ca.shared.global [%si], [%in], 4;\n"
                  "cp.async.commit_group;\nbra AGAIN;",
                  64, Detectors::none()),
            "12: the block has more than 65536 copies that have not been "
            "waited for in 'cp.async.ca.shared.global [%si], [%in], 4', block "
            "(0,0,0), thread (0,0,0)");
}

TEST(CopyAsync, NotInTheSubset) {
  EXPECT_EQ(instructionError("cp.async.cg.shared.global [sh], [%rd1], 8;"),
            "k.ptx:9: a copy with '.cg' has 16 bytes in 'cp.async.cg.shared."
            "global [sh], [%rd1], 8'");
  EXPECT_EQ(instructionError("cp.async.ca.shared.global [sh], [%rd1], 2;"),
            "k.ptx:9: a copy has 4, 8 or 16 bytes in 'cp.async.ca.shared."
            "global [sh], [%rd1], 2'");
  EXPECT_EQ(instructionError("cp.async.ca.shared.global [sh], [%rd1], 8, 9;"),
            "k.ptx:9: a copy of 8 bytes cannot read more in 'cp.async.ca."
            "shared.global [sh], [%rd1], 8, 9'");
  EXPECT_EQ(instructionError("cp.async.ca.shared.global [sh], [%rd1];"),
            "k.ptx:9: expected 3 operands, found 2 in 'cp.async.ca.shared."
            "global [sh], [%rd1]'");
  EXPECT_EQ(instructionError("cp.async.bulk.commit_group;"),
            "k.ptx:9: expected modifier '.ca' in 'cp.async.bulk.commit_group'");
  EXPECT_EQ(instructionError("cp.async.ca.global.shared [%rd1], [sh], 4;"),
            "k.ptx:9: expected modifier '.shared' in 'cp.async.ca.global."
            "shared [%rd1], [sh], 4'");
  EXPECT_EQ(instructionError("cp.async.wait_group %r1;"),
            "k.ptx:9: operand 1 must be a number from 0 to 4294967295 in "
            "'cp.async.wait_group %r1'");
}

//===----------------------------------------------------------------------===//
// Completion of copies
//===----------------------------------------------------------------------===//

TEST(CopyAsync, LandsWhenItIsWaitedFor) {
  // Four groups of one copy each; after each wait, the words that have come.
  std::string body;
  for (const char *at : {"0", "4", "8", "12"})
    body += std::string("cp.async.ca.shared.global [s+") + at + "], [%in+" +
            at + "], 4;\ncp.async.commit_group;\n";
  int waits = 0;
  for (const char *wait :
       {"wait_group 4", "wait_group 3", "wait_group 1", "wait_group 0"}) {
    std::string to = std::to_string(16 * waits++);
    body += std::string("cp.async.") + wait +
            ";\nld.shared.v4.u32 {%r0, %r1, %r2, %r3}, [s];\n"
            "st.global.v4.u32 [%out+" +
            to + "], {%r0, %r1, %r2, %r3};\n";
  }
  Words in = {1, 2, 3, 4}, out(16);
  Result<Counters> result = run(body, 1, in, out, Detectors::none());
  ASSERT_TRUE(result) << result.error();
  const std::uint32_t no = 0xffffffff;
  EXPECT_EQ(out, (Words{no, no, no, no, //
                        1, no, no, no,  //
                        1, 2, 3, no,    //
                        1, 2, 3, 4}));
}

TEST(CopyAsync, UncommittedCopiesAreInNoGroup) {
  std::string body = "cp.async.ca.shared.global [s], [%in], 4;\n"
                     "cp.async.commit_group;\n"
                     "cp.async.ca.shared.global [s+4], [%in+4], 4;\n"
                     "cp.async.wait_group 0;\n"
                     "ld.shared.v2.u32 {%r0, %r1}, [s];\n"
                     "st.global.v2.u32 [%out], {%r0, %r1};\n"
                     "cp.async.wait_all;\n"
                     "ld.shared.v2.u32 {%r0, %r1}, [s];\n"
                     "st.global.v2.u32 [%out+8], {%r0, %r1};\n";
  Words in = {1, 2}, out(4);
  Result<Counters> result = run(body, 1, in, out, Detectors::none());
  ASSERT_TRUE(result) << result.error();
  EXPECT_EQ(out, (Words{1, 0xffffffff, 1, 2}));
}

TEST(CopyAsync, GroupsAreThoseOfAThread) {
  // Odd threads commit one group more, an empty one, and so wait for more.
  std::string body = "and.b32 %r0, %t, 1; setp.eq.u32 %p0, %r0, 1;\n"
                     "cp.async.ca.shared.global [%si], [%ini], 4;\n"
                     "cp.async.commit_group;\n"
                     "@%p0 cp.async.commit_group;\n"
                     "cp.async.wait_group 1;\n"
                     "ld.shared.u32 %r1, [%si];\nst.global.u32 [%outi], %r1;\n";
  Words in(64), out(64), expected;
  for (std::uint32_t i = 0; i < 64; ++i) {
    in[i] = i;
    expected.push_back(i % 2 == 1 ? i : 0xffffffff);
  }
  Result<Counters> result = run(body, 64, in, out, Detectors::none());
  ASSERT_TRUE(result) << result.error();
  EXPECT_EQ(out, expected);
}

TEST(CopyAsync, ReadsWhenItIsIssued) {
  Words in, out = {5, 0};
  Result<Counters> result = run("cp.async.ca.shared.global [s], [%out], 4;\n"
                                "mov.u32 %r0, 6; st.global.u32 [%out], %r0;\n"
                                "cp.async.wait_all;\nld.shared.u32 %r1, [s];\n"
                                "st.global.u32 [%out+4], %r1;\n",
                                1, in, out, Detectors::none());
  ASSERT_TRUE(result) << result.error();
  EXPECT_EQ(out, (Words{6, 5}));
}

TEST(CopyAsync, BlocksBeginAnew) {
  // The first block leaves a copy behind, which the second waits for in vain.
  Words in = {7}, out(2);
  LaunchConfig config = configOf(1, Detectors::none());
  config.grid = {2, 1, 1};
  config.workers = 1;
  Result<Counters> result = runText(
      kernel(".param .u64 pin, .param .u64 pout",
             ".reg .b32 %r<3>; .reg .b64 %in, %out, %rd; .reg .pred %p;\n"
             ".shared .b32 s;\n"
             "ld.param.u64 %in, [pin]; ld.param.u64 %out, [pout];\n"
             "mov.u32 %r0, %ctaid.x; setp.eq.u32 %p, %r0, 0;\n"
             "@%p cp.async.ca.shared.global [s], [%in], 4;\n"
             "@!%p cp.async.wait_all;\nld.shared.u32 %r1, [s];\n"
             "mul.wide.u32 %rd, %r0, 4; add.u64 %out, %out, %rd;\n"
             "st.global.u32 [%out], %r1;\n"),
      config, {bufferOf(in, "in", false), bufferOf(out, "out")},
      {KernelArgument::address(0), KernelArgument::address(1)});
  ASSERT_TRUE(result) << result.error();
  EXPECT_EQ(out, (Words{0xffffffff, 0xffffffff}));
}

//===----------------------------------------------------------------------===//
// Faults that detectors find
//===----------------------------------------------------------------------===//

static Detectors only(bool Detectors::*detector) {
  Detectors detectors = Detectors::none();
  detectors.*detector = true;
  return detectors;
}

static const std::string copyOwn =
    "cp.async.ca.shared.global [%si], [%ini], 4;\n";

TEST(AsyncRace, ReadWithoutWait) {
  std::string read = "ld.shared.u32 %r0, [%si];\ncp.async.wait_all;\n";
  EXPECT_EQ(fault(copyOwn + read),
            "13: load of 4 bytes at address 0x0 of shared memory races with "
            "the copy by thread (0,0,0) at line 12, which has not been waited "
            "for in 'ld.shared.u32 %r0, [%si]', block (0,0,0), thread (0,0,0)");
  EXPECT_EQ(fault(copyOwn + read, 64, only(&Detectors::uninitialized)),
            "13: load of 4 bytes at address 0x0 of shared memory, which "
            "nothing in the block has written in 'ld.shared.u32 %r0, [%si]', "
            "block (0,0,0), thread (0,0,0)");
  EXPECT_EQ(fault(copyOwn + read, 64, Detectors::none()), "");
  // A barrier is no wait.
  expectBegins(fault(copyOwn + "bar.sync 0;\n" + read),
               "14: load of 4 bytes at address 0x0 of shared memory races with "
               "the copy by thread (0,0,0) at line ");
  // Words whose copy is waited for may be read.
  EXPECT_EQ(fault(copyOwn + "cp.async.wait_all;\nld.shared.u32 %r0, [%si];"),
            "");
  EXPECT_EQ(fault(copyOwn + "cp.async.wait_all;\nld.shared.u32 %r0, [%si];", 64,
                  only(&Detectors::uninitialized)),
            "");
  // Reads that are made to meet others do not meet copies.
  expectBegins(
      fault(copyOwn + "ld.volatile.shared.u32 %r0, [%si];"),
      "13: load of 4 bytes at address 0x0 of shared memory races with t");
}

TEST(AsyncRace, ReadByAnotherThread) {
  std::string read = "xor.b32 %r1, %si, 4; ld.shared.u32 %r0, [%r1];\n";
  EXPECT_EQ(fault(copyOwn + "cp.async.wait_all;\n" + read),
            "14: load of 4 bytes at address 0x4 of shared memory races with "
            "the copy by thread (1,0,0) at line 12: no barrier is between them "
            "in 'ld.shared.u32 %r0, [%r1]', block (0,0,0), thread (0,0,0)");
  EXPECT_EQ(fault(copyOwn + "cp.async.wait_all;\nbar.sync 0;\n" + read), "");
  // The wait comes too late, after the barrier.
  EXPECT_EQ(fault(copyOwn + "bar.sync 0;\ncp.async.wait_all;\n"
                            "xor.b32 %r1, %si, 128;\n"
                            "ld.shared.u32 %r0, [%r1];\n"),
            "16: load of 4 bytes at address 0x80 of shared memory races with "
            "the copy by thread (32,0,0) at line 12, which has not been waited "
            "for in 'ld.shared.u32 %r0, [%r1]', block (0,0,0), thread (0,0,0)");
}

TEST(AsyncRace, WriteOverWhatMayBeRead) {
  std::string begin = "st.shared.u32 [%si], %t;\nbar.sync 0;\n"
                      "xor.b32 %r1, %si, 128; ld.shared.u32 %r0, [%r1];\n";
  std::string end = copyOwn + "cp.async.wait_all;\n";
  EXPECT_EQ(fault(begin + end),
            "14: load of 4 bytes at address 0x0 of shared memory races with "
            "the copy by thread (0,0,0) at line 15: no barrier is between them "
            "in 'ld.shared.u32 %r0, [%r1]', block (0,0,0), thread (32,0,0)");
  EXPECT_EQ(fault(begin + "bar.sync 0;\n" + end), "");
  // The reader runs first.
  EXPECT_EQ(fault("st.shared.u32 [%si], %t;\nbar.sync 0;\n"
                  "setp.ge.u32 %p0, %t, 32;\n"
                  "xor.b32 %r1, %si, 128; @!%p0 ld.shared.u32 %r0, [%r1];\n"
                  "@%p0 " +
                  end),
            "16: store of 4 bytes at address 0x80 of shared memory races with "
            "the load by thread (0,0,0) at line 15: no barrier is between them "
            "in 'cp.async.ca.shared.global [%si], [%ini], 4', block (0,0,0), "
            "thread (32,0,0)");
}

TEST(AsyncRace, StoresAndCopiesOverCopies) {
  expectBegins(
      fault(copyOwn + "st.shared.u32 [%si], %t;\n"),
      "13: store of 4 bytes at address 0x0 of shared memory races with "
      "the copy by thread (0,0,0) at line 12, which has not been waited ");
  expectBegins(
      fault(copyOwn + "st.volatile.shared.u32 [%si], %t;\n"),
      "13: store of 4 bytes at address 0x0 of shared memory races with ");
  expectBegins(
      fault(copyOwn + copyOwn),
      "13: store of 4 bytes at address 0x0 of shared memory races with "
      "the copy by thread (0,0,0) at line 12, which has not been waited ");
  // Two lanes of one copy.
  expectBegins(
      fault("cp.async.ca.shared.global [s], [%ini], 4;\n"),
      "12: store of 4 bytes at address 0x0 of shared memory races with "
      "the copy by thread (0,0,0) at line 12: no barrier is between");
}

TEST(AsyncRace, EndsWithoutWait) {
  EXPECT_EQ(fault(copyOwn + "cp.async.commit_group;\nret;\n"),
            "14: the thread ends before it has waited for the copy at line 12, "
            "a store of 4 bytes at address 0x0 of shared memory in 'ret', "
            "block (0,0,0), thread (0,0,0)");
  EXPECT_EQ(fault(copyOwn + "ret;\n", 64, Detectors::none()), "");
  expectBegins(
      fault(copyOwn + "setp.lt.u32 %p0, %t, 3;\n"
                      "@!%p0 cp.async.wait_all;\nret;\n"),
      "15: the thread ends before it has waited for the copy at line 12");
  // A group without copies is nothing to wait for.
  EXPECT_EQ(fault("cp.async.commit_group;\nret;\n"), "");
}

//===----------------------------------------------------------------------===//
// A pipeline of copies
//===----------------------------------------------------------------------===//

/// The parts in which a pipelined kernel differs from a broken one.
struct Pipeline {
  const char *wait = "cp.async.wait_group 1;";
  const char *afterWait = "bar.sync 0;";
  const char *beforeReuse = "bar.sync 0;";
};

/// 64 threads copy 5 tiles of 64 words through two stages, and each adds up a
/// word that a thread of the other warp has copied. Begins on line 12.
static std::string pipelineBody(const Pipeline &parts) {
  return std::string("mov.u32 %r0, 0; mov.u32 %r1, 0;\n" // Sum, tile.
                     "xor.b32 %r2, %i, 128; add.u32 %r2, %s, %r2;\n"
                     "cp.async.ca.shared.global [%si], [%ini], 4;\n"
                     "cp.async.commit_group;\n"
                     "LOOP: and.b32 %r3, %r1, 1; shl.b32 %r3, %r3, 8;\n"
                     "xor.b32 %r4, %r3, 256; add.u32 %r4, %si, %r4;\n"
                     "add.u64 %ini, %ini, 256; setp.lt.u32 %p0, %r1, 4;\n"
                     "@%p0 cp.async.ca.shared.global [%r4], [%ini], 4;\n"
                     "cp.async.commit_group;\n") +
         parts.wait + "\n" + parts.afterWait +
         "\nadd.u32 %r5, %r2, %r3; ld.shared.u32 %r6, [%r5];\n"
         "add.u32 %r0, %r0, %r6;\n" +
         parts.beforeReuse +
         "\nadd.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 5;\n"
         "@%p1 bra LOOP;\nst.global.u32 [%outi], %r0;\n";
}

static std::string runPipeline(const Pipeline &parts, Words &out,
                               Detectors detectors = Detectors()) {
  Words in;
  for (std::uint32_t i = 0; i < 5 * 64; ++i)
    in.push_back(i);
  out.assign(64, 0);
  Result<Counters> result = run(pipelineBody(parts), 64, in, out, detectors);
  if (!result)
    return result.error().substr(std::strlen("k.ptx:"));
  const Counters &counters = *result;
  EXPECT_EQ(counters[InstructionKind::CopyAsync], 12u); // The last in no lane.
  EXPECT_EQ(counters.buffers[0].loadBytes, 5u * 64 * 4);
  EXPECT_EQ(counters.buffers[0].loadSectors, 5u * 64 * 4 / 32);
  EXPECT_EQ(counters.shared.storeBytes, 5u * 64 * 4);
  EXPECT_EQ(counters.shared.storeWavefronts, 10u);
  EXPECT_EQ(counters.async.bytes, 5u * 64 * 4);
  EXPECT_EQ(counters.async.groups, 5u);
  return "";
}

/// The sum for each thread.
static Words pipelineSums() {
  Words sums;
  for (std::uint32_t i = 0; i < 64; ++i)
    sums.push_back(5 * (i ^ 32) + 64 * (0 + 1 + 2 + 3 + 4));
  return sums;
}

TEST(AsyncPipeline, Right) {
  Words out;
  EXPECT_EQ(runPipeline({}, out), "");
  EXPECT_EQ(out, pipelineSums());
  EXPECT_EQ(runPipeline({}, out, Detectors::none()), "");
  EXPECT_EQ(out, pipelineSums());
}

TEST(AsyncPipeline, MissingWait) {
  Pipeline broken;
  broken.wait = "";
  Words out;
  EXPECT_EQ(runPipeline(broken, out),
            "23: load of 4 bytes at address 0x80 of shared memory races with "
            "the copy by thread (32,0,0) at line 14, which has not been waited "
            "for in 'ld.shared.u32 %r6, [%r5]', block (0,0,0), thread (0,0,0)");
  // It reads the initial contents of shared memory.
  EXPECT_EQ(runPipeline(broken, out, Detectors::none()), "");
  EXPECT_EQ(out, Words(64, static_cast<std::uint32_t>(-5)));
}

TEST(AsyncPipeline, WrongWaitCount) {
  Pipeline broken;
  broken.wait = "cp.async.wait_group 2;";
  Words out;
  expectBegins(
      runPipeline(broken, out),
      "23: load of 4 bytes at address 0x80 of shared memory races with "
      "the copy by thread (32,0,0) at line 14, which has not been waited "
      "for ");
  EXPECT_EQ(runPipeline(broken, out, Detectors::none()), "");
  EXPECT_NE(out, pipelineSums());
}

TEST(AsyncPipeline, MissingBarrierAfterWait) {
  Pipeline broken;
  broken.afterWait = "";
  Words out;
  EXPECT_EQ(runPipeline(broken, out),
            "23: load of 4 bytes at address 0x80 of shared memory, which "
            "nothing in the block has written in 'ld.shared.u32 %r6, [%r5]', "
            "block (0,0,0), thread (0,0,0)");
  EXPECT_EQ(runPipeline(broken, out, only(&Detectors::sharedRaces)),
            "14: store of 4 bytes at address 0x80 of shared memory races with "
            "the load by thread (0,0,0) at line 23: no barrier is between them "
            "in 'cp.async.ca.shared.global [%si], [%ini], 4', block (0,0,0), "
            "thread (32,0,0)");
}

TEST(AsyncPipeline, MissingBarrierBeforeReuse) {
  Pipeline broken;
  broken.beforeReuse = "";
  Words out;
  EXPECT_EQ(runPipeline(broken, out),
            "23: load of 4 bytes at address 0x0 of shared memory races with "
            "the copy by thread (0,0,0) at line 19, which has not been waited "
            "for in 'ld.shared.u32 %r6, [%r5]', block (0,0,0), thread "
            "(32,0,0)");
}

//===----------------------------------------------------------------------===//
// Copies under way
//===----------------------------------------------------------------------===//

TEST(AsyncTraffic, OfAPipeline) {
  Words in(5 * 64), out(64);
  Result<Counters> result = run(pipelineBody({}), 64, in, out);
  ASSERT_TRUE(result) << result.error();
  // While a tile is waited for, the next is under way.
  EXPECT_EQ(result->async.maxGroups, 2u);
  EXPECT_EQ(result->async.maxBytes, 2u * 64 * 4);
  // With another wait, one at a time.
  Pipeline early;
  early.wait = "cp.async.wait_group 0;";
  result = run(pipelineBody(early), 64, in, out);
  ASSERT_TRUE(result) << result.error();
  EXPECT_EQ(result->async.maxGroups, 2u); // The first is waited for late.
  EXPECT_EQ(result->async.groups, 5u);
}

TEST(AsyncTraffic, GroupsWithoutCopiesDoNotCount) {
  Words in(64), out(64);
  Result<Counters> result = run("cp.async.commit_group;\n" + copyOwn +
                                    "cp.async.commit_group;\n"
                                    "cp.async.commit_group;\n"
                                    "setp.lt.u32 %p0, %t, 5;\n"
                                    "@%p0 cp.async.ca.shared.global [%si+256], "
                                    "[%ini], 4;\ncp.async.wait_all;\n",
                                64, in, out);
  ASSERT_TRUE(result) << result.error();
  EXPECT_EQ(result->async.bytes, 69u * 4);
  EXPECT_EQ(result->async.groups, 2u);
  EXPECT_EQ(result->async.maxGroups, 2u);
  EXPECT_EQ(result->async.maxBytes, 69u * 4);
}

TEST(AsyncTraffic, OfBlocksAndLaunches) {
  AsyncTraffic one, other;
  one.bytes = 8;
  one.groups = 2;
  one.maxGroups = 1;
  one.maxBytes = 6;
  other.bytes = 3;
  other.groups = 1;
  other.maxGroups = 4;
  other.maxBytes = 3;
  Counters sum, more;
  sum.async = one;
  more.async = other;
  sum += more;
  EXPECT_EQ(sum.async.bytes, 11u);
  EXPECT_EQ(sum.async.groups, 3u);
  EXPECT_EQ(sum.async.maxGroups, 4u);
  EXPECT_EQ(sum.async.maxBytes, 6u);
}
