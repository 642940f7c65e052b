//===- Tile.cpp - Tiles along indices ------------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Problem/Tile.h"

#include "tc/Support/Arithmetic.h"

namespace tc::model {

int64_t extentsProduct(const std::vector<TileExtent> &tiles) {
  int64_t result = 1;
  for (const TileExtent &tile : tiles)
    result = saturatingMultiply(result, tile.extent);
  return result;
}

} // namespace tc::model
