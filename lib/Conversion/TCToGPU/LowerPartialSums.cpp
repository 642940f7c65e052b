//===- LowerPartialSums.cpp - Expand the sharing of a tile's sum ----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expands tc.store_partial_sums and tc.add_partial_sums, by which blocks add up
// parts of one sum through global memory.
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
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace tc {
#define GEN_PASS_DEF_TCLOWERPARTIALSUMS
#include "tc/Conversion/TCToGPU/Passes.h.inc"
} // namespace tc

using namespace tc;
namespace arith = mlir::arith;
namespace gpu = mlir::gpu;
namespace memref = mlir::memref;
namespace scf = mlir::scf;
namespace vector = mlir::vector;
using mlir::ValueRange;
using mlir::VectorType;

namespace {

/// The values that both operations need to know and to compute.
class PartialSums {
public:
  PartialSums(Operation *op, Value workspace, const KernelInfo &kernel)
      : layout(kernel.layout), semiring(kernel.contraction.semiring),
        shared(*model::sharedSumsOf(kernel.contraction, layout)), builder(op),
        loc(nameStep(op, "partial sums")),
        index(builder, loc, builder.getIndexType()), workspace(workspace) {}

  void publish(StorePartialSumsOp op);
  void add(AddPartialSumsOp op);

private:
  Value blockNumber() {
    return gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x);
  }
  Value partials(Type elementType);
  Value elementOf(Value block, VectorType type, size_t number);

  const model::KernelLayout &layout;
  SemiringCode semiring;
  model::SharedSums shared;
  OpBuilder builder;
  Location loc;
  IndexBuilder index;
  Value workspace;
};

} // namespace

/// The partial sums of all blocks, as one dimension.
Value PartialSums::partials(Type elementType) {
  auto memory = cast<MemRefType>(workspace.getType()).getMemorySpace();
  auto viewFrom = [&](Value begin, int64_t elements, ValueRange sizes) {
    auto type = MemRefType::get({elements}, elementType,
                                mlir::MemRefLayoutAttrInterface(), memory);
    return memref::ViewOp::create(builder, loc, type, workspace, begin, sizes);
  };
  if (!layout.hasDynamicShape) {
    int64_t begin = model::workspaceOf(shared, layout.blocks).partialsOffset;
    return viewFrom(index.constant(begin),
                    layout.blocks * shared.elementsPerBlock, {});
  }
  Value blocks = gpu::GridDimOp::create(builder, loc, gpu::Dimension::x);
  return viewFrom(model::partialsOffset(shared, blocks, index),
                  mlir::ShapedType::kDynamic,
                  index.multiply(blocks, shared.elementsPerBlock));
}

/// The place of the calling thread's vector of that number among the partial
/// sums of a block: vectors of the same number are neighbours, so that they
/// coalesce.
Value PartialSums::elementOf(Value block, VectorType type, size_t number) {
  Value thread = gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x);
  int64_t width = type.getNumElements();
  Value element = index.add(index.multiply(block, shared.elementsPerBlock),
                            index.multiply(thread, width));
  return index.add(element, index.constant(static_cast<int64_t>(number) *
                                           layout.threads * width));
}

void PartialSums::publish(StorePartialSumsOp op) {
  auto type = cast<VectorType>(op.getAccumulators().front().getType());
  Value sums = partials(type.getElementType());
  Value block = blockNumber();
  for (auto [number, sum] : llvm::enumerate(op.getAccumulators()))
    vector::StoreOp::create(builder, loc, sum, sums,
                            ValueRange{elementOf(block, type, number)})
        .setAlignment(vectorBytes(type));

  IndexBuilder count(builder, loc, builder.getI32Type());
  Value isLast = arriveAtCounter(builder, loc, workspace,
                                 index.divide(block, layout.mapping.splitK),
                                 count.constant(layout.mapping.splitK));
  op.getIsLast().replaceAllUsesWith(isLast);
}

void PartialSums::add(AddPartialSumsOp op) {
  auto type = cast<VectorType>(op.getResults().front().getType());
  Value sums = partials(type.getElementType());
  Value block = blockNumber();
  Value first = index.multiply(index.divide(block, layout.mapping.splitK),
                               layout.mapping.splitK);
  auto load = [&](Value from, size_t number) -> Value {
    auto access = vector::LoadOp::create(
        builder, loc, type, sums, ValueRange{elementOf(from, type, number)});
    access.setAlignment(vectorBytes(type));
    return access;
  };
  if (!op.getCombine().empty())
    semiring.combine = &op.getCombine().front();
  SmallVector<Value> totals;
  for (size_t number = 0; number < op.getNumResults(); ++number)
    totals.push_back(load(first, number));
  IndexBuilder counter(builder, loc, builder.getI32Type());
  auto loop = scf::ForOp::create(builder, loc, counter.constant(1),
                                 counter.constant(layout.mapping.splitK),
                                 counter.constant(1), totals);
  {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value part = arith::IndexCastOp::create(
        builder, loc, builder.getIndexType(), loop.getInductionVar());
    Value from = index.add(first, part);
    SmallVector<Value> parts, added;
    for (size_t number = 0; number < op.getNumResults(); ++number)
      parts.push_back(load(from, number));
    for (auto [total, summand] :
         llvm::zip_equal(loop.getRegionIterArgs(), parts))
      added.push_back(combine(builder, loc, semiring, total, summand));
    scf::YieldOp::create(builder, loc, added);
  }
  op.getResults().replaceAllUsesWith(loop.getResults());
}

/// Checks that the vectors hold what the block has, in the workspace that the
/// kernel should have.
static LogicalResult checkFit(Operation *op, ValueRange vectors,
                              Value workspace, const KernelInfo &kernel) {
  const model::KernelLayout &layout = kernel.layout;
  model::WorkspaceLayout places =
      model::workspaceOf(kernel.contraction, layout);
  if (layout.mapping.splitK == 1)
    return op->emitOpError("doesn't fit the kernel's schedule: K is not split");
  int64_t bytes = cast<MemRefType>(workspace.getType()).getNumElements();
  if (bytes != places.bytes)
    return op->emitOpError("doesn't fit the kernel's layout: expected a "
                           "workspace of ")
           << places.bytes << " bytes, got " << bytes;
  int64_t held = static_cast<int64_t>(vectors.size()) *
                 cast<VectorType>(vectors.front().getType()).getNumElements();
  if (held * layout.threads != places.elementsPerBlock)
    return op->emitOpError("doesn't fit the kernel's layout: expected ")
           << places.elementsPerBlock / layout.threads
           << " partial sums of a thread, got " << held;
  return success();
}

/// Checks that there is a region where the kernel's semiring needs one.
static LogicalResult checkCombine(KernelPlans &plans, AddPartialSumsOp op) {
  const KernelInfo *kernel = plans.enclosing(op);
  if (!kernel)
    return failure();
  model::Semiring semiring = kernel->contraction.semiring;
  if ((semiring == model::Semiring::UserDefined) == op.getCombine().empty())
    return op.emitOpError("doesn't fit its kernel: a region is for a "
                          "user-defined semiring, and it is ")
           << StringRef(model::stringify(semiring));
  return success();
}

namespace {
struct LowerPartialSums
    : public tc::impl::TCLowerPartialSumsBase<LowerPartialSums> {
  template <typename Op, typename Expand>
  LogicalResult lower(KernelPlans &plans, Op op, ValueRange vectors,
                      Expand expand) {
    const KernelInfo *kernel = plans.enclosing(op);
    if (!kernel || failed(checkFit(op, vectors, op.getWorkspace(), *kernel)))
      return failure();
    PartialSums sums(op, op.getWorkspace(), *kernel);
    expand(sums);
    op.erase();
    return success();
  }

  void runOnOperation() override {
    auto &plans = getAnalysis<KernelPlans>();
    SmallVector<StorePartialSumsOp> published;
    SmallVector<AddPartialSumsOp> added;
    getOperation()->walk(
        [&](StorePartialSumsOp op) { published.push_back(op); });
    getOperation()->walk([&](AddPartialSumsOp op) { added.push_back(op); });
    for (StorePartialSumsOp op : published)
      if (failed(lower(plans, op, op.getAccumulators(),
                       [&](PartialSums &sums) { sums.publish(op); })))
        return signalPassFailure();
    for (AddPartialSumsOp op : added)
      if (failed(checkCombine(plans, op)))
        return signalPassFailure();
    for (AddPartialSumsOp op : added)
      if (failed(lower(plans, op, op.getResults(),
                       [&](PartialSums &sums) { sums.add(op); })))
        return signalPassFailure();
  }
};
} // namespace
