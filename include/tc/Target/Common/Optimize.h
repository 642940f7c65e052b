//===- Optimize.h - Optimisation of scheduled code --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of making code that GPUs and CPUs share.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TARGET_COMMON_OPTIMIZE_H
#define TC_TARGET_COMMON_OPTIMIZE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class Module;
class PassBuilder;
class TargetMachine;
} // namespace llvm

namespace tc {

/// Runs passes with the analyses that a builder knows.
void runPasses(llvm::Module &module, llvm::PassBuilder &builder,
               llvm::ModulePassManager passes);

/// Runs LLVM's pipeline of -O2 without unrolling or vectorising: the lowering
/// has done what the schedule asks for. `leftOut` holds the class names of
/// optional passes to leave out.
void optimizeScheduled(llvm::Module &module, llvm::TargetMachine &machine,
                       llvm::ArrayRef<llvm::StringRef> leftOut);

} // namespace tc

#endif // TC_TARGET_COMMON_OPTIMIZE_H
