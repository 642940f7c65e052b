//===- IntegersTest.cpp - Tests of integer instructions -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each computes something, and jumps to another place if it is not as expected.
//
//===----------------------------------------------------------------------===//

#include "TimedListing.h"

#include <gtest/gtest.h>

#include <cinttypes>
#include <cstring>

using namespace tc;
using namespace tc::timing;
using namespace tc::timing::test;

namespace {

enum class Outcome { Equal, Different, Unknown };

/// Compares a register, or a uniform one, with a value in all lanes.
Outcome compare(Lines lines, const std::string &name, std::uint32_t value,
                const Launch &launch = block(32)) {
  char text[64];
  std::snprintf(text, sizeof(text),
                "ISETP.NE.AND P6, PT, %s, 0x%" PRIx32 ", PT", name.c_str(),
                value);
  lines =
      lines +
      Lines{text, "@P6 BRA `(.L_other)", "EXIT", ".L_other:", "NOP", "EXIT"};
  BlockTrace trace = traceOf(functionOf(lines), launch);
  if (!trace.undecided.empty())
    return Outcome::Unknown;
  return trace.warps[0].path.back() + 1 == trace.blocks.size()
             ? Outcome::Different
             : Outcome::Equal;
}

#define EXPECT_REGISTER(lines, name, value)                                    \
  EXPECT_EQ(compare(lines, name, value), Outcome::Equal)

/// Tests if a predicate holds in all lanes.
Outcome holds(Lines lines, const std::string &predicate) {
  return compare(lines + Lines{"SEL R60, RZ, 0x1, !" + predicate}, "R60", 1);
}

const Lines numbers = {"MOV R1, 0x12345678", "MOV R2, -0x5", "MOV R3, 0x3",
                       "UMOV UR4, 0x7"};

TEST(IntegersTest, TheTestItself) {
  EXPECT_EQ(compare(numbers, "R3", 3), Outcome::Equal);
  EXPECT_EQ(compare(numbers, "R3", 4), Outcome::Different);
  EXPECT_EQ(compare(numbers, "R9", 4), Outcome::Unknown);
  EXPECT_EQ(compare(numbers + Lines{"LDG.E R3, [RZ]"}, "R3", 3),
            Outcome::Unknown);
}

TEST(IntegersTest, Arithmetic) {
  const std::pair<const char *, std::uint32_t> cases[] = {
      {"IMAD R4, R2, R3, R1", 0x12345678 - 15},
      {"IMAD R4, R3, UR4, -R3", 18},
      {"IMAD.MOV.U32 R4, RZ, RZ, R1", 0x12345678},
      {"IMAD.SHL.U32 R4, R3, 0x10, RZ", 48},
      {"IMAD.HI R4, R2, R3, RZ", 0xffffffff},
      {"IMAD.HI.U32 R4, R2, R3, RZ", 2},
      {"IMAD.WIDE R4, R2, 0x8, RZ", static_cast<std::uint32_t>(-40)},
      {"IADD3 R4, R1, R2, -R3", 0x12345678 - 8},
      {"IADD3 R4, R1, -0x8, RZ", 0x12345670},
      {"VIADD R4, R3, 0xffffffff", 2},
      {"LEA R4, R3, R1, 0x4", 0x12345678 + 48},
      {"LEA.HI R4, R1, R3, RZ, 0x8", 0x12 + 3},
      {"LEA.HI.SX32 R4, R2, R3, 0x1c", 2},
      {"LOP3.LUT R4, R1, 0xff, RZ, 0xc0, !PT", 0x78},
      {"LOP3.LUT R4, R1, R3, RZ, 0x3c, !PT", 0x1234567b},
      {"LOP3.LUT R4, R1, 0xf0, R3, 0xf8, !PT", 0x12345678 | (0xf0 & 3)},
      {"SHF.L.U32 R4, R3, 0x4, RZ", 48},
      {"SHF.R.U32.HI R4, RZ, 0x4, R2", 0x0fffffff},
      {"SHF.R.S32.HI R4, RZ, 0x1f, R2", 0xffffffff},
      {"SHF.R.U64 R4, R1, 0x8, R3", 0x03123456},
      {"SHF.L.U64.HI R4, R1, 0x8, R3", 0x312},
      {"SEL R4, R1, R3, !PT", 3},
      {"VIMNMX R4, R2, R3, PT", static_cast<std::uint32_t>(-5)},
      {"IMNMX.U32 R4, R2, R3, PT", 3},
      {"IMNMX R4, R2, R3, !PT", 3},
      {"VIADDMNMX R4, R2, 0x10, R3, PT", 3},
      {"IABS R4, R2", 5},
      {"PRMT R4, R1, 0x3210, R3", 0x12345678},
      {"PRMT R4, R1, 0x7044, R3", 0x00780303},
      {"SGXT.U32 R4, R1, 0x4", 8},
      {"SGXT R4, R1, 0x4", 0xfffffff8},
      {"CS2R R4, SRZ", 0},
      {"S2R R4, SR_CTAID.X", 0},
      {"SHFL.IDX PT, R4, R1, RZ, 0x1f", 0x12345678},
      {"VOTE.ANY R4, PT, PT", 0xffffffff},
      {"P2R R4, PR, RZ, 0x0", 0},
  };
  for (const auto &[text, value] : cases)
    EXPECT_EQ(compare(numbers + Lines{text}, "R4", value), Outcome::Equal)
        << text;
}

TEST(IntegersTest, Uniform) {
  const std::pair<const char *, std::uint32_t> cases[] = {
      {"UIADD3 UR5, UR4, 0x1, URZ", 8},
      {"UIMAD UR5, UR4, UR4, UR4", 56},
      {"ULEA UR5, UR4, UR4, 0x2", 35},
      {"ULOP3.LUT UR5, UR4, 0x3, URZ, 0xc0, !UPT", 3},
      {"USHF.L.U32 UR5, UR4, 0x4, URZ", 0x70},
      {"USEL UR5, UR4, URZ, !UPT", 0},
      {"R2UR UR5, R3", 3},
      {"ULDC UR5, c[0x0][0x0]", 32},
  };
  for (const auto &[text, value] : cases)
    EXPECT_EQ(compare(numbers + Lines{text}, "UR5", value), Outcome::Equal)
        << text;
}

TEST(IntegersTest, NumbersOf64Bits) {
  // A carry out of the lower half.
  Lines low = {"MOV R2, 0xfffffff0", "MOV R3, 0x1",
               "IADD3 R4, P0, R2, 0x20, RZ", "IADD3.X R5, R3, RZ, RZ, P0, !PT"};
  EXPECT_REGISTER(low, "R4", 0x10);
  EXPECT_REGISTER(low, "R5", 2);
  low[3] = "IMAD.X R5, RZ, RZ, R3, P0";
  EXPECT_REGISTER(low, "R5", 2);
  // A difference borrows where there is no carry.
  Lines borrow = {"MOV R2, 0x1", "MOV R3, 0x5", "MOV R6, 0x2",
                  "IADD3 R4, P0, R2, -R6, RZ",
                  "IADD3.X R5, R3, -0x1, RZ, P0, !PT"};
  EXPECT_REGISTER(borrow, "R5", 4);
  EXPECT_REGISTER((Lines{"MOV R2, -0x1", "IMAD.WIDE R4, R2, 0x8, RZ"}), "R5",
                  0xffffffff);
  EXPECT_REGISTER((Lines{"MOV R2, -0x1", "IMAD.WIDE.U32 R4, R2, 0x8, RZ"}),
                  "R5", 7);
  EXPECT_REGISTER((Lines{"MOV.64 R4, RZ", "IADD.64 R4, R4, 0x20"}), "R4", 0x20);
  Lines lea = {"MOV R2, 0x80000000", "MOV R3, 0x0", "MOV R6, 0x0",
               "LEA R4, P0, R2, R6, 0x1", "LEA.HI.X R5, R2, R6, R3, 0x1, P0"};
  EXPECT_REGISTER(lea, "R4", 0);
  EXPECT_REGISTER(lea, "R5", 1);
}

TEST(IntegersTest, Predicates) {
  const std::pair<const char *, bool> cases[] = {
      {"ISETP.GT.AND P0, PT, R3, R2, PT", true},
      {"ISETP.GT.U32.AND P0, PT, R3, R2, PT", false},
      {"ISETP.LE.OR P0, PT, R3, R2, PT", true},
      {"ISETP.EQ.XOR P0, PT, R3, 0x3, PT", false},
      {"ISETP.NE.AND PT, P0, R3, 0x3, PT", true},
      {"PLOP3.LUT P0, PT, PT, PT, PT, 0x80, 0x0", true},
      {"PLOP3.LUT P0, PT, PT, PT, PT, 0x7f, 0x0", false},
      {"LOP3.LUT P0, RZ, R3, 0x2, RZ, 0xc0, !PT", true},
      {"LOP3.LUT P0, RZ, R3, 0x4, RZ, 0xc0, !PT", false},
      {"R2P PR, R3, 0x1", true},
      {"VOTE.ALL P0, PT", true},
  };
  for (const auto &[text, expected] : cases)
    EXPECT_EQ(holds(numbers + Lines{text}, "P0"),
              expected ? Outcome::Equal : Outcome::Different)
        << text;
  // The lower halves decide where the upper ones are equal.
  Lines both = {"ISETP.GT.U32.AND P1, PT, R3, R1, PT",
                "ISETP.GT.AND.EX P0, PT, R2, R2, PT, P1"};
  EXPECT_EQ(holds(numbers + both, "P0"), Outcome::Different);
  both[0] = "ISETP.GT.U32.AND P1, PT, R1, R3, PT";
  EXPECT_EQ(holds(numbers + both, "P0"), Outcome::Equal);
  // A result that one source alone decides needs no other.
  EXPECT_EQ(holds(numbers + Lines{"ISETP.EQ.AND P0, PT, R50, RZ, !PT"}, "P0"),
            Outcome::Different);
  EXPECT_EQ(holds(numbers + Lines{"ISETP.EQ.AND P0, PT, R50, RZ, PT"}, "P0"),
            Outcome::Unknown);
}

TEST(IntegersTest, Parameters) {
  Launch launch = block(32);
  launch.grid = {5, 1, 1};
  launch.parameters.resize(16);
  double beta = 0;
  std::memcpy(launch.parameters.data() + 8, &beta, sizeof(beta));
  launch.parameters[4] = std::byte(9);
  EXPECT_EQ(compare({"LDC.64 R4, c[0x0][0x210]"}, "R5", 9, launch),
            Outcome::Equal);
  EXPECT_EQ(compare({"LDC R4, c[0x0][0xc]"}, "R4", 5, launch), Outcome::Equal);
  EXPECT_EQ(compare({"LDC R4, c[0x0][0x220]"}, "R4", 0, launch),
            Outcome::Unknown);
  EXPECT_EQ(compare({"S2R R4, SR_CTAID.X"}, "R4", 2, launch), Outcome::Equal);
  Lines compared = {"LDC.64 R4, c[0x0][0x218]",
                    "DSETP.NEU.AND P0, PT, R4, RZ, PT", "SEL R4, RZ, 0x1, !P0"};
  EXPECT_EQ(compare(compared, "R4", 0, launch), Outcome::Equal);
}

/// Divides R8 by R9 as ptxas does, into R3.
const Lines division = {"I2F.U32.RP R4, R9",
                        "MOV R2, RZ",
                        "MUFU.RCP R4, R4",
                        "IADD3 R5, R4, 0xffffffe, RZ",
                        "F2I.FTZ.U32.TRUNC.NTZ R3, R5",
                        "IMAD.MOV R7, RZ, RZ, -R3",
                        "IMAD R7, R7, R9, RZ",
                        "IMAD.WIDE.U32 R2, R3, R7, R2",
                        "IMAD.WIDE.U32 R2, R3, R8, RZ",
                        "IMAD.MOV R7, RZ, RZ, -R3",
                        "IMAD R2, R7, R9, R8",
                        "ISETP.GE.U32.AND P0, PT, R2, R9, PT",
                        "@P0 IADD3 R2, R2, -R9, RZ",
                        "@P0 IADD3 R3, R3, 0x1, RZ",
                        "ISETP.GE.U32.AND P1, PT, R2, R9, PT",
                        "@P1 IADD3 R3, R3, 0x1, RZ"};

TEST(IntegersTest, Divisions) {
  for (auto [dividend, divisor] : {std::pair(1000u, 7u),
                                   {6143u, 384u},
                                   {0xffffffffu, 1u},
                                   {5u, 9u},
                                   {0xfffffffeu, 0xffffffffu}})
    EXPECT_REGISTER((Lines{"MOV R8, " + std::to_string(dividend),
                           "MOV R9, " + std::to_string(divisor)} +
                     division),
                    "R3", dividend / divisor)
        << dividend << " / " << divisor;
  const std::pair<const char *, std::uint32_t> cases[] = {
      {"I2F R4, R2", 0xc0a00000},
      {"I2F.RP R4, R8", 0x4f000000},
      {"MUFU.RCP R4, R9", 0x3e800000},
      {"F2I.FTZ.U32.TRUNC.NTZ R4, R10", 3},
      {"F2I.FTZ.U32.TRUNC.NTZ R4, R11", 0xffffffff},
      {"F2I.FTZ.U32.TRUNC.NTZ R4, R12", 0},
  };
  Lines reals = numbers + Lines{"MOV R8, 0x7fffffff", "MOV R9, 0x40800000",
                                "MOV R10, 0x407fffff", "MOV R11, 0x4f800000",
                                "MOV R12, 0xc0000000"};
  for (auto [line, value] : cases)
    EXPECT_REGISTER(reals + Lines{line}, "R4", value) << line;
  for (const char *line : {"MUFU.EX2 R4, R9", "I2F.F64 R4, R2", "F2I R4, R9",
                           "F2I.FTZ.U32.TRUNC.NTZ R4, |R12|"})
    EXPECT_EQ(compare(reals + Lines{"MOV R4, RZ", line}, "R4", 0),
              Outcome::Unknown)
        << line;
}

TEST(IntegersTest, Tables) {
  Launch launch = block(32);
  launch.constants[3].resize(0x8010);
  launch.constants[3][12] = std::byte(7);
  launch.constants[3][0x800c] = std::byte(8);
  launch.constants[2].resize(4);
  Lines lines = {"MOV R3, 0x8", "LDC R3, c[0x3][R3+0x4]"};
  EXPECT_EQ(compare(lines, "R3", 7, launch), Outcome::Equal);
  EXPECT_EQ(
      compare({"MOV R3, 0xc", "LDC R3, c[0x3][R3+-0x8000]"}, "R3", 8, launch),
      Outcome::Equal);
  EXPECT_EQ(compare({"IADD3 R3, RZ, c[0x2][0x0], RZ"}, "R3", 0, launch),
            Outcome::Equal);
  for (const char *line : {"LDC R3, c[0x3][0x8010]", "LDC R3, c[0x2][0x4]",
                           "LDC R3, c[0x4][RZ]", "LDC R3, c[0x3][R9]"})
    EXPECT_EQ(compare({line}, "R3", 0, launch), Outcome::Unknown) << line;

  launch.memory[0x500000000].resize(24);
  launch.memory[0x500000000][20] = std::byte(9);
  lines = {"MOV R6, 0x10", "MOV R7, 0x5", "LDG.E.64.SYS R6, [R6]"};
  EXPECT_EQ(compare(lines, "R7", 9, launch), Outcome::Equal);
  lines[0] = "MOV R6, 0x14";
  EXPECT_EQ(compare(lines, "R7", 9, launch), Outcome::Unknown);
}

TEST(IntegersTest, SpilledRegisters) {
  Lines lines = {"LDC R1, c[0x0][0x28]", "MOV R4, 0x11", "MOV R5, 0x22",
                 "STL.64 [R1+0x8], R4    (*\"SpillRefill\"*)",
                 "LDL R6, [R1+0xc]    (*\"SpillRefill\"*)"};
  EXPECT_REGISTER(lines, "R6", 0x22);
  EXPECT_EQ(compare(lines + Lines{"STL [R50], R4"} + Lines{"LDL R6, [R1+0xc]"},
                    "R6", 0x22),
            Outcome::Unknown);
}

TEST(IntegersTest, ProductsOverwriteTheirSums) {
  Lines lines = {"MOV R4, 0x1", "MOV R8, 0x1",
                 "HMMA.16816.F32 R4, R10, R12, RZ"};
  EXPECT_EQ(compare(lines, "R4", 1), Outcome::Unknown);
  EXPECT_EQ(compare(lines, "R8", 1), Outcome::Equal);
  lines[2] = "DMMA.16x8x4 R2, R10, R12, R2";
  EXPECT_EQ(compare(lines, "R8", 1), Outcome::Unknown);
  for (const char *small :
       {"DMMA.8x8x4 R4, R10, R12, R4", "DMMA.884 R4, R10, R12, R4"}) {
    lines[2] = small;
    EXPECT_EQ(compare(lines, "R4", 1), Outcome::Unknown);
    EXPECT_EQ(compare(lines, "R8", 1), Outcome::Equal);
  }
}

} // namespace
