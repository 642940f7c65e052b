//===- Order.h - Explanations of orders of many tensors ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TC_TRANSFORMS_ORDER_H
#define TC_DIALECT_TC_TRANSFORMS_ORDER_H

#include <functional>
#include <memory>
#include <string>

namespace mlir {
class Pass;
} // namespace mlir

namespace tc {

struct OrderPassOptions;

/// Takes what --tc-order with `explain` prints: the trees of all operations of
/// more than one input. Where there are none, it is not called.
using TakeOrders = std::function<void(std::string)>;

/// --tc-order, which tells how it chose; it prints nothing then.
std::unique_ptr<mlir::Pass> createOrderPass(const OrderPassOptions &options,
                                            TakeOrders take);

} // namespace tc

#endif // TC_DIALECT_TC_TRANSFORMS_ORDER_H
