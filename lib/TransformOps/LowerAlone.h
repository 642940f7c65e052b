//===- LowerAlone.h - One contraction through a pipeline --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TRANSFORMOPS_LOWERALONE_H
#define TC_LIB_TRANSFORMOPS_LOWERALONE_H

#include "tc/Dialect/TC/IR/TCOps.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace tc {

/// Replaces a contraction on buffers by the output of a pipeline on modules for
/// it, as if the module that it stands in had nothing else. If that is a
/// kernel, it is put into that module, and the result is its launch, else null.
/// If the pipeline fails, it has emitted an error, and the contraction is as it
/// was.
FailureOr<mlir::gpu::LaunchFuncOp>
lowerAlone(RewriterBase &rewriter, ContractOp op,
           function_ref<void(mlir::OpPassManager &)> buildPipeline);

} // namespace tc

#endif // TC_LIB_TRANSFORMOPS_LOWERALONE_H
