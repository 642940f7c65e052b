//===- LabelledTensors.cpp - Tensors with index lists ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LabelledTensors.h"

#include "tc/Problem/Overlap.h"
#include "tc/Problem/Semiring.h"
#include "tc/Support/Arithmetic.h"

#include "mlir/IR/Diagnostics.h"

using namespace tc;

int64_t tc::getExtent(ArrayRef<Value> tensors, ArrayRef<IndexListAttr> indices,
                      StringAttr label) {
  for (auto [tensor, list] : llvm::zip_equal(tensors, indices)) {
    auto type = cast<ShapedType>(tensor.getType());
    for (auto [dim, other] : llvm::enumerate(list))
      if (other == label && !type.isDynamicDim(dim))
        return type.getDimSize(dim);
  }
  return ShapedType::kDynamic;
}

LogicalResult tc::verifyKinds(Operation *op, ArrayRef<LabelledTensor> inputs,
                              const LabelledTensor &output) {
  bool hasBuffers = isa<MemRefType>(output.getType());
  for (const LabelledTensor &input : inputs)
    if (isa<MemRefType>(input.getType()) != hasBuffers)
      return op->emitOpError("must have either tensors or memrefs only, but ")
             << input.name << " is " << input.getType() << " and "
             << output.name << " is " << output.getType();
  if (hasBuffers && op->getNumResults() > 0)
    return op->emitOpError("has a result although it writes to a memref");
  return success();
}

LogicalResult tc::verifyRanks(Operation *op, ArrayRef<LabelledTensor> tensors) {
  for (const LabelledTensor &tensor : tensors) {
    auto labels = static_cast<int64_t>(tensor.indices.size());
    int64_t rank = tensor.getType().getRank();
    if (labels != rank)
      return op->emitOpError("index list of ")
             << tensor.name << " has " << labels << " labels, but its rank is "
             << rank;
  }
  return success();
}

LogicalResult tc::verifyElementTypes(Operation *op,
                                     ArrayRef<LabelledTensor> tensors) {
  for (const LabelledTensor &tensor : tensors)
    if (!getModelElementType(tensor.getElementType()))
      return op->emitOpError("element type of ")
             << tensor.name << " must be " << model::elementTypeNames()
             << ", but is " << tensor.getElementType();
  return success();
}

LogicalResult tc::verifyOutputType(Operation *op, const LabelledTensor &output,
                                   Type factor) {
  model::ElementType model = *getModelElementType(factor);
  if (!model::mayStoreAs(model, *getModelElementType(output.getElementType())))
    return op->emitOpError("element type of ")
           << output.name << " must be " << model::outputTypeNames(model)
           << " for factors of " << factor << ", but is "
           << output.getElementType();
  return success();
}

LogicalResult tc::verifyScalars(Operation *op, Value alpha, Value beta,
                                Type accumulator) {
  for (auto [name, scalar] :
       {std::pair("alpha", alpha), std::pair("beta", beta)})
    if (scalar && scalar.getType() != accumulator)
      return op->emitOpError("type of ")
             << name << " must be that of the sums, " << accumulator
             << ", but is " << scalar.getType();
  return success();
}

LogicalResult tc::verifyArithmetic(Operation *op, model::Precision precision,
                                   model::Semiring semiring, Type factor) {
  model::ElementType model = *getModelElementType(factor);
  if (!model::appliesTo(precision, model))
    return op->emitOpError("precision ")
           << StringRef(model::stringify(precision))
           << " applies to factors of f32, but they have " << factor;
  if (!model::appliesTo(semiring, model))
    return op->emitOpError("semiring ")
           << StringRef(model::stringify(semiring)) << " applies to "
           << StringRef(model::typesOf(semiring)) << ", but the factors have "
           << factor;
  if (semiring != model::Semiring::PlusTimes &&
      precision != model::Precision::IEEE)
    return op->emitOpError("precision ")
           << StringRef(model::stringify(precision))
           << " applies to semiring plus_times, but it is "
           << StringRef(model::stringify(semiring));
  return success();
}

LogicalResult tc::verifyLayouts(Operation *op,
                                ArrayRef<LabelledTensor> tensors) {
  for (const LabelledTensor &tensor : tensors) {
    Type type = tensor.getType();
    if (auto ranked = dyn_cast<RankedTensorType>(type)) {
      if (ranked.getEncoding())
        return op->emitOpError()
               << tensor.name
               << " must be a dense tensor, but has the encoding "
               << ranked.getEncoding();
      continue;
    }
    if (!cast<MemRefType>(type).isStrided())
      return op->emitOpError("layout of ")
             << tensor.name << " must be strided, but its type is " << type;
  }
  return success();
}

LogicalResult tc::verifyOutputLabels(Operation *op,
                                     ArrayRef<LabelledTensor> inputs,
                                     const LabelledTensor &output,
                                     StringRef absent) {
  DenseSet<StringAttr> known, seen;
  for (const LabelledTensor &input : inputs)
    known.insert(input.indices.begin(), input.indices.end());
  for (StringAttr label : output.indices) {
    if (!known.contains(label))
      return op->emitOpError("index '")
             << label.getValue() << "' of " << output.name << " is " << absent;
    if (!seen.insert(label).second)
      return op->emitOpError("index '")
             << label.getValue() << "' is in the index list of " << output.name
             << " twice";
  }
  return success();
}

LogicalResult tc::verifyExtents(Operation *op,
                                ArrayRef<LabelledTensor> tensors) {
  struct Source {
    size_t place;
    int64_t extent;
  };
  DenseMap<StringAttr, Source> sources;
  for (auto [place, tensor] : llvm::enumerate(tensors)) {
    ShapedType type = tensor.getType();
    for (auto [dim, label] : llvm::enumerate(tensor.indices)) {
      if (type.isDynamicDim(dim))
        continue;
      int64_t extent = type.getDimSize(dim);
      const Source &first =
          sources.try_emplace(label, Source{place, extent}).first->second;
      if (first.extent != extent)
        return op->emitOpError("index '")
               << label.getValue() << "' has extent " << first.extent << " in "
               << tensors[first.place].name << " and " << extent << " in "
               << tensor.name;
    }
  }
  return success();
}

/// Bytes from an operand's base to its last element, or from its lowest one if
/// its offset is unknown; `saturated` if they exceed 64 bits, or nothing if
/// they are unknown.
static std::optional<int64_t> getBytes(ShapedType type) {
  if (!type.hasStaticShape())
    return std::nullopt;
  if (llvm::is_contained(type.getShape(), 0))
    return 0;
  int64_t elements = 1;
  auto memref = dyn_cast<MemRefType>(type);
  if (memref && !memref.getLayout().isIdentity()) {
    auto [strides, offset] = memref.getStridesAndOffset();
    if (!ShapedType::isDynamic(offset))
      elements = saturatingAdd(elements, magnitude(offset));
    for (auto [extent, stride] : llvm::zip_equal(type.getShape(), strides)) {
      if (extent > 1 && ShapedType::isDynamic(stride))
        return std::nullopt;
      elements = saturatingAdd(
          elements, saturatingMultiply(extent - 1, magnitude(stride)));
    }
  } else {
    for (int64_t extent : type.getShape())
      elements = saturatingMultiply(elements, extent);
  }
  model::ElementType elementType = *getModelElementType(type.getElementType());
  return saturatingMultiply(elements, model::byteWidth(elementType));
}

LogicalResult tc::verifySizes(Operation *op, ArrayRef<LabelledTensor> tensors) {
  for (const LabelledTensor &tensor : tensors)
    if (getBytes(tensor.getType()) == saturated)
      return op->emitOpError("the bytes of ")
             << tensor.name << ", " << tensor.getType() << ", exceed 64 bits";
  return success();
}

LogicalResult tc::verifyNoOverlap(Operation *op, const LabelledTensor &output) {
  auto type = dyn_cast<MemRefType>(output.getType());
  if (!type || type.getLayout().isIdentity() ||
      llvm::is_contained(type.getShape(), 0))
    return success();
  auto all = type.getStridesAndOffset().first;
  // Extents and strides that are not known yet are not looked at.
  std::vector<int64_t> extents, strides;
  std::vector<std::string> labels;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (!type.isDynamicDim(dim) && !ShapedType::isDynamic(all[dim])) {
      extents.push_back(type.getDimSize(dim));
      strides.push_back(all[dim]);
      labels.push_back(output.indices[dim].getValue().str());
    }
  if (auto overlap = model::describeOverlap(extents, strides, labels))
    return op->emitOpError("elements of ")
           << output.name << " overlap: " << *overlap;
  return success();
}
