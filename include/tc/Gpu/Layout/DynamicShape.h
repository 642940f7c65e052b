//===- DynamicShape.h - Kernels for any extents and strides -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel of a contraction with `runTime` takes the extents, strides and
// offsets of its tensors as arguments, and the numbers that follow from them:
// of tiles along indices and of blocks in the grid, with the reciprocals by
// which it divides by these numbers. This is the one list of those arguments,
// written over an arithmetic, so that the same text computes numbers for the
// runtime and code for the host.
//
// The quotient of numbers n and d from 0 and 1 to 2^31 - 1 is the upper half of
// the 128 bits of 2 n r, where r = ceil(2^63 / d) is the reciprocal of d: with
// r d = 2^63 + e and e < d, the upper half is the integer below
// n / d + n e / (2^63 d), and the second summand is less than 2^-32 < 1 / d.
// (After T. Granlund and P. L. Montgomery, PLDI 1994, Theorem 4.2.)
//
//===----------------------------------------------------------------------===//

#ifndef TC_GPU_LAYOUT_DYNAMICSHAPE_H
#define TC_GPU_LAYOUT_DYNAMICSHAPE_H

#include "tc/Gpu/Layout/KernelLayout.h"

namespace tc::model {

/// The meaning of an argument. Of the last ones, the tile lists of the kernel's
/// layout give the numbers of tiles; the raster's groups are those of
/// `placeOfBlock`.
enum class RunTimeQuantity : unsigned {
  Extent,     ///< of an index
  Stride,     ///< of a tensor along an index
  Offset,     ///< of a tensor's first element from its base pointer
  Tiles,      ///< that cover an index
  Steps,      ///< of the K loop
  GridM,      ///< blocks along M
  Plane,      ///< blocks of one batch entry
  GroupRows,  ///< M rows of a full group of the raster
  GroupSize,  ///< blocks of such a group
  FullGroups, ///< such groups
  LastRows,   ///< M rows of what is left over, one if nothing is
};
inline constexpr std::array<RunTimeQuantity, 11> allRunTimeQuantities = {
    RunTimeQuantity::Extent,    RunTimeQuantity::Stride,
    RunTimeQuantity::Offset,    RunTimeQuantity::Tiles,
    RunTimeQuantity::Steps,     RunTimeQuantity::GridM,
    RunTimeQuantity::Plane,     RunTimeQuantity::GroupRows,
    RunTimeQuantity::GroupSize, RunTimeQuantity::FullGroups,
    RunTimeQuantity::LastRows};
/// "extent", "stride" and so on.
std::string_view stringify(RunTimeQuantity quantity);
std::optional<RunTimeQuantity> symbolizeRunTimeQuantity(std::string_view name);

/// One argument, a signed integer, or an unsigned one if it is a reciprocal.
struct RunTimeArgument {
  RunTimeQuantity quantity = RunTimeQuantity::Extent;
  /// Of extents, strides and numbers of tiles: the position of the index.
  unsigned index = 0;
  /// Of strides and offsets: the number of A, B or C, or behind these that of
  /// an auxiliary tensor.
  unsigned tensor = 0;
  /// The number's reciprocal, and not itself.
  bool isReciprocal = false;
  /// 4 or 8; reciprocals have 8.
  int64_t bytes = 4;

  bool operator==(const RunTimeArgument &other) const {
    return quantity == other.quantity && index == other.index &&
           tensor == other.tensor && isReciprocal == other.isReciprocal &&
           bytes == other.bytes;
  }
};

/// A tensor that an epilogue reads besides C, as the arguments know it.
struct AuxiliaryShape {
  /// The indices that it has, by their positions, and its strides by the
  /// positions of all, zero along those that it does not have. They are
  /// representative, as the offset is.
  std::vector<unsigned> indices;
  std::vector<int64_t> strides;
  int64_t offset = 0;
  /// The index along which accesses move several elements, if they do: the
  /// stride along it is one.
  std::optional<unsigned> strideOne;

  /// Returns true if a kernel takes the stride along an index to be the
  /// representative one, as the function `isStrideFixed` does for the others.
  bool isStrideFixed(unsigned index) const {
    return strides[index] == 0 || strideOne == index;
  }
};

/// The arguments of a kernel of that layout, in their order.
std::vector<RunTimeArgument>
runTimeArguments(const Contraction &contraction, const KernelLayout &layout,
                 const std::vector<AuxiliaryShape> &auxiliaries = {});

/// Returns true if a kernel takes the tensor's stride along an index to be the
/// representative one: where that is zero, and where it is one and accesses
/// move several elements along it.
bool isStrideFixed(const Contraction &contraction, const KernelLayout &layout,
                   Tensor tensor, unsigned index);

/// Elements of a tensor that one access of the kernel moves.
int64_t widthOfAccess(const KernelLayout &layout, Tensor tensor);

/// The tile of one index.
struct IndexTile {
  unsigned index = 0;
  int64_t tile = 1;
};

/// The tiles into which a kernel cuts its indices, in the order of their lists.
struct TileLists {
  std::vector<IndexTile> batch, m, n, k;
  int64_t rasterM = 0;
};
TileLists tileListsOf(const KernelLayout &layout);

/// The largest extent along an index of that tile: the fetch of the tile after
/// the last one begins beyond it.
constexpr int64_t maxRunTimeExtent(int64_t tile) {
  return 2147483647 - 2 * tile;
}

/// The shape that a kernel is launched with: extents by the positions of
/// indices, offsets by the numbers of tensors, as arguments have them, strides
/// by both.
template <typename Value> struct ShapeNumbers {
  std::vector<Value> extents;
  std::vector<std::vector<Value>> strides;
  std::vector<Value> offsets;
};

/// The shape of a contraction's own tensors.
ShapeNumbers<int64_t>
representativeShape(const Contraction &contraction,
                    const std::vector<AuxiliaryShape> &auxiliaries = {});

/// The tiles that cover the indices of a list.
template <typename Arithmetic, typename Value>
Value countTiles(const std::vector<IndexTile> &list,
                 const ShapeNumbers<Value> &shape, Arithmetic &arithmetic) {
  Value count = arithmetic.constant(1);
  for (const IndexTile &dim : list)
    count = arithmetic.multiply(
        count, arithmetic.ceilDivide(shape.extents[dim.index], dim.tile));
  return count;
}

/// The blocks of the grid, if none share sums.
template <typename Arithmetic, typename Value>
Value countBlocks(const TileLists &tiles, const ShapeNumbers<Value> &shape,
                  Arithmetic &arithmetic) {
  Value plane = arithmetic.multiply(countTiles(tiles.m, shape, arithmetic),
                                    countTiles(tiles.n, shape, arithmetic));
  return arithmetic.multiply(plane, countTiles(tiles.batch, shape, arithmetic));
}

/// The value of an argument, before any reciprocal is taken.
///
/// `Arithmetic` has `constant`, `multiply`, `ceilDivide` and `minimum` by a
/// constant, `divide`, `remainder` and `atLeastOne`.
template <typename Arithmetic, typename Value>
Value valueOf(const RunTimeArgument &argument, const TileLists &tiles,
              const ShapeNumbers<Value> &shape, Arithmetic &arithmetic) {
  auto count = [&](const std::vector<IndexTile> &list) {
    return countTiles(list, shape, arithmetic);
  };
  auto rows = [&] {
    Value all = count(tiles.m);
    return tiles.rasterM > 0 ? arithmetic.minimum(all, tiles.rasterM) : all;
  };
  switch (argument.quantity) {
  case RunTimeQuantity::Extent:
    return shape.extents[argument.index];
  case RunTimeQuantity::Stride:
    return shape.strides[argument.tensor][argument.index];
  case RunTimeQuantity::Offset:
    return shape.offsets[argument.tensor];
  case RunTimeQuantity::Tiles:
    for (const auto *list : {&tiles.batch, &tiles.m, &tiles.n, &tiles.k})
      for (const IndexTile &dim : *list)
        if (dim.index == argument.index)
          return count({dim});
    break;
  case RunTimeQuantity::Steps:
    return count(tiles.k);
  case RunTimeQuantity::GridM:
    return count(tiles.m);
  case RunTimeQuantity::Plane:
    return arithmetic.multiply(count(tiles.m), count(tiles.n));
  case RunTimeQuantity::GroupRows:
    return rows();
  case RunTimeQuantity::GroupSize:
    return arithmetic.multiply(rows(), count(tiles.n));
  case RunTimeQuantity::FullGroups:
    return arithmetic.divide(count(tiles.m), rows());
  case RunTimeQuantity::LastRows:
    return arithmetic.atLeastOne(arithmetic.remainder(count(tiles.m), rows()));
  }
  return arithmetic.constant(1);
}

/// The arithmetic of plain numbers; products saturate.
struct ShapeArithmetic {
  int64_t constant(int64_t value) const { return value; }
  int64_t multiply(int64_t a, int64_t b) const;
  int64_t ceilDivide(int64_t a, int64_t divisor) const {
    return a / divisor + (a % divisor != 0);
  }
  int64_t minimum(int64_t a, int64_t b) const { return std::min(a, b); }
  int64_t divide(int64_t a, int64_t b) const { return a / b; }
  int64_t remainder(int64_t a, int64_t b) const { return a % b; }
  int64_t atLeastOne(int64_t a) const { return std::max<int64_t>(a, 1); }
};

/// ceil(2^63 / divisor), of a divisor from 1 to 2^31 - 1.
uint64_t reciprocalOf(int64_t divisor);

/// The divisors of a block's number, of which `value` and `reciprocal` of each
/// are arguments; see RunTimeQuantity.
template <typename Divisor, typename Value> struct GridDivisors {
  Divisor gridM, plane, groupRows, groupSize, lastRows;
  Value fullGroups;
};

/// The place of a block as `placeOfBlock` of GridOrder.h has it, in a grid
/// whose blocks are known at launch only. `Arithmetic` has `divide`,
/// `remainder` and `multiply` by a Divisor, `add`, `zero` and
/// `selectLess(x, bound, yes, no)`.
template <typename Arithmetic, typename Divisor, typename Value>
BlockPlace<Value> placeOfBlock(const TileLists &tiles,
                               const GridDivisors<Divisor, Value> &grid,
                               Value block, Arithmetic &arithmetic) {
  BlockPlace<Value> place;
  place.part = place.m = place.n = place.batch = arithmetic.zero();
  Value inPlane = block;
  if (!tiles.batch.empty()) {
    place.batch = arithmetic.divide(block, grid.plane);
    inPlane = arithmetic.remainder(block, grid.plane);
  }
  if (tiles.n.empty()) {
    place.m = inPlane;
  } else if (tiles.m.empty()) {
    place.n = inPlane;
  } else if (tiles.rasterM == 0) {
    place.m = arithmetic.remainder(inPlane, grid.gridM);
    place.n = arithmetic.divide(inPlane, grid.gridM);
  } else {
    Value group = arithmetic.divide(inPlane, grid.groupSize);
    Value inGroup = arithmetic.remainder(inPlane, grid.groupSize);
    auto inFull = [&](Value full, Value rest) {
      return arithmetic.selectLess(group, grid.fullGroups, full, rest);
    };
    place.m =
        arithmetic.add(arithmetic.multiply(group, grid.groupRows),
                       inFull(arithmetic.remainder(inGroup, grid.groupRows),
                              arithmetic.remainder(inGroup, grid.lastRows)));
    place.n = inFull(arithmetic.divide(inGroup, grid.groupRows),
                     arithmetic.divide(inGroup, grid.lastRows));
  }
  return place;
}

} // namespace tc::model

#endif // TC_GPU_LAYOUT_DYNAMICSHAPE_H
