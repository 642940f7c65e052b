//===- OpcodesTest.cpp - Categories of opcodes ----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestListing.h"

#include <gtest/gtest.h>

#include <set>

using namespace tc;
using namespace tc::sass;
using namespace tc::sass::test;

namespace {

Category category(const std::string &text) {
  return categoryOf(makeInstruction(text));
}

double cycles(const std::string &text, const std::string &chip) {
  Result<const model::Target *> target = model::findTarget(chip);
  EXPECT_TRUE(target);
  return busyCycles(makeInstruction(text), **target);
}

TEST(OpcodesTest, Categories) {
  const std::pair<const char *, Category> cases[] = {
      {"DMMA.16x8x8 R4, R8, R12, R4", Category::Multiply},
      {"HMMA.16816.F32 R4, R8, R12, R4", Category::Multiply},
      {"FFMA R4, R8, R12, R4", Category::Multiply},
      {"FFMA2 R4, R8.F32x2.HI_LO, R12.F32x2.HI_LO, R4.F32x2.HI_LO",
       Category::Multiply},
      {"UTCHMMA gdesc[UR4], gdesc[UR6], tmem[UR8], UPT", Category::Multiply},
      {"MOV R4, R5", Category::Move},
      {"MOV.64 R4, R2", Category::Move},
      {"CS2R R4, SRZ", Category::Move},
      {"LDTM.x8 R4, tmem[UR4]", Category::Move},
      {"IMAD.MOV.U32 R4, RZ, RZ, R5", Category::Move},
      {"IMAD.U32 R4, RZ, RZ, UR8", Category::Move},
      {"HFMA2 R4, -RZ, RZ, 0, 0", Category::Move},
      {"IMAD.WIDE.U32 R2, R9, 0x4, R6", Category::Integer},
      {"IMAD.X R5, RZ, RZ, R7, P2", Category::Integer},
      {"IADD.64 R4, R4, 0x4", Category::Integer},
      {"UIADD3.64 UR4, UPT, UPT, UR4, 0x4, URZ", Category::Integer},
      {"F2FP.BF16.PACK_AB R4, R5, R6", Category::Conversion},
      {"HADD2.F32 R4, -RZ, R5.H0_H0", Category::Conversion},
      {"HADD2 R4, R5, R6", Category::Arithmetic},
      {"FADD2 R4, R5, R6", Category::Arithmetic},
      {"FSETP.GEU.AND P0, PT, R4, R5, PT", Category::Predicate},
      {"LDS.128 R4, [R8]", Category::SharedLoad},
      {"LDSM.16.M88.4 R4, [R8]", Category::SharedLoad},
      {"STS.64 [R8], R4", Category::SharedStore},
      {"LDG.E.128.SYS R4, [R8]", Category::GlobalLoad},
      {"STG.E.SYS [R8], R4", Category::GlobalStore},
      {"REDG.E.ADD.F32 desc[UR4][R2.64], R5", Category::GlobalStore},
      {"LDGSTS.E.BYPASS.128 [R8], desc[UR4][R2.64]", Category::AsyncCopy},
      {"LDL R4, [R1]", Category::LocalAccess},
      {"STL [R1], R4", Category::LocalAccess},
      {"LDC R1, c[0x0][0x28]", Category::ConstantLoad},
      {"BAR.SYNC.DEFER_BLOCKING 0x0", Category::Synchronise},
      {"DEPBAR.LE SB0, 0x0", Category::Synchronise},
      {"BRA.U UP0, 0x10", Category::Control},
      {"MUFU.EX2 R4, R5", Category::Special},
      {"NOP", Category::Nop},
      {"FROBNICATE R4", Category::Other},
  };
  for (const auto &[text, expected] : cases)
    EXPECT_EQ(category(text), expected) << text;
  EXPECT_EQ(pipeOf(makeInstruction("FROBNICATE R4")), Pipe::None);
  EXPECT_EQ(pipeOf(makeInstruction("DFMA R4, R6, R8, R4")), Pipe::FP64);
  EXPECT_EQ(pipeOf(makeInstruction("UIADD3 UR4, UR4, 0x1, URZ")),
            Pipe::Uniform);
}

// Under a predicate that is never true, whatever the opcode is: ptxas 13.1 and
// later pad with these, as earlier ones do with NOP.
TEST(OpcodesTest, WhatNeverExecutesIsPadding) {
  for (const char *text :
       {"@!UPT UIADD3 URZ, UPT, UPT, URZ, URZ, URZ",
        "@!PT DMMA.16x8x8 R4, R8, R12, R4", "@!PT LDS RZ, [RZ]",
        "@!PT FROBNICATE R4", "@!PT BRA 0x10", "@!UPT STG.E [R2.64], R4"}) {
    SCOPED_TRACE(text);
    Instruction instruction = makeInstruction(text);
    EXPECT_TRUE(instruction.neverExecutes());
    EXPECT_EQ(categoryOf(instruction), Category::Nop);
    EXPECT_EQ(pipeOf(instruction), Pipe::None);
    EXPECT_EQ(matrixMultiplyAdds(instruction), 0);
    EXPECT_EQ(cycles(text, "sm_90"), 0);
  }
  // These may.
  for (const char *text :
       {"@PT UIADD3 UR4, UR4, 0x1, URZ", "@!P0 UIADD3 UR4, UR4, 0x1, URZ",
        "@!UP0 UIADD3 UR4, UR4, 0x1, URZ", "@UPT UIADD3 UR4, UR4, 0x1, URZ"}) {
    SCOPED_TRACE(text);
    EXPECT_FALSE(makeInstruction(text).neverExecutes());
    EXPECT_EQ(category(text), Category::Integer);
  }
}

TEST(OpcodesTest, NamesAreDistinct) {
  std::set<std::string_view> keys, words;
  for (std::size_t i = 0; i < numCategories; ++i) {
    EXPECT_TRUE(keys.insert(stringify(static_cast<Category>(i))).second);
    EXPECT_TRUE(words.insert(describe(static_cast<Category>(i))).second);
  }
  keys.clear();
  for (std::size_t i = 0; i < numPipes; ++i)
    EXPECT_TRUE(keys.insert(stringify(static_cast<Pipe>(i))).second);
}

TEST(OpcodesTest, MatrixMultiplyAdds) {
  const std::pair<const char *, std::int64_t> cases[] = {
      {"DMMA.884", 8 * 8 * 4},
      {"DMMA.8x8x4", 8 * 8 * 4},
      {"DMMA.16x8x4", 16 * 8 * 4},
      {"DMMA.16x8x8", 16 * 8 * 8},
      {"DMMA.16x8x16", 16 * 8 * 16},
      {"HMMA.1684.F32.TF32", 16 * 8 * 4},
      {"HMMA.1688.F32", 16 * 8 * 8},
      {"HMMA.1688.F32.TF32", 16 * 8 * 8},
      {"HMMA.16816.F32.BF16", 16 * 8 * 16},
      {"IMMA.8816.S8.S8", 8 * 8 * 16},
      {"IMMA.8832.S4.S4", 8 * 8 * 32},
      {"IMMA.16816.S8.S8", 16 * 8 * 16},
      {"IMMA.16832.S8.S8", 16 * 8 * 32},
      {"IMMA.16864.S4.S4", 16 * 8 * 64},
      {"BMMA.88128.XOR.POPC", 8 * 8 * 128},
      {"BMMA.168128.XOR.POPC", 16 * 8 * 128},
      {"BMMA.168256.AND.POPC", 16 * 8 * 256},
      {"QMMA.16832.F32.E4M3.E4M3", 16 * 8 * 32},
      {"OMMA.SF.16864.F32.E2M1.E2M1.E8", 16 * 8 * 64},
      {"HGMMA.64x128x16.F32", 64 * 128 * 16},
      {"FFMA", 0},
      // The shape is in a descriptor.
      {"UTCHMMA", 0},
      {"HMMA.99999x8x8", 0},
  };
  for (const auto &[opcode, expected] : cases)
    EXPECT_EQ(matrixMultiplyAdds(makeInstruction(opcode)), expected) << opcode;
}

// Work over the rate of a quarter of a multiprocessor.
TEST(OpcodesTest, BusyCycles) {
  EXPECT_EQ(cycles("DMMA.884", "sm_80"), 256 / 16.0);
  EXPECT_EQ(cycles("DMMA.16x8x8", "sm_90"), 1024 / 32.0);
  EXPECT_EQ(cycles("DMMA.16x8x4", "sm_90"), 512 / 32.0);
  EXPECT_EQ(cycles("DMMA.8x8x4", "sm_90"), 2 * 256 / 32.0);
  EXPECT_EQ(cycles("DMMA.8x8x4", "sm_100"), 256 / 16.0);
  EXPECT_EQ(cycles("HMMA.1688.F32", "sm_75"), 1024 / 128.0);
  EXPECT_EQ(cycles("HMMA.16816.F32", "sm_80"), 2048 / 256.0);
  EXPECT_EQ(cycles("HMMA.16816.F32.BF16", "sm_86"), 2048 / 64.0);
  EXPECT_EQ(cycles("HMMA.1688.F32.TF32", "sm_80"), 1024 / 128.0);
  EXPECT_EQ(cycles("IMMA.16832.S8.S8", "sm_80"), 4096 / 512.0);
  EXPECT_EQ(cycles("IMMA.16864.S4.S4", "sm_80"), 8192 / 1024.0);
  EXPECT_EQ(cycles("BMMA.168256.AND.POPC", "sm_80"), 32768 / 4096.0);
  EXPECT_EQ(cycles("QMMA.16832.F32.E4M3.E4M3", "sm_89"), 4096 / 256.0);
  EXPECT_EQ(cycles("QMMA.16832.F32.E4M3.E4M3", "sm_120"), 4096 / 128.0);
  // mma.sync has a part of the rate of wgmma and of tcgen05.mma.
  EXPECT_DOUBLE_EQ(cycles("HMMA.16816.F32", "sm_90"), 2048 / (512 * 0.653));
  EXPECT_DOUBLE_EQ(cycles("HGMMA.64x128x16.F32", "sm_90"),
                   64 * 128 * 16 / 512.0);
  EXPECT_DOUBLE_EQ(cycles("HMMA.16816.F32", "sm_100"), 2048 / 256.0);
  // No tensor cores for these.
  EXPECT_EQ(cycles("DMMA.884", "sm_75"), 0);
  EXPECT_EQ(cycles("FFMA", "sm_80"), 2);
  EXPECT_EQ(cycles("FFMA", "sm_90"), 1);
  EXPECT_EQ(cycles("FFMA2", "sm_100"), 2);
  EXPECT_EQ(cycles("IMAD", "sm_90"), 2);
  EXPECT_EQ(cycles("IADD3", "sm_90"), 2);
  EXPECT_EQ(cycles("IADD3", "sm_120"), 1);
  EXPECT_EQ(cycles("LOP3.LUT", "sm_120"), 2);
  EXPECT_EQ(cycles("DFMA", "sm_75"), 64);
  EXPECT_EQ(cycles("DFMA", "sm_80"), 4);
  EXPECT_EQ(cycles("DFMA", "sm_90"), 2);
  EXPECT_EQ(cycles("MUFU.EX2", "sm_90"), 8);
  EXPECT_EQ(cycles("LDS.128", "sm_90"), 2);
  EXPECT_EQ(cycles("NOP", "sm_90"), 0);
}

} // namespace
