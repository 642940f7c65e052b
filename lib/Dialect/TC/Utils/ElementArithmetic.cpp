//===- ElementArithmetic.cpp - Code on a contraction's elements -----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TC/Utils/ElementArithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace tc;
using model::Combine;
using model::Product;
namespace arith = mlir::arith;

static bool isFloat(Value value) {
  return isa<FloatType>(mlir::getElementTypeOrSelf(value));
}

static bool isComplex(Value value) {
  return isa<mlir::ComplexType>(value.getType());
}

static Value add(OpBuilder &builder, Location loc, Value x, Value y) {
  if (isComplex(x))
    return mlir::complex::AddOp::create(builder, loc, x, y);
  if (isFloat(x))
    return arith::AddFOp::create(builder, loc, x, y);
  return arith::AddIOp::create(builder, loc, x, y);
}

static Value maximum(OpBuilder &builder, Location loc, Value x, Value y) {
  if (isFloat(x))
    return arith::MaxNumFOp::create(builder, loc, x, y);
  return arith::MaxSIOp::create(builder, loc, x, y);
}

static Value minimum(OpBuilder &builder, Location loc, Value x, Value y) {
  if (isFloat(x))
    return arith::MinNumFOp::create(builder, loc, x, y);
  return arith::MinSIOp::create(builder, loc, x, y);
}

tc::SemiringCode::SemiringCode(ContractOp op)
    : semiring(op.getSemiring()), product(op.getProduct()),
      combine(op.getCombine()), identity(op.getIdentityAttr()) {}

mlir::TypedAttr tc::getEmptySum(const SemiringCode &semiring, Type type) {
  if (!semiring.identity)
    return getZero(semiring.semiring, type);
  if (auto shaped = dyn_cast<ShapedType>(type))
    return mlir::DenseElementsAttr::get(shaped, Attribute(semiring.identity));
  return semiring.identity;
}

Value tc::combine(OpBuilder &builder, Location loc,
                  const SemiringCode &semiring, Value x, Value y) {
  if (semiring.combine)
    return applyRegion(builder, loc, *semiring.combine, {x, y});
  switch (model::combineOf(semiring.semiring)) {
  case Combine::Add:
    return add(builder, loc, x, y);
  case Combine::Max:
    return maximum(builder, loc, x, y);
  case Combine::Min:
    return minimum(builder, loc, x, y);
  case Combine::Or:
    return arith::OrIOp::create(builder, loc, x, y);
  case Combine::Xor:
    return arith::XOrIOp::create(builder, loc, x, y);
  }
  llvm_unreachable("unknown semiring");
}

Value tc::multiply(OpBuilder &builder, Location loc,
                   const SemiringCode &semiring, Value x, Value y) {
  if (semiring.product)
    return applyRegion(builder, loc, *semiring.product, {x, y});
  switch (model::productOf(semiring.semiring)) {
  case Product::Multiply:
    if (isComplex(x))
      return mlir::complex::MulOp::create(builder, loc, x, y);
    if (isFloat(x))
      return arith::MulFOp::create(builder, loc, x, y);
    return arith::MulIOp::create(builder, loc, x, y);
  case Product::Add:
    return add(builder, loc, x, y);
  case Product::And:
    return arith::AndIOp::create(builder, loc, x, y);
  case Product::Max:
    return maximum(builder, loc, x, y);
  case Product::Min:
    return minimum(builder, loc, x, y);
  }
  llvm_unreachable("unknown semiring");
}

Value tc::multiplyAndCombine(OpBuilder &builder, Location loc,
                             const SemiringCode &semiring, Value x, Value y,
                             Value sum) {
  if (semiring.semiring == model::Semiring::PlusTimes && isFloat(x))
    return mlir::math::FmaOp::create(builder, loc, x, y, sum);
  return combine(builder, loc, semiring, multiply(builder, loc, semiring, x, y),
                 sum);
}

Value tc::accumulate(OpBuilder &builder, Location loc,
                     const SemiringCode &semiring, Value x, Value y,
                     Value sum) {
  if (!isFloat(x) || semiring.product)
    return multiplyAndCombine(builder, loc, semiring, x, y, sum);
  if (semiring.semiring == model::Semiring::PlusTimes)
    return mlir::vector::FMAOp::create(builder, loc, x, y, sum);
  Value product = multiply(builder, loc, semiring, x, y);
  Combine operation = model::combineOf(semiring.semiring);
  if (operation != Combine::Max && operation != Combine::Min)
    return combine(builder, loc, semiring, product, sum);
  // A comparison with NaN is false, and the sum is kept: x86 has one
  // instruction for both steps.
  Value better = arith::CmpFOp::create(builder, loc,
                                       operation == Combine::Max
                                           ? arith::CmpFPredicate::OGT
                                           : arith::CmpFPredicate::OLT,
                                       product, sum);
  return arith::SelectOp::create(builder, loc, better, product, sum);
}

/// A type with another element type.
static Type withElementType(Type type, Type elementType) {
  if (auto shaped = dyn_cast<ShapedType>(type))
    return shaped.clone(elementType);
  return elementType;
}

Value tc::convertElements(OpBuilder &builder, Location loc, Value value,
                          Type elementType) {
  Type from = mlir::getElementTypeOrSelf(value);
  if (from == elementType)
    return value;
  if (auto complexType = dyn_cast<mlir::ComplexType>(elementType)) {
    Value zero = arith::ConstantOp::create(
        builder, loc, builder.getZeroAttr(complexType.getElementType()));
    return mlir::complex::CreateOp::create(
        builder, loc, complexType,
        convertElements(builder, loc, value, complexType.getElementType()),
        zero);
  }
  Type type = withElementType(value.getType(), elementType);
  unsigned width = from.getIntOrFloatBitWidth();
  unsigned newWidth = elementType.getIntOrFloatBitWidth();
  if (isa<FloatType>(from)) {
    if (!isa<FloatType>(elementType))
      return arith::FPToSIOp::create(builder, loc, type, value);
    if (width == newWidth) {
      // Neither of two such types has all of the other's numbers.
      Value wide = arith::ExtFOp::create(
          builder, loc, withElementType(value.getType(), builder.getF32Type()),
          value);
      return arith::TruncFOp::create(builder, loc, type, wide);
    }
    if (width < newWidth)
      return arith::ExtFOp::create(builder, loc, type, value);
    return arith::TruncFOp::create(builder, loc, type, value);
  }
  if (isa<FloatType>(elementType))
    return arith::SIToFPOp::create(builder, loc, type, value);
  if (width < newWidth)
    return arith::ExtSIOp::create(builder, loc, type, value);
  return arith::TruncIOp::create(builder, loc, type, value);
}

Value tc::applyRegion(OpBuilder &builder, Location loc, mlir::Region &region,
                      mlir::ValueRange arguments) {
  mlir::Block &block = region.front();
  mlir::IRMapping mapping;
  mapping.map(block.getArguments(), arguments);
  ShapedType shape;
  for (Value argument : arguments)
    if (auto shaped = dyn_cast<ShapedType>(argument.getType()))
      shape = shaped;
  auto shapedLike = [&](Type elementType) -> Type {
    return shape ? shape.clone(elementType) : elementType;
  };
  for (Operation &op : block.without_terminator()) {
    Attribute constant;
    if (shape && mlir::matchPattern(&op, mlir::m_Constant(&constant))) {
      auto type = cast<ShapedType>(shapedLike(op.getResult(0).getType()));
      mapping.map(op.getResult(0),
                  arith::ConstantOp::create(
                      builder, loc,
                      cast<mlir::TypedAttr>(
                          mlir::DenseElementsAttr::get(type, constant))));
      continue;
    }
    Operation *copy = builder.clone(op, mapping);
    for (auto [result, original] :
         llvm::zip_equal(copy->getResults(), op.getResults())) {
      result.setType(shapedLike(original.getType()));
      mapping.map(original, result);
    }
  }
  return mapping.lookup(block.getTerminator()->getOperand(0));
}
