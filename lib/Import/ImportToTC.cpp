//===- ImportToTC.cpp - Parsed contractions to the tc dialect -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds a function per contraction.
//
//===----------------------------------------------------------------------===//

#include "tc/Import/ImportToTC.h"

#include "CreateProduct.h"

#include "tc/Analysis/BaseAlignment.h"
#include "tc/Dialect/TC/IR/TCOps.h"

#include "tc/Import/FusedExpressions.h"
#include "tc/Problem/Semiring.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tc;
using model::Tensor;

static Value createConstant(OpBuilder &builder, Location loc, Type type,
                            const model::Constant &value) {
  if (auto complexType = dyn_cast<ComplexType>(type))
    return createNumber(
        builder, loc,
        complex::NumberAttr::get(complexType, value.real(), value.imag()));
  if (isa<FloatType>(type))
    return arith::ConstantOp::create(builder, loc,
                                     builder.getFloatAttr(type, value.real()));
  int64_t integer = model::integerOf(value, *getModelElementType(type));
  return arith::ConstantOp::create(builder, loc,
                                   builder.getIntegerAttr(type, integer));
}

static TypedAttr createIdentity(Type type, const model::Constant &identity) {
  Builder builder(type.getContext());
  if (isa<FloatType>(type))
    return builder.getFloatAttr(type, identity.real());
  return builder.getIntegerAttr(
      type, model::integerOf(identity, *getModelElementType(type)));
}

/// Builds the code that a contraction has, in its regions.
static void buildAllFusedCode(ContractOp op,
                              const notation::ParsedContraction &contraction) {
  const notation::FusedExpressions &fused = contraction.fused;
  model::ElementType factors = contraction.record.factorType;
  Type factorType = tc::getElementType(op.getContext(), factors);
  Type sumType =
      tc::getElementType(op.getContext(), model::accumulatorTypeOf(factors));
  Type elementOfC = op.getTypeOf(Tensor::C).getElementType();
  for (auto [tensor, code] : {std::pair(Tensor::A, &fused.prologueA),
                              std::pair(Tensor::B, &fused.prologueB)})
    if (*code)
      buildFusedCode(*op.getPrologue(tensor), op.getLoc(), **code,
                     op.getTypeOf(tensor).getElementType(), sumType,
                     factorType);
  if (fused.semiring)
    for (auto [region, code] :
         {std::pair(op.getProduct(), &fused.semiring->product),
          std::pair(op.getCombine(), &fused.semiring->combine)})
      buildFusedCode(*region, op.getLoc(), *code, {sumType, sumType}, sumType,
                     sumType);
  SmallVector<Type> arguments = {sumType, elementOfC};
  for (Value auxiliary : op.getAuxiliaries())
    arguments.push_back(cast<ShapedType>(auxiliary.getType()).getElementType());
  if (fused.epilogue)
    buildFusedCode(*op.getEpilogue(), op.getLoc(), *fused.epilogue, arguments,
                   sumType, elementOfC);
}

/// The sum of all elements of a tensor.
static Value addElements(OpBuilder &builder, Location loc, Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Type elementType = type.getElementType();
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(elementType));
  Value none =
      tensor::EmptyOp::create(builder, loc, ArrayRef<int64_t>(), elementType);
  Value begin = linalg::FillOp::create(builder, loc, zero, none).getResult(0);
  auto add = [&](OpBuilder &inner, Location at, ValueRange arguments) {
    Value sum;
    if (isa<FloatType>(elementType))
      sum = arith::AddFOp::create(inner, at, arguments[0], arguments[1]);
    else
      sum = arith::AddIOp::create(inner, at, arguments[0], arguments[1]);
    linalg::YieldOp::create(inner, at, sum);
  };
  SmallVector<int64_t> dimensions =
      llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  return linalg::ReduceOp::create(builder, loc, tensor, begin, dimensions, add)
      ->getResult(0);
}

Type tc::typeOf(MLIRContext *context, const model::TensorRecord &tensor,
                bool isTensor) {
  Type elementType = tc::getElementType(context, tensor.type);
  if (isTensor)
    return RankedTensorType::get(tensor.extents, elementType);
  if (tensor.offset == 0 &&
      tensor.strides == model::contiguousStrides(tensor.extents))
    return MemRefType::get(tensor.extents, elementType);
  return MemRefType::get(
      tensor.extents, elementType,
      StridedLayoutAttr::get(context, tensor.offset, tensor.strides));
}

static IndexListAttr indicesOf(MLIRContext *context,
                               const model::TensorRecord &tensor) {
  return IndexListAttr::get(
      context,
      SmallVector<StringRef>(tensor.labels.begin(), tensor.labels.end()));
}

ContractOp
tc::createContraction(OpBuilder &builder, Location loc, ValueRange arguments,
                      const notation::ParsedContraction &contraction) {
  const model::ContractionRecord &record = contraction.record;
  MLIRContext *context = builder.getContext();
  model::ElementType sums = model::accumulatorTypeOf(record);
  Type sumType = tc::getElementType(context, sums);
  unsigned next = 3;
  // Nothing stands for what the operation's default is.
  auto factor = [&](const model::FactorRecord &known,
                    const model::Constant &neutral) -> Value {
    if (known.isArgument)
      return arguments[next++];
    if (known.value == neutral)
      return {};
    return createConstant(builder, loc, sumType, known.value);
  };
  Value alpha = factor(record.alpha, model::oneOf(record.semiring, sums));
  // With a semiring of the user's, one means to combine sums with C.
  bool isUserDefined = record.semiring == model::Semiring::UserDefined;
  model::Constant zero = model::zeroOf(record.semiring, sums);
  bool accumulates = isUserDefined && record.beta.value != zero;
  Value beta = isUserDefined ? Value() : factor(record.beta, zero);

  const notation::FusedExpressions &fused = contraction.fused;
  SmallVector<Attribute> auxiliaryIndices;
  for (const model::TensorRecord &auxiliary : contraction.auxiliaries)
    auxiliaryIndices.push_back(indicesOf(context, auxiliary));
  unsigned regions = (isUserDefined ? 2 : 0) + fused.prologueA.has_value() +
                     fused.prologueB.has_value() + fused.epilogue.has_value();
  Type typeOfC = arguments[2].getType();
  auto op = ContractOp::create(
      builder, loc, isa<RankedTensorType>(typeOfC) ? typeOfC : Type(),
      arguments[0], arguments[1], arguments[2], alpha, beta,
      arguments.drop_front(next), indicesOf(context, record.tensors[Tensor::A]),
      indicesOf(context, record.tensors[Tensor::B]),
      indicesOf(context, record.tensors[Tensor::C]),
      /*schedule=*/ScheduleAttr(), /*cpu_schedule=*/CpuScheduleAttr(),
      /*dynamic_shape=*/DynamicShapeAttr(), record.precision, record.semiring,
      isUserDefined ? createIdentity(sumType, record.identity) : TypedAttr(),
      accumulates, record.conjugates[Tensor::A], record.conjugates[Tensor::B],
      record.allowsThreeProducts,
      auxiliaryIndices.empty() ? ArrayAttr()
                               : builder.getArrayAttr(auxiliaryIndices),
      record.hasPrologue[Tensor::A], record.hasPrologue[Tensor::B],
      record.hasEpilogue, regions);
  buildAllFusedCode(op, contraction);
  return op;
}

EinsumOp tc::createProduct(OpBuilder &builder, Location loc, ValueRange inputs,
                           Value output,
                           const notation::ParsedContraction &contraction) {
  const model::ContractionRecord &record = contraction.record;
  MLIRContext *context = builder.getContext();
  model::ElementType sums = model::accumulatorTypeOf(record);
  Type sumType = tc::getElementType(context, sums);
  auto factor = [&](const model::FactorRecord &known,
                    const model::Constant &neutral) -> Value {
    if (known.value == neutral)
      return {};
    return createConstant(builder, loc, sumType, known.value);
  };
  SmallVector<Attribute> lists = {
      indicesOf(context, record.tensors[Tensor::A]),
      indicesOf(context, record.tensors[Tensor::B])};
  for (const model::TensorRecord &tensor : contraction.further)
    lists.push_back(indicesOf(context, tensor));
  lists.resize(inputs.size());
  return EinsumOp::create(
      builder, loc,
      isa<RankedTensorType>(output.getType()) ? output.getType() : Type(),
      inputs, output, factor(record.alpha, model::oneOf(record.semiring, sums)),
      factor(record.beta, model::zeroOf(record.semiring, sums)),
      builder.getArrayAttr(lists),
      indicesOf(context, record.tensors[Tensor::C]), record.precision,
      record.semiring, /*conjugate=*/nullptr,
      /*path=*/nullptr);
}

static void importContraction(OpBuilder &builder,
                              const notation::ParsedContraction &contraction,
                              const ImportOptions &options) {
  MLIRContext *context = builder.getContext();
  Location loc =
      FileLineColLoc::get(context, options.source, contraction.position.line,
                          contraction.position.column);
  const model::ContractionRecord &record = contraction.record;
  bool onTensors = options.useTensors || options.reduces;
  SmallVector<Type> types;
  for (Tensor tensor : {Tensor::A, Tensor::B})
    types.push_back(typeOf(context, record.tensors[tensor], onTensors));
  for (const model::TensorRecord &tensor : contraction.further)
    types.push_back(typeOf(context, tensor, onTensors));
  types.push_back(typeOf(context, record.tensors[Tensor::C], onTensors));
  Type resultType = types.back();
  for (const model::FactorRecord *factor : {&record.alpha, &record.beta})
    if (factor->isArgument)
      types.push_back(
          tc::getElementType(context, model::accumulatorTypeOf(record)));
  for (const model::TensorRecord &auxiliary : contraction.auxiliaries)
    types.push_back(typeOf(context, auxiliary, onTensors));

  if (options.reduces)
    resultType = RankedTensorType::get(
        {}, cast<ShapedType>(resultType).getElementType());
  auto functionType = builder.getFunctionType(
      types, onTensors ? TypeRange(resultType) : TypeRange());
  auto function =
      func::FuncOp::create(builder, loc, contraction.name, functionType);

  if (!contraction.versionOf.empty())
    function->setAttr(versionOfAttrName, mlir::FlatSymbolRefAttr::get(
                                             context, contraction.versionOf));
  OpBuilder::InsertionGuard guard(builder);
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToStart(body);
  ValueRange arguments = body->getArguments();
  Operation *contract;
  if (contraction.further.empty())
    contract = createContraction(builder, loc, arguments, contraction);
  else
    contract = createProduct(builder, loc, arguments.drop_back(),
                             arguments.back(), contraction);
  SmallVector<Value> results(contract->getResults());
  if (options.reduces)
    results = {addElements(builder, loc, contract->getResult(0))};
  func::ReturnOp::create(builder, loc, results);
}

OwningOpRef<ModuleOp>
tc::importContractions(MLIRContext *context,
                       ArrayRef<notation::ParsedContraction> contractions,
                       const ImportOptions &options) {
  context->loadDialect<arith::ArithDialect, func::FuncDialect,
                       linalg::LinalgDialect, math::MathDialect, TCDialect,
                       tensor::TensorDialect>();
  OpBuilder builder(context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(
      builder, FileLineColLoc::get(context, options.source, 1, 1));
  builder.setInsertionPointToStart(module->getBody());
  for (const notation::ParsedContraction &contraction : contractions)
    importContraction(builder, contraction, options);
  return module;
}
