//===- TileKinds.cpp - Tiles that look alike ------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Goes through combinations of extents, and for each of them keeps a histogram
// of phases, to which every dimension adds its own.
//
//===----------------------------------------------------------------------===//

#include "TileKinds.h"

#include "tc/Support/Arithmetic.h"

#include <algorithm>
#include <numeric>

namespace tc::model {

/// The remainder that is not negative.
static int64_t modulo(int64_t number, int64_t divisor) {
  int64_t remainder = number % divisor;
  return remainder < 0 ? remainder + divisor : remainder;
}

void TileSet::addAll(const TileDim &dim) {
  int64_t full = dim.extent / dim.tile, rest = dim.extent % dim.tile;
  Dim added{dim.index, {}};
  if (full > 0)
    added.runs.push_back({dim.tile, full, 0, dim.tile});
  if (rest > 0)
    added.runs.push_back({rest, 1, full * dim.tile, 0});
  dims.push_back(std::move(added));
}

void TileSet::addOne(const TileDim &dim, int64_t tile) {
  int64_t first = tile * dim.tile;
  dims.push_back(
      {dim.index, {{std::min(dim.tile, dim.extent - first), 1, first, 0}}});
}

void TileSet::visit(const Visitor &visitor) const {
  std::vector<double> histogram(phases, 0);
  histogram[modulo(contraction.offset[tensor], phases)] = 1;
  TileExtents extents(contraction.indices.size(), 1);
  visit(0, extents, histogram, visitor);
}

void TileSet::visit(size_t dim, TileExtents &extents,
                    const std::vector<double> &histogram,
                    const Visitor &visitor) const {
  if (dim == dims.size()) {
    for (int64_t phase = 0; phase < phases; ++phase)
      if (histogram[phase] > 0)
        visitor(extents, phase, histogram[phase]);
    return;
  }
  for (const Run &run : dims[dim].runs) {
    extents[dims[dim].index] = run.extent;
    visit(dim + 1, extents, shift(histogram, dims[dim].index, run), visitor);
  }
}

/// The phases of tiles that lie at every place of the run from each of those in
/// the histogram.
std::vector<double> TileSet::shift(const std::vector<double> &histogram,
                                   unsigned index, const Run &run) const {
  int64_t stride = modulo(contraction.indices[index].stride[tensor], phases);
  int64_t first = run.first % phases * stride % phases;
  int64_t distance = run.distance % phases * stride % phases;
  // After so many tiles their phases repeat.
  int64_t period = phases / std::gcd(distance, phases);
  std::vector<double> shifted(phases, 0);
  for (int64_t tile = 0; tile < std::min(period, run.count); ++tile) {
    auto alike = static_cast<double>(ceilDivide(run.count - tile, period));
    for (int64_t phase = 0; phase < phases; ++phase)
      shifted[(phase + first + tile * distance) % phases] +=
          histogram[phase] * alike;
  }
  return shifted;
}

} // namespace tc::model
