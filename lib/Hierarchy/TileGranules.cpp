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
#include <array>
#include <numeric>

namespace tc::model {

namespace {

/// The number of numbers below `count` that leave each remainder by `period`.
struct Remainders {
  /// Powers of two take no division.
  Remainders(int64_t count, int64_t period)
      : full(isPowerOfTwo(period)
                 ? count >> __builtin_ctzll(static_cast<uint64_t>(period))
                 : count / period),
        rest(count - full * period) {}

  int64_t operator[](int64_t remainder) const {
    return full + (remainder < rest ? 1 : 0);
  }

  int64_t full, rest;
};

/// A granule, which has a power of two of elements on every machine so far:
/// then no phase takes a division.
struct Granule {
  explicit Granule(int64_t elements)
      : elements(elements), isBinary(isPowerOfTwo(elements)),
        shift(__builtin_ctzll(static_cast<uint64_t>(elements))) {}

  int64_t phase(int64_t element) const {
    return isBinary ? element & (elements - 1) : element % elements;
  }
  int64_t number(int64_t element) const {
    return isBinary ? element >> shift : element / elements;
  }
  /// The greatest common divisor of a divisor of `elements` and a number.
  int64_t commonDivisor(int64_t divisor, int64_t element) const {
    return isBinary ? (divisor | element) & -(divisor | element)
                    : std::gcd(divisor, element);
  }
  /// Steps after which a phase comes again.
  int64_t period(int64_t step) const {
    int64_t divisor = commonDivisor(elements, step);
    return isBinary
               ? elements >> __builtin_ctzll(static_cast<uint64_t>(divisor))
               : elements / divisor;
  }

  int64_t elements;
  bool isBinary;
  int shift;
};

/// The tiles of one shape, along the dimensions up to one.
struct Shape {
  int64_t span;
  /// The sectors of a tile whose first element is the p-th of a sector, and the
  /// tiles that start there.
  double *granulesAt, *tilesAt;
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
  TileCounter(const TensorTiles &tiles, int64_t granuleElements)
      : granule(granuleElements), dims(tiles.dims()), levels(dims.size()),
        basePhase(tiles.first() % granuleElements), times(tiles.revisits()) {
    if (basePhase < 0)
      basePhase += granuleElements;
    setPhaseStep();
    takeOutCopies();
  }

  double count() {
    if (levels == 0)
      return times;
    size_t count = 2 * (levels + 1) * static_cast<size_t>(granule.elements);
    if (count > few.size()) {
      many.resize(count);
      figures = many.data();
    }
    Shape element = shapeAt(0, 1);
    std::fill_n(element.granulesAt, granule.elements, 1);
    std::fill_n(element.tilesAt, granule.elements, 0);
    element.tilesAt[basePhase] = 1;
    return times * countShapes(0, element);
  }

private:
  /// All runs along the innermost dimension start at multiples of `phaseStep`
  /// elements in a sector, so other phases need not be looked at.
  void setPhaseStep() {
    phaseStep = granule.commonDivisor(granule.elements, basePhase);
    for (const TensorTiles::Dim &dim : dims) {
      if (&dim != &dims.front()) {
        phaseStep = granule.commonDivisor(phaseStep, dim.stride);
        continue;
      }
      for (unsigned i = 0; i < dim.groupCount; ++i)
        for (int64_t distance : {dim.groups[i].start, dim.groups[i].step})
          phaseStep = granule.commonDivisor(
              phaseStep, granule.phase(distance) * granule.phase(dim.stride));
    }
  }

  /// Takes out the outermost dimensions along which all copies start at one
  /// phase and share no sector: whatever the tiles are, what lies inside comes
  /// once for each value of the index.
  void takeOutCopies() {
    size_t kept = 0;
    // Of the largest tiles, up to a dimension.
    int64_t span = 1;
    for (size_t i = 0; i < levels; ++i) {
      int64_t stride = dims[i].stride;
      int64_t lastSector =
          granule.number(granule.elements - phaseStep + span - 1);
      if (granule.phase(stride) != 0 || lastSector >= granule.number(stride))
        kept = i + 1;
      span += stride * (dims[i].groups[0].extent - 1);
    }
    for (; levels > kept; --levels)
      times *= static_cast<double>(dims[levels - 1].extent);
  }

  Shape shapeAt(size_t level, int64_t span) {
    double *first = figures + 2 * level * granule.elements;
    return {span, first, first + granule.elements};
  }

  /// The sectors of all tiles whose shape is the present one as far as it goes:
  /// shapes that begin alike share what their beginning takes to count.
  double countShapes(size_t level, const Shape &shape) {
    const TensorTiles::Dim &dim = dims[level];
    bool isLast = level + 1 == levels;
    double sum = 0;
    for (unsigned i = 0; i < dim.groupCount; ++i) {
      const TensorTiles::Group &group = dim.groups[i];
      Shape next =
          shapeAt(level + 1, shape.span + dim.stride * (group.extent - 1));
      repeatTiles(shape, dim.stride, group, next.tilesAt);
      CopiedGranules granules(granule, shape, dim.stride, group.extent);
      if (isLast) {
        // Tiles mostly start at few phases, and no other ones count any more.
        for (int64_t phase = 0; phase < granule.elements; phase += phaseStep)
          if (next.tilesAt[phase] != 0)
            sum += next.tilesAt[phase] * granules.at(phase);
        continue;
      }
      for (int64_t phase = 0; phase < granule.elements; phase += phaseStep)
        next.granulesAt[phase] = granules.at(phase);
      sum += countShapes(level + 1, next);
    }
    return sum;
  }

  /// The tiles that start at each phase where a shape comes in such a group.
  void repeatTiles(const Shape &shape, int64_t stride,
                   const TensorTiles::Group &group, double *tilesAt) const {
    for (int64_t phase = 0; phase < granule.elements; phase += phaseStep)
      tilesAt[phase] = 0;
    int64_t start =
        granule.phase(granule.phase(group.start) * granule.phase(stride));
    int64_t step =
        granule.phase(granule.phase(group.step) * granule.phase(stride));
    int64_t period = granule.period(step);
    Remainders tiles(group.count, period);
    for (int64_t phase = 0; phase < granule.elements; phase += phaseStep) {
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
  const std::vector<TensorTiles::Dim> &dims;
  /// The dimensions that are not taken out.
  size_t levels;
  int64_t basePhase, phaseStep = 1;
  /// The number of times that the counted granules come.
  double times;
  /// Those of shapes, by the number of dimensions that they go through; mostly
  /// in `few`, without memory of their own.
  std::array<double, 1024> few;
  std::vector<double> many;
  double *figures = few.data();
};

} // namespace

int64_t elementsPer(int64_t granuleBytes, const Contraction &contraction,
                    Tensor tensor) {
  return std::max<int64_t>(1, granuleBytes /
                                  byteWidth(contraction.elementType[tensor]));
}

TensorTiles::TensorTiles(const Contraction &contraction, Tensor tensor,
                         const std::vector<TileDim> &tileDims)
    : elementBytes(byteWidth(contraction.elementType[tensor])),
      firstElement(contraction.offset[tensor]) {
  sorted.reserve(tileDims.size());
  for (const TileDim &tileDim : tileDims) {
    int64_t stride = contraction.indices[tileDim.index].stride[tensor];
    if (stride == 0)
      visits *= static_cast<double>(tileDim.tiles());
    else if (tileDim.extent > 1)
      addDim(tileDim, stride);
  }
  std::sort(sorted.begin(), sorted.end(),
            [](const Dim &a, const Dim &b) { return a.stride < b.stride; });
}

void TensorTiles::addDim(const TileDim &tileDim, int64_t stride) {
  int64_t full = tileDim.extent / tileDim.tile;
  int64_t rest = tileDim.extent % tileDim.tile;
  Dim &dim = sorted.emplace_back();
  dim.stride = magnitude(stride);
  dim.extent = tileDim.extent;
  auto addGroup = [&](const Group &group) {
    dim.groups[dim.groupCount++] = group;
  };
  // From the other end, the tile that is cut off comes first.
  int64_t restStart = stride > 0 ? full * tileDim.tile : 0;
  int64_t fullStart = stride > 0 ? 0 : rest;
  if (full > 0)
    addGroup({tileDim.tile, full, fullStart, tileDim.tile});
  if (rest > 0)
    addGroup({rest, 1, restStart, 0});
  if (stride < 0)
    firstElement += stride * (tileDim.extent - 1);
}

double TensorTiles::countGranules(int64_t granuleBytes) const {
  return TileCounter(*this, std::max<int64_t>(1, granuleBytes / elementBytes))
      .count();
}

double countTileGranules(const Contraction &contraction, Tensor tensor,
                         const std::vector<TileDim> &dims,
                         int64_t granuleBytes) {
  return TensorTiles(contraction, tensor, dims).countGranules(granuleBytes);
}

} // namespace tc::model
