//===- ScheduleTable.cpp - The search's choices, as a table ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints the schedule of every contraction of the suites for a target, with its
// predicted levels, as tables in Markdown. Usage: TCScheduleTable [TARGET]
//
//===----------------------------------------------------------------------===//

#include "Problem/Suites.h"

#include "tc/Gpu/Cost/CostModel.h"
#include "tc/Gpu/Search/ScheduleSearch.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>

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

/// The mapping of tiles to blocks, if it is not one block for each.
std::string toString(const GridMapping &mapping) {
  std::string text;
  auto add = [&](const std::string &part) {
    text += (text.empty() ? "" : ", ") + part;
  };
  if (mapping.rasterM > 0)
    add("rows " + std::to_string(mapping.rasterM));
  if (mapping.stationary != Stationary::Output)
    add(std::string(stringify(mapping.stationary)) + " stays, tiles " +
        std::to_string(mapping.tilesPerBlock));
  if (mapping.splitK > 1)
    add("K / " + std::to_string(mapping.splitK));
  return text;
}

/// Sums over the contractions of one suite.
struct Summary {
  double logOfRoofline = 0, searchMilliseconds = 0, longestSearch = 0;
  int count = 0;
};

bool printLine(const SuiteCase &entry, const Target &target, Summary &summary) {
  std::clock_t start = std::clock();
  Result<SearchResult> found = search(entry.contraction, target);
  double milliseconds =
      1000.0 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
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
  double minBytes = least.total() * static_cast<double>(target.sectorBytes);
  double roofline = rooflineSeconds(entry.contraction, target) / cost.seconds();
  std::printf(
      "| %s | %s | %dx%dx%d | %dx%d | %s | %d | %d | %.2f | %.2f | %.1f | "
      "%.0f%% | %s | %d | %.1f |\n",
      entry.name.c_str(), tiles.c_str(), static_cast<int>(layout->blockM),
      static_cast<int>(layout->blockN), static_cast<int>(layout->blockK),
      static_cast<int>(layout->registerM), static_cast<int>(layout->registerN),
      toString(schedule.mapping).c_str(), static_cast<int>(layout->threads),
      static_cast<int>(cost.occupancy.residentBlocks),
      cost[Level::DRAM].work / minBytes, cost[Level::L2].work / minBytes,
      cost.seconds() * 1e6, 100 * roofline, std::string(cost.limit()).c_str(),
      static_cast<int>(found->statistics.evaluated), milliseconds);
  summary.logOfRoofline += std::log(roofline);
  summary.searchMilliseconds += milliseconds;
  summary.longestSearch = std::max(summary.longestSearch, milliseconds);
  ++summary.count;
  return true;
}

bool printSuite(const char *title, const std::vector<SuiteCase> &cases,
                const Target &target) {
  std::printf(
      "### %s on %s (%s)\n\n"
      "| contraction | tiles of M, N, K | block | registers | mapping "
      "| threads | blocks / SM | DRAM | L2 | us | of roofline | limit | "
      "kernels "
      "| search ms |\n"
      "| --- | --- | --- | --- | --- | --: | --: | --: | --: | --: | --: | "
      "--- | --: | --: |\n",
      title, target.name.c_str(), target.product.c_str());
  bool ok = true;
  Summary summary;
  for (const SuiteCase &entry : cases)
    ok = printLine(entry, target, summary) && ok;
  std::printf("\nPredicted share of the roofline, geometric mean: %.0f%%. "
              "Search: %.1f ms on average, %.1f ms at most.\n\n",
              100 * std::exp(summary.logOfRoofline / summary.count),
              summary.searchMilliseconds / summary.count,
              summary.longestSearch);
  return ok;
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
        std::pair("NWChem CCSD(T), f64", nwchemSuite())})
    ok = printSuite(title, cases, **target) && ok;
  return ok ? 0 : 1;
}
