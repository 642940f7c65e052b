//===- Semirings.h - Sums and products of the oracle ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_DIFFERENTIAL_SEMIRINGS_H
#define TC_TEST_DIFFERENTIAL_SEMIRINGS_H

#include "Numbers.h"

#include "tc/Support/Result.h"

#include <functional>

namespace tc {
class ContractOp;
} // namespace tc

namespace tc::differential {

/// The operations in the places of addition and multiplication.
struct Arithmetic {
  using Binary = std::function<Number(const Number &, const Number &)>;

  Binary sum, product;
  Number zero, one;
  /// True if errors of terms add up, as they do in sums; where one term is
  /// chosen, that one's matters alone.
  bool accumulatesErrors = true;
  /// True if factors scale errors of what they multiply.
  bool scalesErrors = true;
};

/// The arithmetic of a contraction. Fails if the contraction's own regions have
/// operations that the oracle does not know.
Result<Arithmetic> arithmeticOf(ContractOp op);

} // namespace tc::differential

#endif // TC_TEST_DIFFERENTIAL_SEMIRINGS_H
