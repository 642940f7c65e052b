//===- OperandSums.h - Sums of one operand ahead of products ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An index that is summed, and that one operand has alone, multiplies the
// products with the other one. Summed over first, it costs a pass over its
// operand.
//
//===----------------------------------------------------------------------===//

#ifndef TC_PROGRAM_OPERANDSUMS_H
#define TC_PROGRAM_OPERANDSUMS_H

#include "tc/Problem/ContractionRecord.h"

#include <optional>

namespace tc::model {

/// A contraction in two or three: sums of operands, each the contraction of the
/// operand, A, and of a number, B, that is the semiring's one; and the product
/// of what is left.
struct OperandSums {
  PerTensor<std::optional<ContractionRecord>> sums;
  ContractionRecord product;
};

/// True if an operand may be summed before it is multiplied, and if that makes
/// products fewer: the other operand multiplies its elements several times.
bool hasOwnSums(const ContractionRecord &record, Tensor operand);

/// The same with the sums of those operands first, which have some. Sums have
/// the type of sums, those of real numbers a real one, and lie one behind the
/// other in the order of the operand's indices.
OperandSums sumFirst(const ContractionRecord &record,
                     const PerTensor<bool> &operands);

/// The ways to sum operands first, by what `hasOwnSums` says; none if no
/// operand has sums of its own.
std::vector<PerTensor<bool>> waysToSumFirst(const ContractionRecord &record);

} // namespace tc::model

#endif // TC_PROGRAM_OPERANDSUMS_H
