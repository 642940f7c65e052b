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

#include "tc/Analysis/BaseAlignment.h"
#include "tc/Dialect/TC/IR/TCOps.h"

#include "tc/Import/FusedExpressions.h"
#include "tc/Model/Semiring.h"

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

/// The constant, or no value where it is the operation's default.
static Value createCoefficient(OpBuilder &builder, Location loc, Type type,
                               const model::Constant &value,
                               const model::Constant &defaultValue) {
  if (value == defaultValue)
    return {};
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

ContractOp tc::addFusedCode(OpBuilder &builder, ContractOp op,
                            const notation::FusedExpressions &fused,
                            ValueRange sides, ArrayRef<Attribute> sideIndices) {
  Type factorType = op.getFactorType(), sumType = op.getAccumulatorType();
  Type elementOfC = op.getTypeOf(Tensor::C).getElementType();
  unsigned regions = fused.semiring ? 2 : 0;
  for (const auto *code : {&fused.prologueA, &fused.prologueB, &fused.epilogue})
    regions += code->has_value();
  // A factor of one means that sums are combined with C.
  bool accumulates = fused.semiring && op.getBeta();
  auto withCode = ContractOp::create(
      builder, op.getLoc(), op->getResultTypes(), op.getA(), op.getB(),
      op.getC(), op.getAlpha(), accumulates ? Value() : op.getBeta(), sides,
      op.getAIndices(), op.getBIndices(), op.getCIndices(),
      /*schedule=*/ScheduleAttr(), op.getPrecision(),
      fused.semiring ? model::Semiring::UserDefined : op.getSemiring(),
      fused.semiring ? createIdentity(sumType, fused.semiring->identity)
                     : TypedAttr(),
      accumulates, op.getConjugateA(), op.getConjugateB(),
      op.getAllowThreeProducts(),
      sides.empty() ? ArrayAttr() : builder.getArrayAttr(sideIndices),
      fused.prologueA.has_value(), fused.prologueB.has_value(),
      fused.epilogue.has_value(), regions);
  for (auto [tensor, code] : {std::pair(Tensor::A, &fused.prologueA),
                              std::pair(Tensor::B, &fused.prologueB)}) {
    if (*code)
      buildFusedCode(*withCode.getPrologue(tensor), op.getLoc(), **code,
                     op.getTypeOf(tensor).getElementType(), sumType,
                     factorType);
  }
  if (fused.semiring)
    for (auto [region, code] :
         {std::pair(withCode.getProduct(), &fused.semiring->product),
          std::pair(withCode.getCombine(), &fused.semiring->combine)})
      buildFusedCode(*region, op.getLoc(), *code, {sumType, sumType}, sumType,
                     sumType);
  SmallVector<Type> arguments = {sumType, elementOfC};
  for (Value side : sides)
    arguments.push_back(cast<ShapedType>(side.getType()).getElementType());
  if (fused.epilogue)
    buildFusedCode(*withCode.getEpilogue(), op.getLoc(), *fused.epilogue,
                   arguments, sumType, elementOfC);
  Value beta = op.getBeta();
  op.erase();
  if (accumulates)
    beta.getDefiningOp()->erase();
  return withCode;
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

static void importContraction(OpBuilder &builder,
                              const notation::ParsedContraction &contraction,
                              const ImportOptions &options) {
  Location loc = FileLineColLoc::get(builder.getContext(), options.source,
                                     contraction.position.line,
                                     contraction.position.column);
  model::ElementType sums = model::accumulatorTypeOf(contraction.factorType);
  Type scalarType = tc::getElementType(builder.getContext(), sums);

  SmallVector<IndexListAttr> indices;
  SmallVector<Type> types;
  auto addTensor = [&](const std::vector<std::string> &labels, Tensor tensor) {
    Type elementType = tc::getElementType(builder.getContext(),
                                          contraction.elementTypes[tensor]);
    SmallVector<StringRef> names(labels.begin(), labels.end());
    indices.push_back(IndexListAttr::get(builder.getContext(), names));
    SmallVector<int64_t> shape = llvm::map_to_vector(
        labels, [&](const std::string &l) { return contraction.extent(l); });
    if (options.useTensors || options.reduces)
      types.push_back(RankedTensorType::get(shape, elementType));
    else
      types.push_back(MemRefType::get(shape, elementType));
  };
  model::PerTensor<std::vector<std::string>> lists =
      contraction.rowMajorLabels();
  for (Tensor tensor : model::allTensors)
    addTensor(lists[tensor], tensor);
  Type resultType = types.back();
  for (const std::vector<std::string> &labels :
       contraction.rowMajorSideLabels())
    addTensor(labels, Tensor::C);

  if (options.reduces)
    resultType = RankedTensorType::get(
        {}, cast<ShapedType>(resultType).getElementType());
  bool hasResult = options.useTensors || options.reduces;
  auto functionType = builder.getFunctionType(
      types, hasResult ? TypeRange(resultType) : TypeRange());
  auto function =
      func::FuncOp::create(builder, loc, contraction.name, functionType);

  if (!contraction.versionOf.empty())
    function->setAttr(versionOfAttrName,
                      mlir::FlatSymbolRefAttr::get(builder.getContext(),
                                                   contraction.versionOf));
  OpBuilder::InsertionGuard guard(builder);
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToStart(body);
  Value alpha = createCoefficient(builder, loc, scalarType, contraction.alpha,
                                  model::oneOf(contraction.semiring, sums));
  Value beta = createCoefficient(builder, loc, scalarType, contraction.beta,
                                 model::zeroOf(contraction.semiring, sums));
  auto contract = ContractOp::create(
      builder, loc, body->getArgument(0), body->getArgument(1),
      body->getArgument(2), indices[0], indices[1], indices[2], alpha, beta,
      /*schedule=*/ScheduleAttr(), contraction.precision, contraction.semiring);
  contract.setConjugateA(contraction.conjugatesA);
  contract.setConjugateB(contraction.conjugatesB);
  contract.setAllowThreeProducts(contraction.allowsThreeProducts);
  if (contraction.fused.any())
    contract =
        addFusedCode(builder, contract, contraction.fused,
                     ValueRange(body->getArguments()).drop_front(3),
                     SmallVector<Attribute>(llvm::drop_begin(indices, 3)));
  SmallVector<Value> results(contract->getResults());
  if (options.reduces)
    results = {addElements(builder, loc, contract.getResult())};
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
