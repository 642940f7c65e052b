//===- Passes.h - Transforms of the tc dialect ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TC_TRANSFORMS_PASSES_H
#define TC_DIALECT_TC_TRANSFORMS_PASSES_H

#include "tc/Support/MLIR/LLVM.h"

#include "mlir/Pass/Pass.h"

namespace tc {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tc/Dialect/TC/Transforms/Passes.h.inc"

} // namespace tc

#endif // TC_DIALECT_TC_TRANSFORMS_PASSES_H
