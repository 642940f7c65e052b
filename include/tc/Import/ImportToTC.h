//===- ImportToTC.h - Parsed contractions to the tc dialect -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From the results of the notations' parsers to IR: a function per contraction,
// and one for all statements of a program.
//
//===----------------------------------------------------------------------===//

#ifndef TC_IMPORT_IMPORTTOTC_H
#define TC_IMPORT_IMPORTTOTC_H

#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/Import/ParsedProgram.h"
#include "tc/Support/MLIR/LLVM.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace tc {

struct ImportOptions {
  /// Name of the text, for locations.
  std::string source = "<input>";
  /// Functions on tensors, which return the result, rather than on memrefs,
  /// which overwrite it.
  bool useTensors = false;
  /// Functions on tensors that return the sum of all elements of the result.
  bool reduces = false;
};

/// A module with a function `@name(%A, %B, %C)` for each contraction, which
/// takes alpha and beta after these if they are arguments, and then the
/// auxiliary tensors. On memrefs, strides and offsets are those of the records;
/// tensors have none.
mlir::OwningOpRef<ModuleOp>
importContractions(MLIRContext *context,
                   ArrayRef<notation::ParsedContraction> contractions,
                   const ImportOptions &options);

/// A module with one function. On tensors, it takes the arguments of the
/// program and returns its results; on memrefs, it takes the results that are
/// no arguments behind these, and has temporaries of its own.
mlir::OwningOpRef<ModuleOp>
importProgram(MLIRContext *context, const notation::ParsedProgram &program,
              const ImportOptions &options);

/// Registers `--import-einsum`, `--import-tccg`, `--import-cogent`,
/// `--import-program` and `--import-octopi`, and the options that they share.
void registerImportTranslations();

} // namespace tc

#endif // TC_IMPORT_IMPORTTOTC_H
