//===- StoreExchange.h - Sums that lanes exchange to store them -*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A lane holds two neighbouring columns of each product of matrices, which are
// 4 bytes of halves. Before they are stored, neighbouring lanes exchange
// columns: of as many products as there are lanes, each lane then has more
// neighbours of one. It has the elements that it would have if its groups were
// as many times as large, at another place along the columns.
//
//===----------------------------------------------------------------------===//

#ifndef TC_GPU_LAYOUT_STOREEXCHANGE_H
#define TC_GPU_LAYOUT_STOREEXCHANGE_H

#include "tc/Gpu/Layout/KernelLayout.h"

namespace tc::model {

/// The most neighbouring lanes that can exchange sums of C, a power of two; one
/// where they do not. `layout` need only have its threads mapped.
int64_t mostExchangingLanes(const Contraction &contraction,
                            const KernelLayout &layout);

/// The lanes that do, of a complete layout.
int64_t exchangingLanes(const KernelLayout &layout);

/// The layout as the stores of C see it: with the groups of elements that a
/// lane has then. The place of a thread along C's stride-one side is
/// `placeOfStores`.
KernelLayout layoutOfStores(const KernelLayout &layout);

/// The place in that layout of a thread that was at `position` along C's
/// stride-one side.
int64_t placeOfStores(const KernelLayout &layout, int64_t position);

} // namespace tc::model

#endif // TC_GPU_LAYOUT_STOREEXCHANGE_H
