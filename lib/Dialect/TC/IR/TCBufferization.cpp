//===- TCBufferization.cpp - From tensors to memrefs ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The result takes the place of the destination. Without beta, the old contents
// of the destination are dead, so that a copy of it, if one is made at all, is
// an allocation only.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TC/IR/TCOps.h"

#include "mlir/IR/PatternMatch.h"

using namespace tc;
namespace bufferization = mlir::bufferization;

bool ContractOp::bufferizesToMemoryRead(OpOperand &operand,
                                        const bufferization::AnalysisState &) {
  return &operand != &getCMutable() || readsC();
}

bool ContractOp::bufferizesToMemoryWrite(OpOperand &operand,
                                         const bufferization::AnalysisState &) {
  return &operand == &getCMutable();
}

bufferization::AliasingValueList
ContractOp::getAliasingValues(OpOperand &operand,
                              const bufferization::AnalysisState &) {
  if (&operand != &getCMutable())
    return {};
  return {{getResult(), bufferization::BufferRelation::Equivalent}};
}

LogicalResult
ContractOp::bufferize(RewriterBase &rewriter,
                      const bufferization::BufferizationOptions &options,
                      bufferization::BufferizationState &state) {
  if (hasBuffers())
    return success();
  SmallVector<Value> buffers;
  for (Value tensor : getTensors()) {
    FailureOr<Value> buffer =
        bufferization::getBuffer(rewriter, tensor, options, state);
    if (failed(buffer))
      return failure();
    buffers.push_back(*buffer);
  }
  ContractOp op = recreate(rewriter, getLoc(), buffers, getIndexLists());
  op->setDiscardableAttrs((*this)->getDiscardableAttrDictionary());
  bufferization::replaceOpWithBufferizedValues(rewriter, *this, buffers[2]);
  return success();
}
