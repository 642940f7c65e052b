//===- TCFolds.cpp - Simpler forms of the same operation ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Folds and canonicalisations, but for those that change index lists, which are
// in TCCollapse.cpp. Casts of tensors are folded by the tensor dialect, which
// knows of operations in destination style.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TC/IR/TCOps.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace tc;

/// A cast that forgets extents or strides hides them from us.
static LogicalResult foldMemRefCasts(Operation *op) {
  bool folded = false;
  for (OpOperand &operand : op->getOpOperands()) {
    auto cast = operand.get().getDefiningOp<mlir::memref::CastOp>();
    if (!cast || !mlir::memref::CastOp::canFoldIntoConsumerOp(cast))
      continue;
    operand.set(cast.getSource());
    folded = true;
  }
  return success(folded);
}

LogicalResult ContractOp::fold(FoldAdaptor, SmallVectorImpl<OpFoldResult> &) {
  return foldMemRefCasts(*this);
}

LogicalResult EinsumOp::fold(FoldAdaptor, SmallVectorImpl<OpFoldResult> &) {
  return foldMemRefCasts(*this);
}

namespace {

/// Drops an alpha of one and a beta of zero, which absence means, too.
template <typename Op>
struct DropNeutralScalars : public mlir::OpRewritePattern<Op> {
  using mlir::OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    bool dropAlpha = op.getAlpha() && isOne(op.getSemiring(), op.getAlpha());
    bool dropBeta = op.getBeta() && isZero(op.getSemiring(), op.getBeta());
    if (!dropAlpha && !dropBeta)
      return rewriter.notifyMatchFailure(op, "no scalar is neutral");
    rewriter.modifyOpInPlace(op, [&] {
      if (dropAlpha)
        op.getAlphaMutable().clear();
      if (dropBeta)
        op.getBetaMutable().clear();
    });
    return success();
  }
};

/// Two factors leave no order to choose.
struct BecomeContraction : public mlir::OpRewritePattern<EinsumOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(EinsumOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getInputs().size() != 2)
      return rewriter.notifyMatchFailure(op, "has not two inputs");
    if (llvm::isa_and_nonnull<FusedOp>(op->getParentOp()))
      return rewriter.notifyMatchFailure(op, "it would be one of its group");
    SmallVector<IndexListAttr> indices = op.getIndexLists();
    auto contraction = ContractOp::create(
        rewriter, op.getLoc(), op.getInputs()[0], op.getInputs()[1],
        op.getOutput(), indices[0], indices[1], indices[2], op.getAlpha(),
        op.getBeta(), /*schedule=*/ScheduleAttr(), op.getPrecision(),
        op.getSemiring());
    contraction.setConjugateA(op.conjugates(0));
    contraction.setConjugateB(op.conjugates(1));
    // Others may have the names of a contraction's own attributes.
    contraction->setDialectAttrs(op->getDialectAttrs());
    rewriter.replaceOp(op, contraction);
    return success();
  }
};

} // namespace

void ContractOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                             MLIRContext *context) {
  patterns.add<DropNeutralScalars<ContractOp>>(context);
  populateCollapseIndicesPatterns(patterns);
}

void EinsumOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *context) {
  patterns.add<BecomeContraction, DropNeutralScalars<EinsumOp>>(context);
}
