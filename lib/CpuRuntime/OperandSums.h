//===- OperandSums.h - Sums of one operand ahead of products ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An index that is summed, and that one operand has alone, multiplies all the
// products with the other one: `ij,kl->` has as many as both tensors' elements
// together, multiplied. Summed over first, it costs one pass over its operand.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CPURUNTIME_OPERANDSUMS_H
#define TC_LIB_CPURUNTIME_OPERANDSUMS_H

#include "tc/CpuRuntime/Contraction.h"

#include <array>
#include <memory>

namespace tc::cpu {

/// A plan of sums of operands, and of the product of what is left. It does not
/// change, and any number of threads may run it at once.
struct OperandSumsPlan {
  /// The sums of A and of B, if there are any, and their bytes.
  std::array<std::shared_ptr<const Contraction>, 2> sums;
  std::array<int64_t, 2> bytes = {};
  std::shared_ptr<const Contraction> product;
  model::ElementType accumulator = {};

  Contraction::Prediction prediction() const;

  /// Computes C, as `Contraction::run` does.
  [[nodiscard]] Outcome run(const void *a, const void *b, void *c,
                            const void *alpha, const void *beta) const;
};

/// The plan of a problem for so many threads at most; null if no operand has
/// sums of its own that multiply products, or an extent is zero.
std::shared_ptr<const OperandSumsPlan> planOperandSums(const Problem &problem,
                                                       unsigned threads);

/// The same of sums of one operand whose elements lie in another order than
/// those of C: sums lie as the operand does, and are moved to C at last. It
/// takes sums of 8 bits, too.
std::shared_ptr<const OperandSumsPlan>
planTransposedSums(const Problem &problem, unsigned threads);

} // namespace tc::cpu

#endif // TC_LIB_CPURUNTIME_OPERANDSUMS_H
