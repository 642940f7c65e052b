//===- ContractionGroup.cpp - Contractions of a group ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Problem/ContractionGroup.h"

#include "tc/Problem/ComplexParts.h"

#include <algorithm>

using namespace tc;
using namespace tc::model;

LinkedIndices tc::model::linkIndices(
    const Contraction &first, const std::vector<std::string> &labelsOfFirst,
    const Contraction &second, const std::vector<std::string> &labelsOfSecond) {
  LinkedIndices linked;
  for (size_t i = 0; i < labelsOfFirst.size(); ++i) {
    std::optional<unsigned> one = first.find(labelsOfFirst[i]);
    std::optional<unsigned> other = second.find(labelsOfSecond[i]);
    if (one && other)
      linked.emplace_back(*one, *other);
  }
  return linked;
}

LinkedIndices tc::model::linkIndices(
    const Contraction &producer, const std::vector<std::string> &labelsOfOutput,
    const Contraction &consumer, const std::vector<std::string> &labelsOfInput,
    Tensor sink) {
  LinkedIndices linked =
      linkIndices(producer, labelsOfOutput, consumer, labelsOfInput);
  if (producer.parts && consumer.parts) {
    const ComplexParts &taken = *consumer.parts;
    linked.emplace_back(producer.parts->output, sink == taken.expanded
                                                    ? taken.output
                                                    : taken.summed.value());
  }
  return linked;
}

IndexedEdge tc::model::indexEdge(
    const GroupEdge &edge, const Contraction &from, const Contraction &to,
    const std::function<std::vector<std::string>(GroupTensor)> &labelsOf) {
  std::vector<std::string> source = labelsOf({edge.from, edge.source}),
                           sink = labelsOf({edge.to, edge.sink});
  return {edge, isOnChip(edge) ? linkIndices(from, source, to, sink, edge.sink)
                               : linkIndices(from, source, to, sink)};
}

std::vector<unsigned> ContractionGroup::order() const {
  return Group{static_cast<unsigned>(contractions.size()), {}}.order();
}

static bool isFeed(const GroupEdge &edge) {
  return kindOf(edge) == EdgeKind::Feed;
}

const IndexedEdge *ContractionGroup::producerOf(unsigned node) const {
  auto found =
      std::find_if(edges.begin(), edges.end(), [&](const GroupEdge &edge) {
        return edge.to == node && isFeed(edge);
      });
  return found == edges.end() ? nullptr : &*found;
}

const IndexedEdge *ContractionGroup::consumerOf(unsigned node) const {
  auto found =
      std::find_if(edges.begin(), edges.end(), [&](const GroupEdge &edge) {
        return edge.from == node && isFeed(edge);
      });
  return found == edges.end() ? nullptr : &*found;
}

std::optional<Tensor> ContractionGroup::sharedInput(unsigned node) const {
  for (const IndexedEdge &edge : edges) {
    if (kindOf(edge) != EdgeKind::Share)
      continue;
    if (edge.to == node)
      return edge.sink;
    if (edge.from == node)
      return edge.source;
  }
  return std::nullopt;
}

/// The number in a node of each index that node zero has of a shared input.
static LinkedIndices indicesFromZero(const ContractionGroup &group,
                                     unsigned node) {
  for (const IndexedEdge &edge : group.edges) {
    if (kindOf(edge) != EdgeKind::Share || (node != 0 && edge.to != node))
      continue;
    LinkedIndices linked = edge.indices;
    if (node == 0)
      for (auto &[own, other] : linked)
        other = own;
    return linked;
  }
  return {};
}

LinkedIndices ContractionGroup::sharedIndices(unsigned first,
                                              unsigned second) const {
  LinkedIndices linked;
  for (auto [zero, one] : indicesFromZero(*this, first))
    for (auto [same, other] : indicesFromZero(*this, second))
      if (zero == same)
        linked.emplace_back(one, other);
  return linked;
}
