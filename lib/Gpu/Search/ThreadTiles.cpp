//===- ThreadTiles.cpp - Register tiles of blocks -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ThreadTiles.h"

#include "tc/Gpu/Cost/BlockWork.h"
#include "tc/Gpu/Layout/LayoutSteps.h"

#include <algorithm>
#include <tuple>

namespace tc::model {

/// Register tiles of a block that are looked at, those with the fewest cycles.
static constexpr size_t maxThreadTiles = 12;

/// The largest odd register tile.
static constexpr int64_t largestOdd = 15;

std::vector<int64_t> registerExtents(const Contraction &contraction,
                                     Role role) {
  std::vector<int64_t> extents = {1, 2, 4, 6, 8, 12, 16};
  for (int64_t odd = 3; odd <= largestOdd; odd += 2)
    if (std::any_of(contraction.indices.begin(), contraction.indices.end(),
                    [&](const Index &index) {
                      return index.role == role && index.extent % 2 != 0 &&
                             index.extent % odd == 0;
                    }))
      extents.push_back(odd);
  return extents;
}

std::set<int64_t>
commonThreadCounts(const std::vector<BlockOfContraction> &blocks) {
  std::set<int64_t> common;
  for (const BlockOfContraction &block : blocks) {
    std::set<int64_t> counts;
    for (int64_t ofM : registerExtents(*block.contraction, Role::M))
      for (int64_t ofN : registerExtents(*block.contraction, Role::N))
        if (block.m % ofM == 0 && block.n % ofN == 0 &&
            block.m / ofM * (block.n / ofN) <= maxThreads)
          counts.insert(block.m / ofM * (block.n / ofN));
    if (&block == &blocks.front()) {
      common = std::move(counts);
      continue;
    }
    for (auto it = common.begin(); it != common.end();)
      it = counts.count(*it) ? std::next(it) : common.erase(it);
  }
  return common;
}

Result<double> secondsOfSeparateKernels(
    const std::vector<const Contraction *> &contractions, const Target &target,
    SearchMemo *memo,
    const std::function<double(const Contraction &, const Candidate &)>
        &secondsOf) {
  double seconds = target.costs.time.secondsBetweenKernels *
                   static_cast<double>(contractions.size() - 1);
  for (const Contraction *contraction : contractions) {
    std::optional<Result<SearchResult>> anew;
    if (!memo)
      anew = search(*contraction, target);
    const Result<SearchResult> &alone =
        memo ? memo->search(*contraction) : *anew;
    if (!alone)
      return Error{alone.error()};
    seconds += secondsOf(*contraction, alone->candidates.front());
  }
  return seconds;
}

const std::vector<ThreadTile> &ThreadTiles::of(int64_t blockM, int64_t blockN) {
  auto [entry, isNew] = ofBlocks.try_emplace({blockM, blockN});
  std::vector<ThreadTile> &tiles = entry->second;
  if (!isNew)
    return tiles;
  std::vector<Part> partsM = partsOf(blockM, extentsM);
  std::vector<Part> partsN = partsOf(blockN, extentsN);
  for (size_t number = 0; number < instructions.size(); ++number)
    for (const Part &m : partsM)
      for (const Part &n : partsN)
        if (m.threads * n.threads <= mostThreads &&
            (threads == 0 || m.threads * n.threads == threads))
          add(tiles, number, m, n);
  std::sort(
      tiles.begin(), tiles.end(), [](const ThreadTile &a, const ThreadTile &b) {
        return std::tie(a.cyclesPerK, a.sharedPerK, a.m, a.n, b.instruction) <
               std::tie(b.cyclesPerK, b.sharedPerK, b.m, b.n, a.instruction);
      });
  if (tiles.size() > maxThreadTiles)
    tiles.resize(maxThreadTiles);
  return tiles;
}

std::vector<ThreadTiles::Part>
ThreadTiles::partsOf(int64_t block, const std::vector<int64_t> &extents) {
  std::vector<Part> parts;
  parts.reserve(extents.size());
  for (size_t number = 0; number < extents.size(); ++number)
    if (block % extents[number] == 0)
      parts.push_back({number, extents[number], block / extents[number]});
  return parts;
}

void ThreadTiles::add(std::vector<ThreadTile> &tiles, size_t number,
                      const Part &m, const Part &n) {
  Instruction instruction = instructions[number];
  auto mayHaveRows = [&](bool alongM) {
    return mayShareOut(instruction, alongM, m.threads, n.threads,
                       m.registerTile, n.registerTile);
  };
  bool rowsAlongM = mayHaveRows(true), rowsAlongN = mayHaveRows(false);
  if (!rowsAlongM && !rowsAlongN)
    return;
  size_t place =
      ((number * extentsM.size() + m.number) * extentsN.size() + n.number) * 4 +
      (rowsAlongM ? 2 : 0) + (rowsAlongN ? 1 : 0);
  std::unique_ptr<OfRegisterTile> &entry = known[place];
  if (!entry) {
    entry = std::make_unique<OfRegisterTile>();
    Result<KernelLayout> mapped = mapThreads(
        contraction, m.registerTile * m.threads, n.registerTile * n.threads,
        m.registerTile, n.registerTile, instruction, target);
    if (mapped)
      entry->mapped = std::move(*mapped);
  }
  OfRegisterTile &figures = *entry;
  if (!figures.mapped)
    return;
  int64_t all = m.threads * n.threads;
  auto cycles =
      std::find_if(figures.cycles.begin(), figures.cycles.end(),
                   [&](const Cycles &known) { return known.threads == all; });
  if (cycles == figures.cycles.end()) {
    figures.mapped->threads = all;
    cycles = figures.cycles.insert(cycles, countCycles(*figures.mapped));
  }
  tiles.push_back({m.registerTile, n.registerTile, instruction, cycles->perK,
                   cycles->sharedPerK});
}

ThreadTiles::Cycles ThreadTiles::countCycles(const KernelLayout &mapped) const {
  double shared = mapped.isCollective()
                      ? countFragments(contraction, mapped, target).shared
                      : 0;
  return {mapped.threads, boundCyclesPerK(contraction, mapped, target), shared};
}

} // namespace tc::model
