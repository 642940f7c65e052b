//===- OutlineContractions.cpp - Contractions as functions ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Replaces contractions by calls of functions that hold them, which can then be
// called from outside.
//
//===----------------------------------------------------------------------===//

#include "tc/Conversion/TCToCPU/Passes.h"

#include "ShapeArguments.h"

#include "tc/Analysis/ContractionDims.h"
#include "tc/Conversion/TCToCPU/Outlined.h"
#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/Dialect/TC/Utils/PartsView.h"
#include "tc/Dialect/TC/Utils/Symbols.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/Support/raw_ostream.h"

namespace tc {
#define GEN_PASS_DEF_TCOUTLINECONTRACTIONS
#include "tc/Conversion/TCToCPU/Passes.h.inc"
} // namespace tc

using namespace tc;
namespace arith = mlir::arith;
namespace complex = mlir::complex;
namespace func = mlir::func;

static std::string nameFor(ContractOp op) {
  auto enclosing = op->getParentOfType<mlir::FunctionOpInterface>();
  return contractionSymbol(enclosing ? enclosing.getName() : "");
}

/// The contraction's formula, as in "C[i,k] = alpha * A[i,j] * B[j,k]", and the
/// names of the operands that are no constants.
static std::string describe(ContractOp op, SmallVectorImpl<Attribute> &names) {
  mlir::Builder builder(op.getContext());
  auto access = [&](StringRef name, IndexListAttr indices) {
    std::string text = name.str() + "[";
    llvm::raw_string_ostream os(text);
    llvm::interleave(
        indices, os, [&](StringAttr label) { os << label.getValue(); }, ",");
    return text + "]";
  };
  auto input = [&](model::Tensor tensor, StringRef name) {
    std::string text = access(name, op.getIndices(tensor));
    return op.conjugates(tensor) ? "conj(" + text + ")" : text;
  };
  std::string a = input(model::Tensor::A, "A");
  std::string b = input(model::Tensor::B, "B");
  std::string c = access("C", op.getCIndices());
  for (StringRef name : {"A", "B", "C"})
    names.push_back(builder.getStringAttr(name));
  auto factor = [&](Value value, StringRef name) -> std::string {
    if (!value)
      return "";
    mlir::TypedAttr constant = getConstantNumber(value);
    if (!constant) {
      if (isa<mlir::ComplexType>(value.getType())) {
        names.push_back(builder.getStringAttr(name + "_real"));
        names.push_back(builder.getStringAttr(name + "_imaginary"));
      } else {
        names.push_back(builder.getStringAttr(name));
      }
      return (name + " * ").str();
    }
    SmallString<16> text;
    if (auto number = dyn_cast<mlir::complex::NumberAttr>(constant)) {
      text += "(";
      number.getReal().toString(text);
      text += number.getImag().isNegative() ? "" : "+";
      number.getImag().toString(text);
      text += "i)";
    } else if (auto real = dyn_cast<FloatAttr>(constant))
      real.getValue().toString(text);
    else
      cast<mlir::IntegerAttr>(constant).getValue().toStringSigned(text);
    return (text + " * ").str();
  };
  std::string alpha = factor(op.getAlpha(), "alpha");
  std::string beta = factor(op.getBeta(), "beta");
  auto map = [](mlir::Region *region, StringRef name, const std::string &text) {
    return !region ? text : (name + "(" + text + ")").str();
  };
  std::string sum =
      alpha + map(op.getPrologue(model::Tensor::A), "prologue_a", a) + " * " +
      map(op.getPrologue(model::Tensor::B), "prologue_b", b);
  if (op.getAccumulate() ||
      (!beta.empty() && !isZero(op.getSemiring(), op.getBeta())))
    sum += " + " + beta + c;
  SmallVector<IndexListAttr> lists = op.getIndexLists();
  for (auto [place, list] : llvm::enumerate(ArrayRef(lists).drop_front(3))) {
    std::string name = "side" + std::to_string(place);
    names.push_back(builder.getStringAttr(name));
    sum += ", " + access(name, list);
  }
  std::string formula = c + " = " + map(op.getEpilogue(), "epilogue", sum);
  if (op.getSemiring() != model::Semiring::PlusTimes)
    formula += " in " + std::string(model::stringify(op.getSemiring()));
  return formula;
}

static void outline(ContractOp op, mlir::SymbolTable &symbols) {
  auto builder = ImplicitLocOpBuilder(op.getLoc(), op);
  std::optional<ShapeArguments> shapes;
  if (hasUnknownShape(op))
    shapes.emplace(op);
  auto isUnknown = [](Value operand) {
    auto type = dyn_cast<MemRefType>(operand.getType());
    return type && hasUnknownShape(type);
  };
  // Other programs call the function with plain pointers.
  for (mlir::OpOperand &operand : op->getOpOperands())
    if (isa<MemRefType>(operand.get().getType()) && !isUnknown(operand.get()))
      operand.set(withKnownOffset(builder, op.getLoc(), operand.get()));
  // Constant factors move along, others are arguments: complex ones as two
  // numbers, for languages differ in how they pass them as one.
  SmallVector<Value> arguments, constants, complexNumbers;
  for (Value operand : op->getOperands()) {
    Operation *definition = operand.getDefiningOp();
    if (definition && mlir::matchPattern(definition, mlir::m_Constant())) {
      constants.push_back(operand);
    } else if (isa<mlir::ComplexType>(operand.getType())) {
      complexNumbers.push_back(operand);
      arguments.push_back(complex::ReOp::create(builder, operand));
      arguments.push_back(complex::ImOp::create(builder, operand));
    } else if (isUnknown(operand)) {
      arguments.push_back(firstElement(builder, op.getLoc(), operand));
    } else {
      arguments.push_back(operand);
    }
  }
  size_t numbersAt = arguments.size();
  if (shapes)
    llvm::append_range(arguments, shapes->pass(builder, op));
  auto type = builder.getFunctionType(ValueRange(arguments).getTypes(),
                                      builder.getI32Type());
  auto function = func::FuncOp::create(op.getLoc(), nameFor(op), type);
  SmallVector<Attribute> names;
  function->setAttr(outlinedAttrName,
                    builder.getStringAttr(describe(op, names)));
  if (shapes) {
    for (const std::string &name : shapes->getNames())
      names.push_back(builder.getStringAttr(name));
    std::vector<std::string> texts = shapes->describe();
    function->setAttr(outlinedShapesAttrName,
                      builder.getStrArrayAttr(
                          SmallVector<StringRef>(texts.begin(), texts.end())));
  }
  function->setAttr("tc.contraction.arguments", builder.getArrayAttr(names));
  symbols.insert(function);
  auto call = func::CallOp::create(builder, function, arguments);
  auto numberOf = [&](CallStatus status) -> Value {
    return arith::ConstantOp::create(
        builder, builder.getI32IntegerAttr(static_cast<int32_t>(status)));
  };
  // The caller has no way to say that it fails. Only where the shape is unknown
  // is there more that can.
  auto expect = [&](arith::CmpIPredicate predicate, CallStatus status,
                    const CallFailure &failure) {
    mlir::cf::AssertOp::create(builder,
                               arith::CmpIOp::create(builder, predicate,
                                                     call.getResult(0),
                                                     numberOf(status)),
                               failure.message);
  };
  if (shapes)
    for (const CallFailure &failure : {argumentFailure, internalFailure})
      expect(arith::CmpIPredicate::ne, failure.status, failure);
  expect(arith::CmpIPredicate::eq, CallStatus::Success, memoryFailure);

  mlir::IRMapping mapping;
  builder.setInsertionPointToStart(function.addEntryBlock());
  mapping.map(arguments, function.getArguments());
  for (Value constant : constants)
    builder.clone(*constant.getDefiningOp(), mapping);
  for (Value number : complexNumbers) {
    auto *place = llvm::find_if(arguments, [&](Value argument) {
      auto part = argument.getDefiningOp<complex::ReOp>();
      return part && part.getComplex() == number;
    });
    auto real = function.getArgument(place - arguments.begin());
    auto imaginary = function.getArgument(place - arguments.begin() + 1);
    mapping.map(number, complex::CreateOp::create(builder, number.getType(),
                                                  real, imaginary)
                            .getResult());
  }
  Operation *moved = builder.clone(*op, mapping);
  // Operands that are one value here are arguments of their own, which another
  // caller may give different tensors for.
  unsigned argument = 0;
  size_t tensor = 0;
  builder.setInsertionPoint(moved);
  for (mlir::OpOperand &operand : op->getOpOperands()) {
    if (llvm::is_contained(constants, operand.get()))
      continue;
    if (isa<mlir::ComplexType>(operand.get().getType())) {
      argument += 2;
      continue;
    }
    Value given = function.getArgument(argument++);
    if (isUnknown(operand.get()))
      given = shapes->rebuild(builder, tensor, given,
                              function.getArguments().drop_front(numbersAt));
    tensor += isa<MemRefType>(operand.get().getType());
    moved->setOperand(operand.getOperandNumber(), given);
  }
  builder.setInsertionPointAfter(moved);
  func::ReturnOp::create(builder, numberOf(CallStatus::Success));
  op.erase();
}

namespace {
struct OutlineContractions
    : public tc::impl::TCOutlineContractionsBase<OutlineContractions> {
  void runOnOperation() override {
    SmallVector<ContractOp> ops;
    getOperation()->walk([&](ContractOp op) { ops.push_back(op); });
    mlir::SymbolTable symbols(getOperation());
    for (ContractOp op : ops) {
      if (!op.hasBuffers()) {
        op.emitOpError("works on tensors: bufferize it first");
        return signalPassFailure();
      }
      if (!op.hasZeroExtent())
        outline(op, symbols);
    }
  }
};
} // namespace
