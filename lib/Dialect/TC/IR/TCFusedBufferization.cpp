//===- TCFusedBufferization.cpp - Groups from tensors to memrefs ----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The result of a group of contractions is in the buffer of what it yields. As
// the group is one kernel, contractions store to no buffer that others read.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TC/IR/TCOps.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/PatternMatch.h"

using namespace tc;
namespace bufferization = mlir::bufferization;

bufferization::AliasingOpOperandList
FusedOp::getAliasingOpOperands(Value value,
                               const bufferization::AnalysisState &) {
  auto result = cast<mlir::OpResult>(value);
  return {{&getYield()->getOpOperand(result.getResultNumber()),
           bufferization::BufferRelation::Equivalent}};
}

/// The analysis looks at contractions one after the other, so that one may
/// store to the buffer of what an earlier one has read for the last time.
/// Blocks of a kernel do not wait for one another: there, such a buffer is read
/// still.
LogicalResult
FusedOp::resolveConflicts(RewriterBase &rewriter,
                          const bufferization::AnalysisState &analysis,
                          const bufferization::BufferizationState &state) {
  SmallVector<Value> read;
  for (ContractOp op : getContractions()) {
    if (op.hasBuffers())
      continue;
    OpOperand &destination = op.getCMutable();
    Value c = destination.get();
    bool isOutside = !getBodyRegion().isAncestor(c.getParentRegion());
    if (isOutside && analysis.isInPlace(destination) &&
        llvm::any_of(read, [&](Value tensor) {
          return analysis.areAliasingBufferizedValues(tensor, c);
        })) {
      rewriter.setInsertionPoint(*this);
      FailureOr<Value> own = bufferization::allocateTensorForShapedValue(
          rewriter, op.getLoc(), c, analysis.getOptions(), state,
          /*copy=*/op.readsC());
      if (failed(own))
        return failure();
      rewriter.modifyOpInPlace(op, [&] { destination.set(*own); });
    }
    // Inputs that others in the group compute reach the consumer on the chip.
    for (Value tensor : op.getTensors())
      if (tensor != op.getC() &&
          !getBodyRegion().isAncestor(tensor.getParentRegion()))
        read.push_back(tensor);
  }
  // The copies of C that contractions have asked for are no part of a kernel.
  auto copies = getBody()->getOps<bufferization::AllocTensorOp>();
  for (Operation *copy : llvm::make_early_inc_range(copies))
    if (llvm::none_of(copy->getOperands(), [&](Value value) {
          return getBodyRegion().isAncestor(value.getParentRegion());
        }))
      rewriter.moveOpBefore(copy, *this);
  return success();
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
  group.setDissolvable(getDissolvable());
  // A copy of C, if one has to be made, is made before the group.
  bool isAnyBefore = false;
  for (Operation &op : llvm::make_early_inc_range(*getBody())) {
    if (&op == yield.getOperation())
      continue;
    isAnyBefore |= isa<ContractOp>(op);
    bool staysInside =
        isa<ContractOp>(op) ||
        (isAnyBefore && !mlir::isMemoryEffectFree(&op) &&
         !isa<mlir::memref::AllocOp>(op) &&
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
