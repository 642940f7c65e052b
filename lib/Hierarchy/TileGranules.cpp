//===- TileGranules.cpp - Granules of memory in tiles ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Granules of memory are counted: sectors or cache lines. Below, both are
// called sectors.
//
// Tiles of a tensor differ in two ways that matter to the sectors they touch:
// which of their dimensions are cut off by an extent (their shape), and how far
// into a sector their first element lies (their phase). So the tiles of one
// shape are counted at once: a histogram of their phases times the sectors of
// one tile at each phase.
//
// The sectors of one tile follow by recursion over its dimensions, by ascending
// stride: a dimension repeats what lies inside it, and two neighbouring copies
// share a sector where the last element of one and the first of the next lie in
// the same. Runs that continue across dimensions need no special case.
//
//===----------------------------------------------------------------------===//

#include "tc/Hierarchy/TileGranules.h"

#include "tc/Support/Arithmetic.h"

#include <algorithm>
#include <numeric>

namespace tc::model {

namespace {

/// The number of numbers below `count` that leave each remainder by `period`.
struct Remainders {
  Remainders(int64_t count, int64_t period)
      : full(count / period), rest(count % period) {}

  int64_t operator[](int64_t remainder) const {
    return full + (remainder < rest ? 1 : 0);
  }

  int64_t full, rest;
};

/// A granule, which has a power of two of elements on every machine so far:
/// then no phase takes a division.
struct Granule {
  explicit Granule(int64_t elements)
      : elements(elements), isPowerOfTwo((elements & (elements - 1)) == 0),
        shift(__builtin_ctzll(static_cast<uint64_t>(elements))) {}

  int64_t phase(int64_t element) const {
    return isPowerOfTwo ? element & (elements - 1) : element % elements;
  }
  int64_t number(int64_t element) const {
    return isPowerOfTwo ? element >> shift : element / elements;
  }
  /// Steps after which a phase comes again.
  int64_t period(int64_t step) const {
    return elements / std::gcd(step, elements);
  }

  int64_t elements;
  bool isPowerOfTwo;
  int shift;
};

/// The tiles along one dimension that have the same extent.
struct TileGroup {
  int64_t extent; ///< of one tile
  int64_t count;  ///< tiles
  int64_t start;  ///< of the first tile, as a value of the index
  int64_t step;   ///< from one tile to the next
};

/// One dimension that the tensor holds, with the sign of its stride removed by
/// counting the index from the other end.
struct Dim {
  int64_t stride;
  std::vector<TileGroup> groups;
};

/// The tiles of one shape, along the dimensions up to one.
struct Shape {
  int64_t span = 1;
  /// The sectors of a tile whose first element is the p-th of a sector, and the
  /// tiles that start there.
  std::vector<double> granulesAt, tilesAt;
};

/// The sectors of so many copies of a shape.
class CopiedGranules {
public:
  CopiedGranules(const Granule &granule, const Shape &shape, int64_t stride,
                 int64_t copies)
      : granule(granule), shape(shape), stride(stride), copies(copies),
        step(granule.phase(stride)), period(granule.period(stride)),
        last(shape.span - 1 + stride * (copies - 1)), all(copies, period),
        butLast(copies - 1, period) {}

  /// If the first element is at a phase.
  double at(int64_t phase) const {
    if (stride == 1 && shape.span == 1)
      return static_cast<double>(granule.number(phase + last) + 1);
    bool isApart = stride >= shape.span;
    double sum = 0;
    int64_t copyPhase = phase;
    for (int64_t c = 0; c < std::min(period, copies); ++c) {
      sum += shape.granulesAt[copyPhase] * static_cast<double>(all[c]);
      // The sector that the copy shares with the next, if there is a next.
      if (isApart && granule.number(copyPhase + shape.span - 1) ==
                         granule.number(copyPhase + stride))
        sum -= static_cast<double>(butLast[c]);
      copyPhase = granule.phase(copyPhase + step);
    }
    return std::min(sum, static_cast<double>(granule.number(phase + last) + 1));
  }

private:
  const Granule &granule;
  const Shape &shape;
  int64_t stride, copies, step, period, last;
  Remainders all, butLast;
};

/// Sectors of the tiles of one tensor.
class TileCounter {
public:
  TileCounter(const Contraction &contraction, Tensor tensor,
              const std::vector<TileDim> &tileDims, int64_t granuleElements)
      : granule(granuleElements), basePhase(contraction.offset[tensor]) {
    for (const TileDim &tileDim : tileDims) {
      int64_t stride = contraction.indices[tileDim.index].stride[tensor];
      if (stride == 0)
        revisits *= static_cast<double>(tileDim.tiles());
      else if (tileDim.extent > 1)
        addDim(tileDim, stride);
    }
    basePhase %= granuleElements;
    if (basePhase < 0)
      basePhase += granuleElements;
    std::sort(dims.begin(), dims.end(),
              [](const Dim &a, const Dim &b) { return a.stride < b.stride; });
    setPhaseStep();
  }

  double count() {
    shapes.resize(dims.size() + 1);
    shapes[0].granulesAt.assign(granule.elements, 1);
    shapes[0].tilesAt.assign(granule.elements, 0);
    shapes[0].tilesAt[basePhase] = 1;
    return revisits * countShapes(0);
  }

private:
  void addDim(const TileDim &tileDim, int64_t stride) {
    int64_t full = tileDim.extent / tileDim.tile;
    int64_t rest = tileDim.extent % tileDim.tile;
    Dim dim{magnitude(stride), {}};
    // From the other end, the tile that is cut off comes first.
    int64_t restStart = stride > 0 ? full * tileDim.tile : 0;
    int64_t fullStart = stride > 0 ? 0 : rest;
    if (full > 0)
      dim.groups.push_back({tileDim.tile, full, fullStart, tileDim.tile});
    if (rest > 0)
      dim.groups.push_back({rest, 1, restStart, 0});
    if (stride < 0)
      basePhase += (stride * (tileDim.extent - 1)) % granule.elements;
    dims.push_back(std::move(dim));
  }

  /// All runs along the innermost dimension start at multiples of `phaseStep`
  /// elements in a sector, so other phases need not be looked at.
  void setPhaseStep() {
    phaseStep = std::gcd(granule.elements, basePhase);
    for (unsigned i = 0; i < dims.size(); ++i) {
      if (i > 0) {
        phaseStep = std::gcd(phaseStep, dims[i].stride);
        continue;
      }
      for (const TileGroup &group : dims[i].groups)
        for (int64_t distance : {group.start, group.step})
          phaseStep = std::gcd(phaseStep, granule.phase(distance) *
                                              granule.phase(dims[i].stride));
    }
  }

  /// The sectors of all tiles whose shape is the present one as far as it goes:
  /// shapes that begin alike share what their beginning takes to count.
  double countShapes(unsigned level) {
    const Shape &shape = shapes[level];
    double sum = 0;
    if (level == dims.size()) {
      for (int64_t phase = 0; phase < granule.elements; phase += phaseStep)
        sum += shape.tilesAt[phase] * shape.granulesAt[phase];
      return sum;
    }
    int64_t stride = dims[level].stride;
    bool isLast = level + 1 == dims.size();
    for (const TileGroup &group : dims[level].groups) {
      Shape &next = shapes[level + 1];
      repeatTiles(shape, stride, group, next.tilesAt);
      if (isLast) {
        // Tiles mostly start at few phases, and no other ones count any more.
        CopiedGranules granules(granule, shape, stride, group.extent);
        for (int64_t phase = 0; phase < granule.elements; phase += phaseStep)
          if (next.tilesAt[phase] != 0)
            sum += next.tilesAt[phase] * granules.at(phase);
        continue;
      }
      repeatGranules(shape, stride, group.extent, next.granulesAt);
      next.span = shape.span + stride * (group.extent - 1);
      sum += countShapes(level + 1);
    }
    return sum;
  }

  /// The granules, at each phase, of so many copies of a shape.
  void repeatGranules(const Shape &shape, int64_t stride, int64_t copies,
                      std::vector<double> &granulesAt) const {
    granulesAt.assign(granule.elements, 0);
    CopiedGranules granules(granule, shape, stride, copies);
    for (int64_t phase = 0; phase < granule.elements; phase += phaseStep)
      granulesAt[phase] = granules.at(phase);
  }

  /// The tiles that start at each phase where a shape comes in such a group.
  void repeatTiles(const Shape &shape, int64_t stride, const TileGroup &group,
                   std::vector<double> &tilesAt) const {
    tilesAt.assign(granule.elements, 0);
    int64_t start =
        granule.phase(granule.phase(group.start) * granule.phase(stride));
    int64_t step =
        granule.phase(granule.phase(group.step) * granule.phase(stride));
    int64_t period = granule.period(step);
    Remainders tiles(group.count, period);
    for (int64_t phase = 0; phase < granule.elements; ++phase) {
      if (shape.tilesAt[phase] == 0)
        continue;
      int64_t tilePhase = granule.phase(phase + start);
      for (int64_t c = 0; c < std::min(period, group.count); ++c) {
        tilesAt[tilePhase] +=
            shape.tilesAt[phase] * static_cast<double>(tiles[c]);
        tilePhase = granule.phase(tilePhase + step);
      }
    }
  }

  Granule granule;
  int64_t basePhase, phaseStep = 1;
  double revisits = 1;
  std::vector<Dim> dims;
  /// By the number of dimensions that they go through.
  std::vector<Shape> shapes;
};

} // namespace

int64_t elementsPer(int64_t granuleBytes, const Contraction &contraction,
                    Tensor tensor) {
  return std::max<int64_t>(1, granuleBytes /
                                  byteWidth(contraction.elementType[tensor]));
}

double countTileGranules(const Contraction &contraction, Tensor tensor,
                         const std::vector<TileDim> &dims,
                         int64_t granuleBytes) {
  return TileCounter(contraction, tensor, dims,
                     elementsPer(granuleBytes, contraction, tensor))
      .count();
}

} // namespace tc::model
