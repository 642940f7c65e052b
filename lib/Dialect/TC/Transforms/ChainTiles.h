//===- ChainTiles.h - Chains of operations, tile by tile --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations on tensors that are producers and consumers of one another and
// have indices in common, along which loops can compute all of them, a tile at
// a time.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TC_TRANSFORMS_CHAINTILES_H
#define TC_DIALECT_TC_TRANSFORMS_CHAINTILES_H

#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/Support/MLIR/LLVM.h"

namespace tc {

/// For each dimension of a tensor, the dimension of what the chain computes
/// that runs along with it, or `noDim`.
using DimsOfResult = SmallVector<int64_t>;
constexpr int64_t noDim = -1;

/// Contractions, softmaxes and elementwise operations of one block, of which
/// each but the last computes what only others of them use.
struct OperationChain {
  /// In the order of the block.
  SmallVector<Operation *> ops;
  /// Of what each of them computes.
  DenseMap<Operation *, DimsOfResult> dims;
  /// The dimensions of what the last one computes that all have in common, the
  /// outermost first.
  SmallVector<int64_t> common;

  Operation *last() const { return ops.back(); }
  mlir::RankedTensorType resultType() const;
  SmallVector<ContractOp> contractions() const;
  bool contains(Operation *op) const { return dims.contains(op); }
  /// The shape that a tensor which runs along with the result in such
  /// dimensions has of a tile of the result.
  static SmallVector<int64_t> tileShape(mlir::RankedTensorType type,
                                        ArrayRef<int64_t> dims,
                                        ArrayRef<int64_t> lengths);
};

/// The dimensions of the result that a tensor operand runs along with, if what
/// `owner` computes does along `ofResult`; nothing if a tile of the one needs
/// other than a tile of the other.
std::optional<DimsOfResult> dimsOfOperand(mlir::OpOperand &operand,
                                          ArrayRef<int64_t> ofResult);

/// The chains that end in an operation: for each dimension of its result, the
/// operations that have it in common, without those that are equal and those of
/// less than two contractions.
SmallVector<OperationChain> findChainsTo(Operation *last);

/// Replaces a chain by loops that compute tiles of its result, each with all
/// operations on tiles of their own.
/// @param lengths  of a tile along each dimension of the result: the extent of
///                 those that are not in common
void tileChain(mlir::RewriterBase &rewriter, const OperationChain &chain,
               ArrayRef<int64_t> lengths);

} // namespace tc

#endif // TC_DIALECT_TC_TRANSFORMS_CHAINTILES_H
