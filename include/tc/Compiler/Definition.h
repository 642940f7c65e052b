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

/// What a tensor of a kernel holds before that runs, as far as the module says.
struct TensorSource {
  /// The kernel that has computed it, by its position.
  std::optional<int64_t> kernel;
  /// The number that all of its elements are.
  std::optional<model::Constant> number;
};

/// Of all tensors of a kernel, in the order of `runtime::tensorsOf`.
using TensorSources = std::vector<TensorSource>;

/// What the contractions of a module compute, in order.
struct Definitions {
  /// Operands and factors, with nothing decided about how to compute.
  std::vector<runtime::Kernel> kernels;
  /// Of each kernel.
  std::vector<TensorSources> sources;
  std::vector<EmptyContraction> empty;
};

/// Writes down what each contraction computes, or those of a `tc.fused`, for
/// after it is rewritten. Emits an error if an extent, a stride or an offset is
/// unknown.
FailureOr<Definitions> defineAll(ModuleOp module);

} // namespace tc

#endif // TC_COMPILER_DEFINITION_H
