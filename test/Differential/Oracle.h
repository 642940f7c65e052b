//===- Oracle.h - Interpreting the operation tc.contract --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An interpreter of the operation's description, term by term. Of the compiler
// it uses the operation's accessors and nothing else.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_DIFFERENTIAL_ORACLE_H
#define TC_TEST_DIFFERENTIAL_ORACLE_H

#include "Numbers.h"

#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/Support/Result.h"

#include <complex>
#include <vector>

namespace tc::differential {

/// The operands of a contraction.
struct Operands {
  /// The bytes of A, B, C and the auxiliaries, from their base pointers on.
  std::vector<std::vector<std::byte>> tensors;
  /// For factors that are no constants.
  std::complex<double> alpha = 1, beta = 0;
};

/// A contraction, alone or one of a sum.
struct Term {
  ContractOp op;
  Operands operands;
};

/// An element of C as it has to be.
struct ExpectedElement {
  std::vector<int64_t> coordinates;
  /// Elements between the base pointer and this one.
  int64_t position = 0;
  /// Before it is rounded to the type of C's elements, unless it is an integer.
  Number value;
  /// The measure of rounding errors: see docs/package.md, "Checking".
  long double magnitude = 0;
};

struct ExpectedResult {
  /// All elements of C.
  std::vector<ExpectedElement> elements;
  /// Real products that each of them adds up.
  int64_t sumLength = 1;
};

/// Computes a contraction of memrefs with known extents and strides, or several
/// that add up: each but the first has the result of the one before as its C
/// and a beta of one. Nothing is rounded on the way.
Result<ExpectedResult> interpret(ArrayRef<Term> terms);

} // namespace tc::differential

#endif // TC_TEST_DIFFERENTIAL_ORACLE_H
