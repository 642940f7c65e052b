//===- OptimizeLoops.h - LLVM's passes for loops of contractions -*- C++ -*-==//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TARGET_CPU_OPTIMIZELOOPS_H
#define TC_LIB_TARGET_CPU_OPTIMIZELOOPS_H

#include "tc/Support/MLIR/LLVM.h"

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace tc {

/// Says of all sums, differences and products of indices in the functions of
/// contractions that they do not wrap: they are offsets in tensors and panels,
/// which memory holds, and numbers of trips. So LLVM knows that a multiple of a
/// loop's index grows with it, which its passes would else have to find out.
void markIndexArithmetic(ModuleOp module);

/// Runs the few of LLVM's passes that loops over packed panels need: the
/// lowering has unrolled, vectorised and fused as the schedule asks for. The
/// pipeline of -O2 makes no better ones of them, in three times the time.
void optimizeLoops(llvm::Module &module, llvm::TargetMachine &machine);

} // namespace tc

#endif // TC_LIB_TARGET_CPU_OPTIMIZELOOPS_H
