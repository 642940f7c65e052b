//===- ShapeObstacle.h - What kernels for any shape lack --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_ANALYSIS_SHAPEOBSTACLE_H
#define TC_ANALYSIS_SHAPEOBSTACLE_H

#include "tc/Dialect/TC/IR/TCOps.h"

#include <optional>
#include <string>

namespace tc {

/// Why no kernel of a GPU can take a contraction's shape at run time, if none
/// can.
std::optional<std::string> findShapeObstacle(ContractOp op);

/// Whether a tensor is contiguous, so that strides and offset follow from its
/// extents: kernels take no other ones of auxiliary tensors.
bool followsFromExtents(ShapedType type);

} // namespace tc

#endif // TC_ANALYSIS_SHAPEOBSTACLE_H
