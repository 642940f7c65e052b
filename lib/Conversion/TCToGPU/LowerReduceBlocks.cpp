//===- LowerReduceBlocks.cpp - Expand the sum of all threads' sums --------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expands tc.reduce_blocks, by which all threads of a grid add their numbers up
// to one.
//
//===----------------------------------------------------------------------===//

#include "BlockArrival.h"
#include "TileIndexing.h"

#include "tc/Conversion/TCToGPU/Passes.h"
#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/Dialect/TC/Utils/ElementArithmetic.h"
#include "tc/Gpu/Layout/Workspace.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include "llvm/Support/MathExtras.h"

namespace tc {
#define GEN_PASS_DEF_TCLOWERREDUCEBLOCKS
#include "tc/Conversion/TCToGPU/Passes.h.inc"
} // namespace tc

using namespace tc;
namespace arith = mlir::arith;
namespace gpu = mlir::gpu;
namespace memref = mlir::memref;
namespace scf = mlir::scf;
using mlir::ValueRange;

namespace {

class BlockReduction {
public:
  BlockReduction(ReduceBlocksOp op, const KernelInfo &kernel)
      : op(op), layout(kernel.layout),
        places(model::workspaceOf(kernel.contraction, kernel.layout)),
        builder(op), loc(nameStep(op, "reduce blocks")),
        index(builder, loc, builder.getIndexType()),
        type(op.getSum().getType()),
        offset(ShapeValues(kernel, op).offset(model::Tensor::C)) {}

  void build();

private:
  Value view(Value bytes, int64_t offset, Value elements);
  Value add(Value x, Value y) {
    return combine(builder, loc, SemiringCode(), x, y);
  }
  Value load(Value buffer, Value at) {
    return memref::LoadOp::create(builder, loc, buffer, ValueRange{at});
  }
  void store(Value value, Value buffer, Value at) {
    memref::StoreOp::create(builder, loc, value, buffer, ValueRange{at});
  }
  void guard(Value condition, llvm::function_ref<void()> build);
  void addThreads(Value sum);
  Value addBlocks();

  ReduceBlocksOp op;
  const model::KernelLayout &layout;
  model::WorkspaceLayout places;
  OpBuilder builder;
  Location loc;
  IndexBuilder index;
  Type type;
  /// The place of the total in the output.
  UniformNumber offset;
  Value thread, shared, partials;
  /// Those of the grid, as an index.
  Value blocks;
};

} // namespace

/// So many numbers from an offset in bytes on.
Value BlockReduction::view(Value bytes, int64_t begin, Value elements) {
  auto memory = cast<MemRefType>(bytes.getType());
  std::optional<int64_t> known = mlir::getConstantIntValue(elements);
  auto viewed = MemRefType::get({known.value_or(ShapedType::kDynamic)}, type,
                                mlir::MemRefLayoutAttrInterface(),
                                memory.getMemorySpace());
  return memref::ViewOp::create(builder, loc, viewed, bytes,
                                index.constant(begin),
                                known ? ValueRange() : ValueRange(elements));
}

void BlockReduction::guard(Value condition, llvm::function_ref<void()> build) {
  auto guarded =
      scf::IfOp::create(builder, loc, condition, /*withElseRegion=*/false);
  mlir::OpBuilder::InsertionGuard inner(builder);
  builder.setInsertionPointToStart(guarded.thenBlock());
  build();
}

/// Adds up the numbers of the block's threads: the first thread finds the sum
/// at the beginning of shared memory. Each round adds those of the upper half
/// to those of the lower.
void BlockReduction::addThreads(Value sum) {
  store(sum, shared, thread);
  auto half = static_cast<int64_t>(
      llvm::PowerOf2Ceil(static_cast<uint64_t>(layout.threads)) / 2);
  for (; half > 0; half /= 2) {
    gpu::BarrierOp::create(builder, loc);
    guard(index.lessThan(thread, std::min(half, layout.threads - half)), [&] {
      Value other = index.add(thread, index.constant(half));
      store(add(load(shared, thread), load(shared, other)), shared, thread);
    });
  }
}

/// Of the numbers that all blocks have left, the sum of those that the thread
/// has to add up: one in as many as the block has threads.
Value BlockReduction::addBlocks() {
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  auto loop = scf::ForOp::create(builder, loc, thread, blocks,
                                 index.constant(layout.threads), zero);
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value sum =
      add(loop.getRegionIterArg(0), load(partials, loop.getInductionVar()));
  scf::YieldOp::create(builder, loc, sum);
  return loop.getResult(0);
}

void BlockReduction::build() {
  thread = gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x);
  blocks = layout.hasDynamicShape
               ? Value(gpu::GridDimOp::create(builder, loc, gpu::Dimension::x))
               : index.constant(layout.blocks);
  shared = view(op.getStorage(), 0, index.constant(layout.threads));
  partials = view(op.getWorkspace(), places.partialsOffset, blocks);
  Value zero = index.constant(0);
  Value arriving = builder.createOrFold<arith::IndexCastOp>(
      loc, builder.getI32Type(), blocks);
  // The shared tiles that lie there have been read by then.
  gpu::BarrierOp::create(builder, loc);
  addThreads(op.getSum());
  Value isLast =
      arriveAtCounter(builder, loc, op.getWorkspace(), zero, arriving, [&] {
        Value block = gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x);
        store(load(shared, zero), partials, block);
      });
  guard(isLast, [&] {
    Value sum = addBlocks();
    // All have read whether the block is the last, where sums lie now.
    gpu::BarrierOp::create(builder, loc);
    addThreads(sum);
    Value isFirst = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::eq, thread, zero);
    guard(isFirst, [&] {
      Type stored = cast<MemRefType>(op.getDest().getType()).getElementType();
      store(convertElements(builder, loc, load(shared, zero), stored),
            op.getDest(),
            offset.value ? Value(arith::IndexCastOp::create(
                               builder, loc, index.getType(), offset.value))
                         : index.constant(offset.constant));
    });
  });
}

static LogicalResult lower(KernelPlans &plans, ReduceBlocksOp op) {
  const KernelInfo *kernel = plans.enclosing(op);
  if (!kernel)
    return failure();
  if (!kernel->contraction.reducesC)
    return op.emitOpError("doesn't fit its kernel, which stores C");
  Type expected = getElementType(
      op.getContext(), model::reductionTypeOf(
                           kernel->contraction.elementType[model::Tensor::C]));
  if (op.getSum().getType() != expected)
    return op.emitOpError("doesn't fit its kernel: expected a sum of ")
           << expected << ", got " << op.getSum().getType();
  int64_t bytes = model::workspaceOf(kernel->contraction, kernel->layout).bytes;
  auto workspace = cast<MemRefType>(op.getWorkspace().getType());
  if (!workspace.hasStaticShape() || workspace.getNumElements() != bytes)
    return op.emitOpError("doesn't fit its kernel: expected a workspace of ")
           << bytes << " bytes, got " << workspace;
  BlockReduction(op, *kernel).build();
  op.erase();
  return success();
}

namespace {
struct LowerReduceBlocks
    : public tc::impl::TCLowerReduceBlocksBase<LowerReduceBlocks> {
  void runOnOperation() override {
    auto &plans = getAnalysis<KernelPlans>();
    SmallVector<ReduceBlocksOp> ops;
    getOperation()->walk([&](ReduceBlocksOp op) { ops.push_back(op); });
    for (ReduceBlocksOp op : ops)
      if (failed(lower(plans, op)))
        return signalPassFailure();
  }
};
} // namespace
