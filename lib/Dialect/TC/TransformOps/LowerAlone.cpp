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

#include "tc/Analysis/BaseAlignment.h"
#include "tc/Conversion/TCToGPU/KernelInfo.h"
#include "tc/Dialect/TC/IR/TCDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/PassManager.h"

using namespace tc;
namespace func = mlir::func;
namespace gpu = mlir::gpu;

/// Makes a function of a copy of the contraction. Its arguments are the
/// operands but for constants, which are part of it.
static func::FuncOp isolate(OpBuilder &builder, ContractOp op,
                            SmallVectorImpl<Value> &arguments) {
  auto enclosing = op->getParentOfType<mlir::FunctionOpInterface>();
  auto function = func::FuncOp::create(
      builder, op.getLoc(), enclosing ? enclosing.getName() : "contract",
      builder.getFunctionType({}, {}));
  mlir::Block *body = function.addEntryBlock();
  builder.setInsertionPointToStart(body);
  mlir::IRMapping mapping;
  SmallVector<int64_t> alignments;
  for (Value operand : op->getOperands()) {
    if (mapping.contains(operand))
      continue;
    if (mlir::matchPattern(operand, mlir::m_Constant())) {
      builder.clone(*operand.getDefiningOp(), mapping);
      continue;
    }
    mapping.map(operand, body->addArgument(operand.getType(), op.getLoc()));
    arguments.push_back(operand);
    alignments.push_back(
        isa<MemRefType>(operand.getType()) ? getBaseAlignment(operand) : 0);
  }
  function.setFunctionType(
      builder.getFunctionType(body->getArgumentTypes(), {}));
  // Where they come from is not to be seen from within.
  for (auto [number, alignment] : llvm::enumerate(alignments))
    if (alignment != 0)
      function.setArgAttr(number, TCDialect::baseAlignmentAttrName,
                          builder.getI64IntegerAttr(alignment));
  builder.clone(*op, mapping);
  func::ReturnOp::create(builder, op.getLoc());
  return function;
}

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
  auto module = op->getParentOfType<ModuleOp>();
  if (!module)
    return op.emitOpError("is in no module");
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  auto alone = ModuleOp::create(builder, op.getLoc());
  builder.setInsertionPointToStart(alone.getBody());
  SmallVector<Value> arguments;
  func::FuncOp function = isolate(builder, op, arguments);

  mlir::PassManager manager(op.getContext());
  buildPipeline(manager);
  if (failed(manager.run(alone))) {
    alone.erase();
    return failure();
  }

  gpu::LaunchFuncOp launch;
  function.walk([&](gpu::LaunchFuncOp found) { launch = found; });
  if (launch)
    moveKernel(launch, alone, module);
  mlir::Block &body = function.getBody().front();
  rewriter.eraseOp(body.getTerminator());
  rewriter.inlineBlockBefore(&body, op, arguments);
  rewriter.eraseOp(op);
  alone.erase();
  return launch;
}
