//===- tc-translate.cpp - Into and out of MLIR ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Translates contraction notations to the tc dialect, and kernels to PTX and
// cubins.
//
//===----------------------------------------------------------------------===//

#include "tc/Import/ImportToTC.h"
#include "tc/Target/CPU/CPUTranslations.h"
#include "tc/Target/PTX/PTXExport.h"

#include "mlir/Support/LogicalResult.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"

int main(int argc, char **argv) {
  tc::registerImportTranslations();
  tc::registerTCToObjectTranslations();
  tc::registerTCToPTXTranslations();
  return failed(mlir::mlirTranslateMain(argc, argv, "tc translation driver"));
}
