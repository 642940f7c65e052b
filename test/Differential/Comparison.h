//===- Comparison.h - A target's results against the oracle's ---*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_DIFFERENTIAL_COMPARISON_H
#define TC_TEST_DIFFERENTIAL_COMPARISON_H

#include "Oracle.h"

#include "tc/Reference/Check.h"

namespace tc::differential {

/// The contents that a contraction has to leave in its operands.
class Comparison {
public:
  /// Interprets a contraction or a sum of several. `tensors` has the bytes of
  /// all operands, C the third of them.
  static Result<Comparison> make(ArrayRef<Term> terms,
                                 std::vector<std::vector<std::byte>> tensors);

  /// Compares all bytes of all tensors: elements of C with the oracle's
  /// results, within the bounds of docs/package.md; the others with their old
  /// values.
  Status
  compare(const std::vector<std::vector<std::byte>> &tensorsAfterwards) const;

private:
  Status compareElements(const std::vector<std::byte> &bytes) const;
  std::string nameOf(const ExpectedElement &element) const;

  std::vector<std::vector<std::byte>> initial;
  ExpectedResult expected;
  std::vector<std::string> labels;
  Type elementType;
  model::ElementType sums = model::ElementType::F64,
                     stored = model::ElementType::F64;
  runtime::ErrorBounds bounds;
};

} // namespace tc::differential

#endif // TC_TEST_DIFFERENTIAL_COMPARISON_H
