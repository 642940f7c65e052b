//===- Elementwise.cpp - Element by element -------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// D is computed tile by tile. Rows of a tile lie along D's memory. Where
// elements of an operand lie closest along another index, that one is across
// the rows of the tile, which then has as many as make whole cache lines; such
// an operand, and one of another type, is brought to a buffer first, which the
// first cache holds.
//
//===----------------------------------------------------------------------===//

#include "Elementwise.h"

#include "Factors.h"
#include "HostCore.h"
#include "ShortAxes.h"
#include "tc/CpuRuntime/Team.h"
#include "tc/Hierarchy/Blocks.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <memory>
#include <new>

using namespace tc;
using namespace tc::cpu;
using Axis = ElementwiseProblem::Axis;
template <typename T> using PerPlace = ElementwiseProblem::PerPlace<T>;

/// By number: those that are read come first.
static constexpr size_t inA = ElementwiseProblem::A,
                        inB = ElementwiseProblem::B,
                        inC = ElementwiseProblem::C,
                        inD = ElementwiseProblem::D;

static constexpr size_t operands[] = {inA, inB};

/// The bytes of a line of the caches.
static constexpr int64_t lineBytes = 64;

/// The least rows of a tile across which an operand's elements lie side by
/// side: more, if they fill a line with that many only.
static constexpr int64_t transposedRows = 16;

/// The most tiles of D that an operand's tile is kept for: D is written along
/// its memory in as many places.
static constexpr int64_t mostRepeats = 4;

/// Bytes of an operand's tile that is transposed beside another operand, at
/// most: reading ahead follows rows of pages, and finds none in short ones.
/// Such a product of matrices of 8 MB took two thirds of the time on an AMD
/// EPYC.
static constexpr int64_t longTileBytes = 1 << 17;

/// Rows of D of so many bytes have parts of lines at their ends that do not
/// count.
static constexpr int64_t manyBytes = 1024;

namespace {

/// The places of the next elements of all tensors.
using Places = PerPlace<char *>;

/// Room for a tile of each tensor.
struct ShortTiles {
  alignas(lineBytes) char bytes[4][tileBytes];
};

/// A tile of each tensor, and where those of operands were brought from.
struct Buffers {
  PerPlace<char *> tiles;
  struct Source {
    const void *first = nullptr;
    int64_t columns = 0, rows = 0;
  };
  Source sources[2];

  /// Notes what a tile is brought from; false if it has been.
  bool isNew(size_t place, const Source &source) {
    Source &last = sources[place];
    if (last.first == source.first && last.columns == source.columns &&
        last.rows == source.rows)
      return false;
    last = source;
    return true;
  }
};

/// The arguments that all tiles of a run share.
struct Call {
  const void *alpha, *beta;
  bool readsC, streams;
  Buffers &buffers;
};

/// A part of D, which one thread computes.
class Part {
public:
  Part(const ElementwisePlan &plan, int64_t number);

  void run(const Places &at, const Call &call) const {
    loop(axes.size(), moved(at, cut, first), call);
  }

  /// Returns true if lines of the caches belong to one row of D nearly all. A
  /// part of one waits for the rest, where it is stored past the caches.
  bool fillsLines(const void *d) const;

  /// Bytes of room for tiles that are longer than `tileBytes`; or zero.
  int64_t bytesOfLongTiles() const;
  Buffers buffersIn(ShortTiles &shortTiles, char *longTiles) const;

private:
  bool isLong(size_t place) const {
    return mostTileBytes > tileBytes && isTransposed(place);
  }
  bool mayHaveLongRows() const;
  void chooseTiles();
  size_t closest(size_t place) const;
  bool isRow(size_t place) const;
  bool isTransposed(size_t place) const {
    return std::abs(other.stride[place]) < std::abs(inner.stride[place]) &&
           other.stride[place] != 0;
  }
  Places moved(const Places &at, const Axis &along, int64_t steps) const {
    Places places = at;
    for (size_t place : {inA, inB, inC, inD})
      places[place] += steps * along.stride[place] * widths[place];
    return places;
  }
  void loop(size_t depth, const Places &at, const Call &call) const;
  void loopTiles(const Places &at, int64_t repeats, const Call &call) const;
  void tile(const Places &at, int64_t columns, int64_t rows, const Call &call,
            const Axis &tiles = {1, {}}) const;
  const void *load(size_t place, const Places &at, int64_t columns,
                   int64_t rows, const Call &call, int64_t &pitch) const;

  const ElementwisePlan &plan;
  /// The bytes of elements.
  PerPlace<int64_t> widths;
  /// Axes outside of tiles; the one along rows of tiles, the one across them,
  /// the one along which yet another operand's elements are closest, and one
  /// along which an operand that is transposed for a tile repeats its elements.
  std::vector<Axis> axes;
  Axis inner = {1, {{0, 0, 0, 1}}}, other = {1, {}}, third = {1, {}},
       repeating = {1, {}};
  int64_t tileColumns = 1, tileRows = 1, mostTileBytes = tileBytes;
  /// True if no element passes a buffer.
  bool areRows = true;
  /// The beginning of the part.
  Axis cut = {1, {}};
  int64_t first = 0;
};

} // namespace

Part::Part(const ElementwisePlan &plan, int64_t number)
    : plan(plan), axes(plan.problem.axes) {
  for (size_t place : {inA, inB, inC, inD})
    widths[place] =
        static_cast<int64_t>(model::byteWidth(plan.problem.type[place]));
  if (plan.parts > 1) {
    cut = axes.back();
    first = cut.extent * number / plan.parts;
    axes.back().extent = cut.extent * (number + 1) / plan.parts - first;
  }
  if (axes.empty())
    axes.push_back(inner);
  std::vector<size_t> across;
  for (size_t place : {inA, inB, inC}) {
    size_t least = closest(place);
    if (least != 0 &&
        std::find(across.begin(), across.end(), least) == across.end())
      across.push_back(least);
  }
  if (across.empty() && axes.size() > 1)
    across.push_back(1);
  across.resize(std::min<size_t>(across.size(), 2));
  inner = axes.front();
  if (!across.empty())
    other = axes[across[0]];
  if (across.size() > 1)
    third = axes[across[1]];
  across.push_back(0);
  std::sort(across.rbegin(), across.rend());
  for (size_t position : across)
    axes.erase(axes.begin() + static_cast<ptrdiff_t>(position));
  const auto repeats =
      std::find_if(axes.begin(), axes.end(), [&](const Axis &axis) {
        return std::any_of(
            std::begin(operands), std::end(operands), [&](size_t place) {
              return isTransposed(place) && axis.stride[place] == 0;
            });
      });
  if (repeats != axes.end()) {
    repeating = *repeats;
    axes.erase(repeats);
  }
  chooseTiles();
}

bool Part::fillsLines(const void *d) const {
  if (inner.extent * widths[inD] >= manyBytes)
    return true;
  auto isWhole = [&](int64_t elements) {
    return elements * widths[inD] % lineBytes == 0;
  };
  const Axis *shorter[] = {&other, &third, &repeating};
  return reinterpret_cast<uintptr_t>(d) % uintptr_t(lineBytes) == 0 &&
         isWhole(inner.extent) &&
         std::all_of(
             std::begin(shorter), std::end(shorter),
             [&](const Axis *axis) { return isWhole(axis->stride[inD]); }) &&
         std::all_of(axes.begin(), axes.end(), [&](const Axis &axis) {
           return isWhole(axis.stride[inD]);
         });
}

/// The axis along which an operand's elements lie closest.
size_t Part::closest(size_t place) const {
  size_t best = 0;
  int64_t least = std::numeric_limits<int64_t>::max();
  if (place == inB && !plan.problem.hasB)
    return best;
  for (size_t i = 0; i < axes.size(); ++i) {
    int64_t stride = std::abs(axes[i].stride[place]);
    if (stride != 0 && stride < least) {
      least = stride;
      best = i;
    }
  }
  return best;
}

/// Returns true if the elements of rows of tiles lie side by side in the type
/// of sums.
bool Part::isRow(size_t place) const {
  int64_t stride = inner.stride[place];
  if (place == inD)
    return !plan.mustStore && stride == 1;
  if (place == inB && (!plan.problem.hasB || stride == 0))
    return !plan.problem.hasB || !plan.mustLoad[inB];
  return !plan.mustLoad[place] && stride == 1;
}

/// Returns true if D is far, and nothing passes a buffer but operands that are
/// transposed, beside another one.
bool Part::mayHaveLongRows() const {
  double bytes = 1;
  for (const Axis &axis : plan.problem.axes)
    bytes *= static_cast<double>(axis.extent);
  bytes *= static_cast<double>(widths[inD]);
  return plan.problem.hasB && isRow(inC) && isRow(inD) &&
         std::all_of(std::begin(operands), std::end(operands),
                     [&](size_t place) {
                       return isRow(place) ||
                              (isTransposed(place) && !plan.mustLoad[place]);
                     }) &&
         bytes > static_cast<double>(
                     model::cacheOf(levelsOfHost(), 2).capacityBytes) /
                     2;
}

int64_t Part::bytesOfLongTiles() const {
  return std::count_if(std::begin(operands), std::end(operands),
                       [&](size_t place) { return isLong(place); }) *
         mostTileBytes;
}

Buffers Part::buffersIn(ShortTiles &shortTiles, char *longTiles) const {
  Buffers buffers = {};
  for (size_t place : {inA, inB, inC, inD})
    buffers.tiles[place] = shortTiles.bytes[place];
  for (size_t place : operands)
    if (isLong(place)) {
      buffers.tiles[place] = longTiles;
      longTiles += mostTileBytes;
    }
  return buffers;
}

void Part::chooseTiles() {
  bool transposes = false;
  for (size_t place : {inA, inB, inC, inD})
    areRows &= isRow(place);
  for (size_t place : {inA, inB, inC})
    transposes |= isTransposed(place);
  if (transposes && mayHaveLongRows())
    mostTileBytes =
        std::clamp(static_cast<int64_t>(
                       model::cacheOf(levelsOfHost(), 2).capacityBytes / 2),
                   tileBytes, longTileBytes);
  // Nothing waits in buffers then.
  const int64_t most =
      areRows ? std::numeric_limits<int64_t>::max()
              : mostTileBytes / model::byteWidth(plan.problem.sums);
  if (transposes) {
    int64_t fillLines = lineBytes / model::byteWidth(plan.problem.type[inA]);
    int64_t rows = std::max(transposedRows, fillLines);
    // Tiles that are narrow have more rows, so that there are fewer.
    if (inner.extent < transposedRows)
      rows *= 4;
    tileRows = std::min(rows, other.extent);
    tileColumns = std::min(inner.extent, most / tileRows);
    return;
  }
  tileColumns = std::min(inner.extent, most);
  tileRows = std::min(other.extent, most / tileColumns);
}

void Part::loop(size_t depth, const Places &at, const Call &call) const {
  if (depth == 0) {
    for (int64_t i = 0; i < repeating.extent; i += mostRepeats)
      loopTiles(i == 0 ? at : moved(at, repeating, i),
                std::min(mostRepeats, repeating.extent - i), call);
    return;
  }
  const Axis &along = axes[depth - 1];
  // Small tiles take less than it does to come to them.
  if (depth == 1 && areRows && third.extent == 1 && repeating.extent == 1 &&
      !call.streams)
    return tile(at, inner.extent, other.extent, call, along);
  for (int64_t i = 0; i < along.extent; ++i)
    loop(depth - 1, moved(at, along, i), call);
}

void Part::loopTiles(const Places &at, int64_t repeats,
                     const Call &call) const {
  // Lines go past the caches as a whole: the first tile is narrower.
  int64_t narrow = tileColumns;
  if (call.streams && inner.stride[inD] == 1) {
    const auto width = int64_t(model::byteWidth(plan.problem.type[inD]));
    int64_t behind = reinterpret_cast<intptr_t>(at[inD]) % lineBytes;
    int64_t upToLine = (lineBytes - behind) % lineBytes / width;
    if (upToLine > 0 && upToLine < tileColumns)
      narrow = upToLine;
  }
  for (int64_t z = 0; z < third.extent; z += transposedRows)
    for (int64_t y = 0; y < other.extent; y += tileRows)
      for (int64_t x = 0, next = narrow; x < inner.extent;
           x = next, next += tileColumns)
        for (int64_t i = z; i < std::min(z + transposedRows, third.extent);
             ++i) {
          Places of = moved(moved(moved(at, third, i), other, y), inner, x);
          for (int64_t left = repeats; left > 0; --left) {
            tile(of, std::min(next, inner.extent) - x,
                 std::min(tileRows, other.extent - y), call);
            if (left > 1)
              of = moved(of, repeating, 1);
          }
        }
}

/// The numbers of an operand's tile, and elements between its rows.
const void *Part::load(size_t place, const Places &at, int64_t columns,
                       int64_t rows, const Call &call, int64_t &pitch) const {
  const int64_t along = inner.stride[place], across = other.stride[place];
  if (isRow(place)) {
    pitch = across;
    return at[place];
  }
  // An element that is the same everywhere is read once.
  if (place == inB && along == 0)
    columns = 1;
  pitch = across == 0 ? 0 : columns;
  if (across == 0)
    rows = 1;
  char *tile = call.buffers.tiles[place];
  if (place == inC || call.buffers.isNew(place, {at[place], columns, rows}))
    plan.load[place]({at[place], along, across, columns, rows,
                      along != 0 && isTransposed(place),
                      plan.problem.conjugates[place]},
                     tile);
  return tile;
}

/// Computes tiles along an axis, of which there is one where elements pass
/// buffers.
void Part::tile(const Places &at, int64_t columns, int64_t rows,
                const Call &call, const Axis &tiles) const {
  CombinedRows combined = {};
  combined.tiles = tiles.extent;
  combined.stepOfA = tiles.stride[inA];
  combined.stepOfB = tiles.stride[inB];
  combined.stepOfC = tiles.stride[inC];
  combined.stepOfD = tiles.stride[inD];
  combined.columns = columns;
  combined.rows = rows;
  combined.a = load(inA, at, columns, rows, call, combined.pitchOfA);
  if (plan.problem.hasB)
    combined.b = load(inB, at, columns, rows, call, combined.pitchOfB);
  if (call.readsC)
    combined.c = load(inC, at, columns, rows, call, combined.pitchOfC);
  combined.scalesByB = plan.problem.hasB && inner.stride[inB] == 0;
  combined.alpha = call.alpha;
  combined.beta = call.beta;
  combined.d = at[inD];
  combined.pitchOfD = other.stride[inD];
  combined.streams = call.streams;
  if (isRow(inD))
    return plan.combine(combined);
  combined.d = call.buffers.tiles[inD];
  combined.pitchOfD = columns;
  combined.streams = false;
  plan.combine(combined);
  plan.store({call.buffers.tiles[inD], at[inD], inner.stride[inD],
              other.stride[inD], columns, rows});
}

void ElementwisePlan::run(const void *a, const void *b, const void *c, void *d,
                          const void *alpha, const void *beta,
                          const Team &team) const {
  if (isEmpty)
    return;
  if (isExchanged)
    std::swap(a, b);
  // A tensor that is not read has the place of one that is.
  const PerPlace<const void *> given = {{a, b ? b : a, c ? c : d, d}};
  // Operands are only read through this.
  Places at;
  for (size_t place : {inA, inB, inC, inD})
    at[place] = static_cast<char *>(const_cast<void *>(given[place])) +
                problem.offset[place] * model::byteWidth(problem.type[place]);
  if (shortAxes)
    return team.run(parts, [&](int64_t number) {
      const int64_t tiles = shortAxes->tiles;
      shortAxes->run(*this, at, tiles * number / parts,
                     tiles * (number + 1) / parts, alpha ? alpha : oneOf(real),
                     beta, c != nullptr);
    });
  // Tasks must not fail, and allocations here may.
  std::vector<Part> all;
  struct Freed {
    void operator()(char *memory) const { std::free(memory); }
  };
  std::vector<std::unique_ptr<char, Freed>> longTiles;
  all.reserve(static_cast<size_t>(parts));
  for (int64_t number = 0; number < parts; ++number)
    if (int64_t bytes = all.emplace_back(*this, number).bytesOfLongTiles()) {
      longTiles.resize(static_cast<size_t>(parts));
      longTiles[static_cast<size_t>(number)].reset(
          static_cast<char *>(std::aligned_alloc(lineBytes, bytes)));
      if (!longTiles[static_cast<size_t>(number)])
        throw std::bad_alloc();
    }
  team.run(parts, [&](int64_t number) {
    ShortTiles shortTiles;
    const auto place = static_cast<size_t>(number);
    Buffers buffers = all[place].buffersIn(
        shortTiles, longTiles.empty() ? nullptr : longTiles[place].get());
    const Part &part = all[place];
    Call call = {alpha ? alpha : oneOf(real), beta, c != nullptr,
                 streams && c != d && part.fillsLines(at[inD]), buffers};
    part.run(at, call);
    // Stores past the caches are seen by others after this.
    if (call.streams)
      std::atomic_thread_fence(std::memory_order_seq_cst);
  });
}
