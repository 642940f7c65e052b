//===- WarpRequests.cpp - Accesses of warps to one tile -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Goes through the lanes of warps, but only once where many warps do the same:
// a copy's by AccessWalk; those of a store by distinguishing kinds of rows and
// of columns of a thread's accumulators apart.
//
//===----------------------------------------------------------------------===//

#include "WarpRequests.h"

#include "AccessWalk.h"

#include "tc/Gpu/Layout/StoreExchange.h"

#include <algorithm>
#include <limits>

namespace tc::model {

namespace {

/// Numbers of which few are different, in the order of lanes.
class DistinctNumbers {
public:
  explicit DistinctNumbers(int64_t most) : numbers(most) {}

  void add(int64_t number) {
    if (number == last)
      return;
    ascends &= number > last;
    last = numbers[count++] = number;
  }

  /// Returns the number of distinct ones, and starts anew.
  double take() {
    size_t distinct = ascends ? count : countDistinct();
    count = 0;
    last = none;
    ascends = true;
    return static_cast<double>(distinct);
  }

private:
  /// Below all numbers.
  static constexpr int64_t none = std::numeric_limits<int64_t>::min();

  /// By hashing with open addressing, half of whose slots stay free: quicker
  /// than to sort so few.
  size_t countDistinct() {
    if (table.empty()) {
      size_t slots = 1;
      while (slots < 2 * numbers.size())
        slots *= 2;
      table.assign(slots, none);
      places.resize(numbers.size());
    }
    size_t distinct = 0;
    for (size_t i = 0; i < count; ++i) {
      auto slot = static_cast<size_t>(
          static_cast<uint64_t>(numbers[i]) * 0x9e3779b97f4a7c15u >> 32);
      slot &= table.size() - 1;
      while (table[slot] != none && table[slot] != numbers[i])
        slot = (slot + 1) & (table.size() - 1);
      if (table[slot] == none) {
        table[slot] = numbers[i];
        places[distinct++] = slot;
      }
    }
    for (size_t i = 0; i < distinct; ++i)
      table[places[i]] = none;
    return distinct;
  }

  /// None twice in a row; so many are used.
  std::vector<int64_t> numbers;
  size_t count = 0;
  int64_t last = none;
  bool ascends = true;
  /// The numbers by their hashes, and where they are in it, once needed.
  std::vector<int64_t> table;
  std::vector<size_t> places;
};

/// The sectors and the lines of one instruction of a warp. One warp mostly does
/// what the last one did, some lines further on.
class LaneSectors {
public:
  LaneSectors(int64_t perSector, const Target &target)
      : sectors(target.warpSize), lines(target.warpSize),
        offsets(target.warpSize), counted(target.warpSize) {
    while ((int64_t(2) << sectorShift) <= perSector)
      ++sectorShift;
    while ((target.sectorBytes << lineShift) < target.lineBytes)
      ++lineShift;
  }

  /// Notes an access of one of the warp's lanes, by an offset in elements from
  /// the begin of a sector.
  void add(int64_t offset) { offsets[lanes++] = offset; }

  /// Memory for the offsets of so many lanes, the first of the instruction,
  /// which all have an access.
  int64_t *addLanes(int64_t count) {
    lanes = count;
    return offsets.data();
  }

  /// Adds the instruction to `sum`, whose bytes are the accesses here, and
  /// starts the next one.
  void finish(GlobalRequests &sum, double times) {
    if (lanes == 0)
      return;
    if (!isAsCounted())
      count();
    sum.instructions += times;
    sum.sectors += times * sectorCount;
    sum.lines += times * lineCount;
    sum.bytes += times * static_cast<double>(lanes);
    lanes = 0;
  }

private:
  /// Returns true if all offsets are some whole lines from those that were
  /// counted last.
  bool isAsCounted() const {
    int64_t distance = offsets[0] - counted[0];
    int64_t lineElements = int64_t(1) << (sectorShift + lineShift);
    if (lanes != countedLanes || (distance & (lineElements - 1)) != 0)
      return false;
    bool isSame = true;
    for (int64_t lane = 1; lane < lanes; ++lane)
      isSame &= offsets[lane] - counted[lane] == distance;
    return isSame;
  }

  void count() {
    for (int64_t lane = 0; lane < lanes; ++lane) {
      int64_t sector = offsets[lane] >> sectorShift;
      sectors.add(sector);
      lines.add(sector >> lineShift);
    }
    sectorCount = sectors.take();
    lineCount = lines.take();
    std::swap(offsets, counted);
    countedLanes = lanes;
  }

  unsigned sectorShift = 0, lineShift = 0;
  DistinctNumbers sectors, lines;
  /// Of the lanes in this instruction, and in the one counted last.
  std::vector<int64_t> offsets, counted;
  int64_t lanes = 0, countedLanes = 0;
  double sectorCount = 0, lineCount = 0;
};

/// Stands for the offset of an element outside the tensor.
constexpr int64_t outside = std::numeric_limits<int64_t>::min();

/// The offsets of all threads' accesses along one side of C's tile, or
/// `outside`. Row r of thread position t is number r * positions + t.
struct Side {
  int64_t rows = 1, positions = 1;
  std::vector<int64_t> offsets;
  bool isCut = false; ///< Some are outside.
  /// The first of each kind of rows, and their number. Rows of one kind are a
  /// whole number of sectors apart.
  std::vector<std::pair<int64_t, int64_t>> kinds;

  bool areAlike(int64_t a, int64_t b, int64_t perSector) const {
    const int64_t *first = &offsets[a * positions];
    const int64_t *second = &offsets[b * positions];
    // Rows whose first thread is outside are mostly all outside.
    if (*first == outside || *second == outside)
      return std::equal(first, first + positions, second);
    int64_t distance = *second - *first;
    if (distance % perSector != 0)
      return false;
    for (int64_t t = 0; t < positions; ++t)
      if (first[t] == outside ? second[t] != outside
                              : second[t] != first[t] + distance)
        return false;
    return true;
  }

  void findKinds(int64_t perSector) {
    for (int64_t row = 0; row < rows; ++row) {
      auto kind =
          std::find_if(kinds.begin(), kinds.end(), [&](const auto &entry) {
            return areAlike(entry.first, row, perSector);
          });
      if (kind == kinds.end())
        kinds.emplace_back(row, 1);
      else
        ++kind->second;
    }
  }
};

/// The side N or M, where `width` elements of neighbours make one access.
Side makeSide(const Contraction &contraction, const KernelLayout &layout,
              bool ofN, const TileExtents &extents, int64_t width,
              int64_t perSector) {
  const std::vector<TileDim> &dims = ofN ? layout.n : layout.m;
  int64_t registers = ofN ? layout.registerN : layout.registerM;
  int64_t threads = ofN ? layout.threadsN : layout.threadsM;
  bool exchanges = ofN == layout.storesAlongN && exchangingLanes(layout) > 1;
  int64_t group = (ofN ? layout.groupN : layout.groupM) *
                  (exchanges ? exchangingLanes(layout) : 1);
  // By the number in the block tile, whose last dimension is the fastest.
  std::vector<int64_t> offsets(registers * threads);
  int64_t below = 1;
  Side side;
  for (auto dim = dims.rbegin(); dim != dims.rend(); ++dim) {
    int64_t stride = contraction.indices[dim->index].stride[Tensor::C];
    side.isCut |= extents[dim->index] < dim->tile;
    for (int64_t digit = 1; digit < dim->tile; ++digit) {
      int64_t *to = &offsets[digit * below];
      if (digit >= extents[dim->index])
        std::fill_n(to, below, outside);
      else if (!side.isCut)
        for (int64_t i = 0; i < below; ++i)
          to[i] = offsets[i] + digit * stride;
      else
        for (int64_t i = 0; i < below; ++i)
          to[i] = offsets[i] == outside ? outside : offsets[i] + digit * stride;
    }
    below *= dim->tile;
  }

  side.rows = registers / width;
  side.positions = threads;
  side.offsets.resize(side.rows * threads);
  int64_t *to = side.offsets.data();
  bool swaps = layout.swapsPlaces(ofN);
  for (int64_t row = 0; row < side.rows; ++row) {
    int64_t round = row * width / group, within = row * width % group;
    const int64_t *from = &offsets[round * threads * group + within];
    if (!exchanges && !swaps) {
      for (int64_t t = 0; t < threads; ++t, from += group)
        *to++ = *from;
      continue;
    }
    for (int64_t t = 0; t < threads; ++t)
      *to++ = from[(exchanges ? placeOfStores(layout, t)
                              : placeInRound(layout, ofN, round, t)) *
                   group];
  }
  side.findKinds(perSector);
  return side;
}

/// The place of a thread along the side that lanes do not walk, and along the
/// other one.
using ThreadPlace = std::pair<int32_t, int32_t>;

/// That of each thread: `positionOf`, without its divisions.
std::vector<ThreadPlace> placesOf(const KernelLayout &layout) {
  std::vector<ThreadPlace> places;
  places.reserve(layout.threads);
  int64_t alongFast = layout.lanesAlongN ? layout.threadsN : layout.threadsM;
  int64_t alongSlow = layout.threads / alongFast;
  auto [rows, columns] = layout.atom().lanes;
  for (int64_t slow = 0; slow < alongSlow; slow += rows)
    for (int64_t fast = 0; fast < alongFast; fast += columns)
      for (int64_t row = 0; row < rows; ++row)
        for (int64_t column = 0; column < columns; ++column)
          places.emplace_back(static_cast<int32_t>(slow + row),
                              static_cast<int32_t>(fast + column));
  return places;
}

} // namespace

int64_t elementsPerSector(const Contraction &contraction, Tensor tensor,
                          const Target &target) {
  return std::max<int64_t>(1, target.sectorBytes /
                                  byteWidth(contraction.elementType[tensor]));
}

TileExtents wholeTile(const Contraction &contraction,
                      const KernelLayout &layout) {
  TileExtents extents(contraction.indices.size(), 1);
  for (const std::vector<TileDim> *dims : {&layout.m, &layout.n, &layout.k})
    for (const TileDim &dim : *dims)
      extents[dim.index] = dim.tile;
  return extents;
}

GlobalRequests countLoads(const Contraction &contraction,
                          const KernelLayout &layout, Tensor tensor,
                          const TileExtents &extents, int64_t phase,
                          const Target &target) {
  const TiledCopy &tiledCopy = tensor == Tensor::A ? layout.a : layout.b;
  std::vector<AccessDigit> digits;
  for (const TileDim &dim : tiledCopy.order) {
    int64_t width = digits.empty() ? tiledCopy.width : 1;
    int64_t inside = std::min(dim.tile, extents[dim.index] / dim.step);
    digits.push_back(
        {dim.tile / width, inside / width,
         contraction.indices[dim.index].stride[tensor] * width * dim.step});
  }
  if (digits.empty())
    digits.push_back({1, 1, 0});

  int64_t perSector = elementsPerSector(contraction, tensor, target);
  AccessWalk walk(std::move(digits), tiledCopy.threads, target.warpSize,
                  perSector);
  LaneSectors sectors(perSector, target);
  GlobalRequests requests;
  walk.run([&](int64_t offset) { sectors.add(phase + offset); },
           [&] { sectors.finish(requests, walk.repeats()); });
  requests.bytes *= static_cast<double>(
      tiledCopy.width * byteWidth(contraction.elementType[tensor]));
  return requests;
}

GlobalRequests countStores(const Contraction &contraction,
                           const KernelLayout &layout,
                           const TileExtents &extents, int64_t phase,
                           const Target &target) {
  int64_t perSector = elementsPerSector(contraction, Tensor::C, target);
  int64_t widthM = layout.storesAlongN ? 1 : layout.widthC;
  int64_t widthN = layout.storesAlongN ? layout.widthC : 1;
  Side m =
      makeSide(contraction, layout, /*ofN=*/false, extents, widthM, perSector);
  Side n =
      makeSide(contraction, layout, /*ofN=*/true, extents, widthN, perSector);
  const Side &fast = layout.lanesAlongN ? n : m;
  const Side &slow = layout.lanesAlongN ? m : n;

  bool isCut = m.isCut || n.isCut;
  std::vector<ThreadPlace> places = placesOf(layout);
  LaneSectors sectors(perSector, target);
  GlobalRequests requests;
  for (auto [fastRow, fastCount] : fast.kinds) {
    for (auto [slowRow, slowCount] : slow.kinds) {
      auto times = static_cast<double>(fastCount * slowCount);
      const int64_t *slowOffsets = &slow.offsets[slowRow * slow.positions];
      const int64_t *fastOffsets = &fast.offsets[fastRow * fast.positions];
      for (int64_t warp = 0; warp < layout.threads; warp += target.warpSize) {
        int64_t end = std::min<int64_t>(warp + target.warpSize, layout.threads);
        int64_t *to = isCut ? nullptr : sectors.addLanes(end - warp);
        for (int64_t thread = warp; thread < end; ++thread) {
          auto [atSlow, atFast] = places[thread];
          if (!isCut)
            *to++ = phase + slowOffsets[atSlow] + fastOffsets[atFast];
          else if (slowOffsets[atSlow] != outside &&
                   fastOffsets[atFast] != outside)
            sectors.add(phase + slowOffsets[atSlow] + fastOffsets[atFast]);
        }
        sectors.finish(requests, times);
      }
    }
  }
  requests.bytes *= static_cast<double>(
      layout.widthC * byteWidth(contraction.elementType[Tensor::C]));
  return requests;
}

} // namespace tc::model
