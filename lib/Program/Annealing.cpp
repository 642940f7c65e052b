//===- Annealing.cpp - Simulated annealing of a tree ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// S. Kirkpatrick et al., "Optimization by Simulated Annealing", Science 220
// (1983), of the tree's rotations. As in Kalachev, Panteleev and Yung,
// "Multi-Tensor Contraction for XEB Verification of Quantum Circuits"
// (arXiv:2108.05665), a rotation is judged by the ratio of the times of the two
// steps that it changes, whatever the others take.
//
//===----------------------------------------------------------------------===//

#include "IndexSets.h"
#include "WorkingTree.h"

#include <cmath>
#include <queue>

using namespace tc;
using namespace tc::model;

namespace {

/// The steps of a tree that take most, the root first, each after the one that
/// takes it, and what they are made of.
struct TopOfTree {
  std::vector<unsigned> steps, leaves;
};

/// The top of a tree, whose leaves stay as they are, with sets of indices as
/// bits. Leaves are numbered first, then steps.
class RotatedTree {
public:
  using Operands = std::vector<std::pair<unsigned, unsigned>>;

  RotatedTree(const WorkingTree &tree, TopOfTree top,
              std::optional<double> mostBytes);

  /// Words of a set.
  size_t words() const { return sets.words(); }
  double seconds() const { return total; }
  void addTimesUp();
  /// Exchanges an operand of a step with one of its operand's, if `accept`
  /// takes the times of the two steps after and before, and the limit is kept.
  template <typename Accept>
  void rotate(std::mt19937_64 &random, Accept accept);

  const Operands &operandsOfSteps() const { return operands; }
  /// Changes the tree to operands that the steps had once.
  void apply(const Operands &from, WorkingTree &changed) const;

private:
  uint64_t *set(unsigned node) { return bits.data() + node * words(); }
  double bytesAt(unsigned node) const {
    return isTemporary[node] ? tree.bytesOf(elements[node]) : 0;
  }
  bool setPeaks(unsigned lower, unsigned upper, unsigned stays,
                unsigned sibling, unsigned leaving, double elementsOfLower);

  const WorkingTree &tree;
  TopOfTree top;
  unsigned leaves;
  IndexSets sets;
  std::vector<uint64_t> bits, made;
  std::vector<double> elements, prices;
  std::vector<bool> isTemporary;
  std::vector<unsigned> parents;
  /// By the positions of steps behind the leaves.
  Operands operands;
  double total = 0;
  std::optional<double> mostBytes;
  std::vector<double> peaks;
  std::vector<std::pair<unsigned, double>> changedPeaks;
};

} // namespace

static TopOfTree topOf(const WorkingTree &tree) {
  // Sets of bits grow with the indices of all leaves.
  constexpr size_t mostLeaves = 1024;
  TopOfTree top;
  std::priority_queue<std::pair<double, unsigned>> open;
  open.push({0, tree.root()});
  while (!open.empty()) {
    const unsigned node = open.top().second;
    open.pop();
    if (tree.nodes()[node].isInput ||
        top.leaves.size() + open.size() + 2 > mostLeaves) {
      top.leaves.push_back(node);
      continue;
    }
    top.steps.push_back(node);
    for (unsigned operand :
         {tree.nodes()[node].first, tree.nodes()[node].second})
      open.push({tree.nodes()[operand].seconds, operand});
  }
  return top;
}

static IndexList indicesOf(const WorkingTree &tree, const TopOfTree &top) {
  IndexList indices;
  for (unsigned leaf : top.leaves)
    indices.insert(indices.end(), tree.nodes()[leaf].indices.begin(),
                   tree.nodes()[leaf].indices.end());
  std::sort(indices.begin(), indices.end());
  indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
  return indices;
}

RotatedTree::RotatedTree(const WorkingTree &tree, TopOfTree ofTree,
                         std::optional<double> mostBytes)
    : tree(tree), top(std::move(ofTree)),
      leaves(static_cast<unsigned>(top.leaves.size())),
      sets(tree.network(), indicesOf(tree, top)),
      bits((top.leaves.size() + top.steps.size()) * words()), made(words()),
      parents(top.leaves.size() + top.steps.size()), mostBytes(mostBytes) {
  std::vector<unsigned> numbers(tree.nodes().size());
  const std::vector<double> peaksOfTree =
      mostBytes ? tree.peaks() : std::vector<double>(tree.nodes().size());
  for (const std::vector<unsigned> *places : {&top.leaves, &top.steps})
    for (unsigned place : *places) {
      const WorkingTree::Node &node = tree.nodes()[place];
      const auto number = static_cast<unsigned>(elements.size());
      numbers[place] = number;
      sets.insert(set(number), node.indices);
      elements.push_back(node.elements);
      prices.push_back(places == &top.steps ? node.seconds : 0);
      isTemporary.push_back(!node.isInput && node.parent >= 0);
      peaks.push_back(peaksOfTree[place]);
    }
  for (unsigned place : top.steps) {
    const WorkingTree::Node &node = tree.nodes()[place];
    operands.push_back({numbers[node.first], numbers[node.second]});
    parents[numbers[node.first]] = parents[numbers[node.second]] =
        numbers[place];
  }
  addTimesUp();
}

void RotatedTree::addTimesUp() {
  total = 0;
  for (double price : prices)
    total += price;
}

/// Sets the peaks of both steps of a rotation and of those that take them,
/// unless they exceed the limit.
bool RotatedTree::setPeaks(unsigned lower, unsigned upper, unsigned stays,
                           unsigned sibling, unsigned leaving,
                           double elementsOfLower) {
  const double bytes = tree.bytesOf(elementsOfLower);
  const double ofLower = peakOfStep(peaks[stays], bytesAt(stays),
                                    peaks[sibling], bytesAt(sibling), bytes);
  double peak = peakOfStep(ofLower, bytes, peaks[leaving], bytesAt(leaving),
                           bytesAt(upper));
  changedPeaks = {{lower, ofLower}, {upper, peak}};
  for (unsigned node = upper; isTemporary[node] && peak != peaks[node];) {
    const unsigned parent = parents[node];
    const auto [x, y] = operands[parent - leaves];
    const unsigned other = x == node ? y : x;
    peak = peakOfStep(peak, bytesAt(node), peaks[other], bytesAt(other),
                      bytesAt(parent));
    changedPeaks.push_back({parent, peak});
    node = parent;
  }
  if (peak > *mostBytes)
    return false;
  for (auto [node, changed] : changedPeaks)
    peaks[node] = changed;
  return true;
}

template <typename Accept>
void RotatedTree::rotate(std::mt19937_64 &random, Accept accept) {
  const uint64_t draw = random();
  // Of all steps but the root, one and which of its operands leaves it.
  const auto step =
      static_cast<unsigned>(1 + ((draw >> 32) * (operands.size() - 1) >> 32));
  const unsigned lower = leaves + step, upper = parents[lower];
  auto [stays, leaving] = operands[step];
  if (draw & 1)
    std::swap(stays, leaving);
  const auto [first, second] = operands[upper - leaves];
  const unsigned sibling = first == lower ? second : first;

  const uint64_t *ofStays = set(stays), *ofSibling = set(sibling),
                 *ofLeaving = set(leaving), *ofUpper = set(upper);
  auto inLower = [=](size_t word) { return ofStays[word] | ofSibling[word]; };
  for (size_t word = 0; word < words(); ++word)
    made[word] = inLower(word) & (ofLeaving[word] | ofUpper[word]);
  const double elementsOfLower =
      sets.elements([&](size_t word) { return made[word]; });
  const double priceOfLower = tree.priceOf(
      sets.elements(inLower),
      tree.bytesOf(elements[stays] + elements[sibling] + elementsOfLower));
  const double priceOfUpper = tree.priceOf(
      sets.elements([&](size_t word) { return made[word] | ofLeaving[word]; }),
      tree.bytesOf(elementsOfLower + elements[leaving] + elements[upper]));
  const double before = prices[lower] + prices[upper],
               after = priceOfLower + priceOfUpper;
  if (!accept(after, before) ||
      (mostBytes &&
       !setPeaks(lower, upper, stays, sibling, leaving, elementsOfLower)))
    return;
  std::copy(made.begin(), made.end(), set(lower));
  elements[lower] = elementsOfLower;
  prices[lower] = priceOfLower;
  prices[upper] = priceOfUpper;
  total += after - before;
  operands[step] = {stays, sibling};
  operands[upper - leaves] = {lower, leaving};
  parents[sibling] = lower;
  parents[leaving] = upper;
}

void RotatedTree::apply(const Operands &from, WorkingTree &changed) const {
  std::vector<unsigned> order, stack = {leaves};
  while (!stack.empty()) {
    const unsigned node = stack.back();
    stack.pop_back();
    if (node < leaves)
      continue;
    order.push_back(node);
    stack.push_back(from[node - leaves].first);
    stack.push_back(from[node - leaves].second);
  }
  std::vector<unsigned> places(elements.size());
  for (unsigned leaf = 0; leaf < leaves; ++leaf)
    places[leaf] = leaf;
  WorkingTree::Steps steps;
  for (auto node = order.rbegin(); node != order.rend(); ++node) {
    const auto [first, second] = from[*node - leaves];
    places[*node] = static_cast<unsigned>(leaves + steps.size());
    steps.push_back({places[first], places[second]});
  }
  changed.replace(top.steps.front(), top.leaves, steps);
}

void tc::model::anneal(WorkingTree &tree, std::mt19937_64 &random,
                       double firstTemperature, std::optional<double> mostBytes,
                       SearchBudget &budget) {
  if (tree.inputs() < 3)
    return;
  constexpr double lastTemperature = 0.1;
  RotatedTree rotated(tree, topOf(tree), mostBytes);
  // Nanoseconds of a rotation, about.
  const double ofRotation = 80 + 4 * static_cast<double>(rotated.words());
  const auto rotations =
      static_cast<uint64_t>(std::max(0.0, budget.rest() / ofRotation));
  double least = rotated.seconds(), temperature = firstTemperature;
  RotatedTree::Operands best;
  auto accept = [&](double after, double before) {
    if (after <= before)
      return true;
    const double uniform =
        (static_cast<double>(random() >> 11) + 0.5) * 0x1p-53;
    return after < before * std::pow(uniform, -temperature);
  };
  for (uint64_t number = 0; number < rotations; ++number) {
    constexpr uint64_t sameTemperature = 1024;
    if (number % sameTemperature == 0) {
      temperature =
          firstTemperature * std::pow(lastTemperature / firstTemperature,
                                      static_cast<double>(number) /
                                          static_cast<double>(rotations));
      // Small times are lost in a sum that was larger.
      rotated.addTimesUp();
    }
    rotated.rotate(random, accept);
    if (rotated.seconds() < least * (1 - 1e-9)) {
      least = rotated.seconds();
      best = rotated.operandsOfSteps();
    }
  }
  budget.spend(static_cast<double>(rotations) * ofRotation);
  if (!best.empty())
    rotated.apply(best, tree);
}
