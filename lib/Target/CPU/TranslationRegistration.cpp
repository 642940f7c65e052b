//===- TranslationRegistration.cpp - Native code in tc-translate ----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Target/CPU/CPUExport.h"
#include "tc/Target/CPU/CPUTranslations.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "tc/Dialect/TC/IR/TCDialect.h"
#include "llvm/Support/raw_ostream.h"

using namespace tc;

static void registerDialects(DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registry.insert<TCDialect>();
  registerCPUExportDialects(registry);
}

void tc::registerTCToObjectTranslations() {
  static mlir::TranslateFromMLIRRegistration object(
      "tc-to-object",
      "translate what tc-opt --tc-cpu-pipeline=outline made to an object file "
      "for this machine",
      [](ModuleOp module, raw_ostream &os) -> LogicalResult {
        // Refuses what has no function before anything is written.
        if (failed(makeCHeader(module)))
          return failure();
        FailureOr<CompiledObject> compiled = compileForHost(module);
        if (failed(compiled))
          return failure();
        os << compiled->object;
        return success();
      },
      registerDialects);
  static mlir::TranslateFromMLIRRegistration header(
      "tc-to-header",
      "translate the same to a C header that declares the object's functions",
      [](ModuleOp module, raw_ostream &os) -> LogicalResult {
        FailureOr<std::string> text = makeCHeader(module);
        if (failed(text))
          return failure();
        os << *text;
        return success();
      },
      registerDialects);
}
