//===- Loops.cpp - Natural loops of a kernel ------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Headers are taken from the innermost outwards; a walk backwards from the
// jumps to one collects its loop and steps over the loops that it already
// knows.
//
//===----------------------------------------------------------------------===//

#include "ControlFlow.h"
#include "Limits.h"

#include <algorithm>

using namespace tc::sim;

namespace {

class LoopFinder {
public:
  explicit LoopFinder(const std::vector<MicroOp> &code)
      : blocks(findBasicBlocks(code)), successors(getSuccessors(blocks)),
        predecessors(reverse(successors)), loopOf(successors.size(), noLoop) {}

  bool run();
  LoopNest number(std::size_t instructions) const;

private:
  /// A loop with its header as a block.
  struct Loop {
    std::uint32_t header, parent = noLoop, depth = 1;
  };

  bool isReached(std::uint32_t block) const {
    return dominators.number[block] != none;
  }
  bool dominates(std::uint32_t header, std::uint32_t block);
  void collect(std::uint32_t header, std::vector<std::uint32_t> jumpsBack);

  std::vector<BasicBlock> blocks;
  Edges successors, predecessors;
  Dominators dominators;
  std::vector<Loop> loops;           ///< inner ones before outer ones
  std::vector<std::uint32_t> loopOf; ///< the innermost one, by block
  std::uint64_t steps = 0;
};

} // namespace

bool LoopFinder::dominates(std::uint32_t header, std::uint32_t block) {
  const std::vector<std::uint32_t> &number = dominators.number;
  for (; number[block] > number[header]; ++steps)
    block = dominators.parent[block];
  return block == header;
}

void LoopFinder::collect(std::uint32_t header,
                         std::vector<std::uint32_t> jumpsBack) {
  auto self = static_cast<std::uint32_t>(loops.size());
  loops.push_back({header});
  loopOf[header] = self;
  std::vector<std::uint32_t> &rest = jumpsBack;
  while (!rest.empty() && steps <= maxAnalysisSteps) {
    ++steps;
    std::uint32_t block = rest.back();
    rest.pop_back();
    std::uint32_t first = block;
    if (loopOf[block] == noLoop) {
      loopOf[block] = self;
    } else {
      // Goes on before the outermost loop around the block.
      std::uint32_t outermost = loopOf[block];
      for (; loops[outermost].parent != noLoop; ++steps)
        outermost = loops[outermost].parent;
      if (outermost == self)
        continue;
      loops[outermost].parent = self;
      first = loops[outermost].header;
    }
    for (std::uint32_t predecessor : predecessors[first])
      if (isReached(predecessor))
        rest.push_back(predecessor);
  }
}

bool LoopFinder::run() {
  std::optional<Dominators> found =
      findDominators(successors, predecessors, /*root=*/0);
  if (!found)
    return false;
  dominators = std::move(*found);
  // A header that dominates another comes before it in reverse post-order.
  for (auto header = dominators.order.rbegin();
       header != dominators.order.rend(); ++header) {
    std::vector<std::uint32_t> jumpsBack;
    for (std::uint32_t predecessor : predecessors[*header])
      if (isReached(predecessor) && dominates(*header, predecessor))
        jumpsBack.push_back(predecessor);
    if (!jumpsBack.empty())
      collect(*header, std::move(jumpsBack));
    if (steps > maxAnalysisSteps)
      return false;
  }
  for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop)
    if (loop->parent != noLoop)
      loop->depth = loops[loop->parent].depth + 1;
  return true;
}

/// The loops in the order of their headers, and by instruction.
LoopNest LoopFinder::number(std::size_t instructions) const {
  std::vector<std::uint32_t> order(loops.size()), numbers(loops.size());
  for (std::uint32_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return loops[a].header < loops[b].header;
  });
  for (std::uint32_t i = 0; i < order.size(); ++i)
    numbers[order[i]] = i;
  auto numberOf = [&](std::uint32_t loop) {
    return loop == noLoop ? noLoop : numbers[loop];
  };
  LoopNest nest;
  for (std::uint32_t loop : order)
    nest.loops.push_back({blocks[loops[loop].header].begin,
                          numberOf(loops[loop].parent), loops[loop].depth});
  nest.innermost.resize(instructions, noLoop);
  for (std::size_t i = 0; i < blocks.size(); ++i)
    for (std::uint32_t pc = blocks[i].begin; pc < blocks[i].end; ++pc)
      nest.innermost[pc] = numberOf(loopOf[i]);
  return nest;
}

std::optional<LoopNest> tc::sim::findLoops(const std::vector<MicroOp> &code) {
  LoopFinder finder(code);
  if (!finder.run())
    return std::nullopt;
  return finder.number(code.size());
}
