//===- BruteForceTest.cpp - The search against all schedules --------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/TestTargets.h"
#include "Problem/TestContractions.h"
#include "RandomCases.h"

#include "tc/Gpu/Search/ScheduleSearch.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <limits>
#include <set>

using namespace tc;
using namespace tc::model;
using namespace tc::model::test;

namespace {

/// Calls `visit` with all plainly mapped schedules: every tile of every index,
/// and every register tile that divides the block's. Lists are in the order of
/// the one that is given, which also has the instruction and the stages.
void forAllSchedules(const Contraction &contraction, const Schedule &order,
                     const std::function<void(const Schedule &)> &visit) {
  Schedule schedule = order;
  std::vector<TileExtent *> tiles;
  for (std::vector<TileExtent> *list : {&schedule.m, &schedule.n, &schedule.k})
    for (TileExtent &tile : *list)
      tiles.push_back(&tile);
  std::function<void(size_t)> recurse = [&](size_t position) {
    if (position < tiles.size()) {
      TileExtent &tile = *tiles[position];
      int64_t extent =
          contraction.indices[*contraction.find(tile.label)].extent;
      for (tile.extent = 1; tile.extent <= extent; ++tile.extent)
        recurse(position + 1);
      return;
    }
    int64_t blockM = schedule.blockM(), blockN = schedule.blockN();
    for (schedule.registerM = 1; schedule.registerM <= blockM;
         ++schedule.registerM) {
      if (blockM % schedule.registerM != 0)
        continue;
      for (schedule.registerN = 1; schedule.registerN <= blockN;
           ++schedule.registerN)
        if (blockN % schedule.registerN == 0)
          visit(schedule);
    }
  };
  recurse(0);
}

/// Calls `visit` with the layout of every mapping of the plain one's tiles,
/// itself included.
void forAllMappings(const Contraction &contraction, const KernelLayout &plain,
                    int64_t stages, const Target &chip,
                    const std::function<void(const KernelLayout &)> &visit) {
  auto visitMapping = [&](const GridMapping &mapping) {
    KernelLayout layout = plain;
    Status status = setMapping(contraction, layout, mapping, stages, chip);
    if (!status) {
      // Mappings cost registers that some tiles do not leave; all else fits.
      ASSERT_NE(status.error().find("registers"), std::string::npos)
          << status.error();
      return;
    }
    if (isAdmissible(layout, chip))
      visit(layout);
  };
  visit(plain);
  for (int64_t parts = 2; parts <= plain.steps; ++parts)
    visitMapping({0, Stationary::Output, 1, parts});
  if (plain.steps > 1)
    return;
  for (int64_t tilesPerBlock = 2; tilesPerBlock <= plain.gridN; ++tilesPerBlock)
    visitMapping({0, Stationary::A, tilesPerBlock, 1});
  for (int64_t tilesPerBlock = 2; tilesPerBlock <= plain.gridM; ++tilesPerBlock)
    visitMapping({0, Stationary::B, tilesPerBlock, 1});
}

double combinations(const Contraction &contraction) {
  double count = 1;
  for (const Index &index : contraction.indices)
    if (index.role != Role::Batch)
      count *= static_cast<double>(index.extent);
  return count;
}

/// The search's choice for a contraction against all schedules, in time;
/// `chosen` gets how its tiles are mapped.
double ratioToBest(const Contraction &contraction, const Target &chip,
                   std::string &chosen) {
  Result<SearchResult> found = search(contraction, chip);
  if (!found) {
    ADD_FAILURE() << found.error();
    return 1;
  }
  const Candidate &candidate = found->candidates.front();
  const GridMapping &mapping = candidate.schedule.mapping;
  chosen = mapping.splitK > 1          ? "shares"
           : mapping.tilesPerBlock > 1 ? "persistent"
                                       : "plain";
  Schedule schedule = candidate.schedule;
  schedule.mapping = {};
  double best = std::numeric_limits<double>::infinity();
  auto visit = [&](const Schedule &schedule) {
    Result<KernelLayout> layout = layOut(contraction, schedule, chip);
    if (!layout || !isAdmissible(*layout, chip))
      return;
    Traffic traffic = countTraffic(contraction, *layout, chip);
    forAllMappings(
        contraction, *layout, schedule.stages, chip,
        [&](const KernelLayout &mapped) {
          traffic.setVisits(Tensor::A, static_cast<double>(mapped.gridN));
          traffic.setVisits(Tensor::B, static_cast<double>(mapped.gridM));
          Cost cost = estimateCost(contraction, mapped, traffic, chip);
          best = std::min(best, cost.steadySeconds());
        });
  };
  for (Instruction instruction : instructionsFor(contraction, chip))
    for (int64_t stages : {2, 4}) {
      schedule.instruction = instruction;
      schedule.stages = stages;
      forAllSchedules(contraction, schedule, visit);
    }
  return candidate.cost.steadySeconds() / best;
}

/// Contractions so small that the search leaves out no tiling. It still leaves
/// out tiles that a smaller one makes needless, and all that its bound
/// excludes.
std::set<std::string> compareWithAll(const Target &chip, unsigned contractions,
                                     unsigned seed, double excess = nearTie) {
  std::mt19937 random(seed);
  double worst = 1;
  std::set<std::string> mappings;
  for (unsigned compared = 0; compared < contractions;) {
    Contraction contraction = randomContraction(random);
    if (combinations(contraction) > 1500 || combinations(contraction) < 20)
      continue;
    ++compared;
    std::string mapping;
    double ratio = ratioToBest(contraction, chip, mapping);
    mappings.insert(mapping);
    worst = std::max(worst, ratio);
    EXPECT_LE(ratio, 1 + excess) << "of contraction " << compared;
  }
  std::printf("search: up to %.3f times the least time of all schedules\n",
              worst);
  return mappings;
}

TEST(BruteForce, SmallContractions) {
  compareWithAll(target("sm_90"), randomCases(40), 71);
}

// On a chip with so little to fill, and so little to wait for, mappings matter
// to small contractions. Numbers of parts that are no multiple of the
// multiprocessors are not tried, and are once a little more than a near-tie
// faster.
TEST(BruteForce, SmallContractionsOnASmallChip) {
  Target chip = target("sm_90");
  chip.multiprocessors = 6;
  chip.memoryLatencyCycles = 10;
  chip.barrierCycles = 1;
  chip.l2BytesPerSecond /= 400;
  chip.memoryBytesPerSecond /= 50;
  constexpr double excess = 0.05;
  const unsigned contractions = randomCases(30);
  std::set<std::string> mappings =
      compareWithAll(chip, contractions, 72, excess);
  // Few contractions have not all of them.
  if (contractions >= 30)
    EXPECT_EQ(mappings,
              std::set<std::string>({"plain", "shares", "persistent"}));
}

} // namespace
