//===- ControlFlow.cpp - Basic blocks and reconvergence -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Immediate dominators after Cooper, Harvey and Kennedy, "A Simple, Fast
// Dominance Algorithm"; post-dominators are those of the reversed graph.
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

Edges tc::sim::getSuccessors(const std::vector<BasicBlock> &blocks) {
  Edges successors(blocks.size() + 1);
  for (std::size_t i = 0; i < blocks.size(); ++i)
    successors[i] = blocks[i].successors;
  return successors;
}

Edges tc::sim::reverse(const Edges &edges) {
  Edges reversed(edges.size());
  for (std::uint32_t node = 0; node < edges.size(); ++node)
    for (std::uint32_t successor : edges[node])
      reversed[successor].push_back(node);
  return reversed;
}

static std::vector<std::uint32_t> reversePostOrder(const Edges &successors,
                                                   std::uint32_t root) {
  std::vector<std::uint32_t> order;
  std::vector<char> visited(successors.size(), 0);
  std::vector<std::pair<std::uint32_t, std::size_t>> stack = {{root, 0}};
  visited[root] = 1;
  while (!stack.empty()) {
    auto &[node, next] = stack.back();
    if (next == successors[node].size()) {
      order.push_back(node);
      stack.pop_back();
      continue;
    }
    std::uint32_t successor = successors[node][next++];
    if (!visited[successor]) {
      visited[successor] = 1;
      stack.emplace_back(successor, 0);
    }
  }
  std::reverse(order.begin(), order.end());
  return order;
}

std::optional<Dominators> tc::sim::findDominators(const Edges &successors,
                                                  const Edges &predecessors,
                                                  std::uint32_t root) {
  Dominators result;
  result.order = reversePostOrder(successors, root);
  std::vector<std::uint32_t> &number = result.number, &parent = result.parent;
  number.assign(successors.size(), none);
  for (std::uint32_t i = 0; i < result.order.size(); ++i)
    number[result.order[i]] = i;
  parent.assign(successors.size(), none);
  parent[root] = root;
  std::uint64_t steps = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t node : result.order) {
      if (node == root)
        continue;
      if (steps > maxAnalysisSteps)
        return std::nullopt;
      std::uint32_t meet = none;
      for (std::uint32_t predecessor : predecessors[node]) {
        if (parent[predecessor] == none)
          continue;
        if (meet == none) {
          meet = predecessor;
          continue;
        }
        std::uint32_t other = predecessor;
        for (; meet != other; ++steps) {
          std::uint32_t &later = number[meet] > number[other] ? meet : other;
          later = parent[later];
        }
      }
      if (parent[node] != meet) {
        parent[node] = meet;
        changed = true;
      }
    }
  }
  return result;
}

bool tc::sim::findReconvergence(std::vector<MicroOp> &code) {
  std::vector<BasicBlock> blocks = findBasicBlocks(code);
  auto exit = static_cast<std::uint32_t>(blocks.size());
  Edges successors = getSuccessors(blocks);
  // Blocks that cannot reach the exit have no post-dominator.
  std::optional<Dominators> postDominators =
      findDominators(reverse(successors), successors, exit);
  if (!postDominators)
    return false;
  for (std::uint32_t block = 0; block < exit; ++block) {
    MicroOp &last = code[blocks[block].end - 1];
    std::uint32_t meet = postDominators->parent[block];
    if (last.opcode == Opcode::Branch && meet != none && meet != exit)
      last.reconvergence = blocks[meet].begin;
  }
  return true;
}
