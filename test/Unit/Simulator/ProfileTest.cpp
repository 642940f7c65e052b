//===- ProfileTest.cpp - Counts by instruction and by loop ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"

#include <fstream>
#include <sstream>

using namespace tc;
using namespace tc::sim;
using namespace tc::sim::test;

static const std::string registers =
    ".reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .f64 %fd<9>; "
    ".reg .pred %p<4>; ld.param.u64 %rd0, [p]; mov.u32 %r0, %tid.x;\n";

/// Profiles a body that begins at line 6 and may use the address of a buffer of
/// 64 KiB in %rd0, the thread's number in %r0, and 32 KiB of shared memory.
static Profile profile(const std::string &body, std::uint32_t threads = 32,
                       std::uint32_t blocks = 1, unsigned workers = 1) {
  std::vector<std::uint8_t> buffer(65536);
  LaunchConfig config;
  config.grid = {blocks, 1, 1};
  config.block = {threads, 1, 1};
  config.dynamicSharedBytes = 32768;
  config.workers = workers;
  config.detectors = Detectors::none();
  config.profile = true;
  Result<Counters> result =
      runText(kernel(".param .u64 p", registers + body), config,
              {bufferOf(buffer, "p")}, {KernelArgument::address(0)});
  EXPECT_TRUE(result) << (result ? "" : result.error());
  if (!result || !result->profile)
    return Profile();
  // The instructions' counts are the whole's.
  std::uint64_t warps = 0, issued = 0;
  AccessCounts accesses;
  for (const InstructionProfile &instruction : result->profile->instructions) {
    warps += instruction.warpInstructions;
    issued += instruction.threadInstructions;
    accesses += instruction.accesses;
  }
  const BufferTraffic &traffic = result->buffers[0];
  const SharedTraffic &shared = result->shared;
  EXPECT_EQ(warps, result->warpInstructions);
  EXPECT_EQ(issued, result->threadInstructions);
  EXPECT_EQ(accesses.globalBytes, traffic.loadBytes + traffic.storeBytes);
  EXPECT_EQ(accesses.sectors, traffic.loadSectors + traffic.storeSectors);
  EXPECT_EQ(accesses.sharedBytes, shared.loadBytes + shared.storeBytes);
  EXPECT_EQ(accesses.wavefronts,
            shared.loadWavefronts + shared.storeWavefronts);
  EXPECT_EQ(accesses.idealWavefronts,
            shared.idealLoadWavefronts + shared.idealStoreWavefronts);
  return *result->profile;
}

/// The only instruction at a line.
static const InstructionProfile &at(const Profile &profile,
                                    std::uint32_t line) {
  for (const InstructionProfile &instruction : profile.instructions)
    if (instruction.line == line)
      return instruction;
  throw std::runtime_error("no instruction at line " + std::to_string(line));
}

TEST(Profile, IsOffUnlessAskedFor) {
  Result<Counters> result = runText(kernel("", "ret;"), {}, {}, {});
  ASSERT_TRUE(result);
  EXPECT_FALSE(result->profile);
}

TEST(Profile, Instructions) {
  Profile p = profile("setp.lt.u32 %p0, %r0, 40;\n"
                      "@%p0 add.u32   %r1, %r0,\t1;\n"
                      "@%p1 bra END;\n" // Never taken: bytes of 255, xor 1.
                      "END: ret;\n",
                      64);
  EXPECT_EQ(at(p, 6).warpInstructions, 2u);
  EXPECT_EQ(at(p, 6).threadInstructions, 64u);
  EXPECT_EQ(at(p, 7).warpInstructions, 2u);
  EXPECT_EQ(at(p, 7).threadInstructions, 40u);
  EXPECT_EQ(at(p, 7).text, "add.u32 %r1, %r0, 1");
  EXPECT_EQ(at(p, 7).kind, InstructionKind::Integer);
  EXPECT_EQ(at(p, 7).loop, noLoop);
  EXPECT_TRUE(p.loops.empty());
  EXPECT_EQ(p.mainLoop(), nullptr);
  EXPECT_EQ(p.instructions.size(), 7u); // The return at the end included.
}

TEST(Profile, Accesses) {
  Profile p = profile("mad.wide.u32 %rd1, %r0, 8, %rd0;\n"
                      "ld.global.f32 %f0, [%rd1];\n"
                      "mul.lo.u32 %r1, %r0, 16;\n"
                      "st.shared.f32 [%r1], %f0;\n"
                      "ld.shared.v2.f64 {%fd0, %fd1}, [%r1];\n"
                      "setp.lt.u32 %p0, %r0, 4;\n"
                      "@%p0 st.global.f32 [%rd0], %f0;\n",
                      64, 2);
  // Two blocks of two warps.
  EXPECT_EQ(at(p, 7).accesses.globalBytes, 4 * 128u);
  EXPECT_EQ(at(p, 7).accesses.sectors, 4 * 8u);
  EXPECT_EQ(at(p, 7).accesses.sharedBytes, 0u);
  EXPECT_EQ(at(p, 9).accesses.sharedBytes, 4 * 128u);
  EXPECT_EQ(at(p, 9).accesses.wavefronts, 4 * 4u);
  EXPECT_EQ(at(p, 9).accesses.idealWavefronts, 4u);
  EXPECT_EQ(at(p, 9).accesses.conflicts(), 4 * 3u);
  EXPECT_EQ(at(p, 9).accesses.sectors, 0u);
  EXPECT_EQ(at(p, 10).accesses.sharedBytes, 4 * 512u);
  EXPECT_EQ(at(p, 10).accesses.wavefronts, 4 * 4u);
  EXPECT_EQ(at(p, 10).accesses.conflicts(), 0u);
  EXPECT_EQ(at(p, 12).warpInstructions, 4u);
  EXPECT_EQ(at(p, 12).accesses.globalBytes, 2 * 16u);
  EXPECT_EQ(at(p, 12).accesses.sectors, 2u);
}

TEST(Profile, IsTheSameForAnyNumberOfWorkers) {
  const std::string body = "mov.u32 %r1, %ctaid.x;\n"
                           "LOOP: mad.wide.u32 %rd1, %r1, 4, %rd0;\n"
                           "ld.global.u32 %r2, [%rd1];\n"
                           "sub.u32 %r1, %r1, 1;\n"
                           "setp.ge.s32 %p0, %r1, 0;\n"
                           "@%p0 bra LOOP;\n";
  Profile one = profile(body, 64, 40, 1), many = profile(body, 64, 40, 7);
  ASSERT_EQ(one.loops.size(), 1u);
  EXPECT_EQ(one.loops[0].trips, 2 * 40u * 41 / 2);
  EXPECT_EQ(many.loops[0].trips, one.loops[0].trips);
  for (std::size_t i = 0; i < one.instructions.size(); ++i) {
    EXPECT_EQ(many.instructions[i].warpInstructions,
              one.instructions[i].warpInstructions);
    EXPECT_EQ(many.instructions[i].accesses.sectors,
              one.instructions[i].accesses.sectors);
  }
}

TEST(Profile, NestedLoops) {
  Profile p = profile("mov.u32 %r1, 0;\n"
                      "OUTER: mov.u32 %r2, 0;\n"
                      "INNER: add.u32 %r2, %r2, 1;\n"
                      "fma.rn.f64 %fd0, %fd0, %fd0, %fd0;\n"
                      "fma.rn.f64 %fd1, %fd1, %fd1, %fd1;\n"
                      "setp.lt.u32 %p0, %r2, 5;\n"
                      "@%p0 bra INNER;\n"
                      "SECOND: sub.u32 %r2, %r2, 1;\n"
                      "setp.gt.u32 %p0, %r2, 0;\n"
                      "@%p0 bra SECOND;\n"
                      "add.u32 %r1, %r1, 1;\n"
                      "setp.lt.u32 %p0, %r1, 3;\n"
                      "@!%p0 bra END;\n"
                      "bra.uni OUTER;\n"
                      "END: ret;\n",
                      64);
  ASSERT_EQ(p.loops.size(), 3u);
  const LoopProfile &outer = p.loops[0], &inner = p.loops[1],
                    &second = p.loops[2];
  EXPECT_EQ(p.instructions[outer.header].line, 7u);
  EXPECT_EQ(p.instructions[inner.header].line, 8u);
  EXPECT_EQ(p.instructions[second.header].line, 13u);
  EXPECT_EQ(outer.parent, noLoop);
  EXPECT_EQ(inner.parent, 0u);
  EXPECT_EQ(second.parent, 0u);
  EXPECT_EQ(outer.depth, 1u);
  EXPECT_EQ(inner.depth, 2u);
  EXPECT_EQ(outer.trips, 2 * 3u);
  EXPECT_EQ(inner.trips, 2 * 15u);
  EXPECT_EQ(second.trips, 2 * 15u);
  EXPECT_EQ(outer.instructions, 5u);
  EXPECT_EQ(inner.instructions, 5u);
  // The jump back is not made in the last trip.
  EXPECT_EQ(outer.warpInstructions, 2 * (3 * 5 - 1u));
  EXPECT_EQ(inner.warpInstructions, 2 * 15 * 5u);
  EXPECT_EQ(inner[InstructionKind::FmaF64], 2 * 15 * 2u);
  EXPECT_EQ(inner[InstructionKind::Integer], 2 * 15 * 2u);
  EXPECT_EQ(inner[InstructionKind::Branch], 2 * 15u);
  EXPECT_EQ(inner.perTrip(InstructionKind::FmaF64), 2.0);
  EXPECT_EQ(p.mainLoop(), &inner);
  EXPECT_EQ(at(p, 6).loop, noLoop);
  EXPECT_EQ(at(p, 19).loop, 0u);
  EXPECT_EQ(at(p, 20).loop, noLoop);
}

TEST(Profile, JumpsToOneHeaderAreOneLoop) {
  Profile p = profile("mov.u32 %r1, 0;\n"
                      "LOOP: add.u32 %r1, %r1, 1;\n"
                      "setp.lt.u32 %p0, %r1, 4;\n"
                      "@%p0 bra LOOP;\n"
                      "setp.lt.u32 %p0, %r1, 8;\n"
                      "@%p0 bra LOOP;\n");
  ASSERT_EQ(p.loops.size(), 1u);
  EXPECT_EQ(p.loops[0].trips, 8u);
  EXPECT_EQ(p.loops[0].instructions, 5u);
}

TEST(Profile, LoopWithATestInFrontAndABranchInside) {
  Profile p = profile("mov.u32 %r1, 0;\n"
                      "HEAD: setp.ge.u32 %p0, %r1, 6;\n"
                      "@%p0 bra END;\n"
                      "and.b32 %r2, %r1, 1;\n"
                      "setp.eq.u32 %p1, %r2, 0;\n"
                      "@%p1 bra EVEN;\n"
                      "add.f32 %f0, %f0, %f0;\n"
                      "EVEN: add.u32 %r1, %r1, 1;\n"
                      "bra.uni HEAD;\n"
                      "END: ret;\n");
  ASSERT_EQ(p.loops.size(), 1u);
  EXPECT_EQ(p.loops[0].trips, 7u);
  EXPECT_EQ(p.loops[0].instructions, 8u);
  EXPECT_EQ(p.loops[0][InstructionKind::OtherFloat], 3u);
  EXPECT_EQ(at(p, 15).loop, noLoop);
}

TEST(Profile, ACycleWithTwoEntriesIsNoLoop) {
  Profile p = profile("mov.u32 %r1, 0;\n"
                      "setp.eq.u32 %p0, %r1, 1;\n"
                      "@%p0 bra SECOND;\n"
                      "FIRST: add.u32 %r1, %r1, 1;\n"
                      "SECOND: add.u32 %r1, %r1, 1;\n"
                      "setp.lt.u32 %p0, %r1, 8;\n"
                      "@%p0 bra FIRST;\n");
  EXPECT_TRUE(p.loops.empty());
}

TEST(Profile, WhatIsNeverReachedIsNoLoop) {
  Profile p = profile("bra.uni END;\n"
                      "DEAD: add.u32 %r1, %r1, 1;\n"
                      "bra.uni DEAD;\n"
                      "END: ret;\n");
  EXPECT_TRUE(p.loops.empty());
}

TEST(Profile, ALoopThatIsNotEntered) {
  Profile p = profile("setp.gt.u32 %p0, %r0, 99;\n"
                      "@!%p0 bra END;\n"
                      "LOOP: add.u32 %r0, %r0, 1;\n"
                      "setp.lt.u32 %p0, %r0, 9;\n"
                      "@%p0 bra LOOP;\n"
                      "END: ret;\n");
  ASSERT_EQ(p.loops.size(), 1u);
  EXPECT_EQ(p.loops[0].trips, 0u);
  EXPECT_EQ(p.loops[0].perTrip(InstructionKind::Integer), 0.0);
  EXPECT_EQ(p.mainLoop(), nullptr);
}

TEST(Profile, Locations) {
  Profile p =
      profile("add.u32 %r1, %r0, 1;\n"
              ".loc 2 10 7\n"
              "add.u32 %r1, %r0, 2;\n"
              "L: add.u32 %r1, %r0, 3;\n"
              ".loc 1 3 5, function_name $L__name+4, inlined_at 2 11 9\n"
              "add.u32 %r1, %r0, 4;\n"
              ".loc 1 0 0\n"
              "ret;\n"
              "}\n.file 1 \"in lined.mlir\"\n.file 2 \"k.mlir\"\n"
              ".entry other() {\nret;\n");
  auto where = [&](std::uint32_t line) {
    const SourceLocation &location = at(p, line).location;
    return location.file + ":" + std::to_string(location.line) + ":" +
           std::to_string(location.column);
  };
  EXPECT_EQ(where(6), ":0:0");
  EXPECT_EQ(where(8), "k.mlir:10:7");
  EXPECT_EQ(where(9), "k.mlir:10:7");
  EXPECT_EQ(where(11), "in lined.mlir:3:5");
  EXPECT_EQ(p.instructions.back().location.file, "");
}

TEST(Profile, LocationsEndWithTheirEntry) {
  Result<Module> module = Module::parse(
      header + ".file 1 \"a\"\n.entry f() {\n.loc 1 2 3\nret;\n}\n"
               ".entry k() {\nret;\n}\n",
      "k.ptx");
  ASSERT_TRUE(module) << module.error();
  LaunchConfig config;
  config.profile = true;
  std::vector<GlobalBuffer> buffers;
  Result<Counters> f = launch(*module, "f", config, buffers, {}),
                   k = launch(*module, "k", config, buffers, {});
  EXPECT_EQ(at(*f->profile, 7).location.line, 2u);
  EXPECT_EQ(at(*k->profile, 10).location.file, "");
}

TEST(Profile, AddsUp) {
  Counters a, b;
  a.profile = profile("LOOP: add.u32 %r0, %r0, 1;\n"
                      "setp.lt.u32 %p0, %r0, 9;\n"
                      "ld.global.u32 %r1, [%rd0];\n"
                      "@%p0 bra LOOP;\n",
                      1);
  b += a;
  b += a;
  ASSERT_TRUE(b.profile);
  EXPECT_EQ(b.profile->loops[0].trips, 2 * 9u);
  EXPECT_EQ(b.profile->loops[0][InstructionKind::Integer], 2 * 2 * 9u);
  EXPECT_EQ(at(*b.profile, 8).accesses.sectors, 2 * 9u);
  EXPECT_EQ(at(*b.profile, 8).threadInstructions, 2 * 9u);
}

TEST(Profile, MainLoopOfAMatrixProduct) {
  std::ifstream file(std::string(TC_SIMULATOR_INPUTS) + "/llvm_gemm.ptx");
  std::stringstream text;
  text << file.rdbuf();
  Result<Module> module = Module::parse(text.str(), "llvm_gemm.ptx");
  ASSERT_TRUE(module) << module.error();
  const std::uint32_t n = 128;
  std::vector<double> a(n * n, 1), b(n * n, 1), c(n * n);
  std::vector<GlobalBuffer> buffers = {
      bufferOf(a, "a", false), bufferOf(b, "b", false), bufferOf(c, "c")};
  LaunchConfig config;
  config.grid = {n / 64, n / 64, 1};
  config.block = {64, 1, 1};
  config.dynamicSharedBytes = 8 * 64 * sizeof(double);
  config.profile = true;
  Result<Counters> counters =
      launch(*module, "gemm", config, buffers,
             {KernelArgument::address(0), KernelArgument::address(1),
              KernelArgument::address(2), KernelArgument::scalar(n)});
  ASSERT_TRUE(counters) << counters.error();
  const LoopProfile *loop = counters->profile->mainLoop();
  ASSERT_NE(loop, nullptr);
  // All multiplications are in it: 8 x 8 a thread, for each of 8 rows.
  EXPECT_EQ((*loop)[InstructionKind::FmaF64] * 32, counters->fmaF64);
  EXPECT_EQ(loop->trips, 4 * 2 * n / 8);
  EXPECT_EQ(loop->perTrip(InstructionKind::FmaF64), 512.0);
  EXPECT_EQ(loop->perTrip(InstructionKind::LoadShared), 64.0);
  EXPECT_EQ(loop->instructions, 603u);
  EXPECT_EQ(loop->warpInstructions, loop->trips * 603u);
}
