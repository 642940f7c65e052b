//===- ShortAxes.cpp - Tiles of many short indices ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShortAxes.h"

#include "Factors.h"
#include "Odometer.h"

#include <algorithm>
#include <cstdlib>

using namespace tc;
using namespace tc::cpu;
using Axis = ElementwiseProblem::Axis;

static constexpr size_t inA = ElementwiseProblem::A,
                        inB = ElementwiseProblem::B,
                        inC = ElementwiseProblem::C,
                        inD = ElementwiseProblem::D;

/// Bytes that lie side by side in each tensor: as many as tiles have room for.
static constexpr int64_t mostWantedBytes = 128, leastWantedBytes = 8;

/// An index as long as that needs no table.
static constexpr int64_t longAxis = 32;

namespace {
/// An axis, and whether it is one of a tile.
struct TileAxis {
  Axis axis;
  bool isInside = false;
};
} // namespace

/// The least divisor of an extent that is so much at least; none below twice
/// `longAxis`, if there is none.
static int64_t divisorFrom(int64_t extent, int64_t least) {
  for (int64_t divisor = least; divisor < 2 * longAxis; ++divisor)
    if (extent % divisor == 0)
      return divisor;
  return 0;
}

/// Takes the axes along which a tensor's elements are closest, until they are
/// as many as wanted; of a long one, a part. Returns false if that has none.
static bool takeClosest(std::vector<TileAxis> &axes, size_t place,
                        int64_t width, int64_t wantedBytes) {
  auto closest = [&](int64_t least) {
    size_t found = axes.size();
    for (size_t i = 0; i < axes.size(); ++i) {
      const int64_t stride = std::abs(axes[i].axis.stride[place]);
      if (stride > least && (found == axes.size() ||
                             stride < std::abs(axes[found].axis.stride[place])))
        found = i;
    }
    return found;
  };
  int64_t stride = 0;
  for (int64_t bytes = width; bytes < wantedBytes;) {
    const size_t i = closest(stride);
    if (i == axes.size())
      return true;
    const Axis axis = axes[i].axis;
    stride = std::abs(axis.stride[place]);
    if (!axes[i].isInside && axis.extent >= longAxis) {
      const int64_t part =
          divisorFrom(axis.extent, std::max<int64_t>(2, wantedBytes / bytes));
      if (part == 0)
        return false;
      TileAxis rest = axes[i];
      axes[i].axis.extent = part;
      rest.axis.extent /= part;
      for (int64_t &step : rest.axis.stride)
        step *= part;
      axes.insert(axes.begin() + static_cast<ptrdiff_t>(i) + 1, rest);
    }
    axes[i].isInside = true;
    bytes *= axes[i].axis.extent;
  }
  return true;
}

/// Returns true if elements are close along short indices only, in D or in an
/// operand, of less than so many values.
static bool isShort(const ElementwiseProblem &problem, int64_t extent) {
  for (size_t place : {inA, inB, inC, inD}) {
    const Axis *closest = nullptr;
    for (const Axis &axis : problem.axes)
      if (axis.stride[place] != 0 &&
          (!closest ||
           std::abs(axis.stride[place]) < std::abs(closest->stride[place])))
        closest = &axis;
    if (closest && closest->extent < extent)
      return true;
  }
  return false;
}

std::shared_ptr<const ShortAxes>
cpu::planShortAxes(const ElementwiseProblem &problem, bool moves) {
  // Two or three indices are the sides of other tiles. Elements that are
  // computed with pass buffers in any case.
  constexpr int64_t shortOfMoves = 16, shortOfOthers = 5;
  if (problem.axes.size() < 4 || problem.axes.size() > mostAxes / 2 ||
      !isShort(problem, moves ? shortOfMoves : shortOfOthers))
    return nullptr;
  bool isTransposed = false;
  for (size_t place : {inA, inB, inC}) {
    // Axes are in the order of D.
    int64_t last = 0;
    for (const Axis &axis : problem.axes)
      if (axis.stride[place] != 0) {
        isTransposed |= std::abs(axis.stride[place]) < last;
        last = std::abs(axis.stride[place]);
      }
  }
  if (!isTransposed)
    return nullptr;
  auto found = std::make_shared<ShortAxes>();
  std::vector<Axis> inside;
  for (int64_t wanted = mostWantedBytes; inside.empty(); wanted /= 2) {
    if (wanted < leastWantedBytes)
      return nullptr;
    std::vector<TileAxis> axes(problem.axes.size());
    for (size_t i = 0; i < axes.size(); ++i)
      axes[i].axis = problem.axes[i];
    for (size_t place : {inA, inB, inC, inD})
      if (!takeClosest(
              axes, place,
              static_cast<int64_t>(model::byteWidth(problem.type[place])),
              wanted))
        return nullptr;
    found->count = found->tiles = 1;
    for (const TileAxis &axis : axes)
      (axis.isInside ? found->count : found->tiles) *= axis.axis.extent;
    // Buffers hold a tile.
    if (found->count * model::byteWidth(problem.sums) > tileBytes)
      continue;
    for (const TileAxis &axis : axes)
      (axis.isInside ? inside : found->outer).push_back(axis.axis);
  }
  // Tables have to pay.
  if (found->tiles < 4)
    return nullptr;
  for (size_t place : {inA, inB, inC, inD}) {
    std::vector<int64_t> &offsets = found->offsets[place];
    offsets = {0};
    for (const Axis &axis : inside) {
      const size_t before = offsets.size();
      for (int64_t value = 1; value < axis.extent; ++value)
        for (size_t i = 0; i < before; ++i)
          offsets.push_back(offsets[i] + value * axis.stride[place]);
    }
    std::vector<int32_t> &runs = found->runs[place];
    runs.assign(offsets.size(), 1);
    for (size_t i = offsets.size() - 1; i > 0; --i)
      if (offsets[i] == offsets[i - 1] + 1)
        runs[i - 1] = runs[i] + 1;
  }
  return found;
}

void ShortAxes::run(const ElementwisePlan &plan, const PerPlace<char *> &begin,
                    int64_t first, int64_t end, const void *alpha,
                    const void *beta, bool readsC) const {
  const ElementwiseProblem &problem = plan.problem;
  PerPlace<int64_t> width;
  for (size_t place : {inA, inB, inC, inD})
    width[place] = static_cast<int64_t>(model::byteWidth(problem.type[place]));
  Odometer<Axis> place(outer);
  place.goTo(first);
  const int64_t parts = model::isComplex(problem.sums) ? 2 : 1;
  alignas(64) char buffers[4][tileBytes];
  const bool isContiguous = runs[inD].front() == count && !plan.mustStore;
  CombinedRows rows = {};
  rows.columns = count;
  rows.rows = 1;
  rows.alpha = alpha;
  rows.beta = beta;
  rows.a = buffers[inA];
  rows.b = problem.hasB ? buffers[inB] : nullptr;
  rows.c = readsC ? buffers[inC] : nullptr;
  PerPlace<char *> at;
  const int64_t none = 0;
  const int32_t alone = 1;
  auto gather = [&](size_t from) {
    plan.gather[from]({at[from], &none, &alone, 1, offsets[from].data(),
                       runs[from].data(), count, problem.conjugates[from]},
                      buffers[from], parts);
  };
  for (int64_t tile = first; tile < end; ++tile, place.advance()) {
    for (size_t t : {inA, inB, inC, inD})
      at[t] = begin[t] + place.offset[t] * width[t];
    if (plan.moveByTables) {
      plan.moveByTables(at[inA], offsets[inA].data(), at[inD],
                        offsets[inD].data(), count);
      continue;
    }
    gather(inA);
    if (rows.b)
      gather(inB);
    if (rows.c)
      gather(inC);
    rows.d = isContiguous ? at[inD] : buffers[inD];
    plan.combine(rows);
    if (!isContiguous)
      plan.finish({buffers[inD], count * parts, at[inD], offsets[inD].data(),
                   runs[inD].data(), count, &none, 1, oneOf(plan.real), nullptr,
                   false});
  }
}
