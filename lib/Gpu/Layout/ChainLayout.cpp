//===- ChainLayout.cpp - Tiles that stay on the chip ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Gpu/Layout/ChainLayout.h"

#include "RegisterEstimate.h"

#include "tc/Problem/ComplexParts.h"

#include <algorithm>
#include <numeric>

using namespace tc;
using namespace tc::model;

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

/// Returns true if an index of the consumer is one of the tensor between the
/// two.
static bool isBetween(const LinkedIndices &linked, unsigned index) {
  return std::any_of(linked.begin(), linked.end(),
                     [&](auto pair) { return pair.second == index; });
}

/// Checks that a row of the producer's output is along one side.
static Status checkSoftmax(const Contraction &first,
                           const KernelLayout &ofFirst,
                           const Contraction &second, const IndexedEdge &edge) {
  if (!edge.isLast())
    return Error{"takes a softmax, so it must be the last one"};
  if (first.parts || second.parts)
    return Error{"takes a softmax, so no numbers must be complex"};
  if (first.accumulatorType != second.accumulatorType)
    return Error{"takes a softmax, so its sums must be of the type of those of "
                 "the one before, " +
                 std::string(stringify(first.accumulatorType)) +
                 ", but are of " +
                 std::string(stringify(second.accumulatorType))};
  bool alongN = softmaxRows(ofFirst, second, edge.indices).alongN;
  for (auto [one, other] : edge.indices) {
    Role role = first.indices[one].role;
    if (role == Role::Batch)
      continue;
    bool isRow = second.indices[other].role != Role::K;
    if (isRow != ((role == Role::N) == alongN))
      return Error{"takes a softmax along what it sums over, so the one before "
                   "must have all of that in one of its inputs, and nothing "
                   "else, but index " +
                   first.indices[one].label + " is in the other one"};
  }
  return {};
}

Status tc::model::checkFeed(const Contraction &first,
                            const KernelLayout &ofFirst,
                            const Contraction &second,
                            const KernelLayout &ofSecond,
                            const IndexedEdge &edge) {
  const LinkedIndices &linked = edge.indices;
  if (ofFirst.threads != ofSecond.threads)
    return Error{"has " + std::to_string(ofSecond.threads) +
                 " threads, but the one before has " +
                 std::to_string(ofFirst.threads)};
  if (!isPlain(ofFirst) || !isPlain(ofSecond))
    return Error{"must neither keep an operand stationary nor split K, nor "
                 "must the one before"};
  if (ofSecond.steps != 1 && !edge.isLast())
    return Error{"must have tiles that span all indices of K, as the tensor "
                 "before it stays in shared memory and it is not the last "
                 "one, but takes " +
                 std::to_string(ofSecond.steps) + " steps"};
  // Nobody stores the same elements again for each of its values.
  for (const TileDim &dim : ofSecond.k)
    if (dim.extent > 1 && !isBetween(linked, dim.index) &&
        !isPart(second, dim.index))
      return Error{"sums over index " + second.indices[dim.index].label +
                   ", which the one before does not have"};
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
      if (!isBetween(linked, dim.index) && dim.tiles() > 1)
        return Error{"must have a tile that spans index " +
                     second.indices[dim.index].label +
                     ", which the one before does not have"};
  return takesSoftmax(edge) ? checkSoftmax(first, ofFirst, second, edge)
                            : Status();
}

Status tc::model::checkShare(const Contraction &first,
                             const KernelLayout &ofFirst,
                             const Contraction &other,
                             const KernelLayout &ofOther,
                             const LinkedIndices &shared) {
  if (ofFirst.threads != ofOther.threads)
    return Error{"has " + std::to_string(ofOther.threads) +
                 " threads, but the kernel's own has " +
                 std::to_string(ofFirst.threads)};
  for (const KernelLayout *layout : {&ofFirst, &ofOther})
    if (!isPlain(*layout) || layout->mapping.rasterM != 0)
      return Error{"must number its blocks plainly, neither keep an operand "
                   "stationary nor split K, nor must the kernel's own"};
  if (ofFirst.blocks != ofOther.blocks)
    return Error{"has " + std::to_string(ofOther.blocks) +
                 " blocks, but the kernel's own has " +
                 std::to_string(ofFirst.blocks)};
  for (const auto *dims : {&ofOther.batch, &ofOther.m, &ofOther.n})
    for (const TileDim &dim : *dims) {
      if (dim.tiles() == 1)
        continue;
      auto pairing = std::find_if(shared.begin(), shared.end(), [&](auto pair) {
        return pair.second == dim.index;
      });
      std::optional<TileDim> own;
      if (pairing != shared.end() &&
          first.indices[pairing->first].role != Role::K)
        own = findTile(ofFirst, pairing->first);
      if (!own)
        return Error{
            "must have a tile that spans index " +
            other.indices[dim.index].label +
            ", which the output of the kernel's own does not have from "
            "the input that both take"};
      if (own->tile != dim.tile)
        return Error{"has tile " + std::to_string(dim.tile) + " of index " +
                     other.indices[dim.index].label +
                     ", but the kernel's own has " + std::to_string(own->tile) +
                     " of " + first.indices[own->index].label};
    }
  return {};
}

bool tc::model::isStepped(const KernelLayout &ofLast, const IndexedEdge &edge) {
  return takesSoftmax(edge) || ofLast.steps > 1;
}

SoftmaxRows tc::model::softmaxRows(const KernelLayout &ofFirst,
                                   const Contraction &second,
                                   const LinkedIndices &linked) {
  SoftmaxRows rows;
  for (auto [one, other] : linked)
    if (second.indices[other].role == Role::K)
      rows.alongN = std::any_of(
          ofFirst.m.begin(), ofFirst.m.end(),
          [index = one](const TileDim &dim) { return dim.index == index; });
  rows.rows = rows.alongN ? ofFirst.blockN : ofFirst.blockM;
  rows.sharers = rows.alongN ? ofFirst.threadsM : ofFirst.threadsN;
  bool sharersAreFast = rows.alongN != ofFirst.lanesAlongN;
  int64_t fast = ofFirst.lanesAlongN ? ofFirst.threadsN : ofFirst.threadsM;
  constexpr int64_t warp = warpThreads;
  if (ofFirst.isCollective()) {
    const LaneGrid &lanes = ofFirst.atom().lanes;
    rows.lanes = sharersAreFast ? lanes.columns : lanes.rows;
    rows.laneStride = sharersAreFast ? 1 : lanes.columns;
  } else if (ofFirst.threads % warp == 0 && sharersAreFast) {
    rows.lanes = std::gcd(fast, warp);
  } else if (ofFirst.threads % warp == 0 && warp % fast == 0) {
    rows.lanes = warp / fast;
    rows.laneStride = fast;
  }
  return rows;
}

std::vector<int64_t> tc::model::rowStrides(const Contraction &first,
                                           const KernelLayout &ofFirst,
                                           const SoftmaxRows &rows) {
  std::vector<int64_t> strides(first.indices.size(), 0);
  const std::vector<TileDim> &dims = rows.alongN ? ofFirst.n : ofFirst.m;
  int64_t stride = 1;
  for (size_t i = dims.size(); i-- > 0;) {
    strides[dims[i].index] = stride;
    stride *= dims[i].tile;
  }
  return strides;
}

std::optional<Tensor> tc::model::keptInput(const KernelLayout &ofFirst,
                                           const Contraction &second,
                                           const IndexedEdge &edge) {
  if (ofFirst.steps != 1)
    return std::nullopt;
  auto isSteppedAlong = [&](const std::vector<TileDim> &dims) {
    for (const TileDim &dim : dims)
      for (auto [one, other] : edge.indices)
        if (one == dim.index && dim.tiles() > 1 &&
            second.indices[other].role == Role::K)
          return true;
    return false;
  };
  if (!isSteppedAlong(ofFirst.m))
    return Tensor::A;
  if (!isSteppedAlong(ofFirst.n))
    return Tensor::B;
  return std::nullopt;
}

bool tc::model::staysInRegisters(const KernelLayout &ofBefore,
                                 const KernelLayout &ofLast,
                                 const IndexedEdge &edge) {
  auto hasRows = [](const KernelLayout &layout) {
    return layout.isCollective() && layout.rowsAlongM() &&
           layout.threadsN == layout.atom().lanes.columns;
  };
  if (edge.sink != Tensor::A || !isStepped(ofLast, edge) ||
      !hasRows(ofBefore) || !hasRows(ofLast) || !ofLast.loadsMatrices() ||
      ofBefore.laneColumns != 1 || ofBefore.groupN != 2 ||
      ofBefore.groupM != ofLast.groupM ||
      ofBefore.registerM != ofLast.registerM)
    return false;
  // Each position is of the same element.
  auto isSame = [&](const std::vector<TileDim> &before,
                    const std::vector<TileDim> &last) {
    return std::equal(before.begin(), before.end(), last.begin(), last.end(),
                      [&](const TileDim &one, const TileDim &other) {
                        return one.tile == other.tile &&
                               std::find(edge.indices.begin(),
                                         edge.indices.end(),
                                         std::pair(one.index, other.index)) !=
                                   edge.indices.end();
                      });
  };
  return isSame(ofBefore.m, ofLast.m) && isSame(ofBefore.n, ofLast.k);
}

ChainPlaces
tc::model::placeChain(const std::vector<const KernelLayout *> &layouts,
                      const Contraction &last, const IndexedEdge &edge) {
  ChainPlaces places;
  const KernelLayout &ofLast = *layouts.back();
  bool hasSteps = isStepped(ofLast, edge);
  int64_t carried = ofLast.registerM * ofLast.registerN *
                    byteWidth(last.accumulatorType) / registerBytes;
  for (const KernelLayout *layout : layouts)
    places.registers = std::max(
        places.registers,
        layout->registers + (hasSteps && layout != &ofLast ? carried : 0));
  if (!hasSteps) {
    for (const KernelLayout *layout : layouts)
      places.bytes = std::max(places.bytes, layout->sharedBytes);
    return places;
  }
  for (const KernelLayout *layout : layouts)
    if (layout != &ofLast)
      places.lastOffset = std::max(places.lastOffset, layout->sharedBytes);
  const KernelLayout &ofBefore = **(layouts.end() - 2);
  if (staysInRegisters(ofBefore, ofLast, edge)) {
    places.lastOffset =
        std::max<int64_t>(0, places.lastOffset - ofLast.tileBOffsetBytes);
    places.registers = std::max(
        places.registers,
        ofLast.registers + ofBefore.registerM * ofBefore.registerN *
                               byteWidth(ofLast.a.elementType) / registerBytes);
  }
  places.statisticsOffset = places.lastOffset + ofLast.bufferBytes;
  places.bytes = places.statisticsOffset;
  if (takesSoftmax(edge))
    places.bytes += softmaxRows(ofBefore, last, edge.indices).count() *
                    byteWidth(last.accumulatorType);
  return places;
}

int64_t tc::model::sharedTileStride(const KernelLayout &ofSecond, Tensor sink,
                                    unsigned index) {
  const TiledCopy &copy = sink == Tensor::A ? ofSecond.a : ofSecond.b;
  for (const TileDim &dim : sink == Tensor::A ? ofSecond.m : ofSecond.n)
    if (dim.index == index)
      return copy.sharedTileStride(dim, /*isOfK=*/false);
  for (const TileDim &dim : ofSecond.k)
    if (dim.index == index)
      return copy.sharedTileStride(dim, /*isOfK=*/true);
  return 0;
}
