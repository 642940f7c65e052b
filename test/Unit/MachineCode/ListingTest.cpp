//===- ListingTest.cpp - Tests of reading listings ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestListing.h"

#include <gtest/gtest.h>

using namespace tc;
using namespace tc::sass;
using namespace tc::sass::test;

namespace {

/// The error of a listing; empty if there is none.
std::string errorOf(const std::string &text) {
  Result<Listing> listing = parseListing(text, "in");
  return listing ? "" : listing.error();
}

const std::string head = "\t.target\tsm_90\n\t.section\t.text.f,\"ax\"\n";

std::string function(const std::string &body) { return head + body; }

std::string good(std::uint64_t offset = 0) {
  return instructionText("EXIT", offset);
}

// Encodings that ptxas made.
TEST(ControlTest, Decodes) {
  // FFMA R0, R0, R0, R3 after loads: waits for scoreboards 1 and 5.
  Control control = Control::decode(0x024fd40000000003);
  EXPECT_EQ(control.stall, 10u);
  EXPECT_TRUE(control.yields);
  EXPECT_FALSE(control.writeBarrier);
  EXPECT_FALSE(control.readBarrier);
  EXPECT_EQ(control.awaits, 0x24u);
  EXPECT_EQ(control.reuse, 0u);
  // LDG raises scoreboard 2 until the result is written.
  control = Control::decode(0x000ea2000c1ee900);
  EXPECT_EQ(control.stall, 1u);
  EXPECT_FALSE(control.yields);
  EXPECT_EQ(control.writeBarrier, 2u);
  EXPECT_FALSE(control.readBarrier);
  // One that is raised until the operands are read.
  control = Control::decode(0x0001f2000010e900);
  EXPECT_EQ(control.readBarrier, 0u);
  EXPECT_FALSE(control.writeBarrier);
  // FFMA R4, R50, R5.reuse, R4 and FFMA R13, R34.reuse, R50, R13.
  EXPECT_EQ(Control::decode(0x080fe20000000004).reuse, 2u);
  EXPECT_EQ(Control::decode(0x040fe4000000000d).reuse, 1u);
  EXPECT_EQ(Control::decode(0x3c0fe40000000000).reuse, 15u);
}

// nvdisasm 13's listing of a loop that nvcc 13 compiled.
TEST(ListingTest, ReadsEveryArchitecture) {
  struct {
    const char *architecture;
    const char *loopEnd;
  } cases[] = {{"sm_75", "@!P0 BRA `(.L_x_1)"},
               {"sm_80", "@!P0 BRA `(.L_x_1)"},
               {"sm_90", "@!P0 BRA `(.L_x_1)"},
               {"sm_100", "BRA.U UP0, `(.L_x_1)"},
               {"sm_120", "BRA.U UP0, `(.L_x_1)"}};
  for (const auto &test : cases) {
    SCOPED_TRACE(test.architecture);
    Result<Listing> listing = parseListing(
        readInput(std::string("sum_") + test.architecture + ".sass"), "sum");
    ASSERT_TRUE(listing) << listing.error();
    EXPECT_EQ(listing->architecture, test.architecture);
    ASSERT_EQ(listing->functions.size(), 1u);
    const Function *sum = listing->find("sum");
    ASSERT_TRUE(sum);
    EXPECT_FALSE(listing->find("product"));
    ASSERT_GT(sum->code.size(), 16u);
    std::size_t multiplies = 0, ends = 0;
    for (std::size_t i = 0; i < sum->code.size(); ++i) {
      const Instruction &instruction = sum->code[i];
      EXPECT_EQ(instruction.offset, 16 * i);
      multiplies += instruction.opcode == "FFMA";
      if (instruction.text() != test.loopEnd)
        continue;
      ++ends;
      ASSERT_TRUE(instruction.target);
      EXPECT_LT(*instruction.target, i);
    }
    EXPECT_EQ(multiplies, 1u);
    EXPECT_EQ(ends, 1u);
  }
}

TEST(ListingTest, SplitsInstructions) {
  Instruction instruction =
      makeInstruction("@!P0 LDG.E.128 R4, desc[UR6][R2.64+0x10]");
  EXPECT_EQ(instruction.guard, "@!P0");
  EXPECT_EQ(instruction.opcode, "LDG.E.128");
  EXPECT_EQ(instruction.baseOpcode(), "LDG");
  EXPECT_TRUE(instruction.hasModifier("E"));
  EXPECT_TRUE(instruction.hasModifier("128"));
  EXPECT_FALSE(instruction.hasModifier("12"));
  EXPECT_FALSE(instruction.hasModifier("LDG"));
  EXPECT_EQ(instruction.operands,
            (std::vector<std::string>{"R4", "desc[UR6][R2.64+0x10]"}));
  EXPECT_EQ(instruction.text(), "@!P0 LDG.E.128 R4, desc[UR6][R2.64+0x10]");
  instruction = makeInstruction("DEPBAR.LE SB0, 0x0, {4,3,2}");
  EXPECT_EQ(instruction.operands,
            (std::vector<std::string>{"SB0", "0x0", "{4,3,2}"}));
}

// Sections have names that begin like ".section".
TEST(ListingTest, KeepsFunctionsTogether) {
  EXPECT_EQ(errorOf(function("\t.sectioninfo\t@\"SHI_REGISTERS=6\"\n"
                             "\t.sectionflags\t@\"SHF_BARRIERS=1\"\n") +
                    good()),
            "");
}

TEST(ListingTest, ReadsSeveralFunctions) {
  std::string text = function(good()) +
                     "\t.section\t.nv.info,\"\"\n\t.word 1\n" +
                     "\t.section\t.text.g,\"ax\"\n.L_x_1:\n" +
                     instructionText("BRA `(.L_x_1)", 0) +
                     instructionText("CALL.REL.NOINC `(f)", 16);
  Result<Listing> listing = parseListing(text, "in");
  ASSERT_TRUE(listing) << listing.error();
  ASSERT_EQ(listing->functions.size(), 2u);
  EXPECT_EQ(listing->functions[1].code[0].target, 0u);
  EXPECT_FALSE(listing->functions[1].code[1].target);
}

TEST(ListingTest, ReadsFlagsOfOlderVersions) {
  auto architectureOf = [](const std::string &flags) {
    std::string text = function(good());
    text = text.substr(text.find("\t.section"));
    Result<Listing> listing =
        parseListing("\t.headerflags\t@\"" + flags + "\"\n" + text, "in");
    return listing ? listing->architecture : listing.error();
  };
  EXPECT_EQ(architectureOf("EF_CUDA_64BIT_ADDRESS EF_CUDA_SM70 "
                           "EF_CUDA_VIRTUAL_SM(EF_CUDA_SM60)"),
            "sm_70");
  EXPECT_EQ(architectureOf("EF_CUDA_SM100"), "sm_100");
  const char *none = "in: has no '.target' and no '.headerflags', so it is no "
                     "listing of nvdisasm";
  EXPECT_EQ(architectureOf("EF_CUDA_VIRTUAL_SM(EF_CUDA_SM60)"), none);
  EXPECT_EQ(architectureOf("EF_CUDA_SM EF_CUDA_SM7x"), none);
}

TEST(ListingTest, NamesWhatIsWrong) {
  EXPECT_EQ(errorOf(""),
            "in: has no '.target' and no '.headerflags', so it is no listing "
            "of nvdisasm");
  EXPECT_EQ(errorOf("\x7f\x45LF\n"),
            "in: has no '.target' and no '.headerflags', so it is no listing "
            "of nvdisasm");
  EXPECT_EQ(errorOf("\t.target\tsm_90\n"), "in: has no function");
  EXPECT_EQ(errorOf("\t.target\tcompute_90\n"),
            "in:1: 'compute_90' is no architecture");
  EXPECT_EQ(errorOf("\t.section\t.text.,\"ax\"\n"),
            "in:1: a function without a name");
  EXPECT_EQ(errorOf("\t.target\tsm_90\n" + good()),
            "in:2: an instruction outside of any function");
  EXPECT_EQ(errorOf(function("")), "in:2: the function 'f' has no instruction");
  EXPECT_EQ(errorOf(function("\t/*0000*/ EXIT\n")),
            "in:3: no instruction that ends in ';'");
  EXPECT_EQ(errorOf(function("\t/*0000 EXIT ;\n")),
            "in:3: no instruction that ends in ';'");
  EXPECT_EQ(errorOf(function(good(16))),
            "in:3: the offset is not the one behind the last instruction");
  EXPECT_EQ(errorOf(function("\t/*zero*/ EXIT ; /* 0x1 */\n")),
            "in:3: the offset is not the one behind the last instruction");
  EXPECT_EQ(errorOf(function("\t/*0000*/ EXIT ;\n")),
            "in:3: no encoding: nvdisasm prints it with -hex");
  EXPECT_EQ(errorOf(function("\t/*0000*/ EXIT ; /* 0x11112222333344445 */\n")),
            "in:3: no encoding: nvdisasm prints it with -hex");
  EXPECT_EQ(errorOf(function("\t/*0000*/ @P0 ; /* 0x1 */\n")),
            "in:3: an instruction without an opcode");
  EXPECT_EQ(errorOf(function("\t/*0000*/ ; /* 0x1 */\n")),
            "in:3: an instruction without an opcode");
  EXPECT_EQ(errorOf(function("\t/*0000*/ LDG R1, [R2 ; /* 0x1 */\n")),
            "in:3: the brackets of the operands do not match");
  EXPECT_EQ(errorOf(function("\t/*0000*/ LDG R1, R2] ; /* 0x1 */\n")),
            "in:3: the brackets of the operands do not match");
  EXPECT_EQ(errorOf(function("\t/*0000*/ EXIT ; /* 0x1 */\n" + good(16))),
            "in:4: the second word of the encoding is missing");
  EXPECT_EQ(errorOf(function("\t/*0000*/ EXIT ; /* 0x1 */\n")),
            "in:3: the second word of the encoding is missing");
  EXPECT_EQ(errorOf(function(".L_x_1:\n.L_x_1:\n" + good())),
            "in:4: the label '.L_x_1' stands here a second time");
  EXPECT_EQ(errorOf(function(instructionText("BRA `(.L_x_7)", 0) + good(16))),
            "in:3: no instruction has the label '.L_x_7'");
  // A label behind the last instruction is no place to jump to.
  EXPECT_EQ(
      errorOf(function(instructionText("BRA `(.L_x_7)", 0) + ".L_x_7:\n")),
      "in:3: no instruction has the label '.L_x_7'");
  EXPECT_EQ(errorOf(function(std::string(70000, 'x'))),
            "in:3: the line is longer than 65536 bytes");
}

} // namespace
