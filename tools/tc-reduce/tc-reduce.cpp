//===- tc-reduce.cpp - The test case reducer ------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shrinks an MLIR file for as long as a given script finds it interesting.
//
//===----------------------------------------------------------------------===//

#include "../Version.h"

#include "tc/InitAll.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"

int main(int argc, char **argv) {
  tc::setVersionOf("tc-reduce");
  mlir::DialectRegistry registry;
  tc::registerAllTC(registry);
  tc::registerAllTCPasses();
  mlir::MLIRContext context(registry);
  return mlir::failed(mlir::mlirReduceMain(argc, argv, context));
}
