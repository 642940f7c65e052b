//===- WrittenIndices.cpp - The indices that the user wrote ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/WrittenIndices.h"

#include "mlir/IR/Builders.h"

using namespace tc;
using explain::LabelledShape;
using explain::LabelledShapes;
using model::Tensor;

/// A tensor's index list, and then its extents.
static Attribute toAttribute(mlir::Builder &builder,
                             const LabelledShape &shape) {
  SmallVector<StringRef> labels(shape.labels.begin(), shape.labels.end());
  return builder.getArrayAttr({builder.getStrArrayAttr(labels),
                               builder.getDenseI64ArrayAttr(shape.extents)});
}

static LabelledShape fromAttribute(Attribute attribute) {
  auto pair = cast<mlir::ArrayAttr>(attribute);
  LabelledShape shape;
  for (auto label : cast<mlir::ArrayAttr>(pair[0]).getAsRange<StringAttr>())
    shape.labels.push_back(label.str());
  shape.extents = cast<mlir::DenseI64ArrayAttr>(pair[1]).asArrayRef().vec();
  return shape;
}

LabelledShapes tc::shapesOf(ContractOp op) {
  LabelledShapes shapes;
  for (Tensor tensor : model::allTensors) {
    ShapedType type = op.getTypeOf(tensor);
    if (!type.hasStaticShape())
      continue;
    for (StringAttr label : op.getIndices(tensor))
      shapes[tensor].labels.push_back(label.str());
    shapes[tensor].extents = type.getShape().vec();
  }
  return shapes;
}

void tc::noteWrittenIndices(Operation *root) {
  mlir::Builder builder(root->getContext());
  root->walk([&](ContractOp op) {
    SmallVector<Attribute> attributes;
    for (const LabelledShape &shape : shapesOf(op))
      attributes.push_back(toAttribute(builder, shape));
    op->setDiscardableAttr(writtenIndicesAttrName,
                           builder.getArrayAttr(attributes));
  });
}

explain::IndexOrigins tc::originsOf(ContractOp op,
                                    const model::Contraction &compiled) {
  LabelledShapes collapsed = shapesOf(op), written = collapsed;
  if (auto noted = op->getAttrOfType<mlir::ArrayAttr>(writtenIndicesAttrName))
    for (Tensor tensor : model::allTensors)
      written[tensor] = fromAttribute(noted[static_cast<unsigned>(tensor)]);
  return explain::findIndexOrigins(written, collapsed, compiled);
}
