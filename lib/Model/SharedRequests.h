//===- SharedRequests.h - Accesses to one panel -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts what a block asks of one panel in shared memory in one step.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_MODEL_SHAREDREQUESTS_H
#define TC_LIB_MODEL_SHAREDREQUESTS_H

#include "tc/Model/AccessCounts.h"

namespace tc::model {

/// The loads of fragments from the panel of A or of B (`ofN`).
SharedRequests countFragmentLoads(const KernelLayout &layout, bool ofN,
                                  const Target &target);

/// The stores of a tile into its panel.
SharedRequests countPanelStores(const Contraction &contraction,
                                const Staging &staging, const Target &target);

/// Wavefronts of the accesses to the panel of A or of B (`ofN`), as if all
/// warps did what the first one does: quick, to compare paddings by. `ideal` is
/// what there would be without conflicts.
struct PaddingScore {
  int64_t wavefronts = 0, ideal = 0;
};
PaddingScore scorePadding(const Contraction &contraction,
                          const KernelLayout &layout, bool ofN,
                          const Target &target);

} // namespace tc::model

#endif // TC_LIB_MODEL_SHAREDREQUESTS_H
