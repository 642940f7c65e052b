//===- Source.cpp - Input of the compiler before it is MLIR ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Compiler/Source.h"
#include "tc/Support/MLIR/ErrorCollector.h"

#include "tc/Conversion/LinalgToTC/Passes.h"
#include "tc/Dialect/TC/IR/ParameterNames.h"
#include "tc/Dialect/TC/IR/Saturation.h"
#include "tc/Dialect/TC/Transforms/Passes.h"
#include "tc/Import/ImportToTC.h"
#include "tc/Import/RunExtents.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/raw_ostream.h"

using namespace tc;
using mlir::OwningOpRef;

/// Raises contractions in linalg, and lets contractions do the elementwise work
/// beside them. What is left as linalg where kernels were made already is not
/// to become more of these.
static LogicalResult raiseLinalg(ModuleOp module) {
  auto found = module.walk(
      [](mlir::linalg::LinalgOp) { return mlir::WalkResult::interrupt(); });
  if (!found.wasInterrupted() ||
      !module.getOps<mlir::gpu::GPUModuleOp>().empty())
    return success();
  mlir::PassManager raising(module.getContext());
  raising.addPass(createConvertLinalgToTC());
  raising.addPass(createFuseElementwisePass());
  return raising.run(module);
}

Result<OwningOpRef<ModuleOp>> tc::makeModule(MLIRContext &context,
                                             const Source &source) {
  if (source.program || !source.contractions.empty()) {
    ImportOptions import;
    import.source = source.name;
    import.reduces = source.reduces;
    // Shared products are found where values say what is computed.
    import.useTensors = source.program.has_value();
    OwningOpRef<ModuleOp> module =
        source.program
            ? importProgram(&context, *source.program, import)
            : importContractions(&context, source.contractions, import);
    setSaturation(*module, source.saturates);
    ErrorCollector errors(context);
    if (mlir::failed(mlir::verify(*module)))
      return errors.get(source.name + ": is no valid contraction");
    return module;
  }
  ErrorCollector errors(context);
  OwningOpRef<ModuleOp> module = mlir::parseSourceString<ModuleOp>(
      source.text, mlir::ParserConfig(&context), source.name);
  if (!module)
    return errors.get(source.name + ": cannot be parsed");
  if (failed(raiseLinalg(*module)))
    return errors.get(source.name + ": cannot be raised from linalg");
  setSaturation(*module, source.saturates);
  return module;
}

Result<OwningOpRef<ModuleOp>> tc::makeClosedModule(MLIRContext &context,
                                                   const Source &source) {
  Source closed = source;
  auto extents = notation::closeExtents(*closed.program);
  Result<OwningOpRef<ModuleOp>> module = makeModule(context, closed);
  if (!module || extents.empty())
    return module;
  mlir::Builder builder(&context);
  SmallVector<Attribute> pairs;
  for (const auto &[name, number] : extents)
    pairs.push_back(builder.getArrayAttr(
        {builder.getStringAttr(name), builder.getI64IntegerAttr(number)}));
  (*(*module)->getOps<mlir::func::FuncOp>().begin())
      ->setAttr(runExtentsAttrName, builder.getArrayAttr(pairs));
  return module;
}

std::string tc::describeWorkInLinalg(ModuleOp module) {
  std::string text;
  module.walk([&](Operation *op) {
    if (op->getName().getDialectNamespace() != "linalg" ||
        isa<mlir::linalg::FillOp, mlir::linalg::YieldOp>(op))
      return mlir::WalkResult::advance();
    llvm::raw_string_ostream stream(text);
    stream << "'" << op->getName() << "'";
    if (auto place = op->getLoc()->findInstanceOf<mlir::FileLineColLoc>())
      stream << " at " << place.getFilename().getValue() << ':'
             << place.getLine() << ':' << place.getColumn();
    stream << " is no contraction: it is not run";
    return mlir::WalkResult::interrupt();
  });
  return text;
}
