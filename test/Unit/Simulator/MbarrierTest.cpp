//===- MbarrierTest.cpp - Barriers in shared memory -----------------------===//
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

/// Runs a body, from line 10 on: %t the thread, `bar` an mbarrier, `s` other
/// shared memory, %si = s + 4 * %t, %so = s + 4 * (%t ^ 32), %in and %out
/// buffers, %ini and %outi those plus 4 * %t; %c0 holds in thread 0, %c1 from
/// thread 32 on.
static Result<Counters> run(const std::string &body, std::uint32_t threads,
                            Words &out, Detectors detectors = Detectors()) {
  Words in(threads);
  for (std::uint32_t i = 0; i < threads; ++i)
    in[i] = 100 + i;
  LaunchConfig config;
  config.block = {threads, 1, 1};
  config.detectors = detectors;
  return runText(
      kernel(".param .u64 pin, .param .u64 pout",
             ".reg .b32 %r<9>, %t, %si, %so; .reg .b64 %rd<9>, %in, %out;\n"
             ".reg .b64 %ini, %outi; .reg .pred %c<3>, %p<4>;\n"
             ".shared .align 16 .b8 s[1024]; .shared .b64 bar;\n"
             "ld.param.u64 %in, [pin]; ld.param.u64 %out, [pout]; mov.u32 %t, "
             "%tid.x; shl.b32 %r0, %t, 2; mov.u32 %r1, s; xor.b32 %r2, %r0, "
             "128; add.u32 %si, %r1, %r0; add.u32 %so, %r1, %r2; cvt.u64.u32 "
             "%rd0, %r0; add.u64 %ini, %in, %rd0; add.u64 %outi, %out, %rd0; "
             "setp.eq.u32 %c0, %t, 0; setp.ge.u32 %c1, %t, 32;\n\n" +
                 body),
      config, {bufferOf(in, "in", false), bufferOf(out, "out")},
      {KernelArgument::address(0), KernelArgument::address(1)});
}

static std::string fault(const std::string &body, std::uint32_t threads = 64) {
  Words out(threads);
  Result<Counters> result = run(body, threads, out);
  return result ? "" : result.error().substr(std::strlen("k.ptx:"));
}

static void expectBegins(const std::string &text, const std::string &begin) {
  EXPECT_EQ(text.substr(0, begin.size()), begin);
}

TEST(Mbarrier, Phases) {
  // One thread; the results of waits, as bits from the lowest on.
  const std::string note = "selp.u32 %r4, 1, 0, %p0; shl.b32 %r4, %r4, %r5; "
                           "or.b32 %r3, %r3, %r4; add.u32 %r5, %r5, 1;\n";
  auto wait = [&](const std::string &form, const std::string &phase) {
    return "mbarrier." + form + ".shared.b64 %p0, [bar], " + phase + ";\n" +
           note;
  };
  Words out(4);
  Result<Counters> result = run(
      "mov.u32 %r3, 0; mov.u32 %r5, 0;\n"
      "mbarrier.init.shared.b64 [bar], 3;\n" +
          wait("test_wait.parity", "1") + // The phase before the first.
          wait("test_wait.parity", "0") +
          "mbarrier.arrive.shared.b64 %rd1, [bar];\n" +
          wait("test_wait", "%rd1") +
          "mbarrier.arrive.noComplete.shared.b64 %rd2, [bar], 1;\n" +
          wait("try_wait", "%rd2") +
          "mbarrier.arrive.release.cta.shared::cta.b64 %rd3, [bar];\n" +
          wait("test_wait", "%rd1") + wait("try_wait", "%rd3") +
          wait("test_wait.parity", "0") + wait("try_wait.parity", "1") +
          "mbarrier.arrive_drop.shared.b64 _, [bar], 2;\n" +
          wait("test_wait.parity", "1") +
          "mbarrier.arrive.shared.b64 %rd4, [bar];\n" + // Of phase 1, the last.
          wait("try_wait.parity", "1, 100") +
          "mbarrier.arrive.shared.b64 %rd5, [bar];\n" + // All of phase 2.
          wait("test_wait.parity", "0") +
          "st.global.u32 [%out], %r3;\n"
          "mbarrier.pending_count.b64 %r6, %rd1; st.global.u32 [%out+4], %r6;\n"
          "mbarrier.pending_count.b64 %r6, %rd3; st.global.u32 [%out+8], %r6;\n"
          "mbarrier.pending_count.b64 %r6, %rd5;\n"
          "st.global.u32 [%out+12], %r6;\n"
          "mbarrier.inval.shared.b64 [bar];\n"
          "mbarrier.init.shared.b64 [bar], 1;\n",
      1, out);
  ASSERT_TRUE(result) << result.error();
  EXPECT_EQ(out, (Words{0b11001110001, 3, 1, 1}));
}

TEST(Mbarrier, GenericAddresses) {
  EXPECT_EQ(fault("mov.u64 %rd1, bar; cvta.shared.u64 %rd1, %rd1;\n"
                  "mbarrier.init.b64 [%rd1], 1;\n"
                  "mbarrier.arrive.b64 %rd2, [%rd1];\n"
                  "mbarrier.test_wait.b64 %p0, [%rd1], %rd2;\n"
                  "@!%p0 trap;\nmbarrier.inval.b64 [%rd1];\n",
                  1),
            "");
}

/// Warp 0 writes, warp 1 waits and reads what the other has written.
struct Exchange {
  const char *init = "@%c0 mbarrier.init.shared.b64 [bar], 32;\nbar.sync 0;\n";
  const char *write = "st.shared.u32 [%si], %t;\n";
  const char *arrive = "mbarrier.arrive.shared.b64 %rd1, [bar];\n";
  const char *wait = "WAIT: mbarrier.try_wait.parity.shared.b64 %p0, [bar], "
                     "0;\n@!%p0 bra WAIT;\n";
};

static std::string exchange(const Exchange &parts = Exchange()) {
  return std::string(parts.init) + "@%c1 bra CONSUMER;\n" + parts.write +
         parts.arrive + "ret;\nCONSUMER:\n" + parts.wait +
         "ld.shared.u32 %r3, [%so];\nst.global.u32 [%outi], %r3;\n";
}

TEST(Mbarrier, OrdersWarps) {
  Words out(64), expected(64);
  for (std::uint32_t i = 32; i < 64; ++i)
    expected[i] = i - 32;
  Result<Counters> result = run(exchange(), 64, out);
  ASSERT_TRUE(result) << result.error();
  EXPECT_EQ(out, expected);

  Exchange parts;
  parts.wait = "";
  expectBegins(fault(exchange(parts)),
               "17: load of 4 bytes at address 0x0 of shared memory races with "
               "the store by thread (0,0,0) at line 13: no barrier is between "
               "them in 'ld.shared.u32 %r3, [%so]'");
  // The write comes behind the arrival.
  parts = Exchange();
  std::string late = std::string(parts.arrive) + parts.write;
  parts.write = "";
  parts.arrive = late.c_str();
  expectBegins(fault(exchange(parts)),
               "19: load of 4 bytes at address 0x0 of shared memory races with "
               "the store by thread (0,0,0) at line 14: no barrier is between");
  // Nothing orders the initialization.
  parts = Exchange();
  parts.init = "@%c0 mbarrier.init.shared.b64 [bar], 32;\n";
  expectBegins(fault(exchange(parts)),
               "13: store of 8 bytes at address 0x400 of shared memory races "
               "with the store by thread (0,0,0) at line 10: no barrier is");
}

TEST(Mbarrier, ArrivingDoesNotOrderTheLanesOfAWarp) {
  Exchange parts;
  std::string read = std::string(parts.arrive) + "xor.b32 %r5, %si, 4;\n"
                                                 "ld.shared.u32 %r4, [%r5];\n";
  parts.arrive = read.c_str();
  expectBegins(fault(exchange(parts)),
               "16: load of 4 bytes at address 0x4 of shared memory races with "
               "the store by thread (1,0,0) at line 13: no barrier is between");
}

TEST(Mbarrier, Deadlock) {
  Exchange parts;
  parts.init = "@%c0 mbarrier.init.shared.b64 [bar], 33;\nbar.sync 0;\n";
  EXPECT_EQ(
      fault(exchange(parts)),
      "17: deadlock: phase 0 of the mbarrier at address 0x400 takes 1 "
      "more arrivals, but all warps wait: threads (32,0,0) at line 17; 32 "
      "threads have exited in 'mbarrier.try_wait.parity.shared.b64 %p0, "
      "[bar], 0', block (0,0,0), thread (32,0,0)");
  // Some wait at a barrier.
  expectBegins(fault("@%c0 mbarrier.init.shared.b64 [bar], 1;\nbar.sync 0;\n"
                     "@%c1 bra LAST;\n"
                     "WAIT: mbarrier.test_wait.parity.shared.b64 %p0, [bar], "
                     "0;\n@!%p0 bra WAIT;\nLAST: bar.sync 0;\n"
                     "@%c0 mbarrier.arrive.shared.b64 _, [bar];\n"),
               "13: deadlock: phase 0 of the mbarrier at address 0x400 takes 1 "
               "more arrivals, but all warps wait: threads (0,0,0) at line 13, "
               "(32,0,0) at line 15; 0 threads have exited in");
}

TEST(Mbarrier, Faults) {
  const std::string init = "mbarrier.init.shared.b64 [bar], 2;\n";
  auto inOneThread = [](const std::string &body) { return fault(body, 1); };
  EXPECT_EQ(inOneThread("mbarrier.arrive.shared.b64 _, [bar];\n"),
            "10: the mbarrier at address 0x400 has not been initialized in "
            "'mbarrier.arrive.shared.b64 _, [bar]', block (0,0,0), thread "
            "(0,0,0)");
  expectBegins(
      inOneThread("mbarrier.test_wait.parity.shared.b64 %p0, [bar], 0;\n"),
      "10: the mbarrier at address 0x400 has not been initialized");
  expectBegins(inOneThread("mbarrier.inval.shared.b64 [bar];\n"),
               "10: the mbarrier at address 0x400 has not been initialized");
  expectBegins(inOneThread(init + init),
               "11: the mbarrier at address 0x400 has been initialized and not "
               "been invalidated since");
  expectBegins(inOneThread("mbarrier.init.shared.b64 [bar], 0;\n"),
               "10: the mbarrier at address 0x400 cannot expect 0 arrivals, "
               "but 1 to 1048575");
  expectBegins(
      inOneThread(init + "mbarrier.arrive.shared.b64 %rd1, [bar], 3;\n"),
      "11: the mbarrier at address 0x400 takes 2 more arrivals, not 3");
  expectBegins(
      inOneThread(init +
                  "mbarrier.arrive.noComplete.shared.b64 %rd1, [bar], 2;\n"),
      "11: the mbarrier at address 0x400 completes its phase with this "
      "'.noComplete' arrival");
  expectBegins(
      inOneThread(init +
                  "mbarrier.test_wait.parity.shared.b64 %p0, [bar], 2;\n"),
      "11: the mbarrier at address 0x400 has phases of parity 0 and 1, not 2");
  expectBegins(
      inOneThread(init + "mbarrier.arrive.shared.b64 %rd1, [bar];\n"
                         "mbarrier.arrive.shared.b64 %rd2, [bar];\n"
                         "mbarrier.arrive.shared.b64 %rd2, [bar], 2;\n"
                         "mbarrier.test_wait.shared.b64 %p0, [bar], %rd1;\n"),
      "14: the mbarrier at address 0x400 is in phase 2, too far from phase 0 "
      "of this state");
  expectBegins(inOneThread("mbarrier.init.shared.b64 [s+4], 1;\n"),
               "10: misaligned store of 8 bytes at address 0x4");
  expectBegins(inOneThread("mbarrier.init.shared.b64 [bar+8], 1;\n"),
               "10: store of 8 bytes at address 0x408 is outside the 1032");
}

TEST(Mbarrier, NotInTheSubset) {
  for (const char *instruction :
       {"mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [sh], 16;",
        "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [sh], 16;"})
    expectBegins(instructionError(instruction),
                 "k.ptx:9: missing or unsupported operation on an mbarrier in");
  expectBegins(instructionError("mbarrier.arrive.expect_tx.release.cta.shared::"
                                "cta.b64 %rd1, [sh], 16;"),
               "k.ptx:9: expected modifier '.b64' in");
  expectBegins(instructionError("mbarrier.arrive.noComplete.shared.b64 %rd1, "
                                "[sh];"),
               "k.ptx:9: expected 3 operands, found 2");
  expectBegins(instructionError("mbarrier.test_wait.shared.b64 %p1, [sh], "
                                "%rd1, 5;"),
               "k.ptx:9: expected 3 operands, found 4");
}

//===----------------------------------------------------------------------===//
// Copies that arrive
//===----------------------------------------------------------------------===//

static Exchange copying(const char *init, const char *arrive) {
  Exchange parts;
  parts.init = init;
  parts.write = "cp.async.ca.shared.global [%si], [%ini], 4;\n";
  parts.arrive = arrive;
  return parts;
}

static const char *const init32 =
    "@%c0 mbarrier.init.shared.b64 [bar], 32;\nbar.sync 0;\n";

TEST(CopyArrive, LandsWhenTheBarrierIsWaitedFor) {
  Words expected(64);
  for (std::uint32_t i = 32; i < 64; ++i)
    expected[i] = 100 + i - 32;
  const Exchange forms[] = {
      copying(init32, "cp.async.mbarrier.arrive.noinc.shared.b64 [bar];\n"),
      // The arrival of the copy is one more than expected.
      copying(init32, "cp.async.mbarrier.arrive.shared.b64 [bar];\n"
                      "mbarrier.arrive.shared.b64 _, [bar];\n")};
  for (const Exchange &parts : forms) {
    Words out(64);
    Result<Counters> result = run(exchange(parts), 64, out);
    ASSERT_TRUE(result) << result.error();
    EXPECT_EQ(out, expected);
    out.assign(64, 0);
    result = run(exchange(parts), 64, out, Detectors::none());
    ASSERT_TRUE(result) << result.error();
    EXPECT_EQ(out, expected);
  }
}

TEST(CopyArrive, Mistakes) {
  Exchange parts =
      copying(init32, "cp.async.mbarrier.arrive.noinc.shared.b64 [bar];\n");
  parts.wait = "";
  expectBegins(fault(exchange(parts)),
               "17: load of 4 bytes at address 0x0 of shared memory races with "
               "the copy by thread (0,0,0) at line 13, which has not been "
               "waited for");
  // Arriving oneself says nothing of copies.
  expectBegins(
      fault(
          exchange(copying(init32, "mbarrier.arrive.shared.b64 _, [bar];\n"))),
      "15: the thread ends before it has waited for the copy at line 13");
  // The copy is issued behind the arrival.
  parts = copying(init32, "");
  parts.write = "cp.async.mbarrier.arrive.noinc.shared.b64 [bar];\n"
                "cp.async.ca.shared.global [%si], [%ini], 4;\n";
  expectBegins(
      fault(exchange(parts)),
      "15: the thread ends before it has waited for the copy at line 14");
}
