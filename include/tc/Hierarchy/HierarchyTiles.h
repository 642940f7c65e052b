//===- HierarchyTiles.h - The tiles that a search tries ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each role, a chain of tiles that contain one another, so that a position
// in the chain stands for an extent along every index of the role.
//
//===----------------------------------------------------------------------===//

#ifndef TC_HIERARCHY_HIERARCHYTILES_H
#define TC_HIERARCHY_HIERARCHYTILES_H

#include "tc/Hierarchy/Hierarchy.h"

namespace tc::model {

/// One tile of a role.
struct RoleTile {
  /// The tile takes the whole of the first `filled` indices in the chain's
  /// order, `extent` of the next and one of all others.
  unsigned filled = 0;
  int64_t extent = 1;
  /// Elements, and how many such tiles cover the role's indices.
  double elements = 1, count = 1;
  /// Register tiles that cover all of these tiles.
  double registerTiles = 1;
};

/// The tiles of one role, smallest first; the last is the whole.
struct RoleChain {
  /// Positions in Contraction::indices, in the order in which they are filled.
  std::vector<unsigned> indices;
  std::vector<RoleTile> tiles;
  /// For each tile, the positions of those that it is made of without a rest
  /// (or with one that an extent cuts off), largest first.
  std::vector<std::vector<unsigned>> inside;
  /// For each tile and each tile inside it, the least larger one in between
  /// that is made of the latter; beyond all positions if there is none.
  std::vector<std::vector<unsigned>> next;

  /// Sets the extents of the role's indices to those of a tile.
  void apply(const Contraction &contraction, unsigned position,
             std::vector<int64_t> &extents) const;
};

/// The chain of a role. Along an index stand one, the divisors of its extent,
/// the extent itself and, if it has a prime factor above three, powers of two;
/// along the first index, multiples of `registerExtent` by such factors
/// instead. Of divisors that differ by less than a fifth, one stays. The index
/// that is filled first has the least stride, in C for M and N, in A (or B) for
/// K.
RoleChain makeChain(const Contraction &contraction, Role role,
                    int64_t registerExtent);

} // namespace tc::model

#endif // TC_HIERARCHY_HIERARCHYTILES_H
