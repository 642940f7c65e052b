//===- TCFusedOps.cpp - What becomes one kernel ---------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verification, canonicalisation and bufferization of groups of contractions.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TC/IR/TCOps.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/IR/PatternMatch.h"

using namespace tc;
namespace bufferization = mlir::bufferization;

void FusedOp::build(OpBuilder &builder, mlir::OperationState &state,
                    TypeRange results) {
  state.addTypes(results);
  state.addRegion()->emplaceBlock();
}

void FusedYieldOp::build(OpBuilder &, mlir::OperationState &) {}

SmallVector<ContractOp> FusedOp::getContractions() {
  return llvm::to_vector(getBody()->getOps<ContractOp>());
}

FusedYieldOp FusedOp::getYield() {
  return cast<FusedYieldOp>(getBody()->getTerminator());
}

void FusedOp::dissolve(RewriterBase &rewriter) {
  FusedYieldOp yield = getYield();
  SmallVector<Value> values(yield.getValues());
  rewriter.inlineBlockBefore(getBody(), *this);
  rewriter.eraseOp(yield);
  rewriter.replaceOp(*this, values);
}

/// Holds the contractions of a group against one another.
static LogicalResult verifyChain(ArrayRef<ContractOp> ops) {
  ContractOp first = ops.front();
  for (ContractOp op : ops)
    if (op.hasBuffers() != first.hasBuffers())
      return op.emitOpError("is on ")
             << (op.hasBuffers() ? "memrefs" : "tensors")
             << ", but the first one of its 'tc.fused' is not";
  for (auto [number, each] : llvm::enumerate(ops)) {
    ContractOp op = each;
    if (op.hasBuffers()) {
      if (op.getC() != first.getC())
        return op.emitOpError(
            "must have the C of the first one of its 'tc.fused'");
      continue;
    }
    if (number + 1 == ops.size())
      continue;
    ContractOp next = ops[number + 1];
    if (!op.getResult().hasOneUse() || next.getC() != op.getResult())
      return op.emitOpError("must compute C of the next one of its 'tc.fused', "
                            "and nothing else may use that");
  }
  return success();
}

LogicalResult FusedOp::verifyRegions() {
  for (Operation &op : getBody()->without_terminator()) {
    if (isa<FusedOp>(op))
      return op.emitOpError("cannot be in another one");
    if (!isa<ContractOp>(op) && !mlir::isMemoryEffectFree(&op))
      return op.emitOpError(
          "may touch memory, which only contractions do in a 'tc.fused'");
  }
  FusedYieldOp yield = getYield();
  if (yield.getValues().getTypes() != getResultTypes())
    return yield.emitOpError("yields (")
           << yield.getValues().getTypes() << "), but the results are ("
           << getResultTypes() << ")";
  SmallVector<ContractOp> ops = getContractions();
  if (ops.empty())
    return success();
  if (failed(verifyChain(ops)))
    return failure();
  ContractOp last = ops.back();
  if (yield.getValues() != mlir::ValueRange(last->getResults()))
    return yield.emitOpError(
        last.hasBuffers()
            ? "must yield nothing, as contractions are on memrefs"
            : "must yield what the last contraction computes, and only that");
  return success();
}

namespace {

/// A group of one contraction is that contraction.
struct DissolveTrivialGroup : public mlir::OpRewritePattern<FusedOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(FusedOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getContractions().size() > 1)
      return rewriter.notifyMatchFailure(op, "holds several contractions");
    op.dissolve(rewriter);
    return success();
  }
};

} // namespace

void FusedOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                          MLIRContext *context) {
  patterns.add<DissolveTrivialGroup>(context);
}

//===----------------------------------------------------------------------===//
// Bufferization: the result is in the buffer of what is yielded.
//===----------------------------------------------------------------------===//

bufferization::AliasingOpOperandList
FusedOp::getAliasingOpOperands(Value value,
                               const bufferization::AnalysisState &) {
  auto result = cast<mlir::OpResult>(value);
  return {{&getYield()->getOpOperand(result.getResultNumber()),
           bufferization::BufferRelation::Equivalent}};
}

LogicalResult
FusedOp::bufferize(RewriterBase &rewriter,
                   const bufferization::BufferizationOptions &options,
                   bufferization::BufferizationState &state) {
  FusedYieldOp yield = getYield();
  SmallVector<Value> buffers;
  for (Value value : yield.getValues()) {
    FailureOr<Value> buffer = value;
    if (isa<mlir::TensorType>(value.getType())) {
      rewriter.setInsertionPoint(yield);
      buffer = bufferization::getBuffer(rewriter, value, options, state);
    }
    if (failed(buffer))
      return failure();
    buffers.push_back(*buffer);
  }
  rewriter.setInsertionPoint(*this);
  auto group = FusedOp::create(rewriter, getLoc(), mlir::TypeRange());
  group->setDiscardableAttrs((*this)->getDiscardableAttrDictionary());
  // A copy of C, if one has to be made, is made before the group.
  bool isAnyBefore = false;
  for (Operation &op : llvm::make_early_inc_range(*getBody())) {
    if (&op == yield.getOperation())
      continue;
    isAnyBefore |= isa<ContractOp>(op);
    bool staysInside =
        isa<ContractOp>(op) ||
        (isAnyBefore && !mlir::isMemoryEffectFree(&op) &&
         !isa<bufferization::ToTensorOp, bufferization::ToBufferOp>(op));
    if (staysInside)
      rewriter.moveOpBefore(&op, group.getBody(), group.getBody()->end());
    else
      rewriter.moveOpBefore(&op, group);
  }
  rewriter.setInsertionPointToEnd(group.getBody());
  FusedYieldOp::create(rewriter, yield.getLoc());
  rewriter.eraseOp(yield);
  rewriter.setInsertionPointAfter(group);
  bufferization::replaceOpWithBufferizedValues(rewriter, *this, buffers);
  return success();
}

bool FusedYieldOp::bufferizesToMemoryRead(
    OpOperand &, const bufferization::AnalysisState &) {
  return true;
}

bool FusedYieldOp::bufferizesToMemoryWrite(
    OpOperand &, const bufferization::AnalysisState &) {
  return false;
}

bufferization::AliasingValueList
FusedYieldOp::getAliasingValues(OpOperand &operand,
                                const bufferization::AnalysisState &) {
  return {{(*this)->getParentOp()->getResult(operand.getOperandNumber()),
           bufferization::BufferRelation::Equivalent}};
}

bool FusedYieldOp::mustBufferizeInPlace(OpOperand &,
                                        const bufferization::AnalysisState &) {
  return true;
}

LogicalResult
FusedYieldOp::bufferize(RewriterBase &rewriter,
                        const bufferization::BufferizationOptions &options,
                        bufferization::BufferizationState &state) {
  SmallVector<Value> values;
  for (Value value : getValues()) {
    FailureOr<Value> buffer = value;
    if (isa<mlir::TensorType>(value.getType()))
      buffer = bufferization::getBuffer(rewriter, value, options, state);
    if (failed(buffer))
      return failure();
    values.push_back(*buffer);
  }
  rewriter.modifyOpInPlace(*this, [&] { getValuesMutable().assign(values); });
  return success();
}
