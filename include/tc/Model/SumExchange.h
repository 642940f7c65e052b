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
// indices, so the bank is the exclusive or of all digits of the place.
//
//===----------------------------------------------------------------------===//

#ifndef TC_MODEL_SUMEXCHANGE_H
#define TC_MODEL_SUMEXCHANGE_H

#include "tc/Model/KernelLayout.h"

namespace tc::model {

/// The tile's dimensions along the indices of C, in their order.
std::vector<TileDim> outputTile(const KernelLayout &layout);

/// How two terms' layouts give the sums of a tile to threads.
enum class SumOrder {
  Same,       ///< each thread has the same, in the same order
  Transposed, ///< each thread has the same, with M and N the other way around
  Other
};
SumOrder compareSums(const KernelLayout &first, const KernelLayout &second);

/// Bits of a place that number the words of that many bytes in which banks do
/// not meet.
int64_t bankBits(int64_t elementBytes);

/// Where the sum of that place lies: its low `bits` bits become their exclusive
/// or with all other groups of as many.
int64_t exchangePlace(int64_t place, int64_t bits);

/// Bytes of shared memory in which a tile's sums change hands.
int64_t exchangeBytes(const KernelLayout &layout, ElementType sumType);

/// Cycles of a multiprocessor for handing a block's sums over to a term whose
/// layout gives them to other threads.
double handOverCycles(const KernelLayout &layout, ElementType sumType,
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

#endif // TC_MODEL_SUMEXCHANGE_H
