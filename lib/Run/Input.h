//===- Input.h - Reading what the user names --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUN_INPUT_H
#define TC_LIB_RUN_INPUT_H

#include "tc/Run/Options.h"

#include "tc/Compiler/Source.h"

namespace tc::run {

enum class InputKind { Notation, MLIR, Package };

/// Kind of a specification or a file, by its form or its extension.
Result<InputKind> kindOf(const std::string &input);

/// Fails if options are given that only a notation understands.
Status rejectNotationOptions(const Options &options);

/// Reads a notation, whose factors are then those of the options, or MLIR.
Result<Source> readInput(const Options &options, InputKind kind);

/// The same, with the shapes that MLIR leaves open and options give.
Result<Source> readClosedInput(const Options &options, InputKind kind);

struct InputModule {
  mlir::OwningOpRef<ModuleOp> module;
  /// True if the shape of a tensor was open, and has been given.
  bool hadUnknownShapes = false;
};

/// Reads it and makes MLIR of it, for a GPU.
Result<InputModule> readModule(MLIRContext &context, const Options &options,
                               InputKind kind);

} // namespace tc::run

#endif // TC_LIB_RUN_INPUT_H
