//===- GreedyOrder.cpp - A tree for any number of inputs ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Many greedy orders, of the best of which subtrees and then rotations are
// tried.
//
//===----------------------------------------------------------------------===//

#include "TreeSearch.h"
#include "WorkingTree.h"

#include <algorithm>

using namespace tc;
using namespace tc::model;

static bool fits(const WorkingTree &tree, const OrderOptions &options) {
  return !options.memoryLimit || tree.peakBytes() <= *options.memoryLimit;
}

/// The work that is worth it for a tree that takes so long.
static SearchBudget budgetFor(double seconds, const OrderOptions &options) {
  const double share = std::min(
      std::max(options.searchShare * seconds, options.leastSearchSeconds),
      options.mostSearchSeconds);
  return SearchBudget(1e9 * options.searchSeconds.value_or(share));
}

ContractionTree tc::model::findGreedyOrder(const Network &network,
                                           StepTimes &times,
                                           const OrderOptions &options) {
  std::mt19937_64 random(options.seed);
  WorkingTree tree(network, times);
  SearchBudget none(0);
  contractGreedily(tree, random, none);
  if (options.mostSearchSeconds > 0) {
    // The time of a better tree is not known yet: each part of the search is as
    // long as the best of those before asks for.
    auto part = [&](double share) {
      return budgetFor(tree.seconds(), options).part(share);
    };
    constexpr double ofTries = 0.25, ofSubtrees = 0.25, ofAnnealing = 0.3;
    SearchBudget tries = part(ofTries);
    WorkingTree tried(network, times);
    contractGreedily(tried, random, tries);
    if (tried.seconds() < tree.seconds())
      tree = std::move(tried);
    const bool isLimited = options.memoryLimit && fits(tree, options);
    auto mayBe = [&] { return fits(tree, options); };
    WorkingTree::Steps fitting = tree.steps();
    auto improve = [&](double share) {
      SearchBudget subtrees = part(share);
      improveSubtrees(tree, subtrees);
      // A limit that was kept goes on to be.
      if (isLimited && !fits(tree, options))
        tree.setSteps(fitting);
      fitting = tree.steps();
    };
    improve(ofSubtrees);
    SearchBudget annealing = part(ofAnnealing);
    anneal(tree, random, isLimited ? mayBe : std::function<bool()>(),
           annealing);
    fitting = tree.steps();
    improve(1 - ofTries - ofSubtrees - ofAnnealing);
  }
  if (fits(tree, options))
    return tree.tree();
  WorkingTree chain(network, times);
  contractOneByOne(chain);
  SearchBudget rest = budgetFor(chain.seconds(), options);
  const bool isLimited = fits(chain, options);
  auto mayBe = [&] { return fits(chain, options); };
  anneal(chain, random, isLimited ? mayBe : std::function<bool()>(), rest);
  return chain.peakBytes() < tree.peakBytes() ? chain.tree() : tree.tree();
}

ContractionTree tc::model::findChain(const Network &network, StepTimes &times) {
  WorkingTree chain(network, times);
  contractOneByOne(chain);
  return chain.tree();
}
