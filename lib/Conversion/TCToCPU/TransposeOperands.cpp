//===- TransposeOperands.cpp - Contractions as products of matrices -------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Materialises the strategy TTGT (Springer and Bientinesi, "Design of a
// High-Performance GEMM-like Tensor-Tensor Multiplication", TOMS 2018, section
// 4): copies of tensors that are matrices, their product, and the copy back.
//
//===----------------------------------------------------------------------===//

#include "tc/Conversion/TCToCPU/Passes.h"

#include "CpuBlock.h"

#include "tc/Analysis/ContractionDims.h"
#include "tc/Cpu/CpuStrategy.h"
#include "tc/Dialect/TC/IR/TCOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <cstdlib>

namespace tc {
#define GEN_PASS_DEF_TCTRANSPOSEOPERANDS
#include "tc/Conversion/TCToCPU/Passes.h.inc"
} // namespace tc

using namespace tc;
using model::Contraction;
using model::CpuSchedule;
using model::Tensor;
namespace linalg = mlir::linalg;
namespace memref = mlir::memref;

/// Alignment of copies: of a cache line and of the widest vectors.
static constexpr int64_t copyAlignment = 64;

namespace {

/// Rewrites one contraction.
class Rewriter {
public:
  Rewriter(ContractOp op, const Contraction &contraction,
           const Contraction &product, const CpuSchedule &schedule)
      : op(op), contraction(contraction), product(product), schedule(schedule),
        builder(op.getLoc(), op), emit(builder) {}

  void run();

private:
  void allocateCopies();
  Value viewAs(Value memref, const Contraction &contraction, Tensor tensor,
               ArrayRef<unsigned> dims);
  void transpose(Value from, Value to, ArrayRef<int64_t> permutation);

  ContractOp op;
  const Contraction &contraction, &product;
  const CpuSchedule &schedule;
  ImplicitLocOpBuilder builder;
  cpu::Emitter emit;
  /// No value for a tensor that is used where it is.
  model::PerTensor<Value> copies;
};

} // namespace

/// The buffer with one dimension for each of these indices of a contraction.
Value Rewriter::viewAs(Value buffer, const Contraction &viewed, Tensor tensor,
                       ArrayRef<unsigned> dims) {
  SmallVector<int64_t> sizes, strides;
  for (unsigned i : dims) {
    sizes.push_back(viewed.indices[i].extent);
    strides.push_back(viewed.indices[i].stride[tensor]);
  }
  auto given = cast<MemRefType>(buffer.getType());
  int64_t offset = given.getStridesAndOffset().second;
  // A number that is known at run time only stays so.
  if (!mlir::ShapedType::isDynamic(offset))
    offset = viewed.offset[tensor];
  auto layout =
      mlir::StridedLayoutAttr::get(builder.getContext(), offset, strides);
  auto type = MemRefType::get(sizes, given.getElementType(), layout);
  mlir::OpFoldResult begin = builder.getIndexAttr(offset);
  if (mlir::ShapedType::isDynamic(offset))
    begin = memref::ExtractStridedMetadataOp::create(builder, buffer)
                .getConstifiedMixedOffset();
  return memref::ReinterpretCastOp::create(
      builder, type, buffer, begin,
      mlir::getAsIndexOpFoldResult(builder.getContext(), sizes),
      mlir::getAsIndexOpFoldResult(builder.getContext(), strides));
}

void Rewriter::transpose(Value from, Value to, ArrayRef<int64_t> permutation) {
  auto transposition =
      linalg::TransposeOp::create(builder, from, to, permutation);
  transposition->setAttr("tc.lanes", builder.getI64IntegerAttr(schedule.lanes));
}

/// Allocates all copies, before any of them is filled.
void Rewriter::allocateCopies() {
  SmallVector<Value> allocated;
  Value areAllocated = emit.boolean(true);
  for (Tensor tensor : model::allTensors) {
    if (schedule.transpose[tensor].empty())
      continue;
    SmallVector<int64_t> shape;
    for (const std::string &label : schedule.transpose[tensor])
      shape.push_back(contraction.indices[*contraction.find(label)].extent);
    Type elementType =
        cast<MemRefType>(op.getOperandOf(tensor).getType()).getElementType();
    copies[tensor] = memref::AllocOp::create(
        builder, MemRefType::get(shape, elementType), ValueRange(),
        builder.getI64IntegerAttr(copyAlignment));
    allocated.push_back(copies[tensor]);
    areAllocated = builder.createOrFold<mlir::arith::AndIOp>(
        areAllocated, cpu::isAllocated(emit, copies[tensor]));
  }
  if (!allocated.empty())
    cpu::requireMemory(emit, areAllocated, allocated);
}

void Rewriter::run() {
  SmallVector<Value> operands;
  SmallVector<IndexListAttr> lists;
  allocateCopies();
  // The work that is left when C has been computed in a copy.
  std::function<void()> copyBack = [] {};
  for (Tensor tensor : model::allTensors) {
    Value buffer = op.getOperandOf(tensor);
    const std::vector<std::string> &order = schedule.transpose[tensor];
    if (!order.empty()) {
      std::vector<unsigned> held = copiedIndices(contraction, tensor);
      Value view = viewAs(buffer, contraction, tensor, held);
      SmallVector<int64_t> there, back(order.size());
      for (auto [dim, label] : llvm::enumerate(order)) {
        unsigned position = *contraction.find(label);
        there.push_back(llvm::find(held, position) - held.begin());
        back[there.back()] = dim;
      }
      Value copy = copies[tensor];
      if (tensor != Tensor::C || op.readsC())
        transpose(view, copy, there);
      if (tensor == Tensor::C)
        copyBack = [=] { transpose(copy, view, back); };
      buffer = copy;
    }
    std::vector<unsigned> dims = heldIndices(product, tensor);
    operands.push_back(viewAs(buffer, product, tensor, dims));
    SmallVector<StringAttr> labels;
    for (unsigned i : dims)
      labels.push_back(builder.getStringAttr(product.indices[i].label));
    lists.push_back(IndexListAttr::get(builder.getContext(), labels));
  }
  ContractOp multiplied = op.recreate(builder, op.getLoc(), operands, lists);
  multiplied.setCpuScheduleAttr(
      CpuScheduleAttr::get(builder.getContext(), scheduleOfProduct(schedule)));
  // These are of other indices.
  multiplied.removeScheduleAttr();
  multiplied.removeDynamicShapeAttr();
  copyBack();
  for (Tensor tensor : model::allTensors)
    if (copies[tensor])
      memref::DeallocOp::create(builder, copies[tensor]);
  op.erase();
}

static LogicalResult rewrite(ContractOp op) {
  CpuScheduleAttr schedule = op.getCpuScheduleAttr();
  if (!schedule || schedule.getValue().strategy != model::Strategy::TTGT ||
      op.hasZeroExtent())
    return success();
  if (!op.hasBuffers())
    return op.emitOpError("works on tensors: bufferize it first");
  FailureOr<Contraction> contraction = toContraction(op, schedule.getValue());
  if (failed(contraction))
    return failure();
  // Checks all of the schedule, while the operation at fault is still there.
  Result<model::CpuLayout> layout =
      model::layOut(*contraction, schedule.getValue());
  if (!layout)
    return op.emitOpError(layout.error());
  Result<Contraction> product =
      model::productOf(*contraction, schedule.getValue());
  if (!product)
    return op.emitOpError(product.error());
  Rewriter(op, *contraction, *product, schedule.getValue()).run();
  return success();
}

namespace {
struct TransposeOperands
    : public tc::impl::TCTransposeOperandsBase<TransposeOperands> {
  void runOnOperation() override {
    SmallVector<ContractOp> ops;
    getOperation()->walk([&](ContractOp op) { ops.push_back(op); });
    bool anyFailed = false;
    for (ContractOp op : ops)
      anyFailed |= failed(rewrite(op));
    if (anyFailed)
      signalPassFailure();
  }
};
} // namespace
