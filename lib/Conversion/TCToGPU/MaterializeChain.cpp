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

#include "tc/Dialect/TC/Utils/ElementArithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace tc;
namespace gpu = mlir::gpu;
using mlir::ValueRange;
using model::Tensor;

/// Of an index that the consumer sums over, the tile begins where the present
/// step does, or at zero if there is but one.
void LoopNest::enterBefore(const LoopNest &consumer) {
  storage = consumer.storage;
  Tensor sink = *consumer.kernel.producedInput();
  const std::vector<std::string> &own = kernel.record.tensors[Tensor::C].labels;
  const std::vector<std::string> &others =
      consumer.kernel.record.tensors[sink].labels;
  for (auto [label, other] : llvm::zip_equal(own, others)) {
    std::optional<unsigned> index = kernel.contraction.find(label);
    if (!index)
      continue;
    std::optional<unsigned> taken = consumer.kernel.contraction.find(other);
    Value origin = taken ? consumer.outputOrigins.lookup(*taken) : Value();
    outputOrigins[*index] =
        origin ? toCoordinate(origin) : coordinate.constant(0);
  }
  // A tile has both parts of its complex numbers.
  if (kernel.contraction.parts)
    outputOrigins[kernel.contraction.parts->output] = coordinate.constant(0);
}

/// Builds the code between a producer's sums and the factors of the consumer:
/// an epilogue, which a softmax has behind it, and a prologue.
static void buildCodeBetween(Location loc, mlir::Region &region, Type sumType,
                             Type between, mlir::Region *epilogue,
                             mlir::Region *prologue) {
  mlir::Block &block = region.emplaceBlock();
  block.addArguments({sumType, between}, {loc, loc});
  OpBuilder builder = OpBuilder::atBlockEnd(&block);
  SmallVector<Value> arguments(block.getArguments());
  Value value = epilogue ? applyRegion(builder, loc, *epilogue, arguments)
                         : convertElements(builder, loc, arguments[0], between);
  if (prologue)
    value = applyRegion(builder, loc, *prologue, value);
  YieldOp::create(builder, loc, value);
}

/// A softmax has the epilogue of the producer.
static mlir::Region *epilogueOf(ContractOp before, const KernelInfo &after) {
  return after.takesSoftmax() ? nullptr : before.getEpilogue();
}

bool LoopNest::hasCodeBetween(LoopNest &producer) {
  return epilogueOf(producer.op, kernel) ||
         op.getPrologue(*kernel.producedInput());
}

void LoopNest::buildCodeAfter(LoopNest &producer, mlir::Region &region) {
  Tensor chained = *kernel.producedInput();
  buildCodeBetween(loc, region, producer.sumType,
                   kernel.types[chained].getElementType(),
                   epilogueOf(producer.op, kernel), op.getPrologue(chained));
}

/// Stores what the producer has summed, or its softmax, to the shared tile.
void LoopNest::storeProduced(ValueRange produced, LoopNest &producer,
                             ValueRange kOrigins, Value buffer) {
  Input sink = *kernel.producedInput() == Tensor::A ? Input::A : Input::B;
  auto store = StoreAccumulatorsToSharedOp::create(
      builder, loc, produced, producer.kernel.term, sink, kernel.term, kOrigins,
      sharedTile(sink, buffer),
      /*epilogueCount=*/hasCodeBetween(producer) ? 1 : 0);
  if (!store.getEpilogue().empty())
    buildCodeAfter(producer, store.getEpilogue().front());
}

SmallVector<Value> LoopNest::factorsOf(ValueRange produced, LoopNest &producer,
                                       ValueRange kOrigins) {
  Type factor = getElementType(op.getContext(), layout.a.elementType);
  SmallVector<Type> types(
      produced.size(),
      mlir::VectorType::get(
          cast<mlir::VectorType>(produced.front().getType()).getShape(),
          factor));
  auto made = AccumulatorsToFactorsOp::create(
      builder, loc, types, produced, producer.kernel.term, Input::A,
      kernel.term, kOrigins,
      /*epilogueCount=*/hasCodeBetween(producer) ? 1 : 0);
  if (!made.getEpilogue().empty())
    buildCodeAfter(producer, made.getEpilogue().front());
  return SmallVector<Value>(made.getFactors());
}

SmallVector<Value> LoopNest::multiplyFactors(ValueRange factors, Value tile,
                                             ValueRange sums) {
  return MultiplyFactorsOp::create(builder, loc, sums.getTypes(), factors, tile,
                                   sums, kernel.term)
      .getResults();
}

/// The copy of the other input is under way while sums are stored.
SmallVector<Value> LoopNest::multiplyProduced(ValueRange produced,
                                              LoopNest &producer) {
  Input other = otherInput();
  Value buffer = counter.constant(0);
  SmallVector<Value> kOrigins =
      tileOrigins(builder, loc, coordinate, layout.k, Value(), shape);
  // All threads must have read the shared tiles of the producer.
  gpu::BarrierOp::create(builder, loc);
  StartedInput started =
      startInput(other, kOrigins, buffer, /*active=*/Value());
  storeProduced(produced, producer, kOrigins, buffer);
  if (tiledCopyOf(other).passesRegisters())
    deposit(other, started.fragments, kOrigins, buffer);
  return multiply(waitForTiles({Input::A, Input::B}, buffer, started.group),
                  kOrigins, zeroSums());
}

void tc::buildChain(ArrayRef<ContractOp> ops, const KernelPlan &plan) {
  size_t last = ops.size() - 1;
  std::vector<std::unique_ptr<LoopNest>> nests;
  for (size_t op = 0; op < ops.size(); ++op) {
    nests.push_back(std::make_unique<LoopNest>(
        ops[op], plan.contractions[op == last ? 0 : op + 1]));
    nests.back()->moveTo(ops[last]);
  }
  nests[last]->enter();
  for (auto &nest : nests)
    nest->flattenInputs();
  if (model::isStepped(plan.contractions.front().layout,
                       *plan.group.producerOf(0))) {
    buildSteppedChain(ops[last], nests, plan);
  } else {
    for (size_t op = last; op-- > 0;)
      nests[op]->enterBefore(*nests[op + 1]);
    SmallVector<Value> sums = nests.front()->beginSums();
    for (size_t op = 1; op <= last; ++op)
      sums = nests[op]->multiplyProduced(sums, *nests[op - 1]);
    nests[last]->finish(sums);
  }
  for (size_t op = last + 1; op-- > 0;)
    nests[op]->erase();
}
