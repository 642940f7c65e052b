//===- WorkingTree.h - A tree that searches change --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_PROGRAM_WORKINGTREE_H
#define TC_LIB_PROGRAM_WORKINGTREE_H

#include "tc/Program/OrderSearch.h"

#include <algorithm>
#include <random>

namespace tc::model {

/// The work that a search may still do, in about nanoseconds: counted and not
/// measured, so that the same network has the same order each time.
class SearchBudget {
public:
  explicit SearchBudget(double nanoseconds) : left(nanoseconds) {}

  void spend(double nanoseconds) { left -= nanoseconds; }
  bool isSpent() const { return left <= 0; }
  /// The share of a part of the search.
  SearchBudget part(double share) const { return SearchBudget(share * left); }
  double rest() const { return left; }

private:
  double left;
};

/// The most bytes of temporaries at the same time while a step is done, of the
/// peaks and the bytes of its operands, the better of which is made first.
inline double peakOfStep(double peakX, double bytesX, double peakY,
                         double bytesY, double bytes) {
  return std::max(std::min(std::max(peakX, bytesX + peakY),
                           std::max(peakY, bytesY + peakX)),
                  bytesX + bytesY + bytes);
}

/// Inputs and steps, which are exchanged in place. Steps are priced by the
/// rough times of `StepTimes`.
class WorkingTree {
public:
  struct Node {
    unsigned first = 0, second = 0;
    int parent = -1;
    bool isInput = true;
    /// In ascending order, without those of an input that may be summed first,
    /// and how many of what holds each is below the node.
    IndexList indices;
    std::vector<unsigned> counts;
    double elements = 1;
    double seconds = 0;
  };
  /// The operands of each step, by the places of nodes.
  using Steps = std::vector<std::pair<unsigned, unsigned>>;

  WorkingTree(const Network &network, const StepTimes &times);

  const Network &network() const { return *ofNetwork; }
  size_t inputs() const { return ofNetwork->inputs.size(); }
  const std::vector<Node> &nodes() const { return all; }
  double seconds() const { return total; }
  double bytesOf(double elements) const { return elements * width; }
  double priceOf(double products, double bytes) const {
    return times->estimate(products, bytes);
  }

  /// The step that contracts two nodes, which is in no tree.
  Node combine(unsigned first, unsigned second) const;
  /// Appends it.
  unsigned append(unsigned first, unsigned second);
  /// Makes the steps anew, each after those that it takes.
  void setSteps(const Steps &steps);
  Steps steps() const;

  /// Adds all times up again: small ones are lost in a sum that was larger.
  void addTimesUp();

  /// Replaces the steps below `root` that make `leaves` one: steps of positions
  /// in `leaves` and, behind these, of steps. There are as many as before.
  void replace(unsigned root, const std::vector<unsigned> &leaves,
               const Steps &steps);

  unsigned root() const;
  /// The steps, each before those that it takes.
  std::vector<unsigned> stepsFromRoot() const;
  /// For each node, the most bytes of temporaries at the same time while it is
  /// made, and those of the whole tree.
  std::vector<double> peaks() const;
  double peakBytes() const { return peaks()[root()]; }
  ContractionTree tree() const;

private:
  void set(unsigned place, Node node);

  const Network *ofNetwork;
  const StepTimes *times;
  double width;
  /// Inputs that hold an index, and one more if the output does.
  std::vector<unsigned> holders;
  std::vector<Node> all;
  double total = 0;
};

/// Steps of a tree without any: the pair first whose product has the fewest
/// elements beyond those of its factors, again and again. Of many tries, the
/// first of which is without chance, the fastest by ascending time, `most` at
/// most and one at least.
std::vector<WorkingTree::Steps> findGreedySteps(const WorkingTree &tree,
                                                std::mt19937_64 &random,
                                                size_t most,
                                                SearchBudget &budget);

/// Contracts one input after the other to one temporary, that which makes it
/// the smallest of those that share an index with it, or the smallest input of
/// all: the least memory for chains and lattices. False if the budget is spent
/// before all are.
bool contractOneByOne(WorkingTree &tree, SearchBudget &budget);

/// Puts the steps of subtrees of a few leaves into their best order.
void improveSubtrees(WorkingTree &tree, SearchBudget &budget);

/// Rotates the steps that take most at random, for the worse less and less
/// often, and keeps the best. The temperature is that of the ratio of the times
/// of both steps after and before, in powers of e. No change may make
/// temporaries take more than `mostBytes`.
void anneal(WorkingTree &tree, std::mt19937_64 &random, double firstTemperature,
            std::optional<double> mostBytes, SearchBudget &budget);

} // namespace tc::model

#endif // TC_LIB_PROGRAM_WORKINGTREE_H
