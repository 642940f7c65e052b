//===- SumExchange.cpp - Sums that several terms add to -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Model/SumExchange.h"

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
      isMatrixInstruction(first.instruction) !=
          isMatrixInstruction(second.instruction))
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

int64_t bankBits(int64_t elementBytes) {
  int64_t bits = 0;
  while (elementBytes << (bits + 1) <= bytesOfBanks)
    ++bits;
  return bits;
}

int64_t exchangePlace(int64_t place, int64_t bits) {
  int64_t folded = 0;
  for (int64_t rest = place >> bits; rest > 0; rest >>= bits)
    folded ^= rest;
  return place ^ (folded & ((int64_t(1) << bits) - 1));
}

int64_t exchangeBytes(const KernelLayout &layout, ElementType sumType) {
  return roundUp(
      saturatingMultiply(saturatingMultiply(layout.blockM, layout.blockN),
                         byteWidth(sumType)),
      bytesOfBanks);
}

double handOverCycles(const KernelLayout &layout, ElementType sumType,
                      const Target &target) {
  // A store and a load, and where some of them go.
  constexpr double instructions = 3;
  // Words meet in banks in half of the accesses.
  constexpr double conflicts = 1.5;
  auto sums = static_cast<double>(layout.blockM * layout.blockN);
  double issued = sums / target.warpSize * instructions /
                  static_cast<double>(target.warpInstructionsPerCycle);
  double moved = 2 * conflicts * sums *
                 static_cast<double>(byteWidth(sumType)) /
                 static_cast<double>(target.sharedBytesPerCycle);
  return std::max(issued, moved) + 3 * target.barrierCycles;
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
