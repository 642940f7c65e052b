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

#include <numeric>

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
  model::PerTensor<Type> types;
  for (Tensor tensor : model::allTensors) {
    types[tensor] = op.getTypeOf(tensor).getElementType();
    if (!getModelElementType(types[tensor]))
      return op.emitOpError("element type of ")
             << nameOf(tensor) << " must be " << model::elementTypeNames()
             << ", but is " << types[tensor];
  }
  Type input = types[Tensor::A], output = types[Tensor::C];
  if (types[Tensor::B] != input)
    return op.emitOpError("element types of A and B must be equal, but are ")
           << input << " and " << types[Tensor::B];
  FloatType accumulator = op.getAccumulatorType();
  if (!model::mayStoreAs(*getModelElementType(input),
                         *getModelElementType(output))) {
    InFlightDiagnostic error = op.emitOpError("element type of C must be that "
                                              "of A and B, ")
                               << input;
    if (accumulator != input)
      error << ", or that of their sums, " << accumulator;
    return error << ", but is " << output;
  }
  for (auto [name, scalar] :
       {std::pair("alpha", op.getAlpha()), std::pair("beta", op.getBeta())})
    if (scalar && scalar.getType() != accumulator)
      return op.emitOpError("type of ")
             << name << " must be that of the sums, " << accumulator
             << ", but is " << scalar.getType();
  return success();
}

static LogicalResult verifyPrecision(ContractOp op) {
  Type input = op.getTypeOf(Tensor::A).getElementType();
  if (model::appliesTo(op.getPrecision(), *getModelElementType(input)))
    return success();
  return op.emitOpError("precision ")
         << StringRef(model::stringify(op.getPrecision()))
         << " applies to inputs of f32, but A and B have " << input;
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

static LogicalResult verifyLayouts(ContractOp op) {
  for (Tensor tensor : model::allTensors) {
    ShapedType type = op.getTypeOf(tensor);
    if (auto ranked = dyn_cast<RankedTensorType>(type)) {
      if (ranked.getEncoding())
        return op.emitOpError()
               << nameOf(tensor)
               << " must be a dense tensor, but has the encoding "
               << ranked.getEncoding();
      continue;
    }
    if (!cast<MemRefType>(type).isStrided())
      return op.emitOpError("layout of ")
             << nameOf(tensor) << " must be strided, but its type is " << type;
  }
  return success();
}

/// Bytes from an operand's base to its last element, `saturated` if they exceed
/// 64 bits, or nothing if they are unknown.
static std::optional<int64_t> getBytes(ShapedType type) {
  if (!type.hasStaticShape())
    return std::nullopt;
  if (llvm::is_contained(type.getShape(), 0))
    return 0;
  int64_t elements = 1;
  auto memref = dyn_cast<MemRefType>(type);
  if (memref && !memref.getLayout().isIdentity()) {
    auto [strides, offset] = memref.getStridesAndOffset();
    if (ShapedType::isDynamicShape(strides) || ShapedType::isDynamic(offset))
      return std::nullopt;
    elements = saturatingAdd(elements, magnitude(offset));
    for (auto [extent, stride] : llvm::zip_equal(type.getShape(), strides))
      elements = saturatingAdd(
          elements, saturatingMultiply(extent - 1, magnitude(stride)));
  } else {
    for (int64_t extent : type.getShape())
      elements = saturatingMultiply(elements, extent);
  }
  return saturatingMultiply(elements, type.getElementTypeBitWidth() / 8);
}

static LogicalResult verifySizes(ContractOp op) {
  for (Tensor tensor : model::allTensors)
    if (getBytes(op.getTypeOf(tensor)) == saturated)
      return op.emitOpError("the bytes of ")
             << nameOf(tensor) << ", " << op.getTypeOf(tensor)
             << ", exceed 64 bits";
  return success();
}

/// Rejects destinations in which two elements certainly share an address. It
/// looks at single dimensions and at pairs of them.
static LogicalResult verifyNoOverlap(ContractOp op) {
  auto type = dyn_cast<MemRefType>(op.getTypeOf(Tensor::C));
  if (!type || type.getLayout().isIdentity() ||
      llvm::is_contained(type.getShape(), 0))
    return success();
  auto strides = type.getStridesAndOffset().first;
  auto isKnown = [&](int64_t dim) {
    return !type.isDynamicDim(dim) && type.getDimSize(dim) > 1 &&
           !ShapedType::isDynamic(strides[dim]);
  };
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (!isKnown(dim))
      continue;
    StringRef label = op.getCIndices()[dim].getValue();
    int64_t stride = magnitude(strides[dim]), extent = type.getDimSize(dim);
    if (stride == 0)
      return op.emitOpError("elements of C overlap: stride 0 along index '")
             << label << "' of extent " << extent;
    for (int64_t other = 0; other < dim; ++other) {
      if (!isKnown(other))
        continue;
      // The least steps along both dimensions that lead to the same address.
      int64_t otherStride = magnitude(strides[other]);
      int64_t divisor = std::gcd(stride, otherStride);
      if (otherStride / divisor < extent &&
          stride / divisor < type.getDimSize(other))
        return op.emitOpError("elements of C overlap: strides ")
               << strides[other] << " along index '"
               << op.getCIndices()[other].getValue() << "' and " << strides[dim]
               << " along index '" << label << "'";
    }
  }
  return success();
}

static LogicalResult verifySchedule(ContractOp op) {
  if (!op.getSchedule())
    return success();
  SmallVector<StringAttr> labels = op.getLabels();
  const model::Schedule &schedule = op.getSchedule()->getValue();
  for (const auto *tiles : {&schedule.m, &schedule.n, &schedule.k})
    for (const model::TileExtent &tile : *tiles)
      if (llvm::none_of(labels, [&](StringAttr label) {
            return label.getValue() == tile.label;
          }))
        return op.emitOpError("schedule: index '")
               << tile.label << "' is in no operand";
  return success();
}

LogicalResult ContractOp::verify() {
  for (auto *rule :
       {verifyKinds, verifyRanks, verifyElementTypes, verifyPrecision,
        verifyLayouts, verifyOutputLabels, verifyExtents, verifySizes,
        verifyNoOverlap, verifySchedule})
    if (failed(rule(*this)))
      return failure();
  return success();
}
