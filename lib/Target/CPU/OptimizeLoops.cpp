//===- OptimizeLoops.cpp - LLVM's passes for loops of contractions --------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OptimizeLoops.h"

#include "tc/Conversion/TCToCPU/Outlined.h"
#include "tc/Target/Common/Optimize.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/InferFunctionAttrs.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

using namespace tc;
namespace arith = mlir::arith;

template <typename OpT> static void markIndices(OpT op) {
  if (op.getType().isIndex())
    op.setOverflowFlags(arith::IntegerOverflowFlags::nsw);
}

void tc::markIndexArithmetic(ModuleOp module) {
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    if (!function->hasAttr(outlinedAttrName))
      continue;
    function.walk([](Operation *op) {
      if (auto sum = dyn_cast<arith::AddIOp>(op))
        markIndices(sum);
      else if (auto difference = dyn_cast<arith::SubIOp>(op))
        markIndices(difference);
      else if (auto product = dyn_cast<arith::MulIOp>(op))
        markIndices(product);
    });
  }
}

void tc::optimizeLoops(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::FunctionPassManager functions;
  // Parts of descriptors, offsets that each access computes anew, and entries
  // of tables that it loads anew.
  functions.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  functions.addPass(llvm::InstCombinePass());
  functions.addPass(llvm::createFunctionToLoopPassAdaptor(
      llvm::LICMPass(llvm::LICMOptions()), /*UseMemorySSA=*/true));
  functions.addPass(llvm::SimplifyCFGPass());

  llvm::ModulePassManager passes;
  // Infers that `malloc` returns memory that nothing else points to.
  passes.addPass(llvm::InferFunctionAttrsPass());
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(functions)));
  llvm::PassBuilder builder(&machine);
  runPasses(module, builder, std::move(passes));
}
