//===- DetectorTest.cpp - Faults that detectors find ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels that are broken on purpose, and the same kernels mended.
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"

using namespace tc;
using namespace tc::sim;
using namespace tc::sim::test;

/// Runs a body, from line 9 on, in one block: %tid, 4 * %tid in %r1, the other
/// thread of a pair, times 4, in %r2, the next thread, times 4, in %r3. `s` is
/// shared memory. Returns the error, without the file's name.
static std::string fault(const std::string &body, std::uint32_t threads = 64,
                         Detectors detectors = {}) {
  LaunchConfig config;
  config.block = {threads, 1, 1};
  config.detectors = detectors;
  Result<Counters> result = runText(
      kernel("", ".reg .b32 %r<9>, %tid; .reg .b64 %rd<9>; .reg .pred %p<4>;\n"
                 ".reg .b16 %h<4>; .shared .align 16 .b8 s[4352];\n"
                 "mov.u32 %r0, s; mov.u32 %tid, %tid.x; shl.b32 %r1, %tid, 2;\n"
                 "xor.b32 %r2, %r1, 4; add.u32 %r3, %r1, 4;\n" +
                     body),
      config, {}, {});
  return result ? "" : result.error().substr(std::strlen("k.ptx:"));
}

static Detectors only(bool Detectors::*detector) {
  Detectors detectors = Detectors::none();
  detectors.*detector = true;
  return detectors;
}

TEST(Detectors, Names) {
  auto parse = [](const char *list) {
    Result<Detectors> detectors = Detectors::parse(list);
    if (!detectors)
      return detectors.error();
    std::string on;
    on += detectors->uninitialized ? 'u' : '-';
    on += detectors->sharedRaces ? 's' : '-';
    on += detectors->globalRaces ? 'g' : '-';
    on += detectors->rewrites ? 'r' : '-';
    on += detectors->unwritten ? 'w' : '-';
    return on;
  };
  EXPECT_EQ(parse("all"), "usgrw");
  EXPECT_EQ(parse("none"), "-----");
  EXPECT_EQ(parse("uninitialized"), "u----");
  EXPECT_EQ(parse("rewrites,shared-races"), "-s-r-");
  EXPECT_EQ(parse("global-races"), "--g--");
  for (const char *list : {"", "rewrites,", "races", "all,none"})
    EXPECT_EQ(parse(list).substr(0, 21), "there is no detector ") << list;
  EXPECT_EQ(parse("rewrites,races"),
            "there is no detector 'races'; expected all, none, or some of "
            "uninitialized, shared-races, global-races, rewrites, unwritten");
}

//===----------------------------------------------------------------------===//
// Reads of what nothing has written
//===----------------------------------------------------------------------===//

TEST(UnwrittenRegister, Read) {
  EXPECT_EQ(fault("add.u32 %r4, %tid, 1;\nadd.u32 %r5, %r4, %r6;\n"),
            "10: register '%r6' is read, which nothing has written in "
            "'add.u32 %r5, %r4, %r6', block (0,0,0), thread (0,0,0)");
  EXPECT_EQ(fault("add.u32 %r4, %tid, %r6;", 64, Detectors::none()), "");
  EXPECT_EQ(fault("add.u32 %r4, %tid, %r6;", 64, only(&Detectors::sharedRaces)),
            "");
}

TEST(UnwrittenRegister, InAPackedVector) {
  // No instruction writes %h2.
  EXPECT_EQ(fault("mov.b16 %h1, 5;\nmov.b32 %r4, {%h2, %h1};\n"
                  "shr.u32 %r5, %r4, 16;\n"),
            "");
  EXPECT_EQ(fault("setp.lt.u32 %p0, %tid, 37;\n@%p0 mov.b16 %h2, 5;\n"
                  "mov.b32 %r4, {%h2, %h2};\n"),
            "11: register '%h2' is read, which nothing has written in "
            "'mov.b32 %r4, {%h2, %h2}', block (0,0,0), thread (37,0,0)");
}

TEST(UnwrittenRegister, InPermutedBytes) {
  // No instruction writes %r7.
  EXPECT_EQ(fault("mov.u32 %r4, 5;\nprmt.b32 %r5, %r4, %r7, 0x4410;\n"), "");
  EXPECT_EQ(fault("setp.lt.u32 %p0, %tid, 37;\n@%p0 mov.u32 %r7, 5;\n"
                  "prmt.b32 %r5, %r7, %r7, 0x4410;\n"),
            "11: register '%r7' is read, which nothing has written in "
            "'prmt.b32 %r5, %r7, %r7, 0x4410', block (0,0,0), thread (37,0,0)");
}

TEST(UnwrittenRegister, WrittenInOtherThreadsOnly) {
  EXPECT_EQ(fault("setp.lt.u32 %p0, %tid, 37;\n"
                  "@%p0 mov.u32 %r4, 5;\n"
                  "st.shared.u32 [%r1], %r4;\n"),
            "11: register '%r4' is read, which nothing has written in "
            "'st.shared.u32 [%r1], %r4', block (0,0,0), thread (37,0,0)");
  // The read has the guard of the write.
  EXPECT_EQ(fault("setp.lt.u32 %p0, %tid, 37;\n"
                  "@%p0 mov.u32 %r4, 5;\n"
                  "@%p0 st.shared.u32 [%r1], %r4;\n"),
            "");
  // On one side of a branch.
  EXPECT_EQ(fault("setp.lt.u32 %p0, %tid, 3;\n"
                  "@%p0 bra JOIN;\nmov.u32 %r4, 5;\n"
                  "JOIN: add.u32 %r4, %r4, 1;\n"),
            "12: register '%r4' is read, which nothing has written in "
            "'add.u32 %r4, %r4, 1', block (0,0,0), thread (0,0,0)");
}

TEST(UnwrittenRegister, EveryBlockBeginsAnew) {
  LaunchConfig config;
  config.grid = {3, 1, 1};
  config.workers = 1;
  Result<Counters> result =
      runText(kernel("", ".reg .b32 %r<4>; .reg .pred %p;\n"
                         "mov.u32 %r0, %ctaid.x; setp.ne.u32 %p, %r0, 2;\n"
                         "@%p mov.u32 %r1, 1;\nadd.u32 %r2, %r1, 1;\n"),
              config, {}, {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error(),
            "k.ptx:8: register '%r1' is read, which nothing has written in "
            "'add.u32 %r2, %r1, 1', block (2,0,0), thread (0,0,0)");
}

TEST(UnwrittenRegister, GuardsVectorsAddresses) {
  EXPECT_EQ(fault("@!%p3 mov.u32 %r4, 5;"),
            "9: register '%p3' is read, which nothing has written in "
            "'mov.u32 %r4, 5', block (0,0,0), thread (0,0,0)");
  EXPECT_EQ(fault("@%p3 bra END;\nEND: ret;").substr(0, 37),
            "9: register '%p3' is read, which noth");
  EXPECT_EQ(fault("mov.b64 %rd0, {%r1, %r7};").substr(0, 22),
            "9: register '%r7' is r");
  EXPECT_EQ(fault("st.shared.v2.u32 [s], {%r1, %r7};").substr(0, 22),
            "9: register '%r7' is r");
  EXPECT_EQ(fault("ld.shared.u32 %r4, [%r8];").substr(0, 22),
            "9: register '%r8' is r");
}

TEST(UnwrittenShared, Load) {
  EXPECT_EQ(fault("st.shared.u32 [%r1], %tid;\nbar.sync 0;\n"
                  "ld.shared.u32 %r4, [%r3];\n"),
            "11: load of 4 bytes at address 0x100 of shared memory, which "
            "nothing in the block has written in 'ld.shared.u32 %r4, [%r3]', "
            "block (0,0,0), thread (63,0,0)");
  EXPECT_EQ(
      fault("ld.shared.u32 %r4, [%r3];", 64, only(&Detectors::sharedRaces)),
      "");
}

TEST(UnwrittenShared, EveryByteCounts) {
  std::string halves = "mul.lo.u32 %r4, %tid, 4; mov.u16 %h0, 1;\n"
                       "st.shared.u16 [%r4], %h0;\n";
  EXPECT_EQ(fault(halves + "ld.shared.u32 %r5, [%r4];"),
            "11: load of 4 bytes at address 0x0 of shared memory, which "
            "nothing in the block has written in 'ld.shared.u32 %r5, [%r4]', "
            "block (0,0,0), thread (0,0,0)");
  EXPECT_EQ(fault(halves + "st.shared.u16 [%r4+2], %h0;"
                           "ld.shared.u32 %r5, [%r4];"),
            "");
  // Through the generic window.
  EXPECT_EQ(fault("mov.u64 %rd0, s; cvta.shared.u64 %rd1, %rd0;\n"
                  "ld.u32 %r5, [%rd1+8];"),
            "10: load of 4 bytes at address 0x100000008 of shared memory, "
            "which nothing in the block has written in 'ld.u32 %r5, [%rd1+8]', "
            "block (0,0,0), thread (0,0,0)");
}

TEST(UnwrittenShared, EveryBlockBeginsAnew) {
  LaunchConfig config;
  config.grid = {2, 1, 1};
  config.workers = 1;
  Result<Counters> result =
      runText(kernel("", ".reg .b32 %r<4>; .reg .pred %p; .shared .b32 s;\n"
                         "mov.u32 %r0, %ctaid.x; setp.eq.u32 %p, %r0, 0;\n"
                         "@%p st.shared.u32 [s], %r0;\n"
                         "ld.shared.u32 %r1, [s];\n"),
              config, {}, {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error(),
            "k.ptx:8: load of 4 bytes at address 0x0 of shared memory, which "
            "nothing in the block has written in 'ld.shared.u32 %r1, [s]', "
            "block (1,0,0), thread (0,0,0)");
}

//===----------------------------------------------------------------------===//
// Races in shared memory
//===----------------------------------------------------------------------===//

TEST(SharedRace, ReadAfterWrite) {
  std::string store = "st.shared.u32 [%r1], %tid;\n";
  EXPECT_EQ(fault(store + "ld.shared.u32 %r4, [%r2];"),
            "10: load of 4 bytes at address 0x4 of shared memory races with "
            "the store by thread (1,0,0) at line 9: no barrier is between them "
            "in 'ld.shared.u32 %r4, [%r2]', block (0,0,0), thread (0,0,0)");
  EXPECT_EQ(fault(store + "bar.sync 0;\nld.shared.u32 %r4, [%r2];"), "");
  // A thread does not race with itself.
  EXPECT_EQ(fault(store + "ld.shared.u32 %r4, [%r1];" + store), "");
  EXPECT_EQ(fault(store + "ld.shared.u32 %r4, [%r2];", 64, Detectors::none()),
            "");
  EXPECT_EQ(fault(store + "ld.shared.u32 %r4, [%r2];", 64,
                  only(&Detectors::uninitialized)),
            "");
}

TEST(SharedRace, WriteAfterRead) {
  std::string begin =
      "st.shared.u32 [%r1], %tid; setp.ge.u32 %p0, %tid, 32;\n"
      "bar.sync 0;\n"
      "xor.b32 %r5, %r1, 128; @!%p0 ld.shared.u32 %r4, [%r5];\n";
  EXPECT_EQ(fault(begin + "@%p0 st.shared.u32 [%r1], %tid;"),
            "12: store of 4 bytes at address 0x80 of shared memory races with "
            "the load by thread (0,0,0) at line 11: no barrier is between them "
            "in 'st.shared.u32 [%r1], %tid', block (0,0,0), thread "
            "(32,0,0)");
  EXPECT_EQ(fault(begin + "bar.sync 0;\n@%p0 st.shared.u32 [%r1], %tid;"), "");
}

TEST(SharedRace, WriteAfterReadsOfMany) {
  // All read a place, its writer among them, and last or first.
  for (const char *writer : {"0", "17", "31", "63"}) {
    std::string text = "mov.u32 %r4, 7; setp.eq.u32 %p0, %tid, 0;\n"
                       "@%p0 st.shared.u32 [s], %r4; bar.sync 0;\n"
                       "ld.shared.u32 %r4, [s];\n"
                       "setp.eq.u32 %p1, %tid, " +
                       std::string(writer) + ";\n";
    std::string store = "@%p1 st.shared.u32 [s], %tid;";
    EXPECT_NE(fault(text + store).find("races with the "), std::string::npos)
        << writer;
    EXPECT_EQ(fault(text + "bar.sync 0;\n" + store), "");
  }
}

TEST(SharedRace, WriteAfterWrite) {
  EXPECT_EQ(fault("and.b32 %r4, %tid, 31; shl.b32 %r4, %r4, 2;\n"
                  "st.shared.u32 [%r4], %tid;\n"),
            "10: store of 4 bytes at address 0x0 of shared memory races with "
            "the store by thread (0,0,0) at line 10: no barrier is between "
            "them in 'st.shared.u32 [%r4], %tid', block (0,0,0), thread "
            "(32,0,0)");
  // Two lanes of one instruction.
  EXPECT_EQ(fault("st.shared.u32 [s+64], %tid;"),
            "9: store of 4 bytes at address 0x40 of shared memory races with "
            "the store by thread (0,0,0) at line 9: no barrier is between them "
            "in 'st.shared.u32 [s+64], %tid', block (0,0,0), thread (1,0,0)");
}

TEST(SharedRace, NeighbouringBytesDoNotMeet) {
  EXPECT_EQ(fault("cvt.u16.u32 %h0, %tid; st.shared.u8 [%tid], %h0;\n"
                  "bar.sync 0;\nld.shared.u32 %r4, [s];\n"),
            "");
  EXPECT_EQ(fault("cvt.u16.u32 %h0, %tid; st.shared.u8 [%tid], %h0;\n"
                  "and.b32 %r4, %tid, 62;\nld.shared.u16 %h1, [%r4];\n"),
            "11: load of 2 bytes at address 0x0 of shared memory races with "
            "the store by thread (1,0,0) at line 9: no barrier is between them "
            "in 'ld.shared.u16 %h1, [%r4]', block (0,0,0), thread (0,0,0)");
}

TEST(SharedRace, BarriersOfAPart) {
  // The first two warps of four meet; that orders only those.
  std::string text = "setp.ge.u32 %p0, %tid, 64;\n"
                     "st.shared.u32 [%r1], %tid;\n"
                     "@%p0 bra REST;\nbar.sync 1, 64;\n"
                     "xor.b32 %r4, %r1, 128; ld.shared.u32 %r5, [%r4];\n"
                     "REST:\n";
  EXPECT_EQ(fault(text, 128), "");
  EXPECT_EQ(fault(text + "@!%p0 ld.shared.u32 %r5, [%r1+256];", 128),
            "15: load of 4 bytes at address 0x100 of shared memory races with "
            "the store by thread (64,0,0) at line 10: no barrier is between "
            "them in 'ld.shared.u32 %r5, [%r1+256]', block (0,0,0), "
            "thread (0,0,0)");
  EXPECT_EQ(fault(text + "bar.sync 0; xor.b32 %r4, %r1, 256;"
                         "ld.shared.u32 %r5, [%r4];",
                  128),
            "");
}

TEST(SharedRace, LanesOfAWarpMeet) {
  std::string store = "st.shared.u32 [%r1], %tid;\n";
  std::string load = "ld.shared.u32 %r4, [%r2];\n";
  EXPECT_EQ(fault(store + "bar.warp.sync 0xffffffff;\n" + load), "");
  // A barrier of a warp does not order warps.
  EXPECT_EQ(fault(store + "bar.warp.sync 0xffffffff;\nxor.b32 %r4, %r1, 128;"
                          "ld.shared.u32 %r5, [%r4];",
                  64, only(&Detectors::sharedRaces)),
            "9: store of 4 bytes at address 0x80 of shared memory races with "
            "the load by thread (0,0,0) at line 11: no barrier is between them "
            "in 'st.shared.u32 [%r1], %tid', block (0,0,0), thread (32,0,0)");
}

TEST(SharedRace, StrongAccessesMayMeet) {
  EXPECT_EQ(fault("st.volatile.shared.u32 [s], %tid;\n"
                  "ld.volatile.shared.u32 %r4, [s];\n"
                  "st.relaxed.cta.shared.u32 [s], %tid;\n"
                  "ld.acquire.cta.shared.u32 %r4, [s];\n"),
            "");
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

namespace {

/// A buffer `out` of 64 words, and a body, from line 9 on, with `out` in %rd0,
/// the block's number in %b, the thread's in %tid, and the address of the
/// thread's own word in %rd1.
struct GlobalRun {
  std::uint32_t blocks = 4, threads = 16;
  unsigned workers = 2;
  bool isUninitialized = false, isWrittenOnce = false;
  Detectors detectors;
  std::vector<std::uint64_t> picked;

  std::string operator()(const std::string &body) const {
    LaunchConfig config;
    config.grid = {blocks, 1, 1};
    config.block = {threads, 1, 1};
    config.workers = workers;
    config.detectors = detectors;
    config.blocks = picked;
    std::vector<std::uint32_t> out(64);
    GlobalBuffer buffer = bufferOf(out, "out");
    buffer.isUninitialized = isUninitialized;
    buffer.isWrittenOnce = isWrittenOnce;
    Result<Counters> result = runText(
        kernel(".param .u64 out",
               ".reg .b32 %r<9>, %tid, %b; .reg .b64 %rd<9>;\n"
               ".reg .pred %p<4>; .reg .b16 %h; ld.param.u64 %rd0, [out];\n"
               "mov.u32 %tid, %tid.x; mov.u32 %b, %ctaid.x;\n"
               "mad.lo.u32 %r0, %b, 16, %tid; mad.wide.u32 %rd1, %r0, 4, "
               "%rd0;\n" +
                   body),
        config, {buffer}, {KernelArgument::address(0)});
    return result ? "" : result.error().substr(std::strlen("k.ptx:"));
  }
};

} // namespace

TEST(GlobalRace, WritersOfOneWord) {
  GlobalRun run;
  EXPECT_EQ(run("st.global.u32 [%rd1], %tid;"), "");
  std::string text = "shl.b32 %r1, %b, 2; add.u32 %r1, %r1, %tid;\n"
                     "mad.wide.u32 %rd2, %r1, 4, %rd0;\n"
                     "st.global.u32 [%rd2], %tid;\n";
  for (unsigned workers : {1, 2, 4}) {
    run.workers = workers;
    EXPECT_EQ(run(text),
              "11: store of 4 bytes at address 0x10000000010, byte 16 of "
              "buffer 'out', races with the store by block (0,0,0), thread "
              "(4,0,0) at line 11: nothing orders the blocks of a grid in "
              "'st.global.u32 [%rd2], %tid', block (1,0,0), thread (0,0,0)");
  }
  run.picked = {3, 0};
  EXPECT_EQ(run(text),
            "11: store of 4 bytes at address 0x10000000030, byte 48 of buffer "
            "'out', races with the store by block (0,0,0), thread (12,0,0) at "
            "line 11: nothing orders the blocks of a grid in 'st.global.u32 "
            "[%rd2], %tid', block (3,0,0), thread (0,0,0)");
  run.picked = {3};
  EXPECT_EQ(run(text), "");
  run.picked = {};
  run.detectors.globalRaces = false;
  EXPECT_EQ(run(text), "");
}

TEST(GlobalRace, ReaderAndWriter) {
  // Each block reads what it writes and what the next writes.
  std::string text = "ld.global.u32 %r1, [%rd1];\n"
                     "setp.lt.u32 %p0, %b, 3;\n"
                     "@%p0 ld.global.u32 %r2, [%rd1+64];\n"
                     "st.global.u32 [%rd1], %r1;\n";
  for (unsigned workers : {1, 2, 4}) {
    GlobalRun run;
    run.workers = workers;
    EXPECT_EQ(run(text),
              "12: store of 4 bytes at address 0x10000000040, byte 64 of "
              "buffer 'out', races with the load by block (0,0,0), thread "
              "(0,0,0) at line 11: nothing orders the blocks of a grid in "
              "'st.global.u32 [%rd1], %r1', block (1,0,0), thread (0,0,0)");
  }
  // A later block reads.
  EXPECT_EQ(GlobalRun()("setp.eq.u32 %p0, %b, 1; st.global.u32 [%rd1], %tid;\n"
                        "@%p0 ld.global.u32 %r1, [%rd0];\n"),
            "10: load of 4 bytes at address 0x10000000000, byte 0 of buffer "
            "'out', races with the store by block (0,0,0), thread (0,0,0) at "
            "line 9: nothing orders the blocks of a grid in 'ld.global.u32 "
            "%r1, [%rd0]', block (1,0,0), thread (0,0,0)");
  // Many may read.
  EXPECT_EQ(GlobalRun()("ld.global.u32 %r1, [%rd0+16];"), "");
}

TEST(GlobalRace, BytesAndWords) {
  std::string text = "mul.wide.u32 %rd2, %r0, 1; add.s64 %rd2, %rd2, %rd0;\n"
                     "cvt.u16.u32 %h, %tid; st.global.u8 [%rd2], %h;\n";
  EXPECT_EQ(GlobalRun()(text), "");
  // The last of one block is the first of the next; its bytes are not aligned
  // to a word.
  EXPECT_EQ(GlobalRun()("mad.lo.u32 %r1, %b, 15, %tid;\n"
                        "cvt.u64.u32 %rd2, %r1; add.s64 %rd2, %rd2, %rd0;\n"
                        "cvt.u16.u32 %h, %tid; st.global.u8 [%rd2], %h;\n"),
            "11: store of 1 bytes at address 0x1000000000f, byte 15 of buffer "
            "'out', races with the store by block (0,0,0), thread (15,0,0) at "
            "line 11: nothing orders the blocks of a grid in 'st.global.u8 "
            "[%rd2], %h', block (1,0,0), thread (0,0,0)");
  GlobalRun run;
  run.blocks = 2;
  run.threads = 1;
  EXPECT_EQ(run("setp.eq.u32 %p0, %b, 0; cvt.u16.u32 %h, %b;\n"
                "@%p0 st.global.u8 [%rd0+6], %h;\n"
                "@!%p0 st.global.u32 [%rd0+4], %b;\n"),
            "11: store of 4 bytes at address 0x10000000004, byte 4 of buffer "
            "'out', races with the store by block (0,0,0), thread (0,0,0) at "
            "line 10: nothing orders the blocks of a grid in 'st.global.u32 "
            "[%rd0+4], %b', block (1,0,0), thread (0,0,0)");
}

TEST(GlobalRace, LastReader) {
  // Block 0 writes and is the first to read.
  GlobalRun run;
  run.threads = 1;
  EXPECT_EQ(run("setp.eq.u32 %p0, %b, 0;\n"
                "@%p0 st.global.u32 [%rd0], %b;\n"
                "ld.global.u32 %r1, [%rd0];\n"),
            "11: load of 4 bytes at address 0x10000000000, byte 0 of buffer "
            "'out', races with the store by block (0,0,0), thread (0,0,0) at "
            "line 10: nothing orders the blocks of a grid in 'ld.global.u32 "
            "%r1, [%rd0]', block (3,0,0), thread (0,0,0)");
}

TEST(GlobalRace, StrongAccessesMayMeet) {
  GlobalRun run;
  run.isUninitialized = true;
  EXPECT_EQ(run("st.relaxed.gpu.global.u32 [%rd0], %b;\n"
                "ld.acquire.gpu.global.u32 %r1, [%rd0];\n"
                "ld.global.u32 %r1, [%rd0];\n"),
            "");
}

TEST(UninitializedBuffer, Read) {
  std::string text = "st.global.u32 [%rd1], %tid;\n"
                     "setp.eq.u32 %p0, %b, 2; @%p0 ld.global.u32 %r1, "
                     "[%rd1+64];\n";
  GlobalRun run;
  run.blocks = 3;
  for (unsigned workers : {1, 3}) {
    run.workers = workers;
    run.isUninitialized = true;
    EXPECT_EQ(run(text),
              "10: load of 4 bytes at address 0x100000000c0, byte 192 of "
              "buffer 'out', which nothing has initialized or written in "
              "'ld.global.u32 %r1, [%rd1+64]', block (2,0,0), thread (0,0,0)");
    EXPECT_EQ(run("st.global.u32 [%rd1], %tid; ld.global.u32 %r1, [%rd1];"),
              "");
    run.isUninitialized = false;
    EXPECT_EQ(run(text), "");
  }
  run.isUninitialized = true;
  run.detectors = Detectors::none();
  EXPECT_EQ(run(text), "");
}

TEST(WrittenOnce, SecondStore) {
  GlobalRun run;
  run.isWrittenOnce = true;
  EXPECT_EQ(run("st.global.u32 [%rd1], %tid;"), "");
  std::string twice = "st.global.u32 [%rd1], %tid;\n"
                      "setp.ge.u32 %p0, %r0, 19;\n"
                      "@%p0 st.global.u32 [%rd1], %b;\n";
  for (unsigned workers : {1, 4}) {
    run.workers = workers;
    EXPECT_EQ(run(twice),
              "11: store of 4 bytes at address 0x1000000004c, byte 76 of "
              "buffer 'out', is the second to an element that is to be written "
              "once: the first is the store by block (1,0,0), thread (3,0,0) "
              "at line 9 in 'st.global.u32 [%rd1], %b', block (1,0,0), thread "
              "(3,0,0)");
  }
  // Two threads, even if they store the same.
  run.blocks = 1;
  run.detectors.globalRaces = false;
  EXPECT_EQ(run("st.global.u32 [%rd0], %b;").substr(0, 72),
            "9: store of 4 bytes at address 0x10000000000, byte 0 of buffer "
            "'out', is");
  run.blocks = 4;
  run.isWrittenOnce = false;
  EXPECT_EQ(run(twice), "");
  run.isWrittenOnce = true;
  run.detectors = Detectors::none();
  EXPECT_EQ(run(twice), "");
}
