//===- WorkspaceRequests.h - Accesses to partial sums -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts the accesses with which a block leaves its partial sums in the
// workspace. The last block loads them, one block's after the other's, as they
// were stored.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_GPU_LAYOUT_WORKSPACEREQUESTS_H
#define TC_LIB_GPU_LAYOUT_WORKSPACEREQUESTS_H

#include "tc/Gpu/Layout/AccessCounts.h"

namespace tc::model {

/// The stores of the partial sums of the block of that number.
GlobalRequests countPartialSums(const Contraction &contraction,
                                const KernelLayout &layout,
                                const Target &target, int64_t block);

/// The same for all blocks of the grid.
GlobalRequests countPartialSums(const Contraction &contraction,
                                const KernelLayout &layout,
                                const Target &target);

} // namespace tc::model

#endif // TC_LIB_GPU_LAYOUT_WORKSPACEREQUESTS_H
