//===- MatrixAccessTest.cpp - ldmatrix, stmatrix, movmatrix ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matrices of 16-bit elements between shared memory and the lanes of a warp.
//
//===----------------------------------------------------------------------===//

#include "../../InstructionTests/NarrowFormat.h"
#include "SimulatorTest.h"

#include <random>

using namespace tc;
using namespace tc::sim;
using namespace tc::sim::test;

namespace {

/// Runs a body after 4096 bytes of shared memory have been filled, 16-bit
/// element i with i, and all threads have met. %lane, %r0 to %r3, %p and the
/// 64-bit address of the output, %out, are there to be used.
Result<Counters> run(const std::string &body,
                     std::vector<std::uint16_t> *out = nullptr,
                     std::uint32_t threads = 32) {
  std::vector<std::uint16_t> unused(256);
  std::string text =
      kernel(".param .u64 p",
             ".shared .align 16 .b8 sh[4096]; .reg .b32 %lane, %a, %i, %r<4>;\n"
             ".reg .b16 %h; .reg .pred %p; .reg .b64 %out, %o;\n"
             "mov.u32 %lane, %tid.x; ld.param.u64 %out, [p];\n"
             "mov.u32 %i, %lane;\n"
             "fill: shl.b32 %a, %i, 1; mov.u32 %r0, sh; add.u32 %a, %a, %r0;\n"
             "cvt.u16.u32 %h, %i; st.shared.u16 [%a], %h;\n"
             "add.u32 %i, %i, " +
                 std::to_string(threads) +
                 "; setp.lt.u32 %p, %i, 2048; @%p bra fill;\n"
                 "bar.sync 0; mov.u32 %a, sh;\n" +
                 body);
  LaunchConfig config;
  config.block = {threads, 1, 1};
  return runText(text, config, {bufferOf(out ? *out : unused, "p")},
                 {KernelArgument::address(0)});
}

/// The lane's address is that of element `row(lane)`.
std::string address(const std::string &elements) {
  return elements + "shl.b32 %i, %i, 1; add.u32 %a, %a, %i;\n";
}

/// Stores register r of lane i to 16-bit elements 2 (32 r + i).
std::string storeRegisters(int count) {
  std::string text = "mul.wide.u32 %o, %lane, 4; add.u64 %out, %out, %o;\n";
  for (int r = 0; r < count; ++r)
    text += "st.global.b32 [%out+" + std::to_string(128 * r) + "], %r" +
            std::to_string(r) + ";\n";
  return text;
}

std::string registers(int count) {
  return count == 1   ? "{%r0}"
         : count == 2 ? "{%r0, %r1}"
                      : "{%r0, %r1, %r2, %r3}";
}

/// Row r of matrix m begins at element 200 r + 8 m.
const std::string rowAddresses =
    address("and.b32 %i, %lane, 7; mul.lo.u32 %i, %i, 200; "
            "shr.u32 %r0, %lane, 3; mad.lo.u32 %i, %r0, 8, %i;\n");

} // namespace

TEST(LoadMatrix, SpreadsRowsOverLanes) {
  for (int count : {1, 2, 4})
    for (bool isTransposed : {false, true}) {
      std::vector<std::uint16_t> out(256);
      Result<Counters> counters =
          run(rowAddresses + "ldmatrix.sync.aligned.m8n8.x" +
                  std::to_string(count) + (isTransposed ? ".trans" : "") +
                  ".shared.b16 " + registers(count) + ", [%a];\n" +
                  storeRegisters(count),
              &out);
      ASSERT_TRUE(counters) << counters.error();
      for (int m = 0; m < count; ++m)
        for (int lane = 0; lane < 32; ++lane)
          for (int half = 0; half < 2; ++half) {
            // PTX ISA, "ldmatrix": thread T has of row T / 4 the elements
            // 2 (T % 4) and the next.
            int row = lane / 4, column = 2 * (lane % 4) + half;
            if (isTransposed)
              std::swap(row, column);
            EXPECT_EQ(out[static_cast<std::size_t>(64 * m + 2 * lane + half)],
                      200 * row + 8 * m + column)
                << count << isTransposed << " " << m << " " << lane;
          }
      EXPECT_EQ((*counters)[InstructionKind::LoadMatrix], 1u);
      EXPECT_EQ((*counters)[InstructionKind::LoadShared], 0u);
      EXPECT_EQ(counters->shared.loadBytes, 128u * count);
    }
}

TEST(StoreMatrix, GathersRowsFromLanes) {
  for (int count : {1, 2, 4})
    for (bool isTransposed : {false, true}) {
      std::vector<std::uint16_t> out(256);
      // Elements are numbered 64 m + 2 lane + half.
      std::string body = "shl.b32 %i, %lane, 1; mad.lo.u32 %r0, %i, 65537, "
                         "65536;\n";
      for (int m = 1; m < count; ++m)
        body += "add.u32 %r" + std::to_string(m) + ", %r0, " +
                std::to_string(64 * m * 65537) + ";\n";
      Result<Counters> counters = run(
          body + "shl.b32 %i, %lane, 4; add.u32 %a, %a, %i;\n" +
              "stmatrix.sync.aligned.m8n8.x" + std::to_string(count) +
              (isTransposed ? ".trans" : "") + ".shared.b16 [%a], " +
              registers(count) + ";\nbar.sync 0; mov.u32 %a, sh;\n" +
              "shl.b32 %i, %lane, 2; add.u32 %a, %a, %i;\n" +
              "ld.shared.b32 %r0, [%a]; ld.shared.b32 %r1, [%a+128];\n" +
              "ld.shared.b32 %r2, [%a+256]; ld.shared.b32 %r3, [%a+384];\n" +
              storeRegisters(4),
          &out);
      ASSERT_TRUE(counters) << counters.error();
      for (int m = 0; m < count; ++m)
        for (int row = 0; row < 8; ++row)
          for (int column = 0; column < 8; ++column)
            EXPECT_EQ(out[static_cast<std::size_t>(64 * m + 8 * row + column)],
                      isTransposed ? 64 * m + 8 * column + row
                                   : 64 * m + 8 * row + column);
      EXPECT_EQ((*counters)[InstructionKind::StoreMatrix], 1u);
      EXPECT_EQ(counters->shared.storeBytes, 4096u + 128u * count);
    }
}

TEST(MoveMatrix, Transposes) {
  std::vector<std::uint16_t> out(256);
  // In place.
  Result<Counters> counters =
      run("shl.b32 %i, %lane, 1; mad.lo.u32 %r0, %i, 65537, 65536;\n"
          "movmatrix.sync.aligned.m8n8.trans.b16 %r0, %r0;\n" +
              storeRegisters(1),
          &out);
  ASSERT_TRUE(counters) << counters.error();
  for (std::uint16_t row = 0; row < 8; ++row)
    for (std::uint16_t column = 0; column < 8; ++column)
      EXPECT_EQ(out[static_cast<std::size_t>(8 * row + column)],
                8 * column + row);
}

/// A whole product of halves from row-major matrices in shared memory, whose
/// fragments only ldmatrix spreads.
TEST(LoadMatrix, FeedsProducts) {
  std::mt19937 random(3);
  std::vector<std::uint16_t> in(16 * 16 + 16 * 8);
  std::vector<double> value(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) {
    value[i] = static_cast<int>(random() % 17) - 8;
    in[i] = static_cast<std::uint16_t>(isa::f16Format.encode(value[i]));
  }
  std::vector<float> out(16 * 8);
  std::string body =
      ".shared .align 16 .b8 sh[768]; .reg .b32 %lane, %s, %t, %a<4>, %b<2>;\n"
      ".reg .b64 %in, %out, %o; .reg .f32 %c<4>; .reg .b32 %w<4>;\n"
      "mov.u32 %lane, %tid.x; ld.param.u64 %in, [in]; ld.param.u64 %out, "
      "[out]; mov.u32 %s, sh;\n"
      // Twice 16 bytes a lane, of A, and once of B.
      "mul.wide.u32 %o, %lane, 16; add.u64 %in, %in, %o;\n"
      "mad.lo.u32 %t, %lane, 16, %s;\n";
  for (int i = 0; i < 512; i += 512)
    body += "ld.global.v4.b32 {%w0, %w1, %w2, %w3}, [%in];\n"
            "st.shared.v4.b32 [%t], {%w0, %w1, %w2, %w3};\n";
  body += "and.b32 %w0, %lane, 15; mul.wide.u32 %o, %w0, 16;\n"
          "ld.param.u64 %in, [in]; add.u64 %in, %in, %o;\n"
          "mad.lo.u32 %t, %w0, 16, %s; .reg .pred %p;\n"
          "setp.lt.u32 %p, %lane, 16;\n"
          "@%p ld.global.v4.b32 {%w0, %w1, %w2, %w3}, [%in+512];\n"
          "@%p st.shared.v4.b32 [%t+512], {%w0, %w1, %w2, %w3};\n"
          "bar.sync 0;\n"
          // Row lane % 16, columns from 8 (lane / 16) of A.
          "and.b32 %w0, %lane, 15; shr.u32 %w1, %lane, 4;\n"
          "mad.lo.u32 %t, %w0, 32, %s; mad.lo.u32 %t, %w1, 16, %t;\n"
          "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%a0, %a1, %a2, %a3}, "
          "[%t];\n"
          "mad.lo.u32 %t, %w0, 16, %s;\n"
          "ldmatrix.sync.aligned.m8n8.x2.trans.shared::cta.b16 {%b0, %b1}, "
          "[%t+512];\n"
          "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%c0, %c1, %c2, "
          "%c3}, {%a0, %a1, %a2, %a3}, {%b0, %b1}, {0f00000000, 0f00000000, "
          "0f00000000, 0f00000000};\n"
          "shr.u32 %w0, %lane, 2; and.b32 %w1, %lane, 3;\n"
          "shl.b32 %w1, %w1, 1; mad.lo.u32 %w0, %w0, 8, %w1;\n"
          "mul.wide.u32 %o, %w0, 4; add.u64 %out, %out, %o;\n"
          "st.global.v2.f32 [%out], {%c0, %c1};\n"
          "st.global.v2.f32 [%out+256], {%c2, %c3};\n";
  LaunchConfig config;
  config.block = {32, 1, 1};
  Result<Counters> counters =
      runText(kernel(".param .u64 in, .param .u64 out", body), config,
              {bufferOf(in, "in", false), bufferOf(out, "out")},
              {KernelArgument::address(0), KernelArgument::address(1)});
  ASSERT_TRUE(counters) << counters.error();
  for (std::size_t row = 0; row < 16; ++row)
    for (std::size_t column = 0; column < 8; ++column) {
      double sum = 0;
      for (std::size_t k = 0; k < 16; ++k)
        sum += value[16 * row + k] * value[256 + 8 * k + column];
      EXPECT_EQ(out[8 * row + column], sum);
    }
}

/// Wavefronts of a load of four matrices whose rows are so many bytes apart.
static std::uint64_t wavefronts(unsigned stride, int count) {
  Result<Counters> counters = run(
      "mul.lo.u32 %i, %lane, " + std::to_string(stride) +
      "; and.b32 %i, %i, 2047; add.u32 %a, %a, %i;\n"
      "ldmatrix.sync.aligned.m8n8.x" +
      std::to_string(count) + ".shared.b16 " + registers(count) + ", [%a];\n");
  EXPECT_TRUE(counters) << (counters ? "" : counters.error());
  EXPECT_EQ(counters->shared.idealLoadWavefronts,
            static_cast<std::uint64_t>(count));
  return counters->shared.loadWavefronts;
}

TEST(LoadMatrix, EachMatrixIsServedForItself) {
  for (int count : {1, 2, 4}) {
    auto n = static_cast<std::uint64_t>(count);
    EXPECT_EQ(wavefronts(16, count), n);
    EXPECT_EQ(wavefronts(32, count), 2 * n);
    EXPECT_EQ(wavefronts(64, count), 4 * n);
    EXPECT_EQ(wavefronts(128, count), 8 * n);
    EXPECT_EQ(wavefronts(144, count), n);
    EXPECT_EQ(wavefronts(0, count), n);
  }
}

static std::string error(const std::string &body, std::uint32_t threads = 32) {
  Result<Counters> result = run(body, nullptr, threads);
  std::string text = result ? "" : result.error();
  std::size_t in = text.find(" in '");
  return text.substr(0, in) +
         (in == std::string::npos ? "" : text.substr(text.rfind(", thread")));
}

static const std::string load =
    "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r0, %r1, %r2, %r3}, [%a];\n";
static const std::string lanesApart =
    "shl.b32 %i, %lane, 4; add.u32 %a, %a, %i;\n";

TEST(LoadMatrix, Faults) {
  EXPECT_EQ(error(lanesApart + load), "");
  EXPECT_EQ(error("mad.lo.u32 %a, %lane, 8, %a;\n" + load),
            "k.ptx:14: misaligned load of 16 bytes at address 0x8, thread "
            "(1,0,0)");
  EXPECT_EQ(error("mad.lo.u32 %a, %lane, 256, %a;\n" + load),
            "k.ptx:14: load of 16 bytes at address 0x1000 is outside the 4096 "
            "bytes of shared memory of the block, thread (16,0,0)");
  // Addresses of lanes beyond the matrices do not matter.
  EXPECT_EQ(error("mad.lo.u32 %a, %lane, 256, %a;\n"
                  "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r0, %r1}, "
                  "[%a];\n"),
            "");
  const std::string half = "setp.lt.u32 %p, %lane, 8;\n";
  const std::string whole =
      "k.ptx:15: all 32 lanes of the warp must execute this together, but lane "
      "8 does not, thread (0,0,0)";
  EXPECT_EQ(error(lanesApart + half + "@%p " + load), whole);
  EXPECT_EQ(error(lanesApart + half +
                  "@%p stmatrix.sync.aligned.m8n8.x1.shared.b16 [%a], {%i};"),
            whole);
  EXPECT_EQ(error(lanesApart + half +
                  "@%p movmatrix.sync.aligned.m8n8.trans.b16 %r0, %i;"),
            whole);
}

/// The thread that gives a row's address and those that get its elements read
/// it.
TEST(LoadMatrix, Races) {
  // Lane i writes row i; without a barrier, others read it.
  const std::string write = lanesApart + "st.shared.b32 [%a], %i;\n";
  for (const char *trans : {"", ".trans"}) {
    std::string line = std::string("ldmatrix.sync.aligned.m8n8.x4") + trans +
                       ".shared.b16 {%r0, %r1, %r2, %r3}, [%a];\n";
    std::string race = error(write + line);
    EXPECT_EQ(race.find("k.ptx:15: load of 16 bytes at address "), 0u) << race;
    EXPECT_NE(race.find("of shared memory races with the store by thread ("),
              std::string::npos);
    EXPECT_EQ(error(write + "bar.warp.sync -1;\n" + line), "");
    // And the other way round.
    race = error(lanesApart + line + "st.shared.b32 [%a], %i;\n");
    EXPECT_NE(race.find("k.ptx:15: store of 4 bytes at address "),
              std::string::npos)
        << race;
    EXPECT_NE(race.find("races with the load by thread ("), std::string::npos);
    EXPECT_NE(race.find("at line 14: no barrier"), std::string::npos);
    EXPECT_EQ(error(lanesApart + line +
                    "bar.warp.sync -1; st.shared.b32 [%a], %i;\n"),
              "");
  }
  // Two warps store the same rows.
  std::string store = "and.b32 %i, %lane, 31; shl.b32 %i, %i, 4;\n"
                      "add.u32 %a, %a, %i;\n"
                      "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%a], {%i};\n";
  EXPECT_EQ(error(store), "");
  EXPECT_EQ(error(store, 64),
            "k.ptx:15: store of 16 bytes at address 0x0 of shared memory races "
            "with the store by thread (0,0,0) at line 15: no barrier is "
            "between them, thread (32,0,0)");
}

TEST(LoadMatrix, Uninitialized) {
  // Row 3 of the second matrix has not been written.
  LaunchConfig config;
  config.block = {32, 1, 1};
  Result<Counters> result = runText(
      kernel("", ".shared .align 16 .b8 sh[512]; .reg .b32 %a, %r<4>;\n"
                 ".reg .pred %p; mov.u32 %r0, %tid.x; mov.u32 %a, sh;\n"
                 "mad.lo.u32 %a, %r0, 16, %a; setp.ne.u32 %p, %r0, 11;\n"
                 "@%p st.shared.v4.u32 [%a], {%r0, %r0, %r0, %r0};\n"
                 "bar.sync 0;\n"
                 "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r1, %r2}, "
                 "[%a];\n"),
      config, {}, {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error(),
            "k.ptx:10: load of 16 bytes at address 0xb0 of shared memory, "
            "which nothing in the block has written in 'ldmatrix.sync.aligned."
            "m8n8.x2.shared.b16 {%r1, %r2}, [%a]', block (0,0,0), thread "
            "(11,0,0)");
  // Registers that it writes have been written, others have not.
  EXPECT_EQ(error(lanesApart + load + "add.u32 %r0, %r1, %r3;\n"), "");
  EXPECT_EQ(error(lanesApart +
                  "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r0, %r1}, [%a];\n"
                  "add.u32 %r0, %r1, %r3;\n"),
            "k.ptx:15: register '%r3' is read, which nothing has written, "
            "thread (0,0,0)");
}

TEST(LoadMatrix, Forms) {
  const std::string begin = "ldmatrix.sync.aligned.m8n8.x2";
  for (const std::string &good :
       {begin + ".shared.b16 {%r1, %r2}, [%r3];",
        begin + ".trans.shared.b16 {%r1, %r2}, [%rd3+16];",
        begin + ".shared::cta.b16 {%r1, %r2}, [sh];"})
    EXPECT_EQ(instructionError(good), "");
  for (const std::string &bad : {
           begin + ".b16 {%r1, %r2}, [%rd3];",
           begin + ".shared.b16 {%r1}, [%r3];",
           begin + ".shared.b16 {%r1, %r1}, [%r3];",
           begin + ".shared.b16 %r1, [%r3];",
           begin + ".shared.b8 {%r1, %r2}, [%r3];",
           begin + ".shared.b16 {%h1, %h2}, [%r3];",
           begin + ".shared.b16 {%r1, 2}, [%r3];",
           begin + ".shared.b16 {%r1, %r2}, [%h3];",
           begin + ".shared.b16 [%r3], {%r1, %r2};",
           std::string("ldmatrix.aligned.m8n8.x1.shared.b16 {%r1}, [%r3];"),
           std::string("ldmatrix.sync.aligned.m8n8.x8.shared.b16 {%r1}, "
                       "[%r3];"),
           std::string("ldmatrix.sync.aligned.m8n16.x1.shared.b16 {%r1}, "
                       "[%r3];"),
           std::string("movmatrix.sync.aligned.m8n8.b16 %r1, %r2;"),
           std::string("stmatrix.sync.aligned.m8n8.x1.b16 [%rd1], {%r2};"),
       })
    EXPECT_EQ(instructionError(bad).substr(0, 8), "k.ptx:9:") << bad;
}
