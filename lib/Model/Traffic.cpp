//===- Traffic.cpp - Global memory traffic of a kernel --------------------===//
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

#include "tc/Model/Traffic.h"

#include "tc/Model/AccessCounts.h"
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
              const std::vector<TileDim> &tileDims, int64_t granuleElements)
      : granuleElements(granuleElements),
        basePhase(contraction.offset[tensor]) {
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
      basePhase += (stride * (tileDim.extent - 1)) % granuleElements;
    dims.push_back(std::move(dim));
  }

  /// All runs along the innermost dimension start at multiples of `phaseStep`
  /// elements in a sector, so other phases need not be looked at.
  void setGranule() {
    phaseStep = std::gcd(granuleElements, basePhase);
    for (unsigned i = 0; i < dims.size(); ++i) {
      if (i > 0) {
        phaseStep = std::gcd(phaseStep, dims[i].stride);
        continue;
      }
      for (const TileGroup &group : dims[i].groups)
        for (int64_t distance : {group.start, group.step})
          phaseStep =
              std::gcd(phaseStep, (distance % granuleElements) *
                                      (dims[i].stride % granuleElements));
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
    for (int64_t phase = 0; phase < granuleElements; phase += phaseStep)
      sum += tilesAt[phase] * granulesAt[phase];
    return sum;
  }

  /// Sets `granulesAt[p]` to the sectors of a tile whose first element is the
  /// p-th of a sector.
  void computeTiles() {
    granulesAt.assign(granuleElements, 1);
    int64_t span = 1;
    for (unsigned level = 0; level < dims.size(); ++level) {
      int64_t stride = dims[level].stride, copies = shape[level]->extent;
      scratch.assign(granuleElements, 0);
      for (int64_t phase = 0; phase < granuleElements; phase += phaseStep)
        scratch[phase] = stride == 1 && span == 1
                             ? (phase + copies - 1) / granuleElements + 1
                             : granulesOfCopies(phase, stride, copies, span);
      granulesAt.swap(scratch);
      span += stride * (copies - 1);
    }
  }

  double granulesOfCopies(int64_t phase, int64_t stride, int64_t copies,
                          int64_t span) const {
    int64_t period = granuleElements / std::gcd(stride, granuleElements);
    double sum = 0;
    for (int64_t c = 0; c < std::min(period, copies); ++c) {
      int64_t copyPhase =
          (phase + c * (stride % granuleElements)) % granuleElements;
      sum += granulesAt[copyPhase] * ((copies - c + period - 1) / period);
      // The sector that the copy shares with the next, if there is a next.
      bool shares =
          stride >= span && (copyPhase + span - 1) / granuleElements ==
                                (copyPhase + stride) / granuleElements;
      if (shares)
        sum -= (copies - 1 - c + period - 1) / period;
    }
    int64_t last = span - 1 + stride * (copies - 1);
    return std::min<double>(sum, (phase + last) / granuleElements + 1);
  }

  /// Sets `tilesAt[p]` to the number of tiles that start at phase p.
  void computeHistogram() {
    tilesAt.assign(granuleElements, 0);
    tilesAt[basePhase] = 1;
    for (unsigned level = 0; level < dims.size(); ++level) {
      const TileGroup &group = *shape[level];
      int64_t stride = dims[level].stride % granuleElements;
      int64_t start = group.start % granuleElements * stride;
      int64_t step = group.step % granuleElements * stride % granuleElements;
      int64_t period = granuleElements / std::gcd(step, granuleElements);
      scratch.assign(granuleElements, 0);
      for (int64_t phase = 0; phase < granuleElements; ++phase) {
        if (tilesAt[phase] == 0)
          continue;
        for (int64_t c = 0; c < std::min(period, group.count); ++c)
          scratch[(phase + start + c * step) % granuleElements] +=
              tilesAt[phase] * ((group.count - c + period - 1) / period);
      }
      tilesAt.swap(scratch);
    }
  }

  int64_t granuleElements, basePhase, phaseStep = 1;
  double revisits = 1;
  std::vector<Dim> dims;
  /// The group of tiles along each dimension that is being counted.
  std::vector<const TileGroup *> shape;
  std::vector<double> granulesAt, tilesAt, scratch;
};

int64_t elementsPer(int64_t granuleBytes, const Contraction &contraction,
                    Tensor tensor) {
  return std::max<int64_t>(1, granuleBytes /
                                  byteWidth(contraction.elementType[tensor]));
}

} // namespace

double countTileGranules(const Contraction &contraction, Tensor tensor,
                         const std::vector<TileDim> &dims,
                         int64_t granuleBytes) {
  return TileCounter(contraction, tensor, dims,
                     elementsPer(granuleBytes, contraction, tensor))
      .count();
}

Traffic countTraffic(const Contraction &contraction, const KernelLayout &layout,
                     const Target &target) {
  Traffic traffic;
  auto count = [&](Tensor tensor, const std::vector<TileDim> &first,
                   const std::vector<TileDim> &second, double visits) {
    std::vector<TileDim> dims = layout.batch;
    dims.insert(dims.end(), first.begin(), first.end());
    dims.insert(dims.end(), second.begin(), second.end());
    traffic.visits[tensor] = visits;
    traffic.sectors[tensor] =
        visits *
        countTileGranules(contraction, tensor, dims, target.sectorBytes);
    traffic.lines[tensor] =
        visits * countTileGranules(contraction, tensor, dims, target.lineBytes);
    traffic.requests[tensor] =
        traffic.sectors[tensor] *
        requestRatio(contraction, layout, tensor, target);
  };
  count(Tensor::A, layout.m, layout.k, static_cast<double>(layout.gridN));
  count(Tensor::B, layout.n, layout.k, static_cast<double>(layout.gridM));
  // What blocks leave of a reduced output is of no account.
  if (!contraction.reducesC)
    count(Tensor::C, layout.m, layout.n, contraction.readsC ? 2 : 1);
  return traffic;
}

double requestRatio(const Contraction &contraction, const KernelLayout &layout,
                    Tensor tensor, const Target &target) {
  std::vector<TileDim> dims;
  auto append = [&](const std::vector<TileDim> &list) {
    for (TileDim dim : list) {
      dim.extent = dim.tile;
      dims.push_back(dim);
    }
  };
  if (tensor != Tensor::B)
    append(layout.m);
  if (tensor != Tensor::A)
    append(layout.n);
  if (tensor != Tensor::C)
    append(layout.k);
  double distinct =
      countTileGranules(contraction, tensor, dims, target.sectorBytes);
  int64_t sector = elementsPer(target.sectorBytes, contraction, tensor);
  int64_t phase = (contraction.offset[tensor] % sector + sector) % sector;
  double requests =
      tensor == Tensor::C
          ? countTileStores(contraction, layout, target, phase).sectors
          : countTileLoads(contraction, layout, tensor, target, phase).sectors;
  return requests / distinct;
}

Traffic compulsoryTraffic(const Contraction &contraction,
                          const Target &target) {
  Traffic traffic;
  for (Tensor tensor : allTensors) {
    double elements = contraction.elements(tensor) *
                      (tensor == Tensor::C && contraction.readsC ? 2 : 1);
    auto per = [&](int64_t granuleBytes) {
      return static_cast<double>(
          elementsPer(granuleBytes, contraction, tensor));
    };
    traffic.sectors[tensor] = elements / per(target.sectorBytes);
    traffic.lines[tensor] = elements / per(target.lineBytes);
    traffic.requests[tensor] = traffic.sectors[tensor];
  }
  return traffic;
}

} // namespace tc::model
