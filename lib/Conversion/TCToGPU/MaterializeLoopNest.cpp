//===- MaterializeLoopNest.cpp - A kernel's loop over tiles ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Replaces a kernel's contraction by the loop nest that its schedule denotes.
//
//===----------------------------------------------------------------------===//

#include "LoopNest.h"

#include "tc/Conversion/TCToGPU/Passes.h"
#include "tc/Dialect/TC/Utils/ElementArithmetic.h"
#include "tc/Dialect/TC/Utils/PartsView.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

#include "llvm/ADT/MapVector.h"

#include <numeric>

namespace tc {
#define GEN_PASS_DEF_TCMATERIALIZELOOPNEST
#include "tc/Conversion/TCToGPU/Passes.h.inc"
} // namespace tc

using namespace tc;
namespace arith = mlir::arith;
namespace gpu = mlir::gpu;
namespace memref = mlir::memref;
namespace scf = mlir::scf;
using mlir::ValueRange;
using mlir::VectorType;
using model::Tensor;

/// Most instructions that multiply in a round of steps through all shared
/// tiles: where there are more, what a step takes besides is of no account.
static constexpr int64_t maxUnrolled = 512;

/// The whole buffer behind an argument, from its base pointer, as one
/// dimension of real numbers.
Value LoopNest::flatten(unsigned number, int64_t size) {
  return viewParts(builder, loc,
                   op->getParentOfType<gpu::GPUFuncOp>().getArgument(number),
                   size);
}

/// A tensor between contractions of a chain is no argument.
void LoopNest::flattenInputs() {
  std::optional<Tensor> chained = kernel.producedInput();
  if (chained != Tensor::A)
    flatA = flatten(Tensor::A);
  if (chained != Tensor::B)
    flatB = flatten(Tensor::B);
}

Value LoopNest::flatten(Tensor tensor) {
  return flatten(
      *mainAttr().getArgument(kernel.term, tensor),
      (kernel.contraction.offset[tensor] + kernel.contraction.span(tensor)) *
          kernel.numbersOfElement(tensor));
}

/// The shared tile of an input in the pair of shared tiles that begins so many
/// bytes into shared memory.
Value LoopNest::sharedTile(Input input, Value buffer) {
  const model::TiledCopy &tiledCopy = tiledCopyOf(input);
  auto type =
      MemRefType::get({tiledCopy.rows, tiledCopy.rowLength},
                      getElementType(op.getContext(), tiledCopy.elementType),
                      mlir::MemRefLayoutAttrInterface(),
                      cast<MemRefType>(storage.getType()).getMemorySpace());
  Value offset = counter.toIndex(
      {buffer, input == Input::A ? 0 : layout.tileBOffsetBytes});
  return memref::ViewOp::create(builder, loc, type, storage, offset,
                                ValueRange());
}

/// Goes to the tile of that number among those along some dimensions.
void LoopNest::setOrigins(ArrayRef<model::TileDim> dims, Value number) {
  for (auto [dim, origin] : llvm::zip_equal(
           dims, tileOrigins(builder, loc, coordinate, dims, number, shape)))
    outputOrigins[dim.index] = origin;
}

/// The origins along some of the tile's dimensions, in their order; those along
/// K are the last and are given.
SmallVector<Value> LoopNest::originsOf(ArrayRef<model::TileDim> dims,
                                       ValueRange kOrigins) {
  SmallVector<Value> origins;
  for (const model::TileDim &dim : dims.drop_back(kOrigins.size()))
    origins.push_back(outputOrigins.lookup(dim.index));
  llvm::append_range(origins, kOrigins);
  return origins;
}

SmallVector<Value> LoopNest::originsOf(Input input, ValueRange kOrigins) {
  return originsOf(kernel.inputDims(input == Input::A ? Tensor::A : Tensor::B),
                   kOrigins);
}

Value LoopNest::copy(Input input, ValueRange kOrigins, Value buffer,
                     Value active) {
  return CopyTileOp::create(builder, loc, input,
                            input == Input::A ? flatA : flatB,
                            originsOf(input, kOrigins),
                            sharedTile(input, buffer), active, kernel.term);
}

SmallVector<Value> LoopNest::fetch(Input input, ValueRange kOrigins,
                                   Value active) {
  const model::TiledCopy &tiledCopy = tiledCopyOf(input);
  Tensor tensor = input == Input::A ? Tensor::A : Tensor::B;
  model::ElementType number =
      model::realTypeOf(kernel.contraction.elementType[tensor]);
  SmallVector<Type> types(
      tiledCopy.accessesPerThread,
      VectorType::get({tiledCopy.width * kernel.numbersOfElement(tensor)},
                      getElementType(op.getContext(), number)));
  auto fetch = LoadTileFromGlobalOp::create(
      builder, loc, types, input, input == Input::A ? flatA : flatB,
      originsOf(input, kOrigins), active, kernel.term);
  return SmallVector<Value>(fetch.getFragments());
}

LoopNest::StartedInput LoopNest::startInput(Input input, ValueRange kOrigins,
                                            Value buffer, Value active) {
  if (tiledCopyOf(input).passesRegisters())
    return {fetch(input, kOrigins, active), Value()};
  return {{},
          GroupCopiesOp::create(builder, loc,
                                copy(input, kOrigins, buffer, active))};
}

/// Starts to bring a tile to a pair of shared tiles.
LoopNest::StartedTile LoopNest::startTile(ValueRange kOrigins, Value buffer,
                                          Value active) {
  StartedTile tile;
  SmallVector<Value> copies;
  for (auto [input, fragments] :
       {std::pair(Input::A, &tile.a), std::pair(Input::B, &tile.b)}) {
    if (tiledCopyOf(input).passesRegisters())
      *fragments = fetch(input, kOrigins, active);
    else
      copies.push_back(copy(input, kOrigins, buffer, active));
  }
  // There is a group for every tile, an empty one for those that are not
  // active, so that as many are left whenever one is waited for.
  if (!copies.empty())
    tile.group = GroupCopiesOp::create(builder, loc, copies);
  return tile;
}

void tc::copyRegions(ArrayRef<mlir::Region *> from,
                     mlir::MutableArrayRef<mlir::Region> to) {
  for (auto [region, copy] : llvm::zip_equal(from, to)) {
    mlir::IRMapping mapping;
    region->cloneInto(&copy, mapping);
  }
}

/// Stores an input's tile, mapped by any prologue, to its shared tile.
void LoopNest::deposit(Input input, ValueRange fragments, ValueRange kOrigins,
                       Value buffer) {
  mlir::Region *prologue =
      op.getPrologue(input == Input::A ? Tensor::A : Tensor::B);
  auto deposit = StoreTileToSharedOp::create(
      builder, loc, input, fragments, sharedTile(input, buffer),
      prologue ? kOrigins : ValueRange(), product, kernel.term,
      /*prologueCount=*/prologue ? 1 : 0);
  if (prologue)
    copyRegions(prologue, deposit->getRegions());
}

/// Stores what went by registers to its shared tiles, if `active`, which may be
/// null.
void LoopNest::finishTile(const StartedTile &tile, ValueRange kOrigins,
                          Value buffer, Value active) {
  if (!layout.copiesPassRegisters())
    return;
  mlir::OpBuilder::InsertionGuard guard(builder);
  if (active) {
    auto guarded = scf::IfOp::create(builder, loc, active,
                                     /*withElseRegion=*/false);
    builder.setInsertionPointToStart(guarded.thenBlock());
  }
  for (auto [input, fragments] :
       {std::pair(Input::A, &tile.a), std::pair(Input::B, &tile.b)})
    if (tiledCopyOf(input).passesRegisters())
      deposit(input, *fragments, kOrigins, buffer);
}

/// Waits until tiles of these inputs have arrived, for all threads: until the
/// group has ended, if there is one. So many groups have been made since.
SmallVector<Value> LoopNest::waitForTiles(ArrayRef<Input> inputs, Value buffer,
                                          Value group, int64_t laterGroups) {
  SmallVector<Value> tiles;
  for (Input input : inputs)
    tiles.push_back(sharedTile(input, buffer));
  return WaitForTilesOp::create(builder, loc, tiles, group,
                                group ? laterGroups : 0)
      .getResults();
}

/// Waits for the next tile to multiply.
SmallVector<Value> LoopNest::waitForTile(const Progress &at) {
  bool hasGroup = !at.groups.empty();
  return waitForTiles(
      {Input::A, Input::B}, at.buffer, hasGroup ? at.groups.front() : Value(),
      hasGroup ? static_cast<int64_t>(at.groups.size()) - 1 : 0);
}

SmallVector<Value> LoopNest::multiply(ValueRange tiles, ValueRange kOrigins,
                                      ValueRange sums) {
  SmallVector<mlir::Region *> semiring;
  if (op.getProduct())
    semiring = {op.getProduct(), op.getCombine()};
  auto multiplied = MultiplyTilesOp::create(
      builder, loc, sums.getTypes(), tiles[0], tiles[1], sums,
      masks ? kOrigins : ValueRange(), kernel.term, semiring.size());
  copyRegions(semiring, multiplied->getRegions());
  return SmallVector<Value>(multiplied.getResults());
}

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

/// Adds all elements of the tile up, and those of all blocks.
void LoopNest::reduceTile(ValueRange sums) {
  Type type = getElementType(
      op.getContext(),
      model::reductionTypeOf(kernel.contraction.elementType[Tensor::C]));
  auto ofThread = ReduceTileOp::create(
      builder, loc, type, sums, originsOf(kernel.outputDims(), ValueRange()),
      op.getAlpha(), flatSides, /*epilogueCount=*/op.getHasEpilogue());
  if (mlir::Region *epilogue = op.getEpilogue())
    copyRegions(epilogue, ofThread->getRegions());
  ReduceBlocksOp::create(builder, loc, ofThread, flatC, storage, workspace());
}

void LoopNest::storeTile(ValueRange sums) {
  if (kernel.contraction.reducesC)
    return reduceTile(sums);
  auto store = StoreTileOp::create(
      builder, loc, sums, flatC, originsOf(kernel.outputDims(), ValueRange()),
      op.getAlpha(), op.getBeta(), flatSides, kernel.term,
      /*epilogueCount=*/op.getHasEpilogue());
  if (mlir::Region *epilogue = op.getEpilogue())
    copyRegions(epilogue, store->getRegions());
}

/// Leaves the block's part of a sum in the workspace; the last block to do so
/// adds up all parts and stores the tile.
void LoopNest::storeSharedTile(ValueRange sums) {
  Value isLast = StorePartialSumsOp::create(builder, loc, builder.getI1Type(),
                                            sums, workspace());
  auto guarded =
      scf::IfOp::create(builder, loc, isLast, /*withElseRegion=*/false);
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(guarded.thenBlock());
  mlir::Region *combine = op.getCombine();
  auto total =
      AddPartialSumsOp::create(builder, loc, sums.getTypes(), workspace(),
                               /*combineCount=*/combine ? 1 : 0);
  if (combine)
    copyRegions(combine, total->getRegions());
  storeTile(total.getResults());
}

/// Keeps one input's shared tile, which spans K, and loops over the tiles of
/// the other side. The next tile's loads are issued before the present one is
/// stored, so that they are under way meanwhile.
void LoopNest::loopOverTiles(const model::BlockPlace<Value> &begin) {
  bool keepsA = layout.mapping.stationary == model::Stationary::A;
  Input moving = keepsA ? Input::B : Input::A;
  bool passesRegisters = tiledCopyOf(moving).passesRegisters();
  const std::vector<model::TileDim> &way = keepsA ? layout.n : layout.m;
  setOrigins(keepsA ? layout.m : layout.n, keepsA ? begin.m : begin.n);
  model::TileRange<Value> tiles =
      model::tilesOfBlock(model::tileCount(way), layout.mapping.tilesPerBlock,
                          keepsA ? begin.n : begin.m, counter);
  setOrigins(way, tiles.first);
  SmallVector<Value> kOrigins =
      tileOrigins(builder, loc, coordinate, layout.k, Value(), shape);
  Value buffer = counter.constant(0);
  StartedTile first = startTile(kOrigins, buffer, Value());
  finishTile(first, kOrigins, buffer, Value());

  Value group = first.group;
  bool carriesGroup = completesByGroups(moving);
  auto loop = scf::ForOp::create(
      builder, loc, counter.constant(0), tiles.count, counter.constant(1),
      carriesGroup ? ValueRange(group) : ValueRange());
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  if (carriesGroup)
    group = loop.getRegionIterArg(0);
  SmallVector<Value> arrived =
      waitForTiles({Input::A, Input::B}, buffer, group);
  Value step = loop.getInductionVar();
  Value next = counter.add(step, counter.constant(1));
  Value more = counter.lessThan(next, tiles.count);
  setOrigins(way, counter.add(tiles.first, next));
  SmallVector<Value> nextTile;
  if (passesRegisters)
    nextTile = fetch(moving, kOrigins, more);
  SmallVector<Value> sums = multiply(arrived, kOrigins, zeroSums());
  // All threads must have read the shared tile's last contents.
  gpu::BarrierOp::create(builder, loc);
  if (!passesRegisters)
    group = startInput(moving, kOrigins, buffer, more).group;
  setOrigins(way, counter.add(tiles.first, step));
  storeTile(sums);
  if (passesRegisters) {
    auto guarded = scf::IfOp::create(builder, loc, more,
                                     /*withElseRegion=*/false);
    mlir::OpBuilder::InsertionGuard inner(builder);
    builder.setInsertionPointToStart(guarded.thenBlock());
    deposit(moving, nextTile, kOrigins, buffer);
  }
  if (carriesGroup)
    scf::YieldOp::create(builder, loc, group);
}

/// The values that all terms need of the block and its shared memory.
void LoopNest::enter() {
  auto workgroup = gpu::AddressSpaceAttr::get(
      op.getContext(), gpu::GPUDialect::getWorkgroupAddressSpace());
  auto storageType =
      MemRefType::get({mlir::ShapedType::kDynamic}, builder.getI8Type(),
                      mlir::MemRefLayoutAttrInterface(), workgroup);
  storage = gpu::DynamicSharedMemoryOp::create(builder, loc, storageType);
  place = blockPlace(builder, loc, layout, shape);
  setOrigins(layout.batch, place.batch);
  if (layout.mapping.stationary != model::Stationary::Output)
    return;
  setOrigins(layout.m, place.m);
  setOrigins(layout.n, place.n);
}

void LoopNest::build() {
  flattenInputs();
  flatC = flatten(Tensor::C);
  for (auto [number, side] : llvm::enumerate(kernel.auxiliaries))
    flatSides.push_back(flatten(3 + number, side.elements));
  enter();
  if (layout.mapping.stationary != model::Stationary::Output) {
    loopOverTiles(place);
  } else {
    SmallVector<Value> sums =
        layout.threeProducts ? sumThreeProducts() : sumTile(place.part);
    if (layout.mapping.splitK > 1)
      storeSharedTile(sums);
    else
      storeTile(sums);
  }
  op.erase();
}

/// All edges of a group are of one kind, which says how the loops of its
/// contractions follow on one another.
static void buildLoops(ArrayRef<ContractOp> ops, const KernelPlan &plan) {
  if (plan.group.edges.empty())
    return LoopNest(ops.front(), plan.contractions.front()).build();
  switch (model::kindOf(plan.group.edges.front())) {
  case model::EdgeKind::Accumulate:
    return buildSum(ops, plan);
  case model::EdgeKind::Feed:
    return buildChain(ops, plan);
  case model::EdgeKind::Share:
    return buildProductsOfInput(ops, plan);
  }
}

namespace {
struct MaterializeLoopNest
    : public tc::impl::TCMaterializeLoopNestBase<MaterializeLoopNest> {
  void runOnOperation() override {
    auto &plans = getAnalysis<KernelPlans>();
    llvm::MapVector<gpu::GPUFuncOp, SmallVector<ContractOp>> kernels;
    for (auto function : getOperation().getOps<gpu::GPUFuncOp>())
      function.walk([&](ContractOp op) { kernels[function].push_back(op); });
    for (auto &[function, ops] : kernels) {
      const KernelPlan *plan = plans.planOf(function);
      if (!plan)
        return signalPassFailure();
      if (plan->contractions.size() != ops.size()) {
        function.emitOpError("has ")
            << plan->contractions.size() << " terms, but holds " << ops.size()
            << " contractions";
        return signalPassFailure();
      }
      buildLoops(ops, *plan);
    }
  }
};
} // namespace
