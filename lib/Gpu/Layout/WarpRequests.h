//===- WarpRequests.h - Accesses of warps to one tile -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts the accesses with which a block copies or stores one tile. A tile is
// told by its extents, one for each index of the contraction, which an extent
// of the tensor may have cut off, and by its phase: how many elements into a
// sector its first element lies.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_GPU_LAYOUT_WARPREQUESTS_H
#define TC_LIB_GPU_LAYOUT_WARPREQUESTS_H

#include "tc/Gpu/Layout/AccessCounts.h"

namespace tc::model {

/// Extents of one tile by position in `Contraction::indices`.
using TileExtents = std::vector<int64_t>;

/// Elements of a tensor in a sector.
int64_t elementsPerSector(const Contraction &contraction, Tensor tensor,
                          const Target &target);

/// The loads of a tile of A or B.
GlobalRequests countLoads(const Contraction &contraction,
                          const KernelLayout &layout, Tensor tensor,
                          const TileExtents &extents, int64_t phase,
                          const Target &target);

/// The stores of a tile of C; its loads are the same.
GlobalRequests countStores(const Contraction &contraction,
                           const KernelLayout &layout,
                           const TileExtents &extents, int64_t phase,
                           const Target &target);

/// The extents of a tile that nothing cuts off.
TileExtents wholeTile(const Contraction &contraction,
                      const KernelLayout &layout);

} // namespace tc::model

#endif // TC_LIB_GPU_LAYOUT_WARPREQUESTS_H
