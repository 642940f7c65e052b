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
  Type typeOf(unsigned tensor) {
    return tc::typeOf(builder.getContext(), program.tensors[tensor].record,
                      options.useTensors);
  }
  Location locationOf(const notation::ProgramStep &step) {
    return FileLineColLoc::get(builder.getContext(), options.source,
                               step.product.position.line,
                               step.product.position.column);
  }
  SmallVector<unsigned> listParameters() const;
  Value makeDestination(Location loc, unsigned tensor);
  void buildStep(const notation::ProgramStep &step);

  OpBuilder &builder;
  const notation::ParsedProgram &program;
  const ImportOptions &options;
  /// What each tensor is by now.
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

Value ProgramBuilder::makeDestination(Location loc, unsigned tensor) {
  if (options.useTensors) {
    auto type = cast<RankedTensorType>(typeOf(tensor));
    return tensor::EmptyOp::create(builder, loc, type.getShape(),
                                   type.getElementType());
  }
  Value buffer =
      memref::AllocOp::create(builder, loc, cast<MemRefType>(typeOf(tensor)));
  buffers.push_back(buffer);
  return buffer;
}

void ProgramBuilder::buildStep(const notation::ProgramStep &step) {
  Location loc = locationOf(step);
  SmallVector<Value> tensors;
  for (unsigned input : step.inputs)
    tensors.push_back(values[input]);
  Value &output = values[step.output];
  if (!output || (options.useTensors && !step.accumulates()))
    output = makeDestination(loc, step.output);
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
  for (auto [number, tensor] : llvm::enumerate(parameters))
    function.setArgAttr(number, parameterNameAttrName, nameOf(tensor));
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
