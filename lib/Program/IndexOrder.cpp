//===- IndexOrder.cpp - Layout of temporaries in memory ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TreeSearch.h"

#include <algorithm>
#include <limits>

using namespace tc;
using namespace tc::model;

namespace {

/// A temporary between the step that makes it and the step that uses it.
class Temporary {
public:
  Temporary(const ContractionTree &tree, unsigned node)
      : tree(tree), node(node) {
    for (unsigned user = node + 1; user < tree.nodes.size(); ++user)
      if (contains(tree.nodes[user].operands, node))
        reader = user;
  }

  /// Orders to choose from, without the present one.
  std::vector<IndexList> candidates() const;

  unsigned reader = 0;

private:
  /// The tensors around that hold the index, as bits of a number.
  static unsigned groupOf(unsigned index,
                          const std::vector<const IndexList *> &neighbours) {
    unsigned group = 0;
    for (const IndexList *list : neighbours)
      group = 2 * group + contains(*list, index);
    return group;
  }

  /// The writer's operands, then the reader's other one and its result.
  std::vector<const IndexList *> neighbours() const {
    std::vector<const IndexList *> lists;
    for (unsigned operand : tree.nodes[node].operands)
      lists.push_back(&tree.nodes[operand].indices);
    for (unsigned operand : tree.nodes[reader].operands)
      if (operand != node)
        lists.push_back(&tree.nodes[operand].indices);
    lists.push_back(&tree.nodes[reader].indices);
    return lists;
  }

  const ContractionTree &tree;
  unsigned node;
};

} // namespace

std::vector<IndexList> Temporary::candidates() const {
  std::vector<const IndexList *> lists = neighbours();
  size_t written = tree.nodes[node].operands.size();
  std::vector<IndexList> result;
  auto add = [&](const IndexList &order) {
    if (order != tree.nodes[node].indices &&
        std::find(result.begin(), result.end(), order) == result.end())
      result.push_back(order);
  };
  // Within a group, as in what is read to make it, or as in what it is used
  // with.
  for (bool likeReader : {false, true}) {
    IndexList all;
    auto begin = lists.begin(), middle = begin + static_cast<long>(written);
    std::vector<const IndexList *> sources(likeReader ? middle : begin,
                                           likeReader ? lists.end() : middle);
    for (const IndexList *source : sources)
      for (unsigned index : *source)
        if (contains(tree.nodes[node].indices, index) && !contains(all, index))
          all.push_back(index);
    std::vector<unsigned> groups, groupOfEach;
    for (unsigned index : all) {
      groupOfEach.push_back(groupOf(index, lists));
      if (!contains(groups, groupOfEach.back()))
        groups.push_back(groupOfEach.back());
    }
    // One group after the other is the innermost, and the rest in order or the
    // other way round.
    for (size_t inner = 0; inner < groups.size(); ++inner)
      for (bool reversed : {false, true}) {
        std::vector<unsigned> order = groups;
        order.erase(order.begin() + static_cast<long>(inner));
        if (reversed)
          std::reverse(order.begin(), order.end());
        order.push_back(groups[inner]);
        IndexList candidate;
        for (unsigned group : order)
          for (size_t i = 0; i < all.size(); ++i)
            if (groupOfEach[i] == group)
              candidate.push_back(all[i]);
        add(candidate);
      }
  }
  return result;
}

ContractionTree tc::model::orderIndices(const Network &network,
                                        const ContractionTree &tree,
                                        StepTimes &times) {
  ContractionTree chosen = tree;
  const std::vector<bool> matters = stepsThatMatter(network, tree, times);
  // Of large trees, no more is worked out than takes a part of a second.
  const size_t most =
      network.inputs.size() <= mostInputsOfExactSearch
          ? std::numeric_limits<size_t>::max()
          : times.predictions() + times.affordablePredictions() / 4;
  for (unsigned node = 0; node + 1 < tree.nodes.size(); ++node) {
    if (chosen.nodes[node].isInput())
      continue;
    Temporary temporary(chosen, node);
    if (times.predictions() > most)
      break;
    if (!matters[node] && !matters[temporary.reader])
      continue;
    Step writer = stepOf(chosen, node),
         reader = stepOf(chosen, temporary.reader);
    const std::vector<unsigned> &operands =
        chosen.nodes[temporary.reader].operands;
    IndexList &asOperand =
        reader.operands[operands.front() == node ? 0 : operands.size() - 1];
    const double infinity = std::numeric_limits<double>::infinity();
    double least = infinity;
    auto secondsOf = [&](const IndexList &indices) {
      writer.result = asOperand = indices;
      const double seconds = times.predict(network, writer);
      return seconds < least ? seconds + times.predict(network, reader)
                             : infinity;
    };
    IndexList best = chosen.nodes[node].indices;
    least = secondsOf(best);
    // No layout gains more than that.
    if (least < times.secondsOfCall())
      continue;
    for (IndexList &candidate : temporary.candidates())
      if (double time = secondsOf(candidate); time < least) {
        least = time;
        best = std::move(candidate);
      }
    chosen.nodes[node].indices = std::move(best);
  }
  return chosen;
}
