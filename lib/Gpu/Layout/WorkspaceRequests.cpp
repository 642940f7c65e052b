//===- WorkspaceRequests.cpp - Accesses to partial sums -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread's accumulators are vectors along N, and consecutive threads' vectors
// of one number adjoin: each warp accesses one run, which may begin anywhere in
// a sector.
//
//===----------------------------------------------------------------------===//

#include "WorkspaceRequests.h"

#include "tc/Gpu/Layout/Workspace.h"
#include "tc/Support/Arithmetic.h"

#include <algorithm>
#include <numeric>

namespace tc::model {

namespace {

int64_t sumsPerSector(const Contraction &contraction, const Target &target) {
  return std::max<int64_t>(1, target.sectorBytes /
                                  byteWidth(contraction.accumulatorType));
}

/// The stores of a block whose partial sums begin `phase` elements into a
/// sector.
GlobalRequests countAtPhase(const Contraction &contraction,
                            const KernelLayout &layout, const Target &target,
                            int64_t phase) {
  int64_t perSector = sumsPerSector(contraction, target);
  int64_t vectors = layout.registerM * (layout.registerN / layout.groupN);
  GlobalRequests requests;
  for (int64_t vector = 0; vector < vectors; ++vector)
    for (int64_t thread = 0; thread < layout.threads;
         thread += target.warpSize) {
      int64_t lanes =
          std::min<int64_t>(target.warpSize, layout.threads - thread);
      int64_t first =
          phase + (vector * layout.threads + thread) * layout.groupN;
      int64_t last = first + lanes * layout.groupN - 1;
      requests.instructions += 1;
      int64_t sectors = last / perSector - first / perSector + 1;
      requests.sectors += static_cast<double>(sectors);
    }
  requests.bytes = static_cast<double>(layout.blockM * layout.blockN *
                                       byteWidth(contraction.accumulatorType));
  return requests;
}

} // namespace

GlobalRequests countPartialSums(const Contraction &contraction,
                                const KernelLayout &layout,
                                const Target &target, int64_t block) {
  int64_t perSector = sumsPerSector(contraction, target);
  int64_t elements = workspaceOf(contraction, layout).elementsPerBlock;
  return countAtPhase(contraction, layout, target,
                      block % perSector * (elements % perSector) % perSector);
}

GlobalRequests countPartialSums(const Contraction &contraction,
                                const KernelLayout &layout,
                                const Target &target) {
  int64_t perSector = sumsPerSector(contraction, target);
  int64_t elements = workspaceOf(contraction, layout).elementsPerBlock;
  // After so many blocks their phases repeat.
  int64_t period = perSector / std::gcd(elements, perSector);
  GlobalRequests sum;
  for (int64_t block = 0; block < std::min(period, layout.blocks); ++block) {
    int64_t alike = ceilDivide(layout.blocks - block, period);
    sum.addScaled(countPartialSums(contraction, layout, target, block),
                  static_cast<double>(alike));
  }
  return sum;
}

} // namespace tc::model
