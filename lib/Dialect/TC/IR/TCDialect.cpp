//===- TCDialect.cpp - The tc dialect -------------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers what belongs to the dialect.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TC/IR/TCDialect.h"

#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace tc;

void TCDialect::initialize() {
  registerAttributes();
  registerOperations();
}

mlir::FunctionType TCDialect::findFunctionType(Operation *op) {
  // The interface takes for granted what the operation's verifier has yet to
  // see.
  auto attribute = op->getAttrOfType<mlir::TypeAttr>("function_type");
  if (!attribute || !isa<mlir::FunctionOpInterface>(op))
    return {};
  return dyn_cast<mlir::FunctionType>(attribute.getValue());
}

LogicalResult TCDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                  unsigned number,
                                                  mlir::NamedAttribute named) {
  if (named.getName() != baseAlignmentAttrName)
    return success();
  mlir::FunctionType type = findFunctionType(op);
  if (!type || number >= type.getNumInputs() ||
      !isa<MemRefType>(type.getInput(number)))
    return op->emitOpError("'")
           << baseAlignmentAttrName << "' is of memrefs, but argument "
           << number << " is none";
  auto elements = dyn_cast<mlir::IntegerAttr>(named.getValue());
  if (!elements || !elements.getValue().isStrictlyPositive() ||
      elements.getValue().getSignificantBits() > 64)
    return op->emitOpError("'")
           << baseAlignmentAttrName << "' of argument " << number
           << " must be a positive number of elements, but is "
           << named.getValue();
  return success();
}

#include "tc/Dialect/TC/IR/TCDialect.cpp.inc"
