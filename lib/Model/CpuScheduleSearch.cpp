//===- CpuScheduleSearch.cpp - The best schedule for a CPU ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks follow from the capacity of the caches, as in BLIS; the indices of a
// role are filled one after the other, least stride in C first, after what
// keeps the runs of the input whole.
//
//===----------------------------------------------------------------------===//

#include "tc/Model/CpuSchedule.h"

#include <algorithm>

using namespace tc;
using namespace tc::model;

namespace {

/// Chooses the parts of one schedule one after the other.
class Search {
public:
  Search(const Contraction &contraction, const CpuTarget &target)
      : contraction(contraction), target(target),
        bytes(byteWidth(contraction.accumulatorType)) {}

  CpuSchedule run();

private:
  int64_t cache(size_t level) const {
    return target.caches[std::min(level, target.caches.size() - 1)].bytes;
  }
  std::vector<unsigned> sorted(Role role, Tensor by) const;
  Role chooseRows() const;
  void chooseRegisterTile();
  bool staysInFirstCache(int64_t height) const;
  std::optional<unsigned> withStride(Tensor input, int64_t stride) const;
  int64_t rowRun(Tensor input) const;
  int64_t lineElements(Tensor input) const {
    return target.caches.front().lineBytes /
           byteWidth(contraction.elementType[input]);
  }
  /// Elements side by side that memory delivers at its full rate: prefetchers
  /// need some lines in a row until they run ahead.
  int64_t longRun(Tensor input) const { return 32 * lineElements(input); }
  std::vector<TileExtent> fill(Role role, const std::vector<unsigned> &order,
                               const std::vector<Tensor> &inputs, int64_t unit,
                               int64_t most) const;

  const Contraction &contraction;
  const CpuTarget &target;
  /// Of an element in a panel.
  int64_t bytes;
  CpuSchedule schedule;
};

} // namespace

static int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// The indices of a role, the one that varies fastest first.
std::vector<unsigned> Search::sorted(Role role, Tensor by) const {
  std::vector<unsigned> order = contraction.withRole(role);
  auto key = [&](unsigned i) {
    int64_t stride = std::abs(contraction.indices[i].stride[by]);
    // An extent of one has no stride; it goes last.
    return stride == 0 ? INT64_MAX : stride;
  };
  std::sort(order.begin(), order.end(), [&](unsigned a, unsigned b) {
    return std::pair(key(a), a) < std::pair(key(b), b);
  });
  return order;
}

/// Vectors lie along C's index of stride one, so that C is updated by whole
/// vectors; without one, along the side with more elements.
Role Search::chooseRows() const {
  if (std::optional<unsigned> index = contraction.strideOneIndex(Tensor::C)) {
    Role role = contraction.indices[*index].role;
    if (role == Role::M || role == Role::N)
      return role;
  }
  return contraction.extent(Role::M) >= contraction.extent(Role::N) ? Role::M
                                                                    : Role::N;
}

/// The shape with the fewest padded elements, weighed by the loads that a
/// multiplication needs.
void Search::chooseRegisterTile() {
  struct Shape {
    int64_t vectors, columns;
  };
  // Accumulators, the vectors of one operand and one of the other have to fit.
  // Columns come in multiples of four, so that their panels can be filled by
  // transposing squares.
  static constexpr Shape many[] = {{3, 8}, {2, 12}, {2, 8}, {1, 16}, {6, 4}};
  static constexpr Shape few[] = {{3, 4}, {2, 4}, {1, 8}};
  Role columnRole = schedule.rows == Role::M ? Role::N : Role::M;
  int64_t rows = contraction.extent(schedule.rows);
  int64_t columns = contraction.extent(columnRole);
  double best = 0;
  auto consider = [&](const Shape &shape) {
    auto v = static_cast<double>(shape.vectors);
    auto c = static_cast<double>(shape.columns);
    int64_t height = shape.vectors * schedule.lanes;
    // A tall tile pays while its panel of rows stays in the first cache and the
    // narrow ones of columns stream. The other way round, the wide one streams.
    if (shape.vectors > shape.columns && !staysInFirstCache(height))
      return;
    double padded =
        static_cast<double>(ceilDiv(rows, height) * height) *
        static_cast<double>(ceilDiv(columns, shape.columns) * shape.columns);
    // Two loads for two multiplications a cycle; fewer leave room to packing.
    double loads = (v + c) / (v * c);
    double cost = padded * std::max(1.0, loads) * (1 + loads / 8);
    if (best == 0 || cost < best) {
      best = cost;
      schedule.registerRows = height;
      schedule.registerColumns = shape.columns;
    }
  };
  if (target.vectorRegisters >= 32)
    std::for_each(std::begin(many), std::end(many), consider);
  else
    std::for_each(std::begin(few), std::end(few), consider);
}

/// Whether a panel of that many rows, for all of K, fits half of the first
/// cache.
bool Search::staysInFirstCache(int64_t height) const {
  return height * contraction.extent(Role::K) * bytes <= cache(0) / 2;
}

/// The index whose neighbours are that far apart in an input.
std::optional<unsigned> Search::withStride(Tensor input, int64_t stride) const {
  for (unsigned i = 0; i < contraction.indices.size(); ++i)
    if (contraction.indices[i].stride[input] == stride &&
        contraction.indices[i].extent > 1)
      return i;
  return std::nullopt;
}

/// Elements of rows that lie side by side in their input, up to a long run or
/// somewhat more if these are all.
int64_t Search::rowRun(Tensor input) const {
  int64_t run = 1;
  while (run < longRun(input)) {
    std::optional<unsigned> next = withStride(input, run);
    if (!next || contraction.indices[*next].role != schedule.rows)
      break;
    run *= contraction.indices[*next].extent;
  }
  return run <= 2 * longRun(input) ? run : longRun(input);
}

/// Tiles of at most `most` elements in all. First, the first index gets `unit`
/// elements, indices of stride one in `inputs` a cache line or two, and indices
/// whose elements lie side by side in the first input what a long run takes;
/// then all get as much as fits, in order.
std::vector<TileExtent> Search::fill(Role role,
                                     const std::vector<unsigned> &order,
                                     const std::vector<Tensor> &inputs,
                                     int64_t unit, int64_t most) const {
  std::vector<int64_t> tile(order.size(), 1);
  int64_t used = 1;
  // A block has all three products of parts.
  for (size_t place = 0; place < order.size(); ++place)
    if (contraction.threeProducts == order[place])
      used = tile[place] = contraction.indices[order[place]].extent;
  auto grow = [&](size_t place, int64_t limit, int64_t unit) {
    int64_t extent = contraction.indices[order[place]].extent;
    int64_t others = used / tile[place];
    limit = std::min(limit, std::max<int64_t>(most / others, 1));
    if (limit >= extent) {
      tile[place] = extent;
    } else {
      // Whole units, and blocks as equal as these allow.
      unit = std::min(unit, limit);
      int64_t blocks = ceilDiv(extent, limit / unit * unit);
      tile[place] =
          std::max(tile[place], ceilDiv(ceilDiv(extent, blocks), unit) * unit);
    }
    used = others * tile[place];
  };
  /// The tile along an index, as far as it is known.
  auto tileOf = [&](unsigned index) -> int64_t {
    auto place = std::find(order.begin(), order.end(), index);
    if (place != order.end())
      return tile[static_cast<size_t>(place - order.begin())];
    if (contraction.indices[index].role == Role::K)
      for (const TileExtent &known : schedule.k)
        if (known.label == contraction.indices[index].label)
          return known.extent;
    return 0;
  };
  auto growRun = [&](Tensor input) {
    int64_t run = 1;
    while (run < longRun(input)) {
      std::optional<unsigned> next = withStride(input, run);
      if (!next)
        return;
      auto place = std::find(order.begin(), order.end(), *next);
      if (place != order.end())
        grow(static_cast<size_t>(place - order.begin()), longRun(input) / run,
             run == 1 ? lineElements(input) : 1);
      if (tileOf(*next) != contraction.indices[*next].extent)
        return;
      run *= tileOf(*next);
    }
  };
  if (!order.empty() && role != Role::K)
    grow(0, unit, schedule.lanes);
  for (size_t place = 0; place < order.size(); ++place)
    for (Tensor input : inputs)
      if (contraction.indices[order[place]].stride[input] == 1)
        grow(place, 2 * lineElements(input), lineElements(input));
  growRun(inputs.front());
  for (size_t place = 0; place < order.size(); ++place) {
    auto alongLine =
        std::find_if(inputs.begin(), inputs.end(), [&](Tensor input) {
          return contraction.indices[order[place]].stride[input] == 1;
        });
    int64_t others = alongLine == inputs.end() ? 1 : lineElements(*alongLine);
    grow(place, most, place == 0 ? unit : others);
  }

  // A block has whole complex numbers.
  for (size_t place = 0; place < order.size(); ++place)
    if (contraction.parts && contraction.parts->output == order[place])
      tile[place] += tile[place] % 2;
  std::vector<TileExtent> tiles;
  for (size_t place = order.size(); place-- > 0;)
    tiles.push_back({contraction.indices[order[place]].label, tile[place]});
  return tiles;
}

CpuSchedule Search::run() {
  schedule.target = target.name;
  schedule.lanes = target.vectorBytes / bytes;
  schedule.rows = chooseRows();
  chooseRegisterTile();
  bool rowsAreM = schedule.rows == Role::M;
  Role columnRole = rowsAreM ? Role::N : Role::M;
  Tensor rowInput = rowsAreM ? Tensor::A : Tensor::B;
  Tensor columnInput = rowsAreM ? Tensor::B : Tensor::A;

  // Whole vectors of C, and whole panels where they cost no runs of the input.
  std::vector<unsigned> rowOrder = sorted(schedule.rows, Tensor::C);
  bool copies = rowOrder.empty() ||
                contraction.indices[rowOrder.front()].stride[rowInput] == 1;
  int64_t firstRows = schedule.registerRows;
  if (!copies) {
    int64_t extent = contraction.indices[rowOrder.front()].extent;
    bool isRagged = extent % schedule.lanes != 0;
    firstRows =
        isRagged && extent <= 4 * schedule.lanes ? extent : schedule.lanes;
  }
  // Few columns need no more rows than make long runs.
  constexpr int64_t fewest = 32;
  bool fewColumns = contraction.extent(columnRole) <= fewest;

  // A panel of columns stays in half of the first cache.
  int64_t mostDepth = cache(0) / 2 / (schedule.registerColumns * bytes);
  // The block of rows stays in half of the second cache. Where each row is used
  // for few columns only, reading it decides: blocks of K become so short that
  // blocks of rows have room for runs, and follow one another innermost, so
  // that their block of C stays in the other half.
  bool splitsForRuns = false;
  int64_t rowBytes = cache(1) / 2;
  if (fewColumns && !copies) {
    int64_t run = rowRun(rowInput);
    int64_t k = contraction.extent(Role::K);
    // C is to be much smaller than what is read, as it is updated repeatedly.
    splitsForRuns =
        k >= 8 * contraction.extent(columnRole) &&
        !contraction.needsWholeSums &&
        firstRows * std::min(run, longRun(rowInput) / 2) * k * bytes >
            rowBytes &&
        firstRows * run * contraction.extent(columnRole) * bytes <= rowBytes;
    if (splitsForRuns)
      mostDepth = std::min(mostDepth, rowBytes / (firstRows * run * bytes));
    else
      rowBytes = cache(1) / 3;
  }
  // Partial sums have no place.
  if (contraction.needsWholeSums)
    mostDepth = contraction.extent(Role::K);
  schedule.k = fill(Role::K, sorted(Role::K, rowInput), {rowInput, columnInput},
                    1, mostDepth);
  int64_t depth = Schedule::product(schedule.k);
  int64_t mostRows =
      std::max(rowBytes / (depth * bytes), schedule.registerRows);
  auto &rows = rowsAreM ? schedule.m : schedule.n;
  rows = fill(schedule.rows, rowOrder, {rowInput}, firstRows, mostRows);
  // That of columns stays in the third, or, if there is but one block of rows,
  // in the second, too.
  bool isOneBlock =
      Schedule::product(rows) == contraction.extent(schedule.rows);
  int64_t columnBytes = isOneBlock ? cache(1) / 4 : 4 * cache(1);
  int64_t mostColumns =
      std::max(columnBytes / (depth * bytes), schedule.registerColumns);
  auto &columns = rowsAreM ? schedule.n : schedule.m;
  columns = fill(columnRole, sorted(columnRole, Tensor::C), {columnInput},
                 schedule.registerColumns, mostColumns);
  if (splitsForRuns)
    schedule.order = {columnRole, schedule.rows, Role::K};
  else
    schedule.order = {columnRole, Role::K, schedule.rows};
  // The panels that stay are those of rows if they fit the first cache, as
  // those of columns, which then stream, are narrower.
  schedule.columnsInnermost =
      schedule.registerRows * depth * bytes <= cache(0) / 2;
  // What no cache can hold until it is read again need not pass through any.
  schedule.stream = !contraction.readsC &&
                    depth == contraction.extent(Role::K) &&
                    contraction.elements(Tensor::C) *
                            static_cast<double>(
                                byteWidth(contraction.elementType[Tensor::C])) >
                        static_cast<double>(target.caches.back().bytes) / 2;
  return schedule;
}

Result<CpuSchedule> tc::model::searchCpuSchedule(const Contraction &contraction,
                                                 const CpuTarget &target,
                                                 int64_t threads) {
  if (target.caches.empty())
    return Error{"target " + target.name + ": it has no caches"};
  if (target.vectorBytes < byteWidth(contraction.accumulatorType))
    return Error{"target " + target.name + ": its vectors hold no element"};
  CpuSchedule schedule = Search(contraction, target).run();
  if (Result<CpuLayout> layout = layOut(contraction, schedule); !layout)
    return Error{layout.error()};
  return shareOut(contraction, target, schedule, threads);
}
