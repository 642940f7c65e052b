//===- GreedyOrder.cpp - A tree for any number of inputs --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TreeSearch.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>
#include <random>
#include <set>
#include <tuple>

using namespace tc;
using namespace tc::model;

namespace {

/// An input or a step, with how many of what holds each of its indices is in
/// it.
struct Node {
  unsigned first = 0, second = 0;
  int parent = -1;
  bool isInput = true;
  IndexList indices;
  std::vector<unsigned> counts;
  double elements = 1;
  /// By the lower bound of the step.
  double seconds = 0;
};

class TreeChanges {
public:
  TreeChanges(const Network &network, StepTimes &times,
              const OrderOptions &options)
      : network(network), times(times), options(options),
        total(network.indices.size()) {
    for (unsigned index : network.output)
      ++total[index];
    for (const IndexList &input : network.inputs) {
      Node &node = nodes.emplace_back();
      for (unsigned index : input)
        if (std::find(node.indices.begin(), node.indices.end(), index) ==
            node.indices.end()) {
          node.indices.push_back(index);
          node.counts.push_back(1);
          ++total[index];
        }
      node.elements = network.elements(node.indices);
    }
  }

  void contractGreedily();
  void contractOneByOne();
  void anneal();
  ContractionTree tree() const;

  /// The most bytes of temporaries at the same time.
  double peakBytes() const;
  bool fits() const {
    return !options.memoryLimit || peakBytes() <= *options.memoryLimit;
  }

private:
  Node combine(unsigned first, unsigned second) const;
  unsigned append(unsigned first, unsigned second);
  void rotate(std::mt19937_64 &random,
              const std::function<bool(double)> &accept);
  std::vector<unsigned> stepsFromRoot() const;
  double uniform(std::mt19937_64 &random) const {
    return static_cast<double>(random() >> 11) * 0x1p-53;
  }

  const Network &network;
  StepTimes &times;
  const OrderOptions &options;
  /// Inputs that hold an index, and one more if the output does.
  std::vector<unsigned> total;
  std::vector<Node> nodes;
  double seconds = 0;
};

} // namespace

/// The step that contracts two nodes.
Node TreeChanges::combine(unsigned first, unsigned second) const {
  Node node;
  node.isInput = false;
  node.first = first;
  node.second = second;
  double products = nodes[first].elements;
  const Node &x = nodes[first], &y = nodes[second];
  for (size_t i = 0; i < x.indices.size(); ++i) {
    unsigned count = x.counts[i];
    auto other = std::find(y.indices.begin(), y.indices.end(), x.indices[i]);
    if (other != y.indices.end())
      count += y.counts[static_cast<size_t>(other - y.indices.begin())];
    if (count < total[x.indices[i]]) {
      node.indices.push_back(x.indices[i]);
      node.counts.push_back(count);
    }
  }
  for (size_t i = 0; i < y.indices.size(); ++i) {
    if (std::find(x.indices.begin(), x.indices.end(), y.indices[i]) !=
        x.indices.end())
      continue;
    products *= static_cast<double>(network.indices[y.indices[i]].extent);
    if (y.counts[i] < total[y.indices[i]]) {
      node.indices.push_back(y.indices[i]);
      node.counts.push_back(y.counts[i]);
    }
  }
  node.elements = network.elements(node.indices);
  auto width = static_cast<double>(byteWidth(network.type));
  node.seconds = times.lowerBound(
      products, (x.elements + y.elements + node.elements) * width);
  return node;
}

unsigned TreeChanges::append(unsigned first, unsigned second) {
  auto place = static_cast<unsigned>(nodes.size());
  nodes.push_back(combine(first, second));
  nodes[first].parent = nodes[second].parent = static_cast<int>(place);
  seconds += nodes.back().seconds;
  return place;
}

/// Contracts the pair whose product has the fewest elements beyond those of its
/// factors, again and again (the greedy order of Smith and Gray, "opt_einsum",
/// JOSS 2018); pairs that share no index come last, the smallest first.
void TreeChanges::contractGreedily() {
  using Entry = std::tuple<double, unsigned, unsigned>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> pairs;
  std::vector<std::set<unsigned>> holders(network.indices.size());
  std::set<unsigned> open;
  // Of an index that so many hold, only neighbours are pairs.
  constexpr size_t manyHolders = 32;
  auto add = [&](unsigned node) {
    std::set<unsigned> partners;
    for (unsigned index : nodes[node].indices) {
      if (holders[index].size() <= manyHolders)
        partners.insert(holders[index].begin(), holders[index].end());
      else
        partners.insert(*holders[index].rbegin());
    }
    for (unsigned partner : partners) {
      Node product = combine(partner, node);
      pairs.push(
          {product.elements - nodes[partner].elements - nodes[node].elements,
           partner, node});
    }
    for (unsigned index : nodes[node].indices)
      holders[index].insert(node);
    open.insert(node);
  };
  auto contract = [&](unsigned first, unsigned second) {
    for (unsigned node : {first, second}) {
      for (unsigned index : nodes[node].indices)
        holders[index].erase(node);
      open.erase(node);
    }
    add(append(first, second));
  };
  auto inputs = static_cast<unsigned>(nodes.size());
  for (unsigned input = 0; input < inputs; ++input)
    add(input);
  while (open.size() > 1) {
    if (!pairs.empty()) {
      auto [cost, first, second] = pairs.top();
      pairs.pop();
      if (open.count(first) && open.count(second))
        contract(first, second);
      continue;
    }
    std::vector<unsigned> left(open.begin(), open.end());
    std::partial_sort(left.begin(), left.begin() + 2, left.end(),
                      [&](unsigned x, unsigned y) {
                        return nodes[x].elements < nodes[y].elements;
                      });
    contract(left[0], left[1]);
  }
}

/// Contracts one input after the other to one temporary, that which makes it
/// the smallest: the least memory for chains and lattices.
void TreeChanges::contractOneByOne() {
  std::vector<unsigned> left(nodes.size());
  std::iota(left.begin(), left.end(), 0);
  auto take = [&](std::vector<unsigned>::iterator place) {
    unsigned node = *place;
    left.erase(place);
    return node;
  };
  unsigned made = take(
      std::min_element(left.begin(), left.end(), [&](unsigned x, unsigned y) {
        return nodes[x].elements < nodes[y].elements;
      }));
  while (!left.empty()) {
    auto best = left.begin();
    double least = std::numeric_limits<double>::infinity();
    for (auto place = left.begin(); place != left.end(); ++place)
      if (double elements = combine(made, *place).elements; elements < least) {
        least = elements;
        best = place;
      }
    made = append(made, take(best));
  }
}

/// Exchanges an operand of a step with one of its operand's, unless the change
/// of the time, which is not in `seconds` yet, is not accepted.
void TreeChanges::rotate(std::mt19937_64 &random,
                         const std::function<bool(double)> &accept) {
  size_t inputs = network.inputs.size(), steps = nodes.size() - inputs;
  auto upper = static_cast<unsigned>(inputs + random() % steps);
  uint64_t draw = random();
  unsigned lower = nodes[upper].first, sibling = nodes[upper].second;
  if (draw & 1)
    std::swap(lower, sibling);
  if (nodes[lower].isInput)
    return;
  unsigned stays = nodes[lower].first, leaves = nodes[lower].second;
  if (draw & 2)
    std::swap(stays, leaves);

  const Node oldLower = nodes[lower], oldUpper = nodes[upper];
  auto set = [&](unsigned place, const Node &node) {
    int parent = nodes[place].parent;
    nodes[place] = node;
    nodes[place].parent = parent;
    nodes[node.first].parent = nodes[node.second].parent =
        static_cast<int>(place);
  };
  set(lower, combine(stays, sibling));
  set(upper, combine(lower, leaves));
  double change = nodes[lower].seconds + nodes[upper].seconds -
                  oldLower.seconds - oldUpper.seconds;
  if (accept(change)) {
    seconds += change;
    return;
  }
  set(upper, oldUpper);
  set(lower, oldLower);
}

/// Changes the tree at random, for the worse less and less often, and keeps the
/// best. If its temporaries fit the limit of memory, they go on to do so.
void TreeChanges::anneal() {
  if (network.inputs.size() < 3)
    return;
  constexpr double firstTemperature = 0.1, lastTemperature = 1e-5;
  std::mt19937_64 random(options.seed);
  std::vector<Node> best = nodes;
  double least = seconds;
  bool isLimited = options.memoryLimit && fits();
  for (unsigned step = 0; step < options.annealingSteps; ++step) {
    double part = static_cast<double>(step) / options.annealingSteps;
    double temperature =
        firstTemperature * std::pow(lastTemperature / firstTemperature, part);
    rotate(random, [&](double change) {
      return (change <= 0 ||
              uniform(random) < std::exp(-change / (temperature * seconds))) &&
             (!isLimited || fits());
    });
    // Far below it, small steps would be lost in the sum.
    if (step % 1024 == 0) {
      seconds = 0;
      for (const Node &node : nodes)
        seconds += node.seconds;
    }
    if (seconds < least * (1 - 1e-9)) {
      least = seconds;
      best = nodes;
    }
  }
  nodes = std::move(best);
  seconds = least;
}

/// The steps, each before those that it uses.
std::vector<unsigned> TreeChanges::stepsFromRoot() const {
  unsigned root = 0;
  while (nodes[root].parent >= 0)
    root = static_cast<unsigned>(nodes[root].parent);
  // Without recursion as deep as a chain is long.
  std::vector<unsigned> order, stack = {root};
  while (!stack.empty()) {
    unsigned node = stack.back();
    stack.pop_back();
    if (nodes[node].isInput)
      continue;
    order.push_back(node);
    stack.push_back(nodes[node].first);
    stack.push_back(nodes[node].second);
  }
  return order;
}

double TreeChanges::peakBytes() const {
  std::vector<unsigned> order = stepsFromRoot();
  std::vector<double> peak(nodes.size());
  auto bytesOf = [&](unsigned node) {
    bool isTemporary = !nodes[node].isInput && nodes[node].parent >= 0;
    return isTemporary ? nodes[node].elements *
                             static_cast<double>(byteWidth(network.type))
                       : 0;
  };
  for (auto node = order.rbegin(); node != order.rend(); ++node) {
    unsigned x = nodes[*node].first, y = nodes[*node].second;
    double bytesX = bytesOf(x), bytesY = bytesOf(y);
    peak[*node] = std::max(std::min(std::max(peak[x], bytesX + peak[y]),
                                    std::max(peak[y], bytesY + peak[x])),
                           bytesX + bytesY + bytesOf(*node));
  }
  return peak[order.front()];
}

ContractionTree TreeChanges::tree() const {
  ContractionTree tree;
  for (const IndexList &input : network.inputs)
    tree.nodes.push_back({{}, input});
  std::vector<unsigned> order = stepsFromRoot();
  std::vector<unsigned> places(nodes.size());
  for (unsigned input = 0; input < network.inputs.size(); ++input)
    places[input] = input;
  for (auto node = order.rbegin(); node != order.rend(); ++node) {
    places[*node] = static_cast<unsigned>(tree.nodes.size());
    tree.nodes.push_back(
        {{places[nodes[*node].first], places[nodes[*node].second]},
         nodes[*node].indices});
  }
  tree.nodes.back().indices = network.output;
  return tree;
}

ContractionTree tc::model::findGreedyOrder(const Network &network,
                                           StepTimes &times,
                                           const OrderOptions &options) {
  TreeChanges changes(network, times, options);
  changes.contractGreedily();
  changes.anneal();
  if (changes.fits())
    return changes.tree();
  TreeChanges others(network, times, options);
  others.contractOneByOne();
  others.anneal();
  return others.peakBytes() < changes.peakBytes() ? others.tree()
                                                  : changes.tree();
}

ContractionTree tc::model::findChain(const Network &network, StepTimes &times,
                                     const OrderOptions &options) {
  TreeChanges changes(network, times, options);
  changes.contractOneByOne();
  return changes.tree();
}
