//===- Analysis.cpp - Loops of machine code and their contents ------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/MachineCode/Analysis.h"

#include "tc/Support/FlowGraph.h"

#include <algorithm>
#include <map>

using namespace tc;
using namespace tc::sass;

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

namespace {

/// The way in which control leaves an instruction.
struct Exit {
  bool jumps = false;       ///< to `target`
  bool leaves = false;      ///< out of the function
  bool fallsThrough = true; ///< to the next one
};

Exit exitOf(const Instruction &instruction) {
  if (instruction.neverExecutes())
    return {};
  std::string_view name = instruction.baseOpcode();
  // "@PT" is never printed, so any other guard may be false.
  bool isConditional = !instruction.guard.empty();
  if (name == "BRA" || name == "JMP") {
    // A predicate among the operands, or a property of the warp, decides, too.
    isConditional |=
        instruction.operands.size() > 1 || instruction.opcode.size() > 3;
    return {instruction.target.has_value(), !instruction.target, isConditional};
  }
  // ptxas calls functions that never return to leave loops, and functions that
  // do return.
  if (name == "CALL" && instruction.target)
    return {true, false, true};
  if (name == "EXIT" || name == "RET" || name == "BRX" || name == "BRXU" ||
      name == "JMX" || name == "KILL" ||
      (name == "BPT" && instruction.hasModifier("TRAP")))
    return {false, true, isConditional};
  return {};
}

} // namespace

std::vector<BasicBlock> tc::sass::findBasicBlocks(const Function &function) {
  const std::vector<Instruction> &code = function.code;
  std::vector<char> isLeader(code.size() + 1, 0);
  isLeader[0] = 1;
  for (std::size_t i = 0; i < code.size(); ++i) {
    Exit exit = exitOf(code[i]);
    if (exit.jumps)
      isLeader[*code[i].target] = 1;
    if (exit.jumps || exit.leaves)
      isLeader[i + 1] = 1;
  }
  std::vector<BasicBlock> blocks;
  std::vector<std::uint32_t> blockOf(code.size());
  for (std::size_t i = 0; i < code.size(); ++i) {
    auto number = static_cast<std::uint32_t>(i);
    if (isLeader[i])
      blocks.push_back({number, number, {}});
    blocks.back().end = number + 1;
    blockOf[i] = static_cast<std::uint32_t>(blocks.size()) - 1;
  }
  auto end = static_cast<std::uint32_t>(blocks.size());
  for (std::uint32_t number = 0; number < end; ++number) {
    const Instruction &last = code[blocks[number].end - 1];
    Exit exit = exitOf(last);
    auto add = [&](std::uint32_t successor) {
      std::vector<std::uint32_t> &list = blocks[number].successors;
      if (std::find(list.begin(), list.end(), successor) == list.end())
        list.push_back(successor);
    };
    if (exit.jumps)
      add(blockOf[*last.target]);
    if (exit.leaves)
      add(end);
    if (exit.fallsThrough)
      add(number + 1);
  }
  return blocks;
}

//===----------------------------------------------------------------------===//
// Register banks
//===----------------------------------------------------------------------===//

namespace {

/// The register of an operand of 32 bits, as in "-R12.reuse"; none if it is of
/// another kind.
std::optional<unsigned> registerOf(const std::string &operand) {
  std::size_t begin = operand.find_first_not_of("-|~!");
  if (begin == std::string::npos || operand[begin] != 'R')
    return std::nullopt;
  unsigned number = 0;
  std::size_t i = begin + 1;
  for (; i < operand.size() && operand[i] >= '0' && operand[i] <= '9'; ++i)
    number = number * 10 + static_cast<unsigned>(operand[i] - '0');
  return i == begin + 1 || number > 255 ? std::nullopt : std::optional(number);
}

/// Follows the reuse caches along a block.
class RegisterBanks {
public:
  BankReads readsOf(const Instruction &instruction) {
    Pipe pipe = pipeOf(instruction);
    // Wider operands lie in both banks, and take their pipes longer anyway.
    bool isNarrow = (pipe == Pipe::FMA || pipe == Pipe::ALU) &&
                    !instruction.hasModifier("WIDE") &&
                    !instruction.hasModifier("64") &&
                    instruction.baseOpcode() != "FFMA2" &&
                    instruction.baseOpcode() != "FADD2" &&
                    instruction.baseOpcode() != "FMUL2";
    std::array<std::optional<unsigned>, slots> kept;
    BankReads reads;
    // The first operand is the result; of the sources, predicates and constants
    // come from elsewhere.
    std::size_t slot = 0;
    for (std::size_t i = 1; i < instruction.operands.size() && slot < slots;
         ++i) {
      const std::string &operand = instruction.operands[i];
      if (operand.find('P') != std::string::npos)
        continue;
      std::optional<unsigned> source = registerOf(operand);
      if (source && isNarrow) {
        ++reads.withoutReuse[*source % 2];
        if (cached[slot] != source)
          ++reads.withReuse[*source % 2];
      }
      if (source && operand.find(".reuse") != std::string::npos)
        kept[slot] = source;
      ++slot;
    }
    cached = kept;
    return reads;
  }

private:
  static constexpr std::size_t slots = 3;
  std::array<std::optional<unsigned>, slots> cached;
};

} // namespace

std::int64_t BankReads::conflicts() const {
  return std::max(0, std::max(withReuse[0], withReuse[1]) - 2);
}

std::vector<BankReads> tc::sass::bankReadsOf(const Function &function) {
  std::vector<BankReads> reads;
  for (const BasicBlock &block : findBasicBlocks(function)) {
    RegisterBanks banks;
    for (std::uint32_t i = block.begin; i < block.end; ++i)
      reads.push_back(banks.readsOf(function.code[i]));
  }
  return reads;
}

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

double CodeCounts::othersPerMultiply() const {
  std::int64_t multiplies = (*this)[Category::Multiply];
  if (multiplies == 0)
    return std::numeric_limits<double>::infinity();
  return static_cast<double>(instructions - multiplies -
                             (*this)[Category::Nop]) /
         static_cast<double>(multiplies);
}

CodeCounts &CodeCounts::operator+=(const CodeCounts &other) {
  for (std::size_t i = 0; i < numCategories; ++i)
    byCategory[i] += other.byCategory[i];
  instructions += other.instructions;
  stallCycles += other.stallCycles;
  bankConflicts += other.bankConflicts;
  for (std::size_t i = 0; i < numPipes; ++i)
    busyCycles[i] += other.busyCycles[i];
  return *this;
}

namespace {

/// The counts of a stretch of code, and how often each opcode multiplies.
struct Tally {
  CodeCounts counts;
  std::map<std::string, std::int64_t> multiplies;

  void add(const Tally &other) {
    counts += other.counts;
    for (const auto &[opcode, times] : other.multiplies)
      multiplies[opcode] += times;
  }

  std::string mostMultiplying() const {
    auto most = std::max_element(
        multiplies.begin(), multiplies.end(),
        [](const auto &a, const auto &b) { return a.second < b.second; });
    return most == multiplies.end() ? std::string() : most->first;
  }
};

Tally countBlock(const Function &function, const BasicBlock &block,
                 const std::vector<BankReads> &reads,
                 const model::Target &target) {
  Tally tally;
  for (std::uint32_t i = block.begin; i < block.end; ++i) {
    const Instruction &instruction = function.code[i];
    Category category = categoryOf(instruction);
    ++tally.counts[category];
    ++tally.counts.instructions;
    tally.counts.stallCycles += instruction.control.stall;
    tally.counts.bankConflicts += reads[i].conflicts();
    tally.counts.busyCycles[static_cast<std::size_t>(pipeOf(instruction))] +=
        busyCycles(instruction, target);
    if (category == Category::Multiply)
      ++tally.multiplies[instruction.opcode];
  }
  return tally;
}

/// The time of the multiplications of a loop.
double multiplyCycles(const LoopCounts &loop) {
  if (loop.counts[Category::Multiply] == 0)
    return 0;
  return loop.counts.busyCyclesOf(Pipe::Tensor) +
         loop.counts.busyCyclesOf(Pipe::FP64) +
         loop.counts.busyCyclesOf(Pipe::FMA);
}

std::optional<std::uint32_t>
findMainLoop(const std::vector<LoopCounts> &loops) {
  std::vector<char> isInnermost(loops.size(), 1);
  for (const LoopCounts &loop : loops)
    if (loop.parent != LoopCounts::none)
      isInnermost[loop.parent] = 0;
  std::optional<std::uint32_t> best;
  for (std::uint32_t i = 0; i < loops.size(); ++i)
    if (isInnermost[i] && multiplyCycles(loops[i]) > 0 &&
        (!best || multiplyCycles(loops[i]) > multiplyCycles(loops[*best])))
      best = i;
  return best;
}

} // namespace

std::string tc::sass::chipOf(std::string_view architecture) {
  if (!architecture.empty() &&
      (architecture.back() == 'a' || architecture.back() == 'f'))
    architecture.remove_suffix(1);
  return std::string(architecture);
}

Result<const model::Target *> tc::sass::targetOf(const Listing &listing) {
  Result<const model::Target *> target =
      model::findTarget(chipOf(listing.architecture));
  if (!target)
    return Error{"machine code for '" + listing.architecture.substr(0, 40) +
                 "': " + target.error()};
  return target;
}

Result<FunctionCounts> tc::sass::count(const Function &function,
                                       const model::Target &target) {
  std::vector<BasicBlock> blocks = findBasicBlocks(function);
  FlowEdges successors(blocks.size() + 1);
  for (std::size_t i = 0; i < blocks.size(); ++i)
    successors[i] = blocks[i].successors;
  std::optional<NaturalLoops> nest = findNaturalLoops(successors, /*root=*/0);
  if (!nest)
    return Error{"the jumps of the function '" + function.name +
                 "' are too tangled to find its loops"};
  static_assert(LoopCounts::none == noNode, "loops are numbered alike");
  FunctionCounts result;
  result.name = function.name;
  for (const NaturalLoops::Loop &loop : nest->loops) {
    LoopCounts &counts = result.loops.emplace_back();
    counts.header = blocks[loop.header].begin;
    counts.parent = loop.parent;
    counts.depth = loop.depth;
  }
  const std::vector<BankReads> reads = bankReadsOf(function);
  Tally all;
  std::vector<Tally> tallies(result.loops.size());
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    Tally tally = countBlock(function, blocks[i], reads, target);
    all.add(tally);
    if (nest->innermost[i] == noNode)
      continue;
    tallies[nest->innermost[i]].add(tally);
    std::vector<std::uint32_t> &list =
        result.loops[nest->innermost[i]].instructions;
    for (std::uint32_t k = blocks[i].begin; k < blocks[i].end; ++k)
      list.push_back(k);
  }
  result.counts = all.counts;
  result.multiply = all.mostMultiplying();
  for (std::size_t i = 0; i < tallies.size(); ++i) {
    result.loops[i].counts = tallies[i].counts;
    result.loops[i].multiply = tallies[i].mostMultiplying();
  }
  result.mainLoop = findMainLoop(result.loops);
  return result;
}

Result<ModuleCounts> tc::sass::count(const Listing &listing) {
  Result<const model::Target *> target = targetOf(listing);
  if (!target)
    return Error{target.error()};
  ModuleCounts counts;
  counts.architecture = listing.architecture;
  for (const Function &function : listing.functions) {
    Result<FunctionCounts> counted = count(function, **target);
    if (!counted)
      return Error{counted.error()};
    counts.functions.push_back(std::move(*counted));
  }
  return counts;
}
