//===- Passes.h - From contractions to code for CPUs ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constructors and registration of the passes behind tc-cpu-pipeline.
//
//===----------------------------------------------------------------------===//

#ifndef TC_CONVERSION_TCTOCPU_PASSES_H
#define TC_CONVERSION_TCTOCPU_PASSES_H

#include "mlir/Pass/Pass.h"

namespace tc {

#define GEN_PASS_DECL
#include "tc/Conversion/TCToCPU/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "tc/Conversion/TCToCPU/Passes.h.inc"

} // namespace tc

#endif // TC_CONVERSION_TCTOCPU_PASSES_H
