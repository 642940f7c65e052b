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
#include <atomic>
#include <cstdlib>
#include <cstring>

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
/// An axis, and the tensors for which it is one of a tile.
struct TileAxis {
  Axis axis;
  std::array<bool, 4> isFor = {};
  bool isInside() const {
    return std::find(isFor.begin(), isFor.end(), true) != isFor.end();
  }
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

/// Makes an axis of a tile, of so many elements, and another one of the rest.
static void cut(std::vector<TileAxis> &axes, size_t i, int64_t part) {
  TileAxis rest = axes[i];
  axes[i].axis.extent = part;
  rest.axis.extent /= part;
  for (int64_t &step : rest.axis.stride)
    step *= part;
  axes.insert(axes.begin() + static_cast<ptrdiff_t>(i) + 1, rest);
}

/// Takes the axes along which a tensor's elements are closest, until they are
/// as many as wanted; of a long one, a part, and of others, if `cutsAll`.
/// Returns false if a long one has none.
static bool takeClosest(std::vector<TileAxis> &axes, size_t place,
                        int64_t width, int64_t wantedBytes, bool cutsAll) {
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
    const bool isLong = axis.extent >= longAxis;
    if (!axes[i].isInside() && (isLong || cutsAll)) {
      const int64_t part =
          divisorFrom(axis.extent, std::max<int64_t>(2, wantedBytes / bytes));
      if (part == 0 && isLong &&
          (!cutsAll || axis.extent * bytes > wantedBytes))
        return false;
      if (part != 0 && part != axis.extent)
        cut(axes, i, part);
    }
    axes[i].isFor[place] = true;
    bytes *= axes[i].axis.extent;
  }
  return true;
}

/// The places of elements along axes, the first one the closest.
static std::vector<int64_t> offsetsAlong(const std::vector<Axis> &axes,
                                         size_t place) {
  std::vector<int64_t> offsets = {0};
  for (const Axis &axis : axes) {
    const size_t before = offsets.size();
    for (int64_t value = 1; value < axis.extent; ++value)
      for (size_t i = 0; i < before; ++i)
        offsets.push_back(offsets[i] + value * axis.stride[place]);
  }
  return offsets;
}

/// Returns true if elements lie side by side along all axes.
static bool areContiguous(const std::vector<Axis> &axes, size_t place) {
  int64_t next = 1;
  for (const Axis &axis : axes) {
    if (axis.stride[place] != next)
      return false;
    next *= axis.extent;
  }
  return true;
}

/// Returns true if elements along all axes are on a page each.
static bool areFar(const std::vector<Axis> &axes, size_t place, int64_t width) {
  constexpr int64_t pageBytes = 4096;
  return std::all_of(axes.begin(), axes.end(), [&](const Axis &axis) {
    return std::abs(axis.stride[place]) * width >= pageBytes;
  });
}

/// Elements that are padded to squares of the widest vectors, which of narrow
/// elements have 16 bytes.
static int64_t paddedTo(int64_t elements, int64_t width) {
  const int64_t side = (width < 4 ? 16 : 64) / width;
  return (elements + side - 1) / side * side;
}

/// Shares axes out to tiles, whose elements lie side by side for so many bytes
/// in D and in other tensors, and to what is outside. Returns false if that
/// cannot be.
static bool shareOut(const ElementwiseProblem &problem, int64_t wantedOfD,
                     int64_t wanted, bool cutsAll,
                     std::vector<TileAxis> &axes) {
  axes.assign(problem.axes.size(), {});
  for (size_t i = 0; i < axes.size(); ++i)
    axes[i].axis = problem.axes[i];
  for (size_t place : {inA, inB, inC, inD})
    if (!takeClosest(
            axes, place,
            static_cast<int64_t>(model::byteWidth(problem.type[place])),
            place == inD ? wantedOfD : wanted, cutsAll))
      return false;
  return true;
}

/// Notes what is inside of tiles and what is outside.
static void takeAxes(const std::vector<TileAxis> &axes, ShortAxes &tiles,
                     std::vector<Axis> &inside) {
  tiles.count = tiles.tiles = 1;
  for (const TileAxis &axis : axes) {
    (axis.isInside() ? tiles.count : tiles.tiles) *= axis.axis.extent;
    (axis.isInside() ? inside : tiles.outer).push_back(axis.axis);
  }
}

/// Finds tiles that are matrices, whose lines have so many bytes. Returns false
/// if there are none.
static bool findLinesOf(const ElementwiseProblem &problem, int64_t wantedOfD,
                        int64_t wanted, ShortAxes &tiles,
                        std::vector<Axis> &inside) {
  const auto width = static_cast<int64_t>(model::byteWidth(problem.sums));
  std::vector<TileAxis> axes;
  if (!shareOut(problem, wantedOfD, wanted, /*cutsAll=*/true, axes))
    return false;
  std::vector<Axis> ofA, ofD;
  bool areApart = true;
  for (const TileAxis &axis : axes) {
    areApart &= !(axis.isFor[inA] && axis.isFor[inD]);
    if (axis.isFor[inA])
      ofA.push_back(axis.axis);
    if (axis.isFor[inD])
      ofD.push_back(axis.axis);
  }
  std::sort(ofA.begin(), ofA.end(), [](const Axis &a, const Axis &b) {
    return a.stride[inA] < b.stride[inA];
  });
  if (!areApart || !areContiguous(ofA, inA) || !areContiguous(ofD, inD))
    return false;
  std::vector<int64_t> linesOfA = offsetsAlong(ofD, inA),
                       linesOfD = offsetsAlong(ofA, inD);
  const auto ofEachA = static_cast<int64_t>(linesOfD.size()),
             ofEachD = static_cast<int64_t>(linesOfA.size());
  const int64_t padded = paddedTo(ofEachA, width) * paddedTo(ofEachD, width);
  // Bytes gain the most, and lines that are on a page each.
  const bool pays = width == 1 || 7 * padded <= 10 * ofEachA * ofEachD ||
                    (areFar(ofD, inA, width) && areFar(ofA, inD, width));
  if (!pays || padded * width > tileBytes)
    return false;
  tiles.linesOfA = std::move(linesOfA);
  tiles.linesOfD = std::move(linesOfD);
  takeAxes(axes, tiles, inside);
  return true;
}

/// The same of the longest lines for which there are any.
static bool findLines(const ElementwiseProblem &problem, ShortAxes &tiles,
                      std::vector<Axis> &inside) {
  constexpr int64_t leastLine = 16, leastElements = 4, widest = 8;
  const auto width = static_cast<int64_t>(model::byteWidth(problem.sums));
  if (width > widest)
    return false;
  // Lines of D are longer where that can be: parts of lines of the caches, at
  // their ends, are fetched and written twice.
  for (int64_t wanted = mostWantedBytes;
       wanted >= std::max(leastLine, leastElements * width); wanted /= 2)
    for (int64_t wantedOfD : {2 * wanted, wanted})
      if (findLinesOf(problem, wantedOfD, wanted, tiles, inside))
        return true;
  return false;
}

/// Finds tiles of any axes, with longer lines of D if elements are moved.
/// Returns false if there are none.
static bool findTables(const ElementwiseProblem &problem, bool moves,
                       ShortAxes &tiles, std::vector<Axis> &inside) {
  for (int64_t wanted = mostWantedBytes; wanted >= leastWantedBytes;
       wanted /= 2)
    for (int64_t wantedOfD : {moves ? 2 * wanted : wanted, wanted}) {
      std::vector<TileAxis> axes;
      if (!shareOut(problem, wantedOfD, wanted, /*cutsAll=*/false, axes))
        continue;
      int64_t count = 1;
      for (const TileAxis &axis : axes)
        count *= axis.isInside() ? axis.axis.extent : 1;
      // Buffers hold a tile.
      if (count * model::byteWidth(problem.sums) <= tileBytes) {
        takeAxes(axes, tiles, inside);
        return true;
      }
    }
  return false;
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
  if (!moves || !findLines(problem, *found, inside))
    if (!findTables(problem, moves, *found, inside))
      return nullptr;
  // Tables have to pay.
  if (found->tiles < 4)
    return nullptr;
  for (size_t place : {inA, inB, inC, inD}) {
    std::vector<int64_t> &offsets = found->offsets[place];
    offsets = offsetsAlong(inside, place);
    std::vector<int32_t> &runs = found->runs[place];
    runs.assign(offsets.size(), 1);
    for (size_t i = offsets.size() - 1; i > 0; --i)
      if (offsets[i] == offsets[i - 1] + 1)
        runs[i - 1] = runs[i] + 1;
  }
  return found;
}

void ShortAxes::transpose(const ElementwisePlan &plan, const char *from,
                          char *to) const {
  const auto width = static_cast<int64_t>(model::byteWidth(plan.problem.sums));
  const auto inLineOfA = static_cast<int64_t>(linesOfD.size()),
             inLineOfD = static_cast<int64_t>(linesOfA.size());
  const int64_t pitchOfA = paddedTo(inLineOfA, width),
                pitchOfD = paddedTo(inLineOfD, width);
  // Lines are read and written once and as a whole: those of powers of two
  // share few places of the caches.
  alignas(64) char lines[tileBytes], transposed[tileBytes];
  for (int64_t i = 0; i < inLineOfD; ++i)
    std::memcpy(lines + i * pitchOfA * width,
                from + linesOfA[static_cast<size_t>(i)] * width,
                static_cast<size_t>(inLineOfA * width));
  plan.load[inA]({lines, pitchOfA, 1, pitchOfD, pitchOfA, true, false},
                 transposed);
  CombinedRows row = {};
  row.columns = inLineOfD;
  row.rows = 1;
  row.streams = plan.streams && inLineOfD * width % 64 == 0 &&
                reinterpret_cast<uintptr_t>(to) % 64 == 0;
  for (int64_t i = 0; i < inLineOfA; ++i) {
    char *line = to + linesOfD[static_cast<size_t>(i)] * width;
    const char *made = transposed + i * pitchOfD * width;
    if (!row.streams) {
      std::memcpy(line, made, static_cast<size_t>(inLineOfD * width));
      continue;
    }
    row.a = made;
    row.d = line;
    plan.combine(row);
  }
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
    if (!linesOfA.empty()) {
      transpose(plan, at[inA], at[inD]);
      continue;
    }
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
  // Stores past the caches are seen by others after this.
  if (plan.streams && !linesOfA.empty())
    std::atomic_thread_fence(std::memory_order_seq_cst);
}
