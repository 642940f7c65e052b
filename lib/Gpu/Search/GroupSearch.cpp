//===- GroupSearch.cpp - Choosing schedules for a group -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Gpu/Search/GroupSearch.h"

#include "GroupCost.h"
#include "ThreadTiles.h"

#include "tc/Gpu/Layout/GroupLayout.h"
#include "tc/Problem/ComplexParts.h"
#include "tc/Support/Arithmetic.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace tc::model {

namespace {

/// Most elements of a tile that a block has of any output.
constexpr int64_t maxBlockElements = 16384;
/// Numbers of threads that are searched for a tile, and register tiles of each
/// contraction.
constexpr size_t maxWidths = 4, maxRegisterTiles = 4;
/// Numbers of threads near this one are looked at first.
constexpr double usualThreads = 128;
/// Depths of tiles that are copied from memory, and their stages.
constexpr int64_t usualDepth = 32;
constexpr int64_t depths[] = {8, 16, 32, 64, 128, 256}, stageCounts[] = {2, 3};
/// The share of the time that a kernel must gain to take the place of a
/// register tile that needs fewer cycles, or of a longer instruction.
constexpr double groupTie = 0.01;
/// Elements of what the last contraction of a chain sums over that a step
/// takes: all, or fewer.
constexpr int64_t stepLengths[] = {0, 16, 32, 64, 128};

/// The tiles along the indices of each contraction, in the group's order.
using Tiles = std::vector<std::vector<int64_t>>;

/// The least time of a softmax of an output in a kernel of its own, which reads
/// it and writes it once.
double softmaxSeconds(const Contraction &contraction, const Target &target) {
  return 2 * contraction.elements(Tensor::C) *
             static_cast<double>(
                 byteWidth(contraction.elementType[Tensor::C])) /
             (target.attainable.memoryCopies * target.memoryBytesPerSecond) +
         target.costs.time.secondsBetweenKernels;
}

/// The order in which tiles get longer: along the indices of least stride of
/// the last C first, or of the first A, of which those that it does not have
/// come last, or else first, so that no two blocks read the same of it.
enum class Growth { Output, Input, InputOnce };

/// A contraction as one kernel computes it.
struct FoundNode {
  Schedule schedule;
  KernelLayout layout;
};

/// Contractions go by their places in the group's order, of which the last one
/// is the kernel's own.
class GroupSearch {
public:
  GroupSearch(const ContractionGroup &group, const Target &target,
              SearchMemo *memo)
      : group(group), target(target), memo(memo), order(group.order()) {
    findFree();
  }

  Result<GroupSearchResult> run() {
    lookAtAll();
    // If blocks are small, anything feasible is better than nothing.
    if (best.schedules.empty()) {
      takesAny = true;
      lookAtAll();
    }
    if (best.schedules.empty())
      return Error{"no schedule for " + target.name +
                   (sharedInput()
                        ? " has the same tile of what the contractions "
                          "have in common, and all else of their outputs"
                        : " keeps the tensors between contractions in "
                          "shared memory")};
    std::vector<const Contraction *> separate;
    separate.reserve(order.size());
    for (size_t place = 0; place < order.size(); ++place)
      separate.push_back(&at(place));
    Result<double> seconds = secondsOfSeparateKernels(
        separate, target, memo,
        [this](const Contraction &contraction, const Candidate &kernel) {
          return secondsApart(contraction, kernel, target);
        });
    if (!seconds)
      return Error{seconds.error()};
    best.separateSeconds = *seconds;
    for (const IndexedEdge &edge : group.edges)
      if (takesSoftmax(edge))
        best.separateSeconds +=
            softmaxSeconds(group.contractions[edge.from], target);
    return best;
  }

private:
  const Contraction &at(size_t place) const {
    return group.contractions[order[place]];
  }
  const Contraction &last() const { return group.contractions.front(); }
  /// The edge by which the contraction before computes an input, if it does.
  const IndexedEdge *producerOf(size_t place) const {
    return group.producerOf(order[place]);
  }
  /// The input that the first contraction shares with all others.
  std::optional<Tensor> sharedInput() const {
    return group.sharedInput(order.front());
  }

  void lookAtAll() {
    std::set<Tiles> seen;
    for (Growth growth : {Growth::Output, Growth::Input, Growth::InputOnce})
      for (int64_t elements = 1; elements <= maxBlockElements; elements *= 2)
        for (bool isBinary : {true, false})
          for (int64_t length : stepLengths) {
            std::optional<Tiles> tiles =
                tilesOf(elements, growth, isBinary, length);
            if (tiles && seen.insert(*tiles).second)
              for (int64_t threads : threadCounts(*tiles))
                evaluate(*tiles, threads);
          }
  }

  /// Follows the first output to the last one, or the input that all share.
  void findFree() {
    std::map<unsigned, unsigned> places;
    for (unsigned i = 0; i < at(0).indices.size(); ++i)
      if (at(0).indices[i].role != Role::K && !isPart(at(0), i) &&
          mayBeTiled(i))
        places[i] = i;
    std::vector<std::map<unsigned, unsigned>> byPlace = {places};
    for (size_t place = 1; place < order.size(); ++place) {
      const IndexedEdge *producer = producerOf(place);
      LinkedIndices linked =
          producer ? producer->indices
                   : group.sharedIndices(order.front(), order[place]);
      std::map<unsigned, unsigned> next;
      for (auto [first, before] : places)
        for (auto [one, own] : linked)
          if (one == (producer ? before : first) &&
              at(place).indices[own].role != Role::K)
            next[first] = own;
      places = next;
      byPlace.push_back(places);
    }
    for (auto [first, last] : places) {
      std::vector<unsigned> &index = free.emplace_back();
      for (const std::map<unsigned, unsigned> &ofPlace : byPlace)
        index.push_back(ofPlace.at(first));
      bool isBatch = false;
      for (size_t place = 0; place < order.size(); ++place)
        isBatch |= at(place).indices[index[place]].role == Role::Batch;
      if (isBatch) {
        single.push_back(std::move(index));
        free.pop_back();
      }
    }
  }

  /// Returns true if an index of the first contraction is one of the input that
  /// all share, or if there is none.
  bool mayBeTiled(unsigned index) const {
    std::optional<Tensor> shared = sharedInput();
    Role role = at(0).indices[index].role;
    return !shared || role == Role::Batch ||
           role == (shared == Tensor::A ? Role::M : Role::N);
  }

  static int64_t powerCovering(int64_t extent) {
    int64_t power = 1;
    while (power < extent)
      power *= 2;
    return power;
  }

  /// Shortens the tiles along what the last contraction sums over, in it and in
  /// those before, to so many elements. False if no tile is longer than that.
  bool shortenSteps(Tiles &tiles, int64_t length) const {
    bool isShorter = false;
    std::vector<unsigned> summed = last().withRole(Role::K);
    // The last indices first, which vary fastest.
    for (size_t i = summed.size(); i-- > 0;) {
      int64_t tile =
          std::min(length, powerCovering(last().indices[summed[i]].extent));
      length /= tile;
      if (tile >= last().indices[summed[i]].extent)
        continue;
      isShorter = true;
      unsigned index = summed[i];
      tiles.back()[index] = tile;
      for (size_t place = order.size() - 1; place > 0; --place) {
        const LinkedIndices &linked = producerOf(place)->indices;
        auto found = std::find_if(linked.begin(), linked.end(), [&](auto pair) {
          return pair.second == index;
        });
        if (found == linked.end())
          break;
        index = found->first;
        tiles[place - 1][index] = tile;
      }
    }
    return isShorter;
  }

  /// Tiles of so many elements along free indices, of so many along what the
  /// last contraction sums over, if that is not zero, and of all along others.
  /// None if an output's tile were too large.
  std::optional<Tiles> tilesOf(int64_t elements, Growth growth, bool isBinary,
                               int64_t stepLength) const {
    Tiles tiles;
    for (size_t place = 0; place < order.size(); ++place) {
      std::vector<int64_t> &ofNode = tiles.emplace_back();
      for (const Index &index : at(place).indices)
        ofNode.push_back(index.role == Role::Batch ? 1
                         : isBinary                ? powerCovering(index.extent)
                                                   : index.extent);
    }
    for (const std::vector<unsigned> &index : single)
      for (size_t place = 0; place < order.size(); ++place)
        tiles[place][index[place]] = 1;
    size_t along = growth == Growth::Output ? order.size() - 1 : 0;
    Tensor input = sharedInput().value_or(Tensor::A);
    std::vector<std::vector<unsigned>> ordered = free;
    std::sort(ordered.begin(), ordered.end(),
              [&](const auto &x, const auto &y) {
                auto stride = [&](const std::vector<unsigned> &index) {
                  const Index &own = at(along).indices[index[along]];
                  int64_t step =
                      own.stride[growth == Growth::Output ? Tensor::C : input];
                  return step == 0 && growth != Growth::InputOnce
                             ? std::numeric_limits<int64_t>::max()
                             : magnitude(step);
                };
                return std::tuple(stride(x), x) < std::tuple(stride(y), y);
              });
    for (const std::vector<unsigned> &index : ordered) {
      int64_t extent = at(0).indices[index[0]].extent;
      int64_t tile = std::min(elements, powerCovering(extent));
      elements /= tile;
      for (size_t place = 0; place < order.size(); ++place)
        tiles[place][index[place]] = tile;
    }
    if (elements > 1 || (stepLength && sharedInput()) ||
        (stepLength && !shortenSteps(tiles, stepLength)))
      return std::nullopt;
    for (size_t place = 0; place < order.size(); ++place)
      if (blockOf(tiles, place, Role::M) * blockOf(tiles, place, Role::N) >
              maxBlockElements ||
          (producerOf(place) &&
           blockOf(tiles, place, Role::K) > maxBlockElements))
        return std::nullopt;
    return tiles;
  }

  /// Returns true if the last contraction takes what another one computes, or
  /// its softmax, in steps.
  bool takesSteps(const Tiles &tiles) const {
    const IndexedEdge *producer = group.producerOf(0);
    if (!producer || takesSoftmax(*producer))
      return producer != nullptr;
    for (unsigned index : last().withRole(Role::K))
      if (tiles.back()[index] < last().indices[index].extent)
        return true;
    return false;
  }

  int64_t blockOf(const Tiles &tiles, size_t place, Role role) const {
    int64_t block = 1;
    for (unsigned index : at(place).withRole(role))
      block = saturatingMultiply(block, tiles[place][index]);
    return block;
  }

  /// Numbers of threads that register tiles of all lead to: first those
  /// whose warps are full and that are near `usualThreads`.
  std::vector<int64_t> threadCounts(const Tiles &tiles) const {
    std::vector<BlockOfContraction> blocks;
    blocks.reserve(order.size());
    for (size_t place = 0; place < order.size(); ++place)
      blocks.push_back({&at(place), blockOf(tiles, place, Role::M),
                        blockOf(tiles, place, Role::N)});
    const GpuSearchCosts &costs = target.costs.search;
    std::vector<std::pair<double, int64_t>> sorted;
    for (int64_t threads : commonThreadCounts(blocks)) {
      double waste = static_cast<double>(roundUp(threads, target.warpSize)) /
                     static_cast<double>(threads);
      sorted.emplace_back(
          costs.idleThreads * (waste - 1) +
              std::fabs(std::log2(static_cast<double>(threads) / usualThreads)),
          threads);
    }
    std::sort(sorted.begin(), sorted.end());
    std::vector<int64_t> counts;
    for (size_t i = 0; i < std::min(maxWidths, sorted.size()); ++i)
      counts.push_back(sorted[i].second);
    return counts;
  }

  Schedule scheduleOf(const Tiles &tiles, size_t place,
                      const ThreadTile &registerTile) const {
    const Contraction &contraction = at(place);
    const IndexedEdge *producer = producerOf(place);
    Schedule schedule;
    schedule.target = target.name;
    for (auto [role, list] :
         {std::pair(Role::M, &schedule.m), std::pair(Role::N, &schedule.n),
          std::pair(Role::K, &schedule.k)}) {
      std::vector<unsigned> indices = contraction.withRole(role);
      // Lanes go along C; what is copied decides about K.
      Tensor along = role != Role::K                           ? Tensor::C
                     : producer && producer->sink == Tensor::A ? Tensor::B
                                                               : Tensor::A;
      std::sort(indices.begin(), indices.end(), [&](unsigned x, unsigned y) {
        auto stride = [&](unsigned index) {
          return magnitude(contraction.indices[index].stride[along]);
        };
        return std::tuple(-stride(x), x) < std::tuple(-stride(y), y);
      });
      for (unsigned index : indices)
        list->push_back(
            {contraction.indices[index].label, tiles[place][index]});
    }
    schedule.registerM = registerTile.m;
    schedule.registerN = registerTile.n;
    schedule.instruction = registerTile.instruction;
    return schedule;
  }

  /// Shortens the tile along K to so many elements.
  static void shorten(Schedule &schedule, int64_t depth) {
    int64_t rest = depth;
    for (size_t i = schedule.k.size(); i-- > 0;) {
      int64_t tile = 1;
      while (2 * tile <= std::min(rest, schedule.k[i].extent))
        tile *= 2;
      schedule.k[i].extent = std::min(schedule.k[i].extent, tile);
      rest = std::max<int64_t>(1, rest / tile);
    }
  }

  /// The fastest kernel of a contraction with those tiles and threads; if it
  /// `hasRows`, of those where a warp has all columns of its rows. Tiles of
  /// others recur with the same of this one, so that it is kept.
  const std::optional<FoundNode> &findNode(const Tiles &tiles, size_t place,
                                           int64_t threads, bool hasRows) {
    auto [entry, isNew] = foundNodes.try_emplace(
        {place, tiles[place], threads, hasRows, takesSteps(tiles), takesAny});
    if (isNew)
      entry->second = searchNode(tiles, place, threads, hasRows);
    return entry->second;
  }

  std::optional<FoundNode> searchNode(const Tiles &tiles, size_t place,
                                      int64_t threads, bool hasRows) const {
    const Contraction &contraction = at(place);
    const IndexedEdge *producer = producerOf(place);
    int64_t columns = blockOf(tiles, place, Role::N);
    ThreadTiles registerTiles(contraction, target, threads,
                              hasRows ? columns / warpLanes.columns : 0);
    const std::vector<ThreadTile> &candidates =
        registerTiles.of(blockOf(tiles, place, Role::M), columns);
    std::optional<FoundNode> found;
    double fastest = std::numeric_limits<double>::infinity();
    auto look = [&](const Schedule &schedule, KernelLayout layout) {
      // Nothing copies what the contraction before has left.
      KernelLayout copied = layout;
      if (producer)
        (producer->sink == Tensor::A ? copied.a : copied.b).accessesPerThread =
            0;
      if (!takesAny && !isAdmissible(copied, target))
        return;
      double seconds =
          secondsOfNode(group, order[place], layout, target).longest();
      if (seconds >= fastest * (1 - groupTie))
        return;
      fastest = seconds;
      found = {schedule, std::move(layout)};
    };
    for (size_t i = 0; i < std::min(maxRegisterTiles, candidates.size()); ++i) {
      Schedule schedule = scheduleOf(tiles, place, candidates[i]);
      if (producer) {
        if (Result<KernelLayout> layout = layOut(contraction, schedule, target))
          look(schedule, std::move(*layout));
        continue;
      }
      std::optional<std::vector<TileExtent>> shortened;
      for (int64_t depth : depths) {
        // More than a few pay only where an input is kept.
        if (depth > usualDepth && !takesSteps(tiles))
          break;
        Schedule shallow = schedule;
        shorten(shallow, depth);
        if (shortened == shallow.k)
          continue;
        shortened = shallow.k;
        shallow.stages = stageCounts[0];
        Result<KernelLayout> layout = layOut(contraction, shallow, target);
        if (!layout)
          continue;
        for (int64_t stages : stageCounts) {
          shallow.stages = stages;
          KernelLayout staged = *layout;
          if (stages == stageCounts[0] || setStages(staged, stages, target))
            look(shallow, std::move(staged));
        }
      }
    }
    return found;
  }

  void evaluate(const Tiles &tiles, int64_t threads) {
    evaluate(tiles, threads, /*haveRows=*/false);
    if (takesSteps(tiles) && group.producerOf(0)->sink == Tensor::A)
      evaluate(tiles, threads, /*haveRows=*/true);
  }

  /// If they `haveRows`, what the last contraction takes stays in registers.
  void evaluate(const Tiles &tiles, int64_t threads, bool haveRows) {
    std::vector<FoundNode> found(order.size());
    for (size_t place = 0; place < order.size(); ++place) {
      unsigned node = order[place];
      const std::optional<FoundNode> &next = findNode(
          tiles, place, threads, haveRows && place + 2 >= order.size());
      if (!next)
        return;
      found[node] = *next;
      // Edges of a shared input lead from the last contraction: the first one
      // tells earlier.
      if (sharedInput() && place > 0 &&
          !checkShare(at(0), found[order.front()].layout, at(place),
                      found[node].layout,
                      group.sharedIndices(order.front(), node)))
        return;
      for (const IndexedEdge &edge : group.edges)
        if (isLater(edge, node) &&
            !checkEdge(edge, group.contractions[edge.from],
                       found[edge.from].layout, group.contractions[edge.to],
                       found[edge.to].layout))
          return;
    }
    std::vector<const KernelLayout *> layouts;
    layouts.reserve(found.size());
    for (const FoundNode &node : found)
      layouts.push_back(&node.layout);
    std::optional<double> seconds = secondsOfGroup(group, layouts, target);
    if (!seconds || (!best.schedules.empty() && *seconds >= best.seconds))
      return;
    best.seconds = *seconds;
    best.schedules.clear();
    for (unsigned node : order)
      best.schedules.push_back(std::move(found[node].schedule));
  }

  /// Returns true if an edge is of a node and of one that is computed before.
  static bool isLater(const GroupEdge &edge, unsigned node) {
    return node == 0 ? edge.from == 0 || edge.to == 0
                     : edge.to == node && edge.from != 0;
  }

  const ContractionGroup &group;
  const Target &target;
  SearchMemo *memo;
  /// The nodes in the order in which a kernel computes them.
  std::vector<unsigned> order;
  /// Of each index that all outputs have, the number in each contraction; and
  /// of those that are batch indices of any, so that a block has one value of
  /// them.
  std::vector<std::vector<unsigned>> free, single;
  /// Set to look at kernels that a search for one contraction would not.
  bool takesAny = false;
  /// The kernels found for contractions: by place, tiles, threads, and what
  /// else decides about them.
  std::map<std::tuple<size_t, std::vector<int64_t>, int64_t, bool, bool, bool>,
           std::optional<FoundNode>>
      foundNodes;
  GroupSearchResult best;
};

} // namespace

Result<GroupSearchResult> searchGroup(const ContractionGroup &group,
                                      const Target &target, SearchMemo *memo) {
  return GroupSearch(group, target, memo).run();
}

} // namespace tc::model
