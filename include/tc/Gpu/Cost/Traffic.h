//===- Traffic.h - Global memory traffic of a kernel ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The traffic between global memory and the multiprocessors, in sectors: the
// granules in which global memory is moved.
//
//===----------------------------------------------------------------------===//

#ifndef TC_GPU_COST_TRAFFIC_H
#define TC_GPU_COST_TRAFFIC_H

#include "tc/Gpu/Layout/KernelLayout.h"

#include <vector>

namespace tc::model {

/// The requests of a block's warps for a tile, for each of the sectors that it
/// has.
struct RequestRatio {
  double sectors = 1, lines = 1;
};

/// Global memory traffic of a kernel.
struct Traffic {
  /// Sectors that each tensor's accesses move, C counted once for its store
  /// and once more if it is read.
  PerTensor<double> sectors = {};
  /// Bytes of the lines that these sectors are of. DRAM moves as many: the rest
  /// of a line of which a block has had its part is rarely in the L2 cache
  /// until another block comes for it.
  PerTensor<double> lineBytes = {};
  /// Sectors that the instructions of warps ask for, and lines that they are
  /// looked up in: each counts for each instruction that touches it.
  PerTensor<double> requests = {}, lines = {};
  /// Blocks that visit each tile, one after the other or at the same time; of
  /// C, stores and loads.
  PerTensor<double> visits = {{1, 1, 1}};

  /// Has each tile of a tensor be visited so often instead.
  void setVisits(Tensor tensor, double number) {
    double ratio = number / visits[tensor];
    for (PerTensor<double> *counts :
         {&sectors, &lineBytes, &lines, &requests, &visits})
      (*counts)[tensor] *= ratio;
  }
  /// Sets requests and lines of a tensor whose sectors are known.
  void setRequests(Tensor tensor, RequestRatio ratio) {
    requests[tensor] = sectors[tensor] * ratio.sectors;
    lines[tensor] = sectors[tensor] * ratio.lines;
  }
  /// Sectors if each tile were visited once.
  double sectorsOnce(Tensor tensor) const {
    return sectors[tensor] / visits[tensor];
  }
  double lineBytesOnce(Tensor tensor) const {
    return lineBytes[tensor] / visits[tensor];
  }
  double total() const { return sectors[0] + sectors[1] + sectors[2]; }
};

/// Counts sectors from the lengths of contiguous runs in each tile (Kim et al.,
/// "A Code Generator for High-Performance Tensor Contractions on GPUs", CGO
/// 2019, algorithm 3, on 32-byte sectors instead of 128-byte transactions). The
/// places within a sector where runs start, and tiles that are cut off by an
/// extent, are taken into account exactly.
Traffic countTraffic(const Contraction &contraction, const KernelLayout &layout,
                     const Target &target);

/// The sectors that the tiles of a tensor touch, and the bytes of their lines.
struct TileTraffic {
  double sectors, lineBytes;
};

/// Those of tiles that are cut along these dimensions.
TileTraffic countTileTraffic(const Contraction &contraction, Tensor tensor,
                             const std::vector<TileDim> &dims,
                             const Target &target);

/// The ratio for the first tile of a tensor.
RequestRatio requestRatio(const Contraction &contraction,
                          const KernelLayout &layout, Tensor tensor,
                          const Target &target);

/// The least traffic of any kernel: each tensor moved once, in full sectors.
Traffic compulsoryTraffic(const Contraction &contraction, const Target &target);

} // namespace tc::model

#endif // TC_GPU_COST_TRAFFIC_H
