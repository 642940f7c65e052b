//===- Problem.h - What a caller wants to have compiled ---------*- C++ -*-===//
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

/// A tensor with one label a dimension; all in elements.
struct ProblemTensor {
  model::ElementType type = model::ElementType::F64;
  std::vector<std::string> labels;
  std::vector<int64_t> extents, strides;
  /// From the element at the least address to the one whose coordinates are
  /// zero.
  int64_t offset = 0;

  bool isEmpty() const;
  /// The position of an element, whose coordinates are those of labels.
  int64_t positionOf(const std::vector<std::string> &ofLabels,
                     const std::vector<int64_t> &coordinates) const;
};

/// A contraction that the caller describes, checked.
struct Problem {
  /// With one operand, B is a scalar that nobody gives.
  unsigned operands = 2;
  model::PerTensor<ProblemTensor> tensors;
  model::ElementType scalarType = model::ElementType::F64;
  model::Semiring semiring = model::Semiring::PlusTimes;
  /// Numbers that change nothing are absent.
  Factor alpha, beta;
  bool conjugatesA = false, conjugatesB = false;
  bool allowsThreeProducts = false;
  notation::FusedExpressions fused;
  /// The side tensors, in the order of the epilogue.
  std::vector<ProblemTensor> sides;
  /// The semiring's one, as an element of the operands, or the number of that
  /// type which is nearest to it: the B of one operand.
  alignas(16) std::array<char, 16> one = {};
};

/// Checks ranks, extents, strides and types. Errors name the operand, the
/// dimension and the index.
Result<Problem> makeProblem(const char *spec, const TcTensor *tensors,
                            const TcOptions &options);

/// The problem as a function in MLIR, which takes pointers to the elements at
/// the least addresses, then alpha and beta if they are arguments.
Result<std::string> writeModule(const Problem &problem,
                                const TcOptions &options);

/// The place in locations and messages that stands for the specification.
inline constexpr const char *specName = "spec";

} // namespace tc::capi

#endif // TC_LIB_CAPI_PROBLEM_H
