//===- Passes.h - From contractions to linalg -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constructor and registration of --convert-tc-to-linalg.
//
//===----------------------------------------------------------------------===//

#ifndef TC_CONVERSION_TCTOLINALG_PASSES_H
#define TC_CONVERSION_TCTOLINALG_PASSES_H

#include "mlir/Pass/Pass.h"

namespace tc {

#define GEN_PASS_DECL
#include "tc/Conversion/TCToLinalg/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "tc/Conversion/TCToLinalg/Passes.h.inc"

} // namespace tc

#endif // TC_CONVERSION_TCTOLINALG_PASSES_H
