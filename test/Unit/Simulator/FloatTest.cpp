//===- FloatTest.cpp - Floating-point instructions on edge values --------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One test for each family of floating-point instructions. Unless a test is
// about NaN payloads, any NaN will do.
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"

#include <cmath>
#include <limits>

using namespace tc::sim::test;

using Values = std::vector<std::uint64_t>;

static const float inf32 = std::numeric_limits<float>::infinity();
static const float nan32 = std::numeric_limits<float>::quiet_NaN();
static const float tiny32 = std::numeric_limits<float>::denorm_min();
static const float small32 = std::numeric_limits<float>::min();
static const double inf64 = std::numeric_limits<double>::infinity();
static const double nan64 = std::numeric_limits<double>::quiet_NaN();

static float asF32(std::uint64_t bits) {
  auto narrow = static_cast<std::uint32_t>(bits);
  float value;
  std::memcpy(&value, &narrow, sizeof(value));
  return value;
}
static double asF64(std::uint64_t bits) {
  double value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

static std::uint64_t single(const std::string &opcode, float a, float b) {
  return apply1(opcode + " %d, %a, %b;", "f32", {"f32", "f32"},
                {f32(a), f32(b)});
}
static std::uint64_t single(const std::string &opcode, float a) {
  return apply1(opcode + " %d, %a;", "f32", {"f32"}, {f32(a)});
}
static std::uint64_t twofold(const std::string &opcode, double a, double b) {
  return apply1(opcode + " %d, %a, %b;", "f64", {"f64", "f64"},
                {f64(a), f64(b)});
}
static std::uint64_t twofold(const std::string &opcode, double a) {
  return apply1(opcode + " %d, %a;", "f64", {"f64"}, {f64(a)});
}

TEST(Float, AddSubMul) {
  EXPECT_EQ(single("add.f32", 1.0f, 0x1p-24f), f32(1.0f)); // Ties to even.
  EXPECT_EQ(single("add.rn.f32", 1.0f, 0x1.8p-24f), f32(1.0f + 0x1p-23f));
  EXPECT_EQ(single("sub.f32", tiny32, -tiny32), f32(2 * tiny32));
  EXPECT_EQ(single("mul.rn.f32", small32, 0.5f), f32(small32 / 2));
  EXPECT_EQ(single("add.f32", 0.0f, -0.0f), f32(0.0f));
  EXPECT_EQ(single("mul.f32", -0.0f, 3.0f), f32(-0.0f));
  EXPECT_EQ(single("mul.f32", 3e38f, 3e38f), f32(inf32));
  EXPECT_TRUE(std::isnan(asF32(single("sub.f32", inf32, inf32))));
  EXPECT_EQ(twofold("add.f64", 1.0, 0x1p-53), f64(1.0));
  EXPECT_EQ(twofold("sub.rn.f64", 1.0, 0x1p-53), f64(1.0 - 0x1p-53));
  EXPECT_EQ(twofold("mul.rn.f64", 1e-300, 1e-10), f64(1e-300 * 1e-10));
}

TEST(Float, FlushToZero) {
  EXPECT_EQ(single("add.ftz.f32", -tiny32, -0.0f), f32(-0.0f));
  EXPECT_EQ(single("mul.ftz.f32", small32, 0.5f), f32(0.0f));
  EXPECT_EQ(single("mul.ftz.f32", small32, -0.5f), f32(-0.0f));
  EXPECT_EQ(single("mul.ftz.f32", small32, 1.0f), f32(small32));
  EXPECT_EQ(single("max.ftz.f32", tiny32, 0.0f), f32(0.0f));
  EXPECT_EQ(single("neg.ftz.f32", tiny32), f32(-0.0f));
  EXPECT_EQ(apply1("fma.rn.ftz.f32 %d, %a, %b, %c;", "f32",
                   {"f32", "f32", "f32"}, {f32(tiny32), f32(1e30f), f32(1)}),
            f32(1));
}

TEST(Float, PackedPairs) {
  auto pair = [](float low, float high) {
    return f32(low) | std::uint64_t(f32(high)) << 32;
  };
  const std::uint64_t a = pair(1.0f + 0x1p-12f, -3), b = pair(1 + 0x1p-12f, 5),
                      c = pair(-(1.0f + 0x1p-11f), 0.5f);
  EXPECT_EQ(apply1("fma.rn.f32x2 %d, %a, %b, %c;", "b64", {"b64", "b64", "b64"},
                   {a, b, c}),
            pair(0x1p-24f, -14.5f));
  EXPECT_EQ(apply1("add.rn.f32x2 %d, %a, %b;", "b64", {"b64", "b64"},
                   {pair(1, 2), pair(0.25f, -2)}),
            pair(1.25f, 0));
  EXPECT_EQ(apply1("sub.rn.f32x2 %d, %a, %b;", "b64", {"b64", "b64"},
                   {pair(1, 2), pair(0.25f, -2)}),
            pair(0.75f, 4));
  EXPECT_EQ(apply1("mul.rn.f32x2 %d, %a, %b;", "b64", {"b64", "b64"},
                   {pair(1.5f, 2), pair(2, -2)}),
            pair(3, -4));
}

TEST(Float, FmaRoundsOnce) {
  const double x = 1.0 + 0x1p-30;
  EXPECT_EQ(apply1("fma.rn.f64 %d, %a, %b, %c;", "f64", {"f64", "f64", "f64"},
                   {f64(x), f64(x), f64(-(1.0 + 0x1p-29))}),
            f64(0x1p-60));
  const float y = 1.0f + 0x1p-12f;
  EXPECT_EQ(apply1("fma.rn.f32 %d, %a, %b, %c;", "f32", {"f32", "f32", "f32"},
                   {f32(y), f32(y), f32(-(1.0f + 0x1p-11f))}),
            f32(0x1p-24f));
  // And a multiplication and an addition round twice.
  EXPECT_EQ(apply1("mul.rn.f64 %d, %a, %b; add.rn.f64 %d, %d, %c;", "f64",
                   {"f64", "f64", "f64"},
                   {f64(x), f64(x), f64(-(1.0 + 0x1p-29))}),
            f64(0));
  EXPECT_EQ(apply1("mad.rn.f64 %d, %a, 0d4000000000000000, 1.5;", "f64",
                   {"f64"}, {f64(2)}),
            f64(5.5));
}

TEST(Float, DivRcpSqrt) {
  EXPECT_EQ(single("div.rn.f32", 1.0f, 3.0f), f32(1.0f / 3.0f));
  EXPECT_EQ(single("div.rn.f32", 1.0f, -0.0f), f32(-inf32));
  EXPECT_EQ(single("div.full.f32", 6.0f, 3.0f), f32(2.0f));
  EXPECT_EQ(single("div.approx.ftz.f32", 6.0f, 3.0f), f32(2.0f));
  EXPECT_EQ(single("div.approx.f32", 0x1p127f, -0x1p127f), f32(-0.0f));
  EXPECT_EQ(single("div.full.f32", 0x1p127f, -0x1p127f), f32(-1.0f));
  EXPECT_EQ(twofold("div.rn.f64", 1.0, 3.0), f64(1.0 / 3.0));
  EXPECT_EQ(single("rcp.rn.f32", 3.0f), f32(1.0f / 3.0f));
  EXPECT_EQ(single("rcp.approx.f32", -0.0f), f32(-inf32));
  EXPECT_EQ(twofold("rcp.rn.f64", 10.0), f64(0.1));
  EXPECT_EQ(twofold("rcp.approx.ftz.f64", 8.0), f64(0.125));
  EXPECT_EQ(twofold("rcp.approx.ftz.f64", 0x1.8000000000001p1),
            f64(0x1.55555p-2));
  EXPECT_EQ(twofold("rcp.approx.ftz.f64", -0x1p-1023),
            f64(-std::numeric_limits<double>::infinity()));
  EXPECT_EQ(twofold("rcp.approx.ftz.f64", 0x1p1023), f64(0.0));
  EXPECT_EQ(single("sqrt.rn.f32", 2.0f), f32(std::sqrt(2.0f)));
  EXPECT_EQ(twofold("sqrt.rn.f64", 2.0), f64(std::sqrt(2.0)));
  EXPECT_EQ(single("sqrt.rn.f32", -0.0f), f32(-0.0f));
  EXPECT_TRUE(std::isnan(asF64(twofold("sqrt.rn.f64", -1.0))));
  EXPECT_EQ(single("rsqrt.approx.f32", 4.0f), f32(0.5f));
  EXPECT_EQ(twofold("rsqrt.approx.f64", 16.0), f64(0.25));
}

TEST(Float, Exponential) {
  EXPECT_EQ(single("ex2.approx.f32", -3.0f), f32(0.125f));
  EXPECT_EQ(single("ex2.approx.ftz.f32", -130.0f), f32(0.0f));
  EXPECT_EQ(single("ex2.approx.f32", -inf32), f32(0.0f));
  EXPECT_EQ(single("lg2.approx.f32", 8.0f), f32(3.0f));
  EXPECT_EQ(single("lg2.approx.f32", 0.0f), f32(-inf32));
}

TEST(Float, MinMax) {
  EXPECT_EQ(single("min.f32", nan32, 1.0f), f32(1.0f));
  EXPECT_EQ(single("max.f32", 1.0f, nan32), f32(1.0f));
  EXPECT_TRUE(std::isnan(asF32(single("min.f32", nan32, nan32))));
  EXPECT_EQ(single("min.f32", 0.0f, -0.0f), f32(-0.0f));
  EXPECT_EQ(single("min.f32", -0.0f, 0.0f), f32(-0.0f));
  EXPECT_EQ(single("max.f32", -0.0f, 0.0f), f32(0.0f));
  EXPECT_EQ(single("max.f32", 0.0f, -0.0f), f32(0.0f));
  EXPECT_TRUE(std::isnan(asF32(single("max.NaN.f32", nan32, 1.0f))));
  EXPECT_EQ(single("min.NaN.f32", 2.0f, 1.0f), f32(1.0f));
  EXPECT_EQ(twofold("min.f64", 2.0, nan64), f64(2.0));
  EXPECT_EQ(twofold("max.f64", -inf64, -1.0), f64(-1.0));
}

TEST(Float, Signs) {
  EXPECT_EQ(single("neg.f32", 0.0f), f32(-0.0f));
  EXPECT_EQ(single("abs.f32", -tiny32), f32(tiny32));
  EXPECT_EQ(twofold("neg.f64", -2.0), f64(2.0));
  EXPECT_EQ(twofold("abs.f64", -0.0), f64(0.0));
  EXPECT_EQ(twofold("copysign.f64", -1.0, 3.0), f64(-3.0)); // Sign of a.
  EXPECT_EQ(single("copysign.f32", 1.0f, -3.0f), f32(3.0f));
}

TEST(Float, Compare) {
  auto compare = [](const std::string &what) {
    return apply("setp." + what + ".f64 %d, %a, %b;", "pred", {"f64", "f64"},
                 {{f64(1), f64(2)},
                  {f64(2), f64(2)},
                  {f64(3), f64(2)},
                  {f64(nan64), f64(2)},
                  {f64(-0.0), f64(0.0)}});
  };
  EXPECT_EQ(compare("eq"), (Values{0, 1, 0, 0, 1}));
  EXPECT_EQ(compare("ne"), (Values{1, 0, 1, 0, 0}));
  EXPECT_EQ(compare("lt"), (Values{1, 0, 0, 0, 0}));
  EXPECT_EQ(compare("le"), (Values{1, 1, 0, 0, 1}));
  EXPECT_EQ(compare("gt"), (Values{0, 0, 1, 0, 0}));
  EXPECT_EQ(compare("ge"), (Values{0, 1, 1, 0, 1}));
  EXPECT_EQ(compare("equ"), (Values{0, 1, 0, 1, 1}));
  EXPECT_EQ(compare("neu"), (Values{1, 0, 1, 1, 0}));
  EXPECT_EQ(compare("ltu"), (Values{1, 0, 0, 1, 0}));
  EXPECT_EQ(compare("leu"), (Values{1, 1, 0, 1, 1}));
  EXPECT_EQ(compare("gtu"), (Values{0, 0, 1, 1, 0}));
  EXPECT_EQ(compare("geu"), (Values{0, 1, 1, 1, 1}));
  EXPECT_EQ(compare("num"), (Values{1, 1, 1, 0, 1}));
  EXPECT_EQ(compare("nan"), (Values{0, 0, 0, 1, 0}));
  EXPECT_EQ(
      apply1("setp.lt.f32 %d, %a, 0f3F800000;", "pred", {"f32"}, {f32(0.5f)}),
      1u);
}

TEST(Float, Classify) {
  auto test = [](const std::string &what) {
    return apply(
        "testp." + what + ".f32 %d, %a;", "pred", {"f32"},
        {{f32(1)}, {f32(0)}, {f32(tiny32)}, {f32(-inf32)}, {f32(nan32)}});
  };
  EXPECT_EQ(test("finite"), (Values{1, 1, 1, 0, 0}));
  EXPECT_EQ(test("infinite"), (Values{0, 0, 0, 1, 0}));
  EXPECT_EQ(test("number"), (Values{1, 1, 1, 1, 0}));
  EXPECT_EQ(test("notanumber"), (Values{0, 0, 0, 0, 1}));
  EXPECT_EQ(test("normal"), (Values{1, 1, 0, 0, 0}));
  EXPECT_EQ(test("subnormal"), (Values{0, 0, 1, 0, 0}));
}

TEST(Float, UntypedRegistersHoldFloats) {
  EXPECT_EQ(apply1("add.f64 %d, %a, %a;", "b64", {"b64"}, {f64(1.5)}),
            f64(3.0));
  EXPECT_EQ(apply1("mov.b64 %d, 0d3FF8000000000000;", "b64", {"b64"}, {0}),
            f64(1.5));
  EXPECT_EQ(apply1("mov.f32 %d, 0f3FC00000;", "f32", {"b64"}, {0}), f32(1.5f));
}
