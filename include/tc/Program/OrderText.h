//===- OrderText.h - An order in words --------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_PROGRAM_ORDERTEXT_H
#define TC_PROGRAM_ORDERTEXT_H

#include "tc/Program/SharedOrders.h"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tc::model {

/// The chosen tree, with time, multiplications and bytes of each step, and the
/// distances of the runners-up; of slices, their list, their cost, and the tree
/// of the first. `machine` names the machine that the times are of. Lines end
/// with newlines.
std::string orderText(const Network &network, const OrderResult &result,
                      const std::string &machine);

/// The same as JSON: `path` as opt_einsum has it, `indices` of the result of
/// each step, `step_seconds`, `seconds` and `lower_bound_seconds`,
/// `peak_bytes`, `slices` with the index, the number of its parts and the
/// length of all but the last; if there are slices, `products_ratio` and
/// `seconds_ratio` to the order without a limit; `is_exact`, `predictions`, and
/// `runners_up` with path, seconds and peak_bytes.
nlohmann::ordered_json orderToJson(const Network &network,
                                   const OrderResult &result);

/// A line for each step that others make, too, but for those below such a step,
/// and one on the tree that is the best alone if that is another one and takes
/// less time.
///
/// @param sharers  of each node, the number of products that make it
/// @param alone    the best order alone; null if it is this one
std::string sharedText(const Network &network, const Order &order,
                       const std::vector<size_t> &sharers, const Order *alone);

/// The cost of so many products together, as text.
std::string togetherText(size_t products, const SharedOrders &shared);

/// "((0 1) (2 3))": inputs by their numbers, the operands of a step in
/// brackets.
std::string bracketsOf(const ContractionTree &tree);

} // namespace tc::model

#endif // TC_PROGRAM_ORDERTEXT_H
