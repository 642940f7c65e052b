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
#include <array>
#include <limits>
#include <map>
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
/// Block tiles of a contraction that is so small that none is left out.
constexpr double fewTilings = 4096;
/// Kernels, the fastest, whose blocks are numbered in all ways.
constexpr size_t mostRasterised = 12;
/// Most blocks that share the sum of one output tile.
constexpr int64_t mostParts = 64;

/// Extents of register tiles along M and along N, where they divide the block.
constexpr int64_t registerExtents[] = {1, 2, 4, 6, 8, 12, 16};
/// Most stages to try: deeper pipelines only take shared memory from other
/// blocks.
constexpr int64_t mostStages = 5;
/// Register tiles of a block that are looked at, those with the fewest cycles.
constexpr size_t mostRegisterTiles = 12;
/// Kernels after which only such tiles are looked at that may make more than a
/// near-tie of a difference, and after which the search ends.
constexpr int64_t enoughKernels = 600, mostKernels = 2000;

struct Branch {
  double bound;
  /// What all levels' bounds are together, which tells branches apart that the
  /// same level bounds.
  double all;
  unsigned m, n, k;

  /// For a heap with the least bound on top; the rest makes it total.
  bool operator<(const Branch &other) const {
    return std::tie(bound, all, m, n, k) >
           std::tie(other.bound, other.all, other.m, other.n, other.k);
  }
};

/// A kernel that was evaluated.
struct Found {
  Cost cost;
  double seconds;
  unsigned m, n, k;
  int64_t registerM, registerN;
  Instruction instruction;
  int64_t stages;
  GridMapping mapping;
};

/// The traffic of one tensor over two lists of candidates, of which each tile
/// is visited once.
class TrafficTable {
public:
  TrafficTable(const Contraction &contraction, Tensor tensor,
               const std::vector<TileDim> &batch,
               const std::vector<TileCandidate> &rows,
               const std::vector<TileCandidate> &columns, const Target &target)
      : contraction(contraction), tensor(tensor), batch(batch), rows(rows),
        columns(columns), target(target) {
    for (size_t row = 0; row < rows.size(); ++row)
      for (size_t column = 0; column < columns.size(); ++column)
        sectors.push_back(count(row, column, target.sectorBytes));
    lines.assign(sectors.size(), unknown);
  }

  void addSectors(Traffic &traffic, size_t row, size_t column,
                  double visits) const {
    traffic.visits[tensor] = visits;
    traffic.sectors[tensor] = visits * sectors[row * columns.size() + column];
  }

  /// Lines and requests, which only kernels that are evaluated need. The ratio
  /// of requests depends on the two candidates and on `mapping`, which stands
  /// for how threads share the tile out.
  void addRequests(Traffic &traffic, size_t row, size_t column,
                   const std::array<int64_t, 3> &mapping,
                   const KernelLayout &layout) {
    double &line = lines[row * columns.size() + column];
    if (line == unknown)
      line = count(row, column, target.lineBytes);
    traffic.lines[tensor] = traffic.visits[tensor] * line;
    double &ratio =
        ratios.try_emplace({row, column, mapping}, unknown).first->second;
    if (ratio == unknown)
      ratio = requestRatio(contraction, layout, tensor, target);
    traffic.requests[tensor] = traffic.sectors[tensor] * ratio;
  }

private:
  double count(size_t row, size_t column, int64_t granuleBytes) const {
    std::vector<TileDim> dims = batch;
    const std::vector<TileDim> &first = rows[row].dims;
    const std::vector<TileDim> &second = columns[column].dims;
    dims.insert(dims.end(), first.begin(), first.end());
    dims.insert(dims.end(), second.begin(), second.end());
    return countTileGranules(contraction, tensor, dims, granuleBytes);
  }

  static constexpr double unknown = -1;
  const Contraction &contraction;
  Tensor tensor;
  const std::vector<TileDim> &batch;
  const std::vector<TileCandidate> &rows, &columns;
  const Target &target;
  std::vector<double> sectors, lines;
  std::map<std::tuple<size_t, size_t, std::array<int64_t, 3>>, double> ratios;
};

/// A register tile and the least cycles per value of k of a block that uses it.
struct RegisterTile {
  int64_t m, n;
  Instruction instruction;
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
  Search(const Contraction &contraction, Pruning pruning, const Target &target,
         const SearchOptions &options)
      : contraction(contraction), pruning(pruning), target(target),
        options(options), instructions(instructionsFor(contraction, target)),
        batch(batchDims(contraction)),
        m(tileCandidates(contraction, Role::M, pruning, target)),
        n(tileCandidates(contraction, Role::N, pruning, target)),
        k(tileCandidates(contraction, Role::K, pruning, target)),
        trafficA(contraction, Tensor::A, batch, m, k, target),
        trafficB(contraction, Tensor::B, batch, n, k, target),
        trafficC(contraction, Tensor::C, batch, m, n, target) {
    for (const TileDim &dim : batch)
      batches *= static_cast<double>(dim.extent);
  }

  /// The best feasible schedules; none if no candidate is feasible.
  SearchResult run() {
    std::vector<Branch> heap = branches();
    result.statistics.branches = static_cast<int64_t>(heap.size());
    std::make_heap(heap.begin(), heap.end());
    while (!heap.empty()) {
      std::pop_heap(heap.begin(), heap.end());
      Branch branch = heap.back();
      heap.pop_back();
      if (branch.bound > threshold ||
          (pruning != Pruning::None &&
           result.statistics.evaluated >= mostKernels) ||
          (result.statistics.evaluated >= enoughKernels &&
           branch.bound * (1 + nearTie) > leastSeconds))
        break;
      ++result.statistics.expanded;
      expand(branch);
    }
    if (!found.empty())
      report();
    return std::move(result);
  }

private:
  /// The sectors of kernels with these tiles and that many blocks along M and
  /// along N.
  Traffic sectorsOf(const Branch &branch, double gridM, double gridN) const {
    Traffic traffic;
    trafficA.addSectors(traffic, branch.m, branch.k, gridN);
    trafficB.addSectors(traffic, branch.n, branch.k, gridM);
    trafficC.addSectors(traffic, branch.m, branch.n,
                        contraction.readsC ? 2 : 1);
    return traffic;
  }

  Traffic sectorsOf(const Branch &branch) const {
    return sectorsOf(branch, m[branch.m].tiles, n[branch.n].tiles);
  }

  /// All traffic of a kernel.
  Traffic trafficOf(const Branch &branch, const KernelLayout &layout) {
    Traffic traffic = sectorsOf(branch, static_cast<double>(layout.gridM),
                                static_cast<double>(layout.gridN));
    std::array<int64_t, 3> threads = {layout.threads, 0, 0};
    std::array<int64_t, 3> registers = {
        layout.registerM, layout.registerN,
        static_cast<int64_t>(layout.instruction)};
    trafficA.addRequests(traffic, branch.m, branch.k, threads, layout);
    trafficB.addRequests(traffic, branch.n, branch.k, threads, layout);
    trafficC.addRequests(traffic, branch.m, branch.n, registers, layout);
    return traffic;
  }

  const std::vector<RegisterTile> &registerTilesFor(int64_t blockM,
                                                    int64_t blockN) {
    auto [entry, isNew] = registerTilesOf.try_emplace({blockM, blockN});
    std::vector<RegisterTile> &tiles = entry->second;
    if (!isNew)
      return tiles;
    for (Instruction instruction : instructions)
      for (int64_t registerM : registerExtents)
        for (int64_t registerN : registerExtents)
          if (blockM % registerM == 0 && blockN % registerN == 0)
            addRegisterTile(tiles, blockM, blockN, registerM, registerN,
                            instruction);
    std::sort(tiles.begin(), tiles.end(),
              [](const RegisterTile &a, const RegisterTile &b) {
                return std::tie(a.cyclesPerK, a.m, a.n, b.instruction) <
                       std::tie(b.cyclesPerK, b.m, b.n, a.instruction);
              });
    if (tiles.size() > mostRegisterTiles)
      tiles.resize(mostRegisterTiles);
    return tiles;
  }

  void addRegisterTile(std::vector<RegisterTile> &tiles, int64_t blockM,
                       int64_t blockN, int64_t registerM, int64_t registerN,
                       Instruction instruction) const {
    Result<KernelLayout> threads = mapThreads(
        contraction, blockM, blockN, registerM, registerN, instruction, target);
    if (threads && threads->threads <= mostThreads)
      tiles.push_back({registerM, registerN, instruction,
                       boundCyclesPerK(contraction, *threads, target)});
  }

  double blocksOf(const Branch &branch) const {
    return batches * m[branch.m].tiles * n[branch.n].tiles;
  }

  /// The least cycles of a block.
  double blockCyclesOf(const Branch &branch, const RegisterTile &tile) const {
    return static_cast<double>(k[branch.k].block) * k[branch.k].tiles *
           tile.cyclesPerK;
  }

  double bound(const Branch &branch, const Traffic &traffic,
               const RegisterTile &tile) const {
    double blocks = blocksOf(branch), cycles = blockCyclesOf(branch, tile);
    if (options.splitsK) {
      // At best, the parts of the sums fill the multiprocessors evenly.
      cycles *= blocks / target.multiprocessors;
      blocks = target.multiprocessors;
    }
    return boundSeconds(blocks, cycles, traffic, options.walks, target);
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
          Branch branch{0, 0, im, in, ik};
          Traffic sectors = sectorsOf(branch);
          branch.bound = bound(branch, sectors, tiles.front());
          branch.all = branch.bound +
                       sectors.total() *
                           static_cast<double>(target.sectorBytes) /
                           target.l2BytesPerSecond +
                       blockCyclesOf(branch, tiles.front()) * blocksOf(branch) /
                           target.multiprocessors / target.clockHertz;
          result.push_back(branch);
        }
      }
    }
    return result;
  }

  void expand(const Branch &branch) {
    BlockTile tile;
    tile.m = m[branch.m].dims;
    tile.n = n[branch.n].dims;
    tile.k = k[branch.k].dims;
    Traffic sectors = sectorsOf(branch);
    for (const RegisterTile &registerTile :
         registerTilesFor(m[branch.m].block, n[branch.n].block)) {
      if (bound(branch, sectors, registerTile) > threshold)
        break;
      tile.registerM = registerTile.m;
      tile.registerN = registerTile.n;
      tile.instruction = registerTile.instruction;
      tile.mapping = {};
      Result<KernelLayout> layout = layOut(contraction, tile, target);
      if (!layout || !isAdmissible(*layout, target))
        continue;
      Found kernel{{},
                   0,
                   branch.m,
                   branch.n,
                   branch.k,
                   registerTile.m,
                   registerTile.n,
                   registerTile.instruction,
                   tile.stages,
                   {}};
      Traffic traffic = trafficOf(branch, *layout);
      evaluate(kernel, *layout, traffic);
      deepen(kernel, *layout, traffic);
      for (const GridMapping &mapping : mappings(*layout)) {
        tile.mapping = kernel.mapping = mapping;
        if (Result<KernelLayout> mapped = layOut(contraction, tile, target))
          evaluate(kernel, *mapped, trafficOf(branch, *mapped));
      }
    }
  }

  /// Adds stages as long as they pay.
  void deepen(Found kernel, KernelLayout layout, const Traffic &traffic) {
    while (kernel.stages < std::min(mostStages, layout.steps)) {
      double before = kernel.seconds;
      if (!setStages(layout, ++kernel.stages, target))
        return;
      evaluate(kernel, layout, traffic);
      if (kernel.seconds >= before)
        return;
    }
  }

  void evaluate(Found &kernel, const KernelLayout &layout,
                const Traffic &traffic) {
    kernel.cost = estimateCost(contraction, layout, traffic, target);
    kernel.seconds = kernel.cost.seconds();
    leastSeconds = std::min(leastSeconds, kernel.seconds);
    ++result.statistics.evaluated;
    if (kernel.seconds > threshold)
      return;
    found.push_back(kernel);
    double &ofShape = shapes
                          .try_emplace({layout.blockM, layout.blockN},
                                       std::numeric_limits<double>::infinity())
                          .first->second;
    if (kernel.seconds < ofShape) {
      ofShape = kernel.seconds;
      lowerThreshold();
    }
  }

  /// What is slower than this is neither chosen nor a runner-up.
  void lowerThreshold() {
    if (shapes.size() <= options.runnersUp)
      return;
    std::vector<double> times;
    for (const auto &[shape, seconds] : shapes)
      times.push_back(seconds);
    std::nth_element(times.begin(), times.begin() + options.runnersUp,
                     times.end());
    double least = *std::min_element(times.begin(), times.end());
    threshold = std::max(times[options.runnersUp], least * (1 + nearTie));
  }

  /// The mappings to try beside the plain one.
  std::vector<GridMapping> mappings(const KernelLayout &layout) const {
    std::vector<GridMapping> result;
    if (options.walks && layout.steps == 1)
      for (auto [stationary, tiles] : {std::pair(Stationary::A, layout.gridN),
                                       std::pair(Stationary::B, layout.gridM)})
        for (int64_t walk = 2; walk < 2 * tiles; walk *= 2)
          result.push_back({0, stationary, std::min(walk, tiles), 1});
    if (options.splitsK)
      for (int64_t parts = 2; parts <= std::min(layout.steps, mostParts);
           parts *= 2)
        result.push_back({0, Stationary::Output, 1, parts});
    return result;
  }

  /// Numbers the blocks of the fastest kernels in groups, so that those that
  /// run at once share more of what they load.
  void rasterise() {
    std::vector<Found> fastest = found;
    size_t count = std::min(fastest.size(), mostRasterised);
    std::partial_sort(fastest.begin(), fastest.begin() + count, fastest.end(),
                      [](const Found &a, const Found &b) {
                        return std::tie(a.seconds, a.m, a.n, a.k, a.registerM,
                                        a.registerN, a.stages) <
                               std::tie(b.seconds, b.m, b.n, b.k, b.registerM,
                                        b.registerN, b.stages);
                      });
    fastest.resize(count);
    for (Found &kernel : fastest) {
      Result<KernelLayout> layout =
          layOut(contraction, makeSchedule(kernel), target);
      if (!layout || layout->gridN == 1 ||
          kernel.mapping.stationary != Stationary::Output)
        continue;
      Traffic traffic =
          trafficOf({0, 0, kernel.m, kernel.n, kernel.k}, *layout);
      for (int64_t rows = 1; rows < layout->gridM; rows *= 2) {
        layout->mapping.rasterM = kernel.mapping.rasterM = rows;
        evaluate(kernel, *layout, traffic);
      }
    }
  }

  void report() {
    if (options.rasterises)
      rasterise();
    double least = std::numeric_limits<double>::infinity();
    for (const Found &kernel : found)
      least = std::min(least, kernel.seconds);
    std::vector<const Found *> near;
    std::vector<const Cost *> costs;
    for (const Found &kernel : found) {
      if (kernel.seconds > least * (1 + nearTie))
        continue;
      near.push_back(&kernel);
      costs.push_back(&kernel.cost);
    }
    const Found *chosen = near[chooseByConstraints(costs, nearTie)];
    result.candidates.push_back(makeCandidate(*chosen));
    addRunnersUp(*chosen);
  }

  void addRunnersUp(const Found &chosen) {
    using Shape = std::pair<int64_t, int64_t>;
    auto shapeOf = [&](const Found &kernel) {
      return Shape(m[kernel.m].block, n[kernel.n].block);
    };
    std::map<Shape, const Found *> best;
    for (const Found &kernel : found) {
      const Found *&present = best[shapeOf(kernel)];
      if (!present || kernel.seconds < present->seconds)
        present = &kernel;
    }
    best.erase(shapeOf(chosen));
    std::vector<const Found *> others;
    for (const auto &[shape, kernel] : best)
      others.push_back(kernel);
    std::sort(others.begin(), others.end(),
              [&](const Found *a, const Found *b) {
                return std::tuple(a->seconds, shapeOf(*a)) <
                       std::tuple(b->seconds, shapeOf(*b));
              });
    others.resize(std::min<size_t>(others.size(), options.runnersUp));
    for (const Found *kernel : others)
      result.candidates.push_back(makeCandidate(*kernel));
  }

  Candidate makeCandidate(const Found &kernel) const {
    return {makeSchedule(kernel), kernel.cost};
  }

  Schedule makeSchedule(const Found &kernel) const {
    Schedule schedule;
    schedule.target = target.name;
    schedule.m = extentsOf(m[kernel.m]);
    schedule.n = extentsOf(n[kernel.n]);
    schedule.k = extentsOf(k[kernel.k]);
    schedule.registerM = kernel.registerM;
    schedule.registerN = kernel.registerN;
    schedule.instruction = kernel.instruction;
    schedule.stages = kernel.stages;
    schedule.mapping = kernel.mapping;
    return schedule;
  }

  std::vector<TileExtent> extentsOf(const TileCandidate &candidate) const {
    std::vector<TileExtent> tiles;
    for (const TileDim &dim : candidate.dims)
      tiles.push_back({contraction.indices[dim.index].label, dim.tile});
    return tiles;
  }

  const Contraction &contraction;
  Pruning pruning;
  const Target &target;
  const SearchOptions &options;
  std::vector<Instruction> instructions;
  std::vector<TileDim> batch;
  std::vector<TileCandidate> m, n, k;
  TrafficTable trafficA, trafficB, trafficC;
  double batches = 1;
  /// By the block's M and N; fewest cycles first.
  std::map<std::pair<int64_t, int64_t>, std::vector<RegisterTile>>
      registerTilesOf;
  double threshold = std::numeric_limits<double>::infinity();
  double leastSeconds = std::numeric_limits<double>::infinity();
  /// The least time of each block shape.
  std::map<std::pair<int64_t, int64_t>, double> shapes;
  std::vector<Found> found;
  SearchResult result;
};

} // namespace

bool isAdmissible(const KernelLayout &layout, const Target &target) {
  return layout.threads <= mostThreads &&
         layout.a.accessesPerThread <= mostAccesses &&
         layout.b.accessesPerThread <= mostAccesses &&
         layout.registers + spareRegisters <=
             target.multiprocessor.registersPerThread;
}

Result<SearchResult> search(const Contraction &contraction,
                            const Target &target,
                            const SearchOptions &options) {
  double tilings = 1;
  for (Role role : {Role::M, Role::N, Role::K})
    tilings *= static_cast<double>(countTilings(contraction, role, target));
  // Where few threads have a large tile to copy, runs of a sector may ask for
  // more registers or accesses than there are.
  std::vector<Pruning> attempts = {Pruning::Runs, Pruning::Sizes};
  if (tilings <= fewTilings)
    attempts = {Pruning::None};
  for (Pruning pruning : attempts) {
    SearchResult result = Search(contraction, pruning, target, options).run();
    if (!result.candidates.empty())
      return result;
  }

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

Result<Schedule> searchSchedule(const Contraction &contraction,
                                const Target &target) {
  Result<SearchResult> result = search(contraction, target);
  if (!result)
    return Error{result.error()};
  return std::move(result->candidates.front().schedule);
}

} // namespace tc::model
