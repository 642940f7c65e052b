//===- FusedCodeText.cpp - Fused code as expressions ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/FusedCodeText.h"

#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/Model/Expression.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace tc;
namespace arith = mlir::arith;
namespace math = mlir::math;

/// Longer texts come from values that are used many times over.
static constexpr size_t longestText = 1 << 16;

/// The text of what an operation computes from texts, empty if there is none.
/// Integers are computed with in the type of sums, `sumType`, only.
static std::string describeOp(Operation &op, ArrayRef<std::string> operands,
                              Type sumType) {
  bool inSums = op.getNumResults() == 1 && op.getResult(0).getType() == sumType;
  auto ofSums = [&](const std::string &text) { return inSums ? text : ""; };
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
        if (auto integer = dyn_cast<mlir::IntegerAttr>(constant.getValue()))
          return ofSums("(" + std::to_string(integer.getInt()) + ")");
        auto number = dyn_cast<FloatAttr>(constant.getValue());
        if (!number || !number.getValue().isFinite())
          return "";
        SmallString<32> text;
        number.getValue().toString(text, /*FormatPrecision=*/17);
        return number.getValue().isNegative() ? "(" + text.str().str() + ")"
                                              : text.str().str();
      })
      .Case<arith::ExtFOp, arith::ExtSIOp, arith::TruncFOp>(
          [&](auto) { return operands[0]; })
      .Case([&](arith::NegFOp) { return "(-" + operands[0] + ")"; })
      .Case([&](arith::AddFOp) { return between(" + "); })
      .Case([&](arith::SubFOp) { return between(" - "); })
      .Case([&](arith::MulFOp) { return between(" * "); })
      .Case([&](arith::DivFOp) { return between(" / "); })
      .Case<arith::MaxNumFOp, arith::MaximumFOp>(
          [&](auto) { return call("max"); })
      .Case<arith::MinNumFOp, arith::MinimumFOp>(
          [&](auto) { return call("min"); })
      .Case([&](arith::AddIOp) { return ofSums(between(" + ")); })
      .Case([&](arith::SubIOp) { return ofSums(between(" - ")); })
      .Case([&](arith::MulIOp) { return ofSums(between(" * ")); })
      .Case([&](arith::MaxSIOp) { return ofSums(call("max")); })
      .Case([&](arith::MinSIOp) { return ofSums(call("min")); })
      .Case([&](math::AbsIOp) { return ofSums(call("abs")); })
      .Case([&](math::AbsFOp) { return call("abs"); })
      .Case([&](math::ErfOp) { return call("erf"); })
      .Case([&](math::ExpOp) { return call("exp"); })
      .Case([&](math::LogOp) { return call("log"); })
      .Case([&](math::SqrtOp) { return call("sqrt"); })
      .Case([&](math::TanhOp) { return call("tanh"); })
      .Default([](Operation *) { return ""; });
}

static FailureOr<std::string>
describeRegion(mlir::Region &region, ArrayRef<std::string> arguments,
               Type sumType,
               llvm::function_ref<void(Operation *, StringRef)> report) {
  mlir::Block &block = region.front();
  DenseMap<Value, std::string> texts;
  for (auto [argument, text] : llvm::zip_equal(block.getArguments(), arguments))
    texts[argument] = text;
  for (Operation &op : block.without_terminator()) {
    SmallVector<std::string> operands;
    for (Value operand : op.getOperands())
      operands.push_back(texts[operand]);
    std::string text = describeOp(op, operands, sumType);
    if (text.empty() || text.size() > longestText) {
      report(&op, text.empty() ? "expressions have no such operation"
                               : "the expression is too long");
      return failure();
    }
    texts[op.getResult(0)] = text;
  }
  return texts[block.getTerminator()->getOperand(0)];
}

std::string tc::nameOfSide(size_t number) {
  return "s" + std::to_string(number);
}

FailureOr<FusedCodeTexts>
tc::describeFusedCode(ContractOp op,
                      llvm::function_ref<void(Operation *, StringRef)> report) {
  std::vector<std::string> ofPrologue = model::prologueVariables(),
                           ofEpilogue = model::epilogueVariables();
  SmallVector<IndexListAttr> lists = op.getIndexLists();
  for (auto [number, labels] : llvm::enumerate(ArrayRef(lists).drop_front(3))) {
    std::string text = nameOfSide(number) + "[";
    for (StringAttr label : labels)
      text += (text.back() == '[' ? "" : ", ") + label.str();
    ofEpilogue.push_back(text + "]");
  }
  FusedCodeTexts texts;
  auto describe = [&](mlir::Region *region, ArrayRef<std::string> arguments,
                      Type sumType, std::string &text) -> LogicalResult {
    if (!region)
      return success();
    FailureOr<std::string> described =
        describeRegion(*region, arguments, sumType, report);
    if (failed(described))
      return failure();
    text = std::move(*described);
    return success();
  };
  Type sumType = op.getAccumulatorType();
  std::vector<std::string> ofSemiring = model::semiringVariables();
  if (failed(describe(op.getPrologue(model::Tensor::A), ofPrologue, Type(),
                      texts.prologueA)) ||
      failed(describe(op.getPrologue(model::Tensor::B), ofPrologue, Type(),
                      texts.prologueB)) ||
      failed(describe(op.getProduct(), ofSemiring, sumType, texts.product)) ||
      failed(describe(op.getCombine(), ofSemiring, sumType, texts.combine)))
    return failure();
  if (op.getAccumulate()) {
    if (failed(describe(op.getCombine(), ArrayRef(ofEpilogue).take_front(2),
                        sumType, ofEpilogue.front())))
      return failure();
    texts.epilogue = ofEpilogue.front();
  }
  if (failed(describe(op.getEpilogue(), ofEpilogue, Type(), texts.epilogue)))
    return failure();
  return texts;
}
