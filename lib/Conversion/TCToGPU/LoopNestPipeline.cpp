//===- LoopNestPipeline.cpp - Loops over K tiles --------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds the pipelined loop over the tiles along K: while one is multiplied,
// later ones are on their way.
//
//===----------------------------------------------------------------------===//

#include "LoopNest.h"

#include "tc/Dialect/TC/Utils/ElementArithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <numeric>

using namespace tc;
namespace arith = mlir::arith;
namespace gpu = mlir::gpu;
namespace scf = mlir::scf;
using mlir::ValueRange;
using mlir::VectorType;

/// Most instructions that multiply in a round of steps through all shared
/// tiles: where there are more, what a step takes besides is of no account.
static constexpr int64_t maxUnrolled = 512;

/// Steps to the next K tile: the last index first, with a carry to the one
/// before it. Known origins stay known.
SmallVector<Value> LoopNest::advance(ValueRange kOrigins) {
  SmallVector<Value> next(kOrigins);
  // The condition that an index stays where it is, as those after it are not
  // through; never if it is null. One comparison is for that and for starting
  // over.
  Value stays;
  for (size_t i = next.size(); i-- > 0;) {
    const model::TileDim &dim = layout.k[i];
    std::optional<int64_t> known = mlir::getConstantIntValue(next[i]);
    if (i > 0 && known && !stays && shape.isKnown()) {
      bool within = *known + dim.tile < dim.extent;
      next[i] = coordinate.constant(within ? *known + dim.tile : 0);
      if (within)
        break;
      continue;
    }
    Value stepped = coordinate.add(next[i], coordinate.constant(dim.tile));
    if (stays)
      stepped = arith::SelectOp::create(builder, loc, stays, next[i], stepped);
    // The first index runs past its extent after the last tile.
    if (i == 0) {
      next[i] = stepped;
      break;
    }
    stays = coordinate.lessThan({stepped, 0}, shape.extent(dim.index));
    next[i] = arith::SelectOp::create(builder, loc, stays, stepped,
                                      coordinate.constant(0));
  }
  return next;
}

/// The pair of shared tiles after one, around to the first.
Value LoopNest::nextBuffer(Value buffer) {
  int64_t last = (layout.buffers - 1) * layout.bufferBytes;
  if (std::optional<int64_t> known = mlir::getConstantIntValue(buffer))
    return counter.constant(*known < last ? *known + layout.bufferBytes : 0);
  Value next = counter.add(buffer, counter.constant(layout.bufferBytes));
  return arith::SelectOp::create(builder, loc, counter.lessThan(buffer, last),
                                 next, counter.constant(0));
}

/// Multiplies one tile while later ones are on their way, and starts another
/// one if `active`, which may be null.
LoopNest::Progress LoopNest::step(const Progress &at, Value active) {
  // By then, all threads have read the shared tiles that are free.
  SmallVector<Value> tiles = waitForTile(at);
  StartedTile tile = startTile(at.kOrigins, at.free, active);
  Progress next = at;
  if (tile.group) {
    next.groups.erase(next.groups.begin());
    next.groups.push_back(tile.group);
  }
  next.sums = multiply(tiles, at.multiplied, at.sums);
  next.multiplied = advance(at.multiplied);
  finishTile(tile, at.kOrigins, at.free, active);
  next.kOrigins = advance(at.kOrigins);
  next.buffer = nextBuffer(at.buffer);
  next.free = nextBuffer(at.free);
  return next;
}

/// Makes `trips` (i32) rounds of so many steps, each of which starts a tile; of
/// one step, the first `started` do so if that is not null. What is known and
/// the same after each round is not carried from one to the next.
LoopNest::Progress LoopNest::loop(const Progress &before, Value trips,
                                  int64_t steps, Value started) {
  auto varying = [&](Progress &at) {
    SmallVector<Value *> values;
    for (Value &sum : at.sums)
      values.push_back(&sum);
    for (auto [i, origin] : llvm::enumerate(at.kOrigins)) {
      int64_t period = model::tileCount({layout.k.begin() + i, layout.k.end()});
      if (i == 0 || !shape.isKnown() || steps % period != 0 ||
          !mlir::getConstantIntValue(before.kOrigins[i]))
        values.push_back(&origin);
    }
    for (Value &origin : at.multiplied)
      values.push_back(&origin);
    if (steps % layout.buffers != 0 ||
        !mlir::getConstantIntValue(before.buffer))
      values.append({&at.buffer, &at.free});
    for (Value &group : at.groups)
      values.push_back(&group);
    return values;
  };
  auto valuesOf = [&](Progress at) {
    SmallVector<Value> values;
    for (Value *value : varying(at))
      values.push_back(*value);
    return values;
  };
  auto unpack = [&](ValueRange values) {
    Progress at = before;
    for (auto [kept, value] : llvm::zip_equal(varying(at), values))
      *kept = value;
    return at;
  };

  auto loop = scf::ForOp::create(builder, loc, counter.constant(0), trips,
                                 counter.constant(1), valuesOf(before));
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Progress at = unpack(loop.getRegionIterArgs());
  Value active =
      started ? counter.lessThan(loop.getInductionVar(), started) : Value();
  for (int64_t i = 0; i < steps; ++i)
    at = step(at, active);
  scf::YieldOp::create(builder, loc, valuesOf(at));
  return unpack(loop.getResults());
}

/// Steps of a round after which the shared tiles and, if that takes few steps,
/// the last K index are where they were; one if the round were too long.
int64_t LoopNest::stepsOfRound(ValueRange kOrigins) const {
  int64_t instructions = model::productInstructions(layout, layout.blockK);
  int64_t stepsOfSum = layout.steps / sumsOfTile();
  auto isShort = [&](int64_t steps) {
    return steps * instructions <= maxUnrolled && steps < stepsOfSum;
  };
  if (shape.isKnown() && kOrigins.size() > 1 &&
      mlir::getConstantIntValue(kOrigins.back())) {
    int64_t steps = std::lcm(layout.buffers, layout.k.back().tiles());
    if (isShort(steps) && 2 * steps < stepsOfSum)
      return steps;
  }
  return isShort(layout.buffers) ? layout.buffers : 1;
}

/// Adds the products of `count` tiles (i32) to sums. The first `tilesAhead` of
/// them are on their way.
SmallVector<Value> LoopNest::pipeline(Progress at, int64_t tilesAhead,
                                      Value count) {
  Value rest = counter.add(count, counter.constant(-tilesAhead));
  // LLVM would move a last step's operations to where sums are stored, one by
  // one, unless they are in the loop or of matrix instructions.
  if (!layout.isCollective() && layout.steps > 1)
    return loop(at, count, /*steps=*/1, rest).sums;
  int64_t round = stepsOfRound(at.kOrigins);
  if (!shape.isKnown()) {
    // There may be fewer tiles than can be on their way.
    Value rounds = counter.divide(
        arith::MaxSIOp::create(builder, loc, rest, counter.constant(0)), round);
    if (round > 1) {
      at = loop(at, rounds, round, Value());
      Value done = counter.multiply(rounds, round);
      count = arith::SubIOp::create(builder, loc, count, done);
      rest = arith::SubIOp::create(builder, loc, rest, done);
    }
    return loop(at, count, /*steps=*/1, rest).sums;
  }
  if (round > 1) {
    at = loop(at, counter.divide(rest, round), round, Value());
    rest = counter.remainder(rest, round);
  }
  if (std::optional<int64_t> few = mlir::getConstantIntValue(rest);
      few && *few < layout.buffers) {
    for (int64_t i = 0; i < *few; ++i)
      at = step(at, Value());
  } else {
    at = loop(at, rest, /*steps=*/1, Value());
  }
  for (int64_t left = tilesAhead; left > 0; --left) {
    at.sums = multiply(waitForTile(at), at.multiplied, at.sums);
    if (!at.groups.empty())
      at.groups.erase(at.groups.begin());
    at.multiplied = advance(at.multiplied);
    at.buffer = nextBuffer(at.buffer);
  }
  return at.sums;
}

SmallVector<Value> LoopNest::zeroSums() {
  auto vectorType = VectorType::get({layout.groupN}, sumType);
  Value zero = arith::ConstantOp::create(
      builder, loc, getEmptySum(SemiringCode(op), vectorType));
  return SmallVector<Value>(
      layout.registerM * (layout.registerN / layout.groupN), zero);
}

/// Adds the products of K tiles to sums.
SmallVector<Value> LoopNest::addTiles(ValueRange sums,
                                      const model::TileRange<Value> &tiles) {
  // Of the first tile to start, and to multiply if products may have to be left
  // out.
  SmallVector<Value> kOrigins =
      tileOrigins(builder, loc, coordinate, layout.k, tiles.first, shape);
  Progress at{
      SmallVector<Value>(sums), {}, masks ? kOrigins : SmallVector<Value>(),
      counter.constant(0),      {}, {}};
  // No part has fewer tiles than that, if their number is known.
  int64_t tilesAhead = std::max<int64_t>(1, layout.buffers - 1);
  for (int64_t tile = 0; tile < tilesAhead; ++tile) {
    Value buffer = counter.constant(tile * layout.bufferBytes);
    Value exists;
    if (!shape.isKnown())
      exists = counter.lessThan(counter.constant(tile), tiles.count);
    StartedTile started = startTile(kOrigins, buffer, exists);
    finishTile(started, kOrigins, buffer, exists);
    if (started.group)
      at.groups.push_back(started.group);
    kOrigins = advance(kOrigins);
  }
  at.kOrigins = std::move(kOrigins);
  at.free = counter.constant(tilesAhead * layout.bufferBytes);
  return pipeline(std::move(at), tilesAhead, tiles.count);
}

/// The K tiles of a part of the sum. Of a number that only the launch knows,
/// there may be fewer than parts, of which the last ones have none then.
model::TileRange<Value> LoopNest::tilesOfPart(int64_t parts, Value part) {
  if (shape.isKnown())
    return model::tilesOfPart(model::tileCount(layout.k), parts, part, counter);
  Value tiles = shape.argument(model::RunTimeQuantity::Steps);
  if (parts == 1)
    return {Value(), tiles};
  // As model::tilesOfPart has it.
  Value least = counter.divide(tiles, parts);
  Value longer = counter.remainder(tiles, parts);
  Value before = counter.multiply(part, UniformNumber{0, least});
  return {
      counter.add(before, counter.selectLess(part, longer, part, longer)),
      counter.add(least, counter.selectLess(part, longer, counter.constant(1),
                                            counter.constant(0)))};
}

/// Adds the products of all K tiles to sums.
SmallVector<Value> LoopNest::addProducts(ValueRange sums) {
  return addTiles(sums, tilesOfPart(/*parts=*/1, Value()));
}

/// Adds up the products of the block's K tiles, which are all of them or, if
/// blocks share the sum, those of a part.
SmallVector<Value> LoopNest::sumTile(Value part) {
  return addTiles(zeroSums(), tilesOfPart(layout.mapping.splitK, part));
}

/// Adds up the real parts and the imaginary parts of complex products: the
/// first of the three sums of real ones is in both.
SmallVector<Value> LoopNest::sumThreeProducts() {
  int64_t steps = layout.steps / model::minProducts;
  auto add = [&](ValueRange sums, int64_t number) {
    // All threads must have read the shared tiles of the sum before.
    if (number > 0)
      gpu::BarrierOp::create(builder, loc);
    product = number;
    return addTiles(
        sums, {counter.constant(number * steps), counter.constant(steps)});
  };
  SmallVector<Value> both = add(zeroSums(), 0);
  SmallVector<Value> imaginary = add(both, 1);
  SmallVector<Value> parts = add(both, 2);
  llvm::append_range(parts, imaginary);
  return parts;
}
