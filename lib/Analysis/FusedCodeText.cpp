//===- FusedCodeText.cpp - Fused code as expressions ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/FusedCodeText.h"

#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/Problem/Expression.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace tc;
namespace arith = mlir::arith;
namespace math = mlir::math;
using Kind = model::Expression::Kind;
using Node = model::Expression::Node;

/// The number that a constant is, if it is an integer of 64 bits or a double.
/// Integers are computed with in the type of sums, `sumType`, only.
static std::optional<model::Constant> getNumber(arith::ConstantOp constant,
                                                Type sumType) {
  if (auto integer = dyn_cast<mlir::IntegerAttr>(constant.getValue())) {
    if (constant.getType() != sumType)
      return std::nullopt;
    return model::Constant::ofInteger(integer.getValue().getSExtValue());
  }
  auto number = dyn_cast<FloatAttr>(constant.getValue());
  if (!number || !number.getValue().isFinite())
    return std::nullopt;
  llvm::APFloat value = number.getValue();
  bool losesInfo = false;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven,
                &losesInfo);
  if (losesInfo)
    return std::nullopt;
  return value.convertToDouble();
}

/// The kind of node that an operation is, if there is one. Integers are
/// computed with in the type of sums only.
static std::optional<Kind> getKind(Operation &op, Type sumType) {
  bool inSums = op.getNumResults() == 1 && op.getResult(0).getType() == sumType;
  auto ofSums = [&](Kind kind) {
    return inSums ? std::optional(kind) : std::nullopt;
  };
  using Found = std::optional<Kind>;
  return llvm::TypeSwitch<Operation *, Found>(&op)
      .Case([](arith::NegFOp) { return Kind::Negate; })
      .Case([](arith::AddFOp) { return Kind::Add; })
      .Case([](arith::SubFOp) { return Kind::Subtract; })
      .Case([](arith::MulFOp) { return Kind::Multiply; })
      .Case([](arith::DivFOp) { return Kind::Divide; })
      .Case<arith::MaxNumFOp, arith::MaximumFOp>([](auto) { return Kind::Max; })
      .Case<arith::MinNumFOp, arith::MinimumFOp>([](auto) { return Kind::Min; })
      .Case([&](arith::AddIOp) { return ofSums(Kind::Add); })
      .Case([&](arith::SubIOp sub) {
        return ofSums(mlir::matchPattern(sub.getLhs(), mlir::m_Zero())
                          ? Kind::Negate
                          : Kind::Subtract);
      })
      .Case([&](arith::MulIOp) { return ofSums(Kind::Multiply); })
      .Case([&](arith::MaxSIOp) { return ofSums(Kind::Max); })
      .Case([&](arith::MinSIOp) { return ofSums(Kind::Min); })
      .Case([&](math::AbsIOp) { return ofSums(Kind::Abs); })
      .Case([](math::AbsFOp) { return Kind::Abs; })
      .Case([](math::ErfOp) { return Kind::Erf; })
      .Case([](math::ExpOp) { return Kind::Exp; })
      .Case([](math::LogOp) { return Kind::Log; })
      .Case([](math::SqrtOp) { return Kind::Sqrt; })
      .Case([](math::TanhOp) { return Kind::Tanh; })
      .Default([](Operation *) { return std::nullopt; });
}

namespace {

/// Regions as nodes of an expression.
class NodeList {
public:
  using Report = llvm::function_ref<void(Operation *, StringRef)>;

  size_t addVariable(size_t variable) {
    return add({Kind::Variable, 0, variable, 0, 0});
  }

  /// The node of what a region yields if its arguments are those nodes.
  FailureOr<size_t> addRegion(mlir::Region &region, ArrayRef<size_t> arguments,
                              Type sumType, Report report);

  /// The text of a node.
  std::string write(size_t number, const std::vector<std::string> &names) {
    return model::writeExpression({nodes.begin(), nodes.begin() + number + 1},
                                  names);
  }

private:
  size_t add(const Node &node) {
    sizes.push_back(model::sizeOf(node, sizes));
    nodes.push_back(node);
    return nodes.size() - 1;
  }

  std::vector<Node> nodes;
  std::vector<model::ExpressionSize> sizes;
};

} // namespace

FailureOr<size_t> NodeList::addRegion(mlir::Region &region,
                                      ArrayRef<size_t> arguments, Type sumType,
                                      Report report) {
  mlir::Block &block = region.front();
  DenseMap<Value, size_t> numbers;
  for (auto [argument, number] :
       llvm::zip_equal(block.getArguments(), arguments))
    numbers[argument] = number;
  for (Operation &op : block.without_terminator()) {
    size_t number = 0;
    if (isa<arith::ExtFOp, arith::ExtSIOp, arith::TruncFOp>(op)) {
      number = numbers[op.getOperand(0)];
    } else if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      std::optional<model::Constant> value = getNumber(constant, sumType);
      if (!value) {
        report(&op, "expressions have no such constant");
        return failure();
      }
      number = add({Kind::Number, *value, 0, 0, 0});
    } else if (std::optional<Kind> kind = getKind(op, sumType)) {
      Node node;
      node.kind = *kind;
      // Integers are negated by subtracting them from zero.
      node.left = numbers[op.getOperand(
          model::operandsOf(*kind) < op.getNumOperands() ? 1 : 0)];
      if (model::operandsOf(*kind) > 1)
        node.right = numbers[op.getOperand(1)];
      number = add(node);
    } else {
      report(&op, "expressions have no such operation");
      return failure();
    }
    if (Status status = sizes[number].check(); !status) {
      report(&op, status.error());
      return failure();
    }
    numbers[op.getResult(0)] = number;
  }
  return numbers[block.getTerminator()->getOperand(0)];
}

std::string tc::nameOfAuxiliary(size_t number) {
  return "s" + std::to_string(number);
}

FailureOr<FusedCodeTexts>
tc::describeFusedCode(ContractOp op,
                      llvm::function_ref<void(Operation *, StringRef)> report) {
  std::vector<std::string> ofPrologue = model::prologueVariables(),
                           ofEpilogue = model::epilogueVariables();
  SmallVector<IndexListAttr> lists = op.getIndexLists();
  for (auto [number, labels] : llvm::enumerate(ArrayRef(lists).drop_front(3))) {
    std::string text = nameOfAuxiliary(number) + "[";
    for (StringAttr label : labels)
      text += (text.back() == '[' ? "" : ", ") + label.str();
    ofEpilogue.push_back(text + "]");
  }
  FusedCodeTexts texts;
  Type sumType = op.getAccumulatorType();
  auto describe = [&](mlir::Region *region,
                      const std::vector<std::string> &variables, Type type,
                      std::string &text) -> LogicalResult {
    if (!region)
      return success();
    NodeList nodes;
    SmallVector<size_t> arguments;
    for (size_t variable = 0; variable < variables.size(); ++variable)
      arguments.push_back(nodes.addVariable(variable));
    if (op.getAccumulate() && region == op.getEpilogue()) {
      FailureOr<size_t> combined = nodes.addRegion(
          *op.getCombine(), ArrayRef(arguments).take_front(2), sumType, report);
      if (failed(combined))
        return failure();
      arguments.front() = *combined;
    }
    FailureOr<size_t> result =
        nodes.addRegion(*region, arguments, type, report);
    if (failed(result))
      return failure();
    text = nodes.write(*result, variables);
    return success();
  };
  std::vector<std::string> ofSemiring = model::semiringVariables();
  if (failed(describe(op.getPrologue(model::Tensor::A), ofPrologue, Type(),
                      texts.prologueA)) ||
      failed(describe(op.getPrologue(model::Tensor::B), ofPrologue, Type(),
                      texts.prologueB)) ||
      failed(describe(op.getProduct(), ofSemiring, sumType, texts.product)) ||
      failed(describe(op.getCombine(), ofSemiring, sumType, texts.combine)))
    return failure();
  if (op.getAccumulate() && !op.getEpilogue()) {
    // Old and new accumulated values, x and c, are combined like partial sums,
    // x and y.
    std::vector<std::string> xAndC = model::epilogueVariables();
    if (failed(describe(op.getCombine(), xAndC, sumType, texts.epilogue)))
      return failure();
    return texts;
  }
  if (failed(describe(op.getEpilogue(), ofEpilogue, Type(), texts.epilogue)))
    return failure();
  return texts;
}
