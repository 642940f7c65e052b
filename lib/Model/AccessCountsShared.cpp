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

#include "tc/Model/AccessCounts.h"

#include "AccessWalk.h"

#include "tc/Support/Arithmetic.h"

#include <algorithm>

namespace tc::model {

namespace {

/// How shared memory serves accesses of one size.
struct Slots {
  Slots(int64_t accessBytes, const Target &target)
      : accessBytes(accessBytes),
        count(std::max<int64_t>(1, target.sharedBytesPerCycle / accessBytes)),
        lanes(std::min<int64_t>(target.warpSize, count)) {}

  int64_t accessBytes;
  int64_t count; ///< slots of a wavefront
  int64_t lanes; ///< that are served at a time
};

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
/// begins the next do two runs meet, which may need the same slots.
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

/// Loads of one panel's fragments in a step. Lanes that do not walk the panel's
/// side read few, neighbouring groups.
SharedRequests countFragmentLoads(const KernelLayout &layout, bool ofN,
                                  int64_t elementBytes, const Target &target) {
  int64_t group = ofN ? layout.groupN : layout.groupM;
  int64_t loads =
      (ofN ? layout.registerN : layout.registerM) / group * layout.blockK;
  int64_t positions = ofN ? layout.threadsN : layout.threadsM;
  Slots slots(group * elementBytes, target);
  int64_t ideal = ceilDivide(layout.threads, slots.lanes);
  int64_t wavefronts =
      ofN == layout.lanesAlongN
          ? fragmentWavefronts(layout.threads, positions, slots)
          : ideal;
  SharedRequests requests;
  requests.instructions =
      static_cast<double>(loads * ceilDivide(layout.threads, target.warpSize));
  requests.bytes =
      static_cast<double>(loads * layout.threads * slots.accessBytes);
  requests.wavefronts = static_cast<double>(loads * wavefronts);
  requests.idealWavefronts = static_cast<double>(loads * ideal);
  return requests;
}

/// How often groups of up to `lanes` threads take part in the accesses of a
/// copy, which are made in rounds of all threads.
int64_t countGroups(int64_t accesses, int64_t threads, int64_t lanes) {
  return accesses / threads * ceilDivide(threads, lanes) +
         ceilDivide(accesses % threads, lanes);
}

SharedRequests countPanelStores(const Contraction &contraction,
                                const KernelLayout &layout,
                                const Staging &staging, int64_t elementBytes,
                                const Target &target) {
  // An access is stored at once or as so many single elements, which are served
  // alike.
  int64_t together = staging.contiguousInPanel ? staging.width : 1;
  auto stores = static_cast<double>(staging.width / together);
  Slots slots(together * elementBytes, target);
  std::vector<AccessDigit> digits;
  for (const TileDim &dim : staging.order) {
    bool alongK = contraction.indices[dim.index].role == Role::K;
    int64_t width = digits.empty() ? staging.width : 1;
    int64_t stride = width * dim.panelStride * (alongK ? staging.rowLength : 1);
    digits.push_back({dim.tile / width, dim.tile / width, stride / together});
  }
  if (digits.empty())
    digits.push_back({1, 1, 0});

  AccessWalk walk(std::move(digits), layout.threads, slots.lanes,
                  /*granule=*/1);
  SlotConflicts conflicts(slots.count);
  walk.run([&](int64_t offset) { conflicts.add(offset); },
           [&] { conflicts.finish(); });

  auto groups = [&](int64_t lanes) {
    return static_cast<double>(
        countGroups(staging.accesses, layout.threads, lanes));
  };
  SharedRequests requests;
  requests.instructions = stores * groups(target.warpSize);
  requests.bytes =
      static_cast<double>(staging.accesses * staging.width * elementBytes);
  requests.wavefronts =
      stores * static_cast<double>(conflicts.wavefronts) * walk.repeats();
  requests.idealWavefronts = stores * groups(slots.lanes);
  return requests;
}

} // namespace

SharedStep countSharedStep(const Contraction &contraction,
                           const KernelLayout &layout, const Target &target) {
  int64_t bytes = byteWidth(contraction.accumulatorType);
  SharedStep step;
  for (bool ofN : {false, true})
    step.loads += countFragmentLoads(layout, ofN, bytes, target);
  for (const Staging *staging : {&layout.a, &layout.b})
    step.stores +=
        countPanelStores(contraction, layout, *staging, bytes, target);
  return step;
}

} // namespace tc::model
