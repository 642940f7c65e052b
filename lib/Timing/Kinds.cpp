//===- Kinds.cpp - Kinds of the blocks of a grid --------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kinds.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace tc;
using namespace tc::timing;

namespace {

/// Blocks that are followed at most, and warp instructions of all of them,
/// which is what that takes time for.
constexpr std::uint64_t maxSamples = 32;
constexpr double maxSampledInstructions = 1 << 19;
/// Kinds that are distinguished, each of which is simulated.
constexpr std::size_t maxKinds = 4;

bool areAlike(const BlockTrace &a, const BlockTrace &b) {
  for (std::size_t w = 0; w < a.warps.size(); ++w) {
    const WarpTrace &first = a.warps[w], &second = b.warps[w];
    if (first.path != second.path)
      return false;
  }
  return true;
}

/// About the golden part of all blocks, and no factor in common with them:
/// blocks that are so far apart fall evenly on the grid, and on each of its
/// extents where blocks are numbered through several.
std::uint64_t strideOf(std::uint64_t blocks) {
  const double ratio = (std::sqrt(5.0) - 1) / 2;
  auto stride = static_cast<std::uint64_t>(
      std::round(ratio * static_cast<double>(blocks)));
  while (std::gcd(stride, blocks) != 1)
    ++stride;
  return stride;
}

void add(BlockTrace &sum, const BlockTrace &other) {
  for (std::size_t w = 0; w < sum.warps.size(); ++w)
    for (std::size_t i = 0; i < sum.warps[w].accesses.size(); ++i) {
      Accesses &to = sum.warps[w].accesses[i];
      const Accesses &from = other.warps[w].accesses[i];
      to.executions += from.executions;
      to.active += from.active;
      to.wavefronts += from.wavefronts;
      to.sectors += from.sectors;
      to.lines += from.lines;
      to.stored += from.stored;
      to.translations += from.translations;
    }
}

} // namespace

double timing::instructionsOf(const BlockTrace &trace) {
  double sum = 0;
  for (const WarpTrace &warp : trace.warps)
    for (std::uint32_t block : warp.path)
      sum += trace.blocks[block].end - trace.blocks[block].begin;
  return sum;
}

Result<std::vector<BlockKind>>
timing::traceKinds(const sass::Function &function,
                   const sass::FunctionCounts &counts, const Launch &launch,
                   const Machine &machine, std::int64_t residentBlocks) {
  std::vector<BlockKind> kinds;
  std::size_t translations = std::max<std::size_t>(
      1, machine.translationEntries / static_cast<std::size_t>(residentBlocks));
  const std::uint64_t blocks = launch.blocks(), stride = strideOf(blocks);
  std::uint64_t samples = 1;
  for (std::uint64_t i = 0; i < samples; ++i) {
    Result<BlockTrace> trace = traceBlock(function, counts, launch, machine,
                                          (blocks / 2 + i * stride) % blocks);
    if (!trace)
      return Error{trace.error()};
    countTranslations(*trace, translations);
    if (i == 0)
      samples = std::clamp<std::uint64_t>(
          static_cast<std::uint64_t>(maxSampledInstructions /
                                     instructionsOf(*trace)),
          1, std::min(maxSamples, blocks));
    auto same = std::find_if(kinds.begin(), kinds.end(), [&](const auto &kind) {
      return areAlike(kind.trace, *trace);
    });
    if (same == kinds.end()) {
      kinds.push_back({std::move(*trace), 0, 1, i});
      continue;
    }
    ++same->followed;
    add(same->trace, *trace);
  }
  std::sort(kinds.begin(), kinds.end(), [](const auto &a, const auto &b) {
    return a.followed != b.followed ? a.followed > b.followed
                                    : a.first < b.first;
  });
  for (BlockKind &kind : kinds)
    kind.share = kind.followed / static_cast<double>(samples);
  // Rare kinds count as the one that is most like them.
  for (; kinds.size() > maxKinds; kinds.pop_back()) {
    double instructions = instructionsOf(kinds.back().trace);
    auto distance = [&](const BlockKind &kind) {
      return std::abs(instructionsOf(kind.trace) - instructions);
    };
    auto nearest = std::min_element(kinds.begin(), kinds.begin() + maxKinds,
                                    [&](const auto &a, const auto &b) {
                                      return distance(a) < distance(b);
                                    });
    nearest->share += kinds.back().share;
  }
  return kinds;
}
