//===- SumExchange.cpp - Sums that several terms add to -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Gpu/Layout/SumExchange.h"

#include "tc/Support/Arithmetic.h"

#include <algorithm>

namespace tc::model {

/// Bytes that shared memory moves at once, each bank a part of them.
static constexpr int64_t bytesOfBanks = 128;

std::vector<TileDim> outputTile(const KernelLayout &layout) {
  std::vector<TileDim> dims;
  for (const std::vector<TileDim> *list : {&layout.batch, &layout.m, &layout.n})
    dims.insert(dims.end(), list->begin(), list->end());
  std::sort(dims.begin(), dims.end(), [](const TileDim &x, const TileDim &y) {
    return x.index < y.index;
  });
  return dims;
}

SumOrder compareSums(const KernelLayout &first, const KernelLayout &second) {
  auto same = [](const std::vector<TileDim> &x, const std::vector<TileDim> &y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                      [](const TileDim &a, const TileDim &b) {
                        return a.index == b.index && a.tile == b.tile;
                      });
  };
  if (first.laneColumns != second.laneColumns ||
      first.isCollective() != second.isCollective())
    return SumOrder::Other;
  if (same(first.m, second.m) && same(first.n, second.n) &&
      first.registerM == second.registerM &&
      first.registerN == second.registerN && first.groupM == second.groupM &&
      first.groupN == second.groupN && first.lanesAlongN == second.lanesAlongN)
    return SumOrder::Same;
  if (same(first.m, second.n) && same(first.n, second.m) &&
      first.registerM == second.registerN &&
      first.registerN == second.registerM && first.groupM == second.groupN &&
      first.groupN == second.groupM && first.lanesAlongN != second.lanesAlongN)
    return SumOrder::Transposed;
  return SumOrder::Other;
}

std::vector<int64_t> placeStrides(const KernelLayout &layout) {
  std::vector<TileDim> tile = outputTile(layout);
  std::vector<int64_t> strides(tile.empty() ? 0 : tile.back().index + 1);
  int64_t stride = 1;
  for (size_t i = tile.size(); i-- > 0;) {
    strides[tile[i].index] = stride;
    stride *= tile[i].tile;
  }
  return strides;
}

int64_t firstPlace(const KernelLayout &layout, int64_t thread) {
  std::vector<int64_t> strides = placeStrides(layout);
  ThreadPosition position = positionOf(layout, thread);
  int64_t place = 0;
  for (auto [dims, first] : {std::pair(&layout.m, position.m * layout.groupM),
                             std::pair(&layout.n, position.n * layout.groupN)})
    for (const TileDim &dim : *dims)
      place += first / dim.sharedTileStride % dim.tile * strides[dim.index];
  return place;
}

int64_t SumPlaces::operator()(int64_t place) const {
  int64_t flipped = 0;
  for (size_t bit = 0; bit < flips.size(); ++bit)
    if (place >> bit & 1)
      flipped ^= flips[bit];
  return place ^ flipped;
}

namespace {

/// Finds the bits of the bank that each bit of a place shall flip. The
/// differences of place between lanes that differ in one bit of their numbers
/// are vectors over GF(2); lanes are in other banks if the banks' parts of
/// these are independent.
class BankChooser {
public:
  explicit BankChooser(SumPlaces &places) : places(places) {}

  /// Takes the lanes of another layout into account.
  void add(const KernelLayout &layout) {
    Lanes &lanes = all.emplace_back();
    lanes.banks.assign(size_t(1) << places.bits, false);
    lanes.banks[0] = true;
    for (int64_t bit = 0; bit < places.bits; ++bit) {
      int64_t lane = int64_t(1) << bit;
      if (lane < layout.threads)
        lanes.steps.push_back(firstPlace(layout, lane) ^ firstPlace(layout, 0));
    }
  }

  void run() {
    // Steps along the banks leave no choice.
    for (const Lanes &lanes : all)
      for (int64_t step : lanes.steps)
        if (step >> places.bits == 0)
          choose(step);
    for (size_t count = all.size(); count > 0; --count)
      for (const Lanes &lanes : all)
        for (int64_t step : lanes.steps)
          if (holdersOf(step) == count)
            choose(step);
  }

private:
  struct Lanes {
    std::vector<int64_t> steps;
    /// The banks that combinations of the steps so far lead to.
    std::vector<bool> banks;

    bool has(int64_t step) const {
      return std::find(steps.begin(), steps.end(), step) != steps.end();
    }
  };

  size_t holdersOf(int64_t step) const {
    return static_cast<size_t>(
        std::count_if(all.begin(), all.end(),
                      [&](const Lanes &lanes) { return lanes.has(step); }));
  }

  int64_t bankOf(int64_t step) const {
    return places(step) & ((int64_t(1) << places.bits) - 1);
  }

  /// Has a step lead to banks that none before leads to, if one of its bits is
  /// free yet.
  void choose(int64_t step) {
    if (std::find(done.begin(), done.end(), step) != done.end())
      return;
    done.push_back(step);
    size_t bit = static_cast<size_t>(places.bits);
    while (bit < places.flips.size() &&
           !(step >> bit & 1 && places.flips[bit] == 0))
      ++bit;
    auto isNew = [&] {
      return std::all_of(all.begin(), all.end(), [&](const Lanes &lanes) {
        return !lanes.has(step) ||
               !lanes.banks[static_cast<size_t>(bankOf(step))];
      });
    };
    if (bit < places.flips.size())
      for (int64_t flips = 1; flips < int64_t(1) << places.bits; ++flips) {
        places.flips[bit] = flips;
        if (isNew())
          break;
      }
    auto bank = static_cast<size_t>(bankOf(step));
    for (Lanes &lanes : all) {
      if (!lanes.has(step))
        continue;
      std::vector<bool> before = lanes.banks;
      for (size_t i = 0; i < before.size(); ++i)
        if (before[i])
          lanes.banks[i ^ bank] = true;
    }
  }

  SumPlaces &places;
  std::vector<Lanes> all;
  std::vector<int64_t> done;
};

} // namespace

SumPlaces placeSums(const KernelLayout &from, const KernelLayout &to,
                    int64_t elementBytes) {
  SumPlaces places;
  while (elementBytes << (places.bits + 1) <= bytesOfBanks)
    ++places.bits;
  bool isBinary = true;
  for (const TileDim &dim : outputTile(from))
    isBinary &= (dim.tile & (dim.tile - 1)) == 0;
  int64_t sums = from.blockM * from.blockN;
  while (int64_t(1) << places.flips.size() < sums)
    places.flips.push_back(0);
  if (isBinary) {
    BankChooser chooser(places);
    chooser.add(from);
    chooser.add(to);
    chooser.run();
    return places;
  }
  int64_t flipped = 0;
  for (size_t bit = static_cast<size_t>(places.bits); bit < places.flips.size();
       ++bit) {
    places.flips[bit] = int64_t(1) << flipped;
    flipped = flipped + 1 == places.bits ? 0 : flipped + 1;
  }
  return places;
}

int64_t exchangeBytes(const KernelLayout &layout, ElementType sumType) {
  return roundUp(
      saturatingMultiply(saturatingMultiply(layout.blockM, layout.blockN),
                         byteWidth(sumType)),
      bytesOfBanks);
}

double conversionCycles(const KernelLayout &layout, ElementType sumType,
                        const Target &target) {
  // A store and a load, and where some of them go.
  auto sums = static_cast<double>(layout.blockM * layout.blockN);
  double issued = sums / target.warpSize * target.costs.instructions.movedSum /
                  static_cast<double>(target.warpInstructionsPerCycle);
  double moved = 2 * sums * static_cast<double>(byteWidth(sumType)) /
                 static_cast<double>(target.sharedBytesPerCycle);
  return std::max(issued, moved) +
         target.costs.time.movedSumBarriers * target.barrierCycles;
}

std::vector<size_t> orderTerms(const std::vector<const KernelLayout *> &layouts,
                               const std::vector<double> &factors) {
  // The classes of layouts, from the last term's back to the first one's.
  std::vector<std::vector<size_t>> classes;
  for (size_t term = layouts.size(); term-- > 0;) {
    auto found = std::find_if(
        classes.begin(), classes.end(), [&](const std::vector<size_t> &some) {
          return compareSums(*layouts[some.front()], *layouts[term]) !=
                 SumOrder::Other;
        });
    if (found == classes.end())
      found = classes.insert(classes.end(), std::vector<size_t>());
    found->push_back(term);
  }
  // Backwards, as the terms before the last one follow from it.
  std::vector<size_t> order;
  double factor = factors.back();
  for (std::vector<size_t> &terms : classes)
    while (!terms.empty()) {
      auto next = std::find_if(terms.begin(), terms.end(), [&](size_t term) {
        return factors[term] == factor;
      });
      if (next == terms.end() || order.empty())
        next = terms.begin();
      factor = factors[*next];
      order.push_back(*next);
      terms.erase(next);
    }
  std::reverse(order.begin(), order.end());
  return order;
}

static Status checkMapping(const KernelLayout &layout) {
  if (layout.mapping.stationary != Stationary::Output)
    return Error{std::string(stringify(layout.mapping.stationary)) +
                 " is stationary, but sums of several terms stay in place"};
  if (layout.mapping.splitK > 1)
    return Error{"K is split over " + std::to_string(layout.mapping.splitK) +
                 " blocks, but sums of several terms must not be shared"};
  if (layout.threeProducts)
    return Error{
        "complex numbers are multiplied by three products, but sums of "
        "several terms must not be"};
  return {};
}

Status checkTerms(const Contraction &first, const KernelLayout &ofFirst,
                  const Contraction &second, const KernelLayout &ofSecond) {
  for (const KernelLayout *layout : {&ofFirst, &ofSecond})
    if (Status status = checkMapping(*layout); !status)
      return status;
  if (ofFirst.threads != ofSecond.threads)
    return Error{"a block has " + std::to_string(ofFirst.threads) +
                 " threads for one term of the sum and " +
                 std::to_string(ofSecond.threads) + " for another"};
  std::vector<TileDim> tile = outputTile(ofFirst), other = outputTile(ofSecond);
  if (tile.size() != other.size())
    return Error{"C has " + std::to_string(tile.size()) +
                 " indices in one term of the sum and " +
                 std::to_string(other.size()) + " in another"};
  for (size_t i = 0; i < tile.size(); ++i)
    if (tile[i].tile != other[i].tile || tile[i].extent != other[i].extent)
      return Error{
          "tile along C's index '" + first.indices[tile[i].index].label +
          "' is " + std::to_string(tile[i].tile) +
          " in one term of the sum, and " + std::to_string(other[i].tile) +
          " along '" + second.indices[other[i].index].label + "' in another"};
  return {};
}

} // namespace tc::model
