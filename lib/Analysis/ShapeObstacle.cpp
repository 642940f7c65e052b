//===- ShapeObstacle.cpp - What kernels for any shape lack ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/ShapeObstacle.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace tc;

bool tc::followsFromExtents(ShapedType type) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref || memref.getLayout().isIdentity())
    return true;
  auto [strides, offset] = memref.getStridesAndOffset();
  return memref.hasStaticShape() && offset == 0 &&
         strides == mlir::computeStrides(memref.getShape());
}

std::optional<std::string> tc::findShapeObstacle(ContractOp op) {
  for (auto [number, tensor] : llvm::enumerate(op.getAuxiliaries()))
    if (!followsFromExtents(cast<ShapedType>(tensor.getType())))
      return "auxiliary tensor " + std::to_string(number) +
             " is not contiguous";
  if (op.hasZeroExtent())
    return "an extent is zero";
  return std::nullopt;
}
