//===- Subtrees.cpp - The best order of a few steps of a tree -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of a step, the tree below it down to a few leaves is put into the best of all
// orders, by dynamic programming over the leaves' subsets ("subtree
// reconfiguration" of Gray and Kourtis, Quantum 5, 410, 2021).
//
//===----------------------------------------------------------------------===//

#include "WorkingTree.h"

#include <algorithm>
#include <array>
#include <limits>

using namespace tc;
using namespace tc::model;

/// The leaves of a subtree, and the subsets of these.
static constexpr size_t mostLeaves = 8, subsets = size_t(1) << mostLeaves;

namespace {

/// A subtree, whose indices are numbered anew.
class Subtree {
public:
  Subtree(const WorkingTree &tree, unsigned root);

  /// True if there is anything to choose, and numbers for all indices.
  bool hasChoice() const { return leaves.size() > 2 && isSmall; }
  /// Finds the best order; true if it is better than that of the tree.
  bool search();
  void apply(WorkingTree &tree, unsigned root) const;
  /// The seconds of the steps of the tree.
  double secondsOfTree() const { return ofTree; }

private:
  static constexpr size_t words = 4;
  using Set = std::array<uint64_t, words>;

  double elementsOf(const Set &set) const;
  unsigned addSteps(size_t subset, WorkingTree::Steps &steps) const;

  const WorkingTree &tree;
  std::vector<unsigned> leaves;
  std::vector<double> extents;
  bool isSmall = true;
  /// The indices of each leaf, and of what is held outside.
  std::array<Set, mostLeaves> ofLeaf = {};
  Set outside = {};
  double ofTree = 0;
  std::array<double, subsets> seconds;
  std::array<uint16_t, subsets> split;
};

} // namespace

Subtree::Subtree(const WorkingTree &tree, unsigned root) : tree(tree) {
  const std::vector<WorkingTree::Node> &nodes = tree.nodes();
  leaves = {nodes[root].first, nodes[root].second};
  ofTree = nodes[root].seconds;
  // The step that takes most is taken apart first.
  while (leaves.size() < mostLeaves) {
    auto most = leaves.end();
    for (auto leaf = leaves.begin(); leaf != leaves.end(); ++leaf)
      if (!nodes[*leaf].isInput &&
          (most == leaves.end() || nodes[*leaf].seconds > nodes[*most].seconds))
        most = leaf;
    if (most == leaves.end())
      break;
    const WorkingTree::Node &node = nodes[*most];
    ofTree += node.seconds;
    *most = node.first;
    leaves.push_back(node.second);
  }
  IndexList numbers;
  for (unsigned leaf : leaves)
    numbers.insert(numbers.end(), nodes[leaf].indices.begin(),
                   nodes[leaf].indices.end());
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  isSmall = numbers.size() <= words * 64;
  if (!hasChoice())
    return;
  for (unsigned index : numbers)
    extents.push_back(
        static_cast<double>(tree.network().indices[index].extent));
  auto setOf = [&](const IndexList &indices) {
    Set set = {};
    for (unsigned index : indices) {
      auto place = static_cast<size_t>(
          std::lower_bound(numbers.begin(), numbers.end(), index) -
          numbers.begin());
      set[place / 64] |= uint64_t(1) << (place % 64);
    }
    return set;
  };
  for (size_t i = 0; i < leaves.size(); ++i)
    ofLeaf[i] = setOf(nodes[leaves[i]].indices);
  outside = setOf(nodes[root].indices);
}

double Subtree::elementsOf(const Set &set) const {
  double elements = 1;
  for (size_t word = 0; word < words; ++word)
    for (uint64_t rest = set[word]; rest != 0; rest &= rest - 1)
      elements *=
          extents[word * 64 + static_cast<size_t>(__builtin_ctzll(rest))];
  return elements;
}

bool Subtree::search() {
  const size_t count = size_t(1) << leaves.size();
  std::array<Set, subsets> held;
  std::array<double, subsets> elements;
  for (size_t subset = 1; subset < count; ++subset) {
    Set inside = {}, others = outside;
    for (size_t i = 0; i < leaves.size(); ++i)
      for (size_t word = 0; word < words; ++word)
        (subset >> i & 1 ? inside : others)[word] |= ofLeaf[i][word];
    const bool isLeaf = (subset & (subset - 1)) == 0;
    for (size_t word = 0; word < words; ++word)
      held[subset][word] = isLeaf ? inside[word] : inside[word] & others[word];
    elements[subset] = elementsOf(held[subset]);
    seconds[subset] = isLeaf ? 0 : std::numeric_limits<double>::infinity();
  }
  for (size_t subset = 1; subset < count; ++subset) {
    if ((subset & (subset - 1)) == 0)
      continue;
    // Each pair once: the first leaf is in the first part.
    const size_t least = subset & -subset;
    for (size_t part = (subset - 1) & subset; part != 0;
         part = (part - 1) & subset) {
      if (!(part & least))
        continue;
      const size_t other = subset ^ part;
      const double before = seconds[part] + seconds[other];
      if (before >= seconds[subset])
        continue;
      Set both;
      for (size_t word = 0; word < words; ++word)
        both[word] = held[part][word] | held[other][word];
      const double found =
          before + tree.priceOf(elementsOf(both),
                                tree.bytesOf(elements[part] + elements[other] +
                                             elements[subset]));
      if (found < seconds[subset]) {
        seconds[subset] = found;
        split[subset] = static_cast<uint16_t>(part);
      }
    }
  }
  return seconds[count - 1] < ofTree * (1 - 1e-6);
}

/// Adds the steps of a subset, and returns the place of what they make.
unsigned Subtree::addSteps(size_t subset, WorkingTree::Steps &steps) const {
  if ((subset & (subset - 1)) == 0)
    return static_cast<unsigned>(__builtin_ctzll(subset));
  const unsigned first = addSteps(split[subset], steps),
                 second = addSteps(subset ^ split[subset], steps);
  steps.push_back({first, second});
  return static_cast<unsigned>(leaves.size() + steps.size() - 1);
}

void Subtree::apply(WorkingTree &changed, unsigned root) const {
  WorkingTree::Steps steps;
  addSteps((size_t(1) << leaves.size()) - 1, steps);
  changed.replace(root, leaves, steps);
}

void tc::model::improveSubtrees(WorkingTree &tree, SearchBudget &budget) {
  // Steps that take less of all do not matter.
  constexpr double leastShare = 1e-4;
  constexpr unsigned mostRounds = 8;
  for (unsigned round = 0; round < mostRounds && !budget.isSpent(); ++round) {
    const double before = tree.seconds();
    for (unsigned root : tree.stepsFromRoot()) {
      if (budget.isSpent())
        break;
      Subtree subtree(tree, root);
      budget.spend(2000);
      if (!subtree.hasChoice() ||
          subtree.secondsOfTree() < leastShare * tree.seconds())
        continue;
      budget.spend(150e3);
      if (subtree.search())
        subtree.apply(tree, root);
    }
    tree.addTimesUp();
    if (tree.seconds() > before * (1 - 1e-3))
      return;
  }
}
