//===- FusedCodeText.h - Fused code as expressions --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The texts (tc/Problem/Expression.h) of a contraction's regions.
//
//===----------------------------------------------------------------------===//

#ifndef TC_ANALYSIS_FUSEDCODETEXT_H
#define TC_ANALYSIS_FUSEDCODETEXT_H

#include "tc/Support/MLIR/LLVM.h"

#include <string>

namespace tc {

class ContractOp;

/// The texts of the prologues, of a user-defined semiring and of the epilogue,
/// empty where there is none. What is accumulated is in that of the epilogue.
struct FusedCodeTexts {
  std::string prologueA, prologueB, product, combine, epilogue;
};

/// The name of an auxiliary tensor in texts: s0, s1 and so on.
std::string nameOfAuxiliary(size_t number);

/// Expressions that compute what the regions do, conversions between
/// floating-point types aside. If there is none for a region, `report` gets
/// the operation that is to blame and why.
FailureOr<FusedCodeTexts>
describeFusedCode(ContractOp op,
                  llvm::function_ref<void(Operation *, StringRef)> report);

} // namespace tc

#endif // TC_ANALYSIS_FUSEDCODETEXT_H
