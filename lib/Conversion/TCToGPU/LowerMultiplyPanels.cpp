//===- LowerMultiplyPanels.cpp - Expand the product of panels -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expands tc.multiply_panels into outer products of fused multiply-adds.
//
//===----------------------------------------------------------------------===//

#include "TileIndexing.h"

#include "tc/Conversion/TCToGPU/Passes.h"
#include "tc/Dialect/TC/IR/TCOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace tc {
#define GEN_PASS_DEF_TCLOWERMULTIPLYPANELS
#include "tc/Conversion/TCToGPU/Passes.h.inc"
} // namespace tc

using namespace tc;
namespace gpu = mlir::gpu;
namespace vector = mlir::vector;
using mlir::VectorType;

/// Loads the thread's elements of one row of a panel, group by group.
static SmallVector<Value> loadRow(OpBuilder &builder, Location loc, Value flat,
                                  Value position, int64_t row, int64_t count,
                                  int64_t group, int64_t threads,
                                  Type elementType) {
  IndexBuilder index(builder, loc, builder.getI32Type());
  auto type = VectorType::get({group}, elementType);
  SmallVector<Value> groups;
  for (int64_t g = 0; g < count / group; ++g) {
    SplitIndex element{index.multiply(position, group),
                       row + g * threads * group};
    auto access = vector::LoadOp::create(
        builder, loc, type, flat, mlir::ValueRange{index.toIndex(element)});
    access.setAlignment(vectorBytes(type));
    groups.push_back(access);
  }
  return groups;
}

static LogicalResult lower(MultiplyPanelsOp op) {
  FailureOr<KernelInfo> kernel = getEnclosingKernelInfo(op);
  if (failed(kernel))
    return failure();
  const model::KernelLayout &layout = kernel->layout;
  int64_t columns = layout.registerN / layout.groupN;
  auto vectorType = cast<VectorType>(op.getAccumulators().front().getType());
  int64_t shapeA[] = {layout.blockK, layout.a.rowLength};
  int64_t shapeB[] = {layout.blockK, layout.b.rowLength};
  auto hasShape = [](Value panel, ArrayRef<int64_t> shape) {
    return cast<MemRefType>(panel.getType()).getShape() == shape;
  };
  if (static_cast<int64_t>(op.getAccumulators().size()) !=
          layout.registerM * columns ||
      vectorType.getNumElements() != layout.groupN ||
      !hasShape(op.getLhs(), shapeA) || !hasShape(op.getRhs(), shapeB))
    return op.emitOpError("doesn't fit the kernel's layout: expected ")
           << layout.registerM * columns << " accumulators of " << layout.groupN
           << ", panels of " << shapeA[0] << "x" << shapeA[1] << " and "
           << shapeB[0] << "x" << shapeB[1];

  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value flatA = flattenPanel(builder, loc, op.getLhs());
  Value flatB = flattenPanel(builder, loc, op.getRhs());
  ThreadPosition thread = threadPosition(builder, loc, layout);
  Type elementType = vectorType.getElementType();

  SmallVector<Value> sums(op.getAccumulators());
  for (int64_t k = 0; k < layout.blockK; ++k) {
    SmallVector<Value> a =
        loadRow(builder, loc, flatA, thread.m, k * layout.a.rowLength,
                layout.registerM, layout.groupM, layout.threadsM, elementType);
    SmallVector<Value> b =
        loadRow(builder, loc, flatB, thread.n, k * layout.b.rowLength,
                layout.registerN, layout.groupN, layout.threadsN, elementType);
    for (int64_t m = 0; m < layout.registerM; ++m) {
      Value scalar = vector::ExtractOp::create(
          builder, loc, a[m / layout.groupM], m % layout.groupM);
      Value factor =
          vector::BroadcastOp::create(builder, loc, vectorType, scalar);
      for (int64_t n = 0; n < columns; ++n) {
        Value &sum = sums[m * columns + n];
        sum = vector::FMAOp::create(builder, loc, factor, b[n], sum);
      }
    }
  }
  op.replaceAllUsesWith(sums);
  op.erase();
  return success();
}

namespace {
struct LowerMultiplyPanels
    : public tc::impl::TCLowerMultiplyPanelsBase<LowerMultiplyPanels> {
  void runOnOperation() override {
    SmallVector<MultiplyPanelsOp> ops;
    getOperation()->walk([&](MultiplyPanelsOp op) { ops.push_back(op); });
    for (MultiplyPanelsOp op : ops)
      if (failed(lower(op)))
        return signalPassFailure();
  }
};
} // namespace
