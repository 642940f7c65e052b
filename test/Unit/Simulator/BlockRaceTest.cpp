//===- BlockRaceTest.cpp - Races inside a block, unwritten memory ---------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels whose threads race on global memory inside one block, copy from
// memory that changes, or leave out what they should write; and the same
// kernels mended.
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"

using namespace tc;
using namespace tc::sim;
using namespace tc::sim::test;

namespace {

/// Runs a body, from line 9 on: %t the thread, %b the block, %n their number
/// in the grid, %p the address of the buffer `m`, %q = %p + 4 * %n, %o = %p + 4
/// * (%n ^ 1), %x = %p + 4 * (%n ^ 32).
struct Trial {
  std::uint32_t blocks = 1, threads = 64;
  unsigned workers = 1;
  std::vector<std::uint64_t> picked;
  Detectors detectors;
  bool mustBeWritten = false;
  std::size_t misalignment = 0, words = 256;

  std::string operator()(const std::string &body) const {
    LaunchConfig config;
    config.grid = {blocks, 1, 1};
    config.block = {threads, 1, 1};
    config.workers = workers;
    config.blocks = picked;
    config.detectors = detectors;
    std::vector<std::uint32_t> memory(words);
    GlobalBuffer buffer = bufferOf(memory, "m");
    buffer.mustBeWritten = mustBeWritten;
    buffer.misalignment = misalignment;
    Result<Counters> result =
        runText(kernel(".param .u64 p",
                       ".reg .b64 %p, %q, %o, %x; .reg .b32 %r<9>, %t, %b, %n; "
                       ".reg .pred %c<3>; .reg .b16 %h; .shared .b32 s[64];\n"
                       "ld.param.u64 %p, [p]; mov.u32 %t, %tid.x; "
                       "mov.u32 %b, %ctaid.x; mov.u32 %r0, %ntid.x;\n"
                       "mad.lo.u32 %n, %b, %r0, %t;\n"
                       "mad.wide.u32 %q, %n, 4, %p; xor.b32 %r0, %n, 1; "
                       "mad.wide.u32 %o, %r0, 4, %p; xor.b32 %r0, %n, 32; "
                       "mad.wide.u32 %x, %r0, 4, %p;\n" +
                           body),
                config, {buffer}, {KernelArgument::address(0)});
    return result ? "" : result.error().substr(std::strlen("k.ptx:"));
  }
};

} // namespace

TEST(BlockRace, ReadAfterWrite) {
  Trial run;
  std::string store = "st.global.u32 [%q], %t;\n";
  EXPECT_EQ(run(store + "ld.global.u32 %r1, [%o];\n"),
            "10: load of 4 bytes at address 0x10000000004, byte 4 of buffer "
            "'m', races with the store by thread (1,0,0) at line 9: no barrier "
            "is between them in 'ld.global.u32 %r1, [%o]', block (0,0,0), "
            "thread (0,0,0)");
  EXPECT_EQ(run(store + "bar.sync 0;\nld.global.u32 %r1, [%x];\n"), "");
  EXPECT_EQ(run(store + "bar.warp.sync -1;\nld.global.u32 %r1, [%o];\n"), "");
  EXPECT_EQ(run(store + "bar.warp.sync -1;\nld.global.u32 %r1, [%x];\n"),
            "9: store of 4 bytes at address 0x10000000080, byte 128 of buffer "
            "'m', races with the load by thread (0,0,0) at line 11: no barrier "
            "is between them in 'st.global.u32 [%q], %t', block (0,0,0), "
            "thread (32,0,0)");
  // Its own.
  EXPECT_EQ(run(store + "ld.global.u32 %r1, [%q];\n" + store), "");
  // Through generic addresses.
  EXPECT_EQ(run("st.u32 [%q], %t;\nld.u32 %r1, [%o];\n").substr(0, 27),
            "10: load of 4 bytes at addr");
  run.detectors.globalRaces = false;
  EXPECT_EQ(run(store + "ld.global.u32 %r1, [%o];\n"), "");
}

TEST(BlockRace, WriteAfterReadAndWrite) {
  Trial run;
  EXPECT_EQ(run("ld.global.u32 %r1, [%x];\nst.global.u32 [%q], %t;\n"),
            "9: load of 4 bytes at address 0x10000000000, byte 0 of buffer "
            "'m', races with the store by thread (0,0,0) at line 10: no "
            "barrier is between them in 'ld.global.u32 %r1, [%x]', block "
            "(0,0,0), thread (32,0,0)");
  EXPECT_EQ(run("ld.global.u32 %r1, [%x];\nbar.sync 0;\n"
                "st.global.u32 [%q], %t;\n"),
            "");
  EXPECT_EQ(run("st.global.u32 [%p], %t;\n"),
            "9: store of 4 bytes at address 0x10000000000, byte 0 of buffer "
            "'m', races with the store by thread (0,0,0) at line 9: no barrier "
            "is between them in 'st.global.u32 [%p], %t', block (0,0,0), "
            "thread (1,0,0)");
  EXPECT_EQ(
      run("st.global.u32 [%q], %t;\nst.global.u32 [%o], %t;\n").substr(0, 28),
      "10: store of 4 bytes at addr");
  // Readers may be many, and whoever says so may meet.
  EXPECT_EQ(run("ld.global.u32 %r1, [%p];\n"), "");
  EXPECT_EQ(run("st.relaxed.gpu.global.u32 [%p], %t;\n"
                "ld.acquire.gpu.global.u32 %r1, [%p];\n"),
            "");
}

TEST(BlockRace, BytesOfWords) {
  Trial run;
  run.threads = 2;
  const std::string begin = "cvt.u16.u32 %h, %t; setp.eq.u32 %c0, %t, 0;\n";
  EXPECT_EQ(run(begin + "@%c0 st.global.u8 [%p+5], %h;\n"
                        "@!%c0 st.global.u8 [%p+6], %h;\n"),
            "");
  EXPECT_EQ(run(begin + "@%c0 st.global.u8 [%p+5], %h;\n"
                        "@!%c0 ld.global.u32 %r1, [%p+4];\n"),
            "11: load of 4 bytes at address 0x10000000004, byte 4 of buffer "
            "'m', races with the store by thread (0,0,0) at line 10: no "
            "barrier is between them in 'ld.global.u32 %r1, [%p+4]', block "
            "(0,0,0), thread (1,0,0)");
  // A vector and the last of its elements.
  EXPECT_EQ(run(begin + "@%c0 ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%p];\n"
                        "@!%c0 st.global.u32 [%p+12], %t;\n")
                .substr(0, 28),
            "11: store of 4 bytes at addr");
}

TEST(BlockRace, EveryBlockBeginsAnew) {
  // One block's threads write what the other's wrote, which is a race between
  // blocks, and none inside one.
  Trial run;
  run.blocks = 2;
  run.threads = 1;
  std::string error = run("st.global.u32 [%p], %t;\n");
  EXPECT_NE(error.find("nothing orders the blocks of a grid"),
            std::string::npos)
      << error;
  run.threads = 32;
  run.blocks = 8;
  run.words = 8 * 32;
  for (unsigned workers : {1u, 3u}) {
    run.workers = workers;
    EXPECT_EQ(run("st.global.u32 [%q], %t;\nbar.sync 0;\n"
                  "ld.global.u32 %r1, [%o];\n"),
              "");
  }
}

TEST(BlockRace, CopiesRead) {
  Trial run;
  const std::string copy = "mul.lo.u32 %r1, %t, 4; mov.u32 %r2, s; "
                           "add.u32 %r1, %r1, %r2;\n"
                           "cp.async.ca.shared.global [%r1], [%o], 4;\n";
  EXPECT_EQ(run("st.global.u32 [%q], %t;\n" + copy + "cp.async.wait_all;\n"),
            "11: load of 4 bytes at address 0x10000000004, byte 4 of buffer "
            "'m', races with the store by thread (1,0,0) at line 9: no barrier "
            "is between them in 'cp.async.ca.shared.global [%r1], [%o], 4', "
            "block (0,0,0), thread (0,0,0)");
  EXPECT_EQ(run("st.global.u32 [%q], %t;\nbar.sync 0;\n" + copy +
                "cp.async.wait_all;\n"),
            "");
  // A partial read, and a store to bytes that it does not read.
  run.threads = 1;
  EXPECT_EQ(run("cp.async.ca.shared.global [s], [%p], 16, 6;\n"
                "st.global.u32 [%p+8], %t;\ncp.async.wait_all;\n"),
            "");
}

TEST(BlockRace, SourceThatChanges) {
  Trial run;
  const std::string copy = "mul.lo.u32 %r1, %t, 4; mov.u32 %r2, s; "
                           "add.u32 %r1, %r1, %r2; add.u32 %r3, %t, 1;\n"
                           "cp.async.ca.shared.global [%r1], [%q], 4;\n";
  EXPECT_EQ(run(copy + "st.global.u32 [%q], %r3;\ncp.async.wait_all;\n"),
            "10: load of 4 bytes at address 0x10000000000, byte 0 of buffer "
            "'m', is the source of a copy and has changed before that was "
            "waited for in 'cp.async.ca.shared.global [%r1], [%q], 4', block "
            "(0,0,0), thread (0,0,0)");
  // Even if a barrier orders the store behind the issue.
  EXPECT_EQ(run(copy + "bar.sync 0;\nst.global.u32 [%x], %r3;\nbar.sync 0;\n"
                       "cp.async.wait_all;\n")
                .substr(0, 73),
            "10: load of 4 bytes at address 0x10000000000, byte 0 of buffer "
            "'m', is th");
  EXPECT_EQ(run(copy + "cp.async.wait_all;\nst.global.u32 [%q], %r3;\n"), "");
  run.detectors.globalRaces = false;
  EXPECT_EQ(run(copy + "st.global.u32 [%q], %r3;\ncp.async.wait_all;\n"), "");
}

//===----------------------------------------------------------------------===//
// Unwritten elements
//===----------------------------------------------------------------------===//

TEST(Unwritten, Elements) {
  Trial run;
  run.blocks = 4;
  run.mustBeWritten = true;
  const std::string some = "setp.ne.u32 %c0, %n, 70; setp.ne.and.u32 %c0, %n, "
                           "101, %c0;\n@%c0 ";
  for (unsigned workers : {1u, 4u}) {
    run.workers = workers;
    EXPECT_EQ(run("st.global.u32 [%q], %t;\n"), "");
    EXPECT_EQ(run(some + "st.global.u32 [%q], %t;\n"),
              " entry 'k': byte 280 of buffer 'm' has not been written, the "
              "first of 8");
  }
  // Any instruction that writes will do.
  EXPECT_EQ(run("st.volatile.global.u32 [%q], %t;\n"), "");
  EXPECT_EQ(run("red.global.add.u32 [%q], %t;\n"), "");
  EXPECT_EQ(run("atom.global.exch.b32 %r1, [%q], %t;\n"), "");
  EXPECT_EQ(run("ld.global.u32 %r1, [%q];\n"),
            " entry 'k': byte 0 of buffer 'm' has not been written, the first "
            "of 1024");
  EXPECT_EQ(run("ret;\n"), " entry 'k': byte 0 of buffer 'm' has not been "
                           "written, the first of 1024");
  // Some blocks write their part only.
  run.picked = {1, 2};
  EXPECT_EQ(run("st.global.u32 [%q], %t;\n"), "");
  run.picked = {};
  run.detectors.unwritten = false;
  EXPECT_EQ(run(some + "st.global.u32 [%q], %t;\n"), "");
  run.detectors = Detectors();
  run.mustBeWritten = false;
  EXPECT_EQ(run("ret;\n"), "");
}

TEST(Unwritten, PartsOfGranules) {
  // The buffer begins and ends inside 16 bytes that one instruction could load.
  Trial run;
  run.threads = 32;
  run.words = 2;
  run.misalignment = 12;
  run.mustBeWritten = true;
  const std::string wide =
      "@%c1 ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%p];\n";
  EXPECT_EQ(run("setp.gt.u32 %c1, %t, 99; setp.eq.u32 %c0, %t, 0;\n" + wide +
                "@%c0 st.global.u32 [%p+4], %t;\n"),
            " entry 'k': byte 0 of buffer 'm' has not been written, the first "
            "of 4");
}
