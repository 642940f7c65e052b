//===- ScaleOutput.h - Contractions that multiply nothing -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the lowerings to all targets have in common: the factors of a
// contraction, and what is left of one that multiplies nothing.
//
//===----------------------------------------------------------------------===//

#ifndef TC_CONVERSION_SCALEOUTPUT_H
#define TC_CONVERSION_SCALEOUTPUT_H

#include "tc/Dialect/TC/IR/TCOps.h"

namespace tc {

/// A scalar factor as a constant, null if it is only known at run time. One
/// that is absent has the value `absent`.
FloatAttr getConstantFactor(Value factor, Type type, double absent);

/// A number in a wider or a narrower type of floats, itself if it has that
/// type.
Value widen(OpBuilder &builder, Location loc, Value number, Type type);
Value narrow(OpBuilder &builder, Location loc, Value number, Type type);

/// beta times an old element of C, in beta's type. It is zero where beta is,
/// even if the element is infinite or no number.
Value scaleOldElement(OpBuilder &builder, Location loc, Value beta,
                      Value element);

/// Replaces a contraction on buffers by C = beta * C, in place.
void scaleOutput(ContractOp op);

} // namespace tc

#endif // TC_CONVERSION_SCALEOUTPUT_H
