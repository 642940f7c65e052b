//===- RunTimeShapes.cpp - Kernels that take extents as arguments ---------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Marks contractions whose kernels are to take their shape at run time, and
// copies functions for the shapes that these do not take.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TC/Transforms/Passes.h"

#include "tc/Analysis/BaseAlignment.h"
#include "tc/Analysis/ContractionDims.h"
#include "tc/Dialect/TC/IR/TCOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"

namespace tc {
#define GEN_PASS_DEF_RUNTIMESHAPESPASS
#include "tc/Dialect/TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;
namespace func = mlir::func;

/// What extents and strides of the specialised kernels may be multiples of:
/// tiles along K are not longer, as a rule, and no access is wider.
static constexpr int64_t multiples = 32;

/// Tensors that reach less far have offsets of 32 bits in specialised kernels,
/// which leaves room for others than the representative ones.
static constexpr int64_t mostNarrow = int64_t(1) << 28;

/// Why no kernel for any shape can be made of a contraction, if none can.
static std::optional<std::string> findObstacle(ContractOp op) {
  if (!op.getSides().empty())
    return "it has side tensors";
  for (model::Tensor tensor : model::allTensors)
    if (isa<mlir::ComplexType>(op.getTypeOf(tensor).getElementType()))
      return "its elements are complex";
  if (op.hasZeroExtent())
    return "an extent is zero";
  return std::nullopt;
}

namespace {
struct RunTimeShapesPass
    : public tc::impl::RunTimeShapesPassBase<RunTimeShapesPass> {
  void runOnOperation() override {
    mlir::SymbolTable symbols(getOperation());
    SmallVector<func::FuncOp> functions;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      bool any = false;
      auto result = function.walk([&](ContractOp op) {
        any = true;
        std::optional<std::string> obstacle = findObstacle(op);
        if (!obstacle)
          return mlir::WalkResult::advance();
        op.emitOpError("cannot take its shape at run time: ") << *obstacle;
        return mlir::WalkResult::interrupt();
      });
      if (result.wasInterrupted())
        return signalPassFailure();
      if (any)
        functions.push_back(function);
    }
    for (func::FuncOp function : functions) {
      if (!function->hasAttr(versionOfAttrName)) {
        func::FuncOp copy = function.clone();
        copy.setName((function.getName() + "_any_shape").str());
        copy->setAttr(versionOfAttrName,
                      mlir::FlatSymbolRefAttr::get(function.getSymNameAttr()));
        symbols.insert(copy, std::next(mlir::Block::iterator(function)));
        mark(copy, [](ContractOp) { return model::RunTimeShape{}; });
      }
      mark(function, [](ContractOp op) {
        return model::RunTimeShape{multiples, isNarrow(op) ? 32 : 64};
      });
    }
  }

private:
  static bool isNarrow(ContractOp op) {
    FailureOr<model::Contraction> contraction = toContraction(op);
    return succeeded(contraction) &&
           llvm::all_of(model::allTensors, [&](model::Tensor tensor) {
             return contraction->offset[tensor] + contraction->span(tensor) <
                    mostNarrow;
           });
  }

  void mark(func::FuncOp function,
            function_ref<model::RunTimeShape(ContractOp)> shapeOf) {
    function.walk([&](ContractOp op) {
      model::RunTimeShape shape = shapeOf(op);
      op->setAttr(RunTimeShapeAttr::attrName,
                  RunTimeShapeAttr::get(&getContext(), shape.multiples,
                                        shape.offsetBits));
      ++numContractions;
    });
  }
};
} // namespace
