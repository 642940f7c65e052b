//===- SharedTileLayout.cpp - Shared tiles in shared memory ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fragments: the neighbours along a side and along K that a thread holds and
// loads together, which follow from how both shared tiles lie.
//
//===----------------------------------------------------------------------===//

#include "tc/Gpu/Layout/SharedTileLayout.h"

#include "RegisterEstimate.h"
#include "tc/Gpu/Layout/LayoutSteps.h"

#include "tc/Problem/ComplexParts.h"
#include "tc/Problem/Semiring.h"
#include "tc/Support/Arithmetic.h"

#include <algorithm>
#include <numeric>

namespace tc::model {

namespace {

/// The largest power of two up to `limit` that divides all of `numbers`.
int64_t commonPowerOfTwo(int64_t limit,
                         std::initializer_list<int64_t> numbers) {
  int64_t power = 1;
  auto dividesAll = [&](int64_t p) {
    return std::all_of(numbers.begin(), numbers.end(),
                       [&](int64_t number) { return number % p == 0; });
  };
  while (power * 2 <= limit && dividesAll(power * 2))
    power *= 2;
  return power;
}

/// Neighbours of an instruction's factor, rows or values of k, that one load
/// has where factors are multiplied in the registers that they are loaded to.
constexpr int64_t mostAsLoaded = 2;

/// Returns true if factors are multiplied as they are loaded: those of f64, and
/// of TF32, which are rounded in place. Others are loaded as matrices, split or
/// packed on the way, which puts them where they belong. Terms of a sum load
/// them as their groups allow.
bool areMultipliedAsLoaded(const Contraction &contraction,
                           const KernelLayout &layout) {
  return layout.isCollective() && !contraction.isTerm &&
         (contraction.factorType == ElementType::F64 ||
          contraction.precision == Precision::TF32);
}

/// Returns true if the factors that one load of several brings may be
/// multiplied as they lie in registers; see KernelLayout.
bool fitsRegisters(const Contraction &contraction, const KernelLayout &layout,
                   bool ofN) {
  if (!areMultipliedAsLoaded(contraction, layout))
    return true;
  const MultiplyAtom &atom = layout.atom();
  bool alongK = (ofN ? layout.b : layout.a).alongK;
  if (layout.hasColumns(ofN))
    return alongK || atom.laneDepth() == 1;
  return !alongK || atom.sumRows() == 1;
}

/// Values of k that a thread holds fragments for at once; see KernelLayout.
int64_t laneDepthOf(const Contraction &contraction,
                    const KernelLayout &layout) {
  if (!layout.isCollective()) {
    int64_t depth = 1;
    for (const TiledCopy *tiledCopy : {&layout.a, &layout.b})
      if (tiledCopy->alongK)
        depth = std::max(depth,
                         commonPowerOfTwo(elementsPerSharedAccess(*tiledCopy),
                                          {layout.blockK}));
    return depth;
  }
  int64_t least = layout.atom().laneDepth();
  if (layout.loadsMatrices())
    return least;
  // Deeper than two, lanes that load single elements conflict in banks.
  bool together = layout.a.alongK && layout.b.alongK;
  int64_t widest = together ? elementsPerSharedAccess(layout.a) : 2;
  if (areMultipliedAsLoaded(contraction, layout)) {
    least = 1;
    widest = mostAsLoaded;
    // Deeper than one if single elements are along K, or nothing gains by it.
    bool anyAlongK = false, allFit = true;
    for (bool ofN : {false, true})
      if ((ofN ? layout.b : layout.a).alongK) {
        anyAlongK = true;
        allFit &= fitsRegisters(contraction, layout, ofN);
      }
    if (!anyAlongK || !allFit)
      return least;
  }
  return std::max(
      least,
      commonPowerOfTwo(widest, {layout.blockK / layout.atom().lanes.columns}));
}

int64_t fragmentWidthOf(const Contraction &contraction,
                        const KernelLayout &layout, const TiledCopy &tiledCopy,
                        bool ofN) {
  if (!fitsRegisters(contraction, layout, ofN))
    return 1;
  if (tiledCopy.alongK)
    return std::min(elementsPerSharedAccess(tiledCopy), layout.laneDepth);
  if (layout.hasColumns(ofN))
    return layout.laneColumns;
  return ofN ? layout.groupN : layout.groupM;
}

/// Works out which neighbours threads hold and load together.
void arrangeFragments(const Contraction &contraction, KernelLayout &layout) {
  groupPositions(contraction, layout);
  layout.laneDepth = laneDepthOf(contraction, layout);
  for (bool ofN : {false, true}) {
    TiledCopy &tiledCopy = ofN ? layout.b : layout.a;
    tiledCopy.fragmentWidth =
        fragmentWidthOf(contraction, layout, tiledCopy, ofN);
  }
}

/// Values of k for which `countLoads` counts, a whole number in all layouts.
constexpr int64_t depthOfLoads = 2 * mostAsLoaded * warpLanes.columns;

/// The loads of fragments of a thread for so many values of k, where factors
/// are multiplied as loaded.
int64_t countLoads(const KernelLayout &layout) {
  int64_t loads = 0;
  for (bool ofN : {false, true}) {
    const TiledCopy &tiledCopy = ofN ? layout.b : layout.a;
    // A lane has two accumulators for each column that it loads.
    int64_t registers = (ofN ? layout.registerN : layout.registerM) *
                        (layout.hasColumns(ofN) ? 1 : 2);
    loads += registers * mostAsLoaded / tiledCopy.fragmentWidth;
  }
  return loads;
}

/// Puts the rows of matrix instructions along the other side if that takes
/// fewer loads and moves.
void chooseRows(const Contraction &contraction, KernelLayout &layout) {
  auto count = [&] {
    int64_t depth = saturatingMultiply(layout.blockK, tileCount(layout.k));
    return saturatingAdd(saturatingMultiply(countLoads(layout), depth) /
                             depthOfLoads,
                         countMoves(contraction, layout));
  };
  int64_t before = count();
  layout.lanesAlongN = !layout.lanesAlongN;
  arrangeFragments(contraction, layout);
  if (count() < before)
    return;
  layout.lanesAlongN = !layout.lanesAlongN;
  arrangeFragments(contraction, layout);
}

} // namespace

Fill sharedTileFill(const Contraction &contraction, Tensor tensor) {
  if (contraction.semiring == Semiring::UserDefined) {
    const auto &padding = contraction.userSemiring.padding;
    return padding ? (*padding)[tensor] : Fill::Zero;
  }
  Combine combine = combineOf(contraction.semiring);
  if (combine != Combine::Max && combine != Combine::Min)
    return Fill::Zero;
  bool isMax = combine == Combine::Max;
  if (tensor == Tensor::A)
    return isMax ? Fill::Least : Fill::Greatest;
  // The ends of a narrow range are not those of the sums: 1 and 0 leave them
  // where they are, but products of other factors lie beyond.
  bool isNarrow = !hasInfinity(contraction.factorType) &&
                  contraction.factorType != contraction.accumulatorType;
  switch (productOf(contraction.semiring)) {
  case Product::Multiply:
    return isNarrow ? Fill::Greatest : Fill::One;
  case Product::Add:
    if (isNarrow)
      return isMax ? Fill::Least : Fill::Greatest;
    return Fill::Zero;
  case Product::And:
  case Product::Max:
  case Product::Min:
    return Fill::Zero;
  }
  return Fill::Zero;
}

bool masksProducts(const Contraction &contraction, const KernelLayout &layout) {
  return contraction.semiring == Semiring::UserDefined &&
         !contraction.userSemiring.padding &&
         std::any_of(layout.k.begin(), layout.k.end(),
                     [](const TileDim &dim) { return dim.ragged(); });
}

bool arrivesAsIs(const Contraction &contraction, Tensor tensor,
                 Instruction instruction) {
  return !contraction.mapsElements(tensor) &&
         sharedTileTypeOf(contraction, instruction) == contraction.factorType;
}

TileDim splitOff(TileDim &dim, int64_t count) {
  TileDim first = dim;
  first.tile = count;
  dim.tile /= count;
  dim.sharedTileStride *= count;
  dim.step *= count;
  return first;
}

const TileDim *fastestInSharedTile(const std::vector<TileDim> &dims) {
  for (auto dim = dims.rbegin(); dim != dims.rend(); ++dim)
    if (dim->tile > 1)
      return &*dim;
  return nullptr;
}

int64_t countMoves(const Contraction &contraction, const KernelLayout &layout) {
  const TileDim *fastest =
      fastestInSharedTile(layout.storesAlongN ? layout.n : layout.m);
  bool areAdjacent =
      layout.hasColumns(layout.storesAlongN) && layout.laneColumns == 1;
  // Elements that are converted move on their way.
  bool areStoredAsSummed =
      contraction.elementType[Tensor::C] == contraction.accumulatorType;
  if (!layout.isCollective() || !areStoredAsSummed || areAdjacent || !fastest ||
      contraction.reducesC ||
      accessWidth(contraction, Tensor::C, *fastest, mostAsLoaded) == 1)
    return 0;
  return layout.registerM * layout.registerN *
         byteWidth(contraction.accumulatorType) / registerBytes;
}

int64_t accessWidth(const Contraction &contraction, Tensor tensor,
                    const TileDim &dim, int64_t limit) {
  if (dim.tile == 1 || contraction.indices[dim.index].stride[tensor] != 1)
    return 1;
  // Parts of complex numbers are two, and their strides and offsets even,
  // whatever the launch says.
  auto multipleOf = [&](int64_t number) {
    return isPart(contraction, dim.index) && contraction.runTime
               ? std::gcd(number, std::lcm(contraction.runTime->multiples,
                                           partsOfNumber))
               : contraction.multipleOf(number);
  };
  int64_t width = commonPowerOfTwo(
      limit, {dim.tile, multipleOf(contraction.indices[dim.index].extent),
              multipleOf(contraction.offset[tensor]),
              contraction.baseAlignment[tensor]});
  for (unsigned i = 0; i < contraction.indices.size(); ++i) {
    const Index &other = contraction.indices[i];
    if (i != dim.index && (other.extent > 1 || contraction.runTime))
      width = commonPowerOfTwo(width, {multipleOf(other.stride[tensor])});
  }
  return width;
}

void groupPositions(const Contraction &contraction, KernelLayout &layout) {
  for (bool ofN : {false, true}) {
    const TiledCopy &tiledCopy = ofN ? layout.b : layout.a;
    int64_t registers = ofN ? layout.registerN : layout.registerM;
    int64_t &group = ofN ? layout.groupN : layout.groupM;
    // Accumulators of two neighbouring columns are in one lane.
    bool ofColumns = layout.hasColumns(ofN);
    int64_t least = ofColumns ? layout.atom().sumColumns() : 1;
    int64_t together = 1;
    // Else a load has neighbours along K, and lanes neighbouring rows. Terms of
    // a sum have groups that do not depend on how shared tiles lie.
    bool areGrouped = contraction.isTerm
                          ? !layout.isCollective()
                          : !tiledCopy.alongK && !layout.loadsMatrices() &&
                                fitsRegisters(contraction, layout, ofN);
    if (areGrouped) {
      int64_t most =
          areMultipliedAsLoaded(contraction, layout)
              ? mostAsLoaded
              : sharedAccessBytes / byteWidth(contraction.accumulatorType);
      together = commonPowerOfTwo(most, {registers / least});
    }
    group = std::max(least, together);
    if (ofColumns)
      layout.laneColumns = together;
  }
}

void arrangeSharedTiles(const Contraction &contraction, KernelLayout &layout) {
  arrangeFragments(contraction, layout);
  if (areMultipliedAsLoaded(contraction, layout) &&
      mayTurn(contraction, layout))
    chooseRows(contraction, layout);
}

} // namespace tc::model
