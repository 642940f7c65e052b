//===- FusedExpressions.cpp - Expressions and regions ---------------------===//
//--------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Import/FusedExpressions.h"

#include "tc/Conversion/ElementArithmetic.h"

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

//===----------------------------------------------------------------------===//
// From expressions
//===----------------------------------------------------------------------===//

static Value buildNode(ImplicitLocOpBuilder &builder, Kind kind, Value left,
                       Value right) {
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
      values.push_back(arith::ConstantOp::create(
          builder, builder.getFloatAttr(computeType, node.number)));
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

//===----------------------------------------------------------------------===//
// To expressions
//===----------------------------------------------------------------------===//

/// Longer texts come from values that are used many times over.
static constexpr size_t longestText = 1 << 16;

/// The text of what an operation computes from texts, empty if there is none.
static std::string describeOp(Operation &op, ArrayRef<std::string> operands) {
  auto between = [&](const char *sign) {
    return "(" + operands[0] + sign + operands[1] + ")";
  };
  auto call = [&](const char *name) {
    std::string text = std::string(name) + "(" + operands[0];
    for (const std::string &operand : operands.drop_front())
      text += ", " + operand;
    return text + ")";
  };
  return llvm::TypeSwitch<Operation *, std::string>(&op)
      .Case([&](arith::ConstantOp constant) -> std::string {
        auto number = dyn_cast<FloatAttr>(constant.getValue());
        if (!number || !number.getValue().isFinite())
          return "";
        SmallString<32> text;
        number.getValue().toString(text, /*FormatPrecision=*/17);
        return number.getValue().isNegative() ? "(" + text.str().str() + ")"
                                              : text.str().str();
      })
      .Case<arith::ExtFOp, arith::TruncFOp>([&](auto) { return operands[0]; })
      .Case([&](arith::NegFOp) { return "(-" + operands[0] + ")"; })
      .Case([&](arith::AddFOp) { return between(" + "); })
      .Case([&](arith::SubFOp) { return between(" - "); })
      .Case([&](arith::MulFOp) { return between(" * "); })
      .Case([&](arith::DivFOp) { return between(" / "); })
      .Case<arith::MaxNumFOp, arith::MaximumFOp>(
          [&](auto) { return call("max"); })
      .Case<arith::MinNumFOp, arith::MinimumFOp>(
          [&](auto) { return call("min"); })
      .Case([&](math::AbsFOp) { return call("abs"); })
      .Case([&](math::ErfOp) { return call("erf"); })
      .Case([&](math::ExpOp) { return call("exp"); })
      .Case([&](math::LogOp) { return call("log"); })
      .Case([&](math::SqrtOp) { return call("sqrt"); })
      .Case([&](math::TanhOp) { return call("tanh"); })
      .Default([](Operation *) { return ""; });
}

FailureOr<std::string> tc::describeFusedCode(mlir::Region &region,
                                             ArrayRef<std::string> variables) {
  mlir::Block &block = region.front();
  DenseMap<Value, std::string> texts;
  for (auto [argument, name] : llvm::zip(block.getArguments(), variables))
    texts[argument] = name;
  for (Operation &op : block.without_terminator()) {
    SmallVector<std::string> operands;
    for (Value operand : op.getOperands()) {
      if (!texts.contains(operand))
        return op.emitError("checking results of code that uses a side tensor "
                            "is not possible");
      operands.push_back(texts[operand]);
    }
    std::string text = describeOp(op, operands);
    if (text.empty() || text.size() > longestText)
      return op.emitError("checking results of this operation is not possible");
    texts[op.getResult(0)] = text;
  }
  Value result = block.getTerminator()->getOperand(0);
  if (!texts.contains(result))
    return block.getTerminator()->emitError(
        "checking results of code that uses a side tensor is not possible");
  return texts[result];
}
