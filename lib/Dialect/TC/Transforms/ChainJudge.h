//===- ChainJudge.h - The time of tiles of a chain --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The number of bytes that tiles of a chain have, and the time that the model
// predicts for them on a CPU.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TC_TRANSFORMS_CHAINJUDGE_H
#define TC_DIALECT_TC_TRANSFORMS_CHAINJUDGE_H

#include "ChainTiles.h"

#include "tc/Hierarchy/Hierarchy.h"
#include "tc/Machine/CpuTarget.h"

#include "mlir/IR/BuiltinTypes.h"

namespace tc {

/// A tensor that the operations of a chain read or write.
struct ChainTensor {
  RankedTensorType type;
  DimsOfResult dims;
  /// True if it is only between operations of the chain.
  bool isBetween;
  /// Returns true if it is in parts for tiles.
  bool isCut(ArrayRef<int64_t> shape, ArrayRef<int64_t> lengths) const {
    return llvm::any_of(dims, [&](int64_t dim) {
      return dim != noDim && lengths[dim] < shape[dim];
    });
  }
  /// Of all of it, and of a tile.
  double bytes() const;
  double bytes(ArrayRef<int64_t> lengths) const;
};

/// The model's predictions of a chain on one thread. Tiles do not depend on how
/// many there are, and neither do the bits of results.
class ChainJudge {
public:
  ChainJudge(const OperationChain &chain, const model::CpuTarget &target);

  /// Bytes of all that is only between operations.
  double bytesBetween() const;
  /// The largest tiles of no more than so many bytes, if there are any. The
  /// dimensions are cut first along which the most bytes run, so that as little
  /// as possible is read for several tiles, and of those the outermost. What
  /// lacks the one that is cut last does not count, as it is there for several
  /// tiles.
  std::optional<SmallVector<int64_t>> largestTile(double bytes) const;
  /// The tiles of all of the result.
  double countTiles(ArrayRef<int64_t> lengths) const;
  /// The time of all operations, one after the other or in tiles.
  FailureOr<double> predict(ArrayRef<int64_t> lengths) const;
  ArrayRef<int64_t> shape() const { return chain.resultType().getShape(); }

private:
  double bytesOfTile(ArrayRef<int64_t> lengths, int64_t dim) const;
  FailureOr<double> predict(ContractOp op, ArrayRef<int64_t> lengths) const;
  double secondsToMove(Operation *op, ArrayRef<int64_t> lengths) const;
  double secondsFromAfar(Operation *op, ArrayRef<int64_t> lengths) const;
  double rateOfLevelWith(double bytes) const;

  const OperationChain &chain;
  const model::CpuTarget &target;
  model::Hierarchy hierarchy;
  /// Of each operation, inputs and output.
  DenseMap<Operation *, SmallVector<ChainTensor>> tensors;
  /// All of the chain, each once.
  SmallVector<ChainTensor> distinct;
};

} // namespace tc

#endif // TC_DIALECT_TC_TRANSFORMS_CHAINJUDGE_H
