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

using namespace tc;

void TCDialect::initialize() {
  registerAttributes();
  registerOperations();
}

#include "tc/Dialect/TC/IR/TCDialect.cpp.inc"
