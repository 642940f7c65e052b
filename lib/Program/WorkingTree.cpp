//===- WorkingTree.cpp - A tree that searches change ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WorkingTree.h"

#include <algorithm>
#include <limits>
#include <numeric>

using namespace tc;
using namespace tc::model;

WorkingTree::WorkingTree(const Network &network, const StepTimes &times)
    : ofNetwork(&network), times(&times), width(network.temporaryWidth()),
      holders(network.indices.size()) {
  for (unsigned index : network.output)
    ++holders[index];
  for (const IndexList &input : network.inputs) {
    Node &node = all.emplace_back();
    node.indices = input;
    std::sort(node.indices.begin(), node.indices.end());
    node.indices.erase(std::unique(node.indices.begin(), node.indices.end()),
                       node.indices.end());
    for (unsigned index : node.indices)
      ++holders[index];
  }
  // Sums of one input take one pass over that, whatever the order.
  const bool sumsFirst = times.mayChooseSums(network);
  for (Node &node : all) {
    if (sumsFirst)
      node.indices.erase(
          std::remove_if(node.indices.begin(), node.indices.end(),
                         [&](unsigned index) { return holders[index] == 1; }),
          node.indices.end());
    node.counts.assign(node.indices.size(), 1);
    node.elements = network.elements(node.indices);
  }
}

WorkingTree::Node WorkingTree::combine(unsigned first, unsigned second) const {
  Node node;
  node.isInput = false;
  node.first = first;
  node.second = second;
  const Node &x = all[first], &y = all[second];
  node.indices.reserve(x.indices.size() + y.indices.size());
  node.counts.reserve(x.indices.size() + y.indices.size());
  double products = 1;
  auto add = [&](unsigned index, unsigned count) {
    const auto extent = static_cast<double>(ofNetwork->indices[index].extent);
    products *= extent;
    if (count == holders[index])
      return;
    node.elements *= extent;
    node.indices.push_back(index);
    node.counts.push_back(count);
  };
  size_t i = 0, j = 0;
  while (i < x.indices.size() && j < y.indices.size())
    if (x.indices[i] == y.indices[j]) {
      add(x.indices[i], x.counts[i] + y.counts[j]);
      ++i;
      ++j;
    } else if (x.indices[i] < y.indices[j]) {
      add(x.indices[i], x.counts[i]);
      ++i;
    } else {
      add(y.indices[j], y.counts[j]);
      ++j;
    }
  for (; i < x.indices.size(); ++i)
    add(x.indices[i], x.counts[i]);
  for (; j < y.indices.size(); ++j)
    add(y.indices[j], y.counts[j]);
  node.seconds =
      priceOf(products, bytesOf(x.elements + y.elements + node.elements));
  return node;
}

unsigned WorkingTree::append(unsigned first, unsigned second) {
  auto place = static_cast<unsigned>(all.size());
  all.push_back(combine(first, second));
  all[first].parent = all[second].parent = static_cast<int>(place);
  total += all.back().seconds;
  return place;
}

void WorkingTree::setSteps(const Steps &steps) {
  all.resize(inputs());
  total = 0;
  for (auto [first, second] : steps)
    append(first, second);
}

WorkingTree::Steps WorkingTree::steps() const {
  std::vector<unsigned> order = stepsFromRoot();
  std::vector<unsigned> places(all.size());
  std::iota(places.begin(), places.begin() + static_cast<ptrdiff_t>(inputs()),
            0);
  Steps made;
  for (auto node = order.rbegin(); node != order.rend(); ++node) {
    places[*node] = static_cast<unsigned>(inputs() + made.size());
    made.push_back({places[all[*node].first], places[all[*node].second]});
  }
  return made;
}

/// Puts a step where another one is, below the same.
void WorkingTree::set(unsigned place, Node node) {
  node.parent = all[place].parent;
  all[place] = std::move(node);
  all[all[place].first].parent = all[all[place].second].parent =
      static_cast<int>(place);
}

void WorkingTree::addTimesUp() {
  total = 0;
  for (const Node &node : all)
    total += node.seconds;
}

void WorkingTree::replace(unsigned root, const std::vector<unsigned> &leaves,
                          const Steps &steps) {
  // The places of the steps between: the root's, and those of others.
  std::vector<unsigned> places = leaves, stack = {root}, free, ends = leaves;
  std::sort(ends.begin(), ends.end());
  while (!stack.empty()) {
    unsigned node = stack.back();
    stack.pop_back();
    if (std::binary_search(ends.begin(), ends.end(), node))
      continue;
    free.push_back(node);
    stack.push_back(all[node].first);
    stack.push_back(all[node].second);
  }
  // The last step takes the root's place, which comes first.
  for (size_t i = 0; i < steps.size(); ++i) {
    const unsigned place = free[steps.size() - 1 - i];
    total -= all[place].seconds;
    places.push_back(place);
  }
  for (size_t i = 0; i < steps.size(); ++i) {
    auto [first, second] = steps[i];
    set(places[leaves.size() + i], combine(places[first], places[second]));
    total += all[places[leaves.size() + i]].seconds;
  }
}

unsigned WorkingTree::root() const {
  unsigned node = 0;
  while (all[node].parent >= 0)
    node = static_cast<unsigned>(all[node].parent);
  return node;
}

std::vector<unsigned> WorkingTree::stepsFromRoot() const {
  // Without recursion as deep as a chain is long.
  std::vector<unsigned> order, stack = {root()};
  while (!stack.empty()) {
    unsigned node = stack.back();
    stack.pop_back();
    if (all[node].isInput)
      continue;
    order.push_back(node);
    stack.push_back(all[node].first);
    stack.push_back(all[node].second);
  }
  return order;
}

std::vector<double> WorkingTree::peaks() const {
  std::vector<unsigned> order = stepsFromRoot();
  std::vector<double> peak(all.size());
  auto bytesOfTemporary = [&](unsigned node) {
    bool isTemporary = !all[node].isInput && all[node].parent >= 0;
    return isTemporary ? bytesOf(all[node].elements) : 0;
  };
  for (auto node = order.rbegin(); node != order.rend(); ++node) {
    unsigned x = all[*node].first, y = all[*node].second;
    peak[*node] = peakOfStep(peak[x], bytesOfTemporary(x), peak[y],
                             bytesOfTemporary(y), bytesOfTemporary(*node));
  }
  return peak;
}

ContractionTree WorkingTree::tree() const {
  ContractionTree tree;
  for (const IndexList &input : ofNetwork->inputs)
    tree.nodes.push_back({{}, input});
  std::vector<unsigned> order = stepsFromRoot();
  std::vector<unsigned> places(all.size());
  std::iota(places.begin(), places.begin() + static_cast<ptrdiff_t>(inputs()),
            0);
  for (auto node = order.rbegin(); node != order.rend(); ++node) {
    places[*node] = static_cast<unsigned>(tree.nodes.size());
    const unsigned first = places[all[*node].first],
                   second = places[all[*node].second];
    // The first operand's indices, then those that the second one has besides.
    IndexList indices = productIndices(
        tree.nodes[first].indices, tree.nodes[second].indices,
        [&](unsigned index) {
          return std::binary_search(all[*node].indices.begin(),
                                    all[*node].indices.end(), index);
        });
    tree.nodes.push_back({{first, second}, std::move(indices)});
  }
  tree.nodes.back().indices = ofNetwork->output;
  return tree;
}

bool tc::model::contractOneByOne(WorkingTree &tree, SearchBudget &budget) {
  const std::vector<WorkingTree::Node> &nodes = tree.nodes();
  std::vector<std::vector<unsigned>> holders(tree.network().indices.size());
  std::vector<unsigned> bySize(tree.inputs());
  std::iota(bySize.begin(), bySize.end(), 0);
  std::sort(bySize.begin(), bySize.end(), [&](unsigned x, unsigned y) {
    return std::pair(nodes[x].elements, x) < std::pair(nodes[y].elements, y);
  });
  for (unsigned input : bySize)
    for (unsigned index : nodes[input].indices)
      holders[index].push_back(input);

  // Those that share an index with what was taken, and the smallest of all.
  enum State : char { Far, Near, Taken };
  std::vector<State> states(tree.inputs(), Far);
  std::vector<unsigned> near;
  auto smallest = bySize.begin();
  auto take = [&](unsigned input) {
    states[input] = Taken;
    near.erase(std::remove(near.begin(), near.end(), input), near.end());
    for (unsigned index : nodes[input].indices)
      for (unsigned holder : std::exchange(holders[index], {}))
        if (states[holder] == Far) {
          states[holder] = Near;
          near.push_back(holder);
        }
    while (smallest != bySize.end() && states[*smallest] == Taken)
      ++smallest;
    return input;
  };
  unsigned made = take(*smallest);
  for (size_t left = tree.inputs() - 1; left > 0; --left) {
    budget.spend(150 * static_cast<double>(near.size() + 2));
    if (budget.isSpent())
      return false;
    unsigned best = *smallest;
    double least = tree.combine(made, best).elements;
    for (unsigned input : near)
      if (double elements = tree.combine(made, input).elements;
          elements < least) {
        least = elements;
        best = input;
      }
    made = tree.append(made, take(best));
  }
  return true;
}
