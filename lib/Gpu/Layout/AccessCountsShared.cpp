//===- AccessCountsShared.cpp - Accesses to shared memory -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All lanes of an instruction access as many bytes, aligned. So shared memory
// is as good as made of slots of that size, of which a wavefront serves one
// word each, and moving all addresses by a slot moves all words to the next:
// the wavefronts of a group of lanes only depend on how its addresses differ.
//
//===----------------------------------------------------------------------===//

#include "SharedRequests.h"

#include "AccessWalk.h"

#include "tc/Support/Arithmetic.h"

#include <algorithm>
#include <array>
#include <utility>

namespace tc::model {

namespace {

/// The most offsets of a group of lanes that are in one slot, summed over
/// groups. Offsets of one group are distinct.
class SlotConflicts {
public:
  explicit SlotConflicts(int64_t slots) : mask(slots - 1), used(slots, 0) {}

  void add(int64_t offset) { most = std::max(most, ++used[offset & mask]); }
  void finish() {
    if (most == 0)
      return;
    wavefronts += most;
    most = 0;
    std::fill(used.begin(), used.end(), 0);
  }

  int64_t wavefronts = 0;

private:
  int64_t mask;
  std::vector<int64_t> used;
  int64_t most = 0;
};

/// Wavefronts in which one load each of all threads of a block is served where
/// neighbours along `positions` of them, and lanes likewise, load neighbouring
/// groups of elements. Only where a group of lanes ends one row of threads and
/// begins the next do two runs follow, which may need the same slots.
int64_t fragmentWavefronts(int64_t threads, int64_t positions,
                           const Slots &slots) {
  int64_t groups = ceilDivide(threads, slots.lanes);
  if (positions <= slots.count || positions % slots.lanes == 0)
    return groups;
  int64_t wavefronts = groups;
  for (int64_t thread = 0; thread < threads; thread += slots.lanes) {
    int64_t first = thread % positions;
    int64_t end = first + std::min(slots.lanes, threads - thread);
    if (end > positions &&
        (first % slots.count < end - positions ||
         first % slots.count + positions - first > slots.count))
      ++wavefronts;
  }
  return wavefronts;
}

/// The same where each thread's load begins at a position and a value of k of
/// its own: the offset of its first element. Lanes may load the same.
template <typename Offset>
int64_t wavefrontsOfThreads(int64_t threads, const Slots &slots,
                            int64_t elements, Offset offsetOf) {
  constexpr int64_t maxLanes = 64;
  /// A slot that lanes load, and the one before it that may be in its bank.
  struct Loaded {
    int64_t slot;
    int before;
  };
  std::array<Loaded, maxLanes> distinct;
  // Accesses have a power of two of elements.
  int shift = __builtin_ctzll(static_cast<uint64_t>(elements));
  int64_t wavefronts = 0;
  for (int64_t first = 0; first < threads; first += slots.lanes) {
    // The last of those whose numbers end alike, or -1.
    std::array<int, maxLanes> latest;
    std::fill_n(latest.begin(), std::min(slots.count, maxLanes), -1);
    int64_t most = 0;
    int count = 0;
    for (int64_t thread = first;
         thread < std::min(first + slots.lanes, threads); ++thread) {
      int64_t slot = offsetOf(thread) >> shift, inBank = 1;
      int &last = latest[slot & (maxLanes - 1) & (slots.count - 1)];
      bool isNew = true;
      for (int i = last; i >= 0 && isNew; i = distinct[i].before) {
        isNew = distinct[i].slot != slot;
        inBank += ((distinct[i].slot - slot) & (slots.count - 1)) == 0;
      }
      if (!isNew || count == maxLanes)
        continue;
      distinct[count] = {slot, std::exchange(last, count)};
      ++count;
      most = std::max(most, inBank);
    }
    wavefronts += most;
  }
  return wavefronts;
}

/// The first element of a lane's first fragment, relative to its warp's.
int64_t matrixFragment(const KernelLayout &layout, const TiledCopy &tiledCopy,
                       bool ofN, int64_t lane) {
  return fragmentPosition(layout, ofN, lane) * tiledCopy.positionStride() +
         matrixDepth(layout, lane) * tiledCopy.depthStride();
}

/// Wavefronts of a load of matrix fragments. All warps, steps and fragments
/// differ by a shift only.
int64_t matrixWavefronts(const KernelLayout &layout, const TiledCopy &tiledCopy,
                         bool ofN, const Slots &slots) {
  int64_t lanes = layout.atom().threads;
  int64_t warps = layout.threads / lanes;
  return warps * wavefrontsOfThreads(
                     lanes, slots, tiledCopy.fragmentWidth, [&](int64_t lane) {
                       return matrixFragment(layout, tiledCopy, ofN, lane);
                     });
}

/// Wavefronts of one load of all threads of a block with FMA: all have the same
/// k. Lanes that do not walk the shared tile's side read few, neighbouring
/// groups.
int64_t fmaWavefronts(const KernelLayout &layout, const TiledCopy &tiledCopy,
                      bool ofN, int64_t group, const Slots &slots) {
  if (tiledCopy.alongK)
    return wavefrontsOfThreads(
        layout.threads, slots, tiledCopy.fragmentWidth, [&](int64_t thread) {
          ThreadPosition at = positionOf(layout, thread);
          return (ofN ? at.n : at.m) * group * tiledCopy.rowLength;
        });
  if (ofN == layout.lanesAlongN)
    return fragmentWavefronts(layout.threads,
                              ofN ? layout.threadsN : layout.threadsM, slots);
  return ceilDivide(layout.threads, slots.lanes);
}

/// Wavefronts in which the rows of one matrix are loaded.
int64_t matrixRowWavefronts(const TiledCopy &tiledCopy, const Target &target) {
  Slots slots(matrixRowElements * byteWidth(tiledCopy.elementType), target);
  return wavefrontsOfThreads(
      matrixRowElements, slots, matrixRowElements,
      [&](int64_t row) { return row * tiledCopy.rowLength; });
}

/// The loads of fragments by `ldmatrix`, of which one loads up to four.
SharedRequests countMatrixLoads(const KernelLayout &layout, bool ofN,
                                const Target &target) {
  const TiledCopy &tiledCopy = ofN ? layout.b : layout.a;
  int64_t warps = layout.threads / layout.atom().threads;
  int64_t steps = layout.blockK / layout.stepDepth();
  int64_t matrices = matricesOfWarp(layout, ofN), ofStep = matrices / steps;
  int64_t loads = steps * (ofStep / matricesOfLoad +
                           __builtin_popcountll(ofStep % matricesOfLoad));
  SharedRequests requests;
  requests.instructions = static_cast<double>(warps * loads);
  requests.bytes =
      static_cast<double>(warps * matrices * matrixRowElements *
                          matrixRowElements * byteWidth(tiledCopy.elementType));
  requests.idealWavefronts = static_cast<double>(warps * matrices);
  requests.wavefronts = static_cast<double>(
      warps * matrices * matrixRowWavefronts(tiledCopy, target));
  return requests;
}

/// The number of times that groups of up to `lanes` threads take part in the
/// accesses of a copy, which are made in rounds of all threads.
int64_t countGroups(int64_t accesses, int64_t threads, int64_t lanes) {
  return accesses / threads * ceilDivide(threads, lanes) +
         ceilDivide(accesses % threads, lanes);
}

} // namespace

int64_t matrixDepth(const KernelLayout &layout, int64_t lane) {
  return lane % layout.atom().lanes.columns * layout.laneDepth;
}

int64_t loadsOfThread(const KernelLayout &layout, bool ofN) {
  int64_t elements = (ofN ? layout.registerN : layout.registerM) *
                     (layout.blockK / layout.atom().lanes.columns);
  if (layout.hasColumns(ofN))
    elements /= layout.atom().sumColumns();
  return elements / (ofN ? layout.b : layout.a).fragmentWidth;
}

int64_t matricesOfWarp(const KernelLayout &layout, bool ofN) {
  int64_t positions = ofN ? layout.registerN : layout.registerM;
  if (layout.hasColumns(ofN))
    positions /= layout.atom().sumColumns();
  return positions * layout.blockK / matrixRowElements;
}

SharedRequests countFragmentLoads(const KernelLayout &layout, bool ofN,
                                  const Target &target) {
  if (layout.loadsMatrices())
    return countMatrixLoads(layout, ofN, target);
  const TiledCopy &tiledCopy = ofN ? layout.b : layout.a;
  int64_t group = ofN ? layout.groupN : layout.groupM;
  int64_t loads = loadsOfThread(layout, ofN);
  Slots slots(tiledCopy.fragmentWidth * byteWidth(tiledCopy.elementType),
              target);
  int64_t wavefronts =
      layout.isCollective()
          ? matrixWavefronts(layout, tiledCopy, ofN, slots)
          : fmaWavefronts(layout, tiledCopy, ofN, group, slots);
  SharedRequests requests;
  requests.instructions =
      static_cast<double>(loads * ceilDivide(layout.threads, target.warpSize));
  requests.bytes =
      static_cast<double>(loads * layout.threads * slots.accessBytes);
  requests.wavefronts = static_cast<double>(loads * wavefronts);
  requests.idealWavefronts =
      static_cast<double>(loads * ceilDivide(layout.threads, slots.lanes));
  return requests;
}

SharedRequests countSharedTileStores(const Contraction &contraction,
                                     const TiledCopy &tiledCopy,
                                     const Target &target) {
  int64_t elementBytes = byteWidth(tiledCopy.elementType);
  // An access is stored at once or as so many single elements, which are served
  // alike.
  int64_t together = tiledCopy.storeWidth();
  double stores =
      tiledCopy.storesOfAccess() * static_cast<double>(tiledCopy.gathered);
  Slots slots(together * elementBytes, target);
  std::vector<AccessDigit> digits;
  for (size_t i = 0; i < tiledCopy.order.size(); ++i) {
    if (tiledCopy.gathered > 1 && i == tiledCopy.gatheredPlace)
      continue;
    const TileDim &dim = tiledCopy.order[i];
    bool isOfK = contraction.indices[dim.index].role == Role::K;
    int64_t width = digits.empty() ? tiledCopy.width : 1;
    int64_t stride = width * tiledCopy.sharedTileStride(dim, isOfK);
    digits.push_back({dim.tile / width, dim.tile / width, stride / together});
  }
  if (digits.empty())
    digits.push_back({1, 1, 0});

  AccessWalk walk(std::move(digits), tiledCopy.threads, slots.lanes,
                  /*granule=*/1);
  SlotConflicts conflicts(slots.count);
  walk.run([&](int64_t offset) { conflicts.add(offset); },
           [&] { conflicts.finish(); });

  auto groups = [&](int64_t lanes) {
    return static_cast<double>(countGroups(
        tiledCopy.accesses / tiledCopy.gathered, tiledCopy.threads, lanes));
  };
  SharedRequests requests;
  requests.instructions = stores * groups(target.warpSize);
  requests.bytes =
      static_cast<double>(tiledCopy.accesses * tiledCopy.copiesOfAccess() *
                          tiledCopy.width * elementBytes);
  requests.wavefronts =
      stores * static_cast<double>(conflicts.wavefronts) * walk.repeats();
  requests.idealWavefronts = stores * groups(slots.lanes);
  return requests;
}

static SharedStep countSharedStep(const Contraction &contraction,
                                  const KernelLayout &layout, bool ofN,
                                  const Target &target) {
  const TiledCopy &tiledCopy = ofN ? layout.b : layout.a;
  SharedStep step;
  step.loads = countFragmentLoads(layout, ofN, target);
  step.stores = countSharedTileStores(contraction, tiledCopy, target);
  if (!tiledCopy.passesRegisters())
    step.asynchronousCopies = std::exchange(step.stores.instructions, 0);
  if (layout.loadsMatrices())
    step.matrixLoads = std::exchange(step.loads.instructions, 0);
  return step;
}

SharedStep countSharedStep(const Contraction &contraction,
                           const KernelLayout &layout, const Target &target) {
  SharedStep step = countSharedStep(contraction, layout, /*ofN=*/false, target);
  step += countSharedStep(contraction, layout, /*ofN=*/true, target);
  return step;
}

} // namespace tc::model
