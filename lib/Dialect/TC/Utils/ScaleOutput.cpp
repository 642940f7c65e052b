//===- ScaleOutput.cpp - Contractions that multiply nothing ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TC/Utils/ScaleOutput.h"

#include "tc/Dialect/TC/Utils/ElementArithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

using namespace tc;
namespace arith = mlir::arith;
namespace complex = mlir::complex;
namespace linalg = mlir::linalg;

mlir::TypedAttr tc::getConstantFactor(Value factor, mlir::TypedAttr absent) {
  return factor ? getConstantNumber(factor) : absent;
}

std::pair<Value, Value> tc::splitFactor(OpBuilder &builder, Location loc,
                                        Value factor) {
  if (!isa<mlir::ComplexType>(factor.getType()))
    return {factor, Value()};
  Value real = builder.createOrFold<complex::ReOp>(loc, factor);
  mlir::TypedAttr constant = getConstantNumber(factor);
  if (constant && getNumber(constant).imag() == 0)
    return {real, Value()};
  return {real, builder.createOrFold<complex::ImOp>(loc, factor)};
}

Value tc::scaleOldElement(OpBuilder &builder, Location loc, ContractOp op,
                          Value old) {
  Type sumType = op.getAccumulatorType();
  if (op.getAccumulate())
    return convertElements(builder, loc, old, sumType);
  Value zero =
      createNumber(builder, loc, getEmptySum(SemiringCode(op), sumType));
  Value beta = op.getBeta();
  if (!beta || isZero(op.getSemiring(), beta))
    return zero;
  old = convertElements(builder, loc, old, sumType);
  if (isOne(op.getSemiring(), beta))
    return old;
  Value scaled = multiply(builder, loc, op.getSemiring(), beta, old);
  Value isZero;
  if (isa<mlir::ComplexType>(sumType))
    isZero = complex::EqualOp::create(builder, loc, beta, zero);
  else if (isa<FloatType>(sumType))
    isZero = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ,
                                   beta, zero);
  else
    isZero = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, beta,
                                   zero);
  return arith::SelectOp::create(builder, loc, isZero, zero, scaled);
}

SmallVector<mlir::AffineMap> tc::getAuxiliaryMaps(ContractOp op) {
  MLIRContext *context = op.getContext();
  SmallVector<mlir::AffineMap> maps;
  SmallVector<IndexListAttr> lists = op.getIndexLists();
  for (IndexListAttr indices : ArrayRef(lists).drop_front(3)) {
    SmallVector<mlir::AffineExpr> dims;
    for (StringAttr label : indices)
      dims.push_back(
          mlir::getAffineDimExpr(*op.getCIndices().find(label), context));
    maps.push_back(
        mlir::AffineMap::get(op.getCIndices().size(), 0, dims, context));
  }
  return maps;
}

void tc::scaleOutput(ContractOp op) {
  ImplicitLocOpBuilder builder(op.getLoc(), op);
  auto type = cast<MemRefType>(op.getC().getType());
  Type elementType = type.getElementType();
  bool hasEpilogue = op.getEpilogue();
  if (!hasEpilogue && op.addsToC())
    return op.erase();
  if (!op.readsC() && !hasEpilogue) {
    Value zero =
        createNumber(builder, op.getLoc(),
                     getEmptySum(SemiringCode(op), op.getAccumulatorType()));
    linalg::FillOp::create(
        builder, convertElements(builder, op.getLoc(), zero, elementType),
        op.getC());
    return op.erase();
  }
  SmallVector<mlir::AffineMap> maps = getAuxiliaryMaps(op);
  maps.push_back(builder.getMultiDimIdentityMap(type.getRank()));
  SmallVector<mlir::utils::IteratorType> iterators(
      type.getRank(), mlir::utils::IteratorType::parallel);
  linalg::GenericOp::create(
      builder, op.getAuxiliaries(), ValueRange(op.getC()), maps, iterators,
      [&](OpBuilder &nested, Location loc, ValueRange elements) {
        Value old = elements.back();
        Value result = scaleOldElement(nested, loc, op, old);
        if (hasEpilogue) {
          SmallVector<Value> arguments = {result, old};
          llvm::append_range(arguments, elements.drop_back());
          result = applyRegion(nested, loc, *op.getEpilogue(), arguments);
        } else {
          result = convertElements(nested, loc, result, elementType);
        }
        linalg::YieldOp::create(nested, loc, result);
      });
  op.erase();
}
