//===- Trace.cpp - Paths of warps through machine code --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Timing/Trace.h"

#include "Lanes.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <unordered_set>

using namespace tc;
using namespace tc::timing;
using Kind = Operand::Kind;

namespace {

constexpr unsigned bankBytes = 4, rowBytes = 128;

/// Returns true if lanes that differ in one bit of their number have one
/// address.
bool arePairs(const std::array<std::uint64_t, numLanes> &addresses,
              std::uint32_t mask, unsigned bit) {
  for (unsigned i = 0; i < numLanes; ++i)
    if ((mask >> i & 1) && (mask >> (i ^ bit) & 1) &&
        addresses[i] != addresses[i ^ bit])
      return false;
  return true;
}

/// Wavefronts of shared memory. 128 bytes are served at a time: a warp, its
/// halves or its quarters, or twice as many lanes where pairs of them, or
/// neighbouring pairs, have one address and `packsPairs`. In each, a bank
/// serves one word.
unsigned countWavefronts(const std::array<std::uint64_t, numLanes> &addresses,
                         std::uint32_t mask, unsigned bytes, bool packsPairs) {
  unsigned width = std::max(bytes, bankBytes), slots = rowBytes / width;
  if (packsPairs)
    packsPairs = arePairs(addresses, mask, 1) || arePairs(addresses, mask, 2);
  unsigned lanes = std::min(numLanes, packsPairs ? 2 * slots : slots);
  unsigned wavefronts = 0;
  for (unsigned first = 0; first < numLanes; first += lanes) {
    // Distinct places by the slot of the row that they are in; an access is
    // aligned, so that it lies in one.
    std::array<std::array<std::uint64_t, numLanes>, numLanes> places;
    std::array<unsigned, numLanes> counts = {};
    unsigned most = 0;
    for (unsigned i = first; i < first + lanes; ++i) {
      if (!(mask >> i & 1))
        continue;
      std::uint64_t place = addresses[i] / width;
      std::size_t slot = place % slots;
      auto *begin = places[slot].data(), *end = begin + counts[slot];
      if (std::find(begin, end, place) == end)
        places[slot][counts[slot]++] = place;
      most = std::max(most, counts[slot]);
    }
    wavefronts += most;
  }
  return wavefronts;
}

/// Distinct multiples of `unit` bytes that lanes touch.
unsigned countDistinct(const std::array<std::uint64_t, numLanes> &addresses,
                       std::uint32_t mask, unsigned bytes, std::uint64_t unit,
                       std::vector<std::uint64_t> *found = nullptr) {
  std::array<std::uint64_t, numLanes> units;
  unsigned count = 0;
  for (unsigned i = 0; i < numLanes; ++i)
    if (mask >> i & 1)
      units[count++] = addresses[i] / unit;
  std::sort(units.begin(), units.begin() + count);
  auto *end = std::unique(units.begin(), units.begin() + count);
  if (found)
    found->assign(units.begin(), end);
  return static_cast<unsigned>(end - units.begin());
}

unsigned roundUpToUnit(unsigned bytes, unsigned unit) {
  return (bytes + unit - 1) / unit;
}

/// Follows one warp.
class Walker {
public:
  Walker(const std::vector<Decoded> &code, const Launch &launch,
         const Machine &machine, std::uint64_t block, unsigned warp)
      : code(code),
        registers(launch, machine,
                  {static_cast<std::uint32_t>(block % launch.grid[0]),
                   static_cast<std::uint32_t>(block / launch.grid[0] %
                                              launch.grid[1]),
                   static_cast<std::uint32_t>(block / launch.grid[0] /
                                              launch.grid[1])},
                  warp),
        active(registers.threads()) {}

  bool isDone() const { return active == 0; }
  std::uint32_t place() const { return at; }

  /// Executes an instruction and goes on to the next; false if that is a jump
  /// whose condition is not known, which is then not taken.
  bool step();

  std::uint32_t mask() const { return active; }
  const WarpRegisters &state() const { return registers; }

private:
  void leave(std::uint32_t next);
  void join();

  const std::vector<Decoded> &code;
  WarpRegisters registers;
  std::uint32_t active;
  std::uint32_t at = 0;
  /// Lanes that wait for the others at an instruction further down.
  std::map<std::uint32_t, std::uint32_t> waiting;
  /// The places that calls return to, of those that all lanes have made.
  std::vector<std::uint32_t> returns;
};

void Walker::join() {
  if (waiting.empty())
    return;
  auto found = waiting.find(at);
  if (found == waiting.end())
    return;
  active |= found->second;
  waiting.erase(found);
}

/// All active lanes have ended or wait: those that are furthest behind go on.
void Walker::leave(std::uint32_t next) {
  at = active == 0 && !waiting.empty() ? waiting.begin()->first : next;
  join();
}

bool Walker::step() {
  const Decoded &decoded = code[at];
  bool isDecided = true;
  std::uint32_t next = at + 1;
  if (decoded.action == Action::Exit) {
    Truth guard = registers.guardOf(decoded, active);
    // A lane goes on where it is not known whether it ends.
    active &= ~(guard.bits & guard.known);
  } else if (decoded.action == Action::Return) {
    // Lanes that call by themselves are not distinguished.
    if (returns.empty()) {
      active = 0;
    } else {
      next = returns.back();
      returns.pop_back();
    }
  } else if (decoded.action == Action::Jump || decoded.action == Action::Call) {
    Truth guard = registers.guardOf(decoded, active);
    std::uint32_t unknown = active & ~guard.known;
    if (!decoded.isUnconditional) {
      Truth condition = {0, 0};
      // BRA P0, `(.L): one more condition, of which properties of the warp, as
      // in BRA.DIV, are none that hold.
      if (decoded.operands.size() == 2)
        condition = registers.read(decoded.operands[0]);
      if (decoded.source->hasModifier("DIV"))
        condition = {0, allLanes};
      else if (decoded.operands.size() == 1)
        condition = {allLanes, allLanes};
      unknown |= active & ~condition.known & (guard.bits | ~guard.known);
      guard.bits &= condition.bits;
    }
    isDecided = unknown == 0;
    std::uint32_t jumping = active & guard.bits & ~unknown;
    std::uint32_t staying = active & ~jumping;
    if (jumping != 0 && staying == 0) {
      // Calls that leave loops never return: no more than the last are kept.
      constexpr std::size_t deepest = 16;
      if (decoded.action == Action::Call) {
        if (returns.size() == deepest)
          returns.erase(returns.begin());
        returns.push_back(at + 1);
      }
      next = decoded.target;
    } else if (jumping != 0 && decoded.target > at) {
      waiting[decoded.target] |= jumping;
      active = staying;
    } else if (jumping != 0) {
      // Lanes that leave a loop wait behind it for the others.
      waiting[at + 1] |= staying;
      active = jumping;
      next = decoded.target;
    }
  } else {
    registers.execute(decoded, active);
  }
  leave(next);
  return isDecided;
}

std::vector<Decoded> decodeAll(const sass::Function &function) {
  std::vector<Decoded> code;
  code.reserve(function.code.size());
  for (const sass::Instruction &instruction : function.code)
    code.push_back(decode(instruction));
  return code;
}

/// Counts the traffic of an access, before its registers change.
void countAccess(const Decoded &decoded, const Walker &walker,
                 const Machine &machine, WarpTrace &traced,
                 std::uint64_t &unknown) {
  /// Accesses whose pages are remembered.
  constexpr std::size_t maxPaged = 1 << 11;
  Accesses &accesses = traced.accesses[walker.place()];
  ++accesses.executions;
  Truth guard = walker.state().guardOf(decoded, walker.mask());
  // Unknown guards hold: accesses that are there are for something.
  std::uint32_t mask = guard.bits | (walker.mask() & ~guard.known);
  if (mask == 0)
    return;
  ++accesses.active;
  unsigned bytes = decoded.bytes;
  auto lanes = static_cast<unsigned>(__builtin_popcount(mask));
  auto needsGlobal = [&](unsigned which) {
    if (!decoded.isLoad)
      accesses.stored += std::uint64_t{lanes} * bytes;
    WideValue address = walker.state().addressOf(decoded, which);
    if ((address.known & mask) == mask) {
      accesses.sectors += countDistinct(address.lanes, mask, bytes, 32);
      accesses.lines += countDistinct(address.lanes, mask, bytes, 128);
      PageTrace &pages = traced.pages;
      if (machine.translationEntries > 0 && pages.accesses.size() < maxPaged) {
        std::vector<std::uint64_t> touched;
        countDistinct(address.lanes, mask, bytes, machine.pageBytes, &touched);
        pages.pages.insert(pages.pages.end(), touched.begin(), touched.end());
        pages.accesses.emplace_back(walker.place(), pages.pages.size());
      }
    } else {
      ++unknown;
      accesses.sectors += roundUpToUnit(lanes * bytes, 32);
      accesses.lines += roundUpToUnit(lanes * bytes, 128);
    }
  };
  switch (decoded.space) {
  case Space::Global:
    return needsGlobal(0);
  case Space::Copy:
    needsGlobal(1);
    [[fallthrough]];
  case Space::Shared: {
    WideValue address = walker.state().addressOf(decoded, 0);
    if (decoded.isMatrix) {
      // Each eight lanes have the addresses of the rows of a matrix.
      unsigned matrices = decoded.source->hasModifier("4")   ? 4
                          : decoded.source->hasModifier("2") ? 2
                                                             : 1;
      mask &= matrices == 4 ? allLanes : (1u << (8 * matrices)) - 1;
      lanes = 8 * matrices;
    }
    if ((address.known & mask) == mask) {
      accesses.wavefronts +=
          countWavefronts(address.lanes, mask, bytes,
                          machine.packsPairs && decoded.isLoad &&
                              !decoded.isMatrix && bytes > bankBytes);
    } else {
      ++unknown;
      accesses.wavefronts += roundUpToUnit(lanes * bytes, rowBytes);
    }
    return;
  }
  case Space::Local:
    // Local memory is interleaved by lanes.
    accesses.wavefronts += roundUpToUnit(numLanes * bytes, rowBytes);
    return;
  case Space::None:
    return;
  }
}

std::string hexPlace(std::uint64_t offset) {
  char text[32];
  std::snprintf(text, sizeof(text), "0x%llx",
                static_cast<unsigned long long>(offset));
  return text;
}

/// By instruction: whether it is in a loop that multiplies.
std::vector<char> inMultiplyingLoops(const sass::FunctionCounts &counts,
                                     std::size_t size) {
  std::vector<char> result(size, 0);
  for (const sass::LoopCounts &loop : counts.loops)
    if (loop.counts[sass::Category::Multiply] > 0)
      for (std::uint32_t number : loop.instructions)
        result[number] = 1;
  return result;
}

} // namespace

Status timing::verify(const Launch &launch, const Machine &machine) {
  const model::MultiprocessorLimits &limits = machine.target.multiprocessor;
  auto isExtent = [](std::uint32_t extent) { return extent > 0; };
  if (!std::all_of(launch.grid.begin(), launch.grid.end(), isExtent) ||
      !std::all_of(launch.block.begin(), launch.block.end(), isExtent))
    return Error{"a grid or block of no extent"};
  if (std::uint64_t(launch.grid[1]) * launch.grid[2] > (std::uint64_t(1) << 31))
    return Error{"the grid has too many blocks"};
  std::uint64_t threads = std::uint64_t(launch.block[0]) * launch.block[1];
  if (threads > 1024 || threads * launch.block[2] >
                            static_cast<std::uint64_t>(limits.threadsPerBlock))
    return Error{"a block has more than " +
                 std::to_string(limits.threadsPerBlock) + " threads"};
  if (launch.sharedBytes < 0 || launch.sharedBytes > limits.sharedBytesPerBlock)
    return Error{"a block has " + std::to_string(launch.sharedBytes) +
                 " bytes of shared memory, of " +
                 std::to_string(limits.sharedBytesPerBlock)};
  if (launch.registers < 1 || launch.registers > limits.registersPerThread)
    return Error{"a thread has " + std::to_string(launch.registers) +
                 " registers, of " + std::to_string(limits.registersPerThread)};
  return {};
}

Result<BlockTrace> timing::traceBlock(const sass::Function &function,
                                      const sass::FunctionCounts &counts,
                                      const Launch &launch,
                                      const Machine &machine,
                                      std::uint64_t block) {
  if (block >= launch.blocks())
    return Error{"there is no block number " + std::to_string(block)};
  BlockTrace trace;
  trace.blocks = sass::findBasicBlocks(function);
  std::vector<std::uint32_t> blockOf(function.code.size(), 0);
  for (std::uint32_t i = 0; i < trace.blocks.size(); ++i)
    for (std::uint32_t k = trace.blocks[i].begin; k < trace.blocks[i].end; ++k)
      blockOf[k] = i;
  const std::vector<Decoded> code = decodeAll(function);
  const std::vector<char> multiplies =
      inMultiplyingLoops(counts, function.code.size());
  std::vector<char> isUndecided(function.code.size(), 0);
  std::uint64_t left = launch.instructionLimit;
  for (unsigned warp = 0; warp < launch.warps(); ++warp) {
    WarpTrace &traced = trace.warps.emplace_back();
    traced.accesses.resize(function.code.size());
    Walker walker(code, launch, machine, block, warp);
    while (!walker.isDone()) {
      std::uint32_t at = walker.place();
      if (at >= code.size())
        return Error{"the code of '" + function.name +
                     "' ends without an exit"};
      if (left-- == 0)
        return Error{"a block of '" + function.name + "' takes more than " +
                     std::to_string(launch.instructionLimit) +
                     " instructions, the most that are followed"};
      if (at == trace.blocks[blockOf[at]].begin)
        traced.path.push_back(blockOf[at]);
      if (code[at].action == Action::Access)
        countAccess(code[at], walker, machine, traced, trace.unknownAccesses);
      if (walker.step())
        continue;
      if (multiplies[at] && code[at].target <= at)
        return Error{"the loop at " +
                     hexPlace(function.code[code[at].target].offset) + " of '" +
                     function.name +
                     "' goes on by what is not known when it is launched"};
      isUndecided[at] = 1;
    }
  }
  for (std::uint32_t i = 0; i < isUndecided.size(); ++i)
    if (isUndecided[i])
      trace.undecided.push_back(i);
  return trace;
}

double timing::distinctPart(const sass::Function &function,
                            const Launch &launch, const Machine &machine,
                            std::uint64_t first, std::uint64_t count) {
  // Enough to get into the steady part of a kernel, few enough to be quick.
  constexpr unsigned maxLoads = 24, maxSteps = 4096;
  const std::vector<Decoded> code = decodeAll(function);
  std::unordered_set<std::uint64_t> distinct;
  std::vector<std::uint64_t> sectors;
  std::uint64_t all = 0;
  for (std::uint64_t block = first; block < first + count; ++block) {
    for (unsigned warp = 0; warp < launch.warps(); ++warp) {
      Walker walker(code, launch, machine, block, warp);
      unsigned loads = 0;
      for (unsigned steps = 0; steps < maxSteps && loads < maxLoads &&
                               !walker.isDone() && walker.place() < code.size();
           ++steps) {
        const Decoded &decoded = code[walker.place()];
        bool isGlobal = decoded.isLoad && (decoded.space == Space::Global ||
                                           decoded.space == Space::Copy);
        Truth guard = walker.state().guardOf(decoded, walker.mask());
        std::uint32_t mask = guard.bits & guard.known;
        if (isGlobal && mask != 0) {
          WideValue address = walker.state().addressOf(
              decoded, decoded.space == Space::Copy ? 1 : 0);
          if ((address.known & mask) == mask) {
            ++loads;
            countDistinct(address.lanes, mask, decoded.bytes, 32, &sectors);
            all += sectors.size();
            distinct.insert(sectors.begin(), sectors.end());
          }
        }
        walker.step();
      }
    }
  }
  return all == 0
             ? 1
             : static_cast<double>(distinct.size()) / static_cast<double>(all);
}
