//===- TCTransformOps.h - Transform scripts for tc --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_TRANSFORMOPS_TCTRANSFORMOPS_H
#define TC_TRANSFORMOPS_TCTRANSFORMOPS_H

#include "tc/Dialect/TC/IR/TCOps.h"

#include "mlir/Dialect/Transform/IR/TransformTypes.h"
#include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.h"

#define GET_OP_CLASSES
#include "tc/TransformOps/TCTransformOps.h.inc"

namespace tc {

/// Adds the operations `transform.tc.*` to the transform dialect.
void registerTransformDialectExtension(DialectRegistry &registry);

} // namespace tc

#endif // TC_TRANSFORMOPS_TCTRANSFORMOPS_H
