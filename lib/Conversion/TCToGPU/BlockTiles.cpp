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
                                        const model::KernelLayout &layout) {
  Value block = gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x);
  IndexBuilder index(builder, loc, builder.getI32Type());
  Value number =
      arith::IndexCastOp::create(builder, loc, index.getType(), block);
  return model::placeOfBlock(model::blockGridOf(layout), number, index);
}

SmallVector<Value> tc::tileOrigins(OpBuilder &builder, Location loc,
                                   IndexBuilder &coordinate,
                                   ArrayRef<model::TileDim> dims,
                                   Value number) {
  IndexBuilder index(builder, loc, builder.getI32Type());
  SmallVector<int64_t> radices;
  int64_t tiles = 1;
  for (const model::TileDim &dim : llvm::reverse(dims)) {
    radices.push_back(dim.tiles());
    tiles *= dim.tiles();
  }
  SmallVector<Value> origins;
  SmallVector<SplitIndex> parts = digits(index, number, tiles, 0, radices);
  for (auto [dim, digit] : llvm::zip_equal(dims, llvm::reverse(parts))) {
    Value tile = digit.value ? coordinate.extend(digit.value) : Value();
    Value origin = coordinate.multiply(tile, dim.tile);
    origins.push_back(origin ? origin : coordinate.constant(0));
  }
  return origins;
}
