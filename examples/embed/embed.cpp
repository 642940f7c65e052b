//===- embed.cpp - A front end that embeds the compiler -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds C[n,b,m] = sum over k of A[b,m,k] * B[k,n] in memory, lowers it for
// the CPU at hand, compiles it with MLIR's JIT, runs it and checks the numbers.
// docs/embedding.md explains it.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/InitAll.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/ExecutionEngine/MemRefUtils.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "llvm/Support/TargetSelect.h"

#include <cstdio>

using namespace mlir;

static constexpr int64_t batch = 3, rows = 20, columns = 30, depth = 17;

/// A function `contract` of the memrefs A, B and C.
static OwningOpRef<ModuleOp> buildModule(MLIRContext &context) {
  OpBuilder builder(&context);
  Location loc = builder.getUnknownLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder, loc);
  builder.setInsertionPointToEnd(module->getBody());
  Type f64 = builder.getF64Type();
  auto function = func::FuncOp::create(
      builder, loc, "contract",
      builder.getFunctionType({MemRefType::get({batch, rows, depth}, f64),
                               MemRefType::get({depth, columns}, f64),
                               MemRefType::get({columns, batch, rows}, f64)},
                              {}));
  // Gives the function an entry that takes pointers to descriptors.
  function->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(),
                    builder.getUnitAttr());
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToStart(body);
  auto indices = [&](llvm::ArrayRef<llvm::StringRef> labels) {
    return tc::IndexListAttr::get(&context, labels);
  };
  tc::ContractOp::create(builder, loc, body->getArgument(0),
                         body->getArgument(1), body->getArgument(2),
                         indices({"b", "m", "k"}), indices({"k", "n"}),
                         indices({"n", "b", "m"}));
  func::ReturnOp::create(builder, loc);
  return module;
}

/// The project's pipeline, then upstream's passes down to LLVM's dialect.
static LogicalResult lower(ModuleOp module) {
  PassManager manager(module.getContext());
  tc::buildTCCPUPipeline(manager, tc::TCCPUPipelineOptions());
  manager.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass());
  manager.addPass(memref::createExpandStridedMetadataPass());
  manager.addPass(createLowerAffinePass());
  manager.addPass(createSCFToControlFlowPass());
  manager.addPass(createConvertVectorToLLVMPass());
  manager.addPass(createFinalizeMemRefToLLVMConversionPass());
  manager.addPass(createConvertFuncToLLVMPass());
  manager.addPass(createArithToLLVMConversionPass());
  manager.addPass(createConvertControlFlowToLLVMPass());
  manager.addPass(createReconcileUnrealizedCastsPass());
  return manager.run(module);
}

int main() {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  DialectRegistry registry;
  tc::registerAllTC(registry);
  registerAllToLLVMIRTranslations(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();

  OwningOpRef<ModuleOp> module = buildModule(context);
  if (failed(verify(*module)) || failed(lower(*module)))
    return 1; // MLIR has printed why.
  ExecutionEngineOptions options;
  auto optimize = makeOptimizingTransformer(3, 0, nullptr);
  options.transformer = optimize;
  auto engine = ExecutionEngine::create(*module, options);
  if (!engine) {
    llvm::logAllUnhandledErrors(engine.takeError(), llvm::errs(), "embed: ");
    return 1;
  }

  int64_t aShape[] = {batch, rows, depth}, bShape[] = {depth, columns};
  int64_t cShape[] = {columns, batch, rows};
  OwningMemRef<double, 3> a(aShape), c(cShape);
  OwningMemRef<double, 2> b(bShape);
  for (int64_t i = 0; i < batch * rows * depth; ++i)
    a->data[i] = double(i % 7);
  for (int64_t i = 0; i < depth * columns; ++i)
    b->data[i] = double(i % 5);
  auto *aPtr = &*a, *cPtr = &*c;
  auto *bPtr = &*b;
  if (llvm::Error error = (*engine)->invoke("contract", aPtr, bPtr, cPtr)) {
    llvm::logAllUnhandledErrors(std::move(error), llvm::errs(), "embed: ");
    return 1;
  }

  for (int64_t n = 0; n < columns; ++n)
    for (int64_t i = 0; i < batch * rows; ++i) {
      double expected = 0;
      for (int64_t k = 0; k < depth; ++k)
        expected += a->data[i * depth + k] * b->data[k * columns + n];
      if (double found = c->data[n * batch * rows + i]; found != expected) {
        std::printf("C[%ld,%ld,%ld] is %g, not %g\n", long(n), long(i / rows),
                    long(i % rows), found, expected);
        return 1;
      }
    }
  std::printf("all %ld elements are right\n", long(columns * batch * rows));
  return 0;
}
