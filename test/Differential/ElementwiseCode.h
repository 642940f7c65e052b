//===- ElementwiseCode.h - Interpreting fused regions -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_DIFFERENTIAL_ELEMENTWISECODE_H
#define TC_TEST_DIFFERENTIAL_ELEMENTWISECODE_H

#include "Numbers.h"

#include "tc/Support/Result.h"

#include "mlir/IR/Region.h"

namespace tc::differential {

/// A region of a contraction, operation by operation, in exact arithmetic but
/// for conversions to narrower types.
class ElementwiseCode {
public:
  /// Computes the result of an operation from its operands.
  using Rule = Number (*)(Type resultType, ArrayRef<Number> operands);

  /// Fails, naming it, if there is an operation without a rule. With
  /// `storesResult`, a conversion of the yielded value is left to the
  /// comparison, which knows how far rounding may take it.
  static Result<ElementwiseCode> read(mlir::Region &region, bool storesResult);

  Number evaluate(ArrayRef<Number> arguments) const;

private:
  struct Step {
    Rule rule;
    Type type;
    SmallVector<unsigned> operands;
  };

  /// Values are numbered: constants, arguments, then results of steps.
  std::vector<Number> constants;
  std::vector<Step> steps;
  unsigned yielded = 0;
};

} // namespace tc::differential

#endif // TC_TEST_DIFFERENTIAL_ELEMENTWISECODE_H
