//===- TCDialect.h - The tc dialect -----------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TC_IR_TCDIALECT_H
#define TC_DIALECT_TC_IR_TCDIALECT_H

#include "tc/Support/MLIR/LLVM.h"

#include "mlir/IR/Dialect.h"

#include "tc/Dialect/TC/IR/TCDialect.h.inc"

#endif // TC_DIALECT_TC_IR_TCDIALECT_H
