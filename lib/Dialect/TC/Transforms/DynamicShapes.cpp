//===- DynamicShapes.cpp - Kernels that take extents as arguments ---------===//
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
#define GEN_PASS_DEF_DYNAMICSHAPESPASS
#include "tc/Dialect/TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;
namespace func = mlir::func;

/// The number that extents and strides of the specialised kernels may be
/// multiples of: tiles along K are not longer, as a rule, and no access is
/// wider.
static constexpr int64_t multiples = 32;

/// Tensors that reach less far have offsets of 32 bits in specialised kernels,
/// which leaves room for others than the representative ones.
static constexpr int64_t maxNarrow = int64_t(1) << 28;

/// A representative extent for each of so many indices of a role: a power of
/// two, of which all together are a matrix's side.
static int64_t representativeExtent(size_t indices) {
  constexpr int64_t side = 512, least = 4;
  int64_t extent = side;
  auto power = [&] {
    double all = 1;
    for (size_t i = 0; i < indices; ++i)
      all *= static_cast<double>(extent);
    return all;
  };
  while (extent > least && power() > static_cast<double>(side))
    extent /= 2;
  return extent;
}

namespace {
struct DynamicShapesPass
    : public tc::impl::DynamicShapesPassBase<DynamicShapesPass> {
  using DynamicShapesPassBase::DynamicShapesPassBase;

  void runOnOperation() override {
    FailureOr<RepresentativeExtents> extents =
        readRepresentatives([&] { return emitError(getOperation()->getLoc()); },
                            representativeExtents);
    if (failed(extents))
      return signalPassFailure();
    representatives = std::move(*extents);
    SmallVector<func::FuncOp> functions;
    bool anyFailed = false;
    getOperation()->walk([&](ContractOp op) {
      bool isUnknown = hasUnknownShape(op);
      if (!isUnknown && unknownOnly)
        return;
      if (op.hasZeroExtent()) {
        // A contraction that multiplies nothing needs no kernel.
        if (isUnknown)
          return;
        op.emitOpError("cannot take its shape at run time: an extent is zero");
        anyFailed = true;
        return;
      }
      auto function = op->getParentOfType<func::FuncOp>();
      if (isUnknown)
        mark(op, {});
      else if (function && !llvm::is_contained(functions, function))
        functions.push_back(function);
    });
    if (anyFailed)
      return signalPassFailure();
    mlir::SymbolTable symbols(getOperation());
    for (func::FuncOp function : functions)
      if (!hasMarks(function))
        addVersion(function, symbols);
  }

private:
  static bool hasMarks(func::FuncOp function) {
    return function
        .walk([](ContractOp op) {
          return op.getDynamicShape() ? mlir::WalkResult::interrupt()
                                      : mlir::WalkResult::advance();
        })
        .wasInterrupted();
  }

  static bool isNarrow(ContractOp op) {
    FailureOr<model::Contraction> contraction = toContraction(op);
    return succeeded(contraction) &&
           llvm::all_of(model::allTensors, [&](model::Tensor tensor) {
             return contraction->offset[tensor] + contraction->span(tensor) <
                    maxNarrow;
           });
  }

  /// Marks contractions of a function as for their own shape's multiples, and
  /// those of a copy as for any shape, unless it is a version itself.
  void addVersion(func::FuncOp function, mlir::SymbolTable &symbols) {
    if (!function->hasAttr(versionOfAttrName)) {
      func::FuncOp copy = function.clone();
      copy.setName((function.getName() + "_dynamic_shapes").str());
      copy->setAttr(versionOfAttrName,
                    mlir::FlatSymbolRefAttr::get(function.getSymNameAttr()));
      symbols.insert(copy, std::next(mlir::Block::iterator(function)));
      copy.walk([&](ContractOp op) { mark(op, {}); });
    }
    function.walk(
        [&](ContractOp op) { mark(op, {multiples, isNarrow(op) ? 32 : 64}); });
  }

  void mark(ContractOp op, model::DynamicShape shape) {
    mlir::NamedAttrList extents;
    OpBuilder builder(&getContext());
    ContractionDims dims = inferContractionDims(op);
    for (model::Role role :
         {model::Role::Batch, model::Role::M, model::Role::N, model::Role::K}) {
      ArrayRef<StringAttr> labels = dims[role];
      auto isUnknown = [&](StringAttr label) { return !findExtent(op, label); };
      size_t unknown = llvm::count_if(labels, isUnknown);
      for (StringAttr label : labels)
        if (isUnknown(label)) {
          auto given = representatives.find(label.getValue());
          extents.set(label, builder.getI64IntegerAttr(
                                 given != representatives.end()
                                     ? given->second
                                     : representativeExtent(unknown)));
        }
    }
    op.setDynamicShapeAttr(DynamicShapeAttr::get(
        &getContext(), shape.multiples, shape.offsetBits,
        extents.empty() ? mlir::DictionaryAttr()
                        : extents.getDictionary(&getContext())));
    ++numContractions;
  }

  RepresentativeExtents representatives;
};
} // namespace
