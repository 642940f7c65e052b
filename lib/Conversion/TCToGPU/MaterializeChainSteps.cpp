//===- MaterializeChainSteps.cpp - Chains that go step by step ------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Has the last contraction of a chain sum over the tiles that those before
// compute for it, one after the other, or over the softmax of them.
//
// The order of work is that of T. Dao, FlashAttention-2 (ICLR 2024), algorithm
// 1: one pass over the tiles, and sums that are divided once, at the end.
//
//===----------------------------------------------------------------------===//

#include "LoopNest.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <limits>

using namespace tc;
namespace arith = mlir::arith;
namespace gpu = mlir::gpu;
namespace memref = mlir::memref;
namespace scf = mlir::scf;
using mlir::ValueRange;
using model::Tensor;

namespace tc {

class SteppedChain {
public:
  SteppedChain(ContractOp op, ArrayRef<std::unique_ptr<LoopNest>> nests,
               const KernelPlan &plan);

  void build();

private:
  /// The values that are carried from one step to the next: the last
  /// contraction's sums; of a softmax, the maxima and the sums of the thread's
  /// rows; and the group of the first contraction's tile that is on its way, if
  /// there is one.
  struct State {
    SmallVector<Value> sums, maxima, rowSums, moving;

    SmallVector<Value> values() const {
      SmallVector<Value> all(sums);
      for (ArrayRef<Value> each :
           {ArrayRef(maxima), ArrayRef(rowSums), ArrayRef(moving)})
        llvm::append_range(all, each);
      return all;
    }
  };

  State begin();
  State unpack(const State &like, ValueRange values) const;
  SmallVector<Value> enterStep(Value step);
  State step(const State &at, Value number);
  State stepBeside(const State &at, Value number);
  SmallVector<Value> passOn(State &at, ValueRange sums, ValueRange kOrigins,
                            bool waits);
  SmallVector<Value> rescale(ValueRange sums);
  SmallVector<Value> multiplyPassedOn(State &next, ValueRange sums,
                                      ValueRange kOrigins, Input other,
                                      const LoopNest::StartedInput &started,
                                      int64_t laterGroups);
  void startKept();
  Value statistics();
  SmallVector<Value> firstKOrigins() {
    return tileOrigins(first.builder, first.loc, first.coordinate,
                       first.layout.k, Value(), first.shape);
  }
  Input movingInput() const { return *kept == Tensor::A ? Input::B : Input::A; }

  ContractOp op;
  ArrayRef<std::unique_ptr<LoopNest>> nests;
  LoopNest &first, &before, &last;
  OpBuilder &builder;
  Location loc;
  const model::IndexedEdge &edge;
  const model::ChainPlaces &places;
  std::optional<Tensor> kept;
  /// True if the tensor between the last two contractions stays in registers.
  bool inRegisters;
  Value zero, lastBuffer, numbersOfRows;
  /// The group of the first step's tiles, one of which stays.
  Value firstGroup;
};

} // namespace tc

SteppedChain::SteppedChain(ContractOp op,
                           ArrayRef<std::unique_ptr<LoopNest>> nests,
                           const KernelPlan &plan)
    : op(op), nests(nests), first(*nests.front()),
      before(*nests[nests.size() - 2]), last(*nests.back()),
      builder(last.builder), loc(last.loc), edge(*plan.group.producerOf(0)),
      places(plan.places) {
  inRegisters = model::staysInRegisters(before.layout, last.layout, edge);
  if (nests.size() == 2)
    kept = model::keptInput(first.layout, last.kernel.contraction, edge);
}

/// The memory of the numbers of rows.
Value SteppedChain::statistics() {
  model::SoftmaxRows rows =
      model::softmaxRows(before.layout, last.kernel.contraction, edge.indices);
  auto space = cast<MemRefType>(last.storage.getType()).getMemorySpace();
  auto type = MemRefType::get({rows.count()}, before.sumType,
                              mlir::MemRefLayoutAttrInterface(), space);
  Value offset =
      arith::ConstantIndexOp::create(builder, loc, places.statisticsOffset);
  return memref::ViewOp::create(builder, loc, type, last.storage, offset,
                                ValueRange());
}

SteppedChain::State SteppedChain::begin() {
  State state{last.zeroSums(), {}, {}, {}};
  if (kept && first.completesByGroups(movingInput()))
    state.moving.push_back(firstGroup);
  if (!model::takesSoftmax(edge))
    return state;
  model::SoftmaxRows rows =
      model::softmaxRows(before.layout, last.kernel.contraction, edge.indices);
  int64_t rowsOfThread =
      rows.alongN ? before.layout.registerN : before.layout.registerM;
  auto splat = [&](double number) {
    return SmallVector<Value>(
        rowsOfThread,
        arith::ConstantOp::create(
            builder, loc, builder.getFloatAttr(before.sumType, number)));
  };
  state.maxima = splat(-std::numeric_limits<double>::infinity());
  state.rowSums = splat(0);
  return state;
}

SteppedChain::State SteppedChain::unpack(const State &like,
                                         ValueRange values) const {
  size_t sums = like.sums.size(), rows = like.maxima.size();
  return {values.take_front(sums), values.slice(sums, rows),
          values.slice(sums + rows, rows),
          values.take_back(like.moving.size())};
}

/// Goes to the tile of a step in all contractions, and returns where it begins
/// along what the last one sums over.
SmallVector<Value> SteppedChain::enterStep(Value step) {
  SmallVector<Value> kOrigins = tileOrigins(builder, loc, last.coordinate,
                                            last.layout.k, step, last.shape);
  for (auto [dim, origin] : llvm::zip_equal(last.layout.k, kOrigins))
    last.outputOrigins[dim.index] = origin;
  for (size_t nest = nests.size() - 1; nest-- > 0;)
    nests[nest]->enterBefore(*nests[nest + 1]);
  return kOrigins;
}

/// Brings the first step's tiles of the first contraction on their way, of
/// which one stays.
void SteppedChain::startKept() {
  enterStep(zero);
  SmallVector<Value> kOrigins = firstKOrigins();
  LoopNest::StartedTile started = first.startTile(kOrigins, zero, Value());
  first.finishTile(started, kOrigins, zero, Value());
  firstGroup = started.group;
}

/// The elements to store of the producer's sums. All threads wait at a barrier
/// on the way if there is a softmax, or if they have to.
SmallVector<Value> SteppedChain::passOn(State &at, ValueRange sums,
                                        ValueRange kOrigins, bool waits) {
  if (!model::takesSoftmax(edge)) {
    if (waits)
      gpu::BarrierOp::create(builder, loc);
    return SmallVector<Value>(sums);
  }
  mlir::Region *epilogue = before.op.getEpilogue();
  auto exponentiate = ExponentiateAccumulatorsOp::create(
      builder, loc, sums.getTypes(), ValueRange(at.maxima).getTypes(),
      ValueRange(at.rowSums).getTypes(), sums, at.maxima, at.rowSums,
      before.kernel.term, edge.sink == Tensor::A ? Input::A : Input::B,
      last.kernel.term, kOrigins, numbersOfRows,
      /*epilogueCount=*/epilogue ? 1 : 0);
  if (epilogue)
    copyRegions(epilogue, exponentiate->getRegions());
  at.maxima = exponentiate.getNewMaxima();
  at.rowSums = exponentiate.getNewSums();
  return exponentiate.getExponentials();
}

/// Multiplies the last contraction's sums by what there is for each row.
SmallVector<Value> SteppedChain::rescale(ValueRange sums) {
  if (!model::takesSoftmax(edge))
    return sums;
  return RescaleAccumulatorsOp::create(
             builder, loc, sums.getTypes(), sums, before.kernel.term,
             edge.sink == Tensor::A ? Input::A : Input::B, last.kernel.term,
             numbersOfRows)
      .getResults();
}

/// The last contraction's sums with the products of what its producer computes
/// and of its other input when that has arrived, since whose start so many
/// groups have been made.
SmallVector<Value> SteppedChain::multiplyPassedOn(
    State &next, ValueRange sums, ValueRange kOrigins, Input other,
    const LoopNest::StartedInput &started, int64_t laterGroups) {
  SmallVector<Value> factors;
  if (inRegisters)
    factors = last.factorsOf(sums, before, kOrigins);
  else
    last.storeProduced(sums, before, kOrigins, lastBuffer);
  if (last.tiledCopyOf(other).passesRegisters())
    last.deposit(other, started.fragments, kOrigins, lastBuffer);
  SmallVector<Input> read = {Input::A, Input::B};
  if (inRegisters)
    read = {Input::B};
  SmallVector<Value> tiles =
      last.waitForTiles(read, lastBuffer, started.group, laterGroups);
  SmallVector<Value> rescaled = rescale(next.sums);
  return inRegisters ? last.multiplyFactors(factors, tiles.front(), rescaled)
                     : last.multiply(tiles, kOrigins, rescaled);
}

/// A step whose contractions before are computed as if nothing came after them.
SteppedChain::State SteppedChain::step(const State &at, Value number) {
  State next = at;
  SmallVector<Value> kOrigins = enterStep(number);
  SmallVector<Value> sums = first.beginSums();
  for (size_t nest = 1; nest + 1 < nests.size(); ++nest)
    sums = nests[nest]->multiplyProduced(sums, *nests[nest - 1]);
  // All threads have multiplied the last step's tiles, which are free, when one
  // of them is here: they have waited at a barrier in those before since.
  Input other = last.otherInput();
  LoopNest::StartedInput started =
      last.startInput(other, kOrigins, lastBuffer, /*active=*/Value());
  sums = passOn(next, sums, kOrigins, /*waits=*/false);
  next.sums = multiplyPassedOn(next, sums, kOrigins, other, started,
                               /*laterGroups=*/0);
  return next;
}

/// A step beside which the next one's tile is on its way. The first
/// contraction's other tile stays where it is.
SteppedChain::State SteppedChain::stepBeside(const State &at, Value number) {
  State next = at;
  SmallVector<Value> kOrigins = enterStep(number);
  SmallVector<Value> firstK = firstKOrigins();
  SmallVector<Value> tiles =
      first.waitForTiles({Input::A, Input::B}, zero,
                         at.moving.empty() ? firstGroup : at.moving.front());
  Input other = last.otherInput(), moving = movingInput();
  LoopNest::StartedInput started =
      last.startInput(other, kOrigins, lastBuffer, /*active=*/Value());
  SmallVector<Value> sums = first.multiply(tiles, firstK, first.zeroSums());
  sums = passOn(next, sums, kOrigins, /*waits=*/true);
  Value nextNumber = last.counter.add(number, last.counter.constant(1));
  Value active = last.counter.lessThan(nextNumber, last.layout.steps);
  enterStep(nextNumber);
  LoopNest::StartedInput following =
      first.startInput(moving, firstK, zero, active);
  if (following.group)
    next.moving = {following.group};
  next.sums = multiplyPassedOn(next, sums, kOrigins, other, started,
                               /*laterGroups=*/following.group ? 1 : 0);
  if (first.tiledCopyOf(moving).passesRegisters()) {
    auto guarded = scf::IfOp::create(builder, loc, active,
                                     /*withElseRegion=*/false);
    mlir::Block *block = builder.getInsertionBlock();
    for (const std::unique_ptr<LoopNest> &nest : nests)
      nest->builder.setInsertionPointToStart(guarded.thenBlock());
    first.deposit(moving, following.fragments, firstK, zero);
    for (const std::unique_ptr<LoopNest> &nest : nests)
      nest->moveTo(block);
  }
  return next;
}

void SteppedChain::build() {
  zero = last.counter.constant(0);
  lastBuffer = last.counter.constant(places.lastOffset);
  if (model::takesSoftmax(edge))
    numbersOfRows = statistics();
  if (kept)
    startKept();
  State state = begin();
  auto loop = scf::ForOp::create(builder, loc, zero,
                                 last.counter.constant(last.layout.steps),
                                 last.counter.constant(1), state.values());
  for (const std::unique_ptr<LoopNest> &nest : nests)
    nest->moveTo(loop.getBody());
  State at = unpack(state, loop.getRegionIterArgs());
  State next = kept ? stepBeside(at, loop.getInductionVar())
                    : step(at, loop.getInductionVar());
  scf::YieldOp::create(builder, loc, next.values());
  for (const std::unique_ptr<LoopNest> &nest : nests)
    nest->moveTo(op);
  state = unpack(state, loop.getResults());
  if (model::takesSoftmax(edge)) {
    StoreRowReciprocalsOp::create(builder, loc, state.rowSums,
                                  before.kernel.term,
                                  edge.sink == Tensor::A ? Input::A : Input::B,
                                  last.kernel.term, numbersOfRows);
    state.sums = rescale(state.sums);
  }
  last.finish(state.sums);
}

void tc::buildSteppedChain(ContractOp last,
                           ArrayRef<std::unique_ptr<LoopNest>> nests,
                           const KernelPlan &plan) {
  SteppedChain(last, nests, plan).build();
}
