//===- FusedCode.h - Operations in regions of contractions ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TC_IR_FUSEDCODE_H
#define TC_DIALECT_TC_IR_FUSEDCODE_H

#include "tc/Support/MLIR/LLVM.h"

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/Region.h"

namespace tc {

/// Returns true if a prologue or an epilogue may hold an operation: an
/// elementwise one or a constant, on numbers and without side effects.
bool isAllowedInRegion(Operation *op);

/// The number that a region of a contraction yields for these, null if its
/// operations do not say.
mlir::TypedAttr foldRegion(mlir::Region &region,
                           ArrayRef<mlir::TypedAttr> arguments);

} // namespace tc

#endif // TC_DIALECT_TC_IR_FUSEDCODE_H
