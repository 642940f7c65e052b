//===- Traffic.cpp - Global memory traffic of a kernel --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Gpu/Cost/Traffic.h"

#include "tc/Gpu/Layout/AccessCounts.h"
#include "tc/Hierarchy/TileGranules.h"
#include "tc/Support/Arithmetic.h"

namespace tc::model {

/// The sectors of one tile that nothing cuts off.
static double tileSectors(const Contraction &contraction,
                          const KernelLayout &layout, Tensor tensor,
                          const Target &target) {
  std::vector<TileDim> dims;
  auto append = [&](const std::vector<TileDim> &list) {
    for (TileDim dim : list) {
      dim.extent = dim.tile;
      dims.push_back(dim);
    }
  };
  if (tensor != Tensor::B)
    append(layout.m);
  if (tensor != Tensor::A)
    append(layout.n);
  if (tensor != Tensor::C)
    append(layout.k);
  return countTileGranules(contraction, tensor, dims, target.sectorBytes);
}

TileTraffic countTileTraffic(const Contraction &contraction, Tensor tensor,
                             const std::vector<TileDim> &dims,
                             const Target &target) {
  TensorTiles tiles(contraction, tensor, dims);
  auto bytes = [&](int64_t granule) {
    return tiles.countGranules(granule) * static_cast<double>(granule);
  };
  return {tiles.countGranules(target.sectorBytes),
          (bytes(target.lineBytes) + bytes(target.lineBytes / 2)) / 2};
}

Traffic countTraffic(const Contraction &contraction, const KernelLayout &layout,
                     const Target &target) {
  Traffic traffic;
  auto count = [&](Tensor tensor, const std::vector<TileDim> &first,
                   const std::vector<TileDim> &second, double visits) {
    std::vector<TileDim> dims = layout.batch;
    dims.insert(dims.end(), first.begin(), first.end());
    dims.insert(dims.end(), second.begin(), second.end());
    traffic.visits[tensor] = visits;
    TileTraffic once = countTileTraffic(contraction, tensor, dims, target);
    traffic.sectors[tensor] = visits * once.sectors;
    traffic.lineBytes[tensor] = visits * once.lineBytes;
    traffic.setRequests(tensor,
                        requestRatio(contraction, layout, tensor, target));
  };
  count(Tensor::A, layout.m, layout.k, static_cast<double>(layout.gridN));
  count(Tensor::B, layout.n, layout.k, static_cast<double>(layout.gridM));
  // The data that blocks leave of a reduced output is of no account.
  if (!contraction.reducesC)
    count(Tensor::C, layout.m, layout.n, contraction.readsC ? 2 : 1);
  return traffic;
}

RequestRatio requestRatio(const Contraction &contraction,
                          const KernelLayout &layout, Tensor tensor,
                          const Target &target) {
  int64_t sector = elementsPer(target.sectorBytes, contraction, tensor);
  int64_t phase = (contraction.offset[tensor] % sector + sector) % sector;
  GlobalRequests requests =
      tensor == Tensor::C
          ? countTileStores(contraction, layout, target, phase)
          : countTileLoads(contraction, layout, tensor, target, phase);
  double distinct = tileSectors(contraction, layout, tensor, target);
  return {requests.sectors / distinct, requests.lines / distinct};
}

Traffic compulsoryTraffic(const Contraction &contraction,
                          const Target &target) {
  Traffic traffic;
  for (Tensor tensor : allTensors) {
    double elements = contraction.elements(tensor) *
                      (tensor == Tensor::C && contraction.readsC ? 2 : 1);
    auto per = [&](int64_t granuleBytes) {
      return static_cast<double>(
          elementsPer(granuleBytes, contraction, tensor));
    };
    traffic.sectors[tensor] = elements / per(target.sectorBytes);
    traffic.lineBytes[tensor] =
        traffic.sectors[tensor] * static_cast<double>(target.sectorBytes);
    traffic.lines[tensor] = elements / per(target.lineBytes);
    traffic.requests[tensor] = traffic.sectors[tensor];
  }
  return traffic;
}

} // namespace tc::model
