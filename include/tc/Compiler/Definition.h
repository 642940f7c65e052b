//===- Definition.h - Contractions as the checker sees them -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_COMPILER_DEFINITION_H
#define TC_COMPILER_DEFINITION_H

#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/OnDemand/LoadedProgram.h"

namespace tc {

/// Definitions of the contractions of a module, in order.
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
