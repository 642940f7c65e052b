//===- TestSections.cpp - Explanations made by hand -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestSections.h"

#include "Machine/TestTargets.h"
#include "Problem/TestContractions.h"

#include <algorithm>
#include <set>

using namespace tc;
using namespace tc::model;

/// Tiles of one, but for the last index of the role.
static std::vector<TileExtent> tiles(const Contraction &contraction, Role role,
                                     int64_t last) {
  std::vector<TileExtent> list;
  for (unsigned position : contraction.withRole(role))
    list.push_back({contraction.indices[position].label, 1});
  if (!list.empty())
    list.back().extent = last;
  return list;
}

ExplainedCandidate explain::test::candidate(const Contraction &contraction,
                                            const Target &target,
                                            int64_t blockM, int64_t blockN,
                                            int64_t blockK, double seconds,
                                            double execution) {
  ExplainedCandidate candidate;
  Schedule &schedule = candidate.schedule;
  schedule.target = target.name;
  schedule.m = tiles(contraction, Role::M, blockM);
  schedule.n = tiles(contraction, Role::N, blockN);
  schedule.k = tiles(contraction, Role::K, blockK);
  schedule.registerM = schedule.blockM() % 4 == 0 ? 4 : 1;
  schedule.registerN = schedule.blockN() % 8 == 0 ? 8 : 1;
  Result<KernelLayout> layout = layOut(contraction, schedule, target);
  if (!layout) {
    ADD_FAILURE() << layout.error();
    return candidate;
  }
  candidate.layout = *layout;

  Cost &cost = candidate.cost;
  for (LevelCost &level : cost.levels) {
    level.seconds = seconds / 2;
    level.work = 1e6;
  }
  LevelCost &dram = cost[Level::DRAM], &l2 = cost[Level::L2];
  dram.seconds = seconds;
  dram.work = seconds * target.memoryBytesPerSecond;
  dram.bytes = {{dram.work / 2, dram.work / 4, dram.work / 4}};
  l2.work = 2 * dram.work;
  l2.bytes = {{dram.work, dram.work / 2, dram.work / 2}};
  cost[Level::Pipe].work = seconds / 2 *
                           static_cast<double>(target.fmaPerCycleF64) *
                           target.multiprocessors * target.clockHertz;
  cost.occupancy = {2, 8, 0.125, "registers",
                    static_cast<double>(layout->blocks) /
                        (2 * target.multiprocessors)};
  cost.wavesSeconds = cost.executionSeconds = execution;
  return candidate;
}

/// All but the candidates.
static explain::Section frame(Contraction contraction) {
  explain::Section section;
  Explanation &explanation = section.explanation;
  explanation.contraction = std::move(contraction);
  explanation.target = model::test::target("sm_90");
  for (Tensor tensor : allTensors)
    explanation.compulsoryBytes[tensor] =
        8 * explanation.contraction.elements(tensor);
  explanation.rooflineSeconds = 1e-6;
  explanation.statistics = {120, 34, 56};
  explanation.searchSeconds = 0.0021;
  return section;
}

explain::Section explain::test::product() {
  Section section = frame(model::test::contract(
      "ik", "kj", "ij", {{"i", 384}, {"k", 96}, {"j", 200}}));
  Explanation &explanation = section.explanation;
  auto add = [&](int64_t blockM, int64_t blockN, int64_t blockK, double seconds,
                 double execution, const std::string &reason) {
    explanation.candidates.push_back(
        candidate(explanation.contraction, explanation.target, blockM, blockN,
                  blockK, seconds, execution));
    explanation.candidates.back().reason = reason;
  };
  add(64, 64, 16, 2e-6, 1.5e-6, "moves the fewest bytes.");
  add(32, 64, 8, 2.1e-6, 2.5e-6, "its last wave is nearly empty.");
  add(128, 32, 16, 4e-6, 1e-6, "reads A seven times.");
  section.place = "SPEC:1:1";
  section.schedules = {"#tc.schedule<first>", "#tc.schedule<second>",
                       "#tc.schedule<third>"};
  return section;
}

explain::Section explain::test::letters(const std::string &a,
                                        const std::string &b,
                                        const std::string &c, int64_t extent) {
  model::test::Extents extents;
  std::string all = a + b + c;
  for (char letter : std::set<char>(all.begin(), all.end()))
    extents.emplace_back(std::string(1, letter), extent);
  Section section = frame(model::test::contract(a, b, c, extents));
  Explanation &explanation = section.explanation;
  explanation.candidates.push_back(
      candidate(explanation.contraction, explanation.target, extent, extent,
                std::min<int64_t>(extent, 8), 2e-6, 1e-6));
  explanation.candidates.back().reason = "there is no other.";
  return section;
}
