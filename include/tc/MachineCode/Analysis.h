//===- Analysis.h - Loops of machine code and their contents ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Basic blocks and natural loops of a function, and for each loop the purposes
// of its instructions and the time for which they keep the machine busy.
//
//===----------------------------------------------------------------------===//

#ifndef TC_MACHINECODE_ANALYSIS_H
#define TC_MACHINECODE_ANALYSIS_H

#include "tc/MachineCode/Opcodes.h"

#include <limits>

namespace tc::sass {

struct BasicBlock {
  /// Instructions [begin, end) of the function.
  std::uint32_t begin = 0, end = 0;
  /// Blocks that may follow; the number of blocks stands for the exit.
  std::vector<std::uint32_t> successors;
};

/// Splits a function at its jumps and where they go to. A jump whose end is not
/// known, as BRX, is taken to leave the function.
std::vector<BasicBlock> findBasicBlocks(const Function &function);

/// The number of times that an instruction reads each of the two banks of the
/// register file, for source registers of 32 bits: even and odd ones.
struct BankReads {
  /// Registers that the reuse caches hold are not read, ...
  std::array<std::uint8_t, 2> withReuse = {0, 0};
  /// ... but where another warp has issued in between.
  std::array<std::uint8_t, 2> withoutReuse = {0, 0};

  /// Reads that have to wait, as in `CodeCounts::bankConflicts`.
  std::int64_t conflicts() const;
};

/// The reads of each instruction.
std::vector<BankReads> bankReadsOf(const Function &function);

/// The contents of a stretch of code.
struct CodeCounts {
  std::array<std::int64_t, numCategories> byCategory = {};
  std::int64_t instructions = 0;
  /// Cycles that one warp takes at least, by the stall counts alone.
  std::int64_t stallCycles = 0;
  /// Reads of source registers that have to wait as a bank of the register file
  /// is asked more than twice by one instruction: registers are spread over two
  /// banks by the last bit of their number, and each serves two reads while an
  /// instruction collects its operands (Jia et al., arXiv 1804.06826, section
  /// 3.3). Those from reuse caches are none.
  std::int64_t bankConflicts = 0;
  /// Cycles for which one warp keeps each pipe of its quarter busy.
  std::array<double, numPipes> busyCycles = {};

  std::int64_t &operator[](Category category) {
    return byCategory[static_cast<std::size_t>(category)];
  }
  std::int64_t operator[](Category category) const {
    return byCategory[static_cast<std::size_t>(category)];
  }
  double busyCyclesOf(Pipe pipe) const {
    return busyCycles[static_cast<std::size_t>(pipe)];
  }
  /// Instructions that neither multiply nor are there for timing only, as NOP
  /// and instructions that never execute are, for each one that multiplies;
  /// infinite if none does.
  double othersPerMultiply() const;
  CodeCounts &operator+=(const CodeCounts &other);
};

struct LoopCounts {
  static constexpr std::uint32_t none =
      std::numeric_limits<std::uint32_t>::max();

  /// Its first instruction, by number.
  std::uint32_t header = 0;
  /// The innermost loop around it, or `none`, and how many there are with it.
  std::uint32_t parent = none, depth = 1;
  /// Its instructions by number, in the order of the listing, without those of
  /// loops inside of it.
  std::vector<std::uint32_t> instructions;
  CodeCounts counts;
  /// The opcode that multiplies most often, as in "DMMA.16x8x8"; may be empty.
  std::string multiply;
};

struct FunctionCounts {
  std::string name;
  /// Of all code, however often it runs.
  CodeCounts counts;
  std::string multiply;
  /// In the order of their headers.
  std::vector<LoopCounts> loops;
  /// The innermost loop that keeps the pipes of multiplications busy longest;
  /// none if no loop multiplies.
  std::optional<std::uint32_t> mainLoop;

  /// The main loop's counts, or those of the whole function without one.
  const CodeCounts &main() const {
    return mainLoop ? loops[*mainLoop].counts : counts;
  }
};

struct ModuleCounts {
  std::string architecture;
  std::vector<FunctionCounts> functions;
};

/// The built-in target whose rates go with a listing; an error if there is none
/// for its architecture.
Result<const model::Target *> targetOf(const Listing &listing);
/// "sm_90a" has the rates of sm_90.
std::string chipOf(std::string_view architecture);

/// Counts one function with the rates of a target. An error if its jumps are
/// too tangled to find loops among them.
Result<FunctionCounts> count(const Function &function,
                             const model::Target &target);

/// Counts all functions of a listing.
Result<ModuleCounts> count(const Listing &listing);

} // namespace tc::sass

#endif // TC_MACHINECODE_ANALYSIS_H
