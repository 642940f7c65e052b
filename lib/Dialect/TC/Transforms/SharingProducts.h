//===- SharingProducts.h - Products that may share steps --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_DIALECT_TC_TRANSFORMS_SHARINGPRODUCTS_H
#define TC_LIB_DIALECT_TC_TRANSFORMS_SHARINGPRODUCTS_H

#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/Program/SharedOrders.h"

#include <functional>

namespace tc {

/// An operation with the order that was found for it.
struct OrderedProduct {
  EinsumOp op;
  model::Network network;
  model::OrderResult found;
  /// The steps that others share, in words.
  std::string text;
};

/// Lets products on tensors that stand in one block, and contractions of two
/// there, share steps (`model::orderTogether`): some of the orders become
/// others. Those of an operation with a path stay.
void shareOrders(llvm::MutableArrayRef<OrderedProduct> products,
                 const std::function<std::unique_ptr<model::StepTimes>(
                     const model::Network &network)> &makeTimes);

} // namespace tc

#endif // TC_LIB_DIALECT_TC_TRANSFORMS_SHARINGPRODUCTS_H
