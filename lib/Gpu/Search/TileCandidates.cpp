//===- TileCandidates.cpp - Tiles worth a look ----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileCandidates.h"

#include "ThreadTiles.h"

#include "tc/Gpu/Cost/Traffic.h"
#include "tc/Gpu/Layout/LayoutSteps.h"
#include "tc/Hierarchy/TileGranules.h"
#include "tc/Problem/ComplexParts.h"
#include "tc/Support/Arithmetic.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

namespace tc::model {

namespace {

/// Largest blocks along M or N and along K: 256 x 256 accumulators are more
/// than the registers of a multiprocessor hold, and shared tiles deeper than 32
/// only take shared memory from other blocks. Shared tiles of 8-bit floats may
/// have as many bytes as those of f32.
constexpr int64_t largestSide = 256, largestDepth = 32,
                  largestDepthOfFloat8 = 128;
/// Small M and N have few threads, whose time goes into waiting at the start of
/// each step.
constexpr int64_t smallSides = 1024, largestDepthOfSmall = 64;
/// Two indices of stride one along a side with longer least tiles would make
/// blocks that are too large for matrix instructions.
constexpr int64_t longestLeastTile = 16;
/// Least blocks along K, unless there is less to sum over.
constexpr int64_t minDepth = 8;
/// Trips in which a tile that is neither a divisor nor a power of two may cover
/// its extent.
constexpr int64_t maxBalancedTrips = 8;
/// Tilings of a role that are compared; further indices stay untiled.
constexpr size_t maxTilings = 1500;
/// Most combinations of tile extents of all indices for which each extent is
/// one.
constexpr double fewExtents = 2000;
/// Candidates of the same block that are kept for each measure of traffic.
constexpr size_t keptPerMeasure = 2;

/// The tensors that hold the indices of a role.
std::vector<Tensor> holders(Role role) {
  switch (role) {
  case Role::Batch:
    return {Tensor::A, Tensor::B, Tensor::C};
  case Role::M:
    return {Tensor::A, Tensor::C};
  case Role::N:
    return {Tensor::B, Tensor::C};
  case Role::K:
    return {Tensor::A, Tensor::B};
  }
  return {};
}

int64_t elementsPerSector(const Contraction &contraction, Tensor tensor,
                          const Target &target) {
  return target.sectorBytes / byteWidth(contraction.elementType[tensor]);
}

/// The least tile of an index: a sector's worth where it has stride one, or so
/// much of it as leaves a choice.
int64_t minTile(const Contraction &contraction, unsigned position,
                const Target &target) {
  const Index &index = contraction.indices[position];
  int64_t least = isPart(contraction, position) ? index.extent : 1;
  for (Tensor tensor : allTensors)
    if (contraction.strideOneIndex(tensor) == position)
      least = std::max(
          least, std::min({index.extent, longestLeastTile,
                           elementsPerSector(contraction, tensor, target)}));
  return least;
}

/// Returns true if no smaller tile covers the extent in as few trips. Where
/// there are many trips, a smaller tile gains little.
bool isBalanced(int64_t extent, int64_t tile) {
  int64_t trips = ceilDivide(extent, tile);
  return trips <= maxBalancedTrips && ceilDivide(extent, trips) == tile;
}

/// Tiles from `least` to `most`, and one that reaches over the extent, if it is
/// more than zero: the least that is a multiple of it.
std::vector<int64_t> tileExtents(int64_t extent, int64_t least, int64_t most,
                                 bool every, int64_t multiple) {
  std::vector<int64_t> tiles;
  for (int64_t tile = least; tile <= std::min(extent, most); ++tile)
    if (every || extent % tile == 0 || isPowerOfTwo(tile) ||
        isBalanced(extent, tile))
      tiles.push_back(tile);
  int64_t covering = multiple > 0 ? roundUp(extent, multiple) : extent;
  if (covering > extent && covering <= most)
    tiles.push_back(covering);
  // A least tile that is neither (a sector of three elements, say).
  if (tiles.empty() || tiles.front() != least)
    tiles.insert(tiles.begin(), least);
  return tiles;
}

/// Positions of a role's indices, the slowest of the shared tile first. Lanes
/// and accesses of C go along the side that holds C's index of stride one, so
/// there C decides; elsewhere the tensor that is copied from.
std::vector<unsigned> sharedTileOrder(const Contraction &contraction,
                                      Role role) {
  std::vector<unsigned> order = contraction.withRole(role);
  std::optional<unsigned> fastestOfC = contraction.strideOneIndex(Tensor::C);
  auto key = [&](unsigned position) {
    const Index &index = contraction.indices[position];
    // An index that no tensor has comes first: that over three products.
    int64_t least = std::numeric_limits<int64_t>::max();
    if (role == Role::K) {
      for (Tensor tensor : {Tensor::A, Tensor::B})
        if (index.stride[tensor] != 0)
          least = std::min(least, magnitude(index.stride[tensor]));
      return least;
    }
    // The parts of a complex number are neighbours.
    if (isPart(contraction, position))
      return int64_t(0);
    Tensor source = role == Role::M ? Tensor::A : Tensor::B;
    bool followsC = fastestOfC && contraction.indices[*fastestOfC].role == role;
    return magnitude(index.stride[followsC ? Tensor::C : source]);
  };
  std::sort(order.begin(), order.end(), [&](unsigned a, unsigned b) {
    return std::tuple(-key(a), a) < std::tuple(-key(b), b);
  });
  return order;
}

/// Tiles of the indices of a role, in shared tile order.
using Tiling = std::vector<int64_t>;

/// The tile of indices in the order of a shared tile.
TileCandidate makeCandidate(const Contraction &contraction,
                            const std::vector<unsigned> &order,
                            const Tiling &tiling) {
  TileCandidate candidate;
  for (size_t i = order.size(); i-- > 0;) {
    int64_t extent = contraction.indices[order[i]].extent;
    TileDim dim{order[i],        extent, tiling[i],
                candidate.block, 1,      multipleOfDim(contraction, order[i])};
    candidate.block *= tiling[i];
    candidate.tiles *= static_cast<double>(dim.tiles());
    candidate.dims.insert(candidate.dims.begin(), dim);
  }
  return candidate;
}

class Enumerator {
public:
  Enumerator(const Contraction &contraction, Role role, Pruning pruning,
             const Target &target)
      : contraction(contraction), role(role), pruning(pruning), target(target),
        order(sharedTileOrder(contraction, role)) {
    for (unsigned index : order)
      least.push_back(
          isPart(contraction, index) ? contraction.indices[index].extent : 1);
    double combinations = 1;
    for (const Index &index : contraction.indices)
      if (index.role != Role::Batch)
        combinations *= static_cast<double>(index.extent);
    everyExtent = pruning == Pruning::None && combinations <= fewExtents;
    isDepthOfSmall =
        role == Role::K &&
        saturatingMultiply(contraction.extent(Role::M),
                           contraction.extent(Role::N)) <= smallSides;
    isDepthOfFloat8 = role == Role::K && isFloat8(contraction.factorType);
    if (role != Role::K)
      for (int64_t extent : registerExtents(contraction, role))
        if (extent % 2 != 0)
          largestOdd = std::max(largestOdd, extent);
    limit = role != Role::K   ? largestSide
            : isDepthOfFloat8 ? largestDepthOfFloat8
            : isDepthOfSmall  ? largestDepthOfSmall
                              : largestDepth;
  }

  std::vector<TileCandidate> run() {
    if (pruning == Pruning::None)
      return candidatesOf(tilings());
    if (pruning == Pruning::Runs) {
      for (unsigned i = 0; i < order.size(); ++i)
        least[i] = minTile(contraction, order[i], target);
      // Stride-one indices may ask for more than the usual limit.
      limit = std::max(limit, extentsProduct(tilesOf(least)));
    }

    std::map<int64_t, std::vector<Measured>> byBlock;
    int64_t whole = contraction.extent(role);
    for (const Tiling &tiling : tilings()) {
      TileCandidate candidate = makeCandidate(contraction, order, tiling);
      // A shallow shared tile makes threads wait at barriers all the time.
      if (role == Role::K && pruning == Pruning::Runs &&
          candidate.block < std::min(minDepth, whole))
        continue;
      if (isNice(candidate.block) || isDepthOfSmall || candidate.block == whole)
        byBlock[candidate.block].push_back(measure(std::move(candidate)));
    }
    if (byBlock.empty())
      byBlock[0].push_back(measure(makeCandidate(contraction, order, least)));
    std::vector<TileCandidate> kept;
    for (auto &[block, candidates] : byBlock)
      keepBest(candidates, kept);
    return kept;
  }

  size_t count() const { return tilings().size(); }

private:
  /// A candidate and the cache lines that it touches of each of the two tensors
  /// that hold it. Unlike sectors, lines also distinguish runs of few sectors
  /// from longer ones.
  struct Measured {
    TileCandidate candidate;
    double first, second;
  };

  std::vector<TileCandidate> candidatesOf(std::vector<Tiling> tilings) const {
    std::sort(tilings.begin(), tilings.end());
    std::map<int64_t, std::vector<TileCandidate>> byBlock;
    for (const Tiling &tiling : tilings) {
      TileCandidate candidate = makeCandidate(contraction, order, tiling);
      byBlock[candidate.block].push_back(std::move(candidate));
    }
    std::vector<TileCandidate> candidates;
    for (auto &[block, sameBlock] : byBlock)
      for (TileCandidate &candidate : sameBlock)
        candidates.push_back(std::move(candidate));
    return candidates;
  }

  bool isNice(int64_t block) const {
    return block < 8 || block % 8 == 0 || (block < 32 && block % 4 == 0) ||
           (largestOdd > 1 && block % largestOdd == 0);
  }

  std::vector<TileExtent> tilesOf(const Tiling &tiling) const {
    std::vector<TileExtent> tiles;
    tiles.reserve(order.size());
    for (unsigned i = 0; i < order.size(); ++i)
      tiles.push_back({contraction.indices[order[i]].label, tiling[i]});
    return tiles;
  }

  /// All tilings within the limit. Indices of small stride come first, in case
  /// there are too many.
  std::vector<Tiling> tilings() const {
    std::vector<unsigned> byStride(order.size());
    for (unsigned i = 0; i < order.size(); ++i)
      byStride[i] = i;
    auto key = [&](unsigned i) {
      int64_t key = std::numeric_limits<int64_t>::max();
      for (Tensor tensor : holders(role)) {
        int64_t stride =
            magnitude(contraction.indices[order[i]].stride[tensor]);
        if (stride != 0)
          key = std::min(key, stride);
      }
      return std::pair(key, i);
    };
    std::sort(byStride.begin(), byStride.end(),
              [&](unsigned a, unsigned b) { return key(a) < key(b); });

    std::vector<Tiling> result = {least};
    for (unsigned i : byStride) {
      int64_t most = contraction.threeProducts == order[i] ? int64_t(1) : limit;
      std::vector<int64_t> extents =
          tileExtents(contraction.indices[order[i]].extent, least[i], most,
                      everyExtent, multipleOf(order[i]));
      std::vector<Tiling> longer;
      for (const Tiling &tiling : result) {
        int64_t others = 1;
        for (unsigned j = 0; j < tiling.size(); ++j)
          others *= j == i ? 1 : tiling[j];
        for (int64_t extent : extents) {
          if (others * extent > limit)
            break;
          longer.push_back(tiling);
          longer.back()[i] = extent;
        }
      }
      if (longer.size() > maxTilings)
        break;
      result = std::move(longer);
    }
    return result;
  }

  /// The number that a tile which reaches over an index's extent is a multiple
  /// of, such that there is one for matrix instructions where no smaller one
  /// is; zero if none shall.
  int64_t multipleOf(unsigned index) const {
    int64_t extent = contraction.indices[index].extent;
    if (isDepthOfFloat8) {
      int64_t covering = 1;
      while (covering < std::min(extent, limit))
        covering *= 2;
      return covering;
    }
    int64_t multiple = role == Role::K ? warpLanes.columns : warpLanes.rows;
    bool isLarge = 2 * extent > multiple;
    return isLarge && contraction.threeProducts != index &&
                   !isPart(contraction, index)
               ? multiple
               : 0;
  }

  Measured measure(TileCandidate candidate) const {
    std::vector<Tensor> tensors = holders(role);
    auto lines = [&](Tensor tensor) {
      std::vector<TileDim> dims = candidate.dims;
      // The other indices at their least tiles.
      for (unsigned i = 0; i < contraction.indices.size(); ++i) {
        const Index &index = contraction.indices[i];
        if (index.role != role && index.stride[tensor] != 0)
          dims.push_back({i, index.extent, minTile(contraction, i, target), 1});
      }
      return countTileGranules(contraction, tensor, dims, target.lineBytes);
    };
    double first = lines(tensors[0]), second = lines(tensors[1]);
    return {std::move(candidate), first, second};
  }

  /// Keeps the best by each measure alone and by both together. What threads
  /// compute beyond the extents counts against a candidate.
  void keepBest(const std::vector<Measured> &candidates,
                std::vector<TileCandidate> &kept) const {
    std::vector<bool> keep(candidates.size(), false);
    double firstBest = std::numeric_limits<double>::infinity();
    double secondBest = firstBest;
    for (const Measured &candidate : candidates) {
      firstBest = std::min(firstBest, candidate.first);
      secondBest = std::min(secondBest, candidate.second);
    }
    auto mark = [&](auto cost, size_t count) {
      // The index makes the order total.
      std::vector<std::pair<double, unsigned>> sorted;
      sorted.reserve(candidates.size());
      for (unsigned i = 0; i < candidates.size(); ++i)
        sorted.emplace_back(cost(candidates[i]), i);
      std::sort(sorted.begin(), sorted.end());
      for (size_t i = 0; i < std::min(count, sorted.size()); ++i)
        keep[sorted[i].second] = true;
    };
    mark(
        [&](const Measured &m) {
          return m.candidate.tiles *
                 (m.first / firstBest + m.second / secondBest);
        },
        keptPerMeasure);
    mark([&](const Measured &m) { return m.candidate.tiles * m.first; }, 1);
    mark([&](const Measured &m) { return m.candidate.tiles * m.second; }, 1);
    for (unsigned i = 0; i < candidates.size(); ++i)
      if (keep[i])
        kept.push_back(candidates[i].candidate);
  }

  const Contraction &contraction;
  Role role;
  Pruning pruning;
  bool isDepthOfSmall, isDepthOfFloat8, everyExtent;
  /// Of register tiles along this role.
  int64_t largestOdd = 1;
  const Target &target;
  std::vector<unsigned> order;
  Tiling least;
  int64_t limit;
};

} // namespace

std::vector<TileCandidate> tileCandidates(const Contraction &contraction,
                                          Role role, Pruning pruning,
                                          const Target &target) {
  return Enumerator(contraction, role, pruning, target).run();
}

size_t countTilings(const Contraction &contraction, Role role,
                    const Target &target) {
  return Enumerator(contraction, role, Pruning::None, target).count();
}

TileCandidate tileOf(const Contraction &contraction, Role role,
                     const std::vector<int64_t> &extents) {
  std::vector<unsigned> order = contraction.withRole(role);
  std::sort(order.begin(), order.end(), [&](unsigned a, unsigned b) {
    auto stride = [&](unsigned index) {
      return magnitude(contraction.indices[index].stride[Tensor::C]);
    };
    return std::tuple(-stride(a), a) < std::tuple(-stride(b), b);
  });
  Tiling tiling;
  for (unsigned index : order)
    tiling.push_back(extents[index]);
  return makeCandidate(contraction, order, tiling);
}

} // namespace tc::model
