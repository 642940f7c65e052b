//===- SumSearch.cpp - Choosing schedules for a sum -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A beam of tiles of C grows, one index at a time. The best tiles of each size,
// with a few numbers of threads each, are then searched for every term.
//
//===----------------------------------------------------------------------===//

#include "tc/Gpu/Search/SumSearch.h"

#include "ThreadTiles.h"
#include "TileCandidates.h"

#include "tc/Gpu/Cost/Traffic.h"
#include "tc/Gpu/Layout/SumExchange.h"
#include "tc/Support/Arithmetic.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

namespace tc::model {

namespace {

/// Most elements of a tile of C, and along one index.
constexpr int64_t maxElements = 16384, longestTile = 64;
/// Tiles that go on growing, and those of about the same size that are
/// searched.
constexpr size_t beamWidth = 32, keptPerSize = 12;
/// Sizes, as powers of two, that are searched: so many below and above the one
/// that gives every multiprocessor a tile.
constexpr int smallerSizes = 4, largerSizes = 2;
/// Numbers of threads that are searched for a tile.
constexpr size_t maxThreadCounts = 4;

using Tile = std::vector<int64_t>;

class SumSearch {
public:
  SumSearch(const std::vector<Contraction> &terms, const Target &target,
            bool reducesC, SearchMemo *memo)
      : terms(terms), target(target), reducesC(reducesC), memo(memo) {
    const std::vector<Index> &indices = terms.front().indices;
    while (rank < indices.size() && indices[rank].role != Role::K)
      ++rank;
    for (unsigned i = 0; i < rank; ++i)
      options.push_back(tileOptions(i));
  }

  Result<SumSearchResult> run() {
    for (const auto &[size, tiles] : candidates())
      for (const Tile &tile : tiles)
        for (int64_t threads : threadCounts(tile))
          evaluate(tile, threads);
    if (sums.empty())
      return Error{"no schedule for " + target.name +
                   " fits all terms of the sum"};
    std::vector<const Contraction *> separate;
    separate.reserve(terms.size());
    for (const Contraction &term : terms)
      separate.push_back(&term);
    Result<double> separateSeconds = secondsOfSeparateKernels(
        separate, target, memo,
        [](const Contraction &, const Candidate &kernel) {
          return kernel.cost.steadySeconds();
        });
    if (!separateSeconds)
      return Error{separateSeconds.error()};
    SumSearchResult best = choose(*separateSeconds);
    best.separateSeconds = *separateSeconds;
    return best;
  }

private:
  std::vector<int64_t> tileOptions(unsigned index) const {
    int64_t extent = terms.front().indices[index].extent;
    for (const Contraction &term : terms)
      if (term.indices[index].role == Role::Batch)
        return {1};
    std::set<int64_t> tiles;
    for (int64_t tile = 1; tile <= longestTile; tile *= 2) {
      tiles.insert(tile);
      if (tile >= extent)
        break;
      // The least tile that covers the extent and that register tiles divide.
      if (tile <= 4 && roundUp(extent, tile) < longestTile)
        tiles.insert(roundUp(extent, tile));
    }
    return {tiles.begin(), tiles.end()};
  }

  static int64_t elementsOf(const Tile &tile) {
    int64_t elements = 1;
    for (int64_t extent : tile)
      elements = saturatingMultiply(elements, extent);
    return elements;
  }

  /// Bytes of a tensor that a tile of C needs for one value of each index of K,
  /// in whole sectors.
  double bytesOf(const Contraction &term, Tensor tensor,
                 const Tile &tile) const {
    double elements = 1;
    for (unsigned i = 0; i < rank; ++i)
      if (term.indices[i].stride[tensor] != 0)
        elements *= static_cast<double>(tile[i]);
    auto width = static_cast<double>(byteWidth(term.elementType[tensor]));
    auto sector = static_cast<double>(target.sectorBytes);
    std::optional<unsigned> contiguous = term.strideOneIndex(tensor);
    // Tiles of K are as long as they need to be.
    double run = contiguous && *contiguous < rank
                     ? width * static_cast<double>(tile[*contiguous])
                 : contiguous ? sector
                              : width;
    return elements * width * std::max(1.0, sector / run);
  }

  /// Bytes that all terms move for each element of C.
  double trafficOf(const Tile &tile) const {
    double bytes = 0, whole = 1;
    for (const Contraction &term : terms)
      bytes +=
          static_cast<double>(term.extent(Role::K)) *
          (bytesOf(term, Tensor::A, tile) + bytesOf(term, Tensor::B, tile));
    if (!reducesC)
      bytes += bytesOf(terms.back(), Tensor::C, tile) *
               (terms.back().readsC ? 2 : 1);
    for (unsigned i = 0; i < rank; ++i) {
      int64_t extent = terms.front().indices[i].extent;
      // Elements of a tile that reach over the extent are computed in vain.
      whole *= static_cast<double>(extent) /
               static_cast<double>(ceilDivide(extent, tile[i]));
    }
    return bytes / whole;
  }

  /// The best tiles by the power of two below their sizes.
  std::map<int, std::vector<Tile>> candidates() const {
    std::set<Tile> known = {Tile(rank, 1)};
    std::vector<Tile> beam = {Tile(rank, 1)};
    while (!beam.empty()) {
      std::set<Tile> grown;
      for (const Tile &tile : beam)
        for (unsigned i = 0; i < rank; ++i) {
          auto next =
              std::upper_bound(options[i].begin(), options[i].end(), tile[i]);
          if (next == options[i].end())
            continue;
          Tile larger = tile;
          larger[i] = *next;
          if (elementsOf(larger) <= maxElements && known.insert(larger).second)
            grown.insert(larger);
        }
      beam = minTraffic({grown.begin(), grown.end()}, beamWidth);
    }
    std::map<int, std::vector<Tile>> bySize;
    for (const Tile &tile : known)
      if (!threadCounts(tile).empty())
        bySize[static_cast<int>(std::log2(elementsOf(tile)))].push_back(tile);
    double elements =
        terms.front().elements(Tensor::C) / target.multiprocessors;
    int wanted =
        std::clamp(static_cast<int>(std::log2(std::max(1.0, elements))),
                   bySize.begin()->first, bySize.rbegin()->first);
    std::map<int, std::vector<Tile>> kept;
    for (auto &[size, tiles] : bySize)
      if (size >= wanted - smallerSizes && size <= wanted + largerSizes)
        kept[size] = minTraffic(std::move(tiles), keptPerSize);
    return kept;
  }

  std::vector<Tile> minTraffic(std::vector<Tile> tiles, size_t count) const {
    std::vector<std::pair<double, Tile>> sorted;
    for (Tile &tile : tiles) {
      double traffic = trafficOf(tile);
      sorted.emplace_back(traffic, std::move(tile));
    }
    std::sort(sorted.begin(), sorted.end());
    std::vector<Tile> kept;
    for (size_t i = 0; i < std::min(count, sorted.size()); ++i)
      kept.push_back(std::move(sorted[i].second));
    return kept;
  }

  /// Numbers of threads that all terms' register tiles lead to: first those
  /// whose warps are full, and whose accumulators take about half of the
  /// registers.
  std::vector<int64_t> threadCounts(const Tile &tile) const {
    std::vector<BlockOfContraction> blocks;
    blocks.reserve(terms.size());
    for (const Contraction &term : terms) {
      int64_t m = 1, n = 1;
      for (unsigned i = 0; i < rank; ++i)
        (term.indices[i].role == Role::M ? m : n) *= tile[i];
      blocks.push_back({&term, m, n});
    }
    const GpuSearchCosts &costs = target.costs.search;
    std::vector<std::pair<double, int64_t>> sorted;
    for (int64_t threads : commonThreadCounts(blocks)) {
      double waste = static_cast<double>(roundUp(threads, target.warpSize)) /
                     static_cast<double>(threads);
      int64_t sumsEach = elementsOf(tile) / threads;
      auto registers = static_cast<double>(
          sumsEach * ceilDivide(byteWidth(terms.front().accumulatorType), 4));
      sorted.emplace_back(
          costs.idleThreads * (waste - 1) +
              std::fabs(std::log2(registers / costs.termRegisters)),
          threads);
    }
    std::sort(sorted.begin(), sorted.end());
    std::vector<int64_t> counts;
    for (size_t i = 0; i < std::min(maxThreadCounts, sorted.size()); ++i)
      counts.push_back(sorted[i].second);
    return counts;
  }

  void evaluate(const Tile &tile, int64_t threads) {
    SumSearchResult result;
    double sectors = 0;
    std::vector<KernelLayout> layouts;
    for (const Contraction &original : terms) {
      bool isLast = &original == &terms.back();
      // The old C that the first term reads is read by the term that stores.
      Contraction term = reducesC ? reduceOutput(original) : original;
      term.readsC = isLast && terms.front().readsC;
      term.isTerm = true;
      SearchOptions ofTerm;
      ofTerm.rasterises = ofTerm.persistent = ofTerm.splitsK = false;
      ofTerm.sumTile = {std::vector<int64_t>(term.indices.size(), 1), threads,
                        /*keepsSums=*/!isLast};
      std::copy(tile.begin(), tile.end(), ofTerm.sumTile->extents.begin());
      Result<SearchResult> found = search(term, target, ofTerm);
      if (!found)
        return;
      const Candidate &candidate = found->candidates.front();
      result.seconds += candidate.cost.steadySeconds();
      if (result.seconds > slowestOfInterest())
        return;
      Result<KernelLayout> layout = layOut(term, candidate.schedule, target);
      if (!layout || exchangeBytes(*layout, term.accumulatorType) >
                         target.multiprocessor.sharedBytesPerBlock)
        return;
      sectors += countTraffic(term, *layout, target).total();
      result.terms.push_back(candidate.schedule);
      layouts.push_back(std::move(*layout));
    }
    result.seconds += conversionSeconds(layouts);
    if (result.seconds > slowestOfInterest())
      return;
    fastest = std::min(fastest, result.seconds);
    sums.push_back({std::move(result), sectors});
  }

  double slowestOfInterest() const { return fastest * (1 + nearTie); }

  /// Of those that the prediction does not distinguish, the one that moves the
  /// least; if any is faster than separate kernels, only of these.
  SumSearchResult choose(double separateSeconds) {
    double slowest = slowestOfInterest();
    if (fastest < separateSeconds)
      slowest = std::min(slowest, std::nextafter(separateSeconds, 0.0));
    const Found *best = nullptr;
    for (const Found &one : sums)
      if (one.result.seconds <= slowest &&
          (!best || one.sectors < best->sectors))
        best = &one;
    return best->result;
  }

  /// For bringing sums to other threads, whatever the factors are.
  double conversionSeconds(const std::vector<KernelLayout> &layouts) const {
    std::vector<const KernelLayout *> pointers;
    pointers.reserve(layouts.size());
    for (const KernelLayout &layout : layouts)
      pointers.push_back(&layout);
    std::vector<size_t> order =
        orderTerms(pointers, std::vector<double>(layouts.size(), 1));
    double cycles = 0;
    for (size_t i = 1; i < order.size(); ++i)
      if (compareSums(layouts[order[i - 1]], layouts[order[i]]) ==
          SumOrder::Other)
        cycles += conversionCycles(layouts[order[i]],
                                   terms.front().accumulatorType, target);
    return cycles *
           std::ceil(static_cast<double>(layouts.front().blocks) /
                     target.multiprocessors) /
           target.clockHertz;
  }

  const std::vector<Contraction> &terms;
  const Target &target;
  bool reducesC;
  SearchMemo *memo;
  /// Indices of C.
  unsigned rank = 0;
  /// Tiles along each.
  std::vector<std::vector<int64_t>> options;
  /// Schedules for all terms, and what they move.
  struct Found {
    SumSearchResult result;
    double sectors = 0;
  };
  std::vector<Found> sums;
  double fastest = std::numeric_limits<double>::infinity();
};

} // namespace

Result<SumSearchResult> searchSum(const std::vector<Contraction> &terms,
                                  const Target &target, bool reducesC,
                                  SearchMemo *memo) {
  return SumSearch(terms, target, reducesC, memo).run();
}

} // namespace tc::model
