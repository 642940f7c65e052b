//===- Saturation.h - Numbers beyond 8-bit floats ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TC_IR_SATURATION_H
#define TC_DIALECT_TC_IR_SATURATION_H

#include "tc/Support/MLIR/LLVM.h"

#include "mlir/IR/BuiltinOps.h"

namespace tc {

/// An attribute of a module, in which numbers beyond the range of an 8-bit
/// float become an infinity, or NaN in f8E4M3FN, which has none. Without, they
/// become its largest number, as the instructions of GPUs make them.
inline constexpr llvm::StringLiteral nonsaturatingAttrName = "tc.nonsaturating";

/// Returns true if conversions to 8-bit floats where an operation is saturate.
inline bool saturates(Operation *op) {
  for (; op; op = op->getParentOp())
    if (op->hasAttr(nonsaturatingAttrName))
      return false;
  return true;
}

/// Lets conversions in a module saturate, or not.
inline void setSaturation(ModuleOp module, bool saturates) {
  if (!saturates)
    module->setAttr(nonsaturatingAttrName,
                    mlir::UnitAttr::get(module.getContext()));
}

} // namespace tc

#endif // TC_DIALECT_TC_IR_SATURATION_H
