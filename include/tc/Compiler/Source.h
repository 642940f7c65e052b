//===- Source.h - MLIR of what there is to compile --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_COMPILER_SOURCE_H
#define TC_COMPILER_SOURCE_H

#include "tc/OnDemand/Source.h"
#include "tc/Support/MLIR/LLVM.h"
#include "tc/Support/Result.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace tc {

/// Makes MLIR of a source, in which contractions in linalg and elementwise code
/// beside contractions have become what the tc dialect has for them. Errors
/// name the place in the text.
Result<mlir::OwningOpRef<ModuleOp>> makeModule(MLIRContext &context,
                                               const Source &source);

/// The same of a program, in which numbers stand for extents that are unknown;
/// the function's attribute `runExtentsAttrName` says which.
Result<mlir::OwningOpRef<ModuleOp>> makeClosedModule(MLIRContext &context,
                                                     const Source &source);

/// Text on work in linalg beside contractions that were run, for a report, as
/// in "'linalg.softmax' at layer.mlir:9:8 is no contraction: it is not run";
/// nothing if there is none.
std::string describeWorkInLinalg(ModuleOp module);

} // namespace tc

#endif // TC_COMPILER_SOURCE_H
