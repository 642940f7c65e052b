//===- Translations.cpp - Pages that accesses touch
//------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp whose lanes are a page apart needs a translation for each of them. The
// few that are kept are replaced by those of other warps.
//
//===----------------------------------------------------------------------===//

#include "tc/Timing/Trace.h"

#include <algorithm>

using namespace tc;
using namespace tc::timing;

void timing::countTranslations(BlockTrace &trace, std::size_t entries) {
  std::size_t most = 0;
  std::vector<std::vector<double>> followed;
  for (const WarpTrace &warp : trace.warps) {
    most = std::max(most, warp.pages.accesses.size());
    followed.emplace_back(warp.accesses.size(), 0);
  }
  // Used last in front.
  std::vector<std::uint64_t> kept;
  for (std::size_t turn = 0; turn < most; ++turn)
    for (std::size_t w = 0; w < trace.warps.size(); ++w) {
      WarpTrace &warp = trace.warps[w];
      const auto &accesses = warp.pages.accesses;
      if (turn >= accesses.size())
        continue;
      auto [instruction, end] = accesses[turn];
      std::size_t begin = turn == 0 ? 0 : accesses[turn - 1].second;
      ++followed[w][instruction];
      for (std::size_t i = begin; i < end; ++i) {
        std::uint64_t page = warp.pages.pages[i];
        auto found = std::find(kept.begin(), kept.end(), page);
        if (found == kept.end()) {
          ++warp.accesses[instruction].translations;
          kept.push_back(page);
          found = kept.end() - 1;
        }
        std::rotate(kept.begin(), found, found + 1);
        if (kept.size() > entries)
          kept.pop_back();
      }
    }
  // Long loops are followed for some rounds only.
  for (std::size_t w = 0; w < trace.warps.size(); ++w) {
    WarpTrace &warp = trace.warps[w];
    for (std::size_t i = 0; i < followed[w].size(); ++i)
      if (followed[w][i] > 0)
        warp.accesses[i].translations *=
            static_cast<double>(warp.accesses[i].executions) / followed[w][i];
    warp.pages = {};
  }
}
