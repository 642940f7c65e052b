//===- Blocks.cpp - Part of C that a thread block owns ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Package/Blocks.h"
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

model::Role tc::runtime::roleOf(const Kernel &kernel, const GridDim &dim) {
  auto holds = [&](size_t tensor) {
    const std::vector<std::string> &labels = kernel.tensors[tensor].labels;
    return std::find(labels.begin(), labels.end(), dim.label) != labels.end();
  };
  if (holds(0) && holds(1))
    return model::Role::Batch;
  return holds(0) ? model::Role::M : model::Role::N;
}

namespace {

/// The tiles of C along M and N, and the grid that covers them.
struct TiledGrid {
  int64_t tilesM = 1, tilesN = 1;
  model::BlockGrid grid;
};

} // namespace

static TiledGrid tiledGridOf(const Kernel &kernel) {
  TiledGrid tiled;
  for (const GridDim &dim : kernel.gridDims) {
    model::Role role = roleOf(kernel, dim);
    int64_t &tiles = role == model::Role::M   ? tiled.tilesM
                     : role == model::Role::N ? tiled.tilesN
                                              : tiled.grid.batches;
    tiles = saturatingMultiply(tiles, dim.tiles());
  }
  tiled.grid.mapping = kernel.mapping;
  tiled.grid.m = ceilDivide(tiled.tilesM, tiled.grid.tilesPerBlockM());
  tiled.grid.n = ceilDivide(tiled.tilesN, tiled.grid.tilesPerBlockN());
  return tiled;
}

static bool isPlain(const Kernel &kernel) {
  return kernel.mapping == model::GridMapping();
}

int64_t tc::runtime::countBlocks(const Kernel &kernel) {
  model::BlockGrid grid = tiledGridOf(kernel).grid;
  return saturatingMultiply(
      saturatingMultiply(grid.m, grid.n),
      saturatingMultiply(grid.batches, grid.mapping.splitK));
}

static Box boxOfTile(const Kernel &kernel, const Geometry &c, int64_t number) {
  Box box = wholeBox(c);
  for (const GridDim &dim : kernel.gridDims) {
    int64_t tile = number % dim.tiles();
    number /= dim.tiles();
    size_t position = std::find(c.labels.begin(), c.labels.end(), dim.label) -
                      c.labels.begin();
    box[position] = {tile * dim.tile,
                     std::min((tile + 1) * dim.tile, dim.extent)};
  }
  return box;
}

std::vector<Box> tc::runtime::boxesOfBlock(const Kernel &kernel,
                                           const Geometry &c, int64_t block) {
  // Plainly mapped tiles are numbered in the order of grid_dims, whatever the
  // indices' roles.
  if (isPlain(kernel))
    return {boxOfTile(kernel, c, block)};
  if (block % kernel.mapping.splitK != 0)
    return {};
  TiledGrid tiled = tiledGridOf(kernel);
  std::vector<Box> boxes;
  for (int64_t tile :
       model::tilesOfBlock(tiled.grid, tiled.tilesM, tiled.tilesN, block))
    boxes.push_back(boxOfTile(kernel, c, tile));
  return boxes;
}

/// The number of the first block that works on the tile that is number
/// `tileOf(i)` along grid dimension `i`.
template <typename TileOf>
static int64_t blockNumber(const Kernel &kernel, TileOf tileOf) {
  int64_t number = 0;
  for (size_t i = kernel.gridDims.size(); i-- > 0;)
    number = number * kernel.gridDims[i].tiles() + tileOf(i);
  if (isPlain(kernel))
    return number;
  TiledGrid tiled = tiledGridOf(kernel);
  return model::blockOfTile(tiled.grid, tiled.tilesM, tiled.tilesN, number);
}

/// Adds the blocks that share the sum of a block that is in the list.
static void appendPartners(const Kernel &kernel, std::vector<int64_t> &blocks) {
  int64_t parts = kernel.mapping.splitK;
  std::vector<int64_t> named;
  named.swap(blocks);
  for (int64_t block : named)
    for (int64_t part = 0; part < parts; ++part)
      blocks.push_back(block - block % parts + part);
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
  appendPartners(kernel, blocks);
  std::sort(blocks.begin(), blocks.end());
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
  return blocks;
}
