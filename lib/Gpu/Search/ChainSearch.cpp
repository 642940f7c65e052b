//===- ChainSearch.cpp - Choosing schedules for a chain -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Gpu/Search/ChainSearch.h"

#include "ChainCost.h"
#include "ThreadTiles.h"

#include "tc/Problem/ComplexParts.h"
#include "tc/Support/Arithmetic.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

namespace tc::model {

namespace {

/// Most elements of a tile that a block has of any output.
constexpr int64_t maxBlockElements = 16384;
/// Numbers of threads that are searched for a tile, and register tiles of each
/// link.
constexpr size_t maxWidths = 4, maxRegisterTiles = 4;
/// Numbers of threads near this one are looked at first.
constexpr double usualThreads = 128;
/// Depths of the first link's tiles, and their stages.
constexpr int64_t usualDepth = 32;
constexpr int64_t depths[] = {8, 16, 32, 64, 128, 256}, stageCounts[] = {2, 3};
/// What gains less than that share of the time does not take the place of a
/// register tile that needs fewer cycles, or a longer instruction.
constexpr double chainTie = 0.01;
/// Elements of what the last link sums over that a step takes: all, or fewer.
constexpr int64_t stepLengths[] = {0, 16, 32, 64, 128};

/// The tiles along the indices of each link.
using Tiles = std::vector<std::vector<int64_t>>;

/// What a softmax of an output takes at the least in a kernel of its own, which
/// reads it and writes it once.
double softmaxSeconds(const Contraction &contraction, const Target &target) {
  return 2 * contraction.elements(Tensor::C) *
             static_cast<double>(
                 byteWidth(contraction.elementType[Tensor::C])) /
             (target.attainable.memoryCopies * target.memoryBytesPerSecond) +
         target.costs.time.secondsBetweenKernels;
}

/// In which order tiles get longer: along the indices of least stride of the
/// last C first, or of the first A, of which those that it does not have come
/// last, or else first, so that no two blocks read the same of it.
enum class Order { Output, Input, InputOnce };

/// A link as one kernel computes it.
struct FoundLink {
  Schedule schedule;
  KernelLayout layout;
};

class ChainSearch {
public:
  ChainSearch(const std::vector<ChainLink> &links, const Target &target,
              SearchMemo *memo)
      : links(links), target(target), memo(memo) {
    findFree();
  }

  Result<ChainSearchResult> run() {
    lookAtAll();
    // Where blocks are small, what is feasible at all is better than nothing.
    if (best.links.empty()) {
      takesAny = true;
      lookAtAll();
    }
    if (best.links.empty())
      return Error{"no schedule for " + target.name +
                   (isFan() ? " has the same tile of what the contractions "
                              "have in common, and all else of their outputs"
                            : " keeps what the contractions hand over in "
                              "shared memory")};
    std::vector<const Contraction *> separate;
    separate.reserve(links.size());
    for (const ChainLink &link : links)
      separate.push_back(&link.contraction);
    Result<double> seconds = secondsOfSeparateKernels(
        separate, target, memo,
        [this](const Contraction &contraction, const Candidate &kernel) {
          return secondsApart(contraction, kernel, target);
        });
    if (!seconds)
      return Error{seconds.error()};
    best.separateSeconds = *seconds;
    for (size_t number = 1; number < links.size(); ++number)
      if (links[number].handover && links[number].handover->softmax)
        best.separateSeconds +=
            softmaxSeconds(links[number - 1].contraction, target);
    return best;
  }

private:
  bool isFan() const { return links.front().branch.has_value(); }

  void lookAtAll() {
    std::set<Tiles> seen;
    for (Order order : {Order::Output, Order::Input, Order::InputOnce})
      for (int64_t elements = 1; elements <= maxBlockElements; elements *= 2)
        for (bool isBinary : {true, false})
          for (int64_t length : stepLengths) {
            std::optional<Tiles> tiles =
                tilesOf(elements, order, isBinary, length);
            if (tiles && seen.insert(*tiles).second)
              for (int64_t threads : threadCounts(*tiles))
                evaluate(*tiles, threads);
          }
  }

  /// Follows the first link's output to the last one's, or the input that all
  /// have.
  void findFree() {
    std::map<unsigned, unsigned> places;
    for (unsigned i = 0; i < links.front().contraction.indices.size(); ++i)
      if (links.front().contraction.indices[i].role != Role::K &&
          !isPart(links.front().contraction, i) && isShared(i))
        places[i] = i;
    std::vector<std::map<unsigned, unsigned>> byLink = {places};
    for (size_t number = 1; number < links.size(); ++number) {
      const ChainLink &link = links[number];
      std::map<unsigned, unsigned> next;
      for (auto [first, before] : places)
        for (auto [one, own] : linkedOf(link))
          if (one == (isFan() ? first : before) &&
              link.contraction.indices[own].role != Role::K)
            next[first] = own;
      places = next;
      byLink.push_back(places);
    }
    for (auto [first, last] : places) {
      std::vector<unsigned> &index = free.emplace_back();
      for (const std::map<unsigned, unsigned> &ofLink : byLink)
        index.push_back(ofLink.at(first));
      bool isBatch = false;
      for (size_t number = 0; number < links.size(); ++number)
        isBatch |= links[number].contraction.indices[index[number]].role ==
                   Role::Batch;
      if (isBatch) {
        single.push_back(std::move(index));
        free.pop_back();
      }
    }
  }

  static const LinkedIndices &linkedOf(const ChainLink &link) {
    return link.branch ? link.branch->shared : link.handover->linked;
  }

  /// Whether an index of the first contraction is one of what all have, which
  /// only those of a fan have.
  bool isShared(unsigned index) const {
    const std::optional<Branch> &branch = links.front().branch;
    const Index &own = links.front().contraction.indices[index];
    return !branch || own.role == Role::Batch ||
           own.role == (branch->input == Tensor::A ? Role::M : Role::N);
  }

  static int64_t powerCovering(int64_t extent) {
    int64_t power = 1;
    while (power < extent)
      power *= 2;
    return power;
  }

  /// Shortens the tiles along what the last link sums over, in it and in those
  /// before, to so many elements. False if no tile is longer than that.
  bool shortenSteps(Tiles &tiles, int64_t length) const {
    const Contraction &last = links.back().contraction;
    bool isShorter = false;
    std::vector<unsigned> summed = last.withRole(Role::K);
    // The last indices first, which vary fastest.
    for (size_t i = summed.size(); i-- > 0;) {
      int64_t tile =
          std::min(length, powerCovering(last.indices[summed[i]].extent));
      length /= tile;
      if (tile >= last.indices[summed[i]].extent)
        continue;
      isShorter = true;
      unsigned index = summed[i];
      tiles.back()[index] = tile;
      for (size_t link = links.size() - 1; link > 0; --link) {
        const LinkedIndices &linked = links[link].handover->linked;
        auto found = std::find_if(linked.begin(), linked.end(), [&](auto pair) {
          return pair.second == index;
        });
        if (found == linked.end())
          break;
        index = found->first;
        tiles[link - 1][index] = tile;
      }
    }
    return isShorter;
  }

  /// Tiles of so many elements along free indices, of so many along what the
  /// last link sums over, if that is not zero, and of all along others. None if
  /// an output's tile were too large.
  std::optional<Tiles> tilesOf(int64_t elements, Order order, bool isBinary,
                               int64_t stepLength) const {
    Tiles tiles;
    for (const ChainLink &link : links) {
      std::vector<int64_t> &ofLink = tiles.emplace_back();
      for (const Index &index : link.contraction.indices)
        ofLink.push_back(index.role == Role::Batch ? 1
                         : isBinary                ? powerCovering(index.extent)
                                                   : index.extent);
    }
    for (const std::vector<unsigned> &index : single)
      for (size_t link = 0; link < links.size(); ++link)
        tiles[link][index[link]] = 1;
    size_t number = order == Order::Output ? links.size() - 1 : 0;
    Tensor input = isFan() ? links.front().branch->input : Tensor::A;
    std::vector<std::vector<unsigned>> ordered = free;
    std::sort(
        ordered.begin(), ordered.end(), [&](const auto &x, const auto &y) {
          auto stride = [&](const std::vector<unsigned> &index) {
            const Index &own = links[number].contraction.indices[index[number]];
            int64_t step =
                own.stride[order == Order::Output ? Tensor::C : input];
            return step == 0 && order != Order::InputOnce
                       ? std::numeric_limits<int64_t>::max()
                       : magnitude(step);
          };
          return std::tuple(stride(x), x) < std::tuple(stride(y), y);
        });
    for (const std::vector<unsigned> &index : ordered) {
      int64_t extent = links.front().contraction.indices[index[0]].extent;
      int64_t tile = std::min(elements, powerCovering(extent));
      elements /= tile;
      for (size_t link = 0; link < links.size(); ++link)
        tiles[link][index[link]] = tile;
    }
    if (elements > 1 || (stepLength && isFan()) ||
        (stepLength && !shortenSteps(tiles, stepLength)))
      return std::nullopt;
    for (size_t link = 0; link < links.size(); ++link)
      if (blockOf(tiles, link, Role::M) * blockOf(tiles, link, Role::N) >
              maxBlockElements ||
          (links[link].handover &&
           blockOf(tiles, link, Role::K) > maxBlockElements))
        return std::nullopt;
    return tiles;
  }

  /// Whether the last link takes what it sums over, or its softmax, in steps.
  bool takesSteps(const Tiles &tiles) const {
    if (isFan())
      return false;
    if (links.back().handover->softmax)
      return true;
    const Contraction &last = links.back().contraction;
    for (unsigned index : last.withRole(Role::K))
      if (tiles.back()[index] < last.indices[index].extent)
        return true;
    return false;
  }

  int64_t blockOf(const Tiles &tiles, size_t link, Role role) const {
    int64_t block = 1;
    for (unsigned index : links[link].contraction.withRole(role))
      block = saturatingMultiply(block, tiles[link][index]);
    return block;
  }

  /// Numbers of threads that register tiles of all links lead to: first those
  /// whose warps are full and that are near `usualThreads`.
  std::vector<int64_t> threadCounts(const Tiles &tiles) const {
    std::vector<BlockOfContraction> blocks;
    blocks.reserve(links.size());
    for (size_t link = 0; link < links.size(); ++link)
      blocks.push_back({&links[link].contraction, blockOf(tiles, link, Role::M),
                        blockOf(tiles, link, Role::N)});
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

  Schedule scheduleOf(const Tiles &tiles, size_t number,
                      const ThreadTile &registerTile) const {
    const ChainLink &link = links[number];
    Schedule schedule;
    schedule.target = target.name;
    for (auto [role, list] :
         {std::pair(Role::M, &schedule.m), std::pair(Role::N, &schedule.n),
          std::pair(Role::K, &schedule.k)}) {
      std::vector<unsigned> order = link.contraction.withRole(role);
      // Lanes go along C; what is copied decides about K.
      Tensor along = role != Role::K ? Tensor::C
                     : link.handover && link.handover->fed == Tensor::A
                         ? Tensor::B
                         : Tensor::A;
      std::sort(order.begin(), order.end(), [&](unsigned x, unsigned y) {
        auto stride = [&](unsigned index) {
          return magnitude(link.contraction.indices[index].stride[along]);
        };
        return std::tuple(-stride(x), x) < std::tuple(-stride(y), y);
      });
      for (unsigned index : order)
        list->push_back(
            {link.contraction.indices[index].label, tiles[number][index]});
    }
    schedule.registerM = registerTile.m;
    schedule.registerN = registerTile.n;
    schedule.instruction = registerTile.instruction;
    return schedule;
  }

  /// Shortens the first link's tile along K to so many elements.
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

  /// The fastest kernel of a link with those tiles and threads; if it
  /// `hasRows`, of those where a warp has all columns of its rows.
  std::optional<FoundLink> findLink(const Tiles &tiles, size_t number,
                                    int64_t threads, bool hasRows) const {
    const Contraction &contraction = links[number].contraction;
    int64_t columns = blockOf(tiles, number, Role::N);
    ThreadTiles registerTiles(contraction, target, threads,
                              hasRows ? columns / warpLanes.columns : 0);
    const std::vector<ThreadTile> &candidates =
        registerTiles.of(blockOf(tiles, number, Role::M), columns);
    std::optional<FoundLink> found;
    double fastest = std::numeric_limits<double>::infinity();
    auto look = [&](const Schedule &schedule) {
      Result<KernelLayout> layout = layOut(contraction, schedule, target);
      if (!layout)
        return;
      // Nothing copies what the link before has left.
      KernelLayout copied = *layout;
      if (const std::optional<Handover> &handover = links[number].handover)
        (handover->fed == Tensor::A ? copied.a : copied.b).accessesPerThread =
            0;
      if (!takesAny && !isAdmissible(copied, target))
        return;
      double seconds = secondsOfLink(links, number, *layout, target).longest();
      if (seconds >= fastest * (1 - chainTie))
        return;
      fastest = seconds;
      found = {schedule, std::move(*layout)};
    };
    for (size_t i = 0; i < std::min(maxRegisterTiles, candidates.size()); ++i) {
      Schedule schedule = scheduleOf(tiles, number, candidates[i]);
      if (links[number].handover) {
        look(schedule);
        continue;
      }
      for (int64_t depth : depths)
        for (int64_t stages : stageCounts) {
          // More than a few pay only where an input is kept.
          if (depth > usualDepth && !takesSteps(tiles))
            continue;
          Schedule shallow = schedule;
          shorten(shallow, depth);
          shallow.stages = stages;
          look(shallow);
        }
    }
    return found;
  }

  void evaluate(const Tiles &tiles, int64_t threads) {
    evaluate(tiles, threads, /*haveRows=*/false);
    if (takesSteps(tiles) && links.back().handover->fed == Tensor::A)
      evaluate(tiles, threads, /*haveRows=*/true);
  }

  /// If they `haveRows`, what the last link takes stays in registers.
  void evaluate(const Tiles &tiles, int64_t threads, bool haveRows) {
    std::vector<FoundLink> chain;
    for (size_t number = 0; number < links.size(); ++number) {
      std::optional<FoundLink> link = findLink(
          tiles, number, threads, haveRows && number + 2 >= links.size());
      if (!link)
        return;
      if (links[number].handover &&
          !checkLink(links[number - 1].contraction, chain.back().layout,
                     links[number].contraction, link->layout,
                     *links[number].handover))
        return;
      if (number > 0 && links[number].branch &&
          !checkBranch(links.front().contraction, chain.front().layout,
                       links[number].contraction, link->layout,
                       links[number].branch->shared))
        return;
      chain.push_back(std::move(*link));
    }
    std::vector<const KernelLayout *> layouts;
    layouts.reserve(chain.size());
    for (const FoundLink &link : chain)
      layouts.push_back(&link.layout);
    std::optional<double> seconds = secondsOfChain(links, layouts, target);
    if (!seconds || (!best.links.empty() && *seconds >= best.seconds))
      return;
    best.seconds = *seconds;
    best.links.clear();
    for (FoundLink &link : chain)
      best.links.push_back(std::move(link.schedule));
  }

  const std::vector<ChainLink> &links;
  const Target &target;
  SearchMemo *memo;
  /// Of each index that all outputs have, the number in each link; and of those
  /// that are batch indices of any link, so that a block has one value of them.
  std::vector<std::vector<unsigned>> free, single;
  /// Whether kernels are looked at that a search for one contraction would not.
  bool takesAny = false;
  ChainSearchResult best;
};

} // namespace

Result<ChainSearchResult> searchChain(const std::vector<ChainLink> &links,
                                      const Target &target, SearchMemo *memo) {
  return ChainSearch(links, target, memo).run();
}

} // namespace tc::model
