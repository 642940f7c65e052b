//===- ScheduleSearch.cpp - Choosing a schedule ---------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Best-first branch and bound. A branch is a block tile: a candidate for each
// of M, N and K, whose traffic and multiply-adds bound the time of whatever
// kernel uses it. Branches are expanded into register tiles by ascending bound
// until the bound is worse than what has been found.
//
//===----------------------------------------------------------------------===//

#include "tc/Model/ScheduleSearch.h"

#include "TileCandidates.h"
#include "tc/Model/CostModel.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <tuple>

namespace tc::model {

namespace {

/// Threads of a block beyond which blocks only get harder to place.
constexpr int64_t mostThreads = 512;
/// Accesses of one thread in flight between global and shared memory: beyond,
/// they take too many registers.
constexpr int64_t mostAccesses = 16;
/// Registers that are left free, as the estimate may be a few short, and a
/// spill costs more than what a larger tile gains.
constexpr int64_t spareRegisters = 16;
/// Predictions that are this close are not told apart by them: the least busy
/// kernel is chosen.
constexpr double tolerance = 0.03;

/// Extents of register tiles along M and along N, where they divide the block.
constexpr int64_t registerExtents[] = {1, 2, 4, 6, 8, 12};

struct Branch {
  double bound;
  unsigned m, n, k;

  /// For a heap with the least bound on top; the rest makes it total.
  bool operator<(const Branch &other) const {
    return std::tie(bound, m, n, k) >
           std::tie(other.bound, other.m, other.n, other.k);
  }
};

/// A kernel that was evaluated.
struct Found {
  Cost cost;
  unsigned m, n, k;
  int64_t registerM, registerN;
};

/// The traffic of one tensor over two lists of candidates, of which each tile
/// is visited once.
class TrafficTable {
public:
  TrafficTable(const Contraction &contraction, Tensor tensor,
               const std::vector<TileDim> &batch,
               const std::vector<TileCandidate> &rows,
               const std::vector<TileCandidate> &columns, const Target &target)
      : tensor(tensor), width(columns.size()) {
    for (const TileCandidate &row : rows) {
      for (const TileCandidate &column : columns) {
        std::vector<TileDim> dims = batch;
        dims.insert(dims.end(), row.dims.begin(), row.dims.end());
        dims.insert(dims.end(), column.dims.begin(), column.dims.end());
        entries.push_back(
            {countTileGranules(contraction, tensor, dims, target.sectorBytes),
             countTileGranules(contraction, tensor, dims, target.lineBytes)});
      }
    }
  }

  void addTo(Traffic &traffic, size_t row, size_t column, double visits) const {
    const Entry &entry = entries[row * width + column];
    traffic.sectors[tensor] = visits * entry.sectors;
    traffic.lines[tensor] = visits * entry.lines;
  }

private:
  struct Entry {
    double sectors, lines;
  };
  Tensor tensor;
  size_t width;
  std::vector<Entry> entries;
};

/// A register tile and the least cycles per value of k of a block that uses it.
struct RegisterTile {
  int64_t m, n;
  double cyclesPerK;
};

std::vector<TileDim> batchDims(const Contraction &contraction) {
  std::vector<TileDim> dims;
  for (unsigned index : contraction.withRole(Role::Batch))
    dims.push_back({index, contraction.indices[index].extent, 1, 1});
  return dims;
}

class Search {
public:
  Search(const Contraction &contraction, bool wantsRuns, const Target &target)
      : contraction(contraction), target(target), batch(batchDims(contraction)),
        m(tileCandidates(contraction, Role::M, wantsRuns, target)),
        n(tileCandidates(contraction, Role::N, wantsRuns, target)),
        k(tileCandidates(contraction, Role::K, wantsRuns, target)),
        trafficA(contraction, Tensor::A, batch, m, k, target),
        trafficB(contraction, Tensor::B, batch, n, k, target),
        trafficC(contraction, Tensor::C, batch, m, n, target) {
    for (const TileDim &dim : batch)
      batches *= static_cast<double>(dim.extent);
  }

  /// The best feasible schedule, if there is one among the candidates.
  std::optional<Schedule> run() {
    std::vector<Branch> heap = branches();
    std::make_heap(heap.begin(), heap.end());
    while (!heap.empty()) {
      std::pop_heap(heap.begin(), heap.end());
      Branch branch = heap.back();
      heap.pop_back();
      if (branch.bound > best * (1 + tolerance))
        break;
      expand(branch);
    }
    if (found.empty())
      return std::nullopt;
    return makeSchedule(choose());
  }

private:
  Traffic trafficOf(unsigned im, unsigned in, unsigned ik) const {
    Traffic traffic;
    trafficA.addTo(traffic, im, ik, n[in].tiles);
    trafficB.addTo(traffic, in, ik, m[im].tiles);
    trafficC.addTo(traffic, im, in, contraction.readsC ? 2 : 1);
    return traffic;
  }

  const std::vector<RegisterTile> &registerTilesFor(int64_t blockM,
                                                    int64_t blockN) {
    auto [entry, isNew] = registerTilesOf.try_emplace({blockM, blockN});
    std::vector<RegisterTile> &tiles = entry->second;
    if (!isNew)
      return tiles;
    for (int64_t registerM : registerExtents) {
      for (int64_t registerN : registerExtents) {
        if (blockM % registerM != 0 || blockN % registerN != 0)
          continue;
        Result<KernelLayout> threads = mapThreads(contraction, blockM, blockN,
                                                  registerM, registerN, target);
        if (threads && threads->threads <= mostThreads)
          tiles.push_back({registerM, registerN,
                           boundCyclesPerK(contraction, *threads, target)});
      }
    }
    std::sort(tiles.begin(), tiles.end(),
              [](const RegisterTile &a, const RegisterTile &b) {
                return std::tie(a.cyclesPerK, a.m, a.n) <
                       std::tie(b.cyclesPerK, b.m, b.n);
              });
    return tiles;
  }

  double bound(const Branch &branch, const Traffic &traffic,
               const RegisterTile &tile) const {
    double depth = static_cast<double>(k[branch.k].block) * k[branch.k].tiles;
    return boundSeconds(batches * m[branch.m].tiles * n[branch.n].tiles,
                        depth * tile.cyclesPerK, traffic, target);
  }

  std::vector<Branch> branches() {
    std::vector<Branch> result;
    for (unsigned im = 0; im < m.size(); ++im) {
      for (unsigned in = 0; in < n.size(); ++in) {
        const std::vector<RegisterTile> &tiles =
            registerTilesFor(m[im].block, n[in].block);
        if (tiles.empty())
          continue;
        for (unsigned ik = 0; ik < k.size(); ++ik) {
          Branch branch{0, im, in, ik};
          branch.bound = bound(branch, trafficOf(im, in, ik), tiles.front());
          result.push_back(branch);
        }
      }
    }
    return result;
  }

  void expand(const Branch &branch) {
    BlockTile tile{m[branch.m].dims, n[branch.n].dims, k[branch.k].dims, 1, 1};
    Traffic traffic = trafficOf(branch.m, branch.n, branch.k);
    for (const RegisterTile &registerTile :
         registerTilesFor(m[branch.m].block, n[branch.n].block)) {
      if (bound(branch, traffic, registerTile) > best * (1 + tolerance))
        break;
      tile.registerM = registerTile.m;
      tile.registerN = registerTile.n;
      Result<KernelLayout> layout = layOut(contraction, tile, target);
      if (!layout || layout->a.accessesPerThread > mostAccesses ||
          layout->b.accessesPerThread > mostAccesses ||
          layout->registers + spareRegisters >
              target.multiprocessor.registersPerThread)
        continue;
      Cost cost = estimateCost(contraction, *layout, traffic, target);
      if (cost.seconds() > best * (1 + tolerance))
        continue;
      best = std::min(best, cost.seconds());
      found.push_back(
          {cost, branch.m, branch.n, branch.k, registerTile.m, registerTile.n});
    }
  }

  /// Of the kernels that are nearly the fastest, the least busy one: near-ties
  /// are settled by the other constraints. The first found wins a tie.
  const Found &choose() const {
    const Found *chosen = nullptr;
    for (const Found &kernel : found) {
      if (kernel.cost.seconds() > best * (1 + tolerance))
        continue;
      if (!chosen || kernel.cost.busySeconds < chosen->cost.busySeconds)
        chosen = &kernel;
    }
    return *chosen;
  }

  Schedule makeSchedule(const Found &kernel) const {
    Schedule schedule;
    schedule.target = target.name;
    schedule.m = extentsOf(m[kernel.m]);
    schedule.n = extentsOf(n[kernel.n]);
    schedule.k = extentsOf(k[kernel.k]);
    schedule.registerM = kernel.registerM;
    schedule.registerN = kernel.registerN;
    return schedule;
  }

  std::vector<TileExtent> extentsOf(const TileCandidate &candidate) const {
    std::vector<TileExtent> tiles;
    for (const TileDim &dim : candidate.dims)
      tiles.push_back({contraction.indices[dim.index].label, dim.tile});
    return tiles;
  }

  const Contraction &contraction;
  const Target &target;
  std::vector<TileDim> batch;
  std::vector<TileCandidate> m, n, k;
  TrafficTable trafficA, trafficB, trafficC;
  double batches = 1;
  /// By the block's M and N; fewest cycles first.
  std::map<std::pair<int64_t, int64_t>, std::vector<RegisterTile>>
      registerTilesOf;
  double best = std::numeric_limits<double>::infinity();
  std::vector<Found> found;
};

} // namespace

Result<Schedule> searchSchedule(const Contraction &contraction,
                                const Target &target) {
  // Where few threads have a large tile to copy, runs of a sector may ask for
  // more registers or accesses than there are.
  for (bool wantsRuns : {true, false})
    if (std::optional<Schedule> schedule =
            Search(contraction, wantsRuns, target).run())
      return *schedule;

  // Name what a block of one element exceeds, which needs the least of
  // everything but blocks.
  Schedule schedule;
  for (const Index &index : contraction.indices) {
    std::vector<TileExtent> *list = index.role == Role::M   ? &schedule.m
                                    : index.role == Role::N ? &schedule.n
                                    : index.role == Role::K ? &schedule.k
                                                            : nullptr;
    if (list)
      list->push_back({index.label, 1});
  }
  Result<KernelLayout> layout = layOut(contraction, schedule, target);
  return Error{"no schedule for " + target.name + " is feasible" +
               (layout ? "" : "; with tiles of one, " + layout.error())};
}

} // namespace tc::model
