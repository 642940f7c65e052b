//===- ScaleOutput.cpp - Contractions that multiply nothing ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Conversion/ScaleOutput.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

using namespace tc;
namespace arith = mlir::arith;
namespace linalg = mlir::linalg;

FloatAttr tc::getConstantFactor(Value factor, Type type, double absent) {
  if (!factor)
    return FloatAttr::get(type, absent);
  FloatAttr attr;
  if (matchPattern(factor, mlir::m_Constant(&attr)))
    return attr;
  return {};
}

void tc::scaleOutput(ContractOp op) {
  ImplicitLocOpBuilder builder(op.getLoc(), op);
  auto type = cast<MemRefType>(op.getC().getType());
  Type elementType = type.getElementType();
  FloatType sumType = op.getAccumulatorType();
  FloatAttr constant = getConstantFactor(op.getBeta(), sumType, 0.0);
  if (constant && constant.getValue().isExactlyValue(1.0))
    return op.erase();
  if (constant && constant.getValue().isZero()) {
    Value zero =
        arith::ConstantOp::create(builder, builder.getZeroAttr(elementType));
    linalg::FillOp::create(builder, zero, op.getC());
    return op.erase();
  }
  unsigned rank = type.getRank();
  SmallVector<mlir::utils::IteratorType> iterators(
      rank, mlir::utils::IteratorType::parallel);
  Value beta = op.getBeta();
  linalg::GenericOp::create(
      builder, ValueRange(), ValueRange(op.getC()),
      ArrayRef<mlir::AffineMap>{builder.getMultiDimIdentityMap(rank)},
      iterators, [&](OpBuilder &nested, Location loc, ValueRange args) {
        Value zero =
            arith::ConstantOp::create(nested, loc, nested.getZeroAttr(sumType));
        Value old = args[0];
        if (sumType != elementType)
          old = arith::ExtFOp::create(nested, loc, sumType, old);
        Value scaled = arith::MulFOp::create(nested, loc, beta, old);
        // A beta of zero doesn't let NaN in C through.
        Value isZero = arith::CmpFOp::create(
            nested, loc, arith::CmpFPredicate::OEQ, beta, zero);
        Value result =
            arith::SelectOp::create(nested, loc, isZero, zero, scaled);
        if (sumType != elementType)
          result = arith::TruncFOp::create(nested, loc, elementType, result);
        linalg::YieldOp::create(nested, loc, result);
      });
  op.erase();
}
