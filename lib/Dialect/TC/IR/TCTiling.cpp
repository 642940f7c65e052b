//===- TCTiling.cpp - A contraction of tiles is a contraction -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The iteration space has one dimension per label, in the order of getLabels().
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TC/IR/TCOps.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

using namespace tc;
using mlir::TilingResult;
using mlir::ValueBoundsConstraintSet;
using model::Tensor;

/// The extent of one dimension, as a constant where it is known.
static OpFoldResult getMixedSize(OpBuilder &builder, Location loc, Value value,
                                 int64_t dim) {
  if (isa<MemRefType>(value.getType()))
    return mlir::memref::getMixedSize(builder, loc, value, dim);
  return mlir::tensor::getMixedSize(builder, loc, value, dim);
}

/// An operand and one of its dimensions that a label names.
static std::pair<Value, int64_t> findDim(ContractOp op, StringAttr label) {
  for (Tensor tensor : {Tensor::C, Tensor::A, Tensor::B})
    if (std::optional<unsigned> dim = op.getIndices(tensor).find(label))
      return {op.getOperandOf(tensor), *dim};
  llvm_unreachable("no operand holds the label");
}

/// The part of a tile of the iteration space that an operand holds.
static SmallVector<OpFoldResult> project(ContractOp op, IndexListAttr indices,
                                         ArrayRef<OpFoldResult> values) {
  SmallVector<StringAttr> labels = op.getLabels();
  return llvm::map_to_vector(indices, [&](StringAttr label) {
    return values[llvm::find(labels, label) - labels.begin()];
  });
}

/// Returns true if a tile of that size certainly spans the whole extent of a
/// label.
static bool spansExtent(ContractOp op, StringAttr label, OpFoldResult size) {
  int64_t extent = op.getExtent(label);
  if (!ShapedType::isDynamic(extent))
    return mlir::getConstantIntValue(size) == extent;
  auto [value, dim] = findDim(op, label);
  FailureOr<bool> equal = ValueBoundsConstraintSet::areEqual(
      size, ValueBoundsConstraintSet::Variable(value, dim));
  return succeeded(equal) && *equal;
}

SmallVector<mlir::utils::IteratorType> ContractOp::getLoopIteratorTypes() {
  return llvm::map_to_vector(getLabels(), [&](StringAttr label) {
    return getCIndices().contains(label) ? mlir::utils::IteratorType::parallel
                                         : mlir::utils::IteratorType::reduction;
  });
}

SmallVector<mlir::Range> ContractOp::getIterationDomain(OpBuilder &builder) {
  return llvm::map_to_vector(getLabels(), [&](StringAttr label) {
    int64_t extent = getExtent(label);
    OpFoldResult size = builder.getIndexAttr(extent);
    if (ShapedType::isDynamic(extent)) {
      auto [value, dim] = findDim(*this, label);
      size = getMixedSize(builder, getLoc(), value, dim);
    }
    return mlir::Range{builder.getIndexAttr(0), size, builder.getIndexAttr(1)};
  });
}

FailureOr<TilingResult>
ContractOp::getTiledImplementation(OpBuilder &builder,
                                   ArrayRef<OpFoldResult> offsets,
                                   ArrayRef<OpFoldResult> sizes) {
  bool accumulates = addsToC() && !getEpilogue();
  for (auto [label, size] : llvm::zip_equal(getLabels(), sizes))
    if (!getCIndices().contains(label) && !accumulates &&
        !spansExtent(*this, label, size))
      return emitOpError("cannot be tiled along the summed index '")
             << label.getValue()
             << "' unless beta is the constant one or there is accumulate, "
                "and there is no epilogue: every tile adds to C";

  TilingResult result;
  SmallVector<Value> operands;
  for (auto [tensor, indices] :
       llvm::zip_equal(getTensors(), getIndexLists())) {
    SmallVector<OpFoldResult> tileOffsets = project(*this, indices, offsets);
    SmallVector<OpFoldResult> tileSizes = project(*this, indices, sizes);
    SmallVector<OpFoldResult> strides(indices.size(), builder.getIndexAttr(1));
    Operation *slice;
    if (hasBuffers())
      slice = mlir::memref::SubViewOp::create(builder, getLoc(), tensor,
                                              tileOffsets, tileSizes, strides);
    else
      slice = mlir::tensor::ExtractSliceOp::create(
          builder, getLoc(), tensor, tileOffsets, tileSizes, strides);
    result.generatedSlices.push_back(slice);
    operands.push_back(slice->getResult(0));
  }
  ContractOp tiled = recreate(builder, getLoc(), operands, getIndexLists());
  tiled->setDiscardableAttrs((*this)->getDiscardableAttrDictionary());
  result.tiledOps.push_back(tiled);
  llvm::append_range(result.tiledValues, tiled->getResults());
  return result;
}

LogicalResult ContractOp::getResultTilePosition(
    OpBuilder &, unsigned, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
    SmallVector<OpFoldResult> &resultSizes) {
  resultOffsets = project(*this, getCIndices(), offsets);
  resultSizes = project(*this, getCIndices(), sizes);
  return success();
}

LogicalResult ContractOp::getIterationDomainTileFromResultTile(
    OpBuilder &builder, unsigned, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVectorImpl<OpFoldResult> &domainOffsets,
    SmallVectorImpl<OpFoldResult> &domainSizes) {
  // The labels of C come first, the others are summed and run over all values.
  domainOffsets.assign(offsets.begin(), offsets.end());
  domainSizes.assign(sizes.begin(), sizes.end());
  SmallVector<mlir::Range> domain = getIterationDomain(builder);
  for (const mlir::Range &range :
       ArrayRef(domain).drop_front(getCIndices().size())) {
    domainOffsets.push_back(range.offset);
    domainSizes.push_back(range.size);
  }
  return success();
}

FailureOr<TilingResult>
ContractOp::generateResultTileValue(OpBuilder &builder, unsigned resultNumber,
                                    ArrayRef<OpFoldResult> offsets,
                                    ArrayRef<OpFoldResult> sizes) {
  SmallVector<OpFoldResult> domainOffsets, domainSizes;
  if (failed(getIterationDomainTileFromResultTile(
          builder, resultNumber, offsets, sizes, domainOffsets, domainSizes)))
    return failure();
  return getTiledImplementation(builder, domainOffsets, domainSizes);
}

LogicalResult
ContractOp::reifyResultShapes(OpBuilder &builder,
                              mlir::ReifiedRankedShapedTypeDims &shapes) {
  if (hasBuffers())
    return failure();
  shapes.push_back(mlir::tensor::getMixedSizes(builder, getLoc(), getC()));
  return success();
}
