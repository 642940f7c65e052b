//===- Input.h - Reading what the user names --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_TOOLS_TC_RUN_INPUT_H
#define TC_TOOLS_TC_RUN_INPUT_H

#include "CommandLine.h"

#include "tc/Import/ParsedContraction.h"
#include "tc/Support/LLVM.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace tc::run {

enum class InputKind { Notation, MLIR, Package };

/// What a specification or a file is, by its form or its extension.
Result<InputKind> kindOf(const std::string &input);

/// Fails if options are given that only a notation understands.
Status rejectNotationOptions(const Options &options);

/// What the user names, read and checked as far as that takes no MLIR.
struct InputText {
  /// The file, or "SPEC".
  std::string name;
  InputKind kind = InputKind::Notation;
  /// Of a notation, with the factors that the options give.
  std::vector<notation::ParsedContraction> contractions;
  /// Of an MLIR file.
  std::string text;
};

/// Reads a notation or MLIR.
Result<InputText> readInput(const Options &options, InputKind kind);

/// Makes MLIR of what was read.
Result<mlir::OwningOpRef<ModuleOp>> makeModule(MLIRContext &context,
                                               const InputText &input);

/// Both of these.
Result<mlir::OwningOpRef<ModuleOp>>
readModule(MLIRContext &context, const Options &options, InputKind kind);

} // namespace tc::run

#endif // TC_TOOLS_TC_RUN_INPUT_H
