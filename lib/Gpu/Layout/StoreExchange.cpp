//===- StoreExchange.cpp - Sums that lanes exchange to store them ---------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Gpu/Layout/StoreExchange.h"

#include <algorithm>

namespace tc::model {

int64_t mostExchangingLanes(const Contraction &contraction,
                            const KernelLayout &layout) {
  constexpr int64_t halfBytes = 2;
  bool ofN = layout.storesAlongN;
  if (!layout.loadsMatrices() || !layout.hasColumns(ofN) ||
      layout.laneColumns != 1 || layout.swapsPlaces(ofN) ||
      byteWidth(contraction.elementType[Tensor::C]) != halfBytes ||
      isComplex(contraction.elementType[Tensor::C]) || contraction.reducesC)
    return 1;
  int64_t products =
      ofN ? layout.registerN / layout.groupN : layout.registerM / layout.groupM;
  int64_t lanes = layout.atom().lanes.columns;
  while (products % lanes != 0)
    lanes /= 2;
  return lanes;
}

int64_t exchangingLanes(const KernelLayout &layout) {
  int64_t group = layout.storesAlongN ? layout.groupN : layout.groupM;
  return std::max<int64_t>(1, layout.widthC / group);
}

KernelLayout layoutOfStores(const KernelLayout &layout) {
  KernelLayout stores = layout;
  (layout.storesAlongN ? stores.groupN : stores.groupM) *=
      exchangingLanes(layout);
  return stores;
}

int64_t placeOfStores(const KernelLayout &layout, int64_t position) {
  int64_t lanes = exchangingLanes(layout);
  int64_t threads = layout.storesAlongN ? layout.threadsN : layout.threadsM;
  return position % lanes * (threads / lanes) + position / lanes;
}

} // namespace tc::model
