//===- MaterializeChain.cpp - The loops of a chain ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Has each of several contractions take the tile that the one before has left
// in shared memory.
//
//===----------------------------------------------------------------------===//

#include "LoopNest.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include <memory>

using namespace tc;
namespace arith = mlir::arith;
namespace gpu = mlir::gpu;
namespace NVVM = mlir::NVVM;
using mlir::ValueRange;
using model::Tensor;

/// Of an index that the consumer sums over, the tile begins at zero.
void LoopNest::enterBefore(const LoopNest &consumer) {
  storage = consumer.storage;
  Tensor fed = *consumer.kernel.attr.getChainedInput();
  const std::vector<std::string> &own = kernel.record.tensors[Tensor::C].labels;
  const std::vector<std::string> &others =
      consumer.kernel.record.tensors[fed].labels;
  for (auto [label, other] : llvm::zip_equal(own, others)) {
    std::optional<unsigned> index = kernel.contraction.find(label);
    if (!index)
      continue;
    std::optional<unsigned> taken = consumer.kernel.contraction.find(other);
    Value origin = taken ? consumer.outputOrigins.lookup(*taken) : Value();
    if (!origin)
      origin = coordinate.constant(0);
    else if (coordinate.getType().getIntOrFloatBitWidth() <
             origin.getType().getIntOrFloatBitWidth())
      origin =
          arith::TruncIOp::create(builder, loc, coordinate.getType(), origin);
    else
      origin = coordinate.extend(origin);
    outputOrigins[*index] = origin;
  }
}

/// The copy of the other input is under way while sums are stored.
SmallVector<Value> LoopNest::sumLink(ValueRange before, LoopNest &linkBefore) {
  bool takesA = kernel.attr.getChainedInput() == Tensor::A;
  Input fed = takesA ? Input::A : Input::B,
        other = takesA ? Input::B : Input::A;
  bool isAsync = tiledCopyOf(other).asynchronous;
  Value buffer = counter.constant(0);
  SmallVector<Value> kOrigins =
      tileOrigins(builder, loc, coordinate, layout.k, Value(), shape);
  // All threads must have read the shared tiles of the one before.
  gpu::BarrierOp::create(builder, loc);
  SmallVector<Value> fragments;
  if (isAsync) {
    copy(other, kOrigins, buffer, Value());
    NVVM::CpAsyncCommitGroupOp::create(builder, loc);
  } else {
    fragments = fetch(other, kOrigins, Value());
  }
  mlir::Region *epilogue = linkBefore.op.getEpilogue();
  auto store = StoreAccumulatorsToSharedOp::create(
      builder, loc, before, linkBefore.kernel.term, fed, kernel.term,
      sharedTile(fed, buffer), /*epilogueCount=*/epilogue ? 1 : 0);
  if (epilogue)
    copyRegions(epilogue, store->getRegions());
  if (!isAsync)
    deposit(other, fragments, kOrigins, buffer);
  waitForTile(/*laterTiles=*/0);
  return multiply(buffer, kOrigins, zeroSums());
}

void tc::buildChain(ArrayRef<ContractOp> ops, ArrayRef<KernelInfo> infos) {
  size_t last = ops.size() - 1;
  std::vector<std::unique_ptr<LoopNest>> nests;
  for (size_t op = 0; op < ops.size(); ++op) {
    nests.push_back(
        std::make_unique<LoopNest>(ops[op], infos[op == last ? 0 : op + 1]));
    nests.back()->moveTo(ops[last]);
  }
  nests[last]->enter();
  for (size_t op = last; op-- > 0;)
    nests[op]->enterBefore(*nests[op + 1]);
  for (auto &nest : nests)
    nest->flattenInputs();
  SmallVector<Value> sums = nests.front()->beginSums();
  for (size_t op = 1; op <= last; ++op)
    sums = nests[op]->sumLink(sums, *nests[op - 1]);
  nests[last]->finish(sums);
  for (size_t op = last + 1; op-- > 0;)
    nests[op]->erase();
}
