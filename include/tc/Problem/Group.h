//===- Group.h - Contractions that make one kernel --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A group is a graph: its nodes are contractions, and an edge says that a
// tensor of one node is a tensor of another one. Everything else that differs
// from group to group follows from the edges: which tensors are operands of the
// kernel, which stay on the chip, and what is computed before what.
//
//===----------------------------------------------------------------------===//

#ifndef TC_PROBLEM_GROUP_H
#define TC_PROBLEM_GROUP_H

#include "tc/Problem/ContractionRecord.h"

#include <functional>

namespace tc::model {

/// Kinds of edges between two contractions.
enum class EdgeKind : unsigned {
  Accumulate, ///< both add to one output
  Feed,       ///< the output of one is an input of the other
  Share,      ///< both have an input in common
};

/// Place of the elements that two tensors tied by an edge have in common.
enum class EdgeMemory : unsigned {
  Source, ///< in the memory of the edge's source
  Sink,   ///< in the memory of the edge's sink
  Chip,   ///< in no memory: they lie densely on the chip
};

/// Differences between kinds of edges, for whoever writes, reads or lays out
/// groups.
struct EdgeTraits {
  EdgeMemory memory = EdgeMemory::Chip;
  /// True if sums of both contractions are combined in registers, so that only
  /// the last of the group stores them.
  bool combinesSums = false;
  /// Stands in formulas between the output of the edge's first contraction and
  /// what that computes.
  std::string_view assignment = " = ";
};

EdgeTraits traitsOf(EdgeKind kind);

/// The function at an edge, through which elements pass on their way.
enum class EdgeFunction : unsigned {
  Identity,
  Softmax, ///< along all indices that the consumer sums over
};

/// Its name where edges are written.
std::string_view stringify(EdgeFunction function);
/// The functions that are written, as the identity is by leaving it out.
inline constexpr EdgeFunction edgeFunctions[] = {EdgeFunction::Softmax};
/// The function of that name, none if it is no such name.
std::optional<EdgeFunction> symbolizeEdgeFunction(std::string_view name);

/// Says that a tensor of a node is a tensor of another one, which uses it.
struct GroupEdge {
  unsigned from = 0;
  Tensor source = Tensor::C;
  unsigned to = 0;
  Tensor sink = Tensor::A;
  EdgeFunction through = EdgeFunction::Identity;

  bool operator==(const GroupEdge &other) const {
    return from == other.from && source == other.source && to == other.to &&
           sink == other.sink && through == other.through;
  }
};

constexpr auto fieldsOf(const GroupEdge *) {
  return std::make_tuple(
      field("from", &GroupEdge::from), field("source", &GroupEdge::source),
      field("to", &GroupEdge::to), field("sink", &GroupEdge::sink),
      field("through", &GroupEdge::through));
}

EdgeKind kindOf(const GroupEdge &edge);
inline EdgeTraits traitsOf(const GroupEdge &edge) {
  return traitsOf(kindOf(edge));
}
inline bool isOnChip(const GroupEdge &edge) {
  return traitsOf(edge).memory == EdgeMemory::Chip;
}
inline bool takesSoftmax(const GroupEdge &edge) {
  return edge.through == EdgeFunction::Softmax;
}

/// The edges by which node `from` adds to the output of node zero, computes an
/// input of node `to`, or has an input in common with node zero.
GroupEdge accumulateEdge(unsigned from);
GroupEdge feedEdge(unsigned from, unsigned to, Tensor sink,
                   EdgeFunction through = EdgeFunction::Identity);
GroupEdge shareEdge(Tensor source, unsigned to, Tensor sink);

/// The node but zero that an edge ties to the group: the one whose tensor is
/// not where the elements are.
unsigned tiedNode(const GroupEdge &edge);

/// A tensor of a node.
struct GroupTensor {
  unsigned node = 0;
  Tensor tensor = Tensor::A;

  bool operator==(const GroupTensor &other) const {
    return node == other.node && tensor == other.tensor;
  }
};

/// "A", "B" or "C" of node zero, and of others with the node's number behind.
std::string nameOf(const GroupTensor &tensor);
/// The tensor of that name, none if it is no such name.
std::optional<GroupTensor> symbolizeGroupTensor(std::string_view name);

/// Contractions that make one kernel. Node zero stands for the kernel: the grid
/// is cut along its output, and beta, epilogue and auxiliary tensors are its
/// own.
struct Group {
  /// The number of nodes.
  unsigned size = 1;
  std::vector<GroupEdge> edges;

  /// The edge that gives a node its input, null if it is an operand.
  const GroupEdge *edgeInto(unsigned node, Tensor input) const;
  /// The edge that takes a node's output, null if the output is an operand.
  const GroupEdge *edgeFromOutput(unsigned node) const;
  /// True if any edge is of that kind.
  bool has(EdgeKind kind) const;
  /// True if all edges are of that kind, as where there are none.
  bool hasOnly(EdgeKind kind) const;
  /// True if sums of the contractions are combined in registers.
  bool combinesSums() const;

  /// True if a kernel takes a pointer to the tensor; the others are tensors of
  /// other nodes, or stay on the chip.
  bool isOperand(const GroupTensor &tensor) const;
  /// The operands in the order of the kernel's parameters. The first three are
  /// in the places of A, B and C of node zero; where one of these is computed
  /// by another node, the first operand of the others takes its place. A kernel
  /// has its auxiliary tensors after these three.
  std::vector<GroupTensor> operands() const;
  /// The operand in whose memory a tensor is; none if it stays on the chip.
  std::optional<GroupTensor> operandOf(GroupTensor tensor) const;
  /// The nodes whose output is an operand, node zero first.
  std::vector<unsigned> storedNodes() const;
  /// The nodes in an order in which each comes after those that feed it.
  std::vector<unsigned> order() const;
};

/// Fault that a rule of groups finds wrong: with a node as a whole if there is
/// no tensor.
struct GroupFault {
  std::optional<GroupTensor> tensor;
  unsigned node = 0;
  std::string message;
};

/// The edges form a group of which kernels are made: numbers of nodes are in
/// range; each node but zero reaches node zero by edges, or is reached from it;
/// no tensor is taken twice, and no node feeds itself; all edges are of one
/// kind, and in a chain each node feeds one other.
std::optional<GroupFault> findFault(const Group &group);

/// The contractions, by their nodes, may be connected as the edges of a group
/// without faults say: types, factors, semirings, epilogues and shapes go
/// together.
std::optional<GroupFault>
findFault(const Group &group,
          const std::function<const ContractionRecord &(unsigned)> &recordOf);

} // namespace tc::model

#endif // TC_PROBLEM_GROUP_H
