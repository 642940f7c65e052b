//===- ShapedPrograms.h - Programs that take their shape --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CONVERSION_TCTOCPU_SHAPEDPROGRAMS_H
#define TC_LIB_CONVERSION_TCTOCPU_SHAPEDPROGRAMS_H

#include "tc/Support/MLIR/LLVM.h"
#include "tc/Support/Result.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir {
class SymbolTable;
} // namespace mlir

namespace tc {

/// Returns true if some extent of a function's arguments is unknown.
bool takesUnknownShapes(mlir::func::FuncOp function);

/// Makes the function that runs all contractions of another one, on tensors
/// whose extents it takes, and the function that says how large its workspace
/// is. Fails, with the reason, if it does what such functions cannot.
Status makeShapedProgram(mlir::func::FuncOp original,
                         mlir::SymbolTable &symbols);

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOCPU_SHAPEDPROGRAMS_H
