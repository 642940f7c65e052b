//===- ConvertTest.cpp - Conversions on edge values ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cvt between integers, between floating-point types, and across.
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"

#include <limits>

using namespace tc::sim::test;

static std::uint64_t convert(const std::string &types, const std::string &to,
                             const std::string &from, std::uint64_t value) {
  return apply1("cvt." + types + " %d, %a;", to, {from}, {value});
}

static const double inf = std::numeric_limits<double>::infinity();
static const double quietNan = std::numeric_limits<double>::quiet_NaN();
static constexpr std::uint64_t ones64 = 0xffffffffffffffffu;
static constexpr std::uint64_t min64 = 0x8000000000000000u;

TEST(Convert, IntegersExtendAndTruncate) {
  EXPECT_EQ(convert("u64.u32", "b64", "b32", 0xffffffff), 0xffffffffu);
  EXPECT_EQ(convert("s64.s32", "b64", "b32", 0xffffffff), ones64);
  EXPECT_EQ(convert("u32.u64", "b32", "b64", ones64), 0xffffffffu);
  EXPECT_EQ(convert("u32.u16", "b32", "b16", 0xffff), 0xffffu);
  EXPECT_EQ(convert("s32.s16", "b32", "b16", 0xffff), 0xffffffffu);
  EXPECT_EQ(convert("u16.u32", "b16", "b32", 0x12345678), 0x5678u);
  EXPECT_EQ(convert("s64.s16", "b64", "b16", 0x8000), ones64 << 15);
  // The operand's register may be wider than its type, as may the result's.
  EXPECT_EQ(convert("s32.s8", "b32", "b32", 0x1280), s32(-128));
  EXPECT_EQ(convert("u8.u32", "b32", "b32", 0x1234), 0x34u);
  EXPECT_EQ(convert("s8.s32", "b32", "b32", 0x80), s32(-128));
  EXPECT_EQ(convert("s64.s16", "b64", "b64", 0xabcd8000), ones64 << 15);
}

TEST(Convert, IntegersSaturate) {
  EXPECT_EQ(convert("sat.u8.s32", "b32", "b32", s32(-5)), 0u);
  EXPECT_EQ(convert("sat.u8.s32", "b32", "b32", 300), 255u);
  EXPECT_EQ(convert("sat.s8.s32", "b32", "b32", s32(-200)), s32(-128));
  EXPECT_EQ(convert("sat.s32.u64", "b32", "b64", ones64), 0x7fffffffu);
  EXPECT_EQ(convert("sat.u32.s64", "b32", "b64", ones64), 0u);
  EXPECT_EQ(convert("sat.s16.s64", "b16", "b64", min64), 0x8000u);
}

TEST(Convert, IntegersToFloats) {
  EXPECT_EQ(convert("rn.f32.s32", "f32", "b32", 16777217), f32(16777216.0f));
  EXPECT_EQ(convert("rn.f32.u32", "f32", "b32", 0xffffffff), f32(0x1p32f));
  EXPECT_EQ(convert("rn.f64.s32", "f64", "b32", 0x80000000), f64(-0x1p31));
  EXPECT_EQ(convert("rn.f64.u64", "f64", "b64", ones64), f64(0x1p64));
  EXPECT_EQ(convert("rn.f64.s64", "f64", "b64", ones64), f64(-1));
  EXPECT_EQ(convert("rn.f32.u64", "f32", "b64", 0x8000008000000001u),
            f32(0x1.000002p63f)); // Rounds once, from 64 bits.
  EXPECT_EQ(convert("rn.f64.s16", "f64", "b16", 0xffff), f64(-1));
}

TEST(Convert, FloatsToIntegersRound) {
  auto modes = [](double value) {
    return std::vector<std::uint64_t>{
        convert("rni.s32.f64", "b32", "f64", f64(value)),
        convert("rzi.s32.f64", "b32", "f64", f64(value)),
        convert("rmi.s32.f64", "b32", "f64", f64(value)),
        convert("rpi.s32.f64", "b32", "f64", f64(value))};
  };
  EXPECT_EQ(modes(2.5), (std::vector<std::uint64_t>{2, 2, 2, 3}));
  EXPECT_EQ(modes(3.5), (std::vector<std::uint64_t>{4, 3, 3, 4}));
  EXPECT_EQ(modes(-2.5),
            (std::vector<std::uint64_t>{s32(-2), s32(-2), s32(-3), s32(-2)}));
}

TEST(Convert, FloatsToIntegersClamp) {
  EXPECT_EQ(convert("rzi.s32.f64", "b32", "f64", f64(1e30)), 0x7fffffffu);
  EXPECT_EQ(convert("rzi.s32.f64", "b32", "f64", f64(-inf)), 0x80000000u);
  EXPECT_EQ(convert("rzi.u32.f32", "b32", "f32", f32(-1.0f)), 0u);
  EXPECT_EQ(convert("rzi.u64.f64", "b64", "f64", f64(0x1p64)), ones64);
  EXPECT_EQ(convert("rzi.u64.f64", "b64", "f64", f64(0x1p63)), min64);
  EXPECT_EQ(convert("rzi.s64.f32", "b64", "f32", f32(0x1p63f)), min64 - 1);
  EXPECT_EQ(convert("rzi.s16.f32", "b16", "f32", f32(40000.0f)), 0x7fffu);
  EXPECT_EQ(convert("rzi.s32.f32", "b32", "f32", f32(2147483520.0f)),
            2147483520u);
}

TEST(Convert, NanToIntegers) {
  auto nan32 = f32(std::numeric_limits<float>::quiet_NaN());
  EXPECT_EQ(convert("rzi.s32.f32", "b32", "f32", nan32), 0u);
  EXPECT_EQ(convert("rzi.u32.f32", "b32", "f32", nan32), 0u);
  EXPECT_EQ(convert("rzi.s64.f32", "b64", "f32", nan32), min64);
  EXPECT_EQ(convert("rzi.s32.f64", "b32", "f64", f64(quietNan)), 0x80000000u);
  EXPECT_EQ(convert("rzi.u64.f64", "b64", "f64", f64(quietNan)), min64);
}

TEST(Convert, FloatsToFloats) {
  EXPECT_EQ(convert("f64.f32", "f64", "f32", f32(0.1f)),
            f64(static_cast<double>(0.1f)));
  EXPECT_EQ(convert("rn.f32.f64", "f32", "f64", f64(0.1)), f32(0.1f));
  EXPECT_EQ(convert("rn.f32.f64", "f32", "f64", f64(1e300)),
            f32(std::numeric_limits<float>::infinity()));
  EXPECT_EQ(convert("rni.f64.f64", "f64", "f64", f64(-0.5)), f64(-0.0));
  EXPECT_EQ(convert("rmi.f64.f64", "f64", "f64", f64(-0.5)), f64(-1.0));
  EXPECT_EQ(convert("rpi.f32.f32", "f32", "f32", f32(0.5f)), f32(1.0f));
  EXPECT_EQ(convert("rzi.f32.f32", "f32", "f32", f32(-1.9f)), f32(-1.0f));
}
