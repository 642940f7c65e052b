//===- HierarchyTiles.cpp - The tiles that a search tries -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Candidate extents along one index, and the chains that they form.
//
//===----------------------------------------------------------------------===//

#include "tc/Hierarchy/HierarchyTiles.h"

#include "tc/Support/Arithmetic.h"

#include <algorithm>

namespace tc::model {

namespace {

/// Every multiple of the unit is tried up to this one.
constexpr int64_t dense = 5;

/// The largest number that is tried as a divisor, which bounds the time for
/// long extents.
constexpr int64_t largestDivisor = 1 << 16;

/// Two factors that differ by less than a fifth are as good as one.
bool areClose(int64_t a, int64_t b) {
  return 5 * std::max(a, b) < 6 * std::min(a, b);
}

/// Numbers from one to `number`, each of which divides the next (but for the
/// last step), in steps of at most three: powers of two, or products of its
/// prime factors if there is none above three.
std::vector<int64_t> backbone(int64_t number) {
  std::vector<int64_t> factors = {1};
  int64_t rest = number;
  for (int64_t prime : {2, 3})
    for (; rest % prime == 0; rest /= prime)
      factors.push_back(factors.back() * prime);
  if (rest == 1)
    return factors;
  factors.clear();
  for (int64_t power = 1; power < number; power *= 2)
    factors.push_back(power);
  factors.push_back(number);
  return factors;
}

/// Extents of tiles along an index of that extent, ascending.
std::vector<int64_t> extentCandidates(int64_t extent, int64_t unit) {
  int64_t units = ceilDivide(extent, unit);
  std::vector<int64_t> factors = backbone(units), others;
  for (int64_t d = 2; d <= std::min(units / d, largestDivisor); ++d)
    if (units % d == 0) {
      others.push_back(d);
      others.push_back(units / d);
    }
  for (int64_t d = 1; d <= std::min(dense, units); ++d)
    others.push_back(d);
  std::sort(others.begin(), others.end());
  for (int64_t other : others)
    if (std::none_of(factors.begin(), factors.end(), [&](int64_t factor) {
          return other <= dense ? other == factor : areClose(other, factor);
        }))
      factors.push_back(other);
  std::sort(factors.begin(), factors.end());
  for (int64_t &factor : factors)
    factor = std::min(factor * unit, extent);
  return factors;
}

} // namespace

void RoleChain::apply(const Contraction &contraction, unsigned position,
                      std::vector<int64_t> &extents) const {
  const RoleTile &tile = tiles[position];
  for (unsigned i = 0; i < indices.size(); ++i)
    extents[indices[i]] = i < tile.filled
                              ? contraction.indices[indices[i]].extent
                          : i == tile.filled ? tile.extent
                                             : 1;
}

RoleChain makeChain(const Contraction &contraction, Role role,
                    int64_t registerExtent) {
  RoleChain chain;
  for (unsigned index : contraction.withRole(role))
    if (contraction.indices[index].extent > 1)
      chain.indices.push_back(index);
  auto stride = [&](unsigned index) {
    const PerTensor<int64_t> &strides = contraction.indices[index].stride;
    if (role != Role::K)
      return magnitude(strides[Tensor::C]);
    return magnitude(strides[Tensor::A] != 0 ? strides[Tensor::A]
                                             : strides[Tensor::B]);
  };
  std::sort(chain.indices.begin(), chain.indices.end(),
            [&](unsigned a, unsigned b) {
              return stride(a) != stride(b) ? stride(a) < stride(b) : a < b;
            });

  double whole = static_cast<double>(contraction.extent(role));
  if (chain.indices.empty())
    chain.tiles.push_back({});
  double filledElements = 1;
  for (unsigned i = 0; i < chain.indices.size(); ++i) {
    int64_t extent = contraction.indices[chain.indices[i]].extent;
    double others = whole / filledElements / static_cast<double>(extent);
    for (int64_t candidate :
         extentCandidates(extent, i == 0 ? registerExtent : 1)) {
      // One of the next index is all of this one.
      if (i > 0 && candidate == 1)
        continue;
      RoleTile tile;
      tile.filled = i;
      tile.extent = candidate;
      tile.elements = filledElements * static_cast<double>(candidate);
      tile.count = others * static_cast<double>(ceilDivide(extent, candidate));
      auto panels = [&](int64_t part) {
        return static_cast<double>(ceilDivide(
            static_cast<int64_t>(filledElements) * part, registerExtent));
      };
      tile.registerTiles = others * (static_cast<double>(extent / candidate) *
                                         panels(candidate) +
                                     panels(extent % candidate));
      chain.tiles.push_back(tile);
    }
    filledElements *= static_cast<double>(extent);
  }

  unsigned count = chain.tiles.size();
  auto isInside = [&](unsigned p, unsigned q) {
    const RoleTile &inner = chain.tiles[p], &outer = chain.tiles[q];
    if (inner.filled != outer.filled || p == q)
      return p <= q;
    return p < q &&
           (outer.extent % inner.extent == 0 ||
            outer.extent ==
                contraction.indices[chain.indices[outer.filled]].extent);
  };
  chain.inside.resize(count);
  chain.next.assign(count, std::vector<unsigned>(count, count));
  for (unsigned outer = 0; outer < count; ++outer)
    for (unsigned p = outer + 1; p-- > 0;) {
      if (!isInside(p, outer))
        continue;
      for (unsigned q : chain.inside[outer])
        if (isInside(p, q))
          chain.next[outer][p] = q;
      chain.inside[outer].push_back(p);
    }
  return chain;
}

} // namespace tc::model
