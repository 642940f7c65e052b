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

LogicalResult ContractOp::fold(FoldAdaptor, SmallVectorImpl<OpFoldResult> &) {
  // A cast that forgets extents or strides hides them from us.
  bool folded = false;
  for (OpOperand &operand : (*this)->getOpOperands()) {
    auto cast = operand.get().getDefiningOp<mlir::memref::CastOp>();
    if (!cast || !mlir::memref::CastOp::canFoldIntoConsumerOp(cast))
      continue;
    operand.set(cast.getSource());
    folded = true;
  }
  return success(folded);
}

namespace {

/// Drops an alpha of one and a beta of zero, which absence means, too.
struct DropNeutralScalars : public mlir::OpRewritePattern<ContractOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ContractOp op,
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

} // namespace

void ContractOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                             MLIRContext *context) {
  patterns.add<DropNeutralScalars>(context);
  populateCollapseIndicesPatterns(patterns);
}
