//===- OrderSearch.h - The order of contractions ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which tree of contractions of two computes a network in the least predicted
// time.
//
//===----------------------------------------------------------------------===//

#ifndef TC_PROGRAM_ORDERSEARCH_H
#define TC_PROGRAM_ORDERSEARCH_H

#include "tc/Program/StepTimes.h"

#include <optional>

namespace tc::model {

/// Inputs up to which all trees are considered.
inline constexpr size_t mostInputsOfExactSearch = 14;

struct OrderOptions {
  /// The most bytes that temporaries may take at the same time.
  std::optional<double> memoryLimit;
  /// Steps that the model of the machine works out at most while trees are
  /// compared, by default as many as take about a second; others are taken to
  /// be as far above their lower bounds.
  std::optional<size_t> mostPredictions;
  /// Trees with another last step that are reported beside the chosen one.
  unsigned runnersUp = 3;
  /// Of networks of more inputs than the exact search takes: the tries of
  /// simulated annealing, and what they are drawn from.
  unsigned annealingSteps = 20000;
  uint64_t seed = 1;
};

/// A tree with what is predicted of it.
struct Order {
  ContractionTree tree;
  /// Of each node, zero of inputs; and their sum.
  std::vector<double> stepSeconds;
  double seconds = 0;
  /// Of the tree, at the lower bounds of its steps.
  double lowerBound = 0;
  /// The most bytes of temporaries at the same time.
  double peakBytes = 0;
};

struct OrderResult {
  Order order;
  /// The best trees whose last steps are others, by ascending time.
  std::vector<Order> runnersUp;
  /// Whether no tree is predicted to be faster, of all that the limit allows,
  /// before the indices of the temporaries of the best two are put into a
  /// better order.
  bool isExact = false;
  size_t predictions = 0;
};

/// Orders the steps of a tree so that temporaries take the least memory at the
/// same time, whatever tree it is, and completes what is predicted of it. A
/// temporary lives from its step to the step that uses it; inputs and the
/// output are the caller's (Liu, "An Application of Generalized Tree Pebbling
/// to Sparse Matrix Factorization", SIAM J. Alg. Disc. Meth. 8, 1987, for
/// contiguous traversals).
Order judge(const Network &network, const ContractionTree &tree,
            StepTimes &times);

/// The tree with the indices of each temporary in the order, of a few, with
/// which its writer and its reader are predicted to take the least time: those
/// that one of them runs over together lie together, and each such group may be
/// the innermost.
ContractionTree orderIndices(const Network &network,
                             const ContractionTree &tree, StepTimes &times);

/// The tree of the least predicted time: of up to `mostInputsOfExactSearch`
/// inputs by dynamic programming over their subsets, which the lower bounds of
/// steps prune; of more inputs by contracting what shrinks the most first, and
/// annealing. Fails if the temporaries of no tree fit the limit.
Result<OrderResult> searchOrder(const Network &network, StepTimes &times,
                                const OrderOptions &options = {});

} // namespace tc::model

#endif // TC_PROGRAM_ORDERSEARCH_H
