//===- Passes.h - Arithmetic on 8-bit floats --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constructor and registration of --tc-expand-float8.
//
//===----------------------------------------------------------------------===//

#ifndef TC_CONVERSION_EXPANDFLOAT8_PASSES_H
#define TC_CONVERSION_EXPANDFLOAT8_PASSES_H

#include "mlir/Pass/Pass.h"

namespace tc {

#define GEN_PASS_DECL
#include "tc/Conversion/ExpandFloat8/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "tc/Conversion/ExpandFloat8/Passes.h.inc"

} // namespace tc

#endif // TC_CONVERSION_EXPANDFLOAT8_PASSES_H
