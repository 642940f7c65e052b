//===- TileTable.cpp - Prints the tiles chosen for a CPU ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One line for each contraction of the benchmark: processor time of the search,
// times of the levels, tiles and innermost loops. The caches are those of the
// tests.
//
//===----------------------------------------------------------------------===//

#include "HierarchyCore.h"
#include "Suites.h"

#include "tc/Hierarchy/HierarchySearch.h"

#include <algorithm>
#include <cstdio>
#include <ctime>

using namespace tc;
using namespace tc::model;
using namespace tc::model::test;

namespace {

std::string toString(const Contraction &contraction, const LevelTile &tile) {
  std::string text = "[";
  for (unsigned i = 0; i < tile.extents.size(); ++i)
    text += contraction.indices[i].label + ":" +
            std::to_string(tile.extents[i]) + " ";
  return text + "| " + contraction.indices[tile.innermost].label + "]";
}

} // namespace

int main() {
  double sum = 0, most = 0;
  unsigned count = 0;
  for (ElementType type : {ElementType::F64, ElementType::F32})
    for (const SuiteCase &entry : tccgSuite(type)) {
      std::clock_t start = std::clock();
      Result<TileChoice> choice =
          chooseTiles(entry.contraction, core(), coreConstraints(type));
      double time = 1e3 * static_cast<double>(std::clock() - start) /
                    static_cast<double>(CLOCKS_PER_SEC);
      if (!choice) {
        std::fprintf(stderr, "%s: %s\n", entry.name.c_str(),
                     choice.error().c_str());
        return 1;
      }
      sum += time;
      most = std::max(most, time);
      ++count;
      std::printf("%-24s %5.1f ms ", entry.name.c_str(), time);
      for (double seconds : choice->cost.levelSeconds)
        std::printf(" %8.2f", seconds * 1e3);
      for (const LevelTile &tile : choice->schedule.levels)
        std::printf(" %s", toString(entry.contraction, tile).c_str());
      std::printf("\n");
    }
  std::printf("%.1f ms on average, %.1f ms at most\n", sum / count, most);
  return 0;
}
