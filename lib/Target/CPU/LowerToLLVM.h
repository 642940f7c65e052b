//===- LowerToLLVM.h - From loops and vectors to the LLVM dialect -*- C++ -*-=//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TARGET_CPU_LOWERTOLLVM_H
#define TC_LIB_TARGET_CPU_LOWERTOLLVM_H

#include "tc/Support/MLIR/LLVM.h"

namespace llvm {
class TargetMachine;
} // namespace llvm

namespace tc {

/// Lowers a module of functions on buffers to the LLVM dialect, for a machine.
/// Tensors are passed as pointers. Functions that nobody needs are dropped.
/// Innermost loops carry positions if asked to (CarryPositions.h).
LogicalResult lowerToLLVM(ModuleOp module, const llvm::TargetMachine &machine,
                          bool carriesPositions);

} // namespace tc

#endif // TC_LIB_TARGET_CPU_LOWERTOLLVM_H
