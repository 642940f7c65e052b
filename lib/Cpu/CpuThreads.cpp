//===- CpuThreads.cpp - Sharing a contraction out among threads -----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a schedule for one thread and shares its loops over blocks out, as BLIS
// does: blocks get smaller where that gives threads equal shares. The products,
// the packing and the waits of the slowest thread decide. K is left alone, so
// that sums do not depend on the number of threads.
//
//===----------------------------------------------------------------------===//

#include "tc/Cpu/CpuMovement.h"
#include "tc/Cpu/CpuSchedule.h"
#include "tc/Problem/ComplexParts.h"
#include "tc/Support/Arithmetic.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace tc;
using namespace tc::model;

namespace {

/// The part of a role that the slowest of the threads that share it computes.
struct Share {
  /// Elements with those that fill up panels, and without.
  int64_t padded = 0, elements = 0;
  /// Blocks.
  int64_t blocks = 0;
};

/// One way to share a role out.
struct Split {
  std::vector<TileExtent> tiles;
  Share share;
};

class Sharing {
public:
  Sharing(const Contraction &contraction, const CpuTarget &target,
          const CpuSchedule &base)
      : contraction(contraction), target(target), base(base),
        bytes(byteWidth(contraction.accumulatorType)) {}

  CpuSchedule run(int64_t threads) const;

private:
  Role columnRole() const { return base.rows == Role::M ? Role::N : Role::M; }
  std::vector<CpuIndex> indicesWith(Role role,
                                    const std::vector<TileExtent> &tiles) const;
  std::vector<std::vector<TileExtent>> candidates(Role role,
                                                  int64_t ways) const;
  Split split(Role role, int64_t ways) const;
  double seconds(const CpuSchedule &schedule, const Share &rows,
                 const Share &columns) const;

  const Contraction &contraction;
  const CpuTarget &target;
  const CpuSchedule &base;
  int64_t bytes;
};

} // namespace

/// The slowest of `ways` threads that get runs of equally many blocks. Panels
/// of a block are filled up to `width`, chunks aside. Where each gets many, all
/// blocks are taken to be whole ones.
static Share slowestShare(const std::vector<CpuIndex> &indices, int64_t width,
                          int64_t ways) {
  constexpr int64_t manyBlocks = 64;
  int64_t count = countBlocks(indices);
  if (count > manyBlocks * ways) {
    int64_t elements = 1;
    for (const CpuIndex &index : indices)
      elements *= index.tile;
    int64_t blocks = ceilDivide(count, ways);
    return {saturatingMultiply(blocks, ceilDivide(elements, width) * width),
            saturatingMultiply(blocks, elements), blocks};
  }
  Share slowest, current;
  int64_t way = 0;
  for (int64_t number = 0; number < count; ++number) {
    int64_t rest = number, elements = 1;
    for (const CpuIndex &index : indices) {
      bool isLast = rest % index.blocks() == index.blocks() - 1;
      elements *= isLast ? index.lastTile() : index.tile;
      rest /= index.blocks();
    }
    current.elements += elements;
    current.padded += ceilDivide(elements, width) * width;
    ++current.blocks;
    if (number + 1 == count * (way + 1) / ways) {
      if (current.padded > slowest.padded)
        slowest = current;
      current = {};
      ++way;
    }
  }
  return slowest;
}

std::vector<CpuIndex>
Sharing::indicesWith(Role role, const std::vector<TileExtent> &tiles) const {
  std::vector<CpuIndex> indices;
  for (auto tile = tiles.rbegin(); tile != tiles.rend(); ++tile) {
    unsigned position = *contraction.find(tile->label);
    const Index &index = contraction.indices[position];
    indices.push_back({position, index.extent, tile->extent, index.stride});
  }
  if (indices.empty())
    indices.push_back({});
  return indices;
}

/// The tiles at hand, and what becomes of them if one index is cut into more
/// blocks: so many that each thread gets as many, or a few more.
std::vector<std::vector<TileExtent>> Sharing::candidates(Role role,
                                                         int64_t ways) const {
  const std::vector<TileExtent> &tiles = base.tiles(role);
  std::vector<std::vector<TileExtent>> result = {tiles};
  if (ways == 1)
    return result;
  int64_t count = countBlocks(indicesWith(role, tiles));
  for (size_t place = 0; place < tiles.size(); ++place) {
    int64_t extent =
        contraction.indices[*contraction.find(tiles[place].label)].extent;
    int64_t blocks = ceilDivide(extent, tiles[place].extent);
    int64_t others = count / blocks;
    int64_t step = ways / std::gcd(others, ways);
    // Vectors stay whole along the index that varies fastest.
    int64_t unit = place + 1 == tiles.size() ? base.lanes : 1;
    for (int64_t more = ceilDivide(blocks, step) * step, i = 0;
         i < 4 && more <= extent; ++i, more += step) {
      int64_t tile = ceilDivide(ceilDivide(extent, more), unit) * unit;
      if (tile >= tiles[place].extent)
        continue;
      result.push_back(tiles);
      result.back()[place].extent = tile;
    }
  }
  return result;
}

/// The tiles with which the slowest of `ways` threads multiplies least.
Split Sharing::split(Role role, int64_t ways) const {
  int64_t width = role == base.rows ? base.registerRows : base.registerColumns;
  Split best;
  for (std::vector<TileExtent> &tiles : candidates(role, ways)) {
    std::vector<CpuIndex> indices = indicesWith(role, tiles);
    if (countBlocks(indices) < ways)
      continue;
    Share share = slowestShare(indices, width, ways);
    if (best.share.padded == 0 ||
        std::pair(share.padded, share.blocks) <
            std::pair(best.share.padded, best.share.blocks))
      best = {std::move(tiles), share};
  }
  return best;
}

/// The time of the slowest thread, in terms that differ between numbers of
/// threads and ways to share out.
double Sharing::seconds(const CpuSchedule &schedule, const Share &rows,
                        const Share &columns) const {
  Result<CpuLayout> layout = layOut(contraction, schedule);
  if (!layout)
    return HUGE_VAL;
  auto batch = static_cast<double>(
      ceilDivide(contraction.extent(Role::Batch), schedule.threads.batch));
  auto depth = static_cast<double>(contraction.extent(Role::K));
  double rate = std::max(target.clockHertz, 1e9) *
                std::max(target.productsPerCycle(contraction), 1.0);
  double multiplied = static_cast<double>(rows.padded) *
                      static_cast<double>(columns.padded) * depth;
  // Packing reads from memory, or from a cache as far away.
  double perElement =
      static_cast<double>(bytes) / std::max(target.memoryBytesPerSecond, 1e9);
  double packed = 0, barriers = 0;
  CpuLoops loops = tilingLoopsOf(contraction, schedule, *layout);
  auto addPacking = [&](const CpuSide &side, const Share &own,
                        const Share &other) {
    // A panel that is packed again is packed for each block of the other side.
    double times = timesPacked(loops, side.input) > 1
                       ? static_cast<double>(other.blocks)
                       : 1;
    double elements = static_cast<double>(own.elements) * depth * times;
    if (side.shared) {
      packed += elements / static_cast<double>(layout->threads);
      barriers += 2 * times * static_cast<double>(own.blocks) *
                  static_cast<double>(countBlocks(layout->k));
    } else {
      packed += elements;
    }
  };
  addPacking(layout->rows, rows, columns);
  addPacking(layout->columns, columns, rows);
  double updated =
      static_cast<double>(rows.elements) *
      static_cast<double>(columns.elements) *
      static_cast<double>((layout->buffersSums ? 1 : countBlocks(layout->k)) *
                          (contraction.threeProducts ? partsOfNumber : 1));
  double levels = std::ceil(std::log2(static_cast<double>(layout->threads)));
  return levels * target.costs.teamSeconds +
         batch * (multiplied / rate + (packed + updated) * perElement +
                  barriers * levels * target.costs.barrierSeconds);
}

CpuSchedule Sharing::run(int64_t threads) const {
  CpuSchedule best = base;
  double bestSeconds = HUGE_VAL;
  int64_t maxBatch = std::min(threads, contraction.extent(Role::Batch));
  std::vector<Split> columnSplits;
  for (int64_t ways = 1; ways <= threads; ++ways)
    columnSplits.push_back(split(columnRole(), ways));
  for (int64_t rowWays = 1; rowWays <= threads; ++rowWays) {
    Split rows = split(base.rows, rowWays);
    if (rows.share.padded == 0)
      continue;
    for (int64_t columnWays = 1; rowWays * columnWays <= threads;
         ++columnWays) {
      const Split &columns = columnSplits[static_cast<size_t>(columnWays - 1)];
      if (columns.share.padded == 0)
        continue;
      for (int64_t batchWays = 1;
           batchWays <= maxBatch && rowWays * columnWays * batchWays <= threads;
           ++batchWays) {
        CpuSchedule schedule = base;
        bool rowsAreM = base.rows == Role::M;
        schedule.m = rowsAreM ? rows.tiles : columns.tiles;
        schedule.n = rowsAreM ? columns.tiles : rows.tiles;
        schedule.threads = {batchWays, rowsAreM ? rowWays : columnWays,
                            rowsAreM ? columnWays : rowWays};
        double time = seconds(schedule, rows.share, columns.share);
        if (time < bestSeconds) {
          bestSeconds = time;
          best = std::move(schedule);
        }
      }
    }
  }
  return best;
}

CpuSchedule tc::model::shareOut(const Contraction &contraction,
                                const CpuTarget &target,
                                const CpuSchedule &schedule, int64_t threads) {
  threads = std::min(threads, maxCpuThreads);
  return threads > 1 ? Sharing(contraction, target, schedule).run(threads)
                     : schedule;
}
