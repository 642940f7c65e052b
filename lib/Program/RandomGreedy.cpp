//===- RandomGreedy.cpp - Greedy orders with chance -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The greedy order of Smith and Gray ("opt_einsum", JOSS 2018), tried again
// with noise and with other weights of what goes away, as in Gray and Kourtis,
// "Hyper-optimized tensor network contraction" (Quantum 5, 410, 2021).
//
//===----------------------------------------------------------------------===//

#include "WorkingTree.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <tuple>
#include <vector>

using namespace tc;
using namespace tc::model;

namespace {

/// The weights of one try.
struct Weights {
  /// Elements that go away, next to those that come.
  double gone = 1;
  /// The noise, in powers of e of a pair's gain.
  double temperature = 0;
};

/// One try. Sizes are in powers of two.
class GreedyTry {
public:
  GreedyTry(const WorkingTree &tree, const Weights &weights,
            std::mt19937_64 &random);

  /// Contracts all, unless that takes longer than `limit`.
  bool run(double limit);
  double seconds() const { return total; }
  const WorkingTree::Steps &steps() const { return made; }
  double work() const { return done; }

private:
  struct Part {
    IndexList indices;
    double size = 0;
    bool isOpen = true;
  };
  using Pair = std::tuple<double, unsigned, unsigned>;

  void open(unsigned part);
  void push(unsigned first, unsigned second);
  void contract(unsigned first, unsigned second);
  double sizeOf(unsigned index) const { return sizes[index]; }
  double uniform() {
    return (static_cast<double>(random() >> 11) + 0.5) * 0x1p-53;
  }

  /// Of an index that so many hold, only neighbours are pairs.
  static constexpr size_t manyHolders = 32;

  const WorkingTree &tree;
  Weights weights;
  std::mt19937_64 &random;
  std::vector<double> sizes;
  std::vector<bool> isOutput;
  std::vector<Part> parts;
  std::vector<std::vector<unsigned>> holders;
  std::priority_queue<Pair, std::vector<Pair>, std::greater<>> pairs;
  WorkingTree::Steps made;
  std::vector<unsigned> partners;
  double total = 0, done = 0;
};

} // namespace

GreedyTry::GreedyTry(const WorkingTree &tree, const Weights &weights,
                     std::mt19937_64 &random)
    : tree(tree), weights(weights), random(random) {
  const Network &network = tree.network();
  for (const Network::Index &index : network.indices)
    sizes.push_back(std::log2(static_cast<double>(index.extent)));
  isOutput.resize(sizes.size());
  for (unsigned index : network.output)
    isOutput[index] = true;
  holders.resize(sizes.size());
  parts.reserve(2 * tree.inputs());
  for (size_t i = 0; i < tree.inputs(); ++i) {
    Part &part = parts.emplace_back();
    part.indices = tree.nodes()[i].indices;
    for (unsigned index : part.indices)
      part.size += sizeOf(index);
  }
}

/// Takes a pair of open parts as one that may be contracted.
void GreedyTry::push(unsigned first, unsigned second) {
  const Part &x = parts[first], &y = parts[second];
  double size = 0;
  auto add = [&](unsigned index, size_t held) {
    if (holders[index].size() > held || isOutput[index])
      size += sizeOf(index);
  };
  size_t i = 0, j = 0;
  while (i < x.indices.size() || j < y.indices.size()) {
    const bool ofX = j == y.indices.size() ||
                     (i < x.indices.size() && x.indices[i] <= y.indices[j]);
    const bool ofY = i == x.indices.size() ||
                     (j < y.indices.size() && y.indices[j] <= x.indices[i]);
    add(ofX ? x.indices[i] : y.indices[j], ofX && ofY ? 2 : 1);
    i += ofX;
    j += ofY;
  }
  done += 4 * static_cast<double>(x.indices.size() + y.indices.size()) + 60;
  // Relative to the largest, so that nothing overflows.
  const double most = std::max({size, x.size, y.size});
  const double gain =
      std::exp2(size - most) -
      weights.gone * (std::exp2(x.size - most) + std::exp2(y.size - most));
  double key = most * std::log(2.0) + std::log(std::max(std::abs(gain), 1e-9));
  if (weights.temperature > 0)
    key -= (gain < 0 ? -1 : 1) * weights.temperature *
           -std::log(-std::log(uniform()));
  // Those that shrink come first, by what they do, and then those that grow,
  // by what that costs: numbers of elements are one at least.
  constexpr double offset = 64;
  pairs.push({gain < 0 ? -(key + offset) : key + offset, first, second});
}

/// Makes pairs of a part and those that hold an index of it.
void GreedyTry::open(unsigned part) {
  partners.clear();
  for (unsigned index : parts[part].indices) {
    std::vector<unsigned> &held = holders[index];
    if (held.size() > manyHolders)
      partners.push_back(held.back());
    else
      partners.insert(partners.end(), held.begin(), held.end());
    held.push_back(part);
  }
  done += 20 * static_cast<double>(partners.size());
  std::sort(partners.begin(), partners.end());
  partners.erase(std::unique(partners.begin(), partners.end()), partners.end());
  for (unsigned partner : partners)
    push(partner, part);
}

void GreedyTry::contract(unsigned first, unsigned second) {
  Part part;
  double products = 0;
  for (unsigned old : {first, second}) {
    for (unsigned index : parts[old].indices) {
      std::vector<unsigned> &held = holders[index];
      done += static_cast<double>(held.size());
      held.erase(std::find(held.begin(), held.end(), old));
    }
    parts[old].isOpen = false;
  }
  const Part &x = parts[first], &y = parts[second];
  std::set_union(x.indices.begin(), x.indices.end(), y.indices.begin(),
                 y.indices.end(), std::back_inserter(part.indices));
  for (unsigned index : part.indices)
    products += sizeOf(index);
  part.indices.erase(std::remove_if(part.indices.begin(), part.indices.end(),
                                    [&](unsigned index) {
                                      return holders[index].empty() &&
                                             !isOutput[index];
                                    }),
                     part.indices.end());
  for (unsigned index : part.indices)
    part.size += sizeOf(index);
  total += tree.priceOf(std::exp2(products),
                        tree.bytesOf(std::exp2(x.size) + std::exp2(y.size) +
                                     std::exp2(part.size)));
  done += 6 * static_cast<double>(x.indices.size() + y.indices.size()) + 200;
  made.push_back({first, second});
  parts.push_back(std::move(part));
  open(static_cast<unsigned>(parts.size() - 1));
}

bool GreedyTry::run(double limit) {
  for (unsigned i = 0; i < tree.inputs(); ++i)
    open(i);
  while (!pairs.empty()) {
    auto [key, first, second] = pairs.top();
    pairs.pop();
    done += 40;
    if (!parts[first].isOpen || !parts[second].isOpen)
      continue;
    contract(first, second);
    if (total > limit)
      return false;
  }
  // Parts that share no index: the smallest first.
  using Entry = std::pair<double, unsigned>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> left;
  for (unsigned i = 0; i < parts.size(); ++i)
    if (parts[i].isOpen)
      left.push({parts[i].size, i});
  while (left.size() > 1) {
    const unsigned first = left.top().second;
    left.pop();
    const unsigned second = left.top().second;
    left.pop();
    contract(first, second);
    left.push({parts.back().size, static_cast<unsigned>(parts.size() - 1)});
  }
  return total <= limit;
}

std::vector<WorkingTree::Steps>
tc::model::findGreedySteps(const WorkingTree &tree, std::mt19937_64 &random,
                           size_t most, SearchBudget &budget) {
  constexpr unsigned mostTries = 256;
  struct Found {
    double seconds;
    WorkingTree::Steps steps;
  };
  std::vector<Found> found;
  for (unsigned number = 0;
       number == 0 || (number < mostTries && !budget.isSpent()); ++number) {
    Weights weights;
    auto uniform = [&] {
      return static_cast<double>(random() >> 11) * 0x1p-53;
    };
    if (number > 0) {
      // As cotengra draws them: what comes is divided by the number that what
      // goes is multiplied by.
      const double ratio = 0.1 + 3.9 * uniform();
      weights.gone = ratio * ratio;
      weights.temperature = std::exp(std::log(0.001) * (1 - uniform()));
    }
    GreedyTry attempt(tree, weights, random);
    // The first one is kept, whatever it takes.
    const double limit = found.size() < most
                             ? std::numeric_limits<double>::infinity()
                             : found.back().seconds * (1 - 1e-9);
    const bool isBetter = attempt.run(limit);
    budget.spend(attempt.work());
    if (!isBetter)
      continue;
    const auto place = std::lower_bound(found.begin(), found.end(),
                                        attempt.seconds() * (1 - 1e-9),
                                        [](const Found &each, double seconds) {
                                          return each.seconds < seconds;
                                        });
    // The same tree by another way.
    if (place != found.end() &&
        place->seconds <= attempt.seconds() * (1 + 1e-9))
      continue;
    found.insert(place, {attempt.seconds(), attempt.steps()});
    if (found.size() > most)
      found.pop_back();
  }
  std::vector<WorkingTree::Steps> steps;
  steps.reserve(found.size());
  for (Found &each : found)
    steps.push_back(std::move(each.steps));
  return steps;
}
