//===- LabelledTensors.h - Tensors with index lists -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rules for the tensors of an operation whatever their number. Each has
// messages that name the tensor, the label and the figures at fault.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TC_IR_LABELLEDTENSORS_H
#define TC_DIALECT_TC_IR_LABELLEDTENSORS_H

#include "tc/Dialect/TC/IR/TCOps.h"

#include <string>

namespace tc {

struct LabelledTensor {
  Value value;
  IndexListAttr indices;
  /// The name of it in messages: "A", "input #2".
  std::string name;

  ShapedType getType() const { return cast<ShapedType>(value.getType()); }
  Type getElementType() const { return getType().getElementType(); }
};

/// The extent that some type says of a label, or `ShapedType::kDynamic`.
int64_t getExtent(ArrayRef<Value> tensors, ArrayRef<IndexListAttr> indices,
                  StringAttr label);

/// All are memrefs or all are tensors, and memrefs have no result.
LogicalResult verifyKinds(Operation *op, ArrayRef<LabelledTensor> inputs,
                          const LabelledTensor &output);

/// Each dimension has a label. Comes before all that looks for one.
LogicalResult verifyRanks(Operation *op, ArrayRef<LabelledTensor> tensors);

/// The model has the element types. Comes before all that asks it about them.
LogicalResult verifyElementTypes(Operation *op,
                                 ArrayRef<LabelledTensor> tensors);

/// The output may store sums of such factors.
LogicalResult verifyOutputType(Operation *op, const LabelledTensor &output,
                               Type factor);

/// Alpha and beta, either of which may be null, have the type of sums.
LogicalResult verifyScalars(Operation *op, Value alpha, Value beta,
                            Type accumulator);

/// The precision and the semiring apply to such factors.
LogicalResult verifyArithmetic(Operation *op, model::Precision precision,
                               model::Semiring semiring, Type factor);

/// Tensors are dense, and memrefs are strided.
LogicalResult verifyLayouts(Operation *op, ArrayRef<LabelledTensor> tensors);

/// Each label of the output is in some input and only once in the output.
/// `absent` says where one is that is in no input.
LogicalResult verifyOutputLabels(Operation *op, ArrayRef<LabelledTensor> inputs,
                                 const LabelledTensor &output,
                                 StringRef absent);

/// Dimensions of the same label have the same extent, as far as it is known.
LogicalResult verifyExtents(Operation *op, ArrayRef<LabelledTensor> tensors);

/// No tensor exceeds 64 bits.
LogicalResult verifySizes(Operation *op, ArrayRef<LabelledTensor> tensors);

/// Rejects destinations in which two elements certainly share an address, by
/// the dimensions that are known.
LogicalResult verifyNoOverlap(Operation *op, const LabelledTensor &output);

} // namespace tc

#endif // TC_DIALECT_TC_IR_LABELLEDTENSORS_H
