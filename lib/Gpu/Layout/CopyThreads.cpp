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
constexpr int64_t addressSpacing = 4096;

/// Additions for an address of 64 bits.
constexpr int64_t additionsOfAddress = 2;

/// Ways to share accesses out that are compared by their bank conflicts.
constexpr size_t maxCopies = 12;

/// The way in which threads and rounds share a dimension of a copy out.
struct DimSharing {
  /// Values that rounds walk.
  int64_t rounds = 1;
  /// True if threads walk neighbours, and rounds the rest; else the other way
  /// around.
  bool threadsFirst = false;
};

/// A dimension of a copy, in accesses, that threads and rounds share out.
struct SharedDim {
  TileDim dim;
  int64_t radix = 1;
  /// Bytes between the sources of neighbours.
  int64_t stride = 0;
  bool ragged = false;
  /// The ways to share it out, by ascending rounds.
  std::vector<DimSharing> ways;
  /// The most rounds of the dimensions from this one on.
  int64_t mostRounds = 1;

  /// Fills `ways` in, with up to so many rounds. Threads walk at least so many
  /// values, and of the front dimension, where an access has `width`
  /// neighbours, always the first ones.
  void findWays(int64_t most, int64_t least, bool isFront, int64_t width) {
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
  }
};

/// Bytes between neighbours along a dimension of a copy.
int64_t bytesBetween(const Contraction &contraction, Tensor tensor,
                     const TileDim &dim) {
  return contraction.indices[dim.index].stride[tensor] * dim.step *
         byteWidth(contraction.elementType[tensor]);
}

/// The addresses that asynchronous copies with these offsets, in bytes, share;
/// overwrites the offsets.
int64_t countAddressesOf(std::vector<int64_t> &offsets) {
  bool ascend = true;
  int64_t last = std::numeric_limits<int64_t>::min(), addresses = 0;
  for (int64_t &offset : offsets) {
    int64_t shifted = offset + addressSpacing / 2;
    offset = shifted >= 0 ? shifted / addressSpacing
                          : -ceilDivide(-shifted, addressSpacing);
    ascend &= offset >= last;
    addresses += offset != last;
    last = offset;
  }
  if (ascend)
    return addresses;
  std::sort(offsets.begin(), offsets.end());
  return std::unique(offsets.begin(), offsets.end()) - offsets.begin();
}

/// Chooses the number of values of each dimension of a copy that rounds walk.
class AccessSharing {
public:
  AccessSharing(const Contraction &contraction, Tensor tensor,
                const TiledCopy &tiledCopy, int64_t threads,
                const Target &target)
      : tiledCopy(tiledCopy), threads(threads),
        limit(copyInstructions(contraction, tensor, tiledCopy)),
        minRounds(tiledCopy.accesses / (threads + 1) + 1),
        maxRounds(std::min(2 * ceilDivide(tiledCopy.accesses, threads),
                           limit - additionsOfAddress - 1)) {
    int64_t bytes = byteWidth(contraction.elementType[tensor]);
    int64_t ofSector =
        std::max<int64_t>(1, target.sectorBytes / (bytes * tiledCopy.width));
    dims.reserve(tiledCopy.order.size());
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
      shared.findWays(maxRounds, least, isFront, width);
    }
    int64_t mostRounds = 1;
    for (auto shared = dims.rbegin(); shared != dims.rend(); ++shared) {
      if (!shared->ways.empty())
        mostRounds =
            std::min(maxRounds, mostRounds * shared->ways.back().rounds);
      shared->mostRounds = mostRounds;
    }
    present.resize(dims.size());
  }

  /// The copies with the fewest instructions, at most so many.
  std::vector<TiledCopy> run(size_t most) {
    choose(0, 1);
    std::sort(found.begin(), found.end(),
              [](const Found &a, const Found &b) { return a.key < b.key; });
    if (found.size() > most)
      found.resize(most);
    std::vector<TiledCopy> copies;
    copies.reserve(found.size());
    for (const Found &sharing : found) {
      TiledCopy &copy = copies.emplace_back(tiledCopy);
      makeOrder(&sharings[std::get<size_t>(sharing.key) * dims.size()],
                copy.order);
      copy.accessesPerThread = sharing.rounds;
      copy.threads = tiledCopy.accesses / sharing.rounds;
    }
    return copies;
  }

private:
  /// A way to share a copy out, by instructions, by what threads walk of the
  /// first dimension, and by its number.
  struct Found {
    std::tuple<int64_t, int64_t, size_t> key;
    int64_t rounds;
  };

  void choose(size_t i, int64_t rounds) {
    if (i == dims.size()) {
      evaluate(rounds);
      return;
    }
    if (rounds * dims[i].mostRounds < minRounds)
      return;
    for (const DimSharing &way : dims[i].ways) {
      if (rounds * way.rounds > maxRounds)
        break;
      present[i] = way;
      choose(i + 1, rounds * way.rounds);
    }
  }

  void evaluate(int64_t rounds) {
    if (rounds < minRounds)
      return;
    // A thread asks once whether it takes part, and for each value that rounds
    // walk whether an access is inside.
    int64_t cost = rounds + (tiledCopy.accesses / rounds < threads ? 2 : 0);
    for (size_t i = 0; i < dims.size(); ++i)
      if (present[i].rounds > 1 && dims[i].ragged)
        cost += rounds;
    if (cost + additionsOfAddress >= limit)
      return;
    cost += additionsOfAddress * countChunks();
    if (cost >= limit)
      return;
    int64_t ofFront = dims.front().radix / present.front().rounds;
    found.push_back({{cost, -ofFront, found.size()}, rounds});
    sharings.insert(sharings.end(), present.begin(), present.end());
  }

  int64_t countChunks() {
    offsets.assign(1, 0);
    for (size_t i = 0; i < dims.size(); ++i) {
      auto [rounds, threadsFirst] = present[i];
      int64_t stride = dims[i].stride;
      if (threadsFirst)
        stride *= dims[i].radix / rounds;
      size_t count = offsets.size();
      for (int64_t round = 1; round < rounds; ++round)
        for (size_t j = 0; j < count; ++j)
          offsets.push_back(offsets[j] + round * stride);
    }
    return countAddressesOf(offsets);
  }

  /// The dimensions that threads walk, then those that rounds walk.
  void makeOrder(const DimSharing *sharing, std::vector<TileDim> &order) {
    order.clear();
    ofRounds.clear();
    for (const SharedDim &shared : dims) {
      auto [rounds, threadsFirst] = *sharing++;
      int64_t width = &shared == &dims.front() ? tiledCopy.width : 1;
      TileDim rest = shared.dim;
      if (rounds == shared.radix && width == 1) {
        ofRounds.push_back(rest);
      } else if (rounds == 1) {
        order.push_back(rest);
      } else if (threadsFirst) {
        order.push_back(splitOff(rest, shared.radix / rounds * width));
        ofRounds.push_back(rest);
      } else {
        ofRounds.push_back(splitOff(rest, rounds * width));
        order.push_back(rest);
      }
    }
    order.insert(order.end(), ofRounds.begin(), ofRounds.end());
  }

  const TiledCopy &tiledCopy;
  int64_t threads, limit;
  /// The fewest rounds for which there are enough threads.
  int64_t minRounds;
  /// A few more rounds than needed may still be fewer instructions.
  int64_t maxRounds;
  std::vector<SharedDim> dims;
  /// Of each dimension: the one that is looked at, and those found.
  std::vector<DimSharing> present, sharings;
  std::vector<Found> found;
  /// That rounds walk in the order that is made.
  std::vector<TileDim> ofRounds;
  /// Those of a thread's rounds, in bytes.
  std::vector<int64_t> offsets;
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
  return countAddressesOf(offsets);
}

int64_t copyInstructions(const Contraction &contraction, Tensor tensor,
                         const TiledCopy &tiledCopy) {
  return tiledCopy.accessesPerThread +
         additionsOfAddress * countAddresses(contraction, tensor, tiledCopy);
}

std::vector<TiledCopy> bringAccessesTogether(const Contraction &contraction,
                                             Tensor tensor,
                                             const TiledCopy &tiledCopy,
                                             const KernelLayout &layout,
                                             const Target &target) {
  if (tiledCopy.passesRegisters() || contraction.runTime ||
      tiledCopy.order.empty() ||
      countAddresses(contraction, tensor, tiledCopy) == 1)
    return {};
  return AccessSharing(contraction, tensor, tiledCopy, layout.threads, target)
      .run(maxCopies);
}

} // namespace tc::model
