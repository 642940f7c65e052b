//===- ScaleOutput.h - Contractions that multiply nothing -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code that the lowerings to all targets have in common: the factors of a
// contraction, and what is left of one that multiplies nothing.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TC_UTILS_SCALEOUTPUT_H
#define TC_DIALECT_TC_UTILS_SCALEOUTPUT_H

#include "tc/Dialect/TC/IR/TCOps.h"

namespace tc {

/// A scalar factor as a constant, null if it is only known at run time. One
/// that is absent has the value `absent`.
mlir::TypedAttr getConstantFactor(Value factor, mlir::TypedAttr absent);

/// A factor, or of a complex one the real part and the imaginary one, which is
/// null if it is the constant zero.
std::pair<Value, Value> splitFactor(OpBuilder &builder, Location loc,
                                    Value factor);

/// beta times an old element of C, in the type of the sums: the empty sum where
/// beta is absent or zero, even if the element is infinite or no number.
Value scaleOldElement(OpBuilder &builder, Location loc, ContractOp op,
                      Value element);

/// The maps of linalg from the dimensions of C to those of the auxiliary
/// tensors.
SmallVector<mlir::AffineMap> getAuxiliaryMaps(ContractOp op);

/// Replaces a contraction on buffers whose sums are empty by what is left of
/// it: C becomes the epilogue of beta * C, in place.
void scaleOutput(ContractOp op);

} // namespace tc

#endif // TC_DIALECT_TC_UTILS_SCALEOUTPUT_H
