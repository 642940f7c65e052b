//===- LoopNestTiles.cpp - Tiles on their way to shared memory ------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds the steps of a loop nest on one tile: bringing it to shared memory,
// waiting for it, and multiplying it.
//
//===----------------------------------------------------------------------===//

#include "LoopNest.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace tc;
namespace memref = mlir::memref;
namespace scf = mlir::scf;
using mlir::ValueRange;
using mlir::VectorType;
using model::Tensor;

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
