//===- ControlFlow.h - Basic blocks of a kernel -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The control-flow graph that reconvergence, loops and liveness are computed
// on.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_SIMULATOR_CONTROLFLOW_H
#define TC_LIB_SIMULATOR_CONTROLFLOW_H

#include "Program.h"

namespace tc::sim {

struct BasicBlock {
  std::uint32_t begin = 0, end = 0; ///< instructions [begin, end)
  /// Blocks that may follow; the number of blocks stands for the exit.
  std::vector<std::uint32_t> successors;
};

/// Blocks in the order of the code; the first is the entry.
std::vector<BasicBlock> findBasicBlocks(const std::vector<MicroOp> &code);

/// For each node of a graph the nodes that an edge leads to.
using Edges = std::vector<std::vector<std::uint32_t>>;

/// The edges between blocks, with the exit as the last node.
Edges getSuccessors(const std::vector<BasicBlock> &blocks);
Edges reverse(const Edges &edges);

/// Which nodes are on all ways from a root to a node.
struct Dominators {
  /// The nodes that can be reached, in reverse post-order.
  std::vector<std::uint32_t> order;
  /// By node: its place in that order, and its immediate dominator, the root's
  /// being itself. `none` if it cannot be reached.
  std::vector<std::uint32_t> number, parent;
};

/// Nothing if that takes too long to find out.
std::optional<Dominators> findDominators(const Edges &successors,
                                         const Edges &predecessors,
                                         std::uint32_t root);

} // namespace tc::sim

#endif // TC_LIB_SIMULATOR_CONTROLFLOW_H
