//===- SharedTileCopies.cpp - Copies to choose by fragments ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Gpu/Layout/SharedTileCopies.h"

#include "tc/Gpu/Layout/CopyThreads.h"
#include "tc/Gpu/Layout/SharedTileLayout.h"

#include "tc/Support/Arithmetic.h"

#include <algorithm>

namespace tc::model {

/// Paddings of a row to try, in accesses of 16 bytes: the likely ones first.
static constexpr std::array<int64_t, 8> accessesOfPadding = {0, 1, 4, 2,
                                                             3, 5, 6, 7};

TiledCopy SharedTileCopies::Ways::copyOf(size_t way) const {
  TiledCopy shared = copy;
  if (way > 0)
    sharings.apply(way - 1, shared);
  return shared;
}

SharedTileCopies::SharedTileCopies(const Contraction &contraction,
                                   const KernelLayout &layout, bool ofN,
                                   const Target &target)
    : ofN(ofN), threads(layout.threads) {
  setCopy(plain,
          makeTiledCopy(contraction, layout, ofN, /*runs=*/false, target),
          target);
}

void SharedTileCopies::setCopy(Ways &ways, TiledCopy copy,
                               const Target &target) const {
  ways.copy = std::move(copy);
  ways.stores = {{WarpAccess::idealStores(
      ways.copy, ways.copy.accessesPerThread, threads, target)}};
}

SharedTileCopies::Choice SharedTileCopies::padRows(Ways &ways, size_t way,
                                                   int64_t most,
                                                   Kernel &kernel) const {
  static_assert(accessesOfPadding.size() == paddings);
  Loads &loads = kernel.loads;
  Stores &stores = ways.stores[way];
  WarpAccess access;
  bool knowsAccess = false;
  int64_t least = ways.copy.rowLength;
  Choice choice = {way, least, most};
  for (size_t padding = 0; padding < paddings; ++padding) {
    int64_t length = saturatingAdd(
        least, accessesOfPadding[padding] * elementsPerSharedAccess(ways.copy));
    int64_t &ofLoads = loads.wavefronts[padding];
    if (ofLoads == 0)
      ofLoads = loads.access.countWavefronts(length);
    if (ofLoads + stores.ideal >= choice.wavefronts)
      continue;
    int64_t &ofStores = stores.wavefronts[padding];
    if (ofStores == 0) {
      if (!knowsAccess)
        access = WarpAccess::ofStores(kernel.contraction, ways.copyOf(way),
                                      threads, kernel.target);
      knowsAccess = true;
      ofStores = access.countWavefronts(length);
    }
    if (ofLoads + ofStores < choice.wavefronts)
      choice = {way, length, ofLoads + ofStores};
    if (ofLoads + ofStores == loads.access.ideal() + stores.ideal)
      break;
  }
  return choice;
}

SharedTileCopies::Choice
SharedTileCopies::bringTogether(Ways &ways, Choice best, Kernel &kernel) const {
  if (!ways.areKnown) {
    ways.areKnown = true;
    Tensor tensor = ofN ? Tensor::B : Tensor::A;
    ways.instructions = copyInstructions(kernel.contraction, tensor, ways.copy);
    ways.sharings =
        bringAccessesTogether(kernel.contraction, tensor, ways.copy,
                              ways.instructions, threads, kernel.target);
    ways.stores.reserve(ways.sharings.size() + 1);
    for (size_t i = 0; i < ways.sharings.size(); ++i)
      ways.stores.push_back({WarpAccess::idealStores(
          ways.copy, ways.sharings[i].rounds, threads, kernel.target)});
  }
  // A wavefront of shared memory takes as long as an instruction of each
  // partition.
  int64_t ofWavefront = kernel.target.warpInstructionsPerCycle;
  int64_t least = best.wavefronts * ofWavefront + ways.instructions;
  for (size_t way = 1; way < ways.stores.size(); ++way) {
    int64_t instructions = ways.sharings[way - 1].instructions;
    // More wavefronts than these would not be less work.
    int64_t most = ceilDivide(least - instructions, ofWavefront);
    if (kernel.loads.access.ideal() + ways.stores[way].ideal >= most)
      continue;
    Choice padded = padRows(ways, way, most, kernel);
    if (padded.wavefronts >= most)
      continue;
    least = padded.wavefronts * ofWavefront + instructions;
    best = padded;
  }
  return best;
}

SharedTileCopies::Padded SharedTileCopies::pad(const Contraction &contraction,
                                               const KernelLayout &layout,
                                               const Target &target) {
  Kernel kernel = {contraction, target, {}};
  kernel.loads.access = WarpAccess::ofFragments(layout, ofN, target);
  Choice choice = padRows(plain, 0, saturated, kernel);
  int64_t ideal = kernel.loads.access.ideal() + plain.stores.front().ideal;
  const TiledCopy &copy = plain.copy;
  bool mayRun =
      copy.alongK || (!copy.passesRegisters() && !copy.contiguousInSharedTile);
  Ways *chosen = &plain;
  if (mayRun && choice.wavefronts != ideal) {
    if (!knowsRuns) {
      TiledCopy inRuns =
          makeTiledCopy(contraction, layout, ofN, /*runs=*/true, target);
      knowsRuns = true;
      hasRuns = inRuns.accessesPerThread <= copy.accessesPerThread &&
                (!stepsAreUniform(copy) || stepsAreUniform(inRuns));
      setCopy(runs, std::move(inRuns), target);
    }
    if (hasRuns) {
      Choice inRuns = padRows(runs, 0, choice.wavefronts, kernel);
      if (inRuns.wavefronts < choice.wavefronts) {
        choice = inRuns;
        chosen = &runs;
      }
    }
  }
  choice = bringTogether(*chosen, choice, kernel);
  TiledCopy padded = chosen->copyOf(choice.way);
  padded.rowLength = choice.rowLength;
  padded.fragmentWidth = (ofN ? layout.b : layout.a).fragmentWidth;
  return {std::move(padded), 2 * choice.way + (chosen == &runs ? 1 : 0)};
}

} // namespace tc::model
