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

#include "../Version.h"

#include "tc/InitAll.h"
#include "tc/Target/Common/TransformFile.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/InitLLVM.h"

/// Returns true if it asks for a plugin. The program has MLIR in it, so that a
/// plugin would bring a second one, whose passes and dialects the first one
/// does not know.
static bool loadsPlugin(llvm::StringRef argument) {
  llvm::StringRef option = argument.ltrim('-').split('=').first;
  return argument.starts_with("-") &&
         (option == "load-dialect-plugin" || option == "load-pass-plugin");
}

int main(int argc, char **argv) {
  for (const char *argument : llvm::ArrayRef(argv, argc).drop_front())
    if (loadsPlugin(argument)) {
      llvm::errs()
          << "tc-opt: " << argument
          << ": it loads no plugins; mlir-opt-22 does, and TCPlugin.so "
             "has the passes of tc-opt for it\n";
      return 1;
    }
  tc::setVersionOf("tc-opt");
  mlir::DialectRegistry registry;
  tc::registerAllTC(registry);
  tc::registerAllTCPasses();
  auto [input, output] = mlir::registerAndParseCLIOptions(
      argc, argv, "Optimizer of tensor contractions\n", registry);
  auto config = mlir::MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return mlir::asMainReturnCode(
        mlir::MlirOptMain(argc, argv, input, output, registry));
  llvm::InitLLVM guard(argc, argv);
  auto run = [&](std::unique_ptr<llvm::MemoryBuffer> buffer,
                 llvm::raw_ostream &os) {
    return mlir::MlirOptMain(os, std::move(buffer), registry, config);
  };
  tc::OutputFiles outputs;
  return mlir::asMainReturnCode(
      tc::transformFile("tc-opt", input, output, run, outputs));
}
