//===- TraceProgram.h - Host code as a list of launches ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Host code around kernels, of which all extents are known, does the same in
// each run: it is followed once, and its launches, and their operands, are
// written down.
//
//===----------------------------------------------------------------------===//

#ifndef TC_HOSTCODE_TRACEPROGRAM_H
#define TC_HOSTCODE_TRACEPROGRAM_H

#include "tc/Package/Package.h"
#include "tc/Support/MLIR/LLVM.h"
#include "tc/Support/Result.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tc {

/// Tells of an operation whether it runs a kernel, and which.
using FindKernel = llvm::function_ref<std::optional<size_t>(mlir::Operation *)>;

/// The program that corresponds to a function lowered to buffers: launches of
/// kernels, and copies, in loops and conditions that are known. Operands of a
/// launch that are buffers are the kernel's tensors, in their order, and then
/// its workspace if it has one; those that are numbers are alpha and beta. Its
/// parameters are the arguments, then the results that are none of these, with
/// the names that tc/Dialect/TC/IR/ParameterNames.h speaks of. Results and
/// temporaries are the allocations of the function. The latter lie at multiples
/// of so many bytes, only as long as their contents are needed. Fails on
/// anything else, naming it.
Result<runtime::Program> traceProgram(
    mlir::func::FuncOp function, const std::vector<runtime::Kernel> &kernels,
    FindKernel findKernel,
    int64_t workspaceAlignment = runtime::Program().workspaceAlignment);

} // namespace tc

#endif // TC_HOSTCODE_TRACEPROGRAM_H
