//===- ImportToTC.h - Parsed contractions to the tc dialect -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From what the parsers of notations return to IR: a function per contraction.
//
//===----------------------------------------------------------------------===//

#ifndef TC_IMPORT_IMPORTTOTC_H
#define TC_IMPORT_IMPORTTOTC_H

#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/Import/ParsedContraction.h"
#include "tc/Support/LLVM.h"

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

/// A module with a function `@name(%A, %B, %C)` for each contraction. Index
/// lists are in MLIR's order, whatever the layout of the notation, and alpha
/// and beta are constants of C's element type where they are not the defaults.
mlir::OwningOpRef<ModuleOp>
importContractions(MLIRContext *context,
                   ArrayRef<notation::ParsedContraction> contractions,
                   const ImportOptions &options);

/// Replaces a contraction that has no regions and no side tensors by one with
/// prologues, a semiring, in which a constant beta of one means to combine sums
/// with C, and an epilogue, which reads those side tensors.
ContractOp addFusedCode(OpBuilder &builder, ContractOp op,
                        const notation::FusedExpressions &fused,
                        mlir::ValueRange sides = {},
                        ArrayRef<Attribute> sideIndices = {});

/// Registers `--import-einsum`, `--import-tccg` and `--import-cogent`, and the
/// options that they share.
void registerImportTranslations();

} // namespace tc

#endif // TC_IMPORT_IMPORTTOTC_H
