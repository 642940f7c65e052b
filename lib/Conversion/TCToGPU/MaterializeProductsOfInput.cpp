//===- MaterializeProductsOfInput.cpp - Loops of products of one input ----===//
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
void LoopNest::enterSharing(const LoopNest &other,
                            const model::LinkedIndices &sharedIndices) {
  storage = other.storage;
  flattenInputs();
  for (const model::TileDim &dim : kernel.outputDims()) {
    Value origin;
    for (auto [first, own] : sharedIndices)
      if (own == dim.index)
        origin = other.outputOrigins.lookup(first);
    outputOrigins[dim.index] =
        origin ? toCoordinate(origin) : coordinate.constant(0);
  }
}

void tc::buildProductsOfInput(ArrayRef<ContractOp> ops,
                              const KernelPlan &plan) {
  ContractOp last = ops.back();
  LoopNest main(last, plan.contractions.front());
  main.enter();
  for (const auto &[place, op] : llvm::enumerate(ops.drop_back())) {
    auto node = static_cast<unsigned>(place + 1);
    LoopNest nest(op, plan.contractions[node]);
    nest.moveTo(last);
    nest.enterSharing(main, plan.group.sharedIndices(0, node));
    nest.finish(nest.beginSums());
    nest.waitForReaders();
    nest.erase();
  }
  main.flattenInputs();
  main.finish(main.beginSums());
  main.erase();
}

/// All threads have read the shared tiles.
void LoopNest::waitForReaders() { gpu::BarrierOp::create(builder, loc); }
