//===- OneTensor.cpp - A factor that changes nothing ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OneTensor.h"
#include "TreeRewriter.h"

#include "tc/Problem/Semiring.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <cmath>

using namespace tc;

/// The semiring's one among factors. Where it is infinite and the type is not,
/// the largest number is as good: a product with it is the other factor.
static mlir::TypedAttr getOneOfFactors(model::Semiring semiring, Type type) {
  double one = model::oneOf(semiring);
  auto floatType = dyn_cast<FloatType>(type);
  if (!floatType || !std::isinf(one) ||
      llvm::APFloat::semanticsHasInf(floatType.getFloatSemantics()))
    return getOne(semiring, type);
  return mlir::FloatAttr::get(
      floatType,
      llvm::APFloat::getLargest(floatType.getFloatSemantics(), one < 0));
}

Value tc::createOne(mlir::OpBuilder &builder, Location loc,
                    model::Semiring semiring, Type type, bool asBuffer) {
  if (!asBuffer) {
    auto tensorType = RankedTensorType::get({}, type);
    if (isa<mlir::ComplexType>(type))
      return mlir::arith::ConstantOp::create(builder, loc,
                                             getOne(semiring, tensorType));
    Attribute one = getOneOfFactors(semiring, type);
    return mlir::arith::ConstantOp::create(
        builder, loc, mlir::DenseElementsAttr::get(tensorType, one));
  }
  Value buffer = mlir::memref::AllocOp::create(
      builder, loc, MemRefType::get({}, type),
      builder.getI64IntegerAttr(alignmentOfTemporaries));
  Value one = createNumber(builder, loc, getOneOfFactors(semiring, type));
  mlir::memref::StoreOp::create(builder, loc, one, buffer);
  return buffer;
}
