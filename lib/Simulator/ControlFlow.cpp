//===- ControlFlow.cpp - Basic blocks and reconvergence -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Immediate post-dominators after Cooper, Harvey and Kennedy, "A Simple, Fast
// Dominance Algorithm", on the reversed graph.
//
//===----------------------------------------------------------------------===//

#include "ControlFlow.h"
#include "Limits.h"

#include <algorithm>

using namespace tc::sim;

std::vector<BasicBlock>
tc::sim::findBasicBlocks(const std::vector<MicroOp> &code) {
  std::vector<char> isLeader(code.size() + 1, 0);
  isLeader[0] = 1;
  for (std::size_t pc = 0; pc < code.size(); ++pc) {
    Opcode opcode = code[pc].opcode;
    if (opcode == Opcode::Branch)
      isLeader[code[pc].target] = 1;
    if (opcode == Opcode::Branch || opcode == Opcode::Exit ||
        opcode == Opcode::Trap)
      isLeader[pc + 1] = 1;
  }
  std::vector<BasicBlock> blocks;
  std::vector<std::uint32_t> blockOf(code.size());
  for (std::size_t pc = 0; pc < code.size(); ++pc) {
    if (isLeader[pc]) {
      blocks.emplace_back();
      blocks.back().begin = static_cast<std::uint32_t>(pc);
    }
    blocks.back().end = static_cast<std::uint32_t>(pc) + 1;
    blockOf[pc] = static_cast<std::uint32_t>(blocks.size()) - 1;
  }
  auto exit = static_cast<std::uint32_t>(blocks.size());
  for (std::uint32_t number = 0; number < exit; ++number) {
    BasicBlock &block = blocks[number];
    const MicroOp &last = code[block.end - 1];
    std::uint32_t next = number + 1; // Behind the last block is the exit.
    bool isConditional = last.guard != none;
    if (last.opcode == Opcode::Branch)
      block.successors.push_back(blockOf[last.target]);
    else if (last.opcode == Opcode::Exit || last.opcode == Opcode::Trap)
      block.successors.push_back(exit);
    else
      isConditional = true;
    if (isConditional &&
        (block.successors.empty() || block.successors[0] != next))
      block.successors.push_back(next);
  }
  return blocks;
}

/// Blocks in post-order of the reversed graph, beginning at the exit.
static std::vector<std::uint32_t>
reversePostOrder(const std::vector<std::vector<std::uint32_t>> &predecessors) {
  auto exit = static_cast<std::uint32_t>(predecessors.size()) - 1;
  std::vector<std::uint32_t> order;
  std::vector<char> visited(predecessors.size(), 0);
  std::vector<std::pair<std::uint32_t, std::size_t>> stack = {{exit, 0}};
  visited[exit] = 1;
  while (!stack.empty()) {
    auto &[block, next] = stack.back();
    if (next == predecessors[block].size()) {
      order.push_back(block);
      stack.pop_back();
      continue;
    }
    std::uint32_t predecessor = predecessors[block][next++];
    if (!visited[predecessor]) {
      visited[predecessor] = 1;
      stack.emplace_back(predecessor, 0);
    }
  }
  std::reverse(order.begin(), order.end());
  return order;
}

bool tc::sim::findReconvergence(std::vector<MicroOp> &code) {
  std::vector<BasicBlock> blocks = findBasicBlocks(code);
  auto exit = static_cast<std::uint32_t>(blocks.size());
  std::vector<std::vector<std::uint32_t>> predecessors(blocks.size() + 1);
  for (std::uint32_t number = 0; number < exit; ++number)
    for (std::uint32_t successor : blocks[number].successors)
      predecessors[successor].push_back(number);

  // Blocks that cannot reach the exit have no number and no post-dominator.
  std::vector<std::uint32_t> order = reversePostOrder(predecessors);
  std::vector<std::uint32_t> number(blocks.size() + 1, none);
  for (std::uint32_t i = 0; i < order.size(); ++i)
    number[order[i]] = i;
  std::vector<std::uint32_t> parent(blocks.size() + 1, none);
  parent[exit] = exit;
  std::uint64_t steps = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t block : order) {
      if (block == exit)
        continue;
      if (steps > maxAnalysisSteps)
        return false;
      std::uint32_t meet = none;
      for (std::uint32_t successor : blocks[block].successors) {
        if (parent[successor] == none)
          continue;
        if (meet == none) {
          meet = successor;
          continue;
        }
        std::uint32_t other = successor;
        for (; meet != other; ++steps) {
          std::uint32_t &later = number[meet] > number[other] ? meet : other;
          later = parent[later];
        }
      }
      if (parent[block] != meet) {
        parent[block] = meet;
        changed = true;
      }
    }
  }
  for (std::uint32_t block = 0; block < exit; ++block) {
    MicroOp &last = code[blocks[block].end - 1];
    if (last.opcode == Opcode::Branch && parent[block] != none &&
        parent[block] != exit)
      last.reconvergence = blocks[parent[block]].begin;
  }
  return true;
}
