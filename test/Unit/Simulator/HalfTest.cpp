//===- HalfTest.cpp - Narrow floating point -------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled kernels on halves, registers, counts and forms. The values of single
// instructions are tested in test/InstructionTests.
//
//===----------------------------------------------------------------------===//

#include "../../InstructionTests/NarrowFormat.h"
#include "SimulatorTest.h"

#include <fstream>
#include <random>
#include <sstream>

using namespace tc;
using namespace tc::isa;
using namespace tc::sim;
using namespace tc::sim::test;

using Halves = std::vector<std::uint16_t>;

static Counters runInput(const std::string &name, const std::string &entry,
                         std::uint32_t threads,
                         std::vector<GlobalBuffer> buffers,
                         const std::vector<KernelArgument> &arguments) {
  std::ifstream file(std::string(TC_SIMULATOR_INPUTS) + "/" + name);
  std::stringstream text;
  text << file.rdbuf();
  Result<Module> module = Module::parse(text.str(), name);
  EXPECT_TRUE(module) << (module ? "" : module.error());
  LaunchConfig config;
  config.block = {threads, 1, 1};
  Result<Counters> result = launch(*module, entry, config, buffers, arguments);
  EXPECT_TRUE(result) << (result ? "" : result.error());
  return result ? *result : Counters();
}

/// Numbers of a format between -1 and 1, for which the products and sums below
/// are exact in double precision.
static Halves randomHalves(const NarrowFormat &format, std::size_t count,
                           unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<> distribution(-1, 1);
  Halves halves;
  for (std::size_t i = 0; i < count; ++i)
    halves.push_back(
        static_cast<std::uint16_t>(format.encode(distribution(random))));
  return halves;
}

static std::uint32_t packed(const NarrowFormat &format, double value) {
  return format.encode(value) * 0x10001u;
}

TEST(Half, NvccPairs) {
  Halves x = randomHalves(f16Format, 128, 1);
  Halves y = randomHalves(f16Format, 128, 2), before = y;
  const double a = f16Format.decode(f16Format.encode(0.7));
  Counters counters =
      runInput("nvcc_half.ptx", "half_step", 64,
               {bufferOf(x, "x", false), bufferOf(y, "y")},
               {KernelArgument::scalar(packed(f16Format, 0.7)),
                KernelArgument::address(0), KernelArgument::address(1)});
  for (std::size_t i = 0; i < y.size(); ++i) {
    double old = f16Format.decode(before[i]), value = f16Format.decode(x[i]);
    double stepped =
        std::max(f16Format.decode(f16Format.encode(a * value + old)), 0.0);
    EXPECT_EQ(f16Format.decode(y[i]), value < old ? stepped : old) << i;
  }
  // Two of one element pair each: the step, and the selection.
  EXPECT_EQ(counters.fmaF16 % 128, 0u);
  EXPECT_GE(counters.fmaF16, 2u * 128);
  EXPECT_EQ(counters.fmaF16, counters[InstructionKind::FmaF16] * 32 * 2);
}

TEST(Half, NvccBrainPairs) {
  Halves x = randomHalves(bf16Format, 128, 3);
  Halves y = randomHalves(bf16Format, 128, 4), before = y;
  const double a = bf16Format.decode(bf16Format.encode(0.3f));
  runInput("nvcc_half.ptx", "brain_step", 64,
           {bufferOf(x, "x", false), bufferOf(y, "y")},
           {KernelArgument::scalar(0.3f), KernelArgument::address(0),
            KernelArgument::address(1)});
  for (std::size_t i = 0; i < y.size(); ++i) {
    double old = bf16Format.decode(before[i]);
    double value =
        bf16Format.decode(bf16Format.encode(a * bf16Format.decode(x[i]) + old));
    EXPECT_EQ(bf16Format.decode(y[i]), std::max(value, -old)) << i;
  }
}

TEST(Half, NvccBytes) {
  std::vector<float> x;
  for (int i = 0; i < 128; ++i)
    x.push_back(std::ldexp(static_cast<float>(i % 19 - 9), i % 16 - 8));
  std::vector<std::uint8_t> y(128);
  Halves z(128);
  runInput("nvcc_half.ptx", "to_bytes", 64,
           {bufferOf(x, "x", false), bufferOf(y, "y"), bufferOf(z, "z")},
           {KernelArgument::address(0), KernelArgument::address(1),
            KernelArgument::address(2)});
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_EQ(y[i], e4m3Format.encode(static_cast<double>(x[i]),
                                      /*saturates=*/true));
    EXPECT_EQ(f16Format.decode(z[i]), e4m3Format.decode(y[i]));
  }
}

TEST(Half, NvccTensorCores) {
  const std::size_t k = 64;
  std::mt19937 random(5);
  auto integers = [&](std::size_t count) {
    Halves halves;
    for (std::size_t i = 0; i < count; ++i)
      halves.push_back(static_cast<std::uint16_t>(
          f16Format.encode(static_cast<int>(random() % 15) - 7)));
    return halves;
  };
  Halves a = integers(16 * k), b = integers(k * 8);
  std::vector<float> c(16 * 8);
  Counters counters = runInput(
      "nvcc_half.ptx", "half_gemm", 32,
      {bufferOf(a, "a", false), bufferOf(b, "b", false), bufferOf(c, "c")},
      {KernelArgument::address(0), KernelArgument::address(1),
       KernelArgument::address(2),
       KernelArgument::scalar(static_cast<std::int32_t>(k))});
  for (std::size_t row = 0; row < 16; ++row)
    for (std::size_t column = 0; column < 8; ++column) {
      double sum = 0;
      for (std::size_t i = 0; i < k; ++i)
        sum += f16Format.decode(a[row * k + i]) *
               f16Format.decode(b[8 * i + column]);
      EXPECT_EQ(c[8 * row + column], sum);
    }
  EXPECT_EQ(counters.mmaF16, 16u * 8 * k);
  EXPECT_EQ(counters[InstructionKind::LoadMatrix], 2 * k / 16);
}

TEST(Half, LLVMPairs) {
  Halves a = randomHalves(f16Format, 64, 6), b = randomHalves(f16Format, 64, 7);
  Halves out(64);
  std::vector<float> wide(64);
  runInput("llvm_half.ptx", "half_pairs", 32,
           {bufferOf(a, "a", false), bufferOf(b, "b", false),
            bufferOf(out, "out"), bufferOf(wide, "wide")},
           {KernelArgument::address(0), KernelArgument::address(1),
            KernelArgument::address(2), KernelArgument::address(3)});
  auto round = [](double value) {
    return f16Format.decode(f16Format.encode(value));
  };
  for (std::size_t i = 0; i < out.size(); ++i) {
    double x = f16Format.decode(a[i]), y = f16Format.decode(b[i]);
    double product = round(round(x + y) * round(x - y));
    double value = std::max(round(-product * x + y), y);
    EXPECT_EQ(f16Format.decode(out[i]), value) << i;
    EXPECT_EQ(static_cast<double>(wide[i]), value) << i;
  }
}

TEST(Half, LLVMBrain) {
  std::vector<float> a;
  std::vector<double> b;
  for (int i = 0; i < 32; ++i) {
    a.push_back(1.0f + static_cast<float>(i) / 77);
    b.push_back(3.0 - i / 9.0);
  }
  Halves out(32);
  std::vector<std::int32_t> whole(32);
  runInput("llvm_half.ptx", "brain", 32,
           {bufferOf(a, "a", false), bufferOf(b, "b", false),
            bufferOf(out, "out"), bufferOf(whole, "whole")},
           {KernelArgument::address(0), KernelArgument::address(1),
            KernelArgument::address(2), KernelArgument::address(3)});
  auto round = [](double value) {
    return bf16Format.decode(bf16Format.encode(value));
  };
  for (std::size_t i = 0; i < out.size(); ++i) {
    double value = round(round(static_cast<double>(a[i])) * round(b[i]) +
                         static_cast<double>(i));
    EXPECT_EQ(bf16Format.decode(out[i]), value) << i;
    EXPECT_EQ(whole[i], static_cast<std::int32_t>(value)) << i;
  }
}

TEST(Half, Registers) {
  // Declared as halves, and as pairs of them.
  Halves out(2);
  std::string body =
      ".reg .f16 %x<3>; .reg .f16x2 %y; .reg .b64 %rd;\n"
      "ld.param.u64 %rd, [p]; mov.b16 %x0, 0x3c00; mov.b16 %x1, 0x4000;\n"
      "fma.rn.f16 %x2, %x0, %x1, %x1; mov.b32 %y, {%x1, %x2};\n"
      "add.f16x2 %y, %y, %y; st.global.b32 [%rd], %y;\n";
  Result<Counters> result =
      runText(kernel(".param .u64 p", body), {}, {bufferOf(out, "p")},
              {KernelArgument::address(0)});
  ASSERT_TRUE(result) << result.error();
  EXPECT_EQ(out, (Halves{0x4400, 0x4800}));
  EXPECT_EQ(result->fmaF16, 1u);
}

TEST(Half, Forms) {
  auto error = [](const std::string &instruction) {
    std::string text = instructionError(instruction);
    return text.substr(0, text.find(" in '"));
  };
  const std::pair<const char *, const char *> bad[] = {
      {"add.sat.bf16 %h1, %h2, %h3;", "expected modifier '.bf16'"},
      {"add.rz.f16 %h1, %h2, %h3;", "expected modifier '.f16'"},
      {"fma.f16 %h1, %h2, %h3, %h4;", "expected modifier '.rn'"},
      {"fma.rn.sat.relu.f16 %h1, %h2, %h3, %h4;", "expected modifier '.f16'"},
      {"add.f16 %f1, %f2, %f3;", "register '%f1' of type .f32 where .b16 is "
                                 "wanted"},
      {"add.f16x2 %h1, %h2, %h3;", "register '%h1' of type .b16 where .b32 is "
                                   "wanted"},
      {"ex2.approx.bf16 %h1, %h2;", "expected modifier '.ftz'"},
      {"tanh.f16 %h1, %h2;", "expected modifier '.approx'"},
      {"tanh.approx.ftz.f32 %f1, %f2;", "unsupported modifier '.ftz'"},
      {"div.f16 %h1, %h2, %h3;", "unsupported modifier '.f16'"},
      {"mov.f16 %h1, %h2;", "unsupported modifier '.f16'"},
      {"selp.f16 %h1, %h2, %h3, %p1;", "unsupported modifier '.f16'"},
      {"ld.global.f16 %h1, [%rd1];", "unsupported modifier '.f16'"},
      {"setp.lt.f16 %p1|%p2, %h1, %h2;",
       "a second predicate is for pairs only"},
      {"set.lt.f32.f16x2 %f1, %r1, %r2;",
       "the types of the result and of the operands do not fit"},
      {"set.lt.f16x2.f16 %r1, %h1, %h2;",
       "the types of the result and of the operands do not fit"},
      {"set.lt.f64.f32 %fd1, %f1, %f2;",
       "missing or unsupported type of the result"},
      {"set.ltu.u32.s32 %r1, %r2, %r3;",
       "this comparison does not apply to .s32"},
      {"set.lt.u32.b32 %r1, %r2, %r3;",
       "this comparison does not apply to .b32"},
      {"set.lt.ftz.u32.s32 %r1, %r2, %r3;", "unsupported modifier '.ftz'"},
      {"set.u32.s32 %r1, %r2, %r3;", "missing or unsupported comparison"},
      {"cvt.f16.f32 %h1, %f1;", "missing or unsupported rounding"},
      {"cvt.rn.f32.f16 %f1, %h1;", "missing or unsupported rounding"},
      {"cvt.s32.f16 %r1, %h1;", "missing or unsupported rounding"},
      {"cvt.f16.s32 %h1, %r1;", "missing or unsupported rounding"},
      {"cvt.rz.f64.s64 %fd1, %rd1;", "missing or unsupported rounding"},
      {"cvt.rz.s32.s64 %r1, %rd1;", "missing or unsupported rounding"},
      {"cvt.rn.sat.bf16.f32 %h1, %f1;", "missing or unsupported modifier"},
      {"cvt.rn.e4m3x2.f32 %h1, %f1, %f2;", "missing or unsupported modifier"},
      {"cvt.rna.f16.f32 %h1, %f1;", "missing or unsupported modifier"},
      {"cvt.rn.ftz.bf16.f64 %h1, %fd1;", "missing or unsupported modifier"},
      {"cvt.rn.f16x2.f32 %r1, %f1;", "expected 3 operands, found 2"},
      {"cvt.rn.f16.f32 %h1, %f1, %f2;", "expected 2 operands, found 3"},
      {"cvt.rn.f16x2.f16 %r1, %h1;",
       "there is no conversion from '.f16' to '.f16x2'"},
      {"cvt.rn.bf16x2.e4m3x2 %r1, %h1;",
       "there is no conversion from '.e4m3x2' to '.bf16x2'"},
      {"cvt.rn.tf32.f64 %r1, %fd1;",
       "there is no conversion from '.f64' to '.tf32'"},
      {"cvt.f32.tf32 %f1, %r1;",
       "there is no conversion from '.tf32' to '.f32'"},
      {"cvt.rn.bf16.s8 %h1, %r1;",
       "there is no conversion from '.s8' to '.bf16'"},
      {"cvt.rn.e2m3x2.f16 %h1, %h2;", "unsupported modifier '.e2m3x2'"},
      {"cvt.rn.pack.f16.f32 %h1, %f2;", "unsupported modifiers"},
      {"fma.rz.f64 %fd1, %fd2, %fd3, %fd4;", "expected modifier '.rn'"},
      {"fma.sat.f32 %f1, %f2, %f3, %f4;", "missing or unsupported rounding"},
      {"prmt.b32.f5e %r1, %r2, %r3, %r4;", "unsupported modifier '.f5e'"},
      {"dp4a.u32.b32 %r1, %r2, %r3, %r4;", "unsupported modifier '.b32'"},
  };
  for (const auto &[instruction, message] : bad)
    EXPECT_EQ(error(instruction), std::string("k.ptx:9: ") + message)
        << instruction;
}
