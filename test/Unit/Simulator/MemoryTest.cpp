//===- MemoryTest.cpp - Loads, stores, and their faults -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Accesses of every space and width, and the errors of those that are not
// allowed.
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"

using namespace tc;
using namespace tc::sim;
using namespace tc::sim::test;

/// Runs a body, from line 7 on, with buffers `in` (read-only, 64 bytes that
/// count up) and `out` (64 bytes) in %rd0 and %rd1, and 4 * tid in %rd2.
static Result<Counters> run(const std::string &body,
                            std::vector<std::uint8_t> &out,
                            std::uint32_t threads = 1,
                            const std::string &declarations = "") {
  std::vector<std::uint8_t> in(64);
  for (std::size_t i = 0; i < in.size(); ++i)
    in[i] = static_cast<std::uint8_t>(i + 1);
  out.assign(64, 0);
  std::string text = header + declarations +
                     ".entry k(.param .u64 in, .param .u64 out) {"
                     ".reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>;\n"
                     ".reg .pred %p; .reg .f32 %f<9>; .reg .f64 %fd<9>;\n"
                     "ld.param.u64 %rd0, [in]; ld.param.u64 %rd1, [out]; "
                     "mov.u32 %r8, %tid.x; mul.wide.u32 %rd2, %r8, 4;\n" +
                     body + "}";
  LaunchConfig config;
  config.block = {threads, 1, 1};
  config.dynamicSharedBytes = 256;
  config.detectors = Detectors::none();
  return runText(text, config,
                 {bufferOf(in, "in", false), bufferOf(out, "out")},
                 {KernelArgument::address(0), KernelArgument::address(1)});
}

static std::string fault(const std::string &body, std::uint32_t threads = 1,
                         const std::string &declarations = "") {
  std::vector<std::uint8_t> out;
  Result<Counters> result = run(body, out, threads, declarations);
  return result ? "" : result.error();
}

static std::uint64_t result(const std::string &body,
                            const std::string &declarations = "") {
  std::vector<std::uint8_t> out;
  Result<Counters> result = run(body, out, 1, declarations);
  EXPECT_TRUE(result) << (result ? "" : result.error());
  std::uint64_t value;
  std::memcpy(&value, out.data(), sizeof(value));
  return value;
}

static void expectContains(const std::string &text, const std::string &part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(Memory, NarrowLoadsExtend) {
  EXPECT_EQ(result("ld.global.u8 %h0, [%rd0+3]; st.global.u16 [%rd1], %h0;"),
            4u);
  std::string negative = "mov.u32 %r0, 0x80; st.global.u8 [%rd1], %r0;";
  EXPECT_EQ(result(negative + "ld.global.s8 %r1, [%rd1];"
                              "st.global.u32 [%rd1], %r1;"),
            0xffffff80u);
  EXPECT_EQ(result(negative + "ld.global.b8 %rd3, [%rd1];"
                              "st.global.u64 [%rd1], %rd3;"),
            0x80u);
  EXPECT_EQ(result("ld.global.s16 %r0, [%rd0]; st.global.u64 [%rd1], %rd2;"
                   "st.global.u16 [%rd1+2], %r0;"),
            0x02010000u);
}

TEST(Memory, Vectors) {
  EXPECT_EQ(result("ld.global.v2.u32 {%r0, %r1}, [%rd0+8];"
                   "st.global.v2.b32 [%rd1], {%r1, %r0};"),
            0x0c0b0a09100f0e0du);
  EXPECT_EQ(result("ld.global.nc.v4.f32 {%f0, _, %f2, %f3}, [%rd0];"
                   "st.global.v4.f32 [%rd1], {%f3, %f2, %f2, %f0};"),
            0x0c0b0a09100f0e0du);
  EXPECT_EQ(result("ld.global.v2.f64 {%fd0, %fd1}, [%rd0];"
                   "st.global.v2.f64 [%rd1], {%fd1, %fd0};"),
            0x100f0e0d0c0b0a09u);
  EXPECT_EQ(result("ld.global.v4.u8 {%h0, %h1, %h2, %h3}, [%rd0];"
                   "st.global.v4.u8 [%rd1], {%h3, %h2, %h1, %h0};"),
            0x01020304u);
}

TEST(Memory, CacheHintsAreIgnored) {
  EXPECT_EQ(result("ld.global.ca.u32 %r0, [%rd0];"
                   "ld.global.L1::no_allocate.L2::128B.u32 %r0, [%rd0];"
                   "ld.volatile.global.u32 %r0, [%rd0];"
                   "ld.relaxed.gpu.global.u32 %r0, [%rd0];"
                   "st.global.cs.u32 [%rd1], %r0;"),
            0x04030201u);
}

TEST(Memory, StaticAndDynamicShared) {
  EXPECT_EQ(result("mov.u32 %r0, 5; mov.u32 %r1, a; st.shared.u32 [%r1+4], %r0;"
                   "mov.u32 %r0, 6; st.shared.u32 [d], %r0;"
                   "mov.b64 %rd3, a; ld.shared.u32 %r2, [%rd3+4];"
                   "ld.shared.u32 %r3, [d]; mov.u32 %r4, d;"
                   "mad.lo.u32 %r2, %r2, 100, %r3;"
                   "mad.lo.u32 %r2, %r4, 1000, %r2;"
                   "st.global.u32 [%rd1], %r2;",
                   ".shared .align 4 .b8 unused[64];\n"
                   ".shared .align 4 .b8 a[20];\n"
                   ".extern .shared .align 16 .b8 d[];\n"),
            32506u); // Dynamic memory begins behind a, at a multiple of 16.
}

TEST(Memory, ModuleVariables) {
  std::string tables =
      ".global .align 4 .b8 t[8] = {1, 0, 0, 0, 254, 255, 255, 255};\n"
      ".const .f64 c[2] = {0d3FF0000000000000, 0d4000000000000000};\n"
      ".global .u32 g;\n";
  EXPECT_EQ(result("mov.u64 %rd3, t; ld.global.s32 %r0, [%rd3+4];"
                   "st.global.s32 [%rd1], %r0;",
                   tables),
            0xfffffffeu);
  EXPECT_EQ(
      result("ld.const.f64 %fd0, [c+8]; st.global.f64 [%rd1], %fd0;", tables),
      f64(2.0));
  EXPECT_EQ(result("mov.u32 %r0, 9; st.global.u32 [g], %r0;"
                   "ld.global.u32 %r1, [g]; st.global.u32 [%rd1], %r1;",
                   tables),
            9u);
  expectContains(
      fault("mov.u64 %rd3, c; ld.global.u32 %r0, [%rd3];", 1, tables),
      "through the wrong state space");
}

TEST(Memory, GenericAddresses) {
  std::string shared = ".shared .align 8 .b64 s[2];\n";
  EXPECT_EQ(
      result("mov.u64 %rd3, s; cvta.shared.u64 %rd4, %rd3;"
             "mov.u64 %rd5, 77; st.u64 [%rd4+8], %rd5;"
             "cvta.to.shared.u64 %rd6, %rd4; ld.shared.u64 %rd7, [%rd6+8];"
             "cvta.to.global.u64 %rd1, %rd1; cvta.global.u64 %rd1, %rd1;"
             "st.u64 [%rd1], %rd7;",
             shared),
      77u);
  expectContains(fault("mov.u64 %rd3, 64; ld.u32 %r0, [%rd3];"),
                 "outside global and shared memory");
}

TEST(Memory, Parameters) {
  std::vector<std::uint64_t> out(4);
  std::string text = kernel(
      ".param .u64 out, .param .u16 h, .param .align 16 .b8 v[16], .param .f32 "
      "f",
      ".reg .b64 %rd<2>; .reg .b32 %r<9>; .reg .b16 %h; .reg .f32 %f;"
      "ld.param.u64 %rd0, [out]; ld.param.u16 %h, [h];"
      "ld.param.v4.u32 {%r0, %r1, %r2, %r3}, [v]; ld.param.u32 %r4, [v+12];"
      "ld.param.f32 %f, [f];"
      "st.global.u16 [%rd0], %h; st.global.v2.u32 [%rd0+8], {%r1, %r4};"
      "st.global.f32 [%rd0+16], %f;");
  const std::uint32_t v[4] = {10, 11, 12, 13};
  Result<Counters> result =
      runText(text, {}, {bufferOf(out, "out")},
              {KernelArgument::address(0), KernelArgument::scalar<short>(-1),
               KernelArgument::bytes(v, 16), KernelArgument::scalar(1.5f)});
  ASSERT_TRUE(result) << result.error();
  EXPECT_EQ(out[0], 0xffffu);
  EXPECT_EQ(out[1], 0xd0000000bu);
  EXPECT_EQ(out[2], f32(1.5f));
}

/// Compilers take the address of a structure that is passed by value, and reach
/// its members from there.
TEST(Memory, ParametersThroughTheirAddress) {
  std::vector<std::uint64_t> out(4);
  std::string text = kernel(
      ".param .u64 out, .param .align 8 .b8 v[24]",
      ".reg .b64 %rd<4>; .reg .b32 %r<9>;"
      "mov.b64 %rd1, v; add.s64 %rd1, %rd1, 16; mov.b64 %rd3, v+8;"
      "ld.param.u64 %rd0, [out]; ld.param.u64 %rd2, [%rd1];"
      "ld.param.v2.u32 {%r0, %r1}, [%rd1+-16]; ld.param.u32 %r2, [%rd3];"
      "st.global.u64 [%rd0], %rd2; st.global.v2.u32 [%rd0+8], {%r0, %r1};"
      "st.global.u32 [%rd0+16], %r2;");
  const std::uint32_t v[6] = {10, 11, 12, 13, 14, 15};
  Result<Counters> result =
      runText(text, {}, {bufferOf(out, "out")},
              {KernelArgument::address(0), KernelArgument::bytes(v, 24)});
  ASSERT_TRUE(result) << result.error();
  EXPECT_EQ(out[0], 0xf0000000eu);
  EXPECT_EQ(out[1], 0xb0000000au);
  EXPECT_EQ(out[2], 12u);
}

TEST(MemoryFault, OutsideTheParameters) {
  expectContains(fault("mov.b64 %rd3, out; ld.param.u64 %rd4, [%rd3+8];"),
                 "k.ptx:7: load of 8 bytes at address 0x200000010 is outside "
                 "the 16 bytes of parameters in");
  expectContains(fault("ld.param.u64 %rd4, [%rd0];"),
                 "is outside the 16 bytes of parameters");
  expectContains(fault("mov.b64 %rd3, out; ld.param.u32 %r1, [%rd3+2];"),
                 "misaligned load of 4 bytes");
  expectContains(fault("mov.b64 %rd3, out; ld.global.u32 %r1, [%rd3];"),
                 "is outside every buffer");
  expectContains(fault("ld.param.u32 %r1, [%r8];"),
                 "register '%r8' of type .b32 cannot hold this address");
}

TEST(Memory, VectorsOfOneElement) {
  EXPECT_EQ(result("ld.global.u32 {%r0}, [%rd0+4];"
                   "st.global.u32 [%rd1], {%r0};"),
            0x08070605u);
}

TEST(MemoryFault, PastTheEnd) {
  EXPECT_EQ(
      fault("ld.global.u32 %r0, [%rd0+64];"),
      "k.ptx:7: load of 4 bytes at address 0x10000000040 is outside every "
      "buffer: it is at byte 64 of buffer 'in', which has 64 in "
      "'ld.global.u32 %r0, [%rd0+64]', block (0,0,0), thread (0,0,0)");
  expectContains(fault("ld.global.v2.u32 {%r0, %r1}, [%rd0+64];"),
                 "outside every buffer");
  expectContains(fault("st.global.u32 [%rd1+4094], %r8;"), "misaligned");
}

TEST(MemoryFault, NamesTheThread) {
  // Thread 16 is the first past the end.
  expectContains(fault("add.s64 %rd3, %rd0, %rd2;\n"
                       "ld.global.u32 %r0, [%rd3];",
                       40),
                 "k.ptx:8: load of 4 bytes at address 0x10000000040 is outside "
                 "every buffer: it is at byte 64 of buffer 'in', which has 64 "
                 "in 'ld.global.u32 %r0, [%rd3]', block (0,0,0), thread "
                 "(16,0,0)");
}

TEST(MemoryFault, BeforeTheFirstAndFarAway) {
  expectContains(fault("ld.global.u32 %r0, [%rd0-4];"), "outside every buffer");
  expectContains(fault("ld.global.u32 %r0, [%rd0+4096];"),
                 "outside every buffer");
  expectContains(fault("mov.u64 %rd3, -4; ld.global.u32 %r0, [%rd3];"),
                 "outside every buffer");
  expectContains(fault("ld.global.u32 %r0, [0];"), "outside every buffer");
}

TEST(MemoryFault, NeighbourIsNotReached) {
  // A stride of up to a red zone from one buffer never ends in the next.
  for (int offset = 64; offset < 64 + 4096; offset += 64)
    expectContains(
        fault("ld.global.u32 %r0, [%rd0+" + std::to_string(offset) + "];"),
        "outside every buffer");
}

TEST(MemoryFault, ReadOnly) {
  expectContains(fault("st.global.u32 [%rd0+8], %r8;"),
                 "k.ptx:7: store of 4 bytes at address 0x10000000008 writes to "
                 "byte 8 of the read-only buffer 'in'");
}

TEST(MemoryFault, Misaligned) {
  expectContains(
      fault("ld.global.u32 %r0, [%rd0+2];"),
      "k.ptx:7: misaligned load of 4 bytes at address 0x10000000002");
  expectContains(fault("ld.global.v2.u32 {%r0, %r1}, [%rd0+4];"),
                 "misaligned load of 8 bytes");
  expectContains(fault("st.global.v2.f64 [%rd1+8], {%fd0, %fd1};"),
                 "misaligned store of 16 bytes");
  expectContains(fault("mov.u32 %r0, 4; ld.shared.f64 %fd0, [%r0];"),
                 "misaligned load of 8 bytes");
}

TEST(MemoryFault, Shared) {
  // 256 bytes of dynamic memory.
  EXPECT_EQ(fault("ld.shared.u32 %r0, [252];"), "");
  expectContains(fault("ld.shared.u32 %r0, [256];"),
                 "k.ptx:7: load of 4 bytes at address 0x100 is outside the 256 "
                 "bytes of shared memory of the block");
  expectContains(fault("mov.u32 %r0, 0; st.shared.u32 [%r0-4], %r8;"),
                 "outside the 256 bytes of shared memory");
  // Threads 62 and 63 of the second warp stay inside, 64 does not.
  expectContains(fault("cvt.u32.u64 %r0, %rd2; st.shared.u32 [%r0], %r8;", 65),
                 "thread (64,0,0)");
}

TEST(MemoryFault, MaskedLanesDoNotCount) {
  EXPECT_EQ(fault("setp.lt.u32 %p, %r8, 16; add.s64 %rd3, %rd0, %rd2;"
                  "@%p ld.global.u32 %r0, [%rd3];",
                  64),
            "");
}

TEST(Memory, OneAccessMayReachSeveralBuffers) {
  std::vector<std::uint8_t> out;
  Result<Counters> result = run("setp.lt.u32 %p, %r8, 4;"
                                "selp.b64 %rd3, %rd0, %rd1, %p;"
                                "add.s64 %rd3, %rd3, %rd2;"
                                "ld.global.u32 %r0, [%rd3];",
                                out, 16);
  ASSERT_TRUE(result) << result.error();
  EXPECT_EQ(result->buffers[0].loadBytes, 16u);
  EXPECT_EQ(result->buffers[1].loadBytes, 48u);
  EXPECT_EQ(result->buffers[0].loadSectors, 1u);
  EXPECT_EQ(result->buffers[1].loadSectors, 2u);
}

TEST(Memory, NothingWrittenReadsAsNan) {
  EXPECT_EQ(result("ld.shared.f64 %fd0, [8]; st.global.f64 [%rd1], %fd0;"),
            0xffffffffffffffffu);
}
