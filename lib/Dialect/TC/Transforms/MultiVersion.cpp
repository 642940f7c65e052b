//===- MultiVersion.cpp - Copies of functions for unaligned tensors -------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gives each function with contractions a copy for tensors that are aligned to
// their elements only.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TC/Transforms/Passes.h"

#include "tc/Analysis/BaseAlignment.h"
#include "tc/Dialect/TC/IR/TCOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"

namespace tc {
#define GEN_PASS_DEF_MULTIVERSIONPASS
#include "tc/Dialect/TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;
namespace func = mlir::func;

namespace {
struct MultiVersionPass
    : public tc::impl::MultiVersionPassBase<MultiVersionPass> {
  void runOnOperation() override {
    mlir::SymbolTable symbols(getOperation());
    SmallVector<func::FuncOp> functions;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      bool hasContractions =
          function
              .walk([](ContractOp) { return mlir::WalkResult::interrupt(); })
              .wasInterrupted();
      if (hasContractions && !function->hasAttr(versionOfAttrName))
        functions.push_back(function);
    }
    for (func::FuncOp function : functions) {
      func::FuncOp copy = function.clone();
      copy.setName((function.getName() + "_unaligned").str());
      copy->setAttr(versionOfAttrName,
                    mlir::FlatSymbolRefAttr::get(function.getSymNameAttr()));
      copy->setAttr(unalignedAttrName, mlir::UnitAttr::get(&getContext()));
      // Right behind it, under a name that nothing else has.
      symbols.insert(copy, std::next(mlir::Block::iterator(function)));
      ++numVersions;
    }
  }
};
} // namespace
