//===- Ranking.cpp - Does the model order schedules rightly? --------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles are powers of two and divisors of extents, up to sizes that kernels
// have.
//
//===----------------------------------------------------------------------===//

#include "Ranking.h"

#include "Problem/TestContractions.h"

#include "tc/Gpu/Cost/Traffic.h"
#include "tc/Gpu/Layout/AccessCounts.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tc::model::test {

namespace {

/// Multiply-adds and blocks that are simulated of one kernel at most. Schedules
/// are left out of which two blocks take more.
constexpr int64_t simulatedFmas = 12'000'000, maxBlocks = 12;

template <typename T>
const T &pick(const std::vector<T> &values, std::mt19937 &random) {
  return values[uniform(random, 0, static_cast<int64_t>(values.size()) - 1)];
}

/// Tiles of the indices with a role, in random order, that make up to `limit`
/// elements.
std::vector<TileExtent> randomTiles(const Contraction &contraction, Role role,
                                    int64_t limit, std::mt19937 &random) {
  std::vector<unsigned> order = contraction.withRole(role);
  for (size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1],
              order[uniform(random, 0, static_cast<int64_t>(i) - 1)]);
  std::vector<TileExtent> tiles;
  for (unsigned position : order) {
    const Index &index = contraction.indices[position];
    std::vector<int64_t> extents;
    for (int64_t tile = 1; tile <= std::min(limit, index.extent); ++tile)
      if ((tile & (tile - 1)) == 0 || index.extent % tile == 0)
        extents.push_back(tile);
    tiles.push_back({index.label, pick(extents, random)});
    limit /= tiles.back().extent;
  }
  // The first one drawn has the largest tile: it need not be the slowest.
  if (uniform(random, 0, 1))
    std::reverse(tiles.begin(), tiles.end());
  return tiles;
}

Schedule draw(const Contraction &contraction, const Target &target,
              std::mt19937 &random) {
  const std::vector<int64_t> sides = {16, 32, 64, 128}, depths = {4, 8, 16, 32},
                             registerTiles = {1, 2, 4, 8};
  Schedule schedule;
  schedule.target = target.name;
  schedule.m = randomTiles(contraction, Role::M, pick(sides, random), random);
  schedule.n = randomTiles(contraction, Role::N, pick(sides, random), random);
  schedule.k = randomTiles(contraction, Role::K, pick(depths, random), random);
  schedule.registerM = pick(registerTiles, random);
  schedule.registerN = pick(registerTiles, random);
  return schedule;
}

int64_t blockFmas(const Contraction &contraction, const KernelLayout &layout) {
  return layout.blockM * layout.blockN * contraction.extent(Role::K);
}

bool isOfUse(const Contraction &contraction, const KernelLayout &layout,
             const Target &target) {
  return layout.threads >= target.warpSize &&
         2 * blockFmas(contraction, layout) <= simulatedFmas;
}

/// Some blocks, the same ones only once.
std::vector<int64_t> drawBlocks(const Contraction &contraction,
                                const KernelLayout &layout,
                                std::mt19937 &random) {
  int64_t count =
      std::min(maxBlocks, simulatedFmas / blockFmas(contraction, layout));
  std::vector<int64_t> blocks;
  for (int64_t i = 0; i < count; ++i)
    blocks.push_back(uniform(random, 0, layout.blocks - 1));
  std::sort(blocks.begin(), blocks.end());
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
  return blocks;
}

std::vector<double> ranksOf(const std::vector<double> &values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (size_t first = 0, end; first < order.size(); first = end) {
    end = first;
    while (end < order.size() && values[order[end]] == values[order[first]])
      ++end;
    for (size_t i = first; i < end; ++i)
      ranks[order[i]] = static_cast<double>(first + end - 1) / 2;
  }
  return ranks;
}

} // namespace

double rankCorrelation(const std::vector<double> &a,
                       const std::vector<double> &b) {
  std::vector<double> ranksA = ranksOf(a), ranksB = ranksOf(b);
  double mean = static_cast<double>(a.size() - 1) / 2;
  double both = 0, squaresA = 0, squaresB = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    both += (ranksA[i] - mean) * (ranksB[i] - mean);
    squaresA += (ranksA[i] - mean) * (ranksA[i] - mean);
    squaresB += (ranksB[i] - mean) * (ranksB[i] - mean);
  }
  return both / std::sqrt(squaresA * squaresB);
}

Result<Ranking> rankRandomSchedules(mlir::MLIRContext &context,
                                    const Contraction &contraction,
                                    const Target &target, unsigned schedules,
                                    std::mt19937 &random) {
  ZeroTensors tensors(contraction);
  Ranking ranking;
  while (ranking.counted.size() < schedules) {
    Schedule schedule = draw(contraction, target, random);
    Result<KernelLayout> layout = layOut(contraction, schedule, target);
    if (!layout || !isOfUse(contraction, *layout, target))
      continue;
    Result<SimulatedKernel> kernel =
        SimulatedKernel::compile(context, contraction, schedule, 0);
    if (!kernel)
      return Error{kernel.error()};
    std::vector<int64_t> blocks = drawBlocks(contraction, *layout, random);
    Result<sim::Counters> counters = kernel->run(tensors, blocks);
    if (!counters)
      return Error{counters.error()};

    AccessCounts accesses = countAccesses(contraction, *layout, target);
    double predicted = accesses.stores.sectors, counted = 0;
    for (Tensor tensor : allTensors)
      predicted += accesses.loads[tensor].sectors;
    for (const sim::BufferTraffic &traffic : counters->buffers)
      counted +=
          static_cast<double>(traffic.loadSectors + traffic.storeSectors);
    ranking.accesses.push_back(predicted);
    ranking.traffic.push_back(
        countTraffic(contraction, *layout, target).total());
    ranking.counted.push_back(counted * static_cast<double>(layout->blocks) /
                              static_cast<double>(blocks.size()));
  }
  return ranking;
}

} // namespace tc::model::test
