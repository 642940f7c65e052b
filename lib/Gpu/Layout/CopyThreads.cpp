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

/// A dimension of a copy, in accesses, as threads and rounds share it out.
struct SharedDim {
  TileDim dim;
  int64_t radix = 1;
  /// Values that threads walk at the least.
  int64_t least = 1;
  /// True if threads walk neighbours, and rounds the rest; else the other way
  /// around.
  bool threadsFirst = false;
  /// Values that rounds walk.
  int64_t rounds = 1;

  /// The numbers of values that rounds may walk, ascending.
  std::vector<int64_t> parts() const {
    std::vector<int64_t> found;
    for (int64_t part = 1; part <= radix / least; ++part)
      if (radix % part == 0 && radix / part % least == 0)
        found.push_back(part);
    return found;
  }
};

/// Bytes between neighbours along a dimension of a copy.
int64_t bytesBetween(const Contraction &contraction, Tensor tensor,
                     const TileDim &dim) {
  return contraction.indices[dim.index].stride[tensor] * dim.step *
         byteWidth(contraction.elementType[tensor]);
}

/// The addresses that asynchronous copies with these offsets, in bytes, share;
/// reorders the offsets.
int64_t countAddressesOf(std::vector<int64_t> &offsets) {
  std::sort(offsets.begin(), offsets.end());
  auto addressOf = [](int64_t offset) {
    int64_t shifted = offset + addressSpacing / 2;
    return shifted >= 0 ? shifted / addressSpacing
                        : -ceilDivide(-shifted, addressSpacing);
  };
  int64_t addresses = offsets.empty() ? 0 : 1;
  for (size_t i = 1; i < offsets.size(); ++i)
    addresses += addressOf(offsets[i]) != addressOf(offsets[i - 1]);
  return addresses;
}

/// Chooses the number of values of each dimension of a copy that rounds walk.
class AccessSharing {
public:
  AccessSharing(const Contraction &contraction, Tensor tensor,
                const TiledCopy &tiledCopy, int64_t threads,
                const Target &target)
      : contraction(contraction), tensor(tensor), tiledCopy(tiledCopy),
        threads(threads),
        limit(copyInstructions(contraction, tensor, tiledCopy)),
        maxRounds(std::min(2 * ceilDivide(tiledCopy.accesses, threads),
                           limit - additionsOfAddress - 1)) {
    int64_t bytes = byteWidth(contraction.elementType[tensor]);
    int64_t ofSector =
        std::max<int64_t>(1, target.sectorBytes / (bytes * tiledCopy.width));
    for (const TileDim &dim : tiledCopy.order) {
      int64_t width = dims.empty() ? tiledCopy.width : 1;
      SharedDim shared{dim, dim.tile / width, 1, dims.empty(), 1};
      // Sectors that are not filled evenly stay together.
      if (dims.empty())
        shared.least = shared.radix % ofSector == 0 ? ofSector : shared.radix;
      // The rest of a sector of which the first dimension has a part.
      if (!dims.empty() && dim.index == tiledCopy.order.front().index &&
          dim.step * bytes < target.sectorBytes)
        shared.least = shared.radix;
      dims.push_back(shared);
      parts.push_back(shared.parts());
    }
  }

  /// The copies with the fewest instructions, at most so many.
  std::vector<TiledCopy> run(size_t most) {
    choose(0, 1);
    std::sort(found.begin(), found.end(),
              [](const Found &a, const Found &b) { return a.key < b.key; });
    if (found.size() > most)
      found.resize(most);
    std::vector<TiledCopy> copies;
    for (const Found &sharing : found) {
      TiledCopy &copy = copies.emplace_back(tiledCopy);
      copy.order = makeOrder(sharing.dims);
      copy.accessesPerThread = sharing.rounds;
      copy.threads = tiledCopy.accesses / sharing.rounds;
    }
    return copies;
  }

private:
  struct Found {
    std::tuple<int64_t, int64_t, size_t> key;
    int64_t rounds;
    std::vector<SharedDim> dims;
  };

  void choose(size_t i, int64_t rounds) {
    if (i == dims.size()) {
      evaluate(rounds);
      return;
    }
    SharedDim before = dims[i];
    int64_t maxParts = maxRounds / rounds;
    for (int64_t part : parts[i]) {
      if (part > maxParts)
        break;
      bool isSplit = part != 1 && part != before.radix;
      for (bool threadsFirst : {before.threadsFirst, true}) {
        // A tile that may be cut off within a part of it stays in one piece.
        int64_t inner = (threadsFirst ? before.radix / part : part) *
                        (i == 0 ? tiledCopy.width : 1);
        if (isSplit && !before.dim.isDivisibleBy(inner * before.dim.step))
          continue;
        dims[i].rounds = part;
        dims[i].threadsFirst = threadsFirst;
        choose(i + 1, rounds * part);
        if (!isSplit || before.threadsFirst)
          break;
      }
    }
    dims[i] = before;
  }

  void evaluate(int64_t rounds) {
    if (tiledCopy.accesses / rounds > threads)
      return;
    // A thread asks once whether it takes part, and for each value that rounds
    // walk whether an access is inside.
    int64_t cost = rounds + (tiledCopy.accesses / rounds < threads ? 2 : 0);
    for (const SharedDim &shared : dims)
      if (shared.rounds > 1 && shared.dim.ragged())
        cost += rounds;
    if (cost + additionsOfAddress >= limit)
      return;
    cost += additionsOfAddress * countChunks();
    int64_t ofFront = dims.front().radix / dims.front().rounds;
    if (cost < limit)
      found.push_back({{cost, -ofFront, found.size()}, rounds, dims});
  }

  int64_t countChunks() {
    offsets.assign(1, 0);
    for (const SharedDim &shared : dims) {
      int64_t width = &shared == &dims.front() ? tiledCopy.width : 1;
      int64_t stride = bytesBetween(contraction, tensor, shared.dim) * width;
      if (shared.threadsFirst)
        stride *= shared.radix / shared.rounds;
      size_t count = offsets.size();
      for (int64_t round = 1; round < shared.rounds; ++round)
        for (size_t i = 0; i < count; ++i)
          offsets.push_back(offsets[i] + round * stride);
    }
    return countAddressesOf(offsets);
  }

  /// The dimensions that threads walk, then those that rounds walk.
  std::vector<TileDim> makeOrder(const std::vector<SharedDim> &shares) const {
    std::vector<TileDim> order, ofRounds;
    for (const SharedDim &shared : shares) {
      int64_t width = &shared == &shares.front() ? tiledCopy.width : 1;
      TileDim rest = shared.dim;
      if (shared.rounds == shared.radix && width == 1) {
        ofRounds.push_back(rest);
      } else if (shared.rounds == 1) {
        order.push_back(rest);
      } else if (shared.threadsFirst) {
        order.push_back(splitOff(rest, shared.radix / shared.rounds * width));
        ofRounds.push_back(rest);
      } else {
        ofRounds.push_back(splitOff(rest, shared.rounds * width));
        order.push_back(rest);
      }
    }
    order.insert(order.end(), ofRounds.begin(), ofRounds.end());
    return order;
  }

  const Contraction &contraction;
  Tensor tensor;
  const TiledCopy &tiledCopy;
  int64_t threads, limit;
  /// A few more rounds than needed may still be fewer instructions.
  int64_t maxRounds;
  std::vector<SharedDim> dims;
  std::vector<std::vector<int64_t>> parts; ///< of each dimension
  std::vector<Found> found;
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
