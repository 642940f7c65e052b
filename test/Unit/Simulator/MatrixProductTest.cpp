//===- MatrixProductTest.cpp - Products of matrices by warps --------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lanes that must take part, the registers that must have been written, the
// counts, and the forms that are understood. The values of products are tested
// in test/InstructionTests.
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"

using namespace tc;
using namespace tc::sim;
using namespace tc::sim::test;

static constexpr const char *tensorRegisters =
    ".reg .b32 %r<9>; .reg .f32 %f<9>; .reg .f64 %d<20>; .reg .pred %p;\n";

/// The counts of a body, or its error.
static Result<Counters> runBody(const std::string &body,
                                std::uint32_t threads = 32) {
  LaunchConfig config;
  config.block = {threads, 1, 1};
  return runText(kernel("", tensorRegisters + body), config, {}, {});
}

static const std::string multiply =
    "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f0, %f1, %f2, %f3}, "
    "{%r0, %r1, %r2, %r3}, {%r4, %r5}, {%f4, %f5, %f6, %f7};\n";
static const std::string zeros =
    "mov.u32 %r0, 0; mov.u32 %r1, 0; mov.u32 %r2, 0; mov.u32 %r3, 0; "
    "mov.u32 %r4, 0; mov.u32 %r5, 0; mov.f32 %f4, 0f00000000; "
    "mov.f32 %f5, %f4; mov.f32 %f6, %f4; mov.f32 %f7, %f4;\n";

TEST(MatrixProduct, TakesTheWholeWarp) {
  EXPECT_TRUE(runBody(zeros + multiply));
  std::string half = "mov.u32 %r6, %tid.x; setp.lt.u32 %p, %r6, 16;\n";
  Result<Counters> guarded = runBody(zeros + half + "@%p " + multiply);
  ASSERT_FALSE(guarded);
  EXPECT_EQ(guarded.error().substr(0, 92),
            "k.ptx:8: all 32 lanes of the warp must execute this together, but "
            "lane 16 does not in 'mma.s");
  Result<Counters> branched =
      runBody(zeros + half + "@%p bra after;\n" + multiply + "after: ret;\n");
  ASSERT_FALSE(branched);
  EXPECT_NE(branched.error().find("k.ptx:9: all 32 lanes"), std::string::npos);
  EXPECT_NE(branched.error().find("lane 0 does not"), std::string::npos);
  EXPECT_NE(branched.error().find("thread (16,0,0)"), std::string::npos);
  // A warp that the block does not fill.
  Result<Counters> partial = runBody(zeros + multiply, 40);
  ASSERT_FALSE(partial);
  EXPECT_NE(partial.error().find("lane 8 does not"), std::string::npos);
  EXPECT_NE(partial.error().find("thread (32,0,0)"), std::string::npos);
  // No lane is as good as all.
  EXPECT_TRUE(runBody(zeros +
                      "mov.u32 %r6, %tid.x; setp.lt.u32 %p, %r6, 0;\n"
                      "@%p " +
                      multiply));
}

TEST(MatrixProduct, FragmentsMustBeWritten) {
  for (const char *missing : {"%r3", "%r5", "%f7"}) {
    std::string writes = zeros;
    std::size_t at = writes.find(std::string("mov.u32 ") + missing);
    if (at == std::string::npos)
      at = writes.find(std::string("mov.f32 ") + missing);
    ASSERT_NE(at, std::string::npos);
    writes.erase(at, writes.find(';', at) + 1 - at);
    Result<Counters> result = runBody(writes + multiply);
    ASSERT_FALSE(result) << missing;
    EXPECT_EQ(result.error().find(std::string("k.ptx:7: register '") + missing +
                                  "' is read, which nothing has written"),
              0u)
        << result.error();
  }
  // Its results count as written.
  EXPECT_TRUE(runBody(zeros + multiply + "add.f32 %f4, %f0, %f3;\n"));
}

/// D may stand where A or B stood, of which it is the last use.
TEST(MatrixProduct, ResultsReplaceOperands) {
  std::vector<double> out(64);
  std::string body =
      ".reg .f64 %d<6>; .reg .b64 %rd<2>; .reg .b32 %r<2>;\n"
      "mov.u32 %r0, %tid.x; cvt.rn.f64.u32 %d0, %r0; mov.f64 %d1, %d0;\n"
      "mov.f64 %d2, 0d0000000000000000; mov.f64 %d3, %d2;\n"
      "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%d0, %d1}, {%d0}, "
      "{%d1}, {%d2, %d3};\n"
      "ld.param.u64 %rd0, [p]; mul.wide.u32 %rd1, %r0, 16;\n"
      "add.u64 %rd0, %rd0, %rd1; st.global.v2.f64 [%rd0], {%d0, %d1};\n";
  LaunchConfig config;
  config.block = {32, 1, 1};
  Result<Counters> result =
      runText(kernel(".param .u64 p", body), config, {bufferOf(out, "p")},
              {KernelArgument::address(0)});
  ASSERT_TRUE(result) << result.error();
  for (int row = 0; row < 8; ++row)
    for (int column = 0; column < 8; ++column) {
      // A[row][k] and B[k][column] are numbers of lanes.
      double sum = 0;
      for (int k = 0; k < 4; ++k)
        sum += (4 * row + k) * (4 * column + k);
      EXPECT_EQ(out[static_cast<std::size_t>(8 * row + column)], sum);
    }
}

TEST(MatrixProduct, Counts) {
  Result<Counters> counters = runBody(zeros + multiply + multiply, 64);
  ASSERT_TRUE(counters) << counters.error();
  EXPECT_EQ((*counters)[InstructionKind::MmaTF32], 4u);
  EXPECT_EQ(counters->mmaTF32, 4u * 16 * 8 * 8);
  EXPECT_EQ(counters->fmaF32, 0u);
  counters = runBody(
      "mov.u32 %r0, 0; mov.u32 %r1, 0; mov.f64 %d0, 0d0000000000000000;\n"
      "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%d1, %d2}, {%d0}, "
      "{%d0}, {%d0, %d0};\n"
      "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r2, %r3}, "
      "{%r0, %r1}, {%r1}, {%r1, 0};\n"
      "mma.sync.aligned.m8n8k16.row.col.s32.s8.u8.s32 {%r2, %r3}, {%r0}, "
      "{%r1}, {%r1, %r1};\n"
      "mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e5m2.f16 {%r2, %r3}, "
      "{%r0, %r0, %r0, %r0}, {%r1, %r1}, {%r1, %r1};\n");
  ASSERT_TRUE(counters) << counters.error();
  EXPECT_EQ((*counters)[InstructionKind::MmaF64], 1u);
  EXPECT_EQ(counters->mmaF64, 8u * 8 * 4);
  EXPECT_EQ(counters->mmaF16, 16u * 8 * 8);
  EXPECT_EQ(counters->mmaI8, 8u * 8 * 16);
  EXPECT_EQ(counters->mmaF8, 16u * 8 * 32);
}

TEST(MatrixProduct, Forms) {
  auto error = [](const std::string &instruction) {
    std::string text = parseError(kernel("", tensorRegisters + instruction));
    return text.substr(0, text.find(" in '"));
  };
  EXPECT_EQ(error(multiply), "");
  const std::string mma = "mma.sync.aligned.";
  const std::string unsupported =
      "k.ptx:6: this shape with these types is not supported";
  EXPECT_EQ(error(mma + "m8n8k4.row.col.f16.f16.f16.f16 {%r0,%r1,%r2,%r3}, "
                        "{%r4,%r5}, {%r6,%r7}, {%r0,%r1,%r2,%r3};"),
            unsupported);
  EXPECT_EQ(error(mma + "m16n8k8.row.col.f16.f16.f16.f32 {%r0,%r1}, {%r2,%r3},"
                        "{%r4}, {%f0,%f1,%f2,%f3};"),
            unsupported);
  EXPECT_EQ(error(mma + "m16n8k8.row.col.f32.f16.bf16.f32 {%f0,%f1,%f2,%f3},"
                        "{%r2,%r3}, {%r4}, {%f0,%f1,%f2,%f3};"),
            unsupported);
  EXPECT_EQ(error(mma + "m8n8k128.row.col.s32.b1.b1.s32 {%r0,%r1}, {%r2}, "
                        "{%r3}, {%r4,%r5};"),
            unsupported);
  EXPECT_EQ(error(mma + "m8n8k4.row.col.satfinite.f64.f64.f64.f64 {%d0,%d1}, "
                        "{%d2}, {%d3}, {%d4,%d5};"),
            unsupported);
  EXPECT_EQ(error("mma.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%d0,%d1}, "
                  "{%d2}, {%d3}, {%d4,%d5};"),
            "k.ptx:6: expected modifier '.sync'");
  EXPECT_EQ(error(mma + "m8n8k4.row.row.f64.f64.f64.f64 {%d0,%d1}, {%d2}, "
                        "{%d3}, {%d4,%d5};"),
            "k.ptx:6: expected modifier '.col'");
  EXPECT_EQ(error(mma + "m8n8k4.row.col.f64.f64.f64 {%d0,%d1}, {%d2}, {%d3}, "
                        "{%d4,%d5};"),
            "k.ptx:6: the types of four matrices are wanted");
  EXPECT_EQ(error(mma + "m8n8k4.row.col.f64.f64.f64.f64 {%d0,%d1}, {%d2}, "
                        "{%d3, %d5}, {%d4,%d5};"),
            "k.ptx:6: operand 3 must be a vector of 1");
  EXPECT_EQ(error(mma + "m8n8k4.row.col.f64.f64.f64.f64 {%d0,%d1}, %d2, {%d3},"
                        "{%d4,%d5};"),
            "k.ptx:6: operand 2 must be a vector of 1");
  EXPECT_EQ(error(mma + "m8n8k4.row.col.f64.f64.f64.f64 {%d0,%d0}, {%d2}, "
                        "{%d3}, {%d4,%d5};"),
            "k.ptx:6: a register is written twice");
  EXPECT_EQ(error(mma + "m8n8k4.row.col.f64.f64.f64.f64 {%d0,_}, {%d2}, {%d3},"
                        "{%d4,%d5};"),
            "k.ptx:6: a register is wanted");
  EXPECT_EQ(error(mma + "m8n8k4.row.col.f64.f64.f64.f64 {%d0,%d1}, {%f2}, "
                        "{%d3}, {%d4,%d5};"),
            "k.ptx:6: register '%f2' of type .f32 where .f64 is wanted");
  EXPECT_EQ(error(mma + "m8n8k4.row.col.f64.f64.f64.f64 {%d0,%d1}, {%d2}, "
                        "{%d3};"),
            "k.ptx:6: expected 4 operands, found 3");
}
