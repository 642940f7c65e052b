//===- ProducedElements.h - Elements of a producer's output -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code that the operations share which take a thread's sums of one contraction
// of a chain, the producer, to the next one, the consumer.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_PRODUCEDELEMENTS_H
#define TC_LIB_CONVERSION_TCTOGPU_PRODUCEDELEMENTS_H

#include "TileIndexing.h"

namespace tc {

/// A vector of sums times the producer's alpha.
Value scaleSums(OpBuilder &builder, Location loc, const KernelInfo &from,
                Value sums);

/// The result of the code between producer and consumer on a vector of sums
/// that have their factor: rounded to the type of the tensor between the two if
/// there is none.
Value applyCodeBetween(OpBuilder &builder, Location loc, const KernelInfo &from,
                       mlir::RegionRange code, Value sums);

/// The condition that a producer's element at `local` of its tile along a
/// dimension is one of those that `to` sums over, whose present step begins at
/// `kOrigins`: null if it always is, or if `to` does not sum over that
/// dimension.
Value isWithinSummed(OpBuilder &builder, Location loc, const KernelInfo &to,
                     mlir::ValueRange kOrigins,
                     const model::LinkedIndices &linked,
                     const model::TileDim &dim, SplitIndex local);

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_PRODUCEDELEMENTS_H
