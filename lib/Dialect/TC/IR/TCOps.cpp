//===- TCOps.cpp - Operations of the tc dialect ---------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builders, accessors and the simple interfaces of the operations. Verifiers,
// folds, bufferization and tiling have files of their own.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TC/IR/TCOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/SetVector.h"

using namespace tc;
using model::Tensor;

#define GET_OP_CLASSES
#include "tc/Dialect/TC/IR/TCOps.cpp.inc"

void TCDialect::registerOperations() {
  addOperations<
#define GET_OP_LIST
#include "tc/Dialect/TC/IR/TCOps.cpp.inc"
      >();
}

std::optional<model::ElementType> tc::getModelElementType(Type type) {
  for (model::ElementType known : model::allElementTypes)
    if (type == getFloatType(type.getContext(), known))
      return known;
  return std::nullopt;
}

FloatType tc::getFloatType(MLIRContext *context, model::ElementType type) {
  switch (type) {
  case model::ElementType::F16:
    return mlir::Float16Type::get(context);
  case model::ElementType::BF16:
    return mlir::BFloat16Type::get(context);
  case model::ElementType::F32:
    return mlir::Float32Type::get(context);
  case model::ElementType::F64:
    return mlir::Float64Type::get(context);
  }
  llvm_unreachable("unknown element type");
}

//===----------------------------------------------------------------------===//
// ContractOp
//===----------------------------------------------------------------------===//

void ContractOp::build(OpBuilder &builder, OperationState &state, Value a,
                       Value b, Value c, IndexListAttr aIndices,
                       IndexListAttr bIndices, IndexListAttr cIndices,
                       Value alpha, Value beta, ScheduleAttr schedule,
                       model::Precision precision) {
  Type result = isa<RankedTensorType>(c.getType()) ? c.getType() : Type();
  build(builder, state, result, a, b, c, alpha, beta, aIndices, bIndices,
        cIndices, schedule, precision);
}

IndexListAttr ContractOp::getIndices(Tensor tensor) {
  switch (tensor) {
  case Tensor::A:
    return getAIndices();
  case Tensor::B:
    return getBIndices();
  case Tensor::C:
    return getCIndices();
  }
  llvm_unreachable("no such tensor");
}

Value ContractOp::getOperandOf(Tensor tensor) {
  switch (tensor) {
  case Tensor::A:
    return getA();
  case Tensor::B:
    return getB();
  case Tensor::C:
    return getC();
  }
  llvm_unreachable("no such tensor");
}

ShapedType ContractOp::getTypeOf(Tensor tensor) {
  return cast<ShapedType>(getOperandOf(tensor).getType());
}

FloatType ContractOp::getAccumulatorType() {
  model::ElementType input =
      *getModelElementType(getTypeOf(Tensor::A).getElementType());
  return getFloatType(getContext(), model::accumulatorTypeOf(input));
}

bool ContractOp::readsC() {
  return getBeta() && !matchPattern(getBeta(), mlir::m_AnyZeroFloat());
}

SmallVector<StringAttr> ContractOp::getLabels() {
  llvm::SmallSetVector<StringAttr, 8> labels;
  for (Tensor tensor : {Tensor::C, Tensor::A, Tensor::B})
    labels.insert_range(getIndices(tensor));
  return labels.takeVector();
}

int64_t ContractOp::getExtent(StringAttr label) {
  for (Tensor tensor : model::allTensors)
    for (auto [dim, other] : llvm::enumerate(getIndices(tensor)))
      if (other == label && !getTypeOf(tensor).isDynamicDim(dim))
        return getTypeOf(tensor).getDimSize(dim);
  return ShapedType::kDynamic;
}

bool ContractOp::hasZeroExtent() {
  return llvm::any_of(model::allTensors, [&](Tensor tensor) {
    return llvm::is_contained(getTypeOf(tensor).getShape(), 0);
  });
}

void ContractOp::getEffects(SmallVectorImpl<mlir::SideEffects::EffectInstance<
                                mlir::MemoryEffects::Effect>> &effects) {
  if (!hasBuffers())
    return;
  effects.emplace_back(mlir::MemoryEffects::Read::get(), &getAMutable());
  effects.emplace_back(mlir::MemoryEffects::Read::get(), &getBMutable());
  if (getBeta())
    effects.emplace_back(mlir::MemoryEffects::Read::get(), &getCMutable());
  effects.emplace_back(mlir::MemoryEffects::Write::get(), &getCMutable());
}

mlir::Speculation::Speculatability ContractOp::getSpeculatability() {
  return hasBuffers() ? mlir::Speculation::NotSpeculatable
                      : mlir::Speculation::Speculatable;
}
