//===- Blocks.cpp - Which part of C a thread block owns ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Runtime/Blocks.h"
#include "tc/Support/Arithmetic.h"

#include <algorithm>
#include <charconv>

using namespace tc;
using namespace tc::runtime;

int64_t tc::runtime::elementsOf(const Box &box) {
  int64_t product = 1;
  for (const Range &range : box)
    product = saturatingMultiply(product, range.length());
  return product;
}

Box tc::runtime::wholeBox(const Geometry &c) {
  Box box;
  for (const Dimension &dim : c.dims)
    box.push_back({0, dim.extent});
  return box;
}

Box tc::runtime::boxOfBlock(const Kernel &kernel, const Geometry &c,
                            int64_t block) {
  Box box = wholeBox(c);
  for (const GridDim &dim : kernel.gridDims) {
    int64_t tile = block % dim.tiles();
    block /= dim.tiles();
    size_t position = std::find(c.labels.begin(), c.labels.end(), dim.label) -
                      c.labels.begin();
    box[position] = {tile * dim.tile,
                     std::min((tile + 1) * dim.tile, dim.extent)};
  }
  return box;
}

/// The number of the block whose tile along grid dimension `i` is `tileOf(i)`.
template <typename TileOf>
static int64_t blockNumber(const Kernel &kernel, TileOf tileOf) {
  int64_t number = 0;
  for (size_t i = kernel.gridDims.size(); i-- > 0;)
    number = number * kernel.gridDims[i].tiles() + tileOf(i);
  return number;
}

static void appendEdgeBlocks(const Kernel &kernel,
                             std::vector<int64_t> &blocks) {
  bool found = false;
  for (size_t ragged = 0; ragged < kernel.gridDims.size(); ++ragged) {
    const GridDim &dim = kernel.gridDims[ragged];
    if (dim.extent % dim.tile == 0)
      continue;
    found = true;
    blocks.push_back(blockNumber(kernel, [&](size_t i) {
      int64_t tiles = kernel.gridDims[i].tiles();
      return i == ragged ? tiles - 1 : tiles / 2;
    }));
  }
  if (!found)
    blocks.push_back(kernel.grid[0] - 1);
}

Result<std::vector<int64_t>> tc::runtime::parseBlocks(std::string_view text,
                                                      const Kernel &kernel) {
  std::vector<int64_t> blocks;
  if (text == "all")
    return blocks;
  int64_t count = kernel.grid[0];
  for (size_t start = 0; start <= text.size();) {
    size_t end = std::min(text.find(',', start), text.size());
    std::string_view word = text.substr(start, end - start);
    start = end + 1;
    if (word == "first") {
      blocks.push_back(0);
    } else if (word == "middle") {
      blocks.push_back(blockNumber(
          kernel, [&](size_t i) { return kernel.gridDims[i].tiles() / 2; }));
    } else if (word == "last") {
      blocks.push_back(count - 1);
    } else if (word == "edge") {
      appendEdgeBlocks(kernel, blocks);
    } else {
      int64_t number = 0;
      auto [rest, error] =
          std::from_chars(word.data(), word.data() + word.size(), number);
      if (error != std::errc() || rest != word.data() + word.size() ||
          number < 0)
        return Error{"\"" + std::string(word) +
                     "\" is not a block; expected a number, first, middle, "
                     "last, edge or all"};
      if (number >= count)
        return Error{"block " + std::to_string(number) +
                     " is outside the grid of " + std::to_string(count) +
                     " blocks"};
      blocks.push_back(number);
    }
  }
  std::sort(blocks.begin(), blocks.end());
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
  return blocks;
}
