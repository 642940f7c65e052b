//===- ChainLayout.cpp - Tiles that stay on the chip ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Gpu/Layout/ChainLayout.h"

using namespace tc;
using namespace tc::model;

LinkedIndices tc::model::linkIndices(
    const Contraction &first, const std::vector<std::string> &labelsOfFirst,
    const Contraction &second, const std::vector<std::string> &labelsOfSecond) {
  LinkedIndices linked;
  for (size_t i = 0; i < labelsOfFirst.size(); ++i) {
    std::optional<unsigned> one = first.find(labelsOfFirst[i]);
    std::optional<unsigned> other = second.find(labelsOfSecond[i]);
    if (one && other)
      linked.emplace_back(*one, *other);
  }
  return linked;
}

std::optional<TileDim> tc::model::findTile(const KernelLayout &layout,
                                           unsigned index) {
  for (const auto *dims : {&layout.batch, &layout.m, &layout.n, &layout.k})
    for (const TileDim &dim : *dims)
      if (dim.index == index)
        return dim;
  return std::nullopt;
}

static bool isPlain(const KernelLayout &layout) {
  return layout.mapping.stationary == Stationary::Output &&
         layout.mapping.splitK == 1 && !layout.threeProducts &&
         !layout.hasDynamicShape;
}

Status tc::model::checkLink(const Contraction &first,
                            const KernelLayout &ofFirst,
                            const Contraction &second,
                            const KernelLayout &ofSecond,
                            const LinkedIndices &linked) {
  if (ofFirst.threads != ofSecond.threads)
    return Error{"has " + std::to_string(ofSecond.threads) +
                 " threads, but the one before has " +
                 std::to_string(ofFirst.threads)};
  if (!isPlain(ofFirst) || !isPlain(ofSecond))
    return Error{"must neither keep an operand stationary nor split K, nor "
                 "must the one before"};
  if (ofSecond.steps != 1)
    return Error{"must have tiles that span all indices of K, as the tensor "
                 "before it stays in shared memory, but takes " +
                 std::to_string(ofSecond.steps) + " steps"};
  auto isLinked = [&](unsigned index) {
    for (auto [one, other] : linked)
      if (other == index)
        return true;
    return false;
  };
  for (auto [one, other] : linked) {
    std::optional<TileDim> before = findTile(ofFirst, one),
                           after = findTile(ofSecond, other);
    if (before && after && before->tile != after->tile)
      return Error{"has tile " + std::to_string(after->tile) + " of index " +
                   second.indices[other].label + ", but the one before has " +
                   std::to_string(before->tile) + " of " +
                   first.indices[one].label};
  }
  for (const auto *dims : {&ofSecond.batch, &ofSecond.m, &ofSecond.n})
    for (const TileDim &dim : *dims)
      if (!isLinked(dim.index) && dim.tiles() > 1)
        return Error{"must have a tile that spans index " +
                     second.indices[dim.index].label +
                     ", which the one before does not have"};
  return {};
}

int64_t tc::model::sharedTileStride(const KernelLayout &ofSecond, Tensor fed,
                                    unsigned index) {
  const TiledCopy &copy = fed == Tensor::A ? ofSecond.a : ofSecond.b;
  for (const TileDim &dim : fed == Tensor::A ? ofSecond.m : ofSecond.n)
    if (dim.index == index)
      return copy.sharedTileStride(dim, /*isOfK=*/false);
  for (const TileDim &dim : ofSecond.k)
    if (dim.index == index)
      return copy.sharedTileStride(dim, /*isOfK=*/true);
  return 0;
}
