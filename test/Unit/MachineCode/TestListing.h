//===- TestListing.h - Machine code for tests -----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_UNIT_MACHINECODE_TESTLISTING_H
#define TC_TEST_UNIT_MACHINECODE_TESTLISTING_H

#include "tc/MachineCode/Analysis.h"

#include <string>
#include <vector>

namespace tc::sass::test {

/// One instruction as nvdisasm prints it, with these control bits; by default
/// it stalls for a cycle and touches no scoreboard.
std::string instructionText(const std::string &text, std::uint64_t offset,
                            std::uint64_t highWord = 0x000fe20000000000);

/// A listing of one function, "kernel". Lines that end in a colon are labels.
std::string listingText(const std::vector<std::string> &lines,
                        const std::string &architecture = "sm_90");

/// The function of such a listing, which must be good.
Function makeFunction(const std::vector<std::string> &lines);

/// One instruction by itself.
Instruction makeInstruction(const std::string &text);

/// The contents of an input file of these tests.
std::string readInput(const std::string &name);

} // namespace tc::sass::test

#endif // TC_TEST_UNIT_MACHINECODE_TESTLISTING_H
