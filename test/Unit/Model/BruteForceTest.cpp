//===- BruteForceTest.cpp - The search against all schedules --------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestUtils.h"

#include "tc/Model/ScheduleSearch.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <limits>

using namespace tc;
using namespace tc::model;
using namespace tc::model::test;

namespace {

/// Calls `visit` with all schedules: every tile of every index, and every
/// register tile that divides the block's. Lists are in the order of the one
/// that is given, which also has the instruction and the stages.
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

double combinations(const Contraction &contraction) {
  double count = 1;
  for (const Index &index : contraction.indices)
    if (index.role != Role::Batch)
      count *= static_cast<double>(index.extent);
  return count;
}

// Contractions so small that the search leaves out no tiling. It still leaves
// out tiles that a smaller one makes needless, and all that its bound excludes.
TEST(BruteForce, SmallContractions) {
  std::mt19937 random(71);
  const Target &chip = target("sm_90");
  unsigned compared = 0;
  double worst = 1;
  while (compared < 60) {
    Contraction contraction = randomContraction(random);
    if (combinations(contraction) > 1500 || combinations(contraction) < 20)
      continue;
    ++compared;
    Result<SearchResult> found = search(contraction, chip);
    ASSERT_TRUE(found) << found.error();
    const Candidate &chosen = found->candidates.front();
    double best = std::numeric_limits<double>::infinity();
    auto visit = [&](const Schedule &schedule) {
      Result<KernelLayout> layout = layOut(contraction, schedule, chip);
      if (!layout || !isAdmissible(*layout, chip))
        return;
      double seconds =
          estimateCost(contraction, *layout,
                       countTraffic(contraction, *layout, chip), chip)
              .seconds();
      best = std::min(best, seconds);
    };
    Schedule schedule = chosen.schedule;
    for (Instruction instruction : instructionsFor(contraction, chip))
      for (int64_t stages : {2, 4}) {
        schedule.instruction = instruction;
        schedule.stages = stages;
        forAllSchedules(contraction, schedule, visit);
      }
    double ratio = chosen.cost.seconds() / best;
    worst = std::max(worst, ratio);
    EXPECT_LE(ratio, 1 + nearTie) << "of contraction " << compared;
  }
  std::printf("search: up to %.3f times the least time of all schedules\n",
              worst);
}

} // namespace
