//===- ImportProgram.cpp - Parsed programs to the tc dialect --------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds one function for all statements.
//
//===----------------------------------------------------------------------===//

#include "CreateProduct.h"

#include "tc/Dialect/TC/IR/ParameterNames.h"
#include "tc/Import/ImportToTC.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tc;

namespace {

/// Makes the function, statement by statement.
class ProgramBuilder {
public:
  ProgramBuilder(OpBuilder &builder, const notation::ParsedProgram &program,
                 const ImportOptions &options)
      : builder(builder), program(program), options(options),
        values(program.tensors.size()) {}

  void build();

private:
  Type typeOf(unsigned tensor);
  Location locationOf(const notation::ProgramStep &step) {
    return FileLineColLoc::get(builder.getContext(), options.source,
                               step.product.position.line,
                               step.product.position.column);
  }
  SmallVector<unsigned> listParameters() const;
  bool isUnknown(unsigned tensor) {
    return llvm::any_of(
        program.tensors[tensor].record.labels,
        [&](const std::string &label) { return program.isUnknown(label); });
  }
  OpFoldResult extentOf(Location loc, const notation::ProgramStep &step,
                        StringRef label);
  Value makeDestination(Location loc, const notation::ProgramStep &step);
  void buildStep(const notation::ProgramStep &step);

  OpBuilder &builder;
  const notation::ParsedProgram &program;
  const ImportOptions &options;
  /// The current value of each tensor.
  SmallVector<Value> values;
  SmallVector<Value> buffers;
};

} // namespace

SmallVector<unsigned> ProgramBuilder::listParameters() const {
  SmallVector<unsigned> parameters(ArrayRef<unsigned>(program.arguments));
  if (!options.useTensors)
    for (unsigned tensor : program.results)
      if (!llvm::is_contained(program.arguments, tensor))
        parameters.push_back(tensor);
  return parameters;
}

Type ProgramBuilder::typeOf(unsigned tensor) {
  const model::TensorRecord &record = program.tensors[tensor].record;
  auto type = cast<ShapedType>(
      tc::typeOf(builder.getContext(), record, options.useTensors));
  if (!isUnknown(tensor))
    return type;
  // Tensors are contiguous.
  SmallVector<int64_t> shape(ArrayRef<int64_t>(record.extents));
  for (auto [extent, label] : llvm::zip_equal(shape, record.labels))
    if (program.isUnknown(label))
      extent = ShapedType::kDynamic;
  if (options.useTensors)
    return type.clone(shape);
  return MemRefType::get(shape, type.getElementType());
}

/// The extent of an index of a step's output, which one of its inputs has.
OpFoldResult ProgramBuilder::extentOf(Location loc,
                                      const notation::ProgramStep &step,
                                      StringRef label) {
  auto recordOf = [&](size_t input) -> const model::TensorRecord & {
    constexpr size_t inPair = 2;
    return input < inPair
               ? step.product.record.tensors[static_cast<model::Tensor>(input)]
               : step.product.further[input - inPair];
  };
  for (auto [number, input] : llvm::enumerate(step.inputs))
    for (auto [dim, other] : llvm::enumerate(recordOf(number).labels))
      if (other == label)
        return options.useTensors
                   ? tensor::getMixedSize(builder, loc, values[input],
                                          static_cast<int64_t>(dim))
                   : memref::getMixedSize(builder, loc, values[input],
                                          static_cast<int64_t>(dim));
  llvm_unreachable("an index of an output is one of an input");
}

Value ProgramBuilder::makeDestination(Location loc,
                                      const notation::ProgramStep &step) {
  auto type = cast<ShapedType>(typeOf(step.output));
  SmallVector<OpFoldResult> sizes = llvm::map_to_vector(
      step.product.record.tensors[model::Tensor::C].labels,
      [&](const std::string &label) { return extentOf(loc, step, label); });
  SmallVector<Value> unknown;
  for (auto [extent, size] : llvm::zip_equal(type.getShape(), sizes))
    if (ShapedType::isDynamic(extent))
      unknown.push_back(getValueOrCreateConstantIndexOp(builder, loc, size));
  if (options.useTensors)
    return tensor::EmptyOp::create(builder, loc, type.getShape(),
                                   type.getElementType(), unknown);
  Value buffer =
      memref::AllocOp::create(builder, loc, cast<MemRefType>(type), unknown);
  buffers.push_back(buffer);
  return buffer;
}

/// The extent of an index for which the order of a step is chosen.
static int64_t representativeOf(const notation::ProgramStep &step,
                                StringRef label) {
  const auto &[a, b, c] =
      static_cast<const std::array<model::TensorRecord, 3> &>(
          step.product.record.tensors);
  SmallVector<const model::TensorRecord *> tensors = {&a, &b, &c};
  for (const model::TensorRecord &tensor : step.product.further)
    tensors.push_back(&tensor);
  for (const model::TensorRecord *tensor : tensors)
    for (auto [other, extent] :
         llvm::zip_equal(tensor->labels, tensor->extents))
      if (other == label)
        return extent;
  llvm_unreachable("an index of a product is one of its tensors'");
}

void ProgramBuilder::buildStep(const notation::ProgramStep &step) {
  Location loc = locationOf(step);
  SmallVector<Value> tensors;
  for (unsigned input : step.inputs)
    tensors.push_back(values[input]);
  Value &output = values[step.output];
  if (!output || (options.useTensors && !step.accumulates()))
    output = makeDestination(loc, step);
  Operation *product;
  if (tensors.size() == 2) {
    tensors.push_back(output);
    product = createContraction(builder, loc, tensors, step.product);
  } else {
    EinsumOp einsum =
        createProduct(builder, loc, tensors, output, step.product);
    SmallVector<Attribute> path;
    for (const std::vector<unsigned> &positions : step.path)
      path.push_back(builder.getDenseI64ArrayAttr(
          SmallVector<int64_t>(positions.begin(), positions.end())));
    NamedAttrList representatives;
    for (StringAttr label : einsum.getLabels())
      if (program.isUnknown(label.str()))
        representatives.set(
            label, builder.getI64IntegerAttr(representativeOf(step, label)));
    if (!representatives.empty())
      einsum->setAttr(representativeExtentsAttrName,
                      representatives.getDictionary(builder.getContext()));
    if (!path.empty())
      einsum.setPathAttr(builder.getArrayAttr(path));
    product = einsum;
  }
  if (options.useTensors)
    output = product->getResult(0);
}

void ProgramBuilder::build() {
  SmallVector<unsigned> parameters = listParameters();
  auto typesOf = [&](ArrayRef<unsigned> tensors) {
    return llvm::map_to_vector(tensors,
                               [&](unsigned tensor) { return typeOf(tensor); });
  };
  SmallVector<Type> results;
  if (options.useTensors)
    results = typesOf(program.results);
  Location loc = locationOf(program.steps.front());
  auto function = func::FuncOp::create(
      builder, loc, program.name,
      builder.getFunctionType(typesOf(parameters), results));
  auto nameOf = [&](unsigned tensor) {
    return builder.getStringAttr(program.tensors[tensor].name);
  };
  for (auto [number, tensor] : llvm::enumerate(parameters)) {
    function.setArgAttr(number, parameterNameAttrName, nameOf(tensor));
    if (isUnknown(tensor)) {
      const auto &labels = program.tensors[tensor].record.labels;
      function.setArgAttr(number, parameterIndicesAttrName,
                          builder.getStrArrayAttr(SmallVector<StringRef>(
                              labels.begin(), labels.end())));
    }
  }
  if (options.useTensors)
    for (auto [number, tensor] : llvm::enumerate(program.results))
      function.setResultAttr(number, parameterNameAttrName, nameOf(tensor));
  OpBuilder::InsertionGuard guard(builder);
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToStart(body);
  for (auto [tensor, argument] :
       llvm::zip_equal(parameters, body->getArguments()))
    values[tensor] = argument;
  for (const notation::ProgramStep &step : program.steps)
    buildStep(step);
  for (Value buffer : buffers)
    memref::DeallocOp::create(builder, loc, buffer);
  SmallVector<Value> returned;
  if (options.useTensors)
    for (unsigned tensor : program.results)
      returned.push_back(values[tensor]);
  func::ReturnOp::create(builder, loc, returned);
}

OwningOpRef<ModuleOp> tc::importProgram(MLIRContext *context,
                                        const notation::ParsedProgram &program,
                                        const ImportOptions &options) {
  context->loadDialect<arith::ArithDialect, complex::ComplexDialect,
                       func::FuncDialect, memref::MemRefDialect, TCDialect,
                       tensor::TensorDialect>();
  OpBuilder builder(context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(
      builder, FileLineColLoc::get(context, options.source, 1, 1));
  builder.setInsertionPointToStart(module->getBody());
  ProgramBuilder(builder, program, options).build();
  return module;
}
