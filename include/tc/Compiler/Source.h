//===- Source.h - What is compiled, before it is MLIR -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_COMPILER_SOURCE_H
#define TC_COMPILER_SOURCE_H

#include "tc/Import/ParsedProgram.h"
#include "tc/Support/MLIR/LLVM.h"
#include "tc/Support/Result.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace tc {

/// What there is to compile, read and checked as far as that takes no MLIR.
struct Source {
  /// Where the text is from, for messages: a file, or "SPEC".
  std::string name;
  /// Of a notation, with their factors.
  std::vector<notation::ParsedContraction> contractions;
  /// Of a notation with several statements.
  std::optional<notation::ParsedProgram> program;
  /// MLIR, if there is nothing of a notation.
  std::string text;
  /// Whether all elements of the contractions' results are added up.
  bool reduces = false;
};

/// Makes MLIR of it. Errors name the place in the text.
Result<mlir::OwningOpRef<ModuleOp>> makeModule(MLIRContext &context,
                                               const Source &source);

/// The same of a program, in which numbers stand for extents that are unknown;
/// the function's attribute `runExtentsAttrName` says which.
Result<mlir::OwningOpRef<ModuleOp>> makeClosedModule(MLIRContext &context,
                                                     const Source &source);

} // namespace tc

#endif // TC_COMPILER_SOURCE_H
