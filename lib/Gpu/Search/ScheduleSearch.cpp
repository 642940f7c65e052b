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

#include "tc/Gpu/Search/ScheduleSearch.h"
#include "tc/Gpu/Layout/SumExchange.h"

#include "FoundKernels.h"
#include "MappingCandidates.h"
#include "SharedTileTable.h"
#include "ThreadTiles.h"
#include "TileCandidates.h"
#include "TrafficTable.h"
#include "tc/Gpu/Cost/BlockWork.h"
#include "tc/Gpu/Layout/LayoutSteps.h"

#include "tc/Support/Arithmetic.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <tuple>

namespace tc::model {

namespace {

/// Block tiles of a contraction that is so small that none is left out.
constexpr double fewTilings = 4096;
/// Kernels, the fastest, whose blocks are numbered in all ways.
constexpr size_t maxRasterised = 12;
/// Most stages to try: deeper pipelines only take shared memory from other
/// blocks.
constexpr int64_t maxStages = 5;
/// Plainly mapped kernels after which only such tiles are looked at that may
/// make more than a near-tie of a difference, and after which the search ends.
constexpr int64_t enoughKernels = 600, maxKernels = 2000;
/// Register tiles of blocks, feasible or not, after which every search ends:
/// where hardly any is feasible, few kernels are evaluated.
constexpr int64_t maxTried = 30000;
/// Bytes of partial sums for each byte of A and B that a kernel of any shape
/// may write; it reads them, too.
constexpr double maxRunTimeSums = 0.125;

struct Branch {
  double bound;
  /// All levels' bounds together, which distinguishes branches that the same
  /// level bounds.
  double all;
  unsigned m, n, k;

  /// For a heap with the least bound on top; the rest makes it total.
  bool operator<(const Branch &other) const {
    return std::tie(bound, all, m, n, k) >
           std::tie(other.bound, other.all, other.m, other.n, other.k);
  }
};

/// The facts about a kernel besides its cost.
struct Kernel {
  KernelLayout layout;
  Traffic traffic;
  BlockWork work;
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
        options(options), batch(batchDims(contraction)),
        m(outputTiles(Role::M)), n(outputTiles(Role::N)),
        k(tileCandidates(contraction, Role::K, pruning, target)),
        trafficA(contraction, Tensor::A, batch, m, k, target),
        trafficB(contraction, Tensor::B, batch, n, k, target),
        trafficC(contraction, Tensor::C, batch, m, n, target),
        tilesA(contraction, /*ofN=*/false, target),
        tilesB(contraction, /*ofN=*/true, target),
        registerTiles(contraction, target,
                      options.sumTile ? options.sumTile->threads : 0),
        found(options.runnersUp, options.distinguishesRegisterTiles) {
    for (const TileDim &dim : batch)
      batches *= static_cast<double>(dim.extent);
  }

  /// The best feasible schedules; none if no candidate is feasible.
  SearchResult run() {
    std::vector<Branch> heap = branches();
    result.statistics.branches = static_cast<int64_t>(heap.size());
    std::make_heap(heap.begin(), heap.end());
    expandByBound(heap);
    if (result.statistics.isCut && found.empty())
      expandBySize(heap);
    if (!found.empty())
      report();
    return std::move(result);
  }

private:
  bool isBudgetSpent() const {
    return (pruning != Pruning::None && countPlain() >= maxKernels) ||
           result.statistics.evaluated >= options.mostEvaluated ||
           tried >= maxTried;
  }

  void expandByBound(std::vector<Branch> &heap) {
    while (!heap.empty()) {
      std::pop_heap(heap.begin(), heap.end());
      Branch branch = heap.back();
      heap.pop_back();
      if (branch.bound > found.threshold() ||
          (countPlain() >= enoughKernels &&
           branch.bound * (1 + nearTie) > found.minSeconds()))
        break;
      if (isBudgetSpent()) {
        result.statistics.isCut = true;
        // It is still to be looked at.
        heap.push_back(branch);
        break;
      }
      ++result.statistics.expanded;
      expand(branch);
    }
  }

  /// Expands the smallest blocks, which need the least of everything: they may
  /// be feasible if none of those with the least bounds is.
  void expandBySize(std::vector<Branch> &branches) {
    auto key = [&](const Branch &branch) {
      return std::tuple(m[branch.m].block * n[branch.n].block *
                            k[branch.k].block,
                        branch.bound, branch.m, branch.n, branch.k);
    };
    std::sort(
        branches.begin(), branches.end(),
        [&](const Branch &a, const Branch &b) { return key(a) < key(b); });
    tried = 0;
    for (const Branch &branch : branches) {
      if (!found.empty() || isBudgetSpent())
        return;
      ++result.statistics.expanded;
      expand(branch);
    }
  }

  std::vector<TileCandidate> outputTiles(Role role) const {
    if (options.sumTile)
      return {tileOf(contraction, role, options.sumTile->extents)};
    return tileCandidates(contraction, role, pruning, target);
  }

  /// Registers that one term's code leaves for the next add to what either
  /// needs.
  bool needsAllRegisters(const KernelLayout &layout) const {
    auto isBinary = [](const TileDim &dim) { return isPowerOfTwo(dim.tile); };
    bool areBinary = std::all_of(layout.m.begin(), layout.m.end(), isBinary) &&
                     std::all_of(layout.n.begin(), layout.n.end(), isBinary);
    const GpuRegisterCosts &costs = target.costs.registers;
    if (areBinary)
      return layout.registers + costs.spareOfBinaryTerms >
             target.multiprocessor.registersPerThread;
    int64_t registers = layout.registers + costs.spareOfTerms +
                        layout.registerM * layout.registerN;
    return registers > target.multiprocessor.registersPerThread ||
           allocatedRegisters(registers, layout.threads, target) >
               target.multiprocessor.registers;
  }

  /// Returns true if a kernel whose shared tiles are arranged may be
  /// admissible, whichever threads make the accesses of its copies.
  bool mayBeAdmissible(const KernelLayout &layout) const {
    const GpuSearchCosts &costs = target.costs.search;
    for (const TiledCopy *tiledCopy : {&layout.a, &layout.b}) {
      bool mayBeFree = options.sumTile && !tiledCopy->passesRegisters();
      if (ceilDivide(tiledCopy->accesses, layout.threads) >
          (mayBeFree ? std::max(costs.accesses, costs.accessesOfTerm)
                     : costs.accesses))
        return false;
    }
    int64_t registers = leastRegisters(contraction, layout, target) +
                        target.costs.registers.spare;
    return registers <= target.multiprocessor.registersPerThread &&
           allocatedRegisters(registers, layout.threads, target) <=
               target.multiprocessor.registers;
  }

  bool keepsSums() const {
    return options.sumTile && options.sumTile->keepsSums;
  }
  /// Returns true if elements of C go to memory.
  bool storesC() const { return !keepsSums() && !contraction.reducesC; }

  int64_t countPlain() const {
    return result.statistics.evaluated - result.statistics.mapped;
  }

  /// The sectors of kernels with these tiles.
  Traffic sectorsOf(const Branch &branch) const {
    Traffic traffic;
    trafficA.addSectors(traffic, branch.m, branch.k, n[branch.n].tiles);
    trafficB.addSectors(traffic, branch.n, branch.k, m[branch.m].tiles);
    if (storesC())
      trafficC.addSectors(traffic, branch.m, branch.n,
                          contraction.readsC ? 2 : 1);
    return traffic;
  }

  /// All traffic of a plainly mapped kernel, the costs of whose shared tiles
  /// are known.
  Traffic trafficOf(const Branch &branch, const KernelLayout &layout,
                    const SharedTileTable::Costs &a,
                    const SharedTileTable::Costs &b) {
    Traffic traffic = sectorsOf(branch);
    traffic.setRequests(Tensor::A, a.requestRatio);
    traffic.setRequests(Tensor::B, b.requestRatio);
    if (storesC()) {
      ThreadMapping mapping = {layout.registerM,   layout.registerN,
                               layout.groupM,      layout.groupN,
                               layout.laneColumns, layout.lanesAlongN,
                               layout.widthC,      layout.isCollective()};
      traffic.setRequests(
          Tensor::C, trafficC.ratioOf(branch.m, branch.n, mapping, layout));
    }
    return traffic;
  }

  /// The least cycles of a tile of C.
  double tileCyclesOf(const Branch &branch, const ThreadTile &tile) const {
    return static_cast<double>(k[branch.k].block) * k[branch.k].tiles *
           tile.cyclesPerK;
  }

  MappedWork plainWork(const Branch &branch, const ThreadTile &tile) const {
    MappedWork work;
    work.tiles = batches * m[branch.m].tiles * n[branch.n].tiles;
    work.tileCycles = tileCyclesOf(branch, tile);
    return work;
  }

  /// Of persistent kernels.
  double persistentBound(const Branch &branch, const Traffic &sectors,
                         const ThreadTile &tile) const {
    MappedWork work = plainWork(branch, tile);
    work.isPersistent = true;
    return boundSeconds(work, sectors, target);
  }

  /// Of kernels whose blocks share sums: two at the least.
  double sharingBound(const Branch &branch, const Traffic &sectors,
                      const ThreadTile &tile) const {
    MappedWork work = plainWork(branch, tile);
    work.partBytes =
        2 * work.tiles *
        static_cast<double>(m[branch.m].block * n[branch.n].block) *
        static_cast<double>(byteWidth(contraction.accumulatorType));
    return boundSeconds(work, sectors, target);
  }

  /// Returns true if blocks may be mapped in other ways than to one tile each.
  /// A kernel that takes its extents as arguments does not know how many tiles
  /// there are to loop over.
  bool mayLoopOverTiles(const Branch &branch) const {
    return options.persistent && !contraction.reducesC &&
           !contraction.runTime && k[branch.k].tiles == 1;
  }
  bool mayShare(const Branch &branch) const {
    return options.splitsK && !contraction.reducesC && k[branch.k].tiles > 1;
  }

  /// Of all kernels that use the register tile.
  double bound(const Branch &branch, const Traffic &sectors,
               const ThreadTile &tile) const {
    double seconds = boundSeconds(plainWork(branch, tile), sectors, target);
    if (mayLoopOverTiles(branch))
      seconds = std::min(seconds, persistentBound(branch, sectors, tile));
    if (mayShare(branch))
      // Mappings that gain less than a near-tie are not tried.
      seconds = std::min(seconds,
                         sharingBound(branch, sectors, tile) * (1 + nearTie));
    return seconds;
  }

  std::vector<Branch> branches() {
    std::vector<Branch> heap;
    for (unsigned im = 0; im < m.size(); ++im) {
      for (unsigned in = 0; in < n.size(); ++in) {
        const std::vector<ThreadTile> &tiles =
            registerTiles.of(m[im].block, n[in].block);
        if (tiles.empty())
          continue;
        for (unsigned ik = 0; ik < k.size(); ++ik) {
          Branch branch{0, 0, im, in, ik};
          Traffic sectors = sectorsOf(branch);
          branch.bound = bound(branch, sectors, tiles.front());
          MappedWork work = plainWork(branch, tiles.front());
          branch.all = branch.bound +
                       sectors.total() * leastL2BytesPerSector(target) /
                           target.l2BytesPerSecond +
                       work.tileCycles * work.tiles / target.multiprocessors /
                           target.clockHertz;
          heap.push_back(branch);
        }
      }
    }
    return heap;
  }

  void expand(const Branch &branch) {
    BlockTile tile;
    tile.m = m[branch.m].dims;
    tile.n = n[branch.n].dims;
    tile.k = k[branch.k].dims;
    Traffic sectors = sectorsOf(branch);
    for (const ThreadTile &registerTile :
         registerTiles.of(m[branch.m].block, n[branch.n].block)) {
      if (bound(branch, sectors, registerTile) > found.threshold())
        break;
      ++tried;
      tile.registerM = registerTile.m;
      tile.registerN = registerTile.n;
      tile.instruction = registerTile.instruction;
      if (k[branch.k].block % atomOf(tile.instruction).shape.depth != 0)
        continue;
      KernelLayout &layout = present.layout;
      if (!mapTile(contraction, tile, target, layout))
        continue;
      SharedTileTable::Copies &copiesA =
          tilesA.copiesOf(layout, branch.m, branch.k);
      SharedTileTable::Copies &copiesB =
          tilesB.copiesOf(layout, branch.n, branch.k);
      layout.a = copiesA.copies.unpadded();
      layout.b = copiesB.copies.unpadded();
      arrangeSharedTiles(contraction, layout);
      if (!mayBeAdmissible(layout))
        continue;
      SharedTileTable::Padded &a = tilesA.pad(copiesA, layout);
      SharedTileTable::Padded &b = tilesB.pad(copiesB, layout);
      layout.a = a.copy;
      layout.b = b.copy;
      if (!completeLayout(contraction, layout, tile.mapping, tile.stages,
                          target) ||
          !isAdmissible(layout, target, options.sumTile.has_value()) ||
          (options.sumTile && needsAllRegisters(layout)))
        continue;
      const SharedTileTable::Costs &costsA = tilesA.costsOf(copiesA, a, layout);
      const SharedTileTable::Costs &costsB = tilesB.costsOf(copiesB, b, layout);
      FoundKernel kernel{{},
                         0,
                         branch.m,
                         branch.n,
                         branch.k,
                         layout.blockM,
                         layout.blockN,
                         registerTile.m,
                         registerTile.n,
                         registerTile.instruction,
                         tile.stages,
                         {}};
      present.traffic = trafficOf(branch, layout, costsA, costsB);
      present.work =
          countBlockWork(contraction, layout, costsA.work, costsB.work, target);
      if (keepsSums())
        present.work.store = 0;
      evaluatePlain(kernel);
      if (mayLoopOverTiles(branch) &&
          persistentBound(branch, sectors, registerTile) <= found.threshold())
        walk(kernel, present);
      if (mayShare(branch) &&
          sharingBound(branch, sectors, registerTile) <= found.threshold())
        share(kernel, present);
    }
  }

  /// Evaluates the present kernel, then adds stages as long as they pay. It and
  /// `best` are the fastest one after that.
  void evaluatePlain(FoundKernel &best) {
    evaluate(best, present);
    FoundKernel kernel = best;
    while (kernel.stages < std::min(maxStages, present.layout.steps)) {
      if (!setStages(present.layout, ++kernel.stages, target))
        break;
      evaluate(kernel, present);
      if (kernel.seconds >= best.seconds)
        break;
      best = kernel;
    }
    // So many were feasible before.
    [[maybe_unused]] Status status =
        setStages(present.layout, best.stages, target);
    assert(status);
  }

  /// Keeps an operand in place. The longest loop has the least to do at all
  /// levels.
  void walk(const FoundKernel &plain, const Kernel &work) {
    for (Stationary stationary : {Stationary::A, Stationary::B}) {
      std::vector<GridMapping> mappings =
          persistentMappings(work.layout, stationary, plain.cost.occupancy,
                             target, pruning == Pruning::None);
      for (auto mapping = mappings.rbegin(); mapping != mappings.rend();
           ++mapping) {
        Cost cost = evaluateMapped(plain, work, *mapping);
        if (mapping == mappings.rbegin() &&
            cost.longestLevel() > found.threshold())
          break;
      }
    }
  }

  /// Has blocks share sums. All levels then have as much to do or more, so
  /// that only the execution can gain; unless that may be more than a near-tie,
  /// it is not worth a try.
  void share(const FoundKernel &plain, const Kernel &work) {
    double longest = plain.cost.longestLevel();
    if (longest * (1 + nearTie) >= plain.cost.wavesSeconds ||
        longest > found.threshold())
      return;
    for (const GridMapping &mapping :
         sharingMappings(work.layout, plain.cost.occupancy, target,
                         pruning == Pruning::None))
      if (mayHaveParts(mapping.splitK))
        evaluateMapped(plain, work, mapping);
  }

  /// A launch with more tiles of C than the representative shape has as many
  /// parts of each: so partial sums must be small beside what is read, which
  /// they are of all shapes that are in proportion then.
  bool mayHaveParts(int64_t parts) const {
    if (!contraction.runTime)
      return true;
    auto numbers = [&](Role role) {
      return static_cast<double>(contraction.extent(role));
    };
    double written =
        static_cast<double>(parts) * numbers(Role::M) * numbers(Role::N) *
        static_cast<double>(byteWidth(contraction.accumulatorType));
    double read = 0;
    for (auto [tensor, role] :
         {std::pair(Tensor::A, Role::M), std::pair(Tensor::B, Role::N)})
      read += numbers(role) * numbers(Role::K) *
              static_cast<double>(byteWidth(contraction.elementType[tensor]));
    return written <= maxRunTimeSums * read;
  }

  /// Evaluates the kernel with another mapping, and returns its cost.
  Cost evaluateMapped(FoundKernel kernel, const Kernel &work,
                      const GridMapping &mapping) {
    mapped = work;
    kernel.mapping = mapping;
    if (!setMapping(contraction, mapped.layout, mapping, kernel.stages,
                    target) ||
        !isAdmissible(mapped.layout, target, options.sumTile.has_value()))
      return {};
    for (auto [tensor, visits] : {std::pair(Tensor::A, mapped.layout.gridN),
                                  std::pair(Tensor::B, mapped.layout.gridM)})
      mapped.traffic.setVisits(tensor, static_cast<double>(visits));
    evaluate(kernel, mapped);
    ++result.statistics.mapped;
    return kernel.cost;
  }

  void evaluate(FoundKernel &candidate, const Kernel &kernel) {
    candidate.cost = estimateSteadyCost(contraction, kernel.layout,
                                        kernel.traffic, kernel.work, target);
    candidate.seconds = candidate.cost.steadySeconds();
    ++result.statistics.evaluated;
    if (candidate.seconds <= found.threshold())
      addExecution(candidate.cost, contraction, kernel.layout, kernel.work,
                   target);
    found.add(candidate);
  }

  /// Numbers the blocks of the fastest kernels in groups, so that those that
  /// run at once share more of what they load.
  void rasterise() {
    for (FoundKernel &kernel : found.fastest(maxRasterised)) {
      Result<KernelLayout> layout =
          layOut(contraction, makeSchedule(kernel), target);
      if (!layout || layout->gridN == 1)
        continue;
      Kernel rastered{*layout, countTraffic(contraction, *layout, target),
                      countBlockWork(contraction, *layout, target)};
      for (int64_t rows = 1; rows < layout->gridM; rows *= 2) {
        rastered.layout.mapping.rasterM = kernel.mapping.rasterM = rows;
        evaluate(kernel, rastered);
        ++result.statistics.mapped;
      }
    }
  }

  void report() {
    if (options.rasterises)
      rasterise();
    for (const FoundKernel *kernel : found.choose())
      result.candidates.push_back({makeSchedule(*kernel), kernel->cost});
  }

  Schedule makeSchedule(const FoundKernel &kernel) const {
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
    tiles.reserve(candidate.dims.size());
    for (const TileDim &dim : candidate.dims)
      tiles.push_back({contraction.indices[dim.index].label, dim.tile});
    return tiles;
  }

  const Contraction &contraction;
  Pruning pruning;
  const Target &target;
  const SearchOptions &options;
  std::vector<TileDim> batch;
  std::vector<TileCandidate> m, n, k;
  TrafficTable trafficA, trafficB, trafficC;
  SharedTileTable tilesA, tilesB;
  ThreadTiles registerTiles;
  double batches = 1;
  /// Register tiles of blocks that a kernel was laid out for, or could not be.
  int64_t tried = 0;
  FoundKernels found;
  /// Those that are evaluated, kept for the memory that they have.
  Kernel present, mapped;
  SearchResult result;
};

} // namespace

bool isAdmissible(const KernelLayout &layout, const Target &target,
                  bool isTerm) {
  int64_t registers = layout.registers + target.costs.registers.spare;
  const GpuSearchCosts &costs = target.costs.search;
  auto hasFewAccesses = [&](const TiledCopy &tiledCopy) {
    bool isFree =
        isTerm && !tiledCopy.passesRegisters() && stepsAreUniform(tiledCopy);
    return tiledCopy.accessesPerThread <=
           (isFree ? costs.accessesOfTerm : costs.accesses);
  };
  return layout.threads <= maxThreads && hasFewAccesses(layout.a) &&
         hasFewAccesses(layout.b) &&
         registers <= target.multiprocessor.registersPerThread &&
         allocatedRegisters(registers, layout.threads, target) <=
             target.multiprocessor.registers;
}

/// The candidates, none if no schedule is feasible.
static SearchResult searchTiles(const Contraction &contraction,
                                const Target &target,
                                const SearchOptions &options) {
  double tilings = 1;
  for (Role role : {Role::M, Role::N, Role::K})
    tilings *= static_cast<double>(countTilings(contraction, role, target));
  // If few threads have a large tile to copy, runs of a sector may ask for more
  // registers or accesses than there are.
  std::vector<Pruning> attempts = {Pruning::Runs, Pruning::Sizes};
  if (tilings <= fewTilings)
    attempts = {Pruning::None};
  SearchResult result;
  for (Pruning pruning : attempts) {
    result = Search(contraction, pruning, target, options).run();
    if (!result.candidates.empty())
      break;
  }
  return result;
}

/// Returns true if two schedules have tiles of one shape, as runners-up are
/// distinguished.
static bool haveSameShape(const Schedule &a, const Schedule &b,
                          bool distinguishesRegisterTiles) {
  return a.blockM() == b.blockM() && a.blockN() == b.blockN() &&
         (!distinguishesRegisterTiles ||
          (a.registerM == b.registerM && a.registerN == b.registerN));
}

/// Appends the fastest kernels of other shapes than the chosen one's.
static void addRunnersUp(SearchResult &result, const Contraction &contraction,
                         const Target &target, const SearchOptions &options) {
  const Schedule chosen = result.candidates.front().schedule;
  SearchResult more = searchTiles(contraction, target, options);
  // All but the first one are by ascending time.
  auto first = more.candidates.begin();
  auto place =
      std::upper_bound(first + 1, more.candidates.end(), *first,
                       [](const Candidate &a, const Candidate &b) {
                         return a.cost.steadySeconds() < b.cost.steadySeconds();
                       });
  std::rotate(first, first + 1, place);
  for (Candidate &candidate : more.candidates)
    if (result.candidates.size() <= options.runnersUp &&
        !haveSameShape(candidate.schedule, chosen,
                       options.distinguishesRegisterTiles))
      result.candidates.push_back(std::move(candidate));
}

Result<SearchResult> search(const Contraction &contraction,
                            const Target &target,
                            const SearchOptions &options) {
  // To keep runners-up, a search looks at more kernels, and would end elsewhere
  // and choose another; the choice must not depend on who is asked for besides.
  SearchOptions alone = options;
  alone.runnersUp = 0;
  SearchResult result = searchTiles(contraction, target, alone);
  if (!result.candidates.empty()) {
    if (options.runnersUp > 0)
      addRunnersUp(result, contraction, target, options);
    return result;
  }

  if (options.sumTile)
    return Error{"no schedule for " + target.name + " has the tile of a sum"};

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
