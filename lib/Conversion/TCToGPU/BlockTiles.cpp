//===- BlockTiles.cpp - The tiles that a block works on -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockTiles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace tc;
namespace arith = mlir::arith;
namespace gpu = mlir::gpu;

model::BlockPlace<Value> tc::blockPlace(OpBuilder &builder, Location loc,
                                        const model::KernelLayout &layout,
                                        const ShapeValues &shape) {
  Value block = gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x);
  IndexBuilder index(builder, loc, builder.getI32Type());
  Value number =
      arith::IndexCastOp::create(builder, loc, index.getType(), block);
  if (shape.isKnown())
    return model::placeOfBlock(model::blockGridOf(layout), number, index);
  using model::RunTimeQuantity;
  model::GridDivisors<Divisor, Value> divisors;
  divisors.gridM = shape.divisor(RunTimeQuantity::GridM);
  divisors.plane = shape.divisor(RunTimeQuantity::Plane);
  divisors.groupRows = shape.divisor(RunTimeQuantity::GroupRows);
  divisors.groupSize = shape.divisor(RunTimeQuantity::GroupSize);
  divisors.lastRows = shape.divisor(RunTimeQuantity::LastRows);
  divisors.fullGroups = shape.argument(RunTimeQuantity::FullGroups);
  // The parts of one sum are neighbours, as in a grid that is known.
  int64_t parts = layout.mapping.splitK;
  model::BlockPlace<Value> place = model::placeOfBlock(
      model::tileListsOf(layout), divisors, index.divide(number, parts), index);
  if (parts > 1)
    place.part = index.remainder(number, parts);
  return place;
}

/// The digits of a number in mixed radix, fastest first, whose radices are the
/// numbers of tiles along dimensions, the last of which is the fastest.
static SmallVector<SplitIndex> runTimeDigits(IndexBuilder &index, Value number,
                                             ArrayRef<model::TileDim> dims,
                                             const ShapeValues &shape) {
  SmallVector<SplitIndex> parts;
  for (const model::TileDim &dim : llvm::reverse(dims)) {
    // Of the slowest one, no remainder has to be taken.
    if (parts.size() + 1 == dims.size()) {
      parts.push_back({number, 0});
      break;
    }
    // One tile covers the parts of complex numbers.
    if (shape.isOfParts(dim.index)) {
      parts.push_back({});
      continue;
    }
    Divisor tiles = shape.divisor(model::RunTimeQuantity::Tiles, dim.index);
    parts.push_back({index.remainder(number, tiles), 0});
    number = index.divide(number, tiles);
  }
  return parts;
}

SmallVector<Value> tc::tileOrigins(OpBuilder &builder, Location loc,
                                   IndexBuilder &coordinate,
                                   ArrayRef<model::TileDim> dims, Value number,
                                   const ShapeValues &shape) {
  IndexBuilder index(builder, loc, builder.getI32Type());
  SmallVector<int64_t> radices;
  int64_t tiles = 1;
  for (const model::TileDim &dim : llvm::reverse(dims)) {
    radices.push_back(dim.tiles());
    tiles *= dim.tiles();
  }
  SmallVector<Value> origins;
  SmallVector<SplitIndex> parts =
      shape.isKnown() ? digits(index, number, tiles, 0, radices)
                      : runTimeDigits(index, number, dims, shape);
  for (auto [dim, digit] : llvm::zip_equal(dims, llvm::reverse(parts))) {
    Value tile = digit.value ? coordinate.extend(digit.value) : Value();
    Value origin = coordinate.multiply(tile, dim.tile);
    origins.push_back(origin ? origin : coordinate.constant(0));
  }
  return origins;
}
