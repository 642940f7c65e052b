//===- Definition.h - Contractions as the checker sees them -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_COMPILER_DEFINITION_H
#define TC_COMPILER_DEFINITION_H

#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/Package/Package.h"

#include <optional>
#include <string>
#include <vector>

namespace tc {

/// A contraction with an index of extent zero: C becomes beta * C, and no
/// kernel is launched for that.
struct EmptyContraction {
  /// The output with its indices, as in "C[i,j]", and the index at fault.
  std::string output, index;
};

/// The kernels before one whose results are its inputs, by their positions;
/// none of an input that is no result.
struct Producers {
  std::optional<int64_t> ofA, ofB;
};

/// What the contractions of a module compute, in order.
struct Definitions {
  /// Operands and factors, with nothing decided about how to compute.
  std::vector<runtime::Kernel> kernels;
  /// Of each kernel.
  std::vector<Producers> producers;
  std::vector<EmptyContraction> empty;
};

/// Writes down what each contraction computes, or those of a `tc.fused`, for
/// after it is rewritten. Emits an error if an extent, a stride or an offset is
/// unknown.
FailureOr<Definitions> defineAll(ModuleOp module);

} // namespace tc

#endif // TC_COMPILER_DEFINITION_H
