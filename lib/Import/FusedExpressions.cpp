//===- FusedExpressions.cpp - Expressions and regions ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Import/FusedExpressions.h"

#include "tc/Dialect/TC/Utils/ElementArithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace tc;
using mlir::ImplicitLocOpBuilder;
using Kind = model::Expression::Kind;
namespace arith = mlir::arith;
namespace math = mlir::math;

/// An operation on integers; others than these have none of them.
static Value buildIntegerNode(ImplicitLocOpBuilder &builder, Kind kind,
                              Value left, Value right) {
  switch (kind) {
  case Kind::Negate:
    return arith::SubIOp::create(
        builder,
        arith::ConstantOp::create(builder, builder.getZeroAttr(left.getType())),
        left);
  case Kind::Abs:
    return math::AbsIOp::create(builder, left);
  case Kind::Add:
    return arith::AddIOp::create(builder, left, right);
  case Kind::Subtract:
    return arith::SubIOp::create(builder, left, right);
  case Kind::Multiply:
    return arith::MulIOp::create(builder, left, right);
  case Kind::Max:
    return arith::MaxSIOp::create(builder, left, right);
  case Kind::Min:
    return arith::MinSIOp::create(builder, left, right);
  default:
    llvm_unreachable("not an operation on integers");
  }
}

static Value buildNode(ImplicitLocOpBuilder &builder, Kind kind, Value left,
                       Value right) {
  if (isa<mlir::IntegerType>(left.getType()))
    return buildIntegerNode(builder, kind, left, right);
  switch (kind) {
  case Kind::Number:
  case Kind::Variable:
    break;
  case Kind::Negate:
    return arith::NegFOp::create(builder, left);
  case Kind::Abs:
    return math::AbsFOp::create(builder, left);
  case Kind::Erf:
    return math::ErfOp::create(builder, left);
  case Kind::Exp:
    return math::ExpOp::create(builder, left);
  case Kind::Log:
    return math::LogOp::create(builder, left);
  case Kind::Sqrt:
    return math::SqrtOp::create(builder, left);
  case Kind::Tanh:
    return math::TanhOp::create(builder, left);
  case Kind::Add:
    return arith::AddFOp::create(builder, left, right);
  case Kind::Subtract:
    return arith::SubFOp::create(builder, left, right);
  case Kind::Multiply:
    return arith::MulFOp::create(builder, left, right);
  case Kind::Divide:
    return arith::DivFOp::create(builder, left, right);
  case Kind::Max:
    return arith::MaxNumFOp::create(builder, left, right);
  case Kind::Min:
    return arith::MinNumFOp::create(builder, left, right);
  }
  llvm_unreachable("not an operation");
}

void tc::buildFusedCode(mlir::Region &region, Location loc,
                        const model::Expression &expression,
                        ArrayRef<Type> argumentTypes, Type computeType,
                        Type yieldType) {
  mlir::Block &block = region.emplaceBlock();
  for (Type type : argumentTypes)
    block.addArgument(type, loc);
  auto builder = ImplicitLocOpBuilder::atBlockEnd(loc, &block);
  SmallVector<Value> values;
  DenseMap<size_t, Value> variables;
  for (const model::Expression::Node &node : expression.nodes()) {
    if (node.kind == Kind::Number) {
      mlir::TypedAttr number =
          isa<FloatType>(computeType)
              ? mlir::TypedAttr(
                    builder.getFloatAttr(computeType, node.number.real()))
              : builder.getIntegerAttr(
                    computeType,
                    model::integerOf(node.number,
                                     *getModelElementType(computeType)));
      values.push_back(arith::ConstantOp::create(builder, number));
    } else if (node.kind == Kind::Variable) {
      Value &value = variables[node.variable];
      if (!value)
        value = convertElements(builder, loc, block.getArgument(node.variable),
                                computeType);
      values.push_back(value);
    } else {
      Value right =
          model::operandsOf(node.kind) > 1 ? values[node.right] : Value();
      values.push_back(buildNode(builder, node.kind, values[node.left], right));
    }
  }
  YieldOp::create(builder,
                  convertElements(builder, loc, values.back(), yieldType));
}
