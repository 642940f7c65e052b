//===- TCEinsumOp.cpp - Contractions of many tensors ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Syntax, accessors, verification and interfaces of tc.einsum. Its folds are
// with those of tc.contract.
//
//===----------------------------------------------------------------------===//

#include "LabelledTensors.h"

#include "tc/Dialect/TC/IR/TCOps.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SetVector.h"

using namespace tc;
namespace bufferization = mlir::bufferization;

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

ParseResult tc::parseIndexLists(AsmParser &parser, ArrayAttr &lists) {
  SmallVector<Attribute> parsed;
  if (parser.parseCommaSeparatedList([&]() -> ParseResult {
        IndexListAttr list;
        if (parseIndexList(parser, list))
          return failure();
        parsed.push_back(list);
        return success();
      }))
    return failure();
  lists = ArrayAttr::get(parser.getContext(), parsed);
  return success();
}

void tc::printIndexLists(AsmPrinter &printer, Operation *, ArrayAttr lists) {
  llvm::interleaveComma(
      lists.getAsRange<IndexListAttr>(), printer.getStream(),
      [&](IndexListAttr list) { printIndexList(printer, list); });
}

ParseResult tc::parsePath(AsmParser &parser, ArrayAttr &path) {
  SmallVector<Attribute> steps;
  if (parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Square,
          [&] {
            Attribute step = mlir::DenseI64ArrayAttr::parse(parser, Type());
            steps.push_back(step);
            return success(step != nullptr);
          },
          " in path"))
    return failure();
  path = ArrayAttr::get(parser.getContext(), steps);
  return success();
}

void tc::printPath(AsmPrinter &printer, Operation *, ArrayAttr path) {
  printer << '[';
  llvm::interleaveComma(
      path.getAsRange<mlir::DenseI64ArrayAttr>(), printer.getStream(),
      [&](mlir::DenseI64ArrayAttr step) { step.print(printer); });
  printer << ']';
}

//===----------------------------------------------------------------------===//
// Accessors
//===----------------------------------------------------------------------===//

SmallVector<Value> EinsumOp::getTensors() {
  SmallVector<Value> tensors(getInputs());
  tensors.push_back(getOutput());
  return tensors;
}

SmallVector<IndexListAttr> EinsumOp::getIndexLists() {
  SmallVector<IndexListAttr> lists(
      getInputIndices().getAsRange<IndexListAttr>());
  lists.push_back(getOutputIndices());
  return lists;
}

bool EinsumOp::conjugates(unsigned input) {
  return getConjugate() && llvm::is_contained(*getConjugate(), input);
}

Type EinsumOp::getFactorType() {
  return cast<ShapedType>(getInputs().front().getType()).getElementType();
}

Type EinsumOp::getAccumulatorType() {
  model::ElementType factor = *getModelElementType(getFactorType());
  return getElementType(getContext(), model::accumulatorTypeOf(factor));
}

bool EinsumOp::readsOutput() {
  return getBeta() && !isZero(getSemiring(), getBeta());
}

SmallVector<StringAttr> EinsumOp::getLabels() {
  llvm::SmallSetVector<StringAttr, 8> labels;
  labels.insert_range(getOutputIndices());
  for (auto list : getInputIndices().getAsRange<IndexListAttr>())
    labels.insert_range(list);
  return labels.takeVector();
}

int64_t EinsumOp::getExtent(StringAttr label) {
  return tc::getExtent(getTensors(), getIndexLists(), label);
}

SmallVector<ArrayRef<int64_t>> EinsumOp::getSteps() {
  SmallVector<ArrayRef<int64_t>> steps;
  if (ArrayAttr path = getPathAttr())
    for (auto step : path.getAsRange<mlir::DenseI64ArrayAttr>())
      steps.push_back(step.asArrayRef());
  return steps;
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

static std::string nameOfInput(size_t number) {
  return "input #" + std::to_string(number);
}

/// Comes before all that speaks of an input.
static LogicalResult verifyNumbers(EinsumOp op) {
  size_t inputs = op.getInputs().size(), lists = op.getInputIndices().size();
  if (inputs == 0)
    return op.emitOpError("must have at least one input");
  if (lists != inputs)
    return op.emitOpError("has ")
           << inputs << " inputs, but index lists for " << lists;
  return success();
}

static LogicalResult verifyEqualFactors(EinsumOp op,
                                        ArrayRef<LabelledTensor> inputs) {
  for (const LabelledTensor &input : inputs)
    if (input.getElementType() != op.getFactorType())
      return op.emitOpError("inputs must have one element type, but that of ")
             << input.name << " is " << input.getElementType()
             << " and that of " << inputs.front().name << " is "
             << op.getFactorType();
  return success();
}

static LogicalResult verifyDistributes(EinsumOp op) {
  if (op.getSemiring() == model::Semiring::UserDefined)
    return op.emitOpError("semiring must be one by name, as the order of "
                          "evaluation is free: user_defined need not "
                          "distribute");
  return success();
}

static LogicalResult verifyConjugates(EinsumOp op,
                                      ArrayRef<LabelledTensor> inputs) {
  int64_t previous = -1;
  for (int64_t number : op.getConjugate().value_or(ArrayRef<int64_t>())) {
    if (number < 0 || number >= static_cast<int64_t>(inputs.size()))
      return op.emitOpError("conjugate names input #")
             << number << ", but there are " << inputs.size() << " inputs";
    if (number <= previous)
      return op.emitOpError("conjugate must name each input once, in ascending "
                            "order, but input #")
             << number << " follows input #" << previous;
    previous = number;
    const LabelledTensor &input = inputs[number];
    if (!isa<mlir::ComplexType>(input.getElementType()))
      return op.emitOpError("conjugate applies to complex numbers, but the "
                            "elements of ")
             << input.name << " are " << input.getElementType();
  }
  return success();
}

static LogicalResult verifyPath(EinsumOp op) {
  if (!op.getPath())
    return success();
  auto operands = static_cast<int64_t>(op.getInputs().size());
  for (auto [number, step] : llvm::enumerate(op.getSteps())) {
    auto error = [&, number = number] {
      return op.emitOpError("step #") << number << " of the path ";
    };
    if (step.empty() || step.size() > 2)
      return error() << "must name one or two positions, but names "
                     << step.size();
    for (int64_t position : step)
      if (position < 0 || position >= operands)
        return error() << "names position " << position << " of " << operands
                       << " operands";
    if (step.front() == step.back() && step.size() == 2)
      return error() << "names position " << step.front() << " twice";
    operands += 1 - static_cast<int64_t>(step.size());
  }
  if (operands != 1)
    return op.emitOpError("path must leave one operand, but leaves ")
           << operands;
  return success();
}

LogicalResult EinsumOp::verify() {
  if (failed(verifyNumbers(*this)))
    return failure();
  SmallVector<LabelledTensor> tensors;
  for (auto [number, input, indices] : llvm::enumerate(
           getInputs(), getInputIndices().getAsRange<IndexListAttr>()))
    tensors.push_back({input, indices, nameOfInput(number)});
  tensors.push_back({getOutput(), getOutputIndices(), "the output"});
  ArrayRef<LabelledTensor> inputs = ArrayRef(tensors).drop_back();
  const LabelledTensor &output = tensors.back();
  if (failed(verifyKinds(*this, inputs, output)) ||
      failed(verifyRanks(*this, tensors)) ||
      failed(verifyElementTypes(*this, tensors)) ||
      failed(verifyEqualFactors(*this, inputs)) ||
      failed(verifyOutputType(*this, output, getFactorType())) ||
      failed(
          verifyScalars(*this, getAlpha(), getBeta(), getAccumulatorType())) ||
      failed(verifyDistributes(*this)))
    return failure();
  return success(
      succeeded(verifyArithmetic(*this, getPrecision(), getSemiring(),
                                 getFactorType())) &&
      succeeded(verifyConjugates(*this, inputs)) &&
      succeeded(verifyPath(*this)) &&
      succeeded(verifyLayouts(*this, tensors)) &&
      succeeded(verifyOutputLabels(*this, inputs, output, "in no input")) &&
      succeeded(verifyExtents(*this, tensors)) &&
      succeeded(verifySizes(*this, tensors)) &&
      succeeded(verifyNoOverlap(*this, output)));
}

//===----------------------------------------------------------------------===//
// Interfaces
//===----------------------------------------------------------------------===//

void EinsumOp::getEffects(SmallVectorImpl<mlir::SideEffects::EffectInstance<
                              mlir::MemoryEffects::Effect>> &effects) {
  if (!hasBuffers())
    return;
  for (OpOperand &input : getInputsMutable())
    effects.emplace_back(mlir::MemoryEffects::Read::get(), &input);
  if (readsOutput())
    effects.emplace_back(mlir::MemoryEffects::Read::get(), &getOutputMutable());
  effects.emplace_back(mlir::MemoryEffects::Write::get(), &getOutputMutable());
}

mlir::Speculation::Speculatability EinsumOp::getSpeculatability() {
  return hasBuffers() ? mlir::Speculation::NotSpeculatable
                      : mlir::Speculation::Speculatable;
}

LogicalResult
EinsumOp::reifyResultShapes(OpBuilder &builder,
                            mlir::ReifiedRankedShapedTypeDims &shapes) {
  if (hasBuffers())
    return failure();
  shapes.push_back(mlir::tensor::getMixedSizes(builder, getLoc(), getOutput()));
  return success();
}

bool EinsumOp::bufferizesToMemoryRead(OpOperand &operand,
                                      const bufferization::AnalysisState &) {
  return &operand != &getOutputMutable() || readsOutput();
}

bool EinsumOp::bufferizesToMemoryWrite(OpOperand &operand,
                                       const bufferization::AnalysisState &) {
  return &operand == &getOutputMutable();
}

bufferization::AliasingValueList
EinsumOp::getAliasingValues(OpOperand &operand,
                            const bufferization::AnalysisState &) {
  if (&operand != &getOutputMutable())
    return {};
  return {{getResult(), bufferization::BufferRelation::Equivalent}};
}

LogicalResult
EinsumOp::bufferize(RewriterBase &rewriter,
                    const bufferization::BufferizationOptions &options,
                    bufferization::BufferizationState &state) {
  if (hasBuffers())
    return success();
  SmallVector<Value> operands;
  for (Value tensor : getTensors()) {
    FailureOr<Value> buffer =
        bufferization::getBuffer(rewriter, tensor, options, state);
    if (failed(buffer))
      return failure();
    operands.push_back(*buffer);
  }
  Value output = operands.back();
  for (Value factor : {getAlpha(), getBeta()})
    if (factor)
      operands.push_back(factor);
  auto op = EinsumOp::create(rewriter, getLoc(), mlir::TypeRange(), operands,
                             getProperties());
  op->setDiscardableAttrs((*this)->getDiscardableAttrDictionary());
  bufferization::replaceOpWithBufferizedValues(rewriter, *this, output);
  return success();
}
