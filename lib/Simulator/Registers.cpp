//===- Registers.cpp - Places in the register file ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX has as many registers as it likes. Packing those that are never live at
// the same time into one place keeps a block's registers in the host's caches.
// Liveness is that of a single thread: writes are masked, so a lane's place
// changes only where that lane's own thread writes.
//
//===----------------------------------------------------------------------===//

#include "ControlFlow.h"
#include "Limits.h"
#include "Operands.h"

#include <algorithm>
#include <queue>

using namespace tc::sim;

namespace {

using Bits = std::vector<std::uint64_t>;

bool testBit(const Bits &bits, std::size_t i) {
  return (bits[i / 64] >> (i % 64)) & 1;
}
void setBit(Bits &bits, std::size_t i) {
  bits[i / 64] |= std::uint64_t(1) << (i % 64);
}

/// The instructions from the first to the last at which a register is live.
struct Interval {
  std::uint32_t first = none, last = 0;

  void include(std::uint32_t position) {
    first = first == none ? position : std::min(first, position);
    last = std::max(last, position);
  }
};

class Allocator {
public:
  Allocator(Kernel &kernel, const RegisterSizes &sizes,
            std::uint32_t firstFixed)
      : kernel(kernel), sizes(sizes), firstFixed(firstFixed),
        intervals(firstFixed), places(sizes.size(), none) {}

  tc::Result<std::vector<std::uint32_t>> run() {
    blocks = findBasicBlocks(kernel.code);
    findGlobals();
    if (blocks.size() * globals.size() > maxLivenessBits || !computeLiveness())
      return tc::Error{"the control flow of entry '" + kernel.info.name +
                       "' is too large"};
    computeIntervals();
    place();
    if (top > maxBlockRegisterBytes)
      return tc::Error{"the registers of entry '" + kernel.info.name +
                       "' take too much memory"};
    rewrite();
    kernel.registerBytes = top;
    return std::move(places);
  }

private:
  /// Registers that a block may read before it writes them; only those can be
  /// live from one block to another.
  void findGlobals() {
    globalNumber.assign(firstFixed, none);
    std::vector<std::uint32_t> writtenIn(firstFixed, none);
    for (std::uint32_t b = 0; b < blocks.size(); ++b)
      for (std::uint32_t pc = blocks[b].begin; pc < blocks[b].end; ++pc) {
        const MicroOp &op = kernel.code[pc];
        forEachUse(kernel, op, [&](std::uint32_t r) {
          if (r < firstFixed && writtenIn[r] != b && globalNumber[r] == none) {
            globalNumber[r] = static_cast<std::uint32_t>(globals.size());
            globals.push_back(r);
          }
        });
        if (op.guard == none)
          forEachDefinition(kernel, op, [&](std::uint32_t r) {
            if (r < firstFixed)
              writtenIn[r] = b;
          });
      }
  }

  /// False if it takes too long.
  bool computeLiveness() {
    std::size_t words = (globals.size() + 63) / 64;
    Bits nothing(words, 0);
    std::vector<Bits> killed(blocks.size(), nothing);
    liveIn.assign(blocks.size(), nothing);
    for (std::uint32_t b = 0; b < blocks.size(); ++b)
      for (std::uint32_t pc = blocks[b].begin; pc < blocks[b].end; ++pc) {
        const MicroOp &op = kernel.code[pc];
        forEachUse(kernel, op, [&](std::uint32_t r) {
          if (r < firstFixed && globalNumber[r] != none &&
              !testBit(killed[b], globalNumber[r]))
            setBit(liveIn[b], globalNumber[r]);
        });
        if (op.guard == none)
          forEachDefinition(kernel, op, [&](std::uint32_t r) {
            if (r < firstFixed && globalNumber[r] != none)
              setBit(killed[b], globalNumber[r]);
          });
      }
    liveOut.assign(blocks.size(), nothing);
    std::uint64_t steps = 0;
    for (bool changed = true; changed;) {
      changed = false;
      if (steps > maxAnalysisSteps)
        return false;
      for (std::size_t b = blocks.size(); b-- > 0;)
        for (std::uint32_t successor : blocks[b].successors) {
          if (successor == blocks.size())
            continue;
          steps += words;
          for (std::size_t w = 0; w < words; ++w) {
            liveOut[b][w] |= liveIn[successor][w];
            std::uint64_t in = liveIn[b][w] | (liveOut[b][w] & ~killed[b][w]);
            changed |= in != liveIn[b][w];
            liveIn[b][w] = in;
          }
        }
    }
    return true;
  }

  void computeIntervals() {
    for (std::uint32_t pc = 0; pc < kernel.code.size(); ++pc) {
      auto include = [&](std::uint32_t r) {
        if (r < firstFixed)
          intervals[r].include(pc);
      };
      forEachUse(kernel, kernel.code[pc], include);
      forEachDefinition(kernel, kernel.code[pc], include);
    }
    for (std::size_t b = 0; b < blocks.size(); ++b)
      for (std::size_t g = 0; g < globals.size(); ++g) {
        if (testBit(liveIn[b], g))
          intervals[globals[g]].include(blocks[b].begin);
        if (testBit(liveOut[b], g))
          intervals[globals[g]].include(blocks[b].end - 1);
      }
  }

  /// Appends a place for a register. Places of one size are only ever shared
  /// among registers of that size, so two operands never overlap in part.
  std::uint32_t append(std::uint8_t size) {
    std::uint64_t bytes = size == 0 ? 4 : std::uint64_t(size) * warpSize;
    std::uint64_t alignment = std::min<std::uint64_t>(bytes, 64);
    std::uint64_t place = (top + alignment - 1) / alignment * alignment;
    top = place + bytes;
    return static_cast<std::uint32_t>(
        std::min<std::uint64_t>(place, maxBlockRegisterBytes));
  }

  void place() {
    // Registers that may be read before they are written come first, so that
    // they can be filled at the start of each block, and share with nothing.
    for (std::size_t g = 0; g < globals.size(); ++g)
      if (testBit(liveIn[0], g)) {
        append(0); // See unwrittenLanesOf.
        places[globals[g]] = append(sizes[globals[g]]);
      }
    kernel.maybeUnwrittenBytes = top;
    for (std::uint32_t r = firstFixed; r < sizes.size(); ++r)
      places[r] = append(sizes[r]);

    std::vector<std::uint32_t> order;
    for (std::uint32_t r = 0; r < firstFixed; ++r)
      if (intervals[r].first != none && places[r] == none)
        order.push_back(r);
    std::sort(order.begin(), order.end(),
              [&](std::uint32_t x, std::uint32_t y) {
                return std::make_pair(intervals[x].first, x) <
                       std::make_pair(intervals[y].first, y);
              });
    using Active = std::pair<std::uint32_t, std::uint32_t>; // last, register
    std::priority_queue<Active, std::vector<Active>, std::greater<Active>>
        active;
    std::vector<std::uint32_t> free[9];
    for (std::uint32_t r : order) {
      std::uint32_t first = intervals[r].first;
      // A place that is read for the last time here may be written here, unless
      // it is written here as well.
      std::vector<Active> kept;
      while (!active.empty() && active.top().first <= first) {
        Active ended = active.top();
        active.pop();
        if (intervals[ended.second].first < first)
          free[sizes[ended.second]].push_back(places[ended.second]);
        else
          kept.push_back(ended);
      }
      for (const Active &still : kept)
        active.push(still);
      std::vector<std::uint32_t> &available = free[sizes[r]];
      if (available.empty()) {
        places[r] = append(sizes[r]);
      } else {
        places[r] = available.back();
        available.pop_back();
      }
      active.emplace(intervals[r].last, r);
    }
    top = (top + 63) / 64 * 64;
  }

  void rewrite() {
    for (MicroOp &op : kernel.code)
      for (std::uint32_t *operand :
           {&op.guard, &op.dst, &op.dst2, &op.a, &op.b, &op.c, &op.d})
        if (*operand != none)
          *operand = places[*operand];
    for (std::uint32_t &operand : kernel.pool)
      if (operand != none)
        operand = places[operand];
    for (std::uint32_t place : places)
      if (place < kernel.maybeUnwrittenBytes)
        kernel.neverWritten.insert(place);
    for (MicroOp &op : kernel.code)
      forEachDefinition(kernel, op, [&](std::uint32_t place) {
        kernel.neverWritten.erase(place);
      });
    for (MicroOp &op : kernel.code) {
      auto visit = [&](std::uint32_t place) {
        op.touchesUnwritten |= place < kernel.maybeUnwrittenBytes;
      };
      forEachUse(kernel, op, visit);
      forEachDefinition(kernel, op, visit);
    }
  }

  Kernel &kernel;
  const RegisterSizes &sizes;
  const std::uint32_t firstFixed;
  std::vector<BasicBlock> blocks;
  std::vector<std::uint32_t> globals, globalNumber;
  std::vector<Bits> liveIn, liveOut;
  std::vector<Interval> intervals;
  std::vector<std::uint32_t> places;
  std::uint64_t top = 0;
};

} // namespace

tc::Result<std::vector<std::uint32_t>>
tc::sim::allocateRegisters(Kernel &kernel, const RegisterSizes &sizes,
                           std::uint32_t firstFixed) {
  return Allocator(kernel, sizes, firstFixed).run();
}
