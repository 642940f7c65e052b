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
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

using namespace tc;

namespace {
/// Of llc, with its names.
struct TargetOptions {
  llvm::cl::opt<std::string> triple{
      "mtriple",
      llvm::cl::desc("With --tc-to-object: the triple of the machine to "
                     "compile for, as aarch64-linux-gnu; this one's by "
                     "default"),
      llvm::cl::value_desc("triple")};
  llvm::cl::opt<std::string> cpu{
      "mcpu",
      llvm::cl::desc("With --tc-to-object: LLVM's name of the CPU to compile "
                     "for; with neither this nor --mtriple, this machine's "
                     "with all that it can do"),
      llvm::cl::value_desc("cpu")};
  llvm::cl::opt<std::string> features{
      "mattr",
      llvm::cl::desc("With --mtriple or --mcpu: features that this CPU has, "
                     "too, or lacks, as in +fullfp16,-sve"),
      llvm::cl::value_desc("+a,-b,...")};
};
} // namespace

static TargetOptions &targetOptions() {
  static TargetOptions options;
  return options;
}

/// The target that the options ask for.
static FailureOr<CodeTarget> codeTarget(ModuleOp module) {
  const TargetOptions &options = targetOptions();
  CodeTarget target = hostCodeTarget();
  if (options.triple.empty() && options.cpu.empty()) {
    if (!options.features.empty())
      return mlir::emitError(module.getLoc(),
                             "option 'mattr' needs 'mtriple' or 'mcpu'");
    return target;
  }
  if (!options.triple.empty())
    target.triple = options.triple;
  target.cpu = options.cpu;
  target.features = options.features;
  return target;
}

static void registerDialects(DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registry.insert<TCDialect>();
  registerCPUExportDialects(registry);
}

void tc::registerTCToObjectTranslations() {
  targetOptions();
  static mlir::TranslateFromMLIRRegistration object(
      "tc-to-object",
      "translate what tc-opt --tc-cpu-pipeline=outline made to an object file "
      "for this machine or another one",
      [](ModuleOp module, raw_ostream &os) -> LogicalResult {
        // Refuses what has no function before anything is written.
        if (failed(makeCHeader(module)))
          return failure();
        FailureOr<CodeTarget> target = codeTarget(module);
        if (failed(target))
          return failure();
        FailureOr<CompiledObject> compiled = compileToObject(module, *target);
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
