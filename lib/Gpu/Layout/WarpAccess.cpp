//===- WarpAccess.cpp - Bank conflicts of a warp's access -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Gpu/Layout/WarpAccess.h"

#include "SharedRequests.h"

#include "tc/Support/Arithmetic.h"

#include <algorithm>
#include <array>

namespace tc::model {

static int64_t timesOfStores(const TiledCopy &tiledCopy,
                             int64_t accessesPerThread) {
  return accessesPerThread * tiledCopy.copiesOfAccess() * tiledCopy.width /
         tiledCopy.storeWidth();
}

/// Slots of a wavefront whose lanes are counted without memory of their own.
static constexpr size_t fewSlots = 128;

WarpAccess WarpAccess::ofFragments(const KernelLayout &layout, bool ofN,
                                   const Target &target) {
  const TiledCopy &tiledCopy = ofN ? layout.b : layout.a;
  WarpAccess access;
  if (layout.loadsMatrices()) {
    access.times = matricesOfWarp(layout, ofN);
    access.width = matrixRowElements;
    access.places.reserve(matrixRowElements);
    for (int64_t row = 0; row < matrixRowElements; ++row)
      access.places.emplace_back(row, 0);
  } else {
    int64_t lanes = std::min<int64_t>(layout.threads, target.warpSize);
    int64_t group = ofN ? layout.groupN : layout.groupM;
    access.times = loadsOfThread(layout, ofN);
    access.width = tiledCopy.fragmentWidth;
    access.places.reserve(lanes);
    // `positionOf`, without its divisions.
    bool isFast = ofN == layout.lanesAlongN;
    int64_t alongFast = layout.lanesAlongN ? layout.threadsN : layout.threadsM;
    int64_t fast = 0, slow = 0;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      int64_t position = (isFast ? fast : slow) * group, depth = 0;
      if (++fast == alongFast) {
        fast = 0;
        ++slow;
      }
      if (layout.isCollective()) {
        position = fragmentPosition(layout, ofN, lane);
        depth = matrixDepth(layout, lane);
      }
      access.places.push_back(tiledCopy.alongK ? Place(position, depth)
                                               : Place(depth, position));
    }
  }
  access.groupLanes(byteWidth(tiledCopy.elementType), /*areDistinct=*/false,
                    tiledCopy.rowLength, target);
  return access;
}

WarpAccess WarpAccess::ofStores(const Contraction &contraction,
                                const TiledCopy &tiledCopy, int64_t threads,
                                const Target &target) {
  int64_t lanes = std::min<int64_t>(threads, target.warpSize);
  WarpAccess access;
  access.width = tiledCopy.storeWidth();
  access.times = timesOfStores(tiledCopy, tiledCopy.accessesPerThread);
  // The places of a dimension's first value, repeated for each other one.
  std::vector<Place> &places = access.places;
  places.resize(lanes);
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
  access.groupLanes(byteWidth(tiledCopy.elementType), areDistinct,
                    tiledCopy.rowLength, target);
  return access;
}

int64_t WarpAccess::idealStores(const TiledCopy &tiledCopy,
                                int64_t accessesPerThread, int64_t threads,
                                const Target &target) {
  int64_t lanes = std::min<int64_t>(threads, target.warpSize);
  Slots served(tiledCopy.storeWidth() * byteWidth(tiledCopy.elementType),
               target);
  return timesOfStores(tiledCopy, accessesPerThread) *
         ceilDivide(lanes, served.lanes);
}

void WarpAccess::groupLanes(int64_t elementBytes, bool areDistinct,
                            int64_t rowLength, const Target &target) {
  Slots served(width * elementBytes, target);
  slots = served.count;
  auto count = static_cast<int64_t>(places.size());
  idealWavefronts = times * ceilDivide(count, served.lanes);
  ends.reserve(ceilDivide(count, served.lanes));
  std::vector<int64_t> ofGroup;
  if (!areDistinct)
    ofGroup.reserve(served.lanes);
  int64_t kept = 0;
  for (int64_t first = 0; first < count; first += served.lanes) {
    int64_t end = std::min(first + served.lanes, count);
    ofGroup.clear();
    int64_t greatest = -1;
    for (int64_t lane = areDistinct ? end : first; lane < end; ++lane) {
      // Two lanes have the same slot with rows of any length, or with none.
      int64_t slot = slotOf(places[lane], rowLength);
      if (slot <= greatest &&
          std::find(ofGroup.begin(), ofGroup.end(), slot) != ofGroup.end())
        continue;
      greatest = std::max(greatest, slot);
      ofGroup.push_back(slot);
      places[kept++] = places[lane];
    }
    if (areDistinct)
      kept = end;
    ends.push_back(kept);
  }
  places.resize(kept);
}

int64_t WarpAccess::countWavefronts(int64_t rowLength) const {
  std::array<uint8_t, fewSlots> ofFew;
  std::vector<uint8_t> ofMany;
  uint8_t *lanesOfSlot = ofFew.data();
  if (slots > static_cast<int64_t>(fewSlots)) {
    ofMany.resize(slots);
    lanesOfSlot = ofMany.data();
  }
  int64_t wavefronts = 0, i = 0;
  for (int64_t end : ends) {
    std::fill_n(lanesOfSlot, slots, 0);
    uint8_t most = 0;
    for (; i < end; ++i) {
      int64_t slot = slotOf(places[i], rowLength) & (slots - 1);
      most = std::max(most, ++lanesOfSlot[slot]);
    }
    wavefronts += times * most;
  }
  return wavefronts;
}

} // namespace tc::model
