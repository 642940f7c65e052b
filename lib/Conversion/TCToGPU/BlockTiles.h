//===- BlockTiles.h - The tiles that a block works on -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes code of tc/Gpu/Layout/GridOrder.h: from a block's number to the tiles
// that it works on, and from a tile's number to the coordinates of its origin.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_BLOCKTILES_H
#define TC_LIB_CONVERSION_TCTOGPU_BLOCKTILES_H

#include "TileIndexing.h"

namespace tc {

/// The place of the calling block in its grid, as i32. A null value is zero.
model::BlockPlace<Value> blockPlace(OpBuilder &builder, Location loc,
                                    const model::KernelLayout &layout,
                                    const ShapeValues &shape);

/// The origin of the tile that has a number (i32, null for zero) among those
/// that `dims` cut, the last of which varies fastest; one coordinate for each
/// of `dims`.
SmallVector<Value> tileOrigins(OpBuilder &builder, Location loc,
                               IndexBuilder &coordinate,
                               ArrayRef<model::TileDim> dims, Value number,
                               const ShapeValues &shape);

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_BLOCKTILES_H
