//===- IsolateContraction.h - A function of one contraction -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pipelines see whole functions. To run one on a single contraction, it is
// copied into a function of its own.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TC_TRANSFORMS_ISOLATECONTRACTION_H
#define TC_DIALECT_TC_TRANSFORMS_ISOLATECONTRACTION_H

#include "tc/Dialect/TC/IR/TCOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tc {

struct IsolatedContraction {
  mlir::func::FuncOp function;
  /// The copy in that function.
  ContractOp op;
  /// The values that the function is to be called with.
  SmallVector<Value> arguments;
};

/// Makes a function of a copy of the contraction, where the builder is. Its
/// arguments are the operands but for constants, which are copied, too; what is
/// known of the alignment of memrefs it says in attributes, for where they come
/// from is not to be seen from within. It returns the results.
IsolatedContraction isolateContraction(OpBuilder &builder, ContractOp op,
                                       StringRef name);

} // namespace tc

#endif // TC_DIALECT_TC_TRANSFORMS_ISOLATECONTRACTION_H
