//===- TiledCopy.cpp - Copies of tiles to shared memory -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A shared tile's rows go along whichever of its side and K the operand's index
// of stride one is of, so that copies move as many neighbours as fragments
// want.
//
//===----------------------------------------------------------------------===//

#include "tc/Gpu/Layout/CopyThreads.h"
#include "tc/Gpu/Layout/SharedTileLayout.h"

#include "tc/Problem/ComplexParts.h"
#include "tc/Support/Arithmetic.h"

#include <algorithm>
#include <tuple>

namespace tc::model {

namespace {

/// Returns true if tiles along K leave the tensors.
bool leavesAlongK(const KernelLayout &layout) {
  return std::any_of(layout.k.begin(), layout.k.end(),
                     [](const TileDim &dim) { return dim.ragged(); });
}

/// Takes neighbours in the shared tile's rows, so many if tiles allow it, out
/// of the dimensions of a copy. Returns none if not.
std::vector<TileDim> takeNeighbours(std::vector<TileDim> &dims,
                                    const std::vector<TileDim> &side,
                                    int64_t count) {
  std::vector<TileDim> left = dims, taken;
  for (auto along = side.rbegin(); along != side.rend() && count > 1; ++along) {
    if (along->tile == 1)
      continue;
    auto dim = std::find_if(left.begin(), left.end(), [&](const TileDim &dim) {
      return dim.index == along->index;
    });
    if (dim == left.end())
      return {};
    if (count % dim->tile == 0) {
      count /= dim->tile;
      taken.push_back(*dim);
      left.erase(dim);
    } else if (dim->tile % count == 0 && dim->isDivisibleBy(count)) {
      taken.push_back(splitOff(*dim, count));
      count = 1;
    } else {
      return {};
    }
  }
  if (count > 1)
    return {};
  dims = std::move(left);
  return taken;
}

/// Splits the index of stride one at a sector, if all its tiles are whole ones,
/// and walks the shared tile's fastest dimension between the two parts. With
/// `runs` and if tiles allow it, the lanes of a warp that are served at a time
/// walk as long a run of neighbours as leaves the warp whole sectors.
void walkSectors(TiledCopy &tiledCopy, const std::vector<TileDim> &side,
                 bool runs, const Target &target) {
  const TileDim *fastest = fastestInSharedTile(side);
  TileDim inner = tiledCopy.order.front();
  int64_t bytes = byteWidth(tiledCopy.elementType);
  int64_t sector = target.sectorBytes / bytes;
  if (!fastest || sector > target.warpSize || inner.tile % sector != 0 ||
      !inner.isDivisibleBy(sector))
    return;
  std::vector<TileDim> rest(tiledCopy.order.begin() + 1, tiledCopy.order.end());
  int64_t sectors = target.warpSize / sector;
  int64_t served =
      std::min<int64_t>(target.warpSize, target.sharedBytesPerCycle / bytes);
  std::vector<TileDim> order;
  std::vector<TileDim> run;
  if (runs && served % sectors == 0 && sector % (served / sectors) == 0)
    run = takeNeighbours(rest, side, sectors);
  if (!run.empty()) {
    order.push_back(splitOff(inner, served / sectors));
    order.insert(order.end(), run.begin(), run.end());
    order.push_back(splitOff(inner, sector * sectors / served));
  } else {
    order.push_back(splitOff(inner, sector));
  }
  auto second = std::find_if(rest.begin(), rest.end(), [&](const TileDim &dim) {
    return dim.index == fastest->index;
  });
  if (second != rest.end()) {
    order.push_back(*second);
    rest.erase(second);
  }
  order.push_back(inner);
  order.insert(order.end(), rest.begin(), rest.end());
  tiledCopy.order = std::move(order);
}

/// Walks rows along K, of whole sectors, one after the other as they lie.
void walkRows(TiledCopy &tiledCopy, const std::vector<TileDim> &side,
              const Target &target) {
  const TileDim &front = tiledCopy.order.front();
  int64_t sector = target.sectorBytes / byteWidth(tiledCopy.elementType);
  if (front.tile % sector != 0 || front.extent % sector != 0)
    return;
  auto place = tiledCopy.order.begin() + 1;
  for (auto along = side.rbegin(); along != side.rend(); ++along) {
    auto dim =
        std::find_if(place, tiledCopy.order.end(), [&](const TileDim &dim) {
          return dim.index == along->index;
        });
    if (dim != tiledCopy.order.end())
      std::rotate(place++, dim, dim + 1);
  }
}

} // namespace

TiledCopy makeTiledCopy(const Contraction &contraction,
                        const KernelLayout &layout, bool ofN, bool runs,
                        const Target &target) {
  Tensor tensor = ofN ? Tensor::B : Tensor::A;
  const std::vector<TileDim> &side = ofN ? layout.n : layout.m;
  int64_t blockSide = ofN ? layout.blockN : layout.blockM;
  TiledCopy tiledCopy;
  tiledCopy.elementType = sharedTileTypeOf(contraction, layout.instruction);
  tiledCopy.fill = sharedTileFill(contraction, tensor);
  tiledCopy.order = side;
  for (const TileDim &dim : layout.k) {
    if (ofN && contraction.parts && contraction.parts->summed == dim.index)
      tiledCopy.matrixRows = dim;
    else
      tiledCopy.order.push_back(dim);
  }
  auto key = [&](const TileDim &dim) {
    int64_t stride = magnitude(contraction.indices[dim.index].stride[tensor]);
    return std::tuple(dim.tile == 1, stride == 0, stride, dim.index);
  };
  std::sort(
      tiledCopy.order.begin(), tiledCopy.order.end(),
      [&](const TileDim &a, const TileDim &b) { return key(a) < key(b); });
  auto elements = saturatingMultiply(layout.blockK, blockSide);
  if (tiledCopy.order.empty()) {
    tiledCopy.contiguousInSharedTile = true;
  } else {
    const TileDim &front = tiledCopy.order.front();
    auto leads = [&](const std::vector<TileDim> &dims) {
      const TileDim *fastest = fastestInSharedTile(dims);
      return fastest && fastest->index == front.index;
    };
    tiledCopy.alongK = leads(layout.k);
    tiledCopy.contiguousInSharedTile =
        front.tile == 1 || tiledCopy.alongK || leads(side);
    // No wider than fits one access, before and after a prologue.
    int64_t bytes = std::max(byteWidth(contraction.elementType[tensor]),
                             byteWidth(tiledCopy.elementType));
    tiledCopy.width = accessWidth(contraction, tensor, front,
                                  target.widestAccessBytes / bytes);
    // Elements that are not contiguous could only go one by one.
    int64_t together = tiledCopy.contiguousInSharedTile ? tiledCopy.width : 1;
    tiledCopy.instruction = chooseCopy(
        {together * bytes,
         arrivesAsIs(contraction, tensor, layout.instruction) &&
             (tiledCopy.fill == Fill::Zero || !leavesAlongK(layout))},
        target);
    if (!tiledCopy.passesRegisters())
      tiledCopy.width = std::min(together, tiledCopy.atom().bytes / bytes);
  }
  if (!tiledCopy.passesRegisters() && !tiledCopy.contiguousInSharedTile)
    walkSectors(tiledCopy, side, runs, target);
  if (runs && tiledCopy.alongK)
    walkRows(tiledCopy, side, target);
  tiledCopy.accesses = elements / tiledCopy.copiesOfAccess() / tiledCopy.width;
  if (!tiledCopy.passesRegisters() || tiledCopy.contiguousInSharedTile ||
      !gatherNeighbours(tiledCopy, side, layout.threads, target))
    chooseThreads(tiledCopy, layout.threads);
  tiledCopy.rows = tiledCopy.alongK ? blockSide : layout.blockK;
  tiledCopy.rowLength = roundUp(tiledCopy.alongK ? layout.blockK : blockSide,
                                elementsPerSharedAccess(tiledCopy));
  return tiledCopy;
}

} // namespace tc::model
