//===- CPUTranslations.h - Object files and C headers -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_TARGET_CPU_CPUTRANSLATIONS_H
#define TC_TARGET_CPU_CPUTRANSLATIONS_H

#include "tc/Support/MLIR/LLVM.h"

#include <string>

namespace tc {

/// A C header that declares the functions that `tc-outline-contractions` made,
/// each with its computation and the places where its tensors' elements have to
/// lie. Emits an error and fails if there is none.
FailureOr<std::string> makeCHeader(ModuleOp module);

/// Registers --tc-to-object and --tc-to-header with tc-translate.
void registerTCToObjectTranslations();

} // namespace tc

#endif // TC_TARGET_CPU_CPUTRANSLATIONS_H
