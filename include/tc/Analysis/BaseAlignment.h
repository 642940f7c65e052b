//===- BaseAlignment.h - Alignment of buffers' base pointers ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_ANALYSIS_BASEALIGNMENT_H
#define TC_ANALYSIS_BASEALIGNMENT_H

#include "tc/Support/MLIR/LLVM.h"

#include "llvm/ADT/StringRef.h"

namespace tc {

/// The name under which a function says of which other one it is a version,
/// that computes the same of tensors that differ in alignment or shape; and a
/// kernel, of which other one.
constexpr llvm::StringLiteral versionOfAttrName = "tc.version_of";
/// The name under which a function says that base pointers of its tensors are
/// aligned to their elements only.
constexpr llvm::StringLiteral unalignedAttrName = "tc.unaligned";

/// Returns true if an operation is in such a function.
bool isInUnalignedVersion(Operation *op);

/// Elements to whose multiples the base pointer of a buffer is aligned that
/// lowerings make of it (`withKnownOffset`); zero if that is its own, which is
/// taken to be aligned to as many bytes as any access has unless an argument's
/// `tc.base_alignment` says otherwise. Says where subviews in loops begin
/// whose bounds and steps are constants.
int64_t getBaseAlignment(Value buffer);

/// Elements from the lowest one that a buffer's dimensions reach to its first:
/// more than zero only where strides are negative. Extents and strides are
/// known.
int64_t offsetFromLowest(MemRefType type);

} // namespace tc

#endif // TC_ANALYSIS_BASEALIGNMENT_H
