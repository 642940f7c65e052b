//===- ElementwiseCode.cpp - Interpreting fused regions -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementwiseCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Block.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

#include "llvm/ADT/StringMap.h"

using namespace tc;
using namespace tc::differential;

//===----------------------------------------------------------------------===//
// The meaning of each operation
//===----------------------------------------------------------------------===//

template <Real (*function)(Real)>
static Number ofOne(Type, ArrayRef<Number> operands) {
  return function(std::get<Real>(operands[0]));
}

template <Real (*function)(Real, Real)>
static Number ofTwo(Type, ArrayRef<Number> operands) {
  return function(std::get<Real>(operands[0]), std::get<Real>(operands[1]));
}

static Real negate(Real x) { return -x; }
static Real add(Real x, Real y) { return x + y; }
static Real subtract(Real x, Real y) { return x - y; }
static Real multiply(Real x, Real y) { return x * y; }
static Real divide(Real x, Real y) { return x / y; }
static Real maximum(Real x, Real y) { return isNaN(x) || x > y ? x : y; }
static Real minimum(Real x, Real y) { return isNaN(x) || x < y ? x : y; }
static Real maximumNumber(Real x, Real y) { return isNaN(y) || x > y ? x : y; }
static Real minimumNumber(Real x, Real y) { return isNaN(y) || x < y ? x : y; }

/// An operation on integers, which wrap around.
template <uint64_t (*function)(uint64_t, uint64_t)>
static Number ofIntegers(Type type, ArrayRef<Number> operands) {
  auto bits = [&](unsigned number) {
    return static_cast<uint64_t>(std::get<int64_t>(operands[number]));
  };
  return convertTo(type, static_cast<int64_t>(function(bits(0), bits(1))));
}

static uint64_t addBits(uint64_t x, uint64_t y) { return x + y; }
static uint64_t subtractBits(uint64_t x, uint64_t y) { return x - y; }
static uint64_t multiplyBits(uint64_t x, uint64_t y) { return x * y; }

static Number greaterInteger(Type, ArrayRef<Number> operands) {
  return std::max(std::get<int64_t>(operands[0]),
                  std::get<int64_t>(operands[1]));
}
static Number lesserInteger(Type, ArrayRef<Number> operands) {
  return std::min(std::get<int64_t>(operands[0]),
                  std::get<int64_t>(operands[1]));
}
static Number absoluteInteger(Type type, ArrayRef<Number> operands) {
  int64_t value = std::get<int64_t>(operands[0]);
  Number zero = int64_t(0);
  return value < 0 ? ofIntegers<subtractBits>(type, {zero, operands[0]})
                   : operands[0];
}

static Number convert(Type type, ArrayRef<Number> operands) {
  return convertTo(type, operands[0]);
}

static const llvm::StringMap<ElementwiseCode::Rule> &rules() {
  static const llvm::StringMap<ElementwiseCode::Rule> table = {
      {"arith.addf", ofTwo<add>},
      {"arith.addi", ofIntegers<addBits>},
      {"arith.divf", ofTwo<divide>},
      {"arith.extf", convert},
      {"arith.extsi", convert},
      {"arith.maximumf", ofTwo<maximum>},
      {"arith.maxnumf", ofTwo<maximumNumber>},
      {"arith.maxsi", greaterInteger},
      {"arith.minimumf", ofTwo<minimum>},
      {"arith.minnumf", ofTwo<minimumNumber>},
      {"arith.minsi", lesserInteger},
      {"arith.mulf", ofTwo<multiply>},
      {"arith.muli", ofIntegers<multiplyBits>},
      {"arith.negf", ofOne<negate>},
      {"arith.subf", ofTwo<subtract>},
      {"arith.subi", ofIntegers<subtractBits>},
      {"arith.truncf", convert},
      {"math.absf", ofOne<abs>},
      {"math.absi", absoluteInteger},
      {"math.erf", ofOne<erf>},
      {"math.exp", ofOne<exp>},
      {"math.log", ofOne<log>},
      {"math.sqrt", ofOne<sqrt>},
      {"math.tanh", ofOne<tanh>},
  };
  return table;
}

//===----------------------------------------------------------------------===//
// Reading a region, and computing it
//===----------------------------------------------------------------------===//

static std::optional<Number> valueOfConstant(mlir::arith::ConstantOp op) {
  if (auto real = dyn_cast<FloatAttr>(op.getValue()))
    return Real(real.getValueAsDouble());
  if (auto integer = dyn_cast<IntegerAttr>(op.getValue()))
    return integer.getValue().getSExtValue();
  return std::nullopt;
}

Result<ElementwiseCode> ElementwiseCode::read(mlir::Region &region,
                                              bool storesResult) {
  ElementwiseCode code;
  mlir::Block &block = region.front();
  DenseMap<mlir::Value, unsigned> numbers;
  for (auto op : block.getOps<mlir::arith::ConstantOp>()) {
    std::optional<Number> value = valueOfConstant(op);
    if (!value)
      return Error{"the oracle knows no such constant: arith.constant"};
    numbers[op] = code.constants.size();
    code.constants.push_back(*value);
  }
  unsigned next = code.constants.size();
  for (mlir::Value argument : block.getArguments())
    numbers[argument] = next++;
  for (mlir::Operation &op : block.without_terminator()) {
    if (isa<mlir::arith::ConstantOp>(op))
      continue;
    StringRef name = op.getName().getStringRef();
    auto rule = rules().find(name);
    if (rule == rules().end())
      return Error{"the oracle has no rule for " + name.str()};
    Step &step = code.steps.emplace_back();
    step.rule = rule->second;
    step.type = op.getResult(0).getType();
    for (mlir::Value operand : op.getOperands())
      step.operands.push_back(numbers.at(operand));
    numbers[op.getResult(0)] = next++;
  }
  mlir::Value result = block.getTerminator()->getOperand(0);
  auto rounding = result.getDefiningOp<mlir::arith::TruncFOp>();
  if (storesResult && rounding)
    result = rounding.getIn();
  code.yielded = numbers.at(result);
  return code;
}

Number ElementwiseCode::evaluate(ArrayRef<Number> arguments) const {
  SmallVector<Number, 16> values(constants.begin(), constants.end());
  values.append(arguments.begin(), arguments.end());
  for (const Step &step : steps) {
    SmallVector<Number, 4> operands;
    for (unsigned operand : step.operands)
      operands.push_back(values[operand]);
    values.push_back(step.rule(step.type, operands));
  }
  return values[yielded];
}
