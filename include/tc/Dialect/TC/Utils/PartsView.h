//===- PartsView.h - Other views of buffers ---------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TC_UTILS_PARTSVIEW_H
#define TC_DIALECT_TC_UTILS_PARTSVIEW_H

#include "tc/Support/MLIR/LLVM.h"

#include "mlir/IR/Builders.h"

namespace tc {

/// The first `size` numbers from a buffer's base pointer, as one dimension: its
/// elements or, if these are complex, their parts.
Value viewParts(OpBuilder &builder, Location loc, Value buffer, int64_t size);

/// A buffer whose offset is known: if it is not, one of the same elements whose
/// base pointer is the address of the lowest of them. Of code for the host.
Value withKnownOffset(OpBuilder &builder, Location loc, Value buffer);

/// The element of a buffer whose coordinates are all zero, as a buffer of rank
/// 0 with an offset of zero. Of code for the host.
Value firstElement(OpBuilder &builder, Location loc, Value buffer);

/// A buffer of that type, of which all is known, whose base pointer is so many
/// bytes beyond another one's. Of code for the host.
Value bufferAt(OpBuilder &builder, Location loc, Value buffer, int64_t bytes,
               MemRefType type);

} // namespace tc

#endif // TC_DIALECT_TC_UTILS_PARTSVIEW_H
