//===- TileKinds.h - Tiles that look alike ----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles of a tensor differ in two ways that matter to the sectors that they
// touch: their extents, where an extent of the tensor cuts them off, and their
// phase, how many elements into a sector their first element lies. There are
// few combinations of these, however many tiles there are.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_GPU_LAYOUT_TILEKINDS_H
#define TC_LIB_GPU_LAYOUT_TILEKINDS_H

#include "WarpRequests.h"

#include <functional>

namespace tc::model {

/// A set of tiles of one tensor: the product of sets of tiles along indices.
class TileSet {
public:
  /// `phases` is the number of elements in a sector.
  TileSet(const Contraction &contraction, Tensor tensor, int64_t phases)
      : contraction(contraction), tensor(tensor), phases(phases) {}

  /// All tiles along a dimension.
  void addAll(const TileDim &dim);
  /// The tile of that number along a dimension.
  void addOne(const TileDim &dim, int64_t tile);

  /// Calls `visit` with extents, a phase, and how many tiles of the set have
  /// them. Indices that are not in the set have an extent of one.
  using Visitor =
      std::function<void(const TileExtents &, int64_t phase, double count)>;
  void visit(const Visitor &visitor) const;

private:
  /// Tiles of one extent along one dimension, evenly spaced.
  struct Run {
    int64_t extent, count, first, distance;
  };
  struct Dim {
    unsigned index;
    std::vector<Run> runs;
  };

  void visit(size_t dim, TileExtents &extents,
             const std::vector<double> &histogram,
             const Visitor &visitor) const;
  std::vector<double> shift(const std::vector<double> &histogram,
                            unsigned index, const Run &run) const;

  const Contraction &contraction;
  Tensor tensor;
  int64_t phases;
  std::vector<Dim> dims;
};

} // namespace tc::model

#endif // TC_LIB_GPU_LAYOUT_TILEKINDS_H
