//===- SumExchange.h - Sums that several terms add to -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel may add several contractions up that have the same output: its
// terms. A block computes the same tile of C for all of them, one after the
// other, and stores it once. Each term has a layout of its own, for its M and N
// may be other indices of C. Where the next term's threads hold other elements,
// or in another order, the sums go through shared memory.
//
// There, they lie by their places in the tile of C, whose last index is the
// fastest. Words that a warp accesses at once may differ in any of the tile's
// indices, so each bit of a place that is not among those of the bank flips
// some of these: such ones that words of the same access are in banks of their
// own.
//
//===----------------------------------------------------------------------===//

#ifndef TC_GPU_LAYOUT_SUMEXCHANGE_H
#define TC_GPU_LAYOUT_SUMEXCHANGE_H

#include "tc/Gpu/Layout/KernelLayout.h"

namespace tc::model {

/// The tile's dimensions along the indices of C, in their order.
std::vector<TileDim> outputTile(const KernelLayout &layout);

/// The relation between the sums that two terms' layouts give to threads, for a
/// tile.
enum class SumOrder {
  Same,       ///< each thread has the same, in the same order
  Transposed, ///< each thread has the same, with M and N the other way around
  Other
};
SumOrder compareSums(const KernelLayout &first, const KernelLayout &second);

/// The difference that a step along each index of C makes to a sum's place.
std::vector<int64_t> placeStrides(const KernelLayout &layout);

/// The place of a thread's first sum.
int64_t firstPlace(const KernelLayout &layout, int64_t thread);

/// Places of sums whose layout is converted.
struct SumPlaces {
  /// Bits of a place that number the banks.
  int64_t bits = 0;
  /// Of each bit of a place: the bits of the bank that it flips. Zero of those
  /// that number the banks.
  std::vector<int64_t> flips;

  int64_t operator()(int64_t place) const;
};

/// Places such that threads which store or load at the same time, by the first
/// layout or by the second, are in other banks, if all tiles are powers of two;
/// else each bit flips that of its number modulo the bits of banks.
SumPlaces placeSums(const KernelLayout &from, const KernelLayout &to,
                    int64_t elementBytes);

/// Bytes of shared memory in which a tile's sums are converted.
int64_t exchangeBytes(const KernelLayout &layout, ElementType sumType);

/// Cycles of a multiprocessor for converting a block's sums to the layout of a
/// term that has them in other threads.
double conversionCycles(const KernelLayout &layout, ElementType sumType,
                        const Target &target);

/// An order in which to compute terms, as their numbers: the last one stays,
/// and those come one after another whose layouts give threads the same sums,
/// first those with equal factors.
std::vector<size_t> orderTerms(const std::vector<const KernelLayout *> &layouts,
                               const std::vector<double> &factors);

/// Checks that two terms can be added up in one kernel. Fails, naming the index
/// or figure, unless tiles along each index of C and the numbers of threads are
/// the same, and both are plainly mapped, with neither operand stationary nor K
/// split.
Status checkTerms(const Contraction &first, const KernelLayout &ofFirst,
                  const Contraction &second, const KernelLayout &ofSecond);

} // namespace tc::model

#endif // TC_GPU_LAYOUT_SUMEXCHANGE_H
