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

Value tc::widen(OpBuilder &builder, Location loc, Value number, Type type) {
  if (number.getType() == type)
    return number;
  return arith::ExtFOp::create(builder, loc, type, number);
}

Value tc::narrow(OpBuilder &builder, Location loc, Value number, Type type) {
  if (number.getType() == type)
    return number;
  return arith::TruncFOp::create(builder, loc, type, number);
}

Value tc::scaleOldElement(OpBuilder &builder, Location loc, Value beta,
                          Value element) {
  Type type = beta.getType();
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  Value scaled = arith::MulFOp::create(builder, loc, beta,
                                       widen(builder, loc, element, type));
  Value isZero = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ,
                                       beta, zero);
  return arith::SelectOp::create(builder, loc, isZero, zero, scaled);
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
        Value scaled = scaleOldElement(nested, loc, beta, args[0]);
        Value result = narrow(nested, loc, scaled, elementType);
        linalg::YieldOp::create(nested, loc, result);
      });
  op.erase();
}
