//===- GreedyOrder.cpp - A tree for any number of inputs ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Many greedy orders, of the best of which rotations and then subtrees are
// tried, in rounds.
//
//===----------------------------------------------------------------------===//

#include "TreeSearch.h"
#include "WorkingTree.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace tc;
using namespace tc::model;

/// Of annealing, in powers of e of the ratio of times.
static constexpr double firstTemperature = 0.5;

/// The shares of the search that try greedy orders, and a chain.
static constexpr double ofTries = 0.2, ofChain = 0.05;

static bool fits(const WorkingTree &tree, const OrderOptions &options) {
  return !options.memoryLimit || tree.peakBytes() <= *options.memoryLimit;
}

/// True of a tree that keeps the limit if the other does not, and of a faster
/// one otherwise.
static bool isBetter(const WorkingTree &tree, const WorkingTree &other,
                     const OrderOptions &options) {
  const bool isWithin = fits(tree, options);
  return isWithin != fits(other, options) ? isWithin
                                          : tree.seconds() < other.seconds();
}

/// The work that is worth it for a tree that takes so long.
static SearchBudget budgetFor(double seconds, const OrderOptions &options) {
  const double share = std::min(
      std::max(options.searchShare * seconds, options.leastSearchSeconds),
      options.mostSearchSeconds);
  const double least = std::min(leastSearch, options.mostSearchSeconds);
  return SearchBudget(1e9 * (options.searchSeconds
                                 ? std::max(*options.searchSeconds, least)
                                 : share));
}

/// The time of a better tree is not known yet: each part of the search is as
/// long as the best tree of those before asks for.
static SearchBudget part(const WorkingTree &tree, const OrderOptions &options,
                         double share) {
  return budgetFor(tree.seconds(), options).part(share);
}

namespace {

/// Rounds of annealing and of subtrees.
class Improvement {
public:
  Improvement(std::mt19937_64 &random, const OrderOptions &options)
      : random(random), options(options) {}

  /// Improves the best of the trees, all of which are begun with, until the
  /// time is over or nothing is gained. A limit that it keeps goes on to be
  /// kept.
  WorkingTree run(std::vector<WorkingTree> trees);
  /// Trees of other rounds that take hardly more than the best, the best of
  /// them first.
  std::vector<WorkingTree> takeOthers() { return std::move(others); }

private:
  WorkingTree doRound(const WorkingTree &tree, double heat, double ofSearch);
  void keepOthers(const WorkingTree &best, WorkingTree tree);

  std::mt19937_64 &random;
  const OrderOptions &options;
  std::vector<WorkingTree> others;
};

} // namespace

/// One that takes a share of the search.
WorkingTree Improvement::doRound(const WorkingTree &tree, double heat,
                                 double ofSearch) {
  constexpr double ofSubtrees = 0.25;
  const std::optional<double> mostBytes =
      fits(tree, options) ? options.memoryLimit : std::nullopt;
  WorkingTree changed = tree;
  SearchBudget left = part(tree, options, ofSearch);
  SearchBudget annealing = left.part(1 - ofSubtrees);
  anneal(changed, random, firstTemperature * heat, mostBytes, annealing);
  const WorkingTree::Steps annealed = changed.steps();
  SearchBudget subtrees = left.part(ofSubtrees);
  improveSubtrees(changed, subtrees);
  if (mostBytes && !fits(changed, options))
    changed.setSteps(annealed);
  return changed;
}

/// Keeps a tree that the model may prefer to the best by estimates.
void Improvement::keepOthers(const WorkingTree &best, WorkingTree tree) {
  constexpr double share = 1.03;
  constexpr size_t mostOthers = 2;
  auto isAlike = [](const WorkingTree &x, const WorkingTree &y) {
    return std::abs(x.seconds() - y.seconds()) < 1e-9 * y.seconds();
  };
  auto isNone = [&](const WorkingTree &other) {
    return other.seconds() > best.seconds() * share || isAlike(other, best) ||
           fits(other, options) != fits(best, options);
  };
  others.push_back(std::move(tree));
  others.erase(std::remove_if(others.begin(), others.end(), isNone),
               others.end());
  std::sort(others.begin(), others.end(),
            [](const WorkingTree &x, const WorkingTree &y) {
              return x.seconds() < y.seconds();
            });
  others.erase(std::unique(others.begin(), others.end(), isAlike),
               others.end());
  if (others.size() > mostOthers)
    others.erase(others.begin() + mostOthers, others.end());
}

WorkingTree Improvement::run(std::vector<WorkingTree> trees) {
  constexpr unsigned roundsWithoutGain = 4;
  constexpr double share = 1 - ofTries - ofChain, mostRounds = 8,
                   roundsOfFirst = 2, leastGain = 1e-3;
  auto best = [&] {
    return std::min_element(trees.begin(), trees.end(),
                            [&](const WorkingTree &x, const WorkingTree &y) {
                              return isBetter(x, y, options);
                            });
  };
  WorkingTree tree = *best();
  // A round copies the tree, and rotates each step a few times at least.
  const double ofShortRound = 3000 * static_cast<double>(tree.inputs());
  const double rounds = std::clamp(
      part(tree, options, share).rest() / ofShortRound, 1.0, mostRounds);
  unsigned round = 0;
  if (rounds == mostRounds && trees.size() > 1) {
    // Of trees that begin alike, some stay far behind others.
    for (WorkingTree &each : trees)
      each = doRound(each, 1,
                     share / rounds * roundsOfFirst /
                         static_cast<double>(trees.size()));
    tree = *best();
    for (WorkingTree &each : trees)
      keepOthers(tree, std::move(each));
    round = static_cast<unsigned>(roundsOfFirst);
  }
  unsigned idle = 0;
  for (; round + 1 <= rounds && idle < roundsWithoutGain; ++round) {
    WorkingTree changed = doRound(tree, 1 << idle, share / rounds);
    idle = changed.seconds() < tree.seconds() * (1 - leastGain) ? 0 : idle + 1;
    if (changed.seconds() < tree.seconds())
      std::swap(changed, tree);
    keepOthers(tree, std::move(changed));
  }
  return tree;
}

/// The best tree, and others that the model may prefer.
static std::vector<WorkingTree> findWorkingTrees(const Network &network,
                                                 const StepTimes &times,
                                                 const OrderOptions &options) {
  std::mt19937_64 random(options.seed);
  WorkingTree tree(network, times);
  SearchBudget none(0);
  tree.setSteps(findGreedySteps(tree, random, 1, none).front());
  if (options.mostSearchSeconds > 0) {
    constexpr size_t mostStarts = 4;
    SearchBudget tries = part(tree, options, ofTries);
    std::vector<WorkingTree> starts;
    for (const WorkingTree::Steps &steps : findGreedySteps(
             WorkingTree(network, times), random, mostStarts, tries))
      starts.emplace_back(network, times).setSteps(steps);
    // Lattices are swept in the order of a chain.
    SearchBudget ofOneByOne = part(starts.front(), options, ofChain);
    WorkingTree chain(network, times);
    if (contractOneByOne(chain, ofOneByOne))
      starts.push_back(std::move(chain));
    Improvement improvement(random, options);
    tree = improvement.run(std::move(starts));
    if (fits(tree, options)) {
      std::vector<WorkingTree> trees = improvement.takeOthers();
      trees.insert(trees.begin(), std::move(tree));
      return trees;
    }
  }
  if (fits(tree, options))
    return {std::move(tree)};
  WorkingTree chain(network, times);
  SearchBudget unlimited(std::numeric_limits<double>::infinity());
  contractOneByOne(chain, unlimited);
  SearchBudget rest = budgetFor(chain.seconds(), options);
  anneal(chain, random, firstTemperature,
         fits(chain, options) ? options.memoryLimit : std::nullopt, rest);
  return {chain.peakBytes() < tree.peakBytes() ? std::move(chain)
                                               : std::move(tree)};
}

std::vector<ContractionTree>
tc::model::findGreedyOrders(const Network &network, StepTimes &times,
                            const OrderOptions &options) {
  std::vector<WorkingTree> found = findWorkingTrees(network, times, options);
  // To predict a tree may take as long as a search that nobody has asked for;
  // and rough times are those by which the trees were found.
  if (times.isRough || options.searchSeconds.value_or(0) <= leastSearch)
    return {found.front().tree()};
  // That of the shortest search, so that no longer one ends with a slower
  // order, whatever estimates say.
  constexpr double share = 1.1;
  OrderOptions shortest = options;
  shortest.searchSeconds = 0;
  WorkingTree tree = findWorkingTrees(network, times, shortest).front();
  if (fits(tree, options) == fits(found.front(), options) &&
      tree.seconds() < share * found.front().seconds())
    found.push_back(std::move(tree));
  std::vector<ContractionTree> trees;
  trees.reserve(found.size());
  for (const WorkingTree &each : found)
    trees.push_back(each.tree());
  return trees;
}

ContractionTree tc::model::findChain(const Network &network, StepTimes &times) {
  WorkingTree chain(network, times);
  SearchBudget unlimited(std::numeric_limits<double>::infinity());
  contractOneByOne(chain, unlimited);
  return chain.tree();
}
