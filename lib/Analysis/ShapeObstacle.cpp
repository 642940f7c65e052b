//===- ShapeObstacle.cpp - What kernels for any shape lack ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/ShapeObstacle.h"

using namespace tc;

std::optional<std::string> tc::findShapeObstacle(ContractOp op) {
  if (!op.getAuxiliaries().empty())
    return "it has auxiliary tensors";
  for (model::Tensor tensor : model::allTensors)
    if (isa<mlir::ComplexType>(op.getTypeOf(tensor).getElementType()))
      return "its elements are complex";
  if (op.hasZeroExtent())
    return "an extent is zero";
  return std::nullopt;
}
