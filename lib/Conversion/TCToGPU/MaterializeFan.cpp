//===- MaterializeFan.cpp - The loops of a fan ----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Has a block compute its tiles of several outputs, one after the other, from
// one tile of the input that the contractions have in common.
//
//===----------------------------------------------------------------------===//

#include "LoopNest.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace tc;
namespace gpu = mlir::gpu;

/// Along an index that the other one's output does not have, there is one tile.
void LoopNest::enterBranch(const LoopNest &other) {
  storage = other.storage;
  flattenInputs();
  model::LinkedIndices shared = sharedIndices(other.kernel, kernel);
  for (const model::TileDim &dim : kernel.outputDims()) {
    Value origin;
    for (auto [first, own] : shared)
      if (own == dim.index)
        origin = other.outputOrigins.lookup(first);
    outputOrigins[dim.index] =
        origin ? toCoordinate(origin) : coordinate.constant(0);
  }
}

/// All threads have read the shared tiles.
void LoopNest::meet() { gpu::BarrierOp::create(builder, loc); }

void tc::buildFan(ArrayRef<ContractOp> ops, ArrayRef<KernelInfo> infos) {
  ContractOp last = ops.back();
  LoopNest main(last, infos.front());
  main.enter();
  for (auto [op, info] : llvm::zip_equal(ops.drop_back(), infos.drop_front())) {
    LoopNest branch(op, info);
    branch.moveTo(last);
    branch.enterBranch(main);
    branch.finish(branch.beginSums());
    branch.meet();
    branch.erase();
  }
  main.flattenInputs();
  main.finish(main.beginSums());
  main.erase();
}
