//===- CreateProduct.h - One product as an operation ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Common code for functions of one contraction and for programs.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_IMPORT_CREATEPRODUCT_H
#define TC_LIB_IMPORT_CREATEPRODUCT_H

#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/Import/ParsedContraction.h"

namespace tc {

/// The type with which a function takes a tensor.
Type typeOf(MLIRContext *context, const model::TensorRecord &tensor,
            bool isTensor);

/// The contraction of A, B, C, the factors that are arguments, and the
/// auxiliary tensors, which `arguments` are.
ContractOp createContraction(OpBuilder &builder, Location loc,
                             ValueRange arguments,
                             const notation::ParsedContraction &contraction);

/// The product of any number of tensors.
EinsumOp createProduct(OpBuilder &builder, Location loc, ValueRange inputs,
                       Value output,
                       const notation::ParsedContraction &contraction);

} // namespace tc

#endif // TC_LIB_IMPORT_CREATEPRODUCT_H
