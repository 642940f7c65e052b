//===- tc-opt.cpp - The optimizer driver ----------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs passes over MLIR: the project's and all of upstream's.
//
//===----------------------------------------------------------------------===//

#include "tc/InitAll.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tc::registerAllTC(registry);
  tc::registerAllTCPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "Optimizer of tensor contractions\n", registry));
}
