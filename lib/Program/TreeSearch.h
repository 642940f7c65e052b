//===- TreeSearch.h - What finds trees --------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_PROGRAM_TREESEARCH_H
#define TC_LIB_PROGRAM_TREESEARCH_H

#include "tc/Program/OrderSearch.h"

namespace tc::model {

/// Trees by ascending time, which differ in their last steps; none if no tree's
/// temporaries fit the limit. `isExact` says whether all predictions that were
/// asked for were made.
std::vector<ContractionTree> findExactOrders(const Network &network,
                                             StepTimes &times,
                                             const OrderOptions &options,
                                             bool &isExact);

/// A tree for any number of inputs.
ContractionTree findGreedyOrder(const Network &network, StepTimes &times,
                                const OrderOptions &options);

} // namespace tc::model

#endif // TC_LIB_PROGRAM_TREESEARCH_H
