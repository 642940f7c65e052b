//===- SharedOrders.h - Orders of products that share steps -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Intermediate results that several products of one program need are computed
// once. The best order of each product may have nothing in common with those of
// others, where slower ones would.
//
//===----------------------------------------------------------------------===//

#ifndef TC_PROGRAM_SHAREDORDERS_H
#define TC_PROGRAM_SHAREDORDERS_H

#include "tc/Program/OrderSearch.h"

namespace tc::model {

/// Inputs up to which parts of a product are compared with those of others.
inline constexpr size_t mostInputsOfSharing = 10;

/// Parts that are tried; each takes a search for every product that has it.
inline constexpr size_t mostTriesOfSharing = 200;

/// One of several products that are computed in one place.
struct SharingProduct {
  Network network;
  /// The tensor that each input is: inputs of equal numbers hold the same.
  std::vector<size_t> tensors;
  /// True if the output is the product itself, neither scaled nor added to
  /// anything, so that others may be made of it.
  bool isPlain = true;
  /// True if its order stays.
  bool isFixed = false;
};

struct SharedOrders {
  /// Of each product, in the order of its best tree alone or another one.
  std::vector<Order> orders;
  /// Of each product, whether that is another tree.
  std::vector<bool> isOther;
  /// Of each node of each product, the number of products that make it.
  std::vector<std::vector<size_t>> sharers;
  /// Of all steps, where equal ones count once: in these orders, and in those
  /// that are the best alone.
  double seconds = 0, secondsAlone = 0;
};

/// Looks for parts that occur in several products, up to the names of indices,
/// and lets these be made of them wherever all steps together are predicted to
/// take less time then; one part after the other, twice. Never slower than
/// `alone`. Parts that hold a tensor twice, outer products, and products of
/// more inputs are left as they are.
///
/// @param products  all of one element type, precision and semiring, which
///                  `times` are of
/// @param alone     an order of each, without slices
SharedOrders orderTogether(const std::vector<SharingProduct> &products,
                           std::vector<Order> alone, StepTimes &times);

} // namespace tc::model

#endif // TC_PROGRAM_SHAREDORDERS_H
