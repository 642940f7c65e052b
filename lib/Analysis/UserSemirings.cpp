//===- UserSemirings.cpp - Facts of the model about regions ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/UserSemirings.h"

#include "tc/Dialect/TC/IR/FusedCode.h"
#include "tc/Dialect/TC/IR/TCOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace tc;
using model::Fill;
namespace arith = mlir::arith;

mlir::TypedAttr tc::getFill(Fill fill, Type type) {
  mlir::Builder builder(type.getContext());
  auto bound = [&](bool isLeast) -> mlir::TypedAttr {
    if (auto floatType = dyn_cast<FloatType>(type)) {
      const llvm::fltSemantics &semantics = floatType.getFloatSemantics();
      return builder.getFloatAttr(
          type, llvm::APFloat::semanticsHasInf(semantics)
                    ? llvm::APFloat::getInf(semantics, isLeast)
                    : llvm::APFloat::getLargest(semantics, isLeast));
    }
    unsigned width = type.getIntOrFloatBitWidth();
    return builder.getIntegerAttr(
        type, isLeast ? llvm::APInt::getSignedMinValue(width)
                      : llvm::APInt::getSignedMaxValue(width));
  };
  switch (fill) {
  case Fill::Zero:
    return builder.getZeroAttr(type);
  case Fill::One:
    return builder.getOneAttr(type);
  case Fill::Least:
    return bound(/*isLeast=*/true);
  case Fill::Greatest:
    return bound(/*isLeast=*/false);
  }
  llvm_unreachable("unknown fill");
}

/// A factor as sums have it, which holds all factors.
static mlir::TypedAttr widen(mlir::TypedAttr factor, Type type) {
  if (auto number = dyn_cast<FloatAttr>(factor)) {
    llvm::APFloat value = number.getValue();
    bool losesInfo;
    value.convert(cast<FloatType>(type).getFloatSemantics(),
                  llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    return FloatAttr::get(type, value);
  }
  return mlir::IntegerAttr::get(type,
                                cast<mlir::IntegerAttr>(factor).getValue().sext(
                                    type.getIntOrFloatBitWidth()));
}

/// Factors whose product is the identity. Zeros are tried first, as they can be
/// copied asynchronously.
static std::optional<model::PerTensor<Fill>> findPadding(ContractOp op) {
  Type sumType = op.getAccumulatorType();
  for (Fill a : model::allFills)
    for (Fill b : model::allFills) {
      mlir::TypedAttr product = foldRegion(
          *op.getProduct(), {widen(getFill(a, op.getFactorType()), sumType),
                             widen(getFill(b, op.getFactorType()), sumType)});
      if (product && areEqual(product, op.getIdentityAttr()))
        return model::PerTensor<Fill>{{a, b, Fill::Zero}};
    }
  return std::nullopt;
}

/// Operations that are instructions: constants and conversions between widths
/// of a type are mostly none.
static int64_t countOperations(mlir::Region &region) {
  return llvm::count_if(region.front().without_terminator(), [](Operation &op) {
    return !isa<arith::ConstantOp, arith::ExtFOp, arith::TruncFOp,
                arith::ExtSIOp, arith::TruncIOp>(op);
  });
}

model::UserSemiring tc::describeUserSemiring(ContractOp op) {
  model::UserSemiring semiring;
  if (op.getSemiring() != model::Semiring::UserDefined)
    return semiring;
  semiring.operations = std::max<int64_t>(
      1, countOperations(*op.getProduct()) + countOperations(*op.getCombine()));
  semiring.padding = findPadding(op);
  return semiring;
}
