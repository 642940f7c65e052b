//===- Slices.h - Parts of a product of many tensors ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A network may be computed part by part: with one block of an index after the
// other, temporaries are as long along it as the block. Parts along an index of
// the output write parts of it, those along a summed index add to it (Huang et
// al., "Classical Simulation of Quantum Supremacy Circuits", 2020; Gray and
// Kourtis, "Hyper-optimized tensor network contraction", Quantum 5, 410, 2021).
//
//===----------------------------------------------------------------------===//

#ifndef TC_PROGRAM_SLICES_H
#define TC_PROGRAM_SLICES_H

#include "tc/Program/Network.h"

namespace tc::model {

/// An index that is cut into parts of so many elements; the last may be
/// shorter.
struct Slice {
  /// Its position in `Network::indices`.
  unsigned index;
  /// From one to the extent.
  int64_t length;

  bool operator==(const Slice &other) const {
    return index == other.index && length == other.length;
  }
};

/// Each combination of parts is one slice of the network. Code runs through
/// those of the last index first.
using Slices = std::vector<Slice>;

/// The number of parts of an index, the last, shorter one included.
int64_t countParts(const Network &network, const Slice &slice);
/// Of all indices; infinite rather than wrong.
double countSlices(const Network &network, const Slices &slices);
/// The elements of the last part if it is shorter than the others, or zero.
int64_t raggedLength(const Network &network, const Slice &slice);

/// Indices with a shorter last part that the search chooses at most: of each,
/// there are twice as many kinds of slices, which are compiled apart.
inline constexpr unsigned mostRaggedIndices = 2;

/// Slices of a network at most: more take hours by the work for each of them
/// besides its products, however small these are. All who cut keep it.
inline constexpr int64_t mostSlices = int64_t(1) << 24;

/// Slices of the same extents.
struct SliceKind {
  Network network;
  double count;
};

/// All kinds; the first one has the largest extents, of whole parts.
std::vector<SliceKind> kindsOfSlices(const Network &network,
                                     const Slices &slices);

/// The first slice, none of whose extents another one exceeds.
Network firstSlice(const Network &network, const Slices &slices);

} // namespace tc::model

#endif // TC_PROGRAM_SLICES_H
