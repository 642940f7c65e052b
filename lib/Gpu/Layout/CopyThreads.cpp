//===- CopyThreads.cpp - Assignment of copies to threads ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Gpu/Layout/CopyThreads.h"

#include "tc/Gpu/Layout/SharedTileLayout.h"

#include "tc/Support/Arithmetic.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

namespace tc::model {

namespace {

/// Bytes from one address of asynchronous copies to the next that ptxas makes
/// for sm_80 and sm_90: the offset in the instruction has 12 bits, of which one
/// is the sign.
constexpr int64_t addressSpacingBits = 12;
constexpr int64_t addressSpacing = int64_t(1) << addressSpacingBits;

/// Additions for an address of 64 bits.
constexpr int64_t additionsOfAddress = 2;

/// Ways to share accesses out that are compared by their bank conflicts.
constexpr size_t maxSharings = 12;

/// Ways to share dimensions out for which there is memory at once.
constexpr size_t fewWays = 32;

using DimSharing = CopySharings::DimSharing;

/// A dimension of a copy, in accesses, that threads and rounds share out.
struct SharedDim {
  TileDim dim;
  int64_t radix = 1;
  /// Bytes between the sources of neighbours.
  int64_t stride = 0;
  bool ragged = false;
  /// The ways to share it out, by ascending rounds, as numbers of them.
  size_t firstWay = 0, endWay = 0;
  /// The most rounds of the dimensions from this one on.
  int64_t mostRounds = 1;

  /// Appends to `ways` those with up to so many rounds. Threads walk at least
  /// so many values, and of the front dimension, where an access has `width`
  /// neighbours, always the first ones.
  void findWays(int64_t most, int64_t least, bool isFront, int64_t width,
                std::vector<DimSharing> &ways) {
    firstWay = ways.size();
    for (int64_t part = 1; part <= std::min(most, radix / least); ++part) {
      if (radix % part != 0 || radix / part % least != 0)
        continue;
      bool isSplit = part != 1 && part != radix;
      for (bool threadsFirst : {false, true}) {
        if (isFront ? !threadsFirst : threadsFirst && !isSplit)
          continue;
        // A tile that may be cut off within a part of it stays in one piece.
        int64_t inner = (threadsFirst ? radix / part : part) * width;
        if (!isSplit || dim.isDivisibleBy(inner * dim.step))
          ways.push_back({part, threadsFirst});
      }
    }
    endWay = ways.size();
  }
};

/// Bytes between neighbours along a dimension of a copy.
int64_t bytesBetween(const Contraction &contraction, Tensor tensor,
                     const TileDim &dim) {
  return contraction.indices[dim.index].stride[tensor] * dim.step *
         byteWidth(contraction.elementType[tensor]);
}

/// The addresses that asynchronous copies with these offsets, in bytes, share.
/// Needs memory in `chunks`.
int64_t countAddressesOf(const int64_t *begin, const int64_t *end,
                         std::vector<int64_t> &chunks) {
  if (static_cast<size_t>(end - begin) > chunks.size())
    chunks.resize(end - begin);
  bool ascend = true;
  int64_t last = std::numeric_limits<int64_t>::min(), addresses = 0;
  int64_t *chunk = chunks.data();
  for (const int64_t *offset = begin; offset != end; ++offset) {
    // Rounded down.
    int64_t next = (*offset + addressSpacing / 2) >> addressSpacingBits;
    ascend &= next >= last;
    addresses += next != last;
    *chunk++ = last = next;
  }
  if (ascend)
    return addresses;
  std::sort(chunks.data(), chunk);
  return std::unique(chunks.data(), chunk) - chunks.data();
}

/// Chooses the number of values of each dimension of a copy that rounds walk.
class AccessSharing {
public:
  AccessSharing(const Contraction &contraction, Tensor tensor,
                const TiledCopy &tiledCopy, int64_t instructions,
                int64_t threads, const Target &target)
      : tiledCopy(tiledCopy), threads(threads), limit(instructions),
        minRounds(tiledCopy.accesses / (threads + 1) + 1),
        maxRounds(std::min(2 * ceilDivide(tiledCopy.accesses, threads),
                           limit - additionsOfAddress - 1)) {
    int64_t bytes = byteWidth(contraction.elementType[tensor]);
    int64_t ofSector =
        std::max<int64_t>(1, target.sectorBytes / (bytes * tiledCopy.width));
    dims.reserve(tiledCopy.order.size());
    ways.reserve(fewWays);
    for (const TileDim &dim : tiledCopy.order) {
      bool isFront = dims.empty();
      int64_t width = isFront ? tiledCopy.width : 1, least = 1;
      SharedDim &shared = dims.emplace_back();
      shared.dim = dim;
      shared.radix = dim.tile / width;
      shared.stride = bytesBetween(contraction, tensor, dim) * width;
      shared.ragged = dim.ragged();
      // Sectors that are not filled evenly stay together.
      if (isFront)
        least = shared.radix % ofSector == 0 ? ofSector : shared.radix;
      // The rest of a sector of which the first dimension has a part.
      else if (dim.index == tiledCopy.order.front().index &&
               dim.step * bytes < target.sectorBytes)
        least = shared.radix;
      shared.findWays(maxRounds, least, isFront, width, ways);
    }
    int64_t mostRounds = 1;
    for (auto shared = dims.rbegin(); shared != dims.rend(); ++shared) {
      if (shared->endWay > shared->firstWay)
        mostRounds =
            std::min(maxRounds, mostRounds * ways[shared->endWay - 1].rounds);
      shared->mostRounds = mostRounds;
    }
    present.resize(dims.size());
  }

  /// The ways with the fewest instructions.
  CopySharings run() {
    offsets.assign(1, 0);
    choose(0, Sum());
    std::sort(found.begin(), found.end(),
              [](const Found &a, const Found &b) { return a.key < b.key; });
    if (found.size() > maxSharings)
      found.resize(maxSharings);
    CopySharings result;
    for (const Found &way : found)
      result.append({way.rounds, way.rounds + way.ofAddresses},
                    &sharings[std::get<size_t>(way.key) * dims.size()],
                    dims.size());
    return result;
  }

private:
  /// A way to share a copy out, by instructions, by what threads walk of the
  /// first dimension, and by its number.
  struct Found {
    std::tuple<int64_t, int64_t, size_t> key;
    int64_t rounds;
    /// Additions for the addresses of a thread.
    int64_t ofAddresses;
  };

  /// The sum over the ways that some dimensions have.
  struct Sum {
    int64_t rounds = 1;
    /// Addresses of a thread, and dimensions that may be cut off in rounds.
    int64_t addresses = 1, cut = 0;
    /// The offsets of the rounds are the last ones from this on.
    size_t firstOffset = 0;
  };

  /// Instructions of a thread for its rounds: it asks once in each whether an
  /// access is inside, for each dimension that may be cut off.
  static int64_t costOf(int64_t rounds, const Sum &sum) {
    return rounds * (1 + sum.cut) + additionsOfAddress * sum.addresses;
  }

  /// Chooses ways for the dimensions from `i` on.
  void choose(size_t i, const Sum &before) {
    if (i == dims.size()) {
      evaluate(before);
      return;
    }
    const SharedDim &dim = dims[i];
    if (before.rounds * dim.mostRounds < minRounds)
      return;
    size_t end = offsets.size();
    for (size_t number = dim.firstWay; number < dim.endWay; ++number) {
      const DimSharing &way = ways[number];
      Sum sum = before;
      sum.rounds *= way.rounds;
      sum.cut += way.rounds > 1 && dim.ragged ? 1 : 0;
      // Further rounds only add to it.
      if (sum.rounds > maxRounds ||
          costOf(std::max(sum.rounds, minRounds), sum) >= limit)
        break;
      present[i] = way;
      if (way.rounds > 1) {
        addRounds(dim, way, before.firstOffset, end);
        sum.firstOffset = end;
        sum.addresses = countAddressesOf(
            offsets.data() + end, offsets.data() + offsets.size(), chunks);
      }
      if (costOf(std::max(sum.rounds, minRounds), sum) < limit)
        choose(i + 1, sum);
      offsets.resize(end);
    }
  }

  /// Repeats the offsets from `first` to `end` for each round along a
  /// dimension.
  void addRounds(const SharedDim &dim, const DimSharing &way, size_t first,
                 size_t end) {
    int64_t stride = dim.stride;
    if (way.threadsFirst)
      stride *= dim.radix / way.rounds;
    size_t count = end - first;
    offsets.resize(end + count * way.rounds);
    const int64_t *from = offsets.data() + first;
    int64_t *to = offsets.data() + end;
    for (int64_t round = 0, distance = 0; round < way.rounds;
         ++round, distance += stride)
      for (size_t j = 0; j < count; ++j)
        *to++ = from[j] + distance;
  }

  void evaluate(const Sum &sum) {
    if (sum.rounds < minRounds)
      return;
    // A thread asks once whether it takes part.
    int64_t cost = costOf(sum.rounds, sum) +
                   (tiledCopy.accesses / sum.rounds < threads ? 2 : 0);
    if (cost >= limit)
      return;
    int64_t ofFront = dims.front().radix / present.front().rounds;
    found.push_back({{cost, -ofFront, found.size()},
                     sum.rounds,
                     additionsOfAddress * sum.addresses});
    sharings.insert(sharings.end(), present.begin(), present.end());
    lowerLimit(cost);
  }

  /// Leaves out what costs more than the copies with the fewest instructions
  /// do, once there are enough of them.
  void lowerLimit(int64_t cost) {
    leastCosts.insert(
        std::upper_bound(leastCosts.begin(), leastCosts.end(), cost), cost);
    if (leastCosts.size() < maxSharings)
      return;
    leastCosts.resize(maxSharings);
    limit = std::min(limit, leastCosts.back() + 1);
  }

  const TiledCopy &tiledCopy;
  int64_t threads;
  /// The cost, by instructions, from which on a way is of no use.
  int64_t limit;
  /// The fewest rounds for which there are enough threads.
  int64_t minRounds;
  /// A few more rounds than needed may still be fewer instructions.
  int64_t maxRounds;
  std::vector<SharedDim> dims;
  /// Those of all dimensions.
  std::vector<DimSharing> ways;
  /// Of each dimension: the one that is looked at, and those found.
  std::vector<DimSharing> present, sharings;
  std::vector<Found> found;
  /// Those of a thread's rounds, in bytes, as far as dimensions have ways, one
  /// list after the other.
  std::vector<int64_t> offsets;
  /// Of found ways, no more than are wanted, in ascending order.
  std::vector<int64_t> leastCosts;
  std::vector<int64_t> chunks;
};

} // namespace

void chooseThreads(TiledCopy &tiledCopy, int64_t all) {
  auto set = [&](int64_t threads) {
    tiledCopy.threads = threads;
    tiledCopy.accessesPerThread = ceilDivide(tiledCopy.accesses, threads);
  };
  // An access and the addresses of its own, if it has them.
  auto cost = [&] {
    return tiledCopy.accessesPerThread * (stepsAreUniform(tiledCopy) ? 1 : 3);
  };
  set(all);
  int64_t least = cost(), best = all, below = 1;
  for (unsigned i = 0; i < tiledCopy.order.size() && below <= all; ++i) {
    int64_t radix = tiledCopy.order[i].tile / (i == 0 ? tiledCopy.width : 1);
    for (int64_t part = radix; part > 1; --part) {
      if (radix % part != 0 || below * part > all)
        continue;
      set(below * part);
      if (cost() < least) {
        least = cost();
        best = tiledCopy.threads;
      }
      break;
    }
    below *= radix;
  }
  set(best);
}

int64_t countAddresses(const Contraction &contraction, Tensor tensor,
                       const TiledCopy &tiledCopy) {
  if (!stepsAreUniform(tiledCopy))
    return tiledCopy.accessesPerThread;
  if (tiledCopy.accessesPerThread == 1)
    return 1;
  // Of the dimensions that threads walk whole, all rounds have the same value.
  int64_t threads = tiledCopy.threads, width = tiledCopy.width;
  auto first = tiledCopy.order.begin();
  for (; first != tiledCopy.order.end() && threads % (first->tile / width) == 0;
       ++first) {
    threads /= first->tile / width;
    width = 1;
  }
  std::vector<int64_t> offsets;
  offsets.reserve(tiledCopy.accessesPerThread);
  for (int64_t round = 0; round < tiledCopy.accessesPerThread; ++round) {
    int64_t number = round * threads, offset = 0, together = width;
    for (auto dim = first; dim != tiledCopy.order.end(); ++dim) {
      int64_t radix = dim->tile / together;
      offset +=
          number % radix * together * bytesBetween(contraction, tensor, *dim);
      number /= radix;
      together = 1;
    }
    offsets.push_back(offset);
  }
  std::vector<int64_t> chunks;
  return countAddressesOf(offsets.data(), offsets.data() + offsets.size(),
                          chunks);
}

int64_t copyInstructions(const Contraction &contraction, Tensor tensor,
                         const TiledCopy &tiledCopy) {
  return tiledCopy.accessesPerThread +
         additionsOfAddress * countAddresses(contraction, tensor, tiledCopy);
}

void CopySharings::append(const Sharing &sharing, const DimSharing *ofDims,
                          size_t dimCount) {
  sharings.push_back(sharing);
  dims.insert(dims.end(), ofDims, ofDims + dimCount);
}

void CopySharings::apply(size_t number, TiledCopy &tiledCopy) const {
  // The dimensions that threads walk, then those that rounds walk.
  std::vector<TileDim> order, ofRounds;
  order.reserve(2 * tiledCopy.order.size());
  ofRounds.reserve(tiledCopy.order.size());
  const DimSharing *sharing = &dims[number * tiledCopy.order.size()];
  int64_t width = tiledCopy.width;
  for (TileDim rest : tiledCopy.order) {
    auto [rounds, threadsFirst] = *sharing++;
    int64_t radix = rest.tile / width;
    if (rounds == radix && width == 1) {
      ofRounds.push_back(rest);
    } else if (rounds == 1) {
      order.push_back(rest);
    } else if (threadsFirst) {
      order.push_back(splitOff(rest, radix / rounds * width));
      ofRounds.push_back(rest);
    } else {
      ofRounds.push_back(splitOff(rest, rounds * width));
      order.push_back(rest);
    }
    width = 1;
  }
  order.insert(order.end(), ofRounds.begin(), ofRounds.end());
  tiledCopy.order = std::move(order);
  tiledCopy.accessesPerThread = sharings[number].rounds;
  tiledCopy.threads = tiledCopy.accesses / sharings[number].rounds;
}

CopySharings bringAccessesTogether(const Contraction &contraction,
                                   Tensor tensor, const TiledCopy &tiledCopy,
                                   int64_t instructions, int64_t threads,
                                   const Target &target) {
  if (tiledCopy.passesRegisters() || contraction.runTime ||
      tiledCopy.order.empty() ||
      instructions == tiledCopy.accessesPerThread + additionsOfAddress)
    return {};
  return AccessSharing(contraction, tensor, tiledCopy, instructions, threads,
                       target)
      .run();
}

} // namespace tc::model
