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
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace tc {
#define GEN_PASS_DEF_TCLOWERMULTIPLYPANELS
#include "tc/Conversion/TCToGPU/Passes.h.inc"
} // namespace tc

using namespace tc;
namespace gpu = mlir::gpu;
namespace scf = mlir::scf;
namespace vector = mlir::vector;
using mlir::VectorType;

namespace {

/// The multiplication of one pair of panels by one thread.
class PanelProduct {
public:
  PanelProduct(MultiplyPanelsOp op, const model::KernelLayout &layout)
      : layout(layout), builder(op), loc(nameStep(op, "multiply panels")),
        index(builder, loc, builder.getI32Type()),
        flatA(flattenPanel(builder, loc, op.getLhs())),
        flatB(flattenPanel(builder, loc, op.getRhs())),
        thread(threadPosition(builder, loc, layout)),
        sumType(cast<VectorType>(op.getAccumulators().front().getType())) {}

  SmallVector<Value> build(mlir::ValueRange sums, int64_t rowsUnrolled);

private:
  SmallVector<Value> loadRow(Value flat, SplitIndex first, int64_t count,
                             int64_t group, int64_t threads);
  void addRow(Value offsetA, Value offsetB, int64_t row,
              SmallVector<Value> &sums);

  const model::KernelLayout &layout;
  OpBuilder builder;
  Location loc;
  IndexBuilder index;
  Value flatA, flatB;
  ThreadPosition thread;
  VectorType sumType;
};

} // namespace

/// Loads the thread's elements of one row of a panel, group by group.
SmallVector<Value> PanelProduct::loadRow(Value flat, SplitIndex first,
                                         int64_t count, int64_t group,
                                         int64_t threads) {
  auto type = VectorType::get({group}, sumType.getElementType());
  SmallVector<Value> groups;
  for (int64_t g = 0; g < count / group; ++g) {
    SplitIndex element{first.value, first.constant + g * threads * group};
    auto access = vector::LoadOp::create(
        builder, loc, type, flat, mlir::ValueRange{index.toIndex(element)});
    access.setAlignment(vectorBytes(type));
    groups.push_back(access);
  }
  return groups;
}

/// Adds the outer product of one row of the panels, counted from the offsets.
void PanelProduct::addRow(Value offsetA, Value offsetB, int64_t row,
                          SmallVector<Value> &sums) {
  SmallVector<Value> a =
      loadRow(flatA, {offsetA, row * layout.a.rowLength}, layout.registerM,
              layout.groupM, layout.threadsM);
  SmallVector<Value> b =
      loadRow(flatB, {offsetB, row * layout.b.rowLength}, layout.registerN,
              layout.groupN, layout.threadsN);
  int64_t columns = layout.registerN / layout.groupN;
  for (int64_t m = 0; m < layout.registerM; ++m) {
    Value scalar = vector::ExtractOp::create(builder, loc, a[m / layout.groupM],
                                             m % layout.groupM);
    Value factor = vector::BroadcastOp::create(builder, loc, sumType, scalar);
    for (int64_t n = 0; n < columns; ++n) {
      Value &sum = sums[m * columns + n];
      sum = vector::FMAOp::create(builder, loc, factor, b[n], sum);
    }
  }
}

SmallVector<Value> PanelProduct::build(mlir::ValueRange initial,
                                       int64_t rowsUnrolled) {
  SmallVector<Value> sums(initial);
  Value offsetA = index.multiply(thread.m, layout.groupM);
  Value offsetB = index.multiply(thread.n, layout.groupN);
  if (rowsUnrolled == layout.blockK) {
    for (int64_t k = 0; k < layout.blockK; ++k)
      addRow(offsetA, offsetB, k, sums);
    return sums;
  }

  auto loop = scf::ForOp::create(builder, loc, index.constant(0),
                                 index.constant(layout.blockK),
                                 index.constant(rowsUnrolled), sums);
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  sums.assign(loop.getRegionIterArgs().begin(), loop.getRegionIterArgs().end());
  Value k = loop.getInductionVar();
  offsetA = index.add(offsetA, index.multiply(k, layout.a.rowLength));
  offsetB = index.add(offsetB, index.multiply(k, layout.b.rowLength));
  for (int64_t row = 0; row < rowsUnrolled; ++row)
    addRow(offsetA, offsetB, row, sums);
  scf::YieldOp::create(builder, loc, sums);
  return SmallVector<Value>(loop.getResults());
}

/// The most rows that divide the panels' and whose multiply-adds do not exceed
/// the limit; at least one.
static int64_t chooseRowsUnrolled(const model::KernelLayout &layout,
                                  int64_t limit) {
  int64_t rows = layout.blockK;
  while (rows > 1 && (layout.blockK % rows != 0 ||
                      rows * layout.registerM * layout.registerN > limit))
    --rows;
  return rows;
}

static LogicalResult lower(MultiplyPanelsOp op, int64_t maxUnrolled) {
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

  SmallVector<Value> sums =
      PanelProduct(op, layout)
          .build(op.getAccumulators(), chooseRowsUnrolled(layout, maxUnrolled));
  op.replaceAllUsesWith(sums);
  op.erase();
  return success();
}

namespace {
struct LowerMultiplyPanels
    : public tc::impl::TCLowerMultiplyPanelsBase<LowerMultiplyPanels> {
  using TCLowerMultiplyPanelsBase::TCLowerMultiplyPanelsBase;

  void runOnOperation() override {
    SmallVector<MultiplyPanelsOp> ops;
    getOperation()->walk([&](MultiplyPanelsOp op) { ops.push_back(op); });
    for (MultiplyPanelsOp op : ops)
      if (failed(lower(op, maxUnrolled)))
        return signalPassFailure();
  }
};
} // namespace
