//===- TreeSearch.h - Searches for trees ------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_PROGRAM_TREESEARCH_H
#define TC_LIB_PROGRAM_TREESEARCH_H

#include "tc/Program/OrderSearch.h"

namespace tc::model {

/// The least time of a search that is asked for in seconds, or that keeps a
/// limit of memory: without, orders are several times those of one greedy try.
inline constexpr double leastSearch = 1e-3;

/// Trees by ascending time, which differ in their last steps; none if no tree's
/// temporaries fit the limit. `isExact` says whether all predictions that were
/// asked for were made.
std::vector<ContractionTree> findExactOrders(const Network &network,
                                             StepTimes &times,
                                             const OrderOptions &options,
                                             bool &isExact);

/// Of two inputs to as many as the exact search takes: a tree whose temporaries
/// take the least memory at the same time, whatever its time.
ContractionTree findSmallestTree(const Network &network);

/// Trees for any number of inputs, the one that is estimated to take the least
/// time, and others that take hardly more.
std::vector<ContractionTree> findGreedyOrders(const Network &network,
                                              StepTimes &times,
                                              const OrderOptions &options);

/// One input after the other, so that there are two temporaries at most at the
/// same time.
ContractionTree findChain(const Network &network, StepTimes &times);

/// Puts the operand first whose making leaves the most room, everywhere, and
/// sets the bytes that all takes at most.
ContractionTree orderForMemory(const Network &network,
                               const ContractionTree &tree, double &peakBytes);

/// The steps that the model may work out for an order.
size_t predictionsOf(const OrderOptions &options, const StepTimes &times);

/// For each node, true if it is a step whose time is to be worked out: of large
/// trees, those that are estimated to take more than a ten-thousandth of all.
std::vector<bool> stepsThatMatter(const Network &network,
                                  const ContractionTree &tree,
                                  const StepTimes &times);

/// Trees to choose from by the model, whether or not they are all that count,
/// and no more than a few; none if no tree's temporaries fit the limit.
std::vector<ContractionTree> findTrees(const Network &network, StepTimes &times,
                                       const OrderOptions &options,
                                       bool &isExact);

/// The trees with their predictions, by ascending time, the indices of the
/// temporaries of the best two in the best order.
std::vector<Order> judgeAll(const Network &network,
                            const std::vector<ContractionTree> &trees,
                            StepTimes &times);

/// The fastest of trees in slices that fit the limit, starting from those
/// given, of which there is one at least; `mayChange` says whether others may
/// be searched for. Fails if the temporaries of slices of one element do not
/// fit.
Result<Order> findSlices(const Network &network,
                         const std::vector<ContractionTree> &trees,
                         bool mayChange, StepTimes &times,
                         const OrderOptions &options);

/// "12 B", for messages.
std::string exactBytes(double bytes);

} // namespace tc::model

#endif // TC_LIB_PROGRAM_TREESEARCH_H
