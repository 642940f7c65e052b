//===- DecomposeSoftmax.cpp - Softmaxes as loops --------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/Dialect/TC/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace tc {
#define GEN_PASS_DEF_DECOMPOSESOFTMAXPASS
#include "tc/Dialect/TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;
namespace bufferization = mlir::bufferization;
namespace linalg = mlir::linalg;
namespace tensor = mlir::tensor;

/// The same softmax of tensors that are read from the buffers, and put there.
static linalg::SoftmaxOp moveToTensors(mlir::RewriterBase &rewriter,
                                       linalg::SoftmaxOp op) {
  Location loc = op.getLoc();
  auto type = cast<MemRefType>(op.getInput().getType());
  auto tensorType =
      mlir::RankedTensorType::get(type.getShape(), type.getElementType());
  rewriter.setInsertionPoint(op);
  Value input = bufferization::ToTensorOp::create(
      rewriter, loc, tensorType, op.getInput(), /*restrict=*/true);
  Value empty = tensor::EmptyOp::create(
      rewriter, loc, tensor::getMixedSizes(rewriter, loc, input),
      type.getElementType());
  auto softmax =
      linalg::SoftmaxOp::create(rewriter, loc, mlir::TypeRange(tensorType),
                                input, empty, op.getDimensionAttr());
  bufferization::MaterializeInDestinationOp::create(
      rewriter, loc, /*result=*/Type(), softmax->getResult(0), op.getOutput(),
      /*restrict=*/true, /*writable=*/true);
  rewriter.eraseOp(op);
  return softmax;
}

namespace {
struct DecomposeSoftmaxPass
    : public tc::impl::DecomposeSoftmaxPassBase<DecomposeSoftmaxPass> {
  void runOnOperation() override {
    SmallVector<linalg::SoftmaxOp> ops;
    getOperation()->walk([&](linalg::SoftmaxOp op) {
      if (!op->getParentOfType<FusedOp>())
        ops.push_back(op);
    });
    mlir::IRRewriter rewriter(&getContext());
    for (linalg::SoftmaxOp op : ops) {
      if (op.hasPureBufferSemantics())
        op = moveToTensors(rewriter, op);
      rewriter.setInsertionPoint(op);
      FailureOr<SmallVector<Value>> results = op.decomposeOperation(rewriter);
      if (failed(results)) {
        op.emitOpError("cannot be decomposed");
        return signalPassFailure();
      }
      rewriter.replaceOp(op, *results);
    }
  }
};
} // namespace
