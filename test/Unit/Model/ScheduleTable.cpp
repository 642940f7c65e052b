//===- ScheduleTable.cpp - What the search chooses, as a table ------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints the schedule of every contraction of the suites for a target, for a
// critical eye. Usage: TCScheduleTable [TARGET]
//
//===----------------------------------------------------------------------===//

#include "Suites.h"

#include "tc/Model/CostModel.h"
#include "tc/Model/ScheduleSearch.h"

#include <chrono>
#include <cstdio>

using namespace tc;
using namespace tc::model;
using namespace tc::model::test;

namespace {

std::string toString(const std::vector<TileExtent> &tiles) {
  std::string text;
  for (const TileExtent &tile : tiles)
    text += (text.empty() ? "" : " ") + tile.label + ":" +
            std::to_string(tile.extent);
  return "[" + text + "]";
}

bool printLine(const SuiteCase &entry, const Target &target) {
  auto start = std::chrono::steady_clock::now();
  Result<SearchResult> found = search(entry.contraction, target);
  std::chrono::duration<double, std::milli> time =
      std::chrono::steady_clock::now() - start;
  if (!found) {
    std::fprintf(stderr, "%s: %s\n", entry.name.c_str(), found.error().c_str());
    return false;
  }
  const auto &[schedule, cost] = found->candidates.front();
  Result<KernelLayout> layout = layOut(entry.contraction, schedule, target);
  if (!layout) {
    std::fprintf(stderr, "%s: %s\n", entry.name.c_str(),
                 layout.error().c_str());
    return false;
  }
  std::string tiles = toString(schedule.m) + " " + toString(schedule.n) + " " +
                      toString(schedule.k);
  Traffic least = compulsoryTraffic(entry.contraction, target);
  double leastBytes = least.total() * static_cast<double>(target.sectorBytes);
  std::printf(
      "%-23s %-44s %3dx%3dx%2d %2dx%-2d %4d %6d %4d %2d %6d %6.2f %6.2f "
      "%8.1f %6.0f%% %-18s %6.1f %6d\n",
      entry.name.c_str(), tiles.c_str(), static_cast<int>(layout->blockM),
      static_cast<int>(layout->blockN), static_cast<int>(layout->blockK),
      static_cast<int>(layout->registerM), static_cast<int>(layout->registerN),
      static_cast<int>(layout->threads), static_cast<int>(layout->sharedBytes),
      static_cast<int>(layout->registers),
      static_cast<int>(cost.occupancy.residentBlocks),
      static_cast<int>(layout->blocks), cost[Level::DRAM].work / leastBytes,
      cost[Level::L2].work / leastBytes, cost.seconds() * 1e6,
      100 * rooflineSeconds(entry.contraction, target) / cost.seconds(),
      std::string(cost.limit()).c_str(), time.count(),
      static_cast<int>(found->statistics.evaluated));
  return true;
}

} // namespace

int main(int argc, char **argv) {
  Result<const Target *> target = findTarget(argc > 1 ? argv[1] : "sm_90");
  if (!target) {
    std::fprintf(stderr, "%s\n", target.error().c_str());
    return 1;
  }
  bool ok = true;
  for (auto [title, cases] :
       {std::pair("TCCG, f64", tccgSuite(ElementType::F64)),
        std::pair("TCCG, f32", tccgSuite(ElementType::F32)),
        std::pair("NWChem CCSD(T), f64", nwchemSuite())}) {
    std::printf("%s on %s\n"
                "%-23s %-44s %-10s %-5s %4s %6s %4s %2s %6s %6s %6s %8s %7s "
                "%-18s %6s %6s\n",
                title, (*target)->name.c_str(), "contraction",
                "tiles of M, N, K", "block", "regs", "thr", "shared", "32b",
                "/SM", "blocks", "DRAM", "L2", "us", "of roof", "limit", "ms",
                "kernels");
    for (const SuiteCase &entry : cases)
      ok = printLine(entry, **target) && ok;
  }
  return ok ? 0 : 1;
}
