//===- OrderSearch.h - The order of contractions ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The search for the tree of contractions of two that computes a network in the
// least predicted time, and for slices where the whole takes too much memory.
//
//===----------------------------------------------------------------------===//

#ifndef TC_PROGRAM_ORDERSEARCH_H
#define TC_PROGRAM_ORDERSEARCH_H

#include "tc/Program/Slices.h"
#include "tc/Program/StepTimes.h"

#include <optional>

namespace tc::model {

/// Inputs up to which all trees are considered, unless options say less.
inline constexpr size_t mostInputsOfExactSearch = 14;

/// Indices of which there may be slices: none; those of the output; or summed
/// ones, too, along which slices add to the output, if its type is that of
/// sums.
enum class Cutting { Nothing, Output, All };

/// Slices that a limit of memory asks for, more than `mostSlices`, and about
/// the least limit that asks for no more than these.
struct TooManySlices {
  double slices = 0;
  double enoughBytes = 0;

  /// "8 B of temporaries take ... slices, ...".
  std::string text(double limitBytes) const;
};

struct OrderOptions {
  /// The most bytes that temporaries may take at the same time. The order
  /// without a limit is taken if it fits.
  std::optional<double> memoryLimit;
  /// The indices that may be cut into slices where the fastest tree does not
  /// fit.
  Cutting cutting = Cutting::Nothing;
  /// Steps that the model of the machine works out at most while trees are
  /// compared, by default as many as take the time that is asked for, or about
  /// a second; others are taken to be as far above their lower bounds.
  std::optional<size_t> mostPredictions;
  /// Trees with another last step that are reported beside the chosen one.
  unsigned runnersUp = 3;
  /// Inputs up to which the search is exact.
  size_t mostExactInputs = mostInputsOfExactSearch;
  /// If there is one, a search that fails for that reason says it here, too.
  TooManySlices *tooManySlices = nullptr;
  /// Of networks of more inputs than the exact search takes: the time of the
  /// search, as a share of that of the order, and within limits. It is counted
  /// and not measured, so that the same network has the same order each time;
  /// where the most is zero, the first greedy order is taken.
  double searchShare = 0.25;
  double leastSearchSeconds = 0.1, mostSearchSeconds = 2;
  /// About the time of the search that is asked for, of networks of any number
  /// of inputs, counted likewise.
  std::optional<double> searchSeconds;
  /// The seed of its chances.
  uint64_t seed = 1;
};

/// A tree with its predictions.
struct Order {
  ContractionTree tree;
  /// Slices by which the tree is computed, one after the other; none of a whole
  /// network. Those along indices of the output come first.
  Slices slices;
  /// Of each node, zero of inputs, in the first slice; and the sum of all
  /// slices.
  std::vector<double> stepSeconds;
  double seconds = 0;
  /// Of each node, the operands that are predicted to be summed first.
  std::vector<PerTensor<bool>> sumsFirst;
  /// Of all slices, at the lower bounds of their steps.
  double lowerBound = 0;
  /// The most bytes of temporaries at the same time.
  double peakBytes = 0;
};

struct OrderResult {
  Order order;
  /// The best trees whose last steps are others, by ascending time.
  std::vector<Order> runnersUp;
  /// Of an order in slices: that without a limit of memory.
  std::optional<Order> unlimited;
  /// True if no tree is predicted to be faster, of all that the limit allows,
  /// before the indices of the temporaries of the best two are put into a
  /// better order. Never in slices.
  bool isExact = false;
  /// True if it is that of a tree that was given, and no other was looked at.
  bool isGiven = false;
  size_t predictions = 0;
};

/// Orders the steps of a tree so that temporaries take the least memory at the
/// same time, whatever tree it is, and completes its predictions. A temporary
/// lives from its step to the step that uses it; inputs and the output are the
/// caller's (Liu, "An Application of Generalized Tree Pebbling to Sparse Matrix
/// Factorization", SIAM J. Alg. Disc. Meth. 8, 1987, for contiguous
/// traversals).
Order judge(const Network &network, const ContractionTree &tree,
            StepTimes &times, const Slices &slices = {});

/// The tree with the indices of each temporary in the order, of a few, with
/// which its writer and its reader are predicted to take the least time: those
/// that one of them runs over together lie together, and each such group may be
/// the innermost.
ContractionTree orderIndices(const Network &network,
                             const ContractionTree &tree, StepTimes &times);

/// The tree of the least predicted time: of up to `mostExactInputs`
/// inputs by dynamic programming over their subsets, which the lower bounds of
/// steps prune; of more inputs by many greedy orders, of the best of which
/// rotations are annealed and subtrees put into their best orders. Where the
/// fastest tree does not fit the limit, one that is computed in slices is
/// chosen if none that fits is faster. Fails if the temporaries of no tree fit
/// the limit, in `mostSlices` at most; of slices, naming the least limit that
/// is possible.
Result<OrderResult> searchOrder(const Network &network, StepTimes &times,
                                const OrderOptions &options = {});

/// The same for a tree that is given: with its indices in order, and in slices
/// if it does not fit the limit and may be cut. There are no runners-up.
Result<OrderResult> completeOrder(const Network &network,
                                  const ContractionTree &tree, StepTimes &times,
                                  const OrderOptions &options = {});

} // namespace tc::model

#endif // TC_PROGRAM_ORDERSEARCH_H
