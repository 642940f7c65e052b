//===- DispatchVersions.cpp - Chooses between kernels at run time ---------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Puts a contraction with wide accesses beside one for every shape, and a
// condition before both.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TC/Transforms/Passes.h"

#include "tc/Analysis/ContractionDims.h"
#include "tc/Dialect/TC/IR/TCOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <numeric>

namespace tc {
#define GEN_PASS_DEF_DISPATCHVERSIONSPASS
#include "tc/Dialect/TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;
namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace scf = mlir::scf;
using mlir::ImplicitLocOpBuilder;

/// Elements of the widest accesses, as far as more hardly ever divide extents.
static constexpr int64_t multiples = 8;
/// Bytes of the widest accesses.
static constexpr int64_t widestAccess = 16;

namespace {

/// Collects what must hold of the operands.
class Conditions {
public:
  explicit Conditions(ImplicitLocOpBuilder &builder) : builder(builder) {}

  void isMultiple(Value number, int64_t of) {
    if (of == 1)
      return;
    Value rest = arith::RemSIOp::create(builder, number, constant(of));
    isEqual(rest, 0);
  }
  void isEqual(Value number, int64_t to) {
    Value equal = arith::CmpIOp::create(builder, arith::CmpIPredicate::eq,
                                        number, constant(to));
    all = all ? arith::AndIOp::create(builder, all, equal).getResult() : equal;
  }
  /// Of an operand that stands for one of that type.
  void fits(Value buffer, MemRefType representative);

  Value all;

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, value);
  }

  ImplicitLocOpBuilder &builder;
};

} // namespace

void Conditions::fits(Value buffer, MemRefType representative) {
  auto type = cast<MemRefType>(buffer.getType());
  if (!hasUnknownShape(type))
    return;
  auto [strides, offset] = type.getStridesAndOffset();
  auto [wanted, first] = representative.getStridesAndOffset();
  auto metadata = memref::ExtractStridedMetadataOp::create(builder, buffer);
  isMultiple(memref::ExtractAlignedPointerAsIndexOp::create(builder, buffer),
             widestAccess);
  if (ShapedType::isDynamic(offset))
    isMultiple(metadata.getOffset(), std::gcd(first, multiples));
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (type.isDynamicDim(dim))
      isMultiple(metadata.getSizes()[dim],
                 std::gcd(representative.getDimSize(dim), multiples));
    if (!ShapedType::isDynamic(strides[dim]))
      continue;
    if (wanted[dim] == 1)
      isEqual(metadata.getStrides()[dim], 1);
    else
      isMultiple(metadata.getStrides()[dim], std::gcd(wanted[dim], multiples));
  }
}

namespace {
struct DispatchVersionsPass
    : public tc::impl::DispatchVersionsPassBase<DispatchVersionsPass> {
  void runOnOperation() override {
    SmallVector<ContractOp> ops;
    getOperation()->walk([&](ContractOp op) {
      DynamicShapeAttr shape = op.getDynamicShapeAttr();
      if (op.hasBuffers() && shape && shape.getMultiples() == 1 &&
          hasUnknownShape(op))
        ops.push_back(op);
    });
    for (ContractOp op : ops)
      if (failed(dispatch(op)))
        return signalPassFailure();
  }

private:
  LogicalResult dispatch(ContractOp op) {
    FailureOr<model::Contraction> contraction = toContraction(op);
    if (failed(contraction))
      return failure();
    ImplicitLocOpBuilder builder(op.getLoc(), op);
    Conditions conditions(builder);
    for (auto [tensor, indices] :
         llvm::zip_equal(op.getTensors(), op.getIndexLists()))
      conditions.fits(tensor,
                      representativeType(cast<MemRefType>(tensor.getType()),
                                         indices, *contraction));
    auto choice = scf::IfOp::create(builder, conditions.all,
                                    /*withElseRegion=*/true);
    builder.setInsertionPointToStart(choice.thenBlock());
    auto wide = cast<ContractOp>(builder.clone(*op));
    DynamicShapeAttr shape = op.getDynamicShapeAttr();
    wide.setDynamicShapeAttr(DynamicShapeAttr::get(&getContext(), multiples,
                                                   shape.getOffsetBits(),
                                                   shape.getRepresentative()));
    wide.removeScheduleAttr();
    op->moveBefore(choice.elseBlock(), choice.elseBlock()->begin());
    ++numDispatched;
    return success();
  }
};
} // namespace
