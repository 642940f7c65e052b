//===- LowerAlone.cpp - One contraction through a pipeline ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes see whole functions and modules. A copy of the contraction goes
// through them in a function and a module of its own, which stands inside of
// the real one, so that targets that this describes are found.
//
//===----------------------------------------------------------------------===//

#include "LowerAlone.h"

#include "tc/Conversion/TCToGPU/KernelPlan.h"
#include "tc/Dialect/TC/IR/Saturation.h"
#include "tc/Dialect/TC/Transforms/IsolateContraction.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/PassManager.h"

using namespace tc;
namespace gpu = mlir::gpu;

/// The gpu.module that holds the kernels of other contractions, if any does:
/// all kernels of a module are compiled together.
static gpu::GPUModuleOp findKernels(ModuleOp module) {
  for (auto kernels : module.getOps<gpu::GPUModuleOp>())
    if (llvm::any_of(kernels.getOps<gpu::GPUFuncOp>(), isContractionKernel))
      return kernels;
  return {};
}

/// Moves a kernel and its module, if there is none of that kind, to another
/// module, under names that are free there.
static void moveKernel(gpu::LaunchFuncOp launch, ModuleOp from, ModuleOp to) {
  auto kernels =
      from.lookupSymbol<gpu::GPUModuleOp>(launch.getKernelModuleName());
  auto kernel = kernels.lookupSymbol<gpu::GPUFuncOp>(launch.getKernelName());
  gpu::GPUModuleOp target = findKernels(to);
  if (target) {
    kernel->remove();
    mlir::SymbolTable(target).insert(kernel);
  } else {
    target = kernels;
    target->remove();
    mlir::SymbolTable(to).insert(target);
    to->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                mlir::UnitAttr::get(to.getContext()));
  }
  launch.setKernelAttr(mlir::SymbolRefAttr::get(
      target.getSymNameAttr(),
      {mlir::FlatSymbolRefAttr::get(kernel.getNameAttr())}));
}

FailureOr<gpu::LaunchFuncOp>
tc::lowerAlone(RewriterBase &rewriter, ContractOp op,
               function_ref<void(mlir::OpPassManager &)> buildPipeline) {
  if (!op.hasBuffers())
    return op.emitOpError("works on tensors: bufferize it first");
  if (isa<FusedOp>(op->getParentOp()))
    return op.emitOpError("is in a 'tc.fused', of which one kernel is made");
  auto module = op->getParentOfType<ModuleOp>();
  if (!module)
    return op.emitOpError("is in no module");
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  auto alone = ModuleOp::create(builder, op.getLoc());
  setSaturation(alone, saturates(op));
  builder.setInsertionPointToStart(alone.getBody());
  auto enclosing = op->getParentOfType<mlir::FunctionOpInterface>();
  IsolatedContraction isolated = isolateContraction(
      builder, op, enclosing ? enclosing.getName() : "contract");

  mlir::PassManager manager(op.getContext());
  buildPipeline(manager);
  if (failed(manager.run(alone))) {
    alone.erase();
    return failure();
  }

  gpu::LaunchFuncOp launch;
  isolated.function.walk([&](gpu::LaunchFuncOp found) { launch = found; });
  if (launch)
    moveKernel(launch, alone, module);
  mlir::Block &body = isolated.function.getBody().front();
  rewriter.eraseOp(body.getTerminator());
  rewriter.inlineBlockBefore(&body, op, isolated.arguments);
  rewriter.eraseOp(op);
  alone.erase();
  return launch;
}
