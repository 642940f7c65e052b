//===- ContractionGroup.h - Contractions of a group -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A group with the normal forms of its contractions, as layouts, costs and
// searches take it: edges say which indices of two contractions are one.
//
//===----------------------------------------------------------------------===//

#ifndef TC_PROBLEM_CONTRACTIONGROUP_H
#define TC_PROBLEM_CONTRACTIONGROUP_H

#include "tc/Problem/Contraction.h"
#include "tc/Problem/Group.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace tc::model {

/// The indices of a tensor that two contractions have: the number that each
/// has in the one and in the other.
using LinkedIndices = std::vector<std::pair<unsigned, unsigned>>;

/// The linked indices of extent more than one of a tensor whose dimensions have
/// these labels in two contractions.
LinkedIndices linkIndices(const Contraction &first,
                          const std::vector<std::string> &labelsOfFirst,
                          const Contraction &second,
                          const std::vector<std::string> &labelsOfSecond);

/// The same of the tensor that a contraction computes and another one takes as
/// its input `sink`. If its elements are complex, indices over the parts are
/// linked, too.
LinkedIndices linkIndices(const Contraction &producer,
                          const std::vector<std::string> &labelsOfOutput,
                          const Contraction &consumer,
                          const std::vector<std::string> &labelsOfInput,
                          Tensor sink);

/// An edge with the indices of its tensor: their numbers in the contraction it
/// leads from and in that which it leads to.
struct IndexedEdge : GroupEdge {
  LinkedIndices indices;

  /// Leads to the kernel's own contraction, which is computed last.
  bool isLast() const { return to == 0; }
};

constexpr auto fieldsOf(const IndexedEdge *) {
  return std::tuple_cat(
      fieldsOf(static_cast<const GroupEdge *>(nullptr)),
      std::make_tuple(field("indices", &IndexedEdge::indices)));
}

/// Gives an edge the indices of its tensor.
///
/// @param labelsOf  the labels of the dimensions of a node's tensor
IndexedEdge
indexEdge(const GroupEdge &edge, const Contraction &from, const Contraction &to,
          const std::function<std::vector<std::string>(GroupTensor)> &labelsOf);

/// Contractions in normal form, and the edges between them.
struct ContractionGroup {
  /// By the numbers of their nodes.
  std::vector<Contraction> contractions;
  std::vector<IndexedEdge> edges;

  /// The nodes in the order in which a kernel computes them.
  std::vector<unsigned> order() const;
  /// The edge by which another node computes an input of that one, null if none
  /// does.
  const IndexedEdge *producerOf(unsigned node) const;
  /// The edge by which a node computes an input of another one, null if it
  /// computes none.
  const IndexedEdge *consumerOf(unsigned node) const;
  /// The input that a node shares with all others, none if there is none.
  std::optional<Tensor> sharedInput(unsigned node) const;
  /// The linked indices of the input that two nodes share.
  LinkedIndices sharedIndices(unsigned first, unsigned second) const;
};

constexpr auto fieldsOf(const ContractionGroup *) {
  return std::make_tuple(field("contractions", &ContractionGroup::contractions),
                         field("edges", &ContractionGroup::edges));
}

} // namespace tc::model

#endif // TC_PROBLEM_CONTRACTIONGROUP_H
