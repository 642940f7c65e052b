//===- PaddingScorer.cpp - Bank conflicts by length of rows ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PaddingScorer.h"

#include "tc/Support/Arithmetic.h"

#include <algorithm>

namespace tc::model {

PaddingScorer::PaddingScorer(const Contraction &contraction,
                             const KernelLayout &layout, bool ofN,
                             const Target &target)
    : target(target) {
  const TiledCopy &tiledCopy = ofN ? layout.b : layout.a;
  lanes = std::min<int64_t>(layout.threads, target.warpSize);
  elementBytes = byteWidth(tiledCopy.elementType);
  leastLength = tiledCopy.rowLength;
  loads.places.reserve(lanes);
  if (layout.loadsMatrices()) {
    loads.times = matricesOfWarp(layout, ofN);
    loads.width = matrixRowElements;
    for (int64_t row = 0; row < matrixRowElements; ++row)
      loads.places.emplace_back(row, 0);
  } else {
    loads.times = loadsOfThread(layout, ofN);
    loads.width = tiledCopy.fragmentWidth;
    int64_t group = ofN ? layout.groupN : layout.groupM;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      int64_t position = 0, depth = 0;
      if (layout.isCollective()) {
        position = fragmentPosition(layout, ofN, lane);
        depth = matrixDepth(layout, lane);
      } else {
        ThreadPosition at = positionOf(layout, lane);
        position = (ofN ? at.n : at.m) * group;
      }
      loads.places.push_back(tiledCopy.alongK ? std::pair(position, depth)
                                              : std::pair(depth, position));
    }
  }
  groupLanes(loads, /*areDistinct=*/false);
  setStores(contraction, tiledCopy);
}

void PaddingScorer::setStores(const Contraction &contraction,
                              const TiledCopy &tiledCopy) {
  stores.width = tiledCopy.storeWidth();
  stores.times = tiledCopy.accessesPerThread * tiledCopy.copiesOfAccess() *
                 tiledCopy.width / stores.width;
  // The places of a dimension's first value, repeated for each other one.
  auto &places = stores.places;
  places.resize(lanes);
  places.front() = {0, 0};
  int64_t placed = 1;
  int64_t width = tiledCopy.width;
  for (const TileDim &dim : tiledCopy.order) {
    bool isOfK = contraction.indices[dim.index].role == Role::K;
    int64_t stride = dim.sharedTileStride * width, radix = dim.tile / width;
    bool isOfRows = isOfK != tiledCopy.alongK;
    int64_t ofRow = isOfRows ? stride : 0, ofColumn = isOfRows ? 0 : stride;
    int64_t end = std::min(lanes, saturatingMultiply(placed, radix));
    for (int64_t i = 0, next = placed; next < end; ++i, ++next)
      places[next] = {places[i].first + ofRow, places[i].second + ofColumn};
    placed = end;
    width = 1;
  }
  bool areDistinct = placed == lanes && tiledCopy.gathered == 1;
  // Lanes beyond the last access begin again.
  for (int64_t i = 0; placed < lanes; ++i, ++placed)
    places[placed] = places[i];
  groupLanes(stores, areDistinct);
}

void PaddingScorer::groupLanes(Access &access, bool areDistinct) {
  Slots slots(access.width * elementBytes, target);
  auto count = static_cast<int64_t>(access.places.size());
  access.ideal = access.times * ceilDivide(count, slots.lanes);
  access.ends.clear();
  int64_t kept = 0;
  for (int64_t first = 0; first < count; first += slots.lanes) {
    int64_t end = std::min(first + slots.lanes, count);
    kept = areDistinct ? end : keepDistinct(access, first, end, kept);
    access.ends.push_back(kept);
  }
}

int64_t PaddingScorer::keepDistinct(Access &access, int64_t first, int64_t end,
                                    int64_t kept) {
  slotsOfGroup.clear();
  int64_t greatest = -1;
  for (int64_t lane = first; lane < end; ++lane) {
    auto place = access.places[lane];
    // Two lanes have the same slot with rows of any length, or with none.
    int64_t slot = access.slotOf(place, leastLength);
    if (slot <= greatest && std::find(slotsOfGroup.begin(), slotsOfGroup.end(),
                                      slot) != slotsOfGroup.end())
      continue;
    greatest = std::max(greatest, slot);
    slotsOfGroup.push_back(slot);
    access.places[kept++] = place;
  }
  return kept;
}

int64_t PaddingScorer::countWavefronts(const Access &access, int64_t rowLength,
                                       int64_t enough) {
  Slots slots(access.width * elementBytes, target);
  int64_t wavefronts = 0;
  int64_t i = 0;
  for (int64_t end : access.ends) {
    lanesOfBank.assign(slots.count, 0);
    uint8_t most = 0;
    for (; i < end; ++i) {
      int64_t slot = access.slotOf(access.places[i], rowLength);
      most = std::max(most, ++lanesOfBank[slot & (slots.count - 1)]);
    }
    wavefronts += access.times * most;
    if (wavefronts >= enough)
      break;
  }
  return wavefronts;
}

int64_t PaddingScorer::score(int64_t rowLength, int64_t most) {
  auto entry =
      std::find_if(known.begin(), known.end(), [&](const auto &ofLength) {
        return ofLength.first == rowLength;
      });
  if (entry == known.end())
    entry = known.emplace(entry, rowLength,
                          countWavefronts(loads, rowLength, saturated));
  int64_t ofLoads = entry->second;
  if (ofLoads + stores.ideal >= most)
    return most;
  return std::min(ofLoads + countWavefronts(stores, rowLength, most - ofLoads),
                  most);
}

} // namespace tc::model
