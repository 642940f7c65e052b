//===- WrittenIndices.h - The indices that the user wrote -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collapsing indices gives them other names. Who explains the result in the
// user's own notes these before.
//
//===----------------------------------------------------------------------===//

#ifndef TC_ANALYSIS_WRITTENINDICES_H
#define TC_ANALYSIS_WRITTENINDICES_H

#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/Explain/IndexOrigins.h"

namespace tc {

/// The attribute in which a contraction notes its index lists and extents as
/// they were; collapsing indices keeps it.
constexpr llvm::StringLiteral writtenIndicesAttrName = "tc.written_indices";

/// Gives it to all contractions under an operation whose extents are known.
void noteWrittenIndices(Operation *root);

/// The index lists and extents of a contraction; those of a tensor of unknown
/// extents are empty.
explain::LabelledShapes shapesOf(ContractOp op);

/// The origins of the indices of a contraction, in the form in which it is
/// compiled, among those that it notes; without such a note, its own count as
/// written.
explain::IndexOrigins originsOf(ContractOp op,
                                const model::Contraction &compiled);

} // namespace tc

#endif // TC_ANALYSIS_WRITTENINDICES_H
