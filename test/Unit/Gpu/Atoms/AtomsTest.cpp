//===- AtomsTest.cpp - Tables of copies and multiplications ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The choice among copies, and both tables against those of docs/gpu-atoms.md.
//
//===----------------------------------------------------------------------===//

#include "tc/Gpu/Atoms/CopyAtom.h"
#include "tc/Gpu/Atoms/MultiplyAtom.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

using namespace tc;
using namespace tc::model;

namespace {

TEST(Atoms, InstructionsAreFoundByName) {
  for (const MultiplyAtom &atom : multiplyAtoms)
    EXPECT_EQ(symbolizeInstruction(atom.name), atom.instruction);
  EXPECT_EQ(symbolizeInstruction("mma"), std::nullopt);
}

// PTX ISA, "Matrix Fragments for mma.m16n8k16": a thread has two sums along the
// columns in each of two rows, and four factors along K of each row.
TEST(Atoms, ThreadsShareInstructionsOut) {
  const MultiplyAtom &atom = atomOf(Instruction::MmaM16N8K16);
  EXPECT_EQ(atom.threads, 32);
  EXPECT_EQ(atom.sumRows(), 2);
  EXPECT_EQ(atom.sumColumns(), 2);
  EXPECT_EQ(atom.laneDepth(), 4);
  EXPECT_EQ(atom.shape.multiplyAdds(), 2048);
  EXPECT_FALSE(atomOf(Instruction::FMA).isCollective());
}

TEST(Atoms, TheWidestCopyThatFitsIsChosen) {
  const Target &turing = **findTarget("sm_75"), &hopper = **findTarget("sm_90");
  auto chosen = [&](int64_t bytes, bool arrivesAsIs, const Target &target) {
    return atomOf(chooseCopy({bytes, arrivesAsIs}, target)).name;
  };
  EXPECT_EQ(chosen(2, true, hopper), "registers");
  EXPECT_EQ(chosen(4, true, hopper), "cp_async_4");
  EXPECT_EQ(chosen(8, true, hopper), "cp_async_8");
  EXPECT_EQ(chosen(16, true, hopper), "cp_async_16");
  // No copy has more, even if loads do.
  EXPECT_EQ(chosen(32, true, hopper), "cp_async_16");
  EXPECT_EQ(chosen(16, false, hopper), "registers");
  EXPECT_EQ(chosen(16, true, turing), "registers");
}

std::string readPage() {
  std::ifstream file(TC_ATOMS_PAGE);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string row(const std::vector<std::string> &cells) {
  std::string text = "\n|";
  for (const std::string &cell : cells)
    text += " " + cell + " |";
  return text + "\n";
}

std::string code(std::string_view name) {
  return "`" + std::string(name) + "`";
}

std::string product(int64_t rows, int64_t columns) {
  return std::to_string(rows) + "x" + std::to_string(columns);
}

TEST(Atoms, AreInTheTablesOfTheirPage) {
  std::string page = readPage();
  for (const MultiplyAtom &atom : multiplyAtoms) {
    std::string expected = row({code(atom.name),
                                product(atom.shape.rows, atom.shape.columns) +
                                    "x" + std::to_string(atom.shape.depth),
                                std::to_string(atom.threads),
                                product(atom.lanes.rows, atom.lanes.columns),
                                std::string(stringify(atom.factors)),
                                std::string(stringify(atom.completion))});
    EXPECT_NE(page.find(expected), std::string::npos) << expected;
  }
  for (const CopyAtom &atom : copyAtoms) {
    std::string expected = row(
        {code(atom.name), atom.bytes == 0 ? "any" : std::to_string(atom.bytes),
         atom.passesRegisters ? "yes" : "no", atom.bypassesL1 ? "yes" : "no",
         std::string(stringify(atom.completion)),
         atom.feature ? code(rowOf(*atom.feature).name) : "none"});
    EXPECT_NE(page.find(expected), std::string::npos) << expected;
  }
}

} // namespace
