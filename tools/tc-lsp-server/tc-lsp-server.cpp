//===- tc-lsp-server.cpp - The language server ----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Serves editors that work on MLIR files with the project's dialects in them.
//
//===----------------------------------------------------------------------===//

#include "../Version.h"

#include "tc/InitAll.h"

#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  tc::setVersionOf("tc-lsp-server");
  mlir::DialectRegistry registry;
  tc::registerAllTC(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
