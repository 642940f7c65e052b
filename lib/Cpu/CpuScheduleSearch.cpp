//===- CpuScheduleSearch.cpp - The best schedule for a CPU ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each register tile, each choice of the panels that stay in the first
// cache and each choice of the levels of memory for the blocks, these are the
// largest that fit, as in BLIS; the indices of a role are filled one after the
// other, least stride in C first, after what keeps the runs of the input whole.
// The schedule of least predicted time wins.
//
//===----------------------------------------------------------------------===//

#include "tc/Cpu/CpuStrategy.h"
#include "tc/Hierarchy/Blocks.h"
#include "tc/Machine/MicroKernels.h"
#include "tc/Support/Arithmetic.h"

#include "RelatedSchedules.h"

#include <algorithm>
#include <cmath>
#include <set>

using namespace tc;
using namespace tc::model;

namespace {

/// The preferences that one schedule is built for.
struct Preferences {
  MicroKernel tile;
  /// The panels that stay in the first cache while the others stream through:
  /// those of rows, or else those of columns.
  bool rowsStay;
  /// True if blocks of K keep the runs of the columns' input whole, too.
  bool wholeColumnRuns;
  /// True if one block spans all of K, whatever its panels take.
  bool wholeK;
  /// The levels of the hierarchy that hold the block whose panels pass through
  /// the first cache, and both blocks.
  unsigned streamLevel, blocksLevel;
  /// True if the blocks leave room for the sums that they add up to, so that
  /// these stay in these levels, too.
  bool roomForC;
  /// True if the loop over blocks of K is the innermost of the three, so that a
  /// block of C stays where it is between them.
  bool kInnermost;
};

/// Chooses the parts of one schedule one after the other.
class Search {
public:
  Search(const Contraction &contraction, const CpuTarget &target,
         const Hierarchy &hierarchy)
      : contraction(contraction), target(target), hierarchy(hierarchy),
        bytes(byteWidth(contraction.accumulatorType)) {}

  /// No schedule if panels of all of K are asked for, and too large.
  std::optional<CpuSchedule> run(const Preferences &preferences);

private:
  bool fitsWith(unsigned level, int64_t rows, int64_t columns,
                int64_t depth) const {
    return fits(hierarchy[level], bytesOf({rows, columns, depth, bytes}));
  }
  std::vector<unsigned> sorted(Role role, Tensor by) const;
  Role chooseRows() const;
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
                               const std::vector<Tensor> &inputs,
                               const std::vector<Tensor> &runInputs,
                               int64_t unit, int64_t most) const;

  const Contraction &contraction;
  const CpuTarget &target;
  const Hierarchy &hierarchy;
  /// Bytes of an element in a panel.
  int64_t bytes;
  CpuSchedule schedule;
};

} // namespace

/// Predicted times within this fraction of the least are ties.
static constexpr double tieTolerance = 0.01;
/// The part that schedules other than those that fill caches have to gain.
static constexpr double leastGain = 0.005;

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
/// whose elements lie side by side in one of `runInputs` what a long run takes;
/// then all get as much as fits, in order.
std::vector<TileExtent> Search::fill(Role role,
                                     const std::vector<unsigned> &order,
                                     const std::vector<Tensor> &inputs,
                                     const std::vector<Tensor> &runInputs,
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
      tile[place] = std::max(tile[place],
                             equalBlock(extent, limit, std::min(unit, limit)));
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
  for (Tensor input : runInputs)
    growRun(input);
  for (size_t place = 0; place < order.size(); ++place) {
    auto alongLine =
        std::find_if(inputs.begin(), inputs.end(), [&](Tensor input) {
          return contraction.indices[order[place]].stride[input] == 1;
        });
    int64_t others = alongLine == inputs.end() ? 1 : lineElements(*alongLine);
    grow(place, most, place == 0 ? unit : others);
  }

  // No panel is cut off at the end of each block.
  if (!order.empty() && tile[0] > unit &&
      tile[0] < contraction.indices[order[0]].extent)
    tile[0] = tile[0] / unit * unit;

  // A block has whole complex numbers.
  for (size_t place = 0; place < order.size(); ++place)
    if (contraction.parts && contraction.parts->output == order[place])
      tile[place] += tile[place] % 2;
  std::vector<TileExtent> tiles;
  for (size_t place = order.size(); place-- > 0;)
    tiles.push_back({contraction.indices[order[place]].label, tile[place]});
  return tiles;
}

std::optional<CpuSchedule> Search::run(const Preferences &preferences) {
  const MicroKernel &tile = preferences.tile;
  schedule = CpuSchedule();
  schedule.target = target.name;
  schedule.lanes = target.vectorBytes / bytes;
  schedule.rows = chooseRows();
  schedule.registerRows = tile.vectors * schedule.lanes;
  schedule.registerColumns = tile.columns;
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
    // Lines of C are stored whole.
    int64_t extent = contraction.indices[rowOrder.front()].extent;
    int64_t least = std::max(schedule.lanes, lineElements(Tensor::C));
    bool isRagged = extent % least != 0;
    firstRows = isRagged && extent <= 4 * least ? extent : least;
  }
  int64_t allRows = contraction.extent(schedule.rows);
  int64_t allColumns = contraction.extent(columnRole);
  int64_t allOfK = contraction.extent(Role::K);
  int64_t maxDepth = largestBlock(
      hierarchy[1], BlockSide::Depth,
      {schedule.registerRows, schedule.registerColumns, 0, bytes}, 1, allOfK);
  // Reading rows decides if each is used for few columns only: blocks of
  // rows are long runs, for which blocks of K become as short as they have to.
  constexpr int64_t fewColumns = 32;
  std::optional<int64_t> runRows;
  if (preferences.kInnermost && allColumns <= fewColumns && !copies)
    runRows = firstRows * rowRun(rowInput);
  // C is to be much smaller than the data that is read, as it is updated
  // repeatedly.
  if (runRows && allOfK >= 8 * allColumns &&
      fitsWith(preferences.blocksLevel, *runRows, allColumns, 1))
    maxDepth =
        largestBlock(hierarchy[preferences.blocksLevel], BlockSide::Depth,
                     {*runRows, allColumns, 0, bytes}, 1, maxDepth);
  if (preferences.wholeK)
    maxDepth = allOfK;
  std::vector<Tensor> runInputs = {rowInput};
  if (preferences.wholeColumnRuns)
    runInputs.push_back(columnInput);
  schedule.k = fill(Role::K, sorted(Role::K, rowInput), {rowInput, columnInput},
                    runInputs, 1, maxDepth);
  int64_t depth = extentsProduct(schedule.k);
  if (preferences.wholeK &&
      !fitsWith(preferences.streamLevel, schedule.registerRows,
                schedule.registerColumns, depth))
    return std::nullopt;
  // Sums of a part of K wait in a buffer where C has no place for them.
  bool buffersSums = contraction.needsWholeSums && depth < allOfK;
  if (preferences.kInnermost && depth == allOfK)
    return std::nullopt;
  bool kInnermost = buffersSums || preferences.kInnermost;
  bool roomForC = preferences.roomForC || kInnermost;
  // The block that streams is read once for each panel that stays.
  const MemoryLevel &streamLevel = hierarchy[preferences.streamLevel];
  const MemoryLevel &blocksLevel = hierarchy[preferences.blocksLevel];
  int64_t maxRows = allRows, maxColumns = allColumns;
  auto limitRows = [&](const MemoryLevel &level, int64_t columns) {
    maxRows =
        largestBlock(level, BlockSide::Rows,
                     {0, columns, depth, bytes, roomForC, BlockSide::Rows},
                     schedule.registerRows, maxRows);
  };
  auto limitColumns = [&](const MemoryLevel &level, int64_t rows) {
    maxColumns =
        largestBlock(level, BlockSide::Columns,
                     {rows, 0, depth, bytes, roomForC, BlockSide::Columns},
                     schedule.registerColumns, maxColumns);
  };
  if (buffersSums) {
    // The buffer is of a block as square as C allows: both sides are packed
    // again for each.
    int64_t square = largestThatFits(
        blocksLevel, 1, std::max(allRows, allColumns),
        [&](int64_t count) { return bytesOf({count, count, depth, bytes}); });
    limitRows(blocksLevel, std::min(square, allColumns));
    limitColumns(blocksLevel, maxRows);
  } else if (preferences.rowsStay) {
    limitColumns(streamLevel, schedule.registerRows);
    limitRows(blocksLevel, maxColumns);
  } else {
    limitRows(streamLevel, schedule.registerColumns);
    limitColumns(blocksLevel, maxRows);
  }
  if (runRows)
    maxRows = std::min(maxRows, *runRows);
  auto &rows = rowsAreM ? schedule.m : schedule.n;
  rows =
      fill(schedule.rows, rowOrder, {rowInput}, {rowInput}, firstRows, maxRows);
  auto &columns = rowsAreM ? schedule.n : schedule.m;
  columns = fill(columnRole, sorted(columnRole, Tensor::C), {columnInput},
                 {columnInput}, schedule.registerColumns, maxColumns);
  if (kInnermost)
    schedule.order = {columnRole, schedule.rows, Role::K};
  else
    schedule.order = {columnRole, Role::K, schedule.rows};
  schedule.columnsInnermost = preferences.rowsStay;
  return schedule;
}

/// The decisions that distinguish the schedules that are built for one
/// contraction, in which all have the labels of a role in the same order.
static std::vector<int64_t> decisionsOf(const CpuSchedule &schedule) {
  std::vector<int64_t> decisions = {schedule.registerRows,
                                    schedule.registerColumns,
                                    schedule.columnsInnermost};
  for (Role role : schedule.order)
    decisions.push_back(static_cast<int64_t>(role));
  for (Role role : {Role::M, Role::N, Role::K})
    for (const TileExtent &tile : schedule.tiles(role))
      decisions.push_back(tile.extent);
  return decisions;
}

Result<std::vector<CpuCandidate>>
tc::model::enumerateCpuSchedules(const Contraction &contraction,
                                 const CpuTarget &target) {
  if (target.caches.empty())
    return Error{"target " + target.name + ": it has no caches"};
  if (target.vectorBytes < byteWidth(contraction.accumulatorType))
    return Error{"target " + target.name + ": its vectors hold no element"};
  // Data that no cache can hold until it is read again need not pass through
  // any.
  bool mayStream =
      !contraction.readsC &&
      passesCaches(target, contraction.elements(Tensor::C) *
                               static_cast<double>(byteWidth(
                                   contraction.elementType[Tensor::C])));
  Hierarchy hierarchy = blockHierarchy(target);
  std::vector<CpuCandidate> candidates;
  // Blocks of small contractions are the same in all levels.
  std::set<std::vector<int64_t>> considered;
  auto consider = [&](const Preferences &preferences) -> Status {
    std::optional<CpuSchedule> schedule =
        Search(contraction, target, hierarchy).run(preferences);
    if (!schedule || !considered.insert(decisionsOf(*schedule)).second)
      return {};
    bool isOneVisit =
        contraction.needsWholeSums ||
        extentsProduct(schedule->k) == contraction.extent(Role::K);
    for (bool stream : {false, true}) {
      if (stream && !(mayStream && isOneVisit))
        continue;
      schedule->stream = stream;
      Result<CpuTime> time = predictTime(contraction, *schedule, target);
      if (!time)
        return Error{time.error()};
      candidates.push_back({*schedule, *time});
    }
    return {};
  };
  auto levels = static_cast<unsigned>(target.caches.size());
  unsigned second = std::min(2U, levels);
  const CpuIsa isa = isaOf(target);
  for (const MicroKernel &tile : microKernels) {
    if (tile.isa != isa)
      continue;
    for (bool rowsStay : {true, false})
      for (bool wholeColumnRuns : {false, true})
        for (bool wholeK : {false, true}) {
          if (wholeK && !contraction.needsWholeSums)
            continue;
          for (unsigned stream = second; stream <= levels; ++stream)
            for (unsigned blocks = stream; blocks <= levels; ++blocks)
              for (auto [roomForC, kInnermost] :
                   {std::pair(false, false), {true, false}, {true, true}})
                if (Status status =
                        consider({tile, rowsStay, wholeColumnRuns, wholeK,
                                  stream, blocks, roomForC, kInnermost});
                    !status)
                  return Error{status.error()};
        }
  }
  return candidates;
}

Result<CpuSchedule> tc::model::searchCpuSchedule(const Contraction &contraction,
                                                 const CpuTarget &target,
                                                 int64_t threads) {
  Result<std::vector<CpuCandidate>> candidates =
      enumerateCpuSchedules(contraction, target);
  if (!candidates)
    return Error{candidates.error()};
  // Choose the one that moves least of those that are about as fast.
  double least = HUGE_VAL;
  for (const CpuCandidate &candidate : *candidates)
    least = std::min(least, candidate.time.total());
  const CpuCandidate *best = nullptr;
  for (const CpuCandidate &candidate : *candidates)
    if (candidate.time.total() <= least * (1 + tieTolerance) &&
        (!best || candidate.time.moving() < best->time.moving()))
      best = &candidate;
  // Blocks that fill caches are not always the best.
  CpuCandidate chosen = *best;
  Result<CpuLayout> layout = layOut(contraction, best->schedule);
  for (CpuSchedule &related : relatedSchedules(contraction, best->schedule)) {
    Result<CpuLayout> other = layOut(contraction, related);
    if (!other || other->rows.packing != layout->rows.packing ||
        other->columns.packing != layout->columns.packing)
      continue;
    Result<CpuTime> time = predictTime(contraction, related, target);
    if (time && time->total() < chosen.time.total() * (1 - leastGain))
      chosen = {std::move(related), *time};
  }
  return shareOut(contraction, target, chosen.schedule, threads);
}
