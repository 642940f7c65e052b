//===- TCVerifier.cpp - What a tc.contract must satisfy -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function a rule, each with one message that names the operand, the label
// and the figures at fault.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/Support/Arithmetic.h"

#include "mlir/IR/Diagnostics.h"

using namespace tc;
using model::Tensor;

/// The name by which messages speak of an operand.
static char nameOf(Tensor tensor) {
  return "ABC"[static_cast<unsigned>(tensor)];
}

static LogicalResult verifyKinds(ContractOp op) {
  for (Tensor tensor : {Tensor::A, Tensor::B})
    if (isa<MemRefType>(op.getTypeOf(tensor)) != op.hasBuffers())
      return op.emitOpError("must have either tensors or memrefs only, but ")
             << nameOf(tensor) << " is " << op.getTypeOf(tensor) << " and C is "
             << op.getTypeOf(Tensor::C);
  if (op.hasBuffers() && op.getResult())
    return op.emitOpError("has a result although it writes to a memref");
  return success();
}

static LogicalResult verifyElementTypes(ContractOp op) {
  Type elementType = op.getTypeOf(Tensor::C).getElementType();
  for (Tensor tensor : model::allTensors) {
    Type type = op.getTypeOf(tensor).getElementType();
    if (!getModelElementType(type))
      return op.emitOpError("element type of ")
             << nameOf(tensor) << " must be f32 or f64, but is " << type;
    if (type != elementType)
      return op.emitOpError("element types must be equal, but ")
             << nameOf(tensor) << " has " << type << " and C has "
             << elementType;
  }
  for (auto [name, scalar] :
       {std::pair("alpha", op.getAlpha()), std::pair("beta", op.getBeta())})
    if (scalar && scalar.getType() != elementType)
      return op.emitOpError("type of ")
             << name << " must be the element type of C, " << elementType
             << ", but is " << scalar.getType();
  return success();
}

static LogicalResult verifyRanks(ContractOp op) {
  for (Tensor tensor : model::allTensors) {
    int64_t labels = op.getIndices(tensor).size();
    int64_t rank = op.getTypeOf(tensor).getRank();
    if (labels != rank)
      return op.emitOpError("index list of ")
             << nameOf(tensor) << " has " << labels
             << " labels, but its rank is " << rank;
  }
  return success();
}

static LogicalResult verifyOutputLabels(ContractOp op) {
  DenseSet<StringAttr> seen;
  for (StringAttr label : op.getCIndices()) {
    if (!op.getAIndices().contains(label) && !op.getBIndices().contains(label))
      return op.emitOpError("index '")
             << label.getValue() << "' of C is in neither A nor B";
    if (!seen.insert(label).second)
      return op.emitOpError("index '")
             << label.getValue() << "' is in the index list of C twice";
  }
  return success();
}

static LogicalResult verifyExtents(ContractOp op) {
  struct Source {
    Tensor tensor;
    int64_t extent;
  };
  DenseMap<StringAttr, Source> sources;
  for (Tensor tensor : model::allTensors) {
    ShapedType type = op.getTypeOf(tensor);
    for (auto [dim, label] : llvm::enumerate(op.getIndices(tensor))) {
      if (type.isDynamicDim(dim))
        continue;
      int64_t extent = type.getDimSize(dim);
      const Source &first =
          sources.try_emplace(label, Source{tensor, extent}).first->second;
      if (first.extent != extent)
        return op.emitOpError("index '")
               << label.getValue() << "' has extent " << first.extent << " in "
               << nameOf(first.tensor) << " and " << extent << " in "
               << nameOf(tensor);
    }
  }
  return success();
}

LogicalResult ContractOp::verify() {
  return failure(failed(verifyKinds(*this)) || failed(verifyRanks(*this)) ||
                 failed(verifyElementTypes(*this)) ||
                 failed(verifyOutputLabels(*this)) ||
                 failed(verifyExtents(*this)));
}
