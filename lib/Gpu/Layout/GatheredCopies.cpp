//===- GatheredCopies.cpp - Copies that transpose narrow elements ---------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Halves whose neighbours in memory are none in the shared tile would be stored
// one by one. Where a thread's accesses one after the other are of neighbours
// in the shared tile's rows, it exchanges elements among its registers, two by
// an instruction, and stores as many together as it has such accesses.
//
//===----------------------------------------------------------------------===//

#include "RegisterEstimate.h"

#include "tc/Gpu/Layout/SharedTileLayout.h"
#include "tc/Support/Arithmetic.h"

#include <algorithm>

namespace tc::model {

namespace {

/// The dimensions of a copy, fastest first, such that one round of threads
/// walks the first `whole` of them.
struct Round {
  std::vector<TileDim> order;
  size_t whole = 0;
  int64_t threads = 1;
};

/// Splits the dimensions where a round of at most so many threads ends. Nothing
/// may be cut off in the middle of a part.
Round splitAtRound(std::vector<TileDim> order, int64_t width, int64_t threads) {
  Round round{std::move(order)};
  for (; round.whole < round.order.size(); ++round.whole) {
    TileDim &dim = round.order[round.whole];
    int64_t perAccess = round.whole == 0 ? width : 1;
    int64_t radix = dim.tile / perAccess, left = threads / round.threads;
    if (radix <= left) {
      round.threads *= radix;
      continue;
    }
    if (left == 1 || radix % left != 0 ||
        !dim.isDivisibleBy(left * perAccess * dim.step))
      break;
    TileDim first = splitOff(dim, left * perAccess);
    round.order.insert(round.order.begin() + round.whole, first);
    round.threads *= left;
    ++round.whole;
    break;
  }
  return round;
}

/// Lets a thread's accesses be of so many neighbours along the shared tile's
/// fastest dimension, one after the other, if that takes no more of them.
bool gather(TiledCopy &tiledCopy, const TileDim &fastest, int64_t count,
            int64_t threads, const Target &target) {
  std::vector<TileDim> rest = tiledCopy.order;
  auto along = std::find_if(rest.begin(), rest.end(), [&](const TileDim &dim) {
    return dim.index == fastest.index;
  });
  if (along == rest.end() || along == rest.begin() ||
      along->tile % count != 0 || !along->isDivisibleBy(count))
    return false;
  TileDim neighbours = splitOff(*along, count), others = *along;
  rest.erase(along);
  // Lanes walk a sector, then along the shared tile's rows, and so apart in
  // banks.
  int64_t sector = target.sectorBytes / byteWidth(tiledCopy.elementType);
  TileDim &front = rest.front();
  if (front.tile > sector && front.tile % sector == 0 &&
      front.isDivisibleBy(sector)) {
    TileDim first = splitOff(front, sector);
    rest.insert(rest.begin(), first);
  }
  if (others.tile > 1)
    rest.insert(rest.begin() + 1, others);

  Round round = splitAtRound(std::move(rest), tiledCopy.width, threads);
  int64_t accesses = tiledCopy.accesses;
  if (round.whole == 0 || accesses % (round.threads * count) != 0 ||
      accesses / round.threads > ceilDivide(accesses, threads))
    return false;
  round.order.insert(round.order.begin() + round.whole, neighbours);
  tiledCopy.order = std::move(round.order);
  tiledCopy.gathered = count;
  tiledCopy.gatheredPlace = round.whole;
  tiledCopy.threads = round.threads;
  tiledCopy.accessesPerThread = accesses / round.threads;
  return true;
}

} // namespace

bool gatherNeighbours(TiledCopy &tiledCopy, const std::vector<TileDim> &side,
                      int64_t threads, const Target &target) {
  const TileDim *fastest = fastestInSharedTile(side);
  int64_t bytes = byteWidth(tiledCopy.elementType);
  if (!fastest || bytes >= registerBytes)
    return false;
  for (int64_t count = sharedAccessBytes / bytes; count > 1; count /= 2)
    if (gather(tiledCopy, *fastest, count, threads, target))
      return true;
  return false;
}

} // namespace tc::model
