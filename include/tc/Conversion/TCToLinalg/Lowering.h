//===- Lowering.h - Lowering of contractions to linalg ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The steps of --convert-tc-to-linalg, for passes that lower some contractions,
// or a part of one, so.
//
//===----------------------------------------------------------------------===//

#ifndef TC_CONVERSION_TCTOLINALG_LOWERING_H
#define TC_CONVERSION_TCTOLINALG_LOWERING_H

#include "tc/Dialect/TC/IR/TCOps.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tc {

/// Replaces a contraction on tensors or buffers by operations of linalg, of any
/// shape, known or unknown.
void lowerToLinalg(ContractOp op);

/// A new tensor or buffer of C's shape for the contraction's sums, in their
/// type.
Value createSums(ImplicitLocOpBuilder &builder, ContractOp op);

/// Stores the epilogue of alpha * sum + beta * C into C, and returns it. `sums`
/// may be C itself if its elements are not read otherwise.
Value storeSums(ImplicitLocOpBuilder &builder, ContractOp op, Value sums);

} // namespace tc

#endif // TC_CONVERSION_TCTOLINALG_LOWERING_H
