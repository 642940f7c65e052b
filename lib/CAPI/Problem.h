//===- Problem.h - Description of a problem by its caller -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CAPI_PROBLEM_H
#define TC_LIB_CAPI_PROBLEM_H

#include "Options.h"

#include <array>

namespace tc::capi {

/// True if a tensor has no elements.
bool isEmpty(const model::TensorRecord &tensor);

/// The position of an element, whose coordinates are those of labels.
int64_t positionOf(const model::TensorRecord &tensor,
                   const std::vector<std::string> &labels,
                   const std::vector<int64_t> &coordinates);

/// A contraction that the caller describes, checked. The offset of a tensor is
/// that from the element at the least address, to which functions take
/// pointers. With one operand, B is a scalar that nobody gives.
struct Problem : notation::ParsedContraction {
  /// The type of alpha and beta.
  model::ElementType scalarType() const {
    return model::accumulatorTypeOf(record);
  }

  /// True if numbers beyond the range of an 8-bit float become its largest one.
  bool saturates = true;
  /// The semiring's one, as an element of the operands, or the number of that
  /// type which is nearest to it: the B of one operand.
  alignas(16) std::array<char, 16> one = {};
};

/// Checks ranks, extents, strides and types. Errors name the operand, the
/// dimension and the index.
Result<Problem> makeProblem(const char *spec, const TcTensor *tensors,
                            const TcOptions &options);

/// The place in locations and messages that stands for the specification.
inline constexpr const char *specName = "spec";

} // namespace tc::capi

#endif // TC_LIB_CAPI_PROBLEM_H
