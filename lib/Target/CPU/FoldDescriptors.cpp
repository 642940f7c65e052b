//===- FoldDescriptors.cpp - Parts of descriptors that are known ----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FoldDescriptors.h"

#include "tc/Support/MLIR/LLVM.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

using namespace tc;
namespace LLVM = mlir::LLVM;

namespace {

struct FoldDescriptors
    : public mlir::PassWrapper<FoldDescriptors, mlir::OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FoldDescriptors)

  void runOnOperation() override {
    mlir::OpBuilder builder(&getContext());
    SmallVector<Operation *> structures;
    getOperation()->walk([&](Operation *op) {
      if (isa<LLVM::InsertValueOp>(op))
        structures.push_back(op);
      auto extract = dyn_cast<LLVM::ExtractValueOp>(op);
      if (!extract)
        return;
      // An extraction that folds to itself takes its part of an earlier
      // structure now.
      SmallVector<Value, 1> part = {extract.getResult()};
      while (part.front() == extract.getResult()) {
        part.clear();
        if (failed(builder.tryFold(extract, part)) || part.empty())
          return;
      }
      extract.getResult().replaceAllUsesWith(part.front());
      extract.erase();
    });
    // Each is made of one before it.
    for (Operation *op : llvm::reverse(structures))
      if (op->use_empty())
        op->erase();
  }
};

} // namespace

std::unique_ptr<mlir::Pass> tc::createFoldDescriptorsPass() {
  return std::make_unique<FoldDescriptors>();
}
