//===- Blocks.h - Part of C that a thread block owns ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_PACKAGE_BLOCKS_H
#define TC_PACKAGE_BLOCKS_H

#include "tc/Gpu/Layout/GridOrder.h"
#include "tc/Package/Geometry.h"

namespace tc::runtime {

/// A half-open range of coordinates.
struct Range {
  int64_t begin = 0, end = 1;
  int64_t length() const { return end - begin; }
};

/// A hyper-rectangle of C's elements: one range per dimension of its geometry.
using Box = std::vector<Range>;

/// The elements in a box.
int64_t elementsOf(const Box &box);

/// The role of an index of C, from the tensors that hold it.
model::Role roleOf(const Kernel &kernel, const GridDim &dim);

/// The blocks that grid_dims and mapping ask for, or `saturated`.
int64_t countBlocks(const Kernel &kernel);

/// The elements of C that a block owns: a box for each tile that it works on.
/// Of the blocks that share the sum of a tile, the first counts as its owner.
std::vector<Box> boxesOfBlock(const Kernel &kernel, const Geometry &c,
                              int64_t block);

/// All elements of C.
Box wholeBox(const Geometry &c);

/// Reads a list of blocks: numbers and the words "first", "middle" (the middle
/// tile of every index), "last" and "edge" (for each index whose last tile is
/// cut off: that tile, and the middle of all other indices; the last block if
/// there is no such index), separated by commas. "all" gives the empty list,
/// which stands for all blocks. Who names a block gets all those as well that
/// share its sum. The result is sorted and free of repetition.
Result<std::vector<int64_t>> parseBlocks(std::string_view text,
                                         const Kernel &kernel);

} // namespace tc::runtime

#endif // TC_PACKAGE_BLOCKS_H
