//===- Traffic.cpp - Global memory traffic of a kernel --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
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

#include "tc/Model/Traffic.h"

#include "tc/Support/Arithmetic.h"

#include <algorithm>
#include <numeric>

namespace tc::model {

namespace {

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

/// Sectors of the tiles of one tensor.
class TileCounter {
public:
  TileCounter(const Contraction &contraction, Tensor tensor,
              const std::vector<TileDim> &tileDims, int64_t sectorElements)
      : sectorElements(sectorElements), basePhase(contraction.offset[tensor]) {
    for (const TileDim &tileDim : tileDims) {
      int64_t stride = contraction.indices[tileDim.index].stride[tensor];
      if (stride == 0)
        revisits *= static_cast<double>(tileDim.tiles());
      else if (tileDim.extent > 1)
        addDim(tileDim, stride);
    }
    basePhase %= sectorElements;
    if (basePhase < 0)
      basePhase += sectorElements;
    std::sort(dims.begin(), dims.end(),
              [](const Dim &a, const Dim &b) { return a.stride < b.stride; });
    setGranule();
  }

  double count() {
    shape.resize(dims.size());
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
      basePhase += (stride * (tileDim.extent - 1)) % sectorElements;
    dims.push_back(std::move(dim));
  }

  /// All runs along the innermost dimension start at multiples of `granule`
  /// elements in a sector, so other phases need not be looked at.
  void setGranule() {
    granule = std::gcd(sectorElements, basePhase);
    for (unsigned i = 0; i < dims.size(); ++i) {
      if (i > 0) {
        granule = std::gcd(granule, dims[i].stride);
        continue;
      }
      for (const TileGroup &group : dims[i].groups)
        for (int64_t distance : {group.start, group.step})
          granule = std::gcd(granule, (distance % sectorElements) *
                                          (dims[i].stride % sectorElements));
    }
  }

  double countShapes(unsigned level) {
    if (level == dims.size())
      return countShape();
    double sum = 0;
    for (const TileGroup &group : dims[level].groups) {
      shape[level] = &group;
      sum += countShapes(level + 1);
    }
    return sum;
  }

  /// The sectors of all tiles of the present shape.
  double countShape() {
    computeTiles();
    computeHistogram();
    double sum = 0;
    for (int64_t phase = 0; phase < sectorElements; phase += granule)
      sum += tilesAt[phase] * sectorsAt[phase];
    return sum;
  }

  /// Sets `sectorsAt[p]` to the sectors of a tile whose first element is the
  /// p-th of a sector.
  void computeTiles() {
    sectorsAt.assign(sectorElements, 1);
    int64_t span = 1;
    for (unsigned level = 0; level < dims.size(); ++level) {
      int64_t stride = dims[level].stride, copies = shape[level]->extent;
      scratch.assign(sectorElements, 0);
      for (int64_t phase = 0; phase < sectorElements; phase += granule)
        scratch[phase] = stride == 1 && span == 1
                             ? (phase + copies - 1) / sectorElements + 1
                             : sectorsOfCopies(phase, stride, copies, span);
      sectorsAt.swap(scratch);
      span += stride * (copies - 1);
    }
  }

  double sectorsOfCopies(int64_t phase, int64_t stride, int64_t copies,
                         int64_t span) const {
    int64_t period = sectorElements / std::gcd(stride, sectorElements);
    double sum = 0;
    for (int64_t c = 0; c < std::min(period, copies); ++c) {
      int64_t copyPhase =
          (phase + c * (stride % sectorElements)) % sectorElements;
      sum += sectorsAt[copyPhase] * ((copies - c + period - 1) / period);
      // The sector that the copy shares with the next, if there is a next.
      bool shares = stride >= span && (copyPhase + span - 1) / sectorElements ==
                                          (copyPhase + stride) / sectorElements;
      if (shares)
        sum -= (copies - 1 - c + period - 1) / period;
    }
    int64_t last = span - 1 + stride * (copies - 1);
    return std::min<double>(sum, (phase + last) / sectorElements + 1);
  }

  /// Sets `tilesAt[p]` to the number of tiles that start at phase p.
  void computeHistogram() {
    tilesAt.assign(sectorElements, 0);
    tilesAt[basePhase] = 1;
    for (unsigned level = 0; level < dims.size(); ++level) {
      const TileGroup &group = *shape[level];
      int64_t stride = dims[level].stride % sectorElements;
      int64_t start = group.start % sectorElements * stride;
      int64_t step = group.step % sectorElements * stride % sectorElements;
      int64_t period = sectorElements / std::gcd(step, sectorElements);
      scratch.assign(sectorElements, 0);
      for (int64_t phase = 0; phase < sectorElements; ++phase) {
        if (tilesAt[phase] == 0)
          continue;
        for (int64_t c = 0; c < std::min(period, group.count); ++c)
          scratch[(phase + start + c * step) % sectorElements] +=
              tilesAt[phase] * ((group.count - c + period - 1) / period);
      }
      tilesAt.swap(scratch);
    }
  }

  int64_t sectorElements, basePhase, granule = 1;
  double revisits = 1;
  std::vector<Dim> dims;
  /// The group of tiles along each dimension that is being counted.
  std::vector<const TileGroup *> shape;
  std::vector<double> sectorsAt, tilesAt, scratch;
};

double tileCount(const std::vector<TileDim> &dims) {
  double count = 1;
  for (const TileDim &dim : dims)
    count *= static_cast<double>(dim.tiles());
  return count;
}

int64_t elementsPerSector(const Contraction &contraction, Tensor tensor,
                          const Target &target) {
  return std::max<int64_t>(1, target.sectorBytes /
                                  byteWidth(contraction.elementType[tensor]));
}

} // namespace

double countTileSectors(const Contraction &contraction, Tensor tensor,
                        const std::vector<TileDim> &dims,
                        const Target &target) {
  return TileCounter(contraction, tensor, dims,
                     elementsPerSector(contraction, tensor, target))
      .count();
}

Traffic countTraffic(const Contraction &contraction, const KernelLayout &layout,
                     const Target &target) {
  auto join = [&](const std::vector<TileDim> &first,
                  const std::vector<TileDim> &second) {
    std::vector<TileDim> dims = layout.batch;
    dims.insert(dims.end(), first.begin(), first.end());
    dims.insert(dims.end(), second.begin(), second.end());
    return dims;
  };
  Traffic traffic;
  traffic.sectors[Tensor::A] =
      countTileSectors(contraction, Tensor::A, join(layout.m, layout.k),
                       target) *
      tileCount(layout.n);
  traffic.sectors[Tensor::B] =
      countTileSectors(contraction, Tensor::B, join(layout.n, layout.k),
                       target) *
      tileCount(layout.m);
  traffic.sectors[Tensor::C] =
      countTileSectors(contraction, Tensor::C, join(layout.m, layout.n),
                       target) *
      (contraction.readsC ? 2 : 1);
  return traffic;
}

Traffic compulsoryTraffic(const Contraction &contraction,
                          const Target &target) {
  Traffic traffic;
  for (Tensor tensor : allTensors)
    traffic.sectors[tensor] =
        contraction.elements(tensor) /
        static_cast<double>(elementsPerSector(contraction, tensor, target));
  if (contraction.readsC)
    traffic.sectors[Tensor::C] *= 2;
  return traffic;
}

} // namespace tc::model
